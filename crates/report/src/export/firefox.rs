//! The Firefox Profiler's own JSON (processed profile, version 55, which its front end upgrades;
//! `docs-developer/processed-profile-format.md` of github.com/firefox-devtools/profiler). One
//! thread with a sample for each line, and the categories method, class, package and thread. The
//! format has no unit of energy: weights are of type `samples`, the thread's name and the
//! profile's own information contain microjoules.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::data::ExportData;
use super::energy_stacks::{EnergyFrame, EnergyStack, FrameKind, visit_stacks};

/// Version of the format.
const FORMAT_VERSION: u32 = 55;

/// Categories with their colours, by [`FrameKind`]; the last one is for all else.
const CATEGORIES: [(&str, &str); 5] = [
    ("Method", "green"),
    ("Class", "blue"),
    ("Package", "purple"),
    ("Thread", "orange"),
    ("Other", "grey"),
];

/// Functions by name and file.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionTable {
    length: usize,
    name: Vec<usize>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    /// -1: none.
    resource: Vec<i32>,
    file_name: Vec<Option<usize>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
}

/// Lines of functions.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    length: usize,
    /// -1: no code address.
    address: Vec<i32>,
    inline_depth: Vec<u32>,
    category: Vec<usize>,
    subcategory: Vec<usize>,
    func: Vec<usize>,
    native_symbol: Vec<Option<usize>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<u32>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
}

/// Stacks as trees: a frame below a stack.
#[derive(Debug, Default, Serialize)]
struct StackTable {
    length: usize,
    prefix: Vec<Option<usize>>,
    frame: Vec<usize>,
}

/// Samples with their weights in microjoules.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct SampleTable {
    length: usize,
    weight_type: &'static str,
    stack: Vec<usize>,
    /// Milliseconds since the sample before: the energies are sums over runs, without a time.
    time_deltas: Vec<u32>,
    weight: Vec<u64>,
}

/// The tables under construction.
#[derive(Default)]
struct FirefoxBuilder {
    strings: Vec<String>,
    functions: FunctionTable,
    frames: FrameTable,
    stacks: StackTable,
    samples: SampleTable,
    known_strings: BTreeMap<String, usize>,
    known_functions: BTreeMap<(usize, Option<usize>), usize>,
    known_frames: BTreeMap<(usize, u32), usize>,
    known_stacks: BTreeMap<(Option<usize>, usize), usize>,
}

impl FirefoxBuilder {
    fn string(&mut self, text: &str) -> usize {
        if let Some(&index) = self.known_strings.get(text) {
            return index;
        }
        let index = self.strings.len();
        self.strings.push(text.to_owned());
        self.known_strings.insert(text.to_owned(), index);
        index
    }

    fn function(&mut self, frame: &EnergyFrame) -> usize {
        let name = self.string(&frame.name);
        let file = (!frame.file.is_empty()).then(|| self.string(&frame.file));
        let next = self.functions.length;
        let index = *self.known_functions.entry((name, file)).or_insert(next);
        if index == next {
            let table = &mut self.functions;
            table.length += 1;
            table.name.push(name);
            table.is_js.push(false);
            table.relevant_for_js.push(false);
            table.resource.push(-1);
            table.file_name.push(file);
            table.line_number.push(known_line(frame.first_line));
            table.column_number.push(None);
        }
        index
    }

    fn frame(&mut self, frame: &EnergyFrame) -> usize {
        let function = self.function(frame);
        let next = self.frames.length;
        let index = *self.known_frames.entry((function, frame.line)).or_insert(next);
        if index == next {
            let table = &mut self.frames;
            table.length += 1;
            table.address.push(-1);
            table.inline_depth.push(0);
            table.category.push(category(frame.kind));
            table.subcategory.push(0);
            table.func.push(function);
            table.native_symbol.push(None);
            table.inner_window_id.push(0);
            table.line.push(known_line(frame.line));
            table.column.push(None);
        }
        index
    }

    /// Adds a sample for a stack that has energy.
    fn add(&mut self, stack: EnergyStack<'_>) {
        if stack.microjoules == 0 {
            return;
        }
        let mut above = None;
        let mut index = 0;
        for frame in stack.outermost_first() {
            let frame = self.frame(frame);
            let next = self.stacks.length;
            index = *self.known_stacks.entry((above, frame)).or_insert(next);
            if index == next {
                self.stacks.length += 1;
                self.stacks.prefix.push(above);
                self.stacks.frame.push(frame);
            }
            above = Some(index);
        }
        let table = &mut self.samples;
        table.time_deltas.push(u32::from(table.length > 0));
        table.length += 1;
        table.stack.push(index);
        table.weight.push(stack.microjoules);
    }
}

/// A line; none for 0.
fn known_line(line: u32) -> Option<u32> {
    Some(line).filter(|line| *line > 0)
}

/// Index of a frame's category.
fn category(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Method => 0,
        FrameKind::Class => 1,
        FrameKind::Package => 2,
        FrameKind::Thread => 3,
    }
}

