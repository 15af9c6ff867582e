//! `wattline run`: the runs of a campaign on a board.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::boards::check_android;
use crate::failure::Failure;
use crate::folder::names::{JOURNAL, PLAN};
use crate::folder::{OnExisting, Output};
use crate::measure::{ResumeOptions, measure, open_boards, summary_text};
use crate::run::{CampaignOutcome, RunProblem, run_problems};
use crate::toolchain::Jdk;
use crate::{load, plan};

use super::answer::{FormatArgument, path_text};
use super::boards::{BoardArguments, LostArguments};
use super::plan::plan_figures;
use super::{campaign_in_progress, progress};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline run scenarios/orbit.toml --board virtual --out target/orbit
  wattline run scenarios/orbit.toml --board 0123456789ABCDEF --out target/orbit --resume
  wattline run scenarios/orbit.toml --serial A1B2C3 --serial D4E5F6 --out target/orbit

Makes the plan first where the folder has none. --resume repeats no finished run. Several
boards share a campaign; assignment.csv lists which board measures which case.")]
pub struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    #[command(flatten)]
    boards: BoardArguments,
    #[command(flatten)]
    lost: LostArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Resume the campaign in the folder.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = arguments.boards.choices()?;
    let output = Output::open(&arguments.out, OnExisting::Refuse, &progress::TERMINAL)?;
    let folder = output.campaign();
    let existing = if arguments.resume { OnExisting::Resume } else { OnExisting::Refuse };
    if existing == OnExisting::Refuse && folder.has(JOURNAL) {
        folder.refuse_another(false)?;
    }
    campaign_in_progress::register(folder.path());
    let jdk = Jdk::find()?;
    let loaded = load::load(&arguments.scenario, &progress::TERMINAL)?;
    check_android(&chosen, &loaded.scenario)?;
    let mut builder = plan::variant_builder(&loaded, &jdk)?;
    let mut figures = json!({"folder": path_text(output.folder())});
    if !folder.has(PLAN) {
        let (boards, patience) = (chosen.as_slice(), arguments.lost.patience());
        let dry_runs = plan::DryRunSettings { output: &output, file: None, boards, patience };
        let made = plan::plan(&loaded, &jdk, &mut builder, &dry_runs, &progress::TERMINAL)?;
        made.write(&loaded, &output)?;
        match arguments.format.is_json() {
            true => figures["plan"] = plan_figures(&made.plan.summary),
            false => progress::result(made.summary()),
        }
    }
    let planned = folder.planned_campaign()?;
    let lost = &arguments.lost;
    let boards =
        open_boards(&chosen, lost.patience(), &loaded.scenario, &output, &progress::TERMINAL)?;
    let resume = ResumeOptions { existing, when_lost: lost.policy() };
    let summary =
        measure(&loaded, &planned, &mut builder, &boards, &output, resume, &progress::TERMINAL)?;
    figures["runs"] = run_figures(&summary);
    arguments.format.print("run", &figures, || summary_text(&summary));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Figures of a campaign's runs, for programs.
fn run_figures(outcome: &CampaignOutcome) -> Value {
    let good = outcome.records.iter().filter(|record| record.is_good()).count();
    let problems = run_problems(&outcome.records);
    let problem =
        |of: &RunProblem| json!({"reason": of.reason, "runs": of.runs, "first": of.first});
    json!({
        "good_runs": good,
        "bad_runs": outcome.records.len() - good,
        "runs_from_before": outcome.resumed,
        "ended_early": outcome.stopped.as_ref().map(|stop| {
            json!({"after_round": stop.after, "saved_runs": stop.saved, "reason": stop.reason})
        }),
        "problems": problems.iter().map(problem).collect::<Vec<Value>>(),
        "stopped_after_repeated_failures": outcome
            .given_up
            .iter()
            .map(|(run, reason)| json!({"run": run.id(), "reason": reason}))
            .collect::<Vec<Value>>(),
    })
}
