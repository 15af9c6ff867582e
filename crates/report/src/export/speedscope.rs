//! speedscope's own JSON (<https://www.speedscope.app/file-format-schema.json>): a sampled
//! profile with a sample for each block, depth first, as speedscope merges adjacent samples of
//! equal frames into one box. The format has no unit of energy, so the unit is `none` and the
//! profile's name contains microjoules.

use serde_json::json;

use super::data::ExportData;
use super::frames::frames;
use super::microjoules::microjoules;
use super::sampled_stacks::SampledStacks;

/// The text of the file.
pub(super) fn speedscope(data: &ExportData<'_>) -> Vec<u8> {
    let sampled = match data.calls {
        Some(calls) => super::calls::sampled_stacks(calls, data.accounts),
        None => by_place(data),
    };
    let SampledStacks { frames, samples, weights, .. } = sampled.sorted_and_merged();
    let name = format!("{} (microjoules)", data.scenario);
    let value = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": concat!("wattline ", env!("CARGO_PKG_VERSION")),
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": [{
            "type": "sampled",
            "name": name,
            "unit": "none",
            "startValue": 0,
            "endValue": weights.iter().sum::<u64>(),
            "samples": samples,
            "weights": weights,
        }],
    });
    serde_json::to_vec(&value).expect("keys are strings")
}

/// Samples by package, class, method and block.
fn by_place(data: &ExportData<'_>) -> SampledStacks {
    let mut sampled = SampledStacks::default();
    for block in data.accounts.blocks.iter().filter(|block| microjoules(block.entry.energy) > 0) {
        let [package, class, method, part] = frames(block);
        let (class_name, method_name) = (format!("{package}.{class}"), format!("{class}.{method}"));
        let place = |name: &str, line: Option<u32>| match line {
            Some(line) => json!({"name": name, "file": block.file, "line": line}),
            None => json!({"name": name}),
        };
        let names = [
            (package.to_string(), place(package, None)),
            (class_name.clone(), place(class, None)),
            (format!("{class_name}.{method}"), place(&method_name, None)),
            (block.name.clone() + &block.file, place(part, Some(block.start_line))),
        ];
        let stack = names.map(|(key, frame)| sampled.frame_index(key, frame));
        sampled.add(stack[..data.depth.frames()].to_vec(), microjoules(block.entry.energy));
    }
    sampled
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::export::sample;

    #[test]
    fn weights_add_up_and_frames_exist() {
        let sample = sample::sample();
        let value: Value = serde_json::from_slice(&speedscope(&sample.data())).unwrap();
        let profile = &value["profiles"][0];
        let total: u64 =
            profile["weights"].as_array().unwrap().iter().map(|w| w.as_u64().unwrap()).sum();
        assert_eq!(profile["endValue"], total);
        assert!(total.abs_diff(1_250_000) < 5, "{total}");
        let frames = value["shared"]["frames"].as_array().unwrap();
        for stack in profile["samples"].as_array().unwrap() {
            let stack = stack.as_array().unwrap();
            assert_eq!(stack.len(), 4);
            assert!(stack.iter().all(|frame| (frame.as_u64().unwrap() as usize) < frames.len()));
        }
        let named = |name: &str| frames.iter().filter(|frame| frame["name"] == name).count();
        assert_eq!((named("Grid"), named("for_1.test")), (1, 1));
    }
}
