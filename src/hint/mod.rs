//! Accounts and sources -> hints: patterns that spend more than they need to, the
//! rewrite on the user's own lines, what it would save and how sure that is. A hint is
//! only a hint: code is never rewritten here. See `docs/hints.md`.
//!
//! To add one: a file with a `HintPattern` (name, help, what its prediction starts from,
//! `find`), its line in `PATTERNS`, and pairs of microbenchmarks.

pub(crate) mod allocation;
pub(crate) mod append_parts;
pub(crate) mod assumed;
pub(crate) mod boxing;
pub(crate) mod builder;
pub(crate) mod bulk_copy;
pub(crate) mod callers;
pub(crate) mod concatenation;
pub(crate) mod conversion;
pub(crate) mod counted;
pub(crate) mod diff;
pub(crate) mod field_local;
pub(crate) mod found;
pub(crate) mod inline_call;
pub(crate) mod invariant;
pub(crate) mod list_iteration;
pub(crate) mod on_board;
pub(crate) mod pattern;
pub(crate) mod regex;
pub(crate) mod replaced;
pub(crate) mod rewrite;
pub(crate) mod site;
pub(crate) mod static_method;
pub(crate) mod string_buffer;
pub(crate) mod unroll;
pub(crate) mod value_type;

use std::cmp::Ordering;

use crate::blocks::BlockId;
use crate::operations::BlockEntry;
use crate::units::Joules;

pub use assumed::assumed_hints;
pub use callers::Caller;
pub use counted::Amount;
pub(crate) use counted::{Context, HintInput, PricedOperations};
pub use found::{FoundHints, Withheld};
pub use on_board::{BoardRatio, BoardRatios};
pub use rewrite::{Applied, Rewrite, apply};
pub(crate) use site::Site;

/// One sort of hint.
pub(crate) struct HintPattern {
    /// Its name and the id of its SARIF rule: `bulk-copy`.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it is about, why it costs, what to do, and when not to: a few sentences.
    pub help: &'static str,
    /// Where it is described, or what measured it.
    pub reference: &'static str,
    /// What its prediction starts from.
    pub basis: PredictionBasis,
    /// Finds it.
    pub find: fn(&Context<'_>, &[Site<'_>]) -> Vec<Hint>,
}

/// What the prediction of a pattern starts from, and the board's pairs scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PredictionBasis {
    /// What the costs say of the operations that the rewrite no longer executes.
    Costs,
    /// All that the lines spend whose code the rewrite replaces. The rewrite is of calls that
    /// costs of operations don't tell apart; how much of it is saved, pairs alone know.
    Lines,
}

