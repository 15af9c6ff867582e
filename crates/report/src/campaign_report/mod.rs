//! Everything a campaign's folder holds -> one HTML page and its summary.

mod activities;
pub mod repository;

use std::collections::{BTreeMap, BTreeSet};

use crate::account::{AccountEvaluation, UnseenInputs};
use crate::campaign::RunPhase;
use crate::dataset::{CampaignData, DatasetFacts, LeftOut};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::fit::KnownCosts;
use crate::folder::CampaignFolder;
use crate::format::counted;
use crate::hint::FoundHints;
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::table::Table;
use crate::model::{CvRow, Model, OperationEstimability};
use crate::power::Meter;
use crate::power::meter::Software;
use crate::progress::Progress;
use crate::report::{self, CampaignFacts, ReportData, ReportedBoard};
use crate::scenario_accounts::ScenarioAccounts;
use crate::verification::{self, VerifiedHints};
use crate::{found_hints, ground_truth, recorded_calls, scenario_accounts, unseen_inputs};

/// What a report shows.
#[derive(Debug)]
pub struct ReportInput<'r> {
    /// The campaign.
    pub facts: &'r ScenarioFacts,
    /// Costs.
    pub model: &'r Model,
    /// Accounts.
    pub accounted: &'r ScenarioAccounts,
    /// How far the accounts are from the ground truth, where the board has one.
    pub evaluation: Option<&'r AccountEvaluation>,
    /// Input sequences by the accounts of the others, where there are several.
    pub unseen: Option<&'r UnseenInputs>,
    /// The cases that were fitted, and where they come from.
    pub data: &'r CampaignData,
    /// Rounds of cross-validation.
    pub cross_validation: &'r [CvRow],
    /// What the cases can tell.
    pub estimability: &'r [OperationEstimability],
    /// What to change, and what is none on this board.
    pub hints: &'r FoundHints,
    /// How many findings there are of each sort.
    pub findings: &'r BTreeMap<String, usize>,
    /// Texts of the sources, by path.
    pub sources: &'r BTreeMap<String, String>,
    /// How many microbenchmarks were measured.
    pub microbenchmarks: usize,
}

/// A report.
#[derive(Debug, Clone)]
pub struct WrittenReport {
    /// The page.
    pub html: String,
    /// What a terminal shows of it.
    pub summary: String,
}

/// Makes the report. `folder` has the raw logs, of which activities are read.
pub fn report(
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
        board: &board(about, facts),
        campaign: campaign_facts(facts, input.microbenchmarks),
        table,
        model,
        cv: input.cross_validation,
        estimability: input.estimability,
        accounts,
        calls: accounted.calls.as_ref(),
        no_calls: folder.scenario().ok().as_ref().and_then(recorded_calls::not_recordable),
        evaluation: input.evaluation,
        unseen: input.unseen,
        hints: &input.hints.hints,
        no_hints: &input.hints.why_none(),
        withheld: &input.hints.withheld(),
        findings: input.findings,
        sources: input.sources,
        notes: &notes(facts, about, table, model),
        parts: &Vec::from_iter(activities::part(folder, facts, scenario, progress)),
    };
    WrittenReport { html: report::html(&data), summary: report::summary_text(&data) }
}

/// The texts of sources, by path.
pub fn texts(sources: &[SourceFile]) -> BTreeMap<String, String> {
    sources.iter().map(|file| (file.path.clone(), file.text.to_string())).collect()
}

/// The report of a folder that holds its model.
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
    let verified: VerifiedHints = folder.read_if_there()?.unwrap_or_default();
    verification::attach(&mut found, &verified.0);
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
        sources: &texts(&sources),
        microbenchmarks: folder.microbenchmarks()?,
    };
    Ok(report(&input, folder, progress))
}

fn board(about: &DatasetFacts, facts: &ScenarioFacts) -> ReportedBoard {
    let first = facts.records.iter().find(|record| facts.is_own(record));
    let first = first.map(|record| record.board.clone()).unwrap_or_default();
    let meter = about.meter.clone().unwrap_or_else(|| "unknown meter".to_string());
    ReportedBoard {
        name: match &facts.device {
            Some(device) => format!("{} ({device}, of {})", first.model, facts.devices.len()),
            None if first.model.is_empty() => first.serial,
            None => first.model,
        },
        is_virtual: first.is_virtual,
        is_estimate: meter == Software.name(),
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

/// What a reader must know about how this was measured.
fn notes(facts: &ScenarioFacts, about: &DatasetFacts, table: &Table, model: &Model) -> Vec<String> {
    let repeats = |phase| {
        let own = facts.records.iter().filter(|record| record.run.phase == phase);
        own.map(|record| record.run.repeat).max().unwrap_or(0)
    };
    let (power, idle) = (repeats(RunPhase::Power), repeats(RunPhase::Idle));
    let mut notes = Vec::new();
    if power.min(idle) < 10 {
        let runs = match power == idle {
            true => counted(power, "power and idle run"),
            false => format!("{power} power and {}", counted(idle, "idle run")),
        };
        notes.push(format!("{runs} per case; the reference protocol has 10 of each"));
    }
    let plan: Vec<&str> = facts.cases.iter().map(|case| case.name.as_str()).collect();
    // windows of a case are its group; another board may have measured what one left out
    let measured = table.cases.iter().flat_map(|row| [row.name.as_str(), &row.group]).collect();
    notes.extend(left_out(&plan, &measured, &about.left_out));
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

/// Which of the planned cases no energy is known of, and why the first of them is not.
fn left_out(plan: &[&str], measured: &BTreeSet<&str>, left_out: &[LeftOut]) -> Option<String> {
    let missing = plan.iter().filter(|case| !measured.contains(*case));
    let reason = |case: &&str| left_out.iter().find(|out| out.what == *case);
    let out: Vec<&LeftOut> = missing.filter_map(reason).collect();
    let LeftOut { what, reason } = out.first()?;
    let are = if out.len() == 1 { "is" } else { "are" };
    let cases = counted(plan.len(), "case");
    Some(format!("{} of {cases} {are} left out: {what}: {reason}", out.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_are_left_out_are_counted_and_bad_runs_are_not() {
        let out = |what: &str| LeftOut { what: what.into(), reason: "it died".into() };
        let plan = ["a", "b", "c"];
        let said = |measured: &[&str], out: &[LeftOut]| {
            left_out(&plan, &measured.iter().copied().collect(), out)
        };
        assert_eq!(said(&plan, &[out("a-power-1")]), None);
        let one = Some("1 of 3 cases is left out: b: it died".to_string());
        assert_eq!(said(&["a", "c"], &[out("b-power-1"), out("b")]), one);
        let two = Some("2 of 3 cases are left out: b: it died".to_string());
        assert_eq!(said(&["a"], &[out("c"), out("b")]), two);
        assert_eq!(said(&["a", "b"], &[out("b")]), None, "another board measured it");
    }
}
