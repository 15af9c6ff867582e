//! pprof's protocol buffer (`profile.proto` of github.com/google/pprof, perftools.profiles),
//! uncompressed, which its reader takes as well. A sample per line of a block, with two
//! values: microjoules, as values are whole numbers, and on its first line the executions
//! of the block. Functions have file and line, so that `pprof -list` shows the source.

use std::collections::BTreeMap;

use prost::Message;

use super::data::ExportData;
use super::energy_stacks::{EnergyFrame, EnergyStack, visit_stacks};

#[derive(Clone, PartialEq, Message)]
struct PprofProfile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<PprofValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<PprofSample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<PprofFunction>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(message, optional, tag = "11")]
    period_type: Option<PprofValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct PprofValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct PprofSample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<PprofLine>,
}

#[derive(Clone, PartialEq, Message)]
struct PprofLine {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct PprofFunction {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    /// Empty: pprof takes names that are equal to their system names for C++.
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

/// The profile under construction; ids begin at 1, the string table with the empty string.
#[derive(Default)]
struct PprofBuilder {
    profile: PprofProfile,
    strings: BTreeMap<String, i64>,
    functions: BTreeMap<(String, String), u64>,
    locations: BTreeMap<(u64, u32), u64>,
}

impl PprofBuilder {
    fn string(&mut self, text: &str) -> i64 {
        if let Some(&index) = self.strings.get(text) {
            return index;
        }
        let index = self.profile.string_table.len() as i64;
        self.profile.string_table.push(text.into());
        self.strings.insert(text.into(), index);
        index
    }

    fn kind(&mut self, kind: &str, unit: &str) -> PprofValueType {
        PprofValueType { kind: self.string(kind), unit: self.string(unit) }
    }

    fn location(&mut self, frame: &EnergyFrame) -> u64 {
        let function = self.function(&frame.name, &frame.file, frame.first_line);
        let next = self.locations.len() as u64 + 1;
        let id = *self.locations.entry((function, frame.line)).or_insert(next);
        if id == next {
            let line = PprofLine { function_id: function, line: i64::from(frame.line) };
            self.profile.location.push(Location { id, line: vec![line] });
        }
        id
    }

    /// Adds a sample for a stack.
    fn add(&mut self, stack: EnergyStack<'_>) {
        let callers: Vec<u64> = stack.callers.iter().map(|frame| self.location(frame)).collect();
        let mut location_id = vec![self.location(stack.leaf)];
        location_id.extend(callers);
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let value = vec![whole(stack.microjoules), whole(stack.executions)];
        self.profile.sample.push(PprofSample { location_id, value });
    }

    fn function(&mut self, name: &str, file: &str, line: u32) -> u64 {
        let next = self.functions.len() as u64 + 1;
        let id = *self.functions.entry((name.into(), file.into())).or_insert(next);
        if id == next {
            let (name, filename) = (self.string(name), self.string(file));
            let start_line = i64::from(line);
            let function = PprofFunction { id, name, system_name: 0, filename, start_line };
            self.profile.function.push(function);
        }
        id
    }
}

/// Writes the bytes of the profile.
pub(super) fn pprof(data: &ExportData<'_>) -> Vec<u8> {
    let mut builder = PprofBuilder::default();
    builder.string("");
    let energy = builder.kind("energy", "uJ");
    let executions = builder.kind("executions", "count");
    builder.profile.sample_type = vec![energy.clone(), executions];
    builder.profile.default_sample_type = energy.kind;
    (builder.profile.period_type, builder.profile.period) = (Some(energy), 1);
    let board = data.board_kind();
    let callers = match data.calls {
        Some(_) => "callers are callers, the first is the thread",
        None => "callers are classes and packages",
    };
    let comment = format!("{}, {board} {}; {callers}", data.scenario, data.board);
    let comment = builder.string(&comment);
    builder.profile.comment = vec![comment];
    visit_stacks(data, &mut |stack| builder.add(stack));
    builder.profile.encode_to_vec()
}

/// Microjoules of each stack of a profile, by its frames from the line on.
#[cfg(test)]
pub(super) fn decoded_stacks(bytes: &[u8]) -> super::energy_stacks::DecodedStacks {
    let profile = PprofProfile::decode(bytes).unwrap();
    let frame = |id: &u64| {
        let line = &profile.location.iter().find(|of| of.id == *id).unwrap().line[0];
        let function = profile.function.iter().find(|of| of.id == line.function_id).unwrap();
        let string = |index: i64| profile.string_table[index as usize].clone();
        (string(function.name), string(function.filename), line.line as u32)
    };
    let mut stacks = BTreeMap::new();
    for sample in profile.sample.iter().filter(|sample| sample.value[0] > 0) {
        let stack = sample.location_id.iter().map(frame).collect();
        *stacks.entry(stack).or_default() += sample.value[0] as u64;
    }
    stacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::BlockAccount;
    use crate::export::sample;

    #[test]
    fn every_reference_is_resolved_and_energy_adds_up() {
        let sample = sample::sample();
        let profile = PprofProfile::decode(pprof(&sample.data()).as_slice()).unwrap();
        assert_eq!(profile.string_table[0], "");
        let sum = |value: usize| profile.sample.iter().map(|s| s.value[value]).sum::<i64>();
        let total = sum(0);
        let executions = |block: &BlockAccount| block.entry.executions as i64;
        assert_eq!(sum(1), sample.accounts.blocks.iter().map(executions).sum::<i64>());
        assert!((total - 1_250_000).abs() < 5, "{total}");
        for sample in &profile.sample {
            for id in &sample.location_id {
                let location = profile.location.iter().find(|l| l.id == *id).unwrap();
                let function =
                    profile.function.iter().find(|f| f.id == location.line[0].function_id).unwrap();
                assert!((function.name as usize) < profile.string_table.len());
            }
        }
    }

    /// Lines have what the accounts say of them, to half a microjoule for each block.
    #[test]
    fn every_line_has_its_own_energy() {
        let sample = sample::sample();
        let profile = PprofProfile::decode(pprof(&sample.data()).as_slice()).unwrap();
        let line = |sample: &PprofSample| {
            let location = profile.location.iter().find(|l| l.id == sample.location_id[0]).unwrap();
            location.line[0].line
        };
        let mut lines: BTreeMap<i64, i64> = BTreeMap::new();
        for sample in &profile.sample {
            *lines.entry(line(sample)).or_default() += sample.value[0];
        }
        assert_eq!(lines.len(), sample.accounts.lines.len());
        for entry in &sample.accounts.lines {
            let expected = entry.joules().0 * 1e6;
            let found = lines[&i64::from(entry.key.line)] as f64;
            assert!((found - expected).abs() < 3.0, "{}: {found} {expected}", entry.key.line);
        }
    }
}
