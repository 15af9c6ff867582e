//! The report as terminal text: one screen of at most 46 lines of 100 columns, and the list of
//! hints.

use std::fmt::Write as _;

use crate::account::evaluate::LevelEvaluation;
use crate::account::{AccountEvaluation, Interval, UnseenInputs};
use crate::format::{self, counted, truncate, visible, visible_name};
use crate::hint::{AppliedHints, FoundHints, Hint};
use crate::model::{self, CvSet};
use crate::power::FigureBasis;
use crate::report::data::ReportData;
use crate::report::view::links::SourceLinks;
use crate::report::view::{accounts, fit, hints, most_expensive, overheads, summary};
use crate::units::Joules;

/// Width of the terminal in columns.
const COLUMNS: usize = 100;

/// The summary in one screen.
pub fn summary_text(data: &ReportData<'_>) -> String {
    let mut lines = head(data);
    lines.extend(ledger(data));
    lines.extend(accuracy(data));
    lines.extend(operations(data));
    lines.extend(methods(data));
    lines.extend(first_hints(data));
    let lines = lines.iter().map(|line| truncate(&visible_name(line.trim_end()), COLUMNS));
    let lines: Vec<String> = lines.collect();
    lines.join("\n") + "\n"
}

/// Lines on scenario, board and campaign.
fn head(data: &ReportData<'_>) -> Vec<String> {
    let campaign = &data.campaign;
    let kind = match data.board.basis {
        FigureBasis::Simulated => "VIRTUAL BOARD",
        FigureBasis::Estimated => "ESTIMATED by a model, not measured",
        FigureBasis::Measured => "measured",
    };
    let frequency = data.board.frequency.as_deref().unwrap_or("not fixed");
    let mut lines = vec![
        format!("{}  ({kind}: {})", visible(data.scenario), visible(&data.board.name)),
        format!(
            "{}, {} power + {} idle + {}, {}; solver {}",
            counted(campaign.cases, "case"),
            campaign.power_runs,
            campaign.idle_runs,
            counted(campaign.traced_runs, "traced run"),
            counted(campaign.microbenchmarks, "microbenchmark"),
            solver(data)
        ),
        format!("meter {}; frequency {}", visible(&data.board.meter), visible(frequency)),
    ];
    lines.extend(indented_after_first(&overheads::sentence(data)));
    lines.extend(data.notes.iter().take(2).flat_map(|note| note_lines(note)));
    lines
}

/// Lines of a note, shortened in the middle, as its remedy is mostly at its end.
fn note_lines(note: &str) -> Vec<String> {
    indented_after_first(&format!("note: {}", visible(note)))
}

/// A sentence wrapped into lines, of which the first is not indented.
fn indented_after_first(sentence: &str) -> Vec<String> {
    let mut lines = wrapped(sentence);
    if let Some(first) = lines.first_mut() {
        *first = first.trim_start().to_owned();
    }
    lines
}

/// Sentence on the solver and its chosen parameters.
fn solver(data: &ReportData<'_>) -> String {
    let name = visible(&data.model.solver);
    let chosen = data.model.choice.as_ref().map(|choice| visible(&choice.predictor()));
    match (chosen, &data.model.case_costs_j) {
        (None, _) => name,
        (Some(chosen), None) => format!("{name} ({chosen})"),
        (Some(chosen), Some(_)) => format!("{name} (costs shrink; cases {chosen})"),
    }
}

/// Lines of the ledger.
fn ledger(data: &ReportData<'_>) -> Vec<String> {
    let mut lines = vec![String::new(), row("Ledger", ["energy", "95 % interval", "share"])];
    for entry in summary::ledger(data) {
        lines.push(row(
            &format!("  {}", entry.name),
            [&entry.energy, &entry.interval, &entry.share],
        ));
    }
    lines
}

/// Line with a name and three figures in columns.
fn row(name: &str, figures: [&str; 3]) -> String {
    let [first, second, third] = figures;
    format!("{:<52} {first:>10} {second:>23} {third:>9}", truncate(name, 52))
}

/// Lines on cross-validation, verdict and ground truth.
fn accuracy(data: &ReportData<'_>) -> Vec<String> {
    let mut lines = vec![String::new(), "Validation (mean over rounds)".into()];
    for pair in fit::models(data.cv).chunks(3).take(2) {
        let figures: Vec<String> = pair.iter().map(|model| error(data, model)).collect();
        lines.push(format!("  {}", figures.join("; ")));
    }
    lines.extend(wrapped(&fit::verdict(data).sentence));
    lines.extend(data.unseen.map(unseen));
    lines.extend(data.unseen.and_then(UnseenInputs::warning).into_iter().flat_map(wrapped));
    if let Some(evaluation) = data.evaluation {
        lines.extend(wrapped(&truth(data, evaluation)));
    }
    lines
}

