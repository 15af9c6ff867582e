//! Abbreviation of foreign texts in messages.

/// The beginning of a text, for messages, at most 120 characters.
pub(crate) fn shortened(text: &str) -> String {
    const LENGTH: usize = 120;
    let mut short: String = text.chars().take(LENGTH).collect();
    if text.chars().nth(LENGTH).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_hold_the_beginning_of_a_long_text() {
        assert_eq!(shortened("abc"), "abc");
        assert_eq!(shortened(&"x".repeat(500)).len(), 123);
    }
}
