//! The keys of a scenario file with their values, defaults filled in: what tells two
//! versions of a file apart, whatever their order, comments and spelling of numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Value of each key by its path (`microbenchmarks.repeats`, `input.NAME.frames`), as JSON. A key
/// that is not set and has no default is not there.
pub type Keys = BTreeMap<String, String>;

/// First part of a key's path, and the rest.
pub fn table_of(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or((key, ""))
}

/// Of a scenario file as it was read.
pub(super) fn keys_of(written: &impl Serialize) -> Keys {
    let value = serde_json::to_value(written).expect("a scenario has string keys");
    let mut keys = Keys::new();
    add(String::new(), without_nulls(value), &mut keys);
    keys
}

/// Tables are taken apart, and arrays of tables that have a name.
fn add(path: String, value: Value, keys: &mut Keys) {
    let below = |name: &str| match path.is_empty() {
        true => name.to_string(),
        false => format!("{path}.{name}"),
    };
    match value {
        Value::Object(table) => {
            table.into_iter().for_each(|(name, value)| add(below(&name), value, keys));
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(|i| name_of(i).is_some()) => {
            for item in items {
                add(below(name_of(&item).unwrap_or_default()), item, keys);
            }
        }
        other => {
            keys.insert(path, other.to_string());
        }
    }
}

fn name_of(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(table) => {
            let set = table.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(set.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::scenario::parse_scenario;

    const SMALL: &str = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n\
        [[source]]\npath = 'src'\n[[input]]\nname = 'few'\nsteps = [{ key = 3 }]\n";

    #[test]
    fn keys_have_their_values_and_defaults() {
        let of = |text: &str| parse_scenario(text, Path::new("s.toml")).unwrap().keys;
        let keys = of(SMALL);
        assert_eq!(keys["microbenchmarks.repeats"], "5");
        assert_eq!(keys["board.frequency_khz"], "\"auto\"");
        assert_eq!(keys["input.few.steps"], "[{\"key\":3}]");
        assert!(!keys.contains_key("session.frames"), "{keys:?}");
        let written =
            SMALL.replace("[[input]]", "[microbenchmarks]\nrepeats = 5 # as ever\n[[input]]");
        assert_eq!(of(&written), keys);
        assert_eq!(of(&written.replace("= 5", "= 6"))["microbenchmarks.repeats"], "6");
    }
}