/// Mean validation error and correlation of a model.
fn error(data: &ReportData<'_>, model: &str) -> String {
    let mean = model::cv_mean(data.cv, model, CvSet::Validation);
    let nmae = format::percent_or_none(mean.map(|mean| mean.nmae));
    let r = mean.and_then(|mean| mean.r).map_or(format::NONE.into(), |r| format!("{r:.4}"));
    format!("{} NMAE {nmae} r {r}", visible(model))
}

/// A sentence wrapped into indented lines.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = sentence.trim();
    while let Some((limit, _)) = rest.char_indices().nth(COLUMNS - 2) {
        // A figure stays with its sign.
        let breaks = |at: &usize| !rest[at + 1..].starts_with(['%', '/']);
        let mut spaces = rest[..limit].rmatch_indices(' ').map(|(at, _)| at);
        let cut = spaces.find(breaks).unwrap_or(limit);
        lines.push(format!("  {}", rest[..cut].trim_end()));
        rest = rest[cut..].trim_start();
    }
    lines.push(format!("  {rest}"));
    lines
}

/// Sentence on inputs predicted from the others.
fn unseen(inputs: &UnseenInputs) -> String {
    format!(
        "  unseen inputs (each of {} left out in turn) NMAE {}; flat {}; duration {}",
        inputs.0.len(),
        format::percent(inputs.nmae()),
        format::percent(inputs.flat_nmae()),
        format::percent(inputs.duration_nmae())
    )
}

/// Sentence on errors against the ground truth.
fn truth(data: &ReportData<'_>, evaluation: &AccountEvaluation) -> String {
    let level = |row: &LevelEvaluation| {
        let (median, p90) = (format::percent(row.median_error), format::percent(row.p90_error));
        format!("{} {median} / {p90}", row.level)
    };
    let levels: Vec<String> = evaluation.levels.iter().map(level).collect();
    let simulated_model =
        summary::simulated_model(data.board).map(|simulated_model| format!(" ({simulated_model})"));
    format!(
        "Against the ground truth{}, median / 90th percentile of the error: {}.",
        simulated_model.unwrap_or_default(),
        levels.join("; ")
    )
}

/// Lines of the costliest operations.
fn operations(data: &ReportData<'_>) -> Vec<String> {
    let head = row("Operations", ["energy", "95 % interval", "share"]);
    let mut lines = vec![String::new(), head];
    for operation in data.accounts.operations.iter().take(3) {
        let name = format!("  {}", visible(operation.entry.key.name()));
        lines.push(figures(
            &name,
            operation.entry.joules(),
            operation.entry.interval,
            operation.entry.share,
        ));
    }
    let concentration = [accounts::ranked_operations(data), accounts::blocks_of_half(data)];
    lines.extend(concentration.into_iter().flatten().map(|text| format!("  {text}")));
    lines
}

/// Lines of the most expensive methods, by inclusive energy where calls are known.
fn methods(data: &ReportData<'_>) -> Vec<String> {
    let most_expensive = most_expensive::most_expensive_methods(data, &SourceLinks::default());
    let title =
        if most_expensive.with_callees { "Methods, with what they call" } else { "Methods" };
    let mut lines = vec![String::new(), row(title, ["energy", "95 % interval", "share"])];
    for method in &most_expensive.rows {
        let (name, of) = (format!("  {}", method.name), &method.cumulative);
        lines.push(row(&name, [&of.energy, &of.interval, &of.share]));
    }
    lines
}

/// Line with a name, energy, interval and share.
fn figures(name: &str, energy: Joules, interval: Option<Interval>, share: Option<f64>) -> String {
    let (energy, share) = (format::energy(energy), format::percent_or_none(share));
    row(name, [&energy, &format::interval(interval), &share])
}

/// The first hints in two lines each.
fn first_hints(data: &ReportData<'_>) -> Vec<String> {
    let mut lines = vec![String::new()];
    let nothing_here = data.withheld.iter().take(2).map(|withheld| format!("  {withheld}"));
    let joint = data.joint.map(hints::joint_sentence).into_iter();
    let joint = joint.flat_map(|sentence| wrapped(&sentence));
    if data.hints.is_empty() {
        lines.push("Hints: none".into());
        lines.extend(wrapped(data.no_hints));
        lines.extend(nothing_here);
        lines.extend(joint);
        return lines;
    }
    lines.push(format!("Hints ({}), largest certain saving first", data.hints.len()));
    for hint in data.hints.iter().take(3) {
        lines.push(format!("  {}", hint_title(hint, &hints::short_place(hint))));
        let callers = hint.called_most_by();
        lines.push(format!("      {}", visible(callers.as_deref().unwrap_or(&hint.advice))));
    }
    lines.extend(nothing_here);
    lines.extend(joint);
    lines
}

