//! Keys of a scenario file with their values, defaults included, for comparing two versions of a
//! file regardless of order, comments and spelling of numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Values, as JSON, by key path (`microbenchmarks.repeats`, `input.NAME.frames`). A key without
/// value and default is absent.
pub type ScenarioKeys = BTreeMap<String, String>;

/// Splits a key's path into its first part and the rest.
pub fn split_key(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or((key, ""))
}

/// The keys of a scenario file as read.
pub(super) fn keys_of(written: &impl Serialize) -> ScenarioKeys {
    let value = serde_json::to_value(written).expect("a scenario has string keys");
    let mut keys = ScenarioKeys::new();
    add(String::new(), without_nulls(value), &mut keys);
    keys
}

/// Adds a value's keys: of a table, and of an array of tables with names, those of the parts.
fn add(path: String, value: Value, keys: &mut ScenarioKeys) {
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
