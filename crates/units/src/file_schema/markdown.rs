//! Markdown tables of reference pages.

use std::fmt::Write as _;

/// Adds a table: a heading row and rows of the same length.
pub(super) fn add_table<const N: usize>(
    text: &mut String,
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) {
    let _ = writeln!(text, "| {} |\n|{}", titles.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_no_bars_of_their_own() {
        let mut text = String::new();
        add_table(&mut text, ["a", "b"], [["`||`".into(), "2".into()]]);
        assert_eq!(text, "| a | b |\n|---|---|\n| `\\|\\|` | 2 |\n");
    }
}
