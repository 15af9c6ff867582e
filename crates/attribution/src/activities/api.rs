//! The Java API that programs name their activities with, as it is written out for them.

/// Path of the API's class below a source folder.
pub const API_FILE: &str = "wattline/Activities.java";

/// Source of the API's class: plain Java without dependencies.
pub const API_SOURCE: &str = include_str!("java/wattline/Activities.java");

/// Prefix of the API's lines in a log.
pub const MARKER_PREFIX: &str = "wattline-act ";

/// Prefix of a log's lines about states: `wattline-state COMPONENT: STATE`, written by scripts
/// (`log -t wattline "wattline-state cpu frequency: 800000 kHz"`).
pub(crate) const STATE_MARKER_PREFIX: &str = "wattline-state ";

/// Prefix of the names of the API's trace sections.
pub(crate) const SECTION_PREFIX: &str = "wattline:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_agree_on_the_marks() {
        assert!(API_SOURCE.contains(&format!("MARK = {MARKER_PREFIX:?}")));
        assert!(API_SOURCE.contains(&format!("SECTION = {SECTION_PREFIX:?}")));
    }
}
