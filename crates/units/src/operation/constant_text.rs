//! Splitting and comparison of texts at compile time, where `str` has no `const` function yet.

/// Splits a text at the first byte `end`, which is in neither part; returns all of `text` and an
/// empty text where there is none.
pub(super) const fn split_at_first(text: &str, end: u8) -> (&str, &str) {
    let mut at = 0;
    while at < text.len() {
        if text.as_bytes()[at] == end {
            let (before, rest) = text.split_at(at);
            return (before, rest.split_at(1).1);
        }
        at += 1;
    }
    (text, "")
}

/// Whether two texts are equal.
pub(super) const fn are_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