/// All patterns. Their order decides between hints of equal saving.
pub(crate) const PATTERNS: &[&HintPattern] = &[
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
    &string_buffer::PATTERN,
    &append_parts::PATTERN,
    &regex::PATTERN,
    &regex::COMPILED,
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

impl Confidence {
    /// What a joule of predicted saving counts for in the order of hints: every step down
    /// from high halves it. A convention, not a probability.
    fn weight(self) -> f64 {
        match self {
            Confidence::Low => 0.25,
            Confidence::Medium => 0.5,
            Confidence::High => 1.0,
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
    /// What the rewrite would save: what the costs say, scaled by what such rewrites save on
    /// the board where that was measured.
    pub saving: Amount,
    /// What the costs alone say that it would save; where the prediction starts from lines,
    /// all that these spend.
    pub by_costs: Amount,
    /// What the saving is predicted from.
    pub basis: PredictionBasis,
    /// What decides whether and where it is listed. Where the prediction starts from lines:
    /// what such rewrites save on average over places, since one place may well save nothing
    /// where a compiler sees more of it than elsewhere. Else the saving. Where it was measured,
    /// what that and the saving say together.
    pub listed_by: Amount,
    /// What such rewrites save on the board by what is said, where that was measured.
    pub on_board: Option<BoardRatio>,
    /// What it did save: the source with it beside the one without, where that was measured.
    pub measured: Option<MeasuredSaving>,
    /// What the saving can't exceed: all that the place itself spends.
    pub bound: Amount,
    /// How sure it is.
    pub confidence: Confidence,
    /// The rewrite as edits of the file, where it can be made without a person.
    pub mechanical: Option<Rewrite>,
    /// The same as a unified diff of the file.
    pub diff: Option<String>,
    /// For a method to inline: who calls it most, where calls were recorded.
    pub callers: Vec<Caller>,
}

impl Hint {
    /// Scales what the costs say by what such rewrites save on the board.
    fn take_up(&mut self, board: &BoardRatios) {
        (self.saving, self.listed_by) = (self.by_costs, self.by_costs);
        self.on_board = board.of_pattern(self.pattern);
        if let Some(ratio) = self.on_board {
            self.saving = ratio.scaled(self.by_costs, self.bound.energy);
            self.listed_by = match self.basis {
                PredictionBasis::Costs => self.saving,
                PredictionBasis::Lines => ratio.on_average(self.by_costs, self.bound.energy),
            };
        }
    }

    /// The saving where it is predicted by anything: by costs, or by pairs that the board ran.
    pub fn predicted(&self) -> Option<&Amount> {
        (self.basis == PredictionBasis::Costs || self.on_board.is_some()).then_some(&self.saving)
    }

    /// Takes up what it saved when it was applied: it is listed by what that and the
    /// prediction of this very place say together.
    pub(crate) fn take_measured(&mut self, measured: MeasuredSaving) {
        self.listed_by = match self.predicted() {
            Some(predicted) => predicted.and(&measured.saving),
            None => measured.saving,
        };
        self.measured = Some(measured);
    }

    /// The most that it may save, in joules: the upper end of its interval.
    fn may_save_j(&self) -> f64 {
        self.saving.interval.map_or(self.saving.energy.0, |interval| interval.hi.0)
    }

    /// What decides the order of hints: the lower end of the interval of what it is listed by
    /// in joules, weighed by the confidence. Absent without an interval.
    pub fn sure_saving_j(&self) -> Option<f64> {
        Some(self.listed_by.interval?.lo.0 * self.confidence.weight())
    }

    /// The same as a share of the scenario's energy, 0..1; 0 without an interval.
    pub fn sure_share(&self) -> f64 {
        let (Some(sure_j), Some(share)) = (self.sure_saving_j(), self.listed_by.share) else {
            return 0.0;
        };
        let share = sure_j / self.listed_by.energy.0 * share;
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// `Called most by A.run() (80 % of the calls), ...`; none where that isn't known.
    pub fn called_most_by(&self) -> Option<String> {
        let callers: Vec<String> = self.callers.iter().map(ToString::to_string).collect();
        (!callers.is_empty()).then(|| format!("Called most by {}.", callers.join(", ")))
    }
}

/// What a hint saved when it was applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSaving {
    /// Energy of the sessions without it less that with it; below zero where it costs more.
    pub saving: Amount,
    /// Pairs of sessions that say it.
    pub pairs: usize,
}

/// Which hints are worth showing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HintOptions {
    /// Least part of the scenario that the place must spend, 0..1.
    pub least_bound: f64,
    /// Least part of the scenario that must be saved, 0..1.
    pub least_saving: f64,
    /// Whether hints whose interval holds zero are kept.
    pub may_save_nothing: bool,
}

impl Default for HintOptions {
    /// Places of at least 1 %, savings of at least 0.1 % whose interval lies above zero.
    fn default() -> Self {
        HintOptions { least_bound: 0.01, least_saving: 0.001, may_save_nothing: false }
    }
}

/// All hints, what surely saves most first ([`Hint::sure_saving_j`]); those without an
/// interval stand last, by their saving. `board` is what rewrites save where that was measured.
pub(crate) fn hints(input: HintInput<'_>, board: BoardRatios, options: &HintOptions) -> FoundHints {
    let context = Context::new(input);
    let mut sites = site::sites(&context);
    sites.retain(|site| {
        let all = context.counted(&site.blocks(), |_| true);
        reaches(&context.amount(&all), options.least_bound)
    });
    let mut found: Vec<Hint> =
        PATTERNS.iter().flat_map(|pattern| (pattern.find)(&context, &sites)).collect();
    found.retain(|hint| {
        reaches(&hint.bound, options.least_bound) && is_shown(&hint.saving, options)
    });
    for hint in &mut found {
        hint.by_costs = hint.saving;
        hint.diff = diff::of_hint(hint, input.sources);
        hint.callers = inline_call::callers(&context, hint);
    }
    FoundHints::of(found, board, *options)
}

fn reaches(amount: &Amount, least: f64) -> bool {
    amount.share.is_some_and(|share| share >= least)
}

/// Whether a saving is worth showing.
fn is_shown(saving: &Amount, options: &HintOptions) -> bool {
    reaches(saving, options.least_saving) && (options.may_save_nothing || !may_be_nothing(saving))
}

/// Whether a hint is worth showing on the board at hand.
fn is_shown_here(hint: &Hint, options: &HintOptions) -> bool {
    let measured = hint.measured.and_then(|measured| measured.saving.interval);
    let is_known = hint.predicted().is_some() || measured.is_some();
    (options.may_save_nothing || is_known) && is_shown(&hint.listed_by, options)
}

/// Whether a saving can't be told from none: its interval holds zero.
fn may_be_nothing(saving: &Amount) -> bool {
    saving.interval.is_some_and(|interval| interval.contains(Joules::ZERO))
}

/// What surely saves most first, then what is predicted to, then by place.
fn order(a: &Hint, b: &Hint) -> Ordering {
    let sure = |hint: &Hint| hint.sure_saving_j().unwrap_or(f64::NEG_INFINITY);
    let by_sure = sure(b).total_cmp(&sure(a));
    let by_saving = || b.saving.energy.0.total_cmp(&a.saving.energy.0);
    let by_place = || (&a.file, a.start_line).cmp(&(&b.file, b.start_line));
    by_sure.then_with(by_saving).then_with(by_place)
}

/// What a pattern says about one place; the rest is the same for all.
pub(crate) struct PatternMatch {
    pub pattern: &'static str,
    pub sentence: String,
    pub advice: String,
    pub rewrite: String,
    pub condition: String,
    pub saved: PricedOperations,
    pub confidence: Confidence,
    pub mechanical: Option<Rewrite>,
}

/// Makes a hint about `block` whose place is made of `place`.
pub(crate) fn hint(
    context: &Context<'_>,
    block: &BlockEntry,
    place: &[&BlockEntry],
    lines: (u32, u32),
    finding: PatternMatch,
) -> Hint {
    let saving = context.amount(&finding.saved);
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
        saving,
        by_costs: saving,
        basis: PredictionBasis::Costs,
        listed_by: saving,
        on_board: None,
        measured: None,
        bound: context.amount(&context.counted(place, |_| true)),
        confidence: finding.confidence,
        mechanical: finding.mechanical,
        diff: None,
        callers: Vec::new(),
    }
}

/// The hints of the paper's Program 1 with another text in its place.
#[cfg(test)]
pub(crate) fn hints_of_program_1(source: &str) -> Vec<Hint> {
    hints_of(&crate::account::sample::program_1(), source)
}

/// The same of the sample with whatever was changed in it.
#[cfg(test)]
fn hints_of(sample: &crate::account::sample::OwnedScenario, source: &str) -> Vec<Hint> {
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
    hints(input, BoardRatios::default(), &HintOptions::default()).hints
}

/// A text with all mechanical hints of a pattern; `None` where it has none.
#[cfg(test)]
pub(crate) fn of_text(pattern: &str, text: &str) -> Option<String> {
    use crate::blocks::{Granularity, divide};
    let files = [crate::java::SourceFile::parse("A.java", text)];
    let blocks: Vec<_> = files.iter().map(|file| divide(file, Granularity::Statement)).collect();
    let classes = crate::java::ClassPath::open(&[]).unwrap();
    let dictionary = crate::operations::count(&files, &blocks, &classes).dictionary;
    let mut found = assumed_hints(&dictionary, &files, None);
    found.retain(|hint| hint.pattern == pattern);
    apply(&found, &files, usize::MAX).files.remove("A.java")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;

    fn priced(confidence: Confidence, interval: Option<(f64, f64)>) -> Hint {
        let mut hint = hints_of_program_1(sample::PROGRAM_1).remove(0);
        hint.confidence = confidence;
        let ends = |(lo, hi)| crate::account::Interval { lo: Joules(lo), hi: Joules(hi) };
        hint.saving.interval = interval.map(ends);
        hint.listed_by = hint.saving;
        hint
    }

    /// 0.4 J at least with high confidence are more than 0.7 J with medium and 1.3 J with low.
    #[test]
    fn what_surely_saves_most_is_first() {
        let mut hints = [
            priced(Confidence::High, None),
            priced(Confidence::Low, Some((1.3, 9.0))),
            priced(Confidence::Medium, Some((0.7, 9.0))),
            priced(Confidence::High, Some((0.4, 0.5))),
        ];
        hints.sort_by(order);
        let order: Vec<_> = hints.iter().map(Hint::sure_saving_j).collect();
        assert_eq!(order, [Some(0.4), Some(0.35), Some(0.325), None]);
    }

    #[test]
    fn a_saving_whose_interval_holds_zero_is_none() {
        let may = |interval| may_be_nothing(&priced(Confidence::High, interval).saving);
        assert!(may(Some((-0.1, 2.0))) && may(Some((0.0, 1.0))));
        assert!(!may(Some((0.1, 1.0))) && !may(None));
        let wide = hints_at_relative_error(4.0);
        let narrow = hints_at_relative_error(0.06);
        assert!(wide.len() < narrow.len(), "{} and {}", wide.len(), narrow.len());
        assert!(wide.iter().all(|hint| hint.saving.interval.is_none_or(|i| i.lo.0 > 0.0)));
    }

    /// The hints of Program 1 by a model whose costs have this relative standard error.
    fn hints_at_relative_error(relative: f64) -> Vec<Hint> {
        let mut sample = sample::program_1();
        sample.model = sample::with_relative_error(sample.model, relative);
        hints_of(&sample, sample::PROGRAM_1)
    }
}
