//! Texts that are cut and compared while this is compiled, where `str` has no function yet.

/// What stands before the first `end`, and what stands behind it; all of `text` and
/// nothing where there is none.
pub(super) const fn cut(text: &str, end: u8) -> (&str, &str) {
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

/// Whether two texts are the same, for constants.
pub(super) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
