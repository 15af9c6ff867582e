//! `wattline report`: everything a campaign's folder holds -> one HTML page and the
//! summary on the terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::campaign::Phase;
use crate::dataset::{ColumnChoice, LeftOut, Table};
use crate::model::Model;
use crate::report::{self, Board, CampaignFacts, ReportData, cv_rows, estimability_rows};
use crate::run::RunRecord;

use super::Failure;
use super::account::read_model;
use super::activities;
use super::evaluate::read_truth;
use super::folder::{self, DatasetFacts};
use super::hints;
use super::monitor::recording;
use super::output::{Existing, Output, read_text};
use super::progress;
use super::scenario_facts::ScenarioFacts;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline report target/demo
  wattline report target/rec --mapping mapping.txt

Prints the summary and writes report.html into the folder: one file, without network.")]
pub struct Arguments {
    /// The campaign's folder, as `pipeline` wrote it, or a recording of `monitor`.
    folder: PathBuf,
    /// Mapping file of ProGuard or R8, for recordings of an obfuscated application.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Replace an existing report.html.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.folder, Existing::from(arguments.force))?;
    output.check_free(&["report.html"])?;
    if recording::is_recording(&arguments.folder) {
        progress::result(recording::write_report(&output, arguments.mapping.as_deref())?);
        progress::say(format!("written: {}", output.path("report.html").display()));
        return Ok(());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    if is_of_activities(&arguments.folder) {
        let page = arguments.folder.join(activities::PAGE);
        let why = format!("these are results of `activities`; their page is {}", page.display());
        return Err(Failure::Usage(why));
    }
    progress::result(make(&output)?);
    progress::say(format!("written: {}", output.path("report.html").display()));
    Ok(())
}

fn is_of_activities(folder: &Path) -> bool {
    folder.join(activities::PAGE).is_file() && !folder.join("plan.csv").is_file()
}

/// Writes the page; returns the summary.
pub fn make(output: &Output) -> Result<String, Failure> {
    let folder = output.folder();
    let facts = ScenarioFacts::read(folder)?;
    let model = read_model(&output.path("model.json"))?;
    facts.check(&model)?;
    let accounts = facts.accounts(&model);
    let calls = facts.call_accounts(folder, &model, &accounts)?;
    let truth = output.path("truth");
    let evaluation = match truth.is_dir() {
        true => {
            let truth = read_truth(&truth)?;
            Some(crate::account::evaluate(&accounts, &facts.dictionary, &truth))
        }
        false => None,
    };
    let dataset = output.path("dataset.csv");
    let table = Table::from_csv(&read_text(&dataset)?, &ColumnChoice::default())
        .map_err(|error| Failure::input(&dataset, error))?;
    let cv = parsed(&output.path("cv.csv"), cv_rows)?;
    let estimability = parsed(&output.path("estimability.csv"), estimability_rows)?;
    let about = DatasetFacts::beside(&dataset)?;
    let scenario = about.scenario.as_deref().unwrap_or("scenario");
    let data = ReportData {
        scenario,
        board: &board(&about, &facts),
        campaign: campaign_facts(&facts, folder)?,
        table: &table,
        model: &model,
        cv: &cv,
        estimability: &estimability,
        accounts: &accounts,
        calls: calls.as_ref(),
        evaluation: evaluation.as_ref(),
        hints: &hints::find(folder, &facts, &model, &accounts)?,
        findings: &findings(&output.path("findings.csv"))?,
        sources: &folder::read_sources(folder)?,
        notes: &notes(&facts, &about, &table, &model),
        parts: &Vec::from_iter(activities::runs::part(folder, &facts, scenario)),
    };
    output.write("report.html", report::html(&data))?;
    Ok(report::summary_text(&data))
}

fn parsed<T>(path: &Path, parse: impl Fn(&str) -> Result<T, csv::Error>) -> Result<T, Failure> {
    parse(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

fn board(about: &DatasetFacts, facts: &ScenarioFacts) -> Board {
    let own = |record: &&RunRecord| {
        facts.device.as_ref().is_none_or(|device| record.board.serial == *device)
    };
    let first = facts.records.iter().find(own);
    let first = first.map(|record| record.board.clone()).unwrap_or_default();
    let meter = about.meter.clone().unwrap_or_else(|| "unknown meter".to_string());
    Board {
        name: match &facts.device {
            Some(device) => format!("{} ({device}, of {})", first.model, facts.devices.len()),
            None if first.model.is_empty() => first.serial,
            None => first.model,
        },
        is_virtual: first.is_virtual,
        meter: format!("{meter} ({})", about.rails.join(", ")),
        frequency: about.frequency_khz.map(|khz| format!("{:.1} GHz", khz as f64 / 1e6)),
    }
}

fn campaign_facts(facts: &ScenarioFacts, folder: &Path) -> Result<CampaignFacts, Failure> {
    let good = |phase| facts.records.iter().filter(|r| r.is_good() && r.run.phase == phase).count();
    let inputs: BTreeSet<&String> = facts.cases.iter().map(|case| &case.input).collect();
    let kernels = folder.join("kernel-windows.csv");
    let kernels = match kernels.is_file() {
        true => read_text(&kernels)?
            .lines()
            .skip(1)
            .filter_map(|l| l.split(',').next().map(String::from))
            .collect::<BTreeSet<_>>()
            .len(),
        false => 0,
    };
    Ok(CampaignFacts {
        sequences: inputs.len(),
        cases: facts.cases.len(),
        power_runs: good(Phase::Power),
        idle_runs: good(Phase::Idle),
        traced_runs: good(Phase::Traced),
        failed_runs: facts.records.iter().filter(|record| !record.is_good()).count(),
        kernels,
    })
}

/// How many findings there are of each sort.
fn findings(path: &Path) -> Result<BTreeMap<String, usize>, Failure> {
    let mut counts = BTreeMap::new();
    let text = read_text(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.map_err(|error| Failure::input(path, error))?;
        *counts.entry(row.get("kind").cloned().unwrap_or_default()).or_insert(0) += 1;
    }
    Ok(counts)
}

/// What a reader must know about how this was measured.
fn notes(facts: &ScenarioFacts, about: &DatasetFacts, table: &Table, model: &Model) -> Vec<String> {
    let repeats = facts.records.iter().map(|record| record.run.repeat).max().unwrap_or(0);
    let mut notes = Vec::new();
    if repeats < 10 {
        notes.push(format!(
            "{repeats} power and idle runs per case; the reference protocol has 10 of each"
        ));
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
    Some(format!("{} of {} cases {are} left out: {what}: {reason}", out.len(), plan.len()))
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
