//! HTML page and terminal summary of a campaign's folder.

mod activities;
pub mod repository;
mod run_notes;

use std::collections::{BTreeMap, BTreeSet};

use crate::account::{AccountEvaluation, UnseenInputs};
use crate::campaign::RunPhase;
use crate::dataset::{CampaignData, DatasetFacts, DatasetOmission};
use crate::facts::{MeasuringOverheads, ScenarioFacts};
use crate::failure::Failure;
use crate::fit::KnownCosts;
use crate::folder::CampaignFolder;
use crate::format::counted;
use crate::hint::FoundHints;
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::table::Table;
use crate::model::{CvRow, Model, OperationEstimability};
use crate::power::FigureBasis;
use crate::progress::Progress;
use crate::report::{self, CampaignFacts, ReportData, ReportedBoard};
use crate::scenario::IdlePolicy;
use crate::scenario_accounts::ScenarioAccounts;
use crate::verification::VerifiedRewrites;
use crate::{found_hints, ground_truth, recorded_calls, scenario_accounts, unseen_inputs};

/// Everything that a campaign's report is written from.
#[derive(Debug)]
pub struct ReportInput<'r> {
    /// Counts and measured energies of the campaign.
    pub facts: &'r ScenarioFacts,
    /// Fitted costs.
    pub model: &'r Model,
    /// Accounts of the scenario.
    pub accounted: &'r ScenarioAccounts,
    /// Errors against the ground truth, where the board has one.
    pub evaluation: Option<&'r AccountEvaluation>,
    /// Inputs predicted from the others, where there are several.
    pub unseen: Option<&'r UnseenInputs>,
    /// Cases that the model was fitted to, with their origin.
    pub data: &'r CampaignData,
    /// Results of cross-validation, round by round.
    pub cross_validation: &'r [CvRow],
    /// Estimability of each operation's cost.
    pub estimability: &'r [OperationEstimability],
    /// Hints, and code locations withheld on this board.
    pub hints: &'r FoundHints,
    /// Number of findings of each kind.
    pub findings: &'r BTreeMap<String, usize>,
    /// Source texts by path.
    pub sources: &'r BTreeMap<String, String>,
    /// Number of measured microbenchmarks.
    pub microbenchmarks: usize,
}

/// A finished report: page, summary and figures.
#[derive(Debug, Clone)]
pub struct WrittenReport {
    /// The HTML page.
    pub html: String,
    /// The summary for the terminal.
    pub summary: String,
    /// Figures of the report, for programs.
    pub figures: serde_json::Value,
}

/// Writes the report. `folder` has the raw logs, from which activities are read.
pub fn write_report(
    input: &ReportInput<'_>,
    folder: &CampaignFolder,
    progress: &dyn Progress,
) -> WrittenReport {
    let ReportInput { facts, model, accounted, data, .. } = *input;
    let CampaignData { table, facts: about, .. } = data;
    let accounts = &accounted.accounts;
    let scenario = about.scenario.as_deref().unwrap_or("scenario");
    let data = ReportData {
        scenario,
        board: &reported_board(about, facts),
        campaign: campaign_facts(facts, input.microbenchmarks),
        overheads: MeasuringOverheads::of(facts),
        table,
        model,
        cv: input.cross_validation,
        estimability: input.estimability,
        accounts,
        calls: accounted.calls.as_ref(),
        no_calls: folder.scenario().ok().as_ref().and_then(recorded_calls::why_not_recordable),
        evaluation: input.evaluation,
        unseen: input.unseen,
        hints: &input.hints.hints,
        no_hints: &input.hints.why_none(),
        withheld: &input.hints.withheld(),
        joint: input.hints.joint.as_ref(),
        findings: input.findings,
        sources: input.sources,
        notes: &notes(facts, about, table, model),
        parts: &Vec::from_iter(activities::campaign_activities(folder, facts, scenario, progress)),
    };
    WrittenReport {
        html: report::report_page(&data),
        summary: report::summary_text(&data),
        figures: report::figures::report_figures(&data),
    }
}

/// Source texts by path.
pub fn source_texts(sources: &[SourceFile]) -> BTreeMap<String, String> {
    sources.iter().map(|file| (file.path.clone(), file.text.to_string())).collect()
}

/// Writes the report of a folder that contains its model.
pub fn report_of(
    folder: &CampaignFolder,
    progress: &dyn Progress,
) -> Result<WrittenReport, Failure> {
    let (facts, model): (_, Model) = (ScenarioFacts::read(folder, None)?, folder.read()?);
    let accounted = scenario_accounts::account(&facts, &model)?;
    let accounts = &accounted.accounts;
    let evaluation = ground_truth::evaluate_campaign(folder, &facts, accounts)?;
    let data = folder.dataset()?;
    let known = KnownCosts::read(folder)?;
    let unseen = unseen_inputs::unseen_if_any(&facts, &data, known.as_ref(), progress);
    let sources = folder.parsed_sources()?;
    let pairs: Vec<MeasuredPair> = folder.read_if_there()?.unwrap_or_default();
    let mut found = found_hints::hints(&sources, &facts, &model, accounts, &pairs);
    VerifiedRewrites::read(folder)?.attach_to(&mut found);
    let input = ReportInput {
        facts: &facts,
        model: &model,
        accounted: &accounted,
        evaluation: evaluation.as_ref(),
        unseen: unseen.as_ref(),
        data: &data,
        cross_validation: &folder.cross_validation()?,
        estimability: &folder.estimability()?,
        hints: &found,
        findings: &folder.findings()?,
        sources: &source_texts(&sources),
        microbenchmarks: folder.microbenchmarks()?,
    };
    Ok(write_report(&input, folder, progress))
}

