//! How the reports of samplers become collapsed stacks: one a line, the outermost frame first,
//! behind a first line that names the sampler.

use std::collections::BTreeMap;

/// What stands for a frame without a name.
pub(super) const UNKNOWN: &str = "[unknown]";

/// The text of stacks and how often each was seen.
pub(super) fn collapsed(sampler: &str, counts: &BTreeMap<String, u64>) -> String {
    let lines = counts.iter().map(|(stack, count)| format!("{stack} {count}\n"));
    format!("# {sampler}\n") + &lines.collect::<String>()
}

/// Frames as one line; they come the outermost first.
pub(super) fn joined(frames: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = frames.collect();
    if names.is_empty() { UNKNOWN.to_owned() } else { names.join(";") }
}

/// A name without what separates frames and counts in a collapsed stack.
pub(super) fn clean(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace());
    let kept: String = kept.map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect();
    if kept.is_empty() { UNKNOWN.to_owned() } else { kept }
}
