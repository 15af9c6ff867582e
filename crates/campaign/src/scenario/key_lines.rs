//! Lines of keys in the text of a scenario file, for messages.

use toml::de::{DeTable, DeValue};

/// Line (from 1) of a byte offset.
pub(super) fn line_of_byte(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().iter().take(byte);
    1 + before.filter(|c| **c == b'\n').count()
}

/// Line of a key path such as `input[1].steps[0].at_s`; of the innermost part that exists where the
/// key is missing; 1 when none does.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 1 };
    let mut byte = 0;
    let mut table_here = Some(table.get_ref());
    let mut value_here: Option<&DeValue<'_>> = None;
    for part in key.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        let table = table_here.take().or(value_here.and_then(DeValue::as_table));
        let found = if let Some(table) = table {
            table.iter().find(|(name, _)| name.get_ref() == part).map(|(name, value)| {
                let is_list = value.get_ref().is_array() || value.get_ref().is_table();
                (if is_list { value.span().start } else { name.span().start }, value.get_ref())
            })
        } else {
            let index = part.parse::<usize>().ok();
            let items = value_here.and_then(DeValue::as_array);
            let item = index.zip(items).and_then(|(index, items)| items.get(index));
            item.map(|item| (item.span().start, item.get_ref()))
        };
        let Some((start, value)) = found else { break };
        byte = start;
        value_here = Some(value);
    }
    line_of_byte(text, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"a\"\n\n[session]\nframes = 3\n\n[[input]]\nname = \"x\"\n\
        [[input]]\nname = \"y\"\nsteps = [\n  { at_s = 1 },\n  { at_s = 2 },\n]\n";

    #[test]
    fn keys_are_found_in_tables_arrays_and_inline_tables() {
        assert_eq!(line_of_key(TEXT, "name"), 1);
        assert_eq!(line_of_key(TEXT, "session.frames"), 4);
        assert_eq!(line_of_key(TEXT, "input[1].name"), 9);
        assert_eq!(line_of_key(TEXT, "input[1].steps[1].at_s"), 12);
    }

    #[test]
    fn a_missing_key_is_at_its_table() {
        assert_eq!(line_of_key(TEXT, "session.limit_s"), 3);
        assert_eq!(line_of_key(TEXT, "input[0].steps[4]"), 6);
        assert_eq!(line_of_key(TEXT, "board.rails"), 1);
    }
}
