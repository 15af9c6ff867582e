//! OpenTelemetry's profiles signal, in development (`opentelemetry/proto/profiles/v1development`,
//! `ProfilesData`), as a protocol buffer. A resource with what was measured, and two profiles of
//! the same stacks: energy in microjoules, and executions. A sample has one value and no time, as
//! the energies are sums over runs.

use std::collections::BTreeMap;
use std::hash::Hash;

use prost::Message;

use super::data::ExportData;
use super::energy_stacks::{EnergyFrame, EnergyStack, visit_stacks};

#[derive(Clone, PartialEq, Message)]
struct OtlpProfilesData {
    #[prost(message, repeated, tag = "1")]
    resource_profiles: Vec<OtlpResourceProfiles>,
    #[prost(message, optional, tag = "2")]
    dictionary: Option<OtlpDictionary>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpDictionary {
    #[prost(message, repeated, tag = "1")]
    mapping_table: Vec<OtlpMapping>,
    #[prost(message, repeated, tag = "2")]
    location_table: Vec<OtlpLocation>,
    #[prost(message, repeated, tag = "3")]
    function_table: Vec<OtlpFunction>,
    #[prost(message, repeated, tag = "4")]
    link_table: Vec<OtlpLink>,
    #[prost(string, repeated, tag = "5")]
    string_table: Vec<String>,
    #[prost(message, repeated, tag = "6")]
    attribute_table: Vec<OtlpAttribute>,
    #[prost(message, repeated, tag = "7")]
    stack_table: Vec<OtlpStack>,
}

/// No mapping is used; the table has the empty first entry that the format asks for.
#[derive(Clone, PartialEq, Message)]
struct OtlpMapping {}

/// As of mappings.
#[derive(Clone, PartialEq, Message)]
struct OtlpLink {}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
struct OtlpStack {
    /// The line first.
    #[prost(int32, repeated, tag = "1")]
    location_indices: Vec<i32>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
struct OtlpLocation {
    #[prost(message, repeated, tag = "3")]
    lines: Vec<OtlpLine>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
struct OtlpLine {
    #[prost(int32, tag = "1")]
    function_index: i32,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
struct OtlpFunction {
    #[prost(int32, tag = "1")]
    name_strindex: i32,
    #[prost(int32, tag = "3")]
    filename_strindex: i32,
    #[prost(int64, tag = "4")]
    start_line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpAttribute {
    #[prost(int32, tag = "1")]
    key_strindex: i32,
    #[prost(message, optional, tag = "2")]
    value: Option<OtlpAnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpAnyValue {
    #[prost(string, optional, tag = "1")]
    string_value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpKeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<OtlpAnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpResource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<OtlpKeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpScope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpResourceProfiles {
    #[prost(message, optional, tag = "1")]
    resource: Option<OtlpResource>,
    #[prost(message, repeated, tag = "2")]
    scope_profiles: Vec<OtlpScopeProfiles>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpScopeProfiles {
    #[prost(message, optional, tag = "1")]
    scope: Option<OtlpScope>,
    #[prost(message, repeated, tag = "2")]
    profiles: Vec<OtlpProfile>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpProfile {
    #[prost(message, optional, tag = "1")]
    sample_type: Option<OtlpValueType>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<OtlpSample>,
    #[prost(message, optional, tag = "5")]
    period_type: Option<OtlpValueType>,
    #[prost(int64, tag = "6")]
    period: i64,
    #[prost(int32, repeated, tag = "11")]
    attribute_indices: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpValueType {
    #[prost(int32, tag = "1")]
    type_strindex: i32,
    #[prost(int32, tag = "2")]
    unit_strindex: i32,
}

#[derive(Clone, PartialEq, Message)]
struct OtlpSample {
    #[prost(int32, tag = "1")]
    stack_index: i32,
    #[prost(int64, repeated, tag = "4")]
    values: Vec<i64>,
}

/// Table of distinct items, of which the first is the empty one that index 0 stands for.
struct IndexedTable<T> {
    items: Vec<T>,
    known: BTreeMap<T, i32>,
}

impl<T: Clone + Default + Ord> IndexedTable<T> {
    fn new() -> Self {
        let empty = T::default();
        Self { items: vec![empty.clone()], known: BTreeMap::from([(empty, 0)]) }
    }

    /// Index of an item, which is added if it is new; 0 in a table that is full.
    fn index(&mut self, item: T) -> i32 {
        if let Some(index) = self.known.get(&item) {
            return *index;
        }
        let Ok(index) = i32::try_from(self.items.len()) else { return 0 };
        self.items.push(item.clone());
        self.known.insert(item, index);
        index
    }
}

/// The tables and samples under construction.
struct OtlpBuilder {
    strings: IndexedTable<String>,
    functions: IndexedTable<OtlpFunction>,
    locations: IndexedTable<OtlpLocation>,
    stacks: IndexedTable<OtlpStack>,
    energy: Vec<OtlpSample>,
    executions: Vec<OtlpSample>,
}

impl OtlpBuilder {
    fn new() -> Self {
        Self {
            strings: IndexedTable::new(),
            functions: IndexedTable::new(),
            locations: IndexedTable::new(),
            stacks: IndexedTable::new(),
            energy: Vec::new(),
            executions: Vec::new(),
        }
    }

    fn location(&mut self, frame: &EnergyFrame) -> i32 {
        let function = OtlpFunction {
            name_strindex: self.strings.index(frame.name.clone()),
            filename_strindex: self.strings.index(frame.file.clone()),
            start_line: i64::from(frame.first_line),
        };
        let function_index = self.functions.index(function);
        let line = OtlpLine { function_index, line: i64::from(frame.line) };
        self.locations.index(OtlpLocation { lines: vec![line] })
    }

    /// Adds the energy and the executions of a stack.
    fn add(&mut self, stack: EnergyStack<'_>) {
        let mut location_indices = vec![self.location(stack.leaf)];
        location_indices.extend(stack.callers.iter().map(|frame| self.location(frame)));
        let stack_index = self.stacks.index(OtlpStack { location_indices });
        let sample = |value: u64| {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            (value > 0).then(|| OtlpSample { stack_index, values: vec![value] })
        };
        self.energy.extend(sample(stack.microjoules));
        self.executions.extend(sample(stack.executions));
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> OtlpValueType {
        OtlpValueType {
            type_strindex: self.strings.index(kind.to_owned()),
            unit_strindex: self.strings.index(unit.to_owned()),
        }
    }
}

/// Text as the value of an attribute.
fn any_value(text: &str) -> Option<OtlpAnyValue> {
    Some(OtlpAnyValue { string_value: Some(text.to_owned()) })
}

/// Writes the bytes of the profiles.
pub(super) fn otlp(data: &ExportData<'_>) -> Vec<u8> {
    let mut builder = OtlpBuilder::new();
    visit_stacks(data, &mut |stack| builder.add(stack));
    let attributes = [
        ("wattline.basis", data.basis.name()),
        ("wattline.meter", data.meter),
        ("wattline.stacks", data.caller_kind()),
    ];
    let attributes = attributes.map(|(key, value)| OtlpAttribute {
        key_strindex: builder.strings.index(key.to_owned()),
        value: any_value(value),
    });
    let attribute_indices: Vec<i32> = (1..).take(attributes.len()).collect();
    let [energy, executions] =
        [builder.value_type("energy", "microjoules"), builder.value_type("executions", "count")];
    let profile = |kind: OtlpValueType, samples: Vec<OtlpSample>| OtlpProfile {
        sample_type: Some(kind.clone()),
        samples,
        period_type: Some(kind),
        period: 1,
        attribute_indices: attribute_indices.clone(),
    };
    let profiles = vec![
        profile(energy, std::mem::take(&mut builder.energy)),
        profile(executions, std::mem::take(&mut builder.executions)),
    ];
    let scope = OtlpScope { name: "wattline".into(), version: env!("CARGO_PKG_VERSION").into() };
    let scope_profiles = vec![OtlpScopeProfiles { scope: Some(scope), profiles }];
    let resource = Some(resource(data));
    let data = OtlpProfilesData {
        resource_profiles: vec![OtlpResourceProfiles { resource, scope_profiles }],
        dictionary: Some(OtlpDictionary {
            mapping_table: vec![OtlpMapping {}],
            location_table: builder.locations.items,
            function_table: builder.functions.items,
            link_table: vec![OtlpLink {}],
            string_table: builder.strings.items,
            attribute_table: [OtlpAttribute::default()].into_iter().chain(attributes).collect(),
            stack_table: builder.stacks.items,
        }),
    };
    data.encode_to_vec()
}

/// What was measured, on which board.
fn resource(data: &ExportData<'_>) -> OtlpResource {
    let attributes = [
        ("service.name", data.scenario),
        ("device.model.name", data.board),
        ("wattline.basis", data.basis.name()),
        ("wattline.meter", data.meter),
    ];
    let attributes = attributes
        .map(|(key, value)| OtlpKeyValue { key: key.to_owned(), value: any_value(value) });
    OtlpResource { attributes: attributes.into() }
}

/// Microjoules of each stack of the profile of energies, by its frames from the line on.
#[cfg(test)]
pub(super) fn decoded_stacks(bytes: &[u8]) -> super::energy_stacks::DecodedStacks {
    let data = OtlpProfilesData::decode(bytes).unwrap();
    let tables = data.dictionary.unwrap();
    let frame = |index: &i32| {
        let line = &tables.location_table[*index as usize].lines[0];
        let function = &tables.function_table[line.function_index as usize];
        let string = |index: i32| tables.string_table[index as usize].clone();
        (string(function.name_strindex), string(function.filename_strindex), line.line as u32)
    };
    let mut stacks = BTreeMap::new();
    for sample in &data.resource_profiles[0].scope_profiles[0].profiles[0].samples {
        let indices = &tables.stack_table[sample.stack_index as usize].location_indices;
        *stacks.entry(indices.iter().map(frame).collect()).or_default() += sample.values[0] as u64;
    }
    stacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn energies_add_up_and_every_index_is_resolved() {
        let sample = sample::sample();
        let data = OtlpProfilesData::decode(otlp(&sample.data()).as_slice()).unwrap();
        let dictionary = data.dictionary.unwrap();
        let [energy, executions] = data.resource_profiles[0].scope_profiles[0].profiles.as_slice()
        else {
            panic!("two profiles")
        };
        let sum =
            |profile: &OtlpProfile| profile.samples.iter().map(|of| of.values[0]).sum::<i64>();
        assert!((sum(energy) - 1_250_000).abs() < 5, "{}", sum(energy));
        let counted = |block: &crate::account::BlockAccount| block.entry.executions as i64;
        assert_eq!(sum(executions), sample.accounts.blocks.iter().map(counted).sum::<i64>());
        let kind = energy.sample_type.as_ref().unwrap();
        let string = |index: i32| dictionary.string_table[index as usize].as_str();
        assert_eq!(
            (string(kind.type_strindex), string(kind.unit_strindex)),
            ("energy", "microjoules")
        );
        for of in energy.samples.iter().chain(&executions.samples) {
            let stack = &dictionary.stack_table[of.stack_index as usize];
            assert_eq!(stack.location_indices.len(), 3);
            for index in &stack.location_indices {
                let location = &dictionary.location_table[*index as usize];
                let function =
                    &dictionary.function_table[location.lines[0].function_index as usize];
                assert!(!string(function.name_strindex).is_empty());
            }
        }
        // Index 0 of each table stands for nothing.
        assert_eq!(dictionary.location_table[0], OtlpLocation::default());
        assert_eq!(dictionary.stack_table[0], OtlpStack::default());
        assert_eq!(dictionary.attribute_table[0], OtlpAttribute::default());
    }
}
