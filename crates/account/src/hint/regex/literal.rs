//! Values of String literals in the source.

/// Value of a String literal without its quotes; `None` for unknown escapes and text blocks.
pub(super) fn literal_value(literal: &str) -> Option<String> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    if inside.starts_with('"') {
        return None;
    }
    let mut value = String::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        value.push(if c == '\\' { escaped(&mut rest)? } else { c });
    }
    Some(value)
}

/// Character that an escape represents, from the text behind its backslash.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        's' => ' ',
        c @ ('\\' | '"' | '\'') => c,
        // A backslash by its number would be one more level of escapes.
        'u' => char::from_u32(hexadecimal(rest)?).filter(|c| *c != '\\' && *c != '"')?,
        _ => return None,
    })
}

fn hexadecimal(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    let digits: String = rest.by_ref().take(4).collect();
    (digits.len() == 4).then(|| u32::from_str_radix(&digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::literal_value;

    #[test]
    fn escapes_are_what_they_stand_for() {
        assert_eq!(literal_value(r#""a\\d+\"\t""#).as_deref(), Some("a\\d+\"\t"));
        assert_eq!(literal_value(r#""\u0041""#).as_deref(), Some("A"));
        for unknown in [r#""\101""#, r#""\uD8""#, r#""\u005c""#, "\"\"\"\nx\"\"\"", "x"] {
            assert_eq!(literal_value(unknown), None, "{unknown}");
        }
        assert_eq!(literal_value("\"\"").as_deref(), Some(""));
    }
}