/// Writes the text of the file.
pub(super) fn firefox(data: &ExportData<'_>) -> Vec<u8> {
    let mut builder = FirefoxBuilder::default();
    builder.samples.weight_type = "samples";
    visit_stacks(data, &mut |stack| builder.add(stack));
    let value = json!({
        "meta": meta(data),
        "libs": [],
        "pages": [],
        "counters": [],
        "profilerOverhead": [],
        "threads": [thread(data, &builder)],
    });
    serde_json::to_vec(&value).expect("keys are strings")
}

/// Facts about the profile: what was measured and in which unit.
fn meta(data: &ExportData<'_>) -> Value {
    let category = |(name, color): (&str, &str)| json!({"name": name, "color": color, "subcategories": ["Other"]});
    let about = [
        ("Scenario", data.scenario),
        ("Unit of weights", "microjoules"),
        ("Basis", data.basis.name()),
        ("Meter", data.meter),
        ("Board", data.board),
        ("Callers", data.caller_kind()),
    ];
    let about =
        about.map(|(label, value)| json!({"label": label, "format": "string", "value": value}));
    json!({
        "product": "wattline",
        "importedFrom": concat!("wattline ", env!("CARGO_PKG_VERSION")),
        "interval": 1,
        "startTime": 0,
        "processType": 0,
        "stackwalk": 0,
        "debug": false,
        "version": 24,
        "preprocessedProfileVersion": FORMAT_VERSION,
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "categories": CATEGORIES.map(category),
        "markerSchema": [],
        "extensions": {"length": 0, "baseURL": [], "id": [], "name": []},
        "extra": [{"label": "Energy", "entries": about}],
    })
}

/// The thread with all samples.
fn thread(data: &ExportData<'_>, builder: &FirefoxBuilder) -> Value {
    let (basis, scenario) = (data.basis.name(), data.scenario);
    json!({
        "name": format!("{scenario}: energy in microjoules ({basis})"),
        "processName": scenario,
        "processType": "default",
        "isMainThread": true,
        "pid": "1",
        "tid": 1,
        "processStartupTime": 0,
        "processShutdownTime": null,
        "registerTime": 0,
        "unregisterTime": null,
        "pausedRanges": [],
        "showMarkersInTimeline": false,
        "markers": {"length": 0, "category": [], "data": [], "endTime": [], "name": [],
                    "phase": [], "startTime": []},
        "nativeSymbols": {"length": 0, "address": [], "functionSize": [], "libIndex": [],
                          "name": []},
        "resourceTable": {"length": 0, "host": [], "lib": [], "name": [], "type": []},
        "stringArray": builder.strings,
        "funcTable": builder.functions,
        "frameTable": builder.frames,
        "stackTable": builder.stacks,
        "samples": builder.samples,
    })
}

/// Microjoules of each stack of the file, by its frames from the line on.
#[cfg(test)]
pub(super) fn decoded_stacks(bytes: &[u8]) -> super::energy_stacks::DecodedStacks {
    let value: Value = serde_json::from_slice(bytes).unwrap();
    let thread = &value["threads"][0];
    let index = |of: &Value| of.as_u64().map(|index| index as usize);
    let string = |of: &Value| {
        let text = index(of).map(|at| thread["stringArray"][at].as_str().unwrap());
        text.unwrap_or_default().to_owned()
    };
    let frame = |at: usize| {
        let function = index(&thread["frameTable"]["func"][at]).unwrap();
        let line = thread["frameTable"]["line"][at].as_u64().unwrap_or_default();
        let table = &thread["funcTable"];
        (string(&table["name"][function]), string(&table["fileName"][function]), line as u32)
    };
    let samples = &thread["samples"];
    let mut stacks = BTreeMap::new();
    for (stack, weight) in
        samples["stack"].as_array().unwrap().iter().zip(samples["weight"].as_array().unwrap())
    {
        let (mut at, mut frames) = (index(stack), Vec::new());
        while let Some(stack) = at {
            frames.push(frame(index(&thread["stackTable"]["frame"][stack]).unwrap()));
            at = index(&thread["stackTable"]["prefix"][stack]);
        }
        *stacks.entry(frames).or_default() += weight.as_u64().unwrap();
    }
    stacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn weights_add_up_and_columns_are_as_long_as_their_tables() {
        let sample = sample::sample();
        let value: Value = serde_json::from_slice(&firefox(&sample.data())).unwrap();
        let thread = &value["threads"][0];
        let weights = thread["samples"]["weight"].as_array().unwrap();
        let total: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
        assert!(total.abs_diff(1_250_000) < 5, "{total}");
        for table in ["samples", "stackTable", "frameTable", "funcTable"] {
            let table = thread[table].as_object().unwrap();
            let length = table["length"].as_u64().unwrap() as usize;
            let columns = table.values().filter_map(Value::as_array);
            assert!(columns.clone().count() > 1);
            assert!(columns.into_iter().all(|column| column.len() == length), "{table:?}");
        }
        let name = thread["name"].as_str().unwrap();
        assert!(name.contains("microjoules") && name.contains("simulated"), "{name}");
    }

    #[test]
    fn kinds_have_their_categories() {
        for kind in [FrameKind::Method, FrameKind::Class, FrameKind::Package, FrameKind::Thread] {
            assert_eq!(CATEGORIES[category(kind)].0, format!("{kind:?}"));
        }
    }
}
