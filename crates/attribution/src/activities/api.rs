//! The Java API that programs name their activities with, as it is written out for them.

/// Where the class belongs below a source folder.
pub const API_FILE: &str = "wattline/Activities.java";

/// Its source: plain Java without dependencies.
pub const API_SOURCE: &str = include_str!("java/wattline/Activities.java");

/// What the API's lines begin with.
pub const MARK: &str = "wattline-act ";

/// What a log's lines about states begin with: `wattline-state COMPONENT: STATE`, written by
/// scripts (`log -t wattline "wattline-state cpu frequency: 800000 kHz"`).
pub(crate) const STATE_MARK: &str = "wattline-state ";

/// What the names of the API's trace sections begin with.
pub(crate) const SECTION: &str = "wattline:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_agree_on_the_marks() {
        assert!(API_SOURCE.contains(&format!("MARK = {MARK:?}")));
        assert!(API_SOURCE.contains(&format!("SECTION = {SECTION:?}")));
    }
}