/// Line with saving, pattern and code location of a hint.
fn hint_title(hint: &Hint, place: &str) -> String {
    let predicted =
        hint.predicted().map(|saving| format!("saves {}", hints::saving_share_text(saving)));
    let predicted = predicted.unwrap_or_else(|| "not predicted".into());
    let measured =
        hint.measured.map(|it| format!(", measured {}", hints::saving_share_text(&it.saving)));
    let measured = measured.unwrap_or_default();
    format!("{predicted}{measured}  {}  {}", hint.pattern, visible_name(place))
}

/// All hints, or the first `limit`, with their rewrites, and the patterns withheld on this board.
pub fn hints_text(found: &FoundHints, limit: usize) -> String {
    let mut text = some_hints(&found.hints, limit);
    if found.hints.is_empty() {
        writeln!(text, "No hints: {}.", found.why_none()).expect("writing to a String can't fail");
    }
    if let Some(joint) = &found.joint {
        writeln!(text, "{}", hints::joint_sentence(joint)).expect("writing to a String can't fail");
    }
    for withheld in found.withheld() {
        writeln!(text, "{withheld}").expect("writing to a String can't fail");
    }
    text
}

fn some_hints(hints: &[Hint], limit: usize) -> String {
    let mut text = String::new();
    for (i, hint) in hints.iter().take(limit).enumerate() {
        let rewrite = visible(hint.diff.as_deref().unwrap_or(&hint.rewrite));
        let rewrite = rewrite.trim_end().replace('\n', "\n       ");
        let callers = hint.called_most_by().map_or(String::new(), |callers| format!(" {callers}"));
        write!(
            text,
            "{:>3}. {}\n     block {}\n     {} {}{}\n       {rewrite}\n     {} Confidence: {}. At most {}.{}\n\n",
            i + 1,
            hint_title(hint, &hints::code_location_text(hint)),
            visible_name(&hint.block_name),
            visible(&hint.sentence),
            visible(&hint.advice),
            visible(&callers),
            visible(&hint.condition),
            hint.confidence.name(),
            format::percent_or_none(hint.bound.share),
            on_board(hint),
        )
        .expect("writing to a String can't fail");
    }
    if hints.len() > limit {
        writeln!(text, "{} more.", hints.len() - limit).expect("writing to a String can't fail");
    }
    text
}

/// Sentence ` On this board such rewrites save ...`; empty where this is unknown.
fn on_board(hint: &Hint) -> String {
    hint.on_board
        .map_or(String::new(), |ratio| format!(" On this board such rewrites save {ratio}."))
}

/// Report of hints applied to a copy of the sources, with their conditions.
pub fn applied_text(applied: &AppliedHints<'_>) -> String {
    let mut text = String::new();
    for (i, hint) in applied.done.iter().enumerate() {
        let condition = visible(&hint.condition);
        writeln!(
            text,
            "{:>3}. {}\n     {condition}",
            i + 1,
            hint_title(hint, &hints::code_location_text(hint))
        )
        .expect("writing to a String can't fail");
    }
    if applied.done.is_empty() {
        text += "Nothing applied: no hint here can be applied without a person.\n";
    }
    for hint in &applied.alternatives {
        writeln!(
            text,
            "left out, for its place is changed already: {}",
            hint_title(hint, &hints::code_location_text(hint))
        )
        .expect("writing to a String can't fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_story_fits_a_screen() {
        for sample in [sample::report(), sample::hostile(), sample::empty()] {
            let text = summary_text(&sample.data());
            assert!(text.lines().count() <= 46, "{}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
            assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        }
        let text = summary_text(&sample::report().data());
        for part in [
            "VIRTUAL BOARD",
            "of the energy above idle",
            "of the energy of all blocks",
            "unexplained",
            "flat",
            "Against the ground truth (additive simulated energy model, whose energies",
            "unseen inputs (each of 2 left out in turn) NMAE 2.5 %; flat 20.0 %; duration ",
            "bulk-copy",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        if std::env::var("WATTLINE_RENDER").is_ok() {
            println!("{text}\n{}", hints_text(&sample::found(), 2));
        }
    }

    #[test]
    fn a_long_note_is_told_whole() {
        let end = "less than 10 refreshes of the meter (2.50 s): raise `frames`";
        let lines =
            note_lines(&format!("2 of 8 cases are left out: r04-few: it lasted 1 s, {end}"));
        assert!(lines.len() == 2 && lines[0].starts_with("note: 2 of 8"), "{lines:?}");
        assert!(lines[1].starts_with("  ") && lines[1].ends_with("raise `frames`"), "{lines:?}");
        assert_eq!(note_lines("short"), ["note: short"]);
    }

    #[test]
    fn hints_show_their_rewrite() {
        let text = hints_text(&sample::found(), 1);
        assert!(text.contains("out.put(source);") && text.contains("more."), "{text}");
    }
}
