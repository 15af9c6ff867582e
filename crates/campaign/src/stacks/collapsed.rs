//! Collapsed stacks: `outermost;...;innermost COUNT` a line, as async-profiler and flame graph
//! scripts write them; wattline converts Flight Recorder's samples to the same format.

use std::collections::HashMap;

use thiserror::Error;

use super::{ProfileFrame, StackProfile};

/// Error of reading collapsed stacks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProfileError {
    /// A line has no count.
    #[error(
        "line {line} is no stack: {text:?} doesn't end in a whole number of samples; give \
         collapsed stacks (async-profiler: `-o collapsed`) or a recording of Flight Recorder"
    )]
    NoCount {
        /// Line number, from 1.
        line: usize,
        /// Beginning of the line.
        text: String,
    },
    /// A profile without samples.
    #[error("it has no samples; record for longer, or with a shorter interval")]
    Empty,
}

/// First lines of samplers that show no inlined frames, or not all of them.
const HIDE_INLINED: [&str; 2] = ["# simpleperf", "# method-sampling"];

/// Parses collapsed stacks; empty lines and those that begin with `#` are skipped.
///
/// # Errors
/// A line without a count; a profile without samples.
pub fn parse(text: &str) -> Result<StackProfile, ProfileError> {
    let hides_inlined = HIDE_INLINED.iter().any(|start| text.starts_with(start));
    let mut profile = StackProfile { hides_inlined, ..StackProfile::default() };
    let mut known: HashMap<&str, u32> = HashMap::new();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (stack, count) = split_count(line).ok_or_else(|| ProfileError::NoCount {
            line: number + 1,
            text: line.chars().take(60).collect(),
        })?;
        let place = |frame| {
            *known.entry(frame).or_insert_with(|| {
                profile.frames.push(ProfileFrame::parse(frame));
                profile.frames.len() as u32 - 1
            })
        };
        let stack = split_frames(stack).into_iter().map(place).collect();
        profile.stacks.push((stack, count));
    }
    if profile.samples() == 0 { Err(ProfileError::Empty) } else { Ok(profile) }
}

/// Splits a line into its stack and its count.
fn split_count(line: &str) -> Option<(&str, u64)> {
    let (stack, count) = line.rsplit_once([' ', '\t'])?;
    Some((stack.trim_end(), count.parse().ok()?))
}

/// Whether a semicolon between `frame` and `rest` belongs to a descriptor.
fn is_end_of_type(frame: &str, rest: &str) -> bool {
    let returned = frame.rsplit_once(')').map_or("", |(_, returned)| returned);
    let is_class = returned.trim_start_matches('[').starts_with('L');
    let goes_on = [":", ";", "_["].iter().any(|next| rest.starts_with(next));
    rest.starts_with("::") || is_class && (rest.is_empty() || goes_on)
}

/// Splits a stack at the semicolons between frames: not at those in a descriptor's parentheses, nor
/// those that end a type, as in `a.B.run()La/C;:17` and `La/B;::run`.
fn split_frames(stack: &str) -> Vec<&str> {
    let (mut depth, mut start, mut frames) = (0i32, 0, Vec::new());
    for (at, c) in stack.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth == 0 && !is_end_of_type(&stack[start..at], &stack[at + 1..]) => {
                frames.push(&stack[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    frames.push(&stack[start..]);
    // Names of other languages need not close what they open.
    if depth == 0 { frames } else { stack.split(';').collect() }
}
