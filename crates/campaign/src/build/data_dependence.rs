//! Data dependence between blocks, by the names in their source text: which names a block assigns,
//! and whether another block mentions them. It is coarse (comments and shadowed names count), and
//! only chooses what is tried.

use std::collections::BTreeSet;

fn is_name_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// The words of a text with the places at which they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_name_part)?;
        let rest = &text[start..];
        let end = start + rest.find(|letter| !is_name_part(letter)).unwrap_or(rest.len());
        from = end;
        Some((start, &text[start..end]))
    })
}

/// Names of the fields, variables and arrays that a text assigns or declares with a value.
pub(super) fn assigned_names(text: &str) -> BTreeSet<&str> {
    let is_name = |word: &str| !word.starts_with(|letter: char| letter.is_ascii_digit());
    let assigned = words(text).filter(|(start, word)| {
        is_name(word) && is_assignment(&text[..*start], &text[start + word.len()..])
    });
    assigned.map(|(_, word)| word).collect()
}

/// Whether a name between these texts is assigned: `x = 1`, `x[i][j] += 1`, `x++`, `--x`.
fn is_assignment(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    if before.ends_with("++") || before.ends_with("--") {
        return true;
    }
    let mut rest = after.trim_start();
    while let Some(index) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = index.1.trim_start();
    }
    if rest.starts_with("++") || rest.starts_with("--") {
        return true;
    }
    let operator = rest.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    let is_compound = operator.len() < rest.len();
    let is_comparison = is_compound && matches!(&rest[..rest.len() - operator.len()], "<" | ">");
    operator.starts_with('=') && !operator.starts_with("==") && !is_comparison
}

/// Whether a text contains one of these names as a word.
pub(super) fn mentions(text: &str, names: &BTreeSet<&str>) -> bool {
    !names.is_empty() && words(text).any(|(_, word)| names.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_told_from_comparisons_and_longer_names() {
        for text in [
            "list = 1;",
            "this.list[i] = x",
            "a.list [0][1]= y",
            "List list =new L();",
            "list += 2",
            "list >>= 1",
            "list++",
            "--list",
        ] {
            assert!(assigned_names(text).contains("list"), "{text}");
        }
        for text in [
            "list == x",
            "list.add(x)",
            "mylist = x",
            "list2 = x",
            "x = list",
            "list <= x",
            "7 = a",
        ] {
            assert!(!assigned_names(text).contains("list"), "{text}");
        }
        assert!(assigned_names("7 = ").is_empty());
    }

    #[test]
    fn names_are_mentioned_as_words() {
        let names = BTreeSet::from(["list"]);
        assert!(mentions("x = this.list.size();", &names));
        assert!(!mentions("x = playlist + list2;", &names));
        assert!(!mentions("x = list", &BTreeSet::new()));
    }
}
