//! Accounts and sources -> hints: patterns that spend more than they need to, the
//! rewrite on the user's own lines, what it would save and how sure that is. A hint is
//! only a hint: code is never rewritten here. See `docs/hints.md`.
//!
//! To add one: a file with a [`Pattern`] (name, help, `find`), and its line in
//! [`PATTERNS`].

pub mod allocation;
pub mod assumed;
pub mod boxing;
pub mod bulk_copy;
pub mod concatenation;
pub mod conversion;
pub mod counted;
pub mod field_local;
pub mod inline_call;
pub mod invariant;
pub mod list_iteration;
pub mod pattern;
pub mod rewrite;
pub mod site;
pub mod static_method;
pub mod unroll;

use crate::blocks::BlockId;
use crate::operations::BlockEntry;

pub use assumed::{assumed_executions, assumed_hints};
pub use counted::{Amount, Context, Counted, HintInput};
pub use rewrite::{Applied, Rewrite, apply};
pub use site::Site;

/// One sort of hint.
pub struct Pattern {
    /// Its name and the id of its SARIF rule: `bulk-copy`.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it is about, why it costs, what to do, and when not to: a few sentences.
    pub help: &'static str,
    /// Where it is described, or what measured it.
    pub reference: &'static str,
    /// Finds it.
    pub find: fn(&Context<'_>, &[Site<'_>]) -> Vec<Hint>,
}

/// All patterns. Their order decides between hints of equal saving.
pub const PATTERNS: &[&Pattern] = &[
    &bulk_copy::PATTERN,
    &invariant::PATTERN,
    &unroll::PATTERN,
    &field_local::PATTERN,
    &inline_call::PATTERN,
    &concatenation::PATTERN,
    &allocation::PATTERN,
    &boxing::PATTERN,
    &list_iteration::PATTERN,
    &conversion::PATTERN,
    &static_method::PATTERN,
];

/// How sure it is that the rewrite does the same and saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The pattern may not hold, or a compiler may do this already.
    Low,
    /// The rewrite does the same under the condition that the hint states.
    Medium,
    /// The source shows that the rewrite does the same.
    High,
}

impl Confidence {
    /// `low`, `medium`, `high`.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// A pattern found at a place where it matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// Name of its pattern.
    pub pattern: &'static str,
    /// The block that it is about.
    pub block: BlockId,
    /// The block's name.
    pub block_name: String,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// What was found, in one sentence.
    pub sentence: String,
    /// What to do, in words.
    pub advice: String,
    /// The rewrite on the user's own names.
    pub rewrite: String,
    /// When the rewrite does the same.
    pub condition: String,
    /// What the rewrite would save.
    pub saving: Amount,
    /// What the saving can't exceed: all that the place itself spends.
    pub bound: Amount,
    /// How sure it is.
    pub confidence: Confidence,
    /// The rewrite as edits of the file, where it can be made without a person.
    pub mechanical: Option<Rewrite>,
}

/// Which hints are worth showing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HintOptions {
    /// Least part of the scenario that the place must spend, 0..1.
    pub least_bound: f64,
    /// Least part of the scenario that must be saved, 0..1.
    pub least_saving: f64,
}

impl Default for HintOptions {
    /// Places of at least 1 %, savings of at least 0.1 %.
    fn default() -> Self {
        HintOptions { least_bound: 0.01, least_saving: 0.001 }
    }
}

/// All hints, what saves most first.
pub fn hints(input: HintInput<'_>, options: &HintOptions) -> Vec<Hint> {
    let context = Context::new(input);
    let reaches = |amount: &Amount, least: f64| amount.share.is_some_and(|share| share >= least);
    let mut sites = site::sites(&context);
    sites.retain(|site| {
        let all = context.counted(&site.blocks(), |_| true);
        reaches(&context.amount(&all), options.least_bound)
    });
    let mut hints: Vec<Hint> =
        PATTERNS.iter().flat_map(|pattern| (pattern.find)(&context, &sites)).collect();
    hints.retain(|hint| {
        reaches(&hint.bound, options.least_bound) && reaches(&hint.saving, options.least_saving)
    });
    hints.sort_by(|a, b| {
        let by_saving = b.saving.energy.0.total_cmp(&a.saving.energy.0);
        by_saving.then_with(|| (&a.file, a.start_line).cmp(&(&b.file, b.start_line)))
    });
    hints
}

/// What a pattern says about one place; the rest is the same for all.
pub(crate) struct Finding {
    pub pattern: &'static str,
    pub sentence: String,
    pub advice: String,
    pub rewrite: String,
    pub condition: String,
    pub saved: Counted,
    pub confidence: Confidence,
    pub mechanical: Option<Rewrite>,
}

/// Makes a hint about `block` whose place is made of `place`.
pub(crate) fn hint(
    context: &Context<'_>,
    block: &BlockEntry,
    place: &[&BlockEntry],
    lines: (u32, u32),
    finding: Finding,
) -> Hint {
    Hint {
        pattern: finding.pattern,
        block: block.id,
        block_name: block.name.clone(),
        file: block.file.clone(),
        start_line: lines.0,
        end_line: lines.1,
        sentence: finding.sentence,
        advice: finding.advice,
        rewrite: finding.rewrite,
        condition: finding.condition,
        saving: context.amount(&finding.saved),
        bound: context.amount(&context.counted(place, |_| true)),
        confidence: finding.confidence,
        mechanical: finding.mechanical,
    }
}

/// A count as people write it: `1 234 567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The hints of the paper's Program 1 with another text in its place.
#[cfg(test)]
pub(crate) fn hints_of_program_1(source: &str) -> Vec<Hint> {
    let sample = crate::account::sample::program_1();
    let accounts = crate::account::account(&sample.scenario());
    let sources = [crate::java::SourceFile::parse("demo/Grid.java", source)];
    let input = HintInput {
        dictionary: &sample.dictionary,
        executions: &sample.executions,
        model: &sample.model,
        accounts: &accounts,
        sources: &sources,
    };
    hints(input, &HintOptions::default())
}
