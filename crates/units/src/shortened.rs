//! Shortening of foreign text in errors to what a person reads.

use std::borrow::Cow;

/// Most characters of a cell, a name or a key that an error quotes.
const QUOTED: usize = 80;

/// Characters kept of the beginning and of the end of a message, where the remedy is.
const MESSAGE: (usize, usize) = (3000, 1000);

/// Returns a text, or its first 79 characters and an ellipsis where it has more than 80.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let end = text.char_indices().nth(QUOTED - 1).map_or(text.len(), |(at, _)| at);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

/// Quotes the first 80 characters of bytes that need not be text, as Rust quotes strings.
pub fn shortened_bytes(bytes: &[u8]) -> String {
    // A character has at most four bytes.
    let start = &bytes[..bytes.len().min(4 * (QUOTED + 1))];
    format!("{:?}", shortened(&String::from_utf8_lossy(start)))
}

/// Returns a message, its middle replaced by an ellipsis where it has more than 4000 characters.
pub fn shortened_message(message: &str) -> Cow<'_, str> {
    let (first, last) = MESSAGE;
    if message.char_indices().nth(first + last).is_none() {
        return Cow::Borrowed(message);
    }
    let start = message.char_indices().nth(first).map_or(message.len(), |(at, _)| at);
    let end = message.char_indices().nth_back(last - 1).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{} … {}", &message[..start], &message[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_stays_and_long_text_ends_with_an_ellipsis() {
        assert_eq!(shortened("ä"), "ä");
        assert_eq!(shortened(&"ä".repeat(80)), "ä".repeat(80));
        assert_eq!(shortened(&"ä".repeat(81)), format!("{}…", "ä".repeat(79)));
        assert_eq!(shortened_bytes(b"a\"\xff"), "\"a\\\"\u{fffd}\"");
        assert_eq!(shortened_bytes(&[b'x'; 1 << 20]).chars().count(), 82);
    }

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_remedy() {
        let message = format!("file: {} is no number; remedy", "x".repeat(1 << 20));
        let short = shortened_message(&message);
        assert!(short.starts_with("file: xxx") && short.ends_with("xxx is no number; remedy"));
        assert_eq!(short.chars().count(), 4003);
        assert_eq!(shortened_message("short"), "short");
    }
}
