//! Names of a struct's fields in the order of their declaration, which JSON schemas do not keep.

use serde::Deserializer;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// Returns the keys that a struct reads, in the order of its declaration; none of another type.
pub fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // There is nothing to read, so reading fails after the struct has named its fields.
    let _ = T::deserialize(FieldRecorder(&mut names));
    names
}

/// Deserializer that records the names of the fields that are asked for.
struct FieldRecorder<'n>(&'n mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldRecorder<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Renamed {
        #[serde(rename = "type")]
        _kind: u8,
        _b: Option<f64>,
        _a: String,
    }

    #[test]
    fn fields_are_named_as_they_are_declared() {
        assert_eq!(field_names::<Renamed>(), ["type", "_b", "_a"]);
        assert_eq!(field_names::<u8>(), [""; 0]);
    }
}
