//! Collapsed stacks from reports of samplers: one stack a line, outermost frame first, after a
//! first line that names the sampler.

use std::collections::BTreeMap;

/// Name of a frame without a symbol.
pub(super) const UNKNOWN: &str = "[unknown]";

/// Text of stacks with their numbers of samples.
pub(super) fn collapsed_text(sampler: &str, counts: &BTreeMap<String, u64>) -> String {
    let lines = counts.iter().map(|(stack, count)| format!("{stack} {count}\n"));
    format!("# {sampler}\n") + &lines.collect::<String>()
}

/// Joins frames, outermost first, to one line.
pub(super) fn join_frames(frames: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = frames.collect();
    if names.is_empty() { UNKNOWN.to_owned() } else { names.join(";") }
}

/// A frame name without the separators of frames and counts.
pub(super) fn clean_frame_name(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace());
    let kept: String = kept.map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect();
    if kept.is_empty() { UNKNOWN.to_owned() } else { kept }
}
