//! Hints from accounts and sources: patterns that cost more energy than necessary, the rewrite of
//! the user's own lines, the predicted saving and its uncertainty. Hints never change the user's
//! code. See `docs/internals/hints.md`.
//!
//! A new pattern needs a file with a `HintPattern` (name, help, basis of its prediction, `find`),
//! a line in `PATTERNS`, and before/after microbenchmarks.

pub(crate) mod allocation;
pub(crate) mod append_parts;
pub(crate) mod applied_hints;
pub(crate) mod assumed_hints;
pub(crate) mod board_ratio;
pub(crate) mod board_ratios;
pub(crate) mod boxing;
pub(crate) mod builder;
pub(crate) mod bulk_copy;
pub(crate) mod callers;
pub(crate) mod concatenation;
pub(crate) mod confidence;
pub(crate) mod context;
pub(crate) mod conversion;
pub(crate) mod diff;
pub(crate) mod field_local;
pub(crate) mod found_hints;
#[allow(clippy::module_inception)] // named after the type in it
pub(crate) mod hint;
pub(crate) mod hint_pattern;
pub(crate) mod inline_call;
pub(crate) mod invariant;
pub(crate) mod joint_saving;
pub(crate) mod list_iteration;
pub(crate) mod listing;
pub(crate) mod pattern;
pub(crate) mod prediction_basis;
pub(crate) mod regex;
pub(crate) mod registry;
pub(crate) mod replaced_lines;
pub(crate) mod rewrite;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod static_method;
pub(crate) mod string_buffer;
pub(crate) mod unroll;
pub(crate) mod value_type;

pub use applied_hints::{AppliedHints, apply};
pub use assumed_hints::assumed_hints;
pub use board_ratio::BoardRatio;
pub use board_ratios::BoardRatios;
pub use callers::Caller;
pub use confidence::Confidence;
pub use context::EnergyAmount;
pub use context::HintInput;
pub use found_hints::{FoundHints, WithheldPlaces};
pub use hint::{Hint, MeasuredSaving};
pub use hint_pattern::HintPattern;
pub use joint_saving::JointSaving;
pub use listing::HintOptions;
pub use prediction_basis::PredictionBasis;
pub use registry::PATTERNS;
pub use rewrite::Rewrite;
pub use search::hints;

/// The hints of the paper's Program 1 with another text in its place.
#[cfg(test)]
pub(crate) fn hints_of_program_1(source: &str) -> Vec<Hint> {
    hints_of(&crate::account::sample::program_1(), source)
}

/// The same of the sample with whatever was changed in it.
#[cfg(test)]
fn hints_of(sample: &crate::account::sample::OwnedScenario, source: &str) -> Vec<Hint> {
    all_of(sample, source).hints
}

/// The same with what is no hint.
#[cfg(test)]
fn all_of(sample: &crate::account::sample::OwnedScenario, source: &str) -> FoundHints {
    let accounts = crate::account::account(&sample.scenario());
    let sources = [crate::java::SourceFile::parse("demo/Grid.java", source)];
    let input = HintInput {
        dictionary: &sample.dictionary,
        executions: &sample.executions,
        model: &sample.model,
        accounts: &accounts,
        calls: None,
        sources: &sources,
    };
    hints(input, BoardRatios::default(), &HintOptions::default())
}

/// A text with all automatic fixes of a pattern; `None` where it has none.
#[cfg(test)]
pub(crate) fn text_with_fixes(pattern: &str, text: &str) -> Option<String> {
    let (found, files) = found_in(pattern, text);
    apply(&found, &files, usize::MAX).files.remove("A.java")
}

/// The hints of a pattern in a text that nobody has run.
#[cfg(test)]
pub(crate) fn found_in(pattern: &str, text: &str) -> (Vec<Hint>, [crate::java::SourceFile; 1]) {
    use crate::blocks::{Granularity, divide};
    let files = [crate::java::SourceFile::parse("A.java", text)];
    let blocks: Vec<_> = files.iter().map(|file| divide(file, Granularity::Statement)).collect();
    let classes = crate::java::ClassPath::open(&[]).unwrap();
    let dictionary = crate::operations::count(&files, &blocks, &classes).dictionary;
    let mut found = assumed_hints(&dictionary, &files, None);
    found.retain(|hint| hint.pattern == pattern);
    (found, files)
}