fn reported_board(about: &DatasetFacts, facts: &ScenarioFacts) -> ReportedBoard {
    let first = facts.records.iter().find(|record| facts.is_own(record));
    let first = first.map(|record| record.board.clone()).unwrap_or_default();
    let meter = about.meter.clone().unwrap_or_else(|| "unknown meter".to_string());
    ReportedBoard {
        name: match &facts.device {
            Some(device) => format!("{} ({device}, of {})", first.model, facts.devices.len()),
            None if first.model.is_empty() => first.serial,
            None => first.model,
        },
        basis: FigureBasis::of_board(first.is_virtual, &meter),
        simulated_model: first.simulated_model,
        meter: format!("{meter} ({})", about.rails.join(", ")),
        frequency: about.frequency_khz.map(|khz| format!("{:.1} GHz", khz as f64 / 1e6)),
    }
}

fn campaign_facts(facts: &ScenarioFacts, microbenchmarks: usize) -> CampaignFacts {
    let good = |phase| facts.records.iter().filter(|r| r.is_good() && r.run.phase == phase).count();
    let inputs: BTreeSet<&String> = facts.cases.iter().map(|case| &case.input).collect();
    CampaignFacts {
        sequences: inputs.len(),
        cases: facts.cases.len(),
        power_runs: good(RunPhase::Power),
        idle_runs: good(RunPhase::Idle),
        traced_runs: good(RunPhase::Traced),
        failed_runs: facts.records.iter().filter(|record| !record.is_good()).count(),
        microbenchmarks,
    }
}

/// Notes on how the campaign was measured.
fn notes(facts: &ScenarioFacts, about: &DatasetFacts, table: &Table, model: &Model) -> Vec<String> {
    let repeats = |phase| {
        let own = facts.records.iter().filter(|record| record.run.phase == phase);
        own.map(|record| record.run.repeat).max().unwrap_or(0)
    };
    let (power, idle) = (repeats(RunPhase::Power), repeats(RunPhase::Idle));
    let mut notes = Vec::from_iter(run_notes::load_note(&facts.records));
    notes.extend(run_notes::unused_runs_note(&facts.records, &about.left_out));
    if power.min(idle) < 10 {
        let runs = match power == idle {
            true => counted(power, "power and idle run"),
            false => format!("{power} power and {}", counted(idle, "idle run")),
        };
        notes.push(format!("{runs} per case; the reference protocol has 10 of each"));
    }
    if facts.idle == IdlePolicy::Campaign {
        notes.push("the idle power of a case is that of all idle runs on its board".into());
    }
    // The base cases come first, as in the plan.
    let plan: Vec<(&str, bool)> =
        facts.cases.iter().map(|case| (case.name.as_str(), case.removed.is_empty())).collect();
    // windows of a case are its group; another board may have measured what one left out
    let measured = table.cases.iter().flat_map(|row| [row.name.as_str(), &row.group]).collect();
    notes.extend(left_out_note(&plan, &measured, &about.left_out));
    if let Some(device) = &facts.device {
        let model = model.on_device(device);
        let others = model.iter().flat_map(|model| model.devices.iter().skip(1));
        let others: Vec<String> = others.map(ToString::to_string).collect();
        notes.push(format!(
            "the campaign was spread over {} boards; energies are those of {device}. The same work \
             costs on {}",
            facts.devices.len(),
            others.join("; ")
        ));
    }
    notes
}

/// Sentence on the planned cases without energy, with the reason for each base case, or for the
/// first case; `None` where all have one. `plan` has the names of the cases, and whether they are
/// base cases.
fn left_out_note(
    plan: &[(&str, bool)],
    measured: &BTreeSet<&str>,
    left_out: &[DatasetOmission],
) -> Option<String> {
    let missing = plan.iter().filter(|(case, _)| !measured.contains(case));
    let reason = |(case, is_base): &(&str, bool)| {
        Some((left_out.iter().find(|out| out.what == *case)?, *is_base))
    };
    let out: Vec<(&DatasetOmission, bool)> = missing.filter_map(reason).collect();
    let bases: Vec<String> = out
        .iter()
        .filter(|(_, is_base)| *is_base)
        .map(|(DatasetOmission { what, reason }, _)| format!("the base case {what}: {reason}"))
        .collect();
    let (DatasetOmission { what, reason }, _) = out.first()?;
    let why = if bases.is_empty() { format!("{what}: {reason}") } else { bases.join("; ") };
    let are = if out.len() == 1 { "is" } else { "are" };
    let cases = counted(plan.len(), "case");
    Some(format!("{} of {cases} {are} left out: {why}", out.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_are_left_out_are_counted_and_bad_runs_are_not() {
        let out = |what: &str| DatasetOmission { what: what.into(), reason: "it died".into() };
        let plan = [("a", true), ("b", false), ("c", false)];
        let said = |measured: &[&str], out: &[DatasetOmission]| {
            left_out_note(&plan, &measured.iter().copied().collect(), out)
        };
        assert_eq!(said(&["a", "b", "c"], &[out("a-power-1")]), None);
        let one = Some("1 of 3 cases is left out: b: it died".to_string());
        assert_eq!(said(&["a", "c"], &[out("b-power-1"), out("b")]), one);
        let two = Some("2 of 3 cases are left out: b: it died".to_string());
        assert_eq!(said(&["a"], &[out("c"), out("b")]), two);
        assert_eq!(said(&["a", "b"], &[out("b")]), None, "another board measured it");
        let base = Some("2 of 3 cases are left out: the base case a: it died".to_string());
        assert_eq!(said(&["b"], &[out("c"), out("a")]), base);
    }
}
