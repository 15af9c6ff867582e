//! `wattline pipeline`: all stages in one folder.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::run::Start;
use crate::run::journal::JOURNAL_FILE;
use crate::toolchain::Jdk;

use super::fleet::{BoardArguments, LostArguments};
use super::output::{Existing, Output};
use super::scenario_facts::ScenarioFacts;
use super::sessions::{self, OpenBoard};
use super::{Failure, account, calls, dataset, evaluate, fit, folder, hints, kept, kernels, plan};
use super::{progress, report, run as campaign, scan, trial, truth};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline pipeline scenarios/click-and-move.toml --out target/demo

Begins with a session of each input on the board, which finds wrong rails and sessions that
are too short before anything is planned, and tells how long the campaign will take. Ends
with a summary; report.html in the folder has the rest. Without a board the virtual board is
measured, and every result says so. A campaign that was stopped goes on with --resume; after
a change of the scenario so do the runs that don't depend on it (docs/scenarios.md).")]
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
    /// Go on with the campaign that the folder holds.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace existing results, an earlier campaign's runs included.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = open(arguments)?;
    kept::begin(output.folder());
    let clock = Stages::new();
    let jdk = Jdk::find()?;
    arguments.boards.check()?;
    if !arguments.resume {
        arguments.boards.board.iter().try_for_each(sessions::check)?;
    }

    clock.stage("scan");
    let loaded = folder::load(&arguments.scenario)?;
    progress::say(format!("  {}", scan::summary(&loaded.application)));
    plan::check_folds(&loaded.scenario, loaded.scenario.campaign.cases)?;

    let mut builder = plan::builder(&loaded, &jdk)?;
    let trial = match output.path(JOURNAL_FILE).exists() {
        true => None,
        false => {
            clock.stage("trial");
            Some(trial::make(&loaded, &mut builder, &arguments.boards.board)?)
        }
    };

    clock.stage("plan");
    let start = if arguments.resume { Start::Resume } else { Start::New };
    let keep_plan = arguments.resume && output.path("plan.csv").exists();
    if !keep_plan {
        let plan = plan::make(&loaded, &jdk, &mut builder, &output)?;
        progress::say(indented(&plan::summary(&plan)));
    }
    let cases = campaign::read_cases(&output.path("plan.csv"))?;
    plan::check_folds(&loaded.scenario, cases.len())?;
    let kernels_s = kernels::expected_s(&loaded.scenario, &loaded.application.dictionary);
    if let Some(trial) = trial {
        progress::say(format!("  {}", trial.outlook(&loaded.scenario, &cases, kernels_s)));
    }
    progress::expect(kernels::PART, kernels_s);

    clock.stage("run");
    let named = (&arguments.boards, &arguments.lost);
    let boards = campaign::open_boards(named, &loaded.scenario, &output)?;
    let started = (start, arguments.lost.policy());
    let runs = campaign::measure(&loaded, &cases, &mut builder, &boards, &output, started)?;
    progress::say(indented(&campaign::summary_text(&runs)));
    truth::collect(&cases, &runs.records, &output)?;

    clock.stage("dataset");
    progress::say(indented(&dataset::make(&loaded.scenario, &output)?));

    if !output.path(calls::CALLS).exists() || !arguments.resume {
        clock.stage("calls");
        let facts = ScenarioFacts::read(output.folder())?;
        match calls::make(&loaded.scenario, &facts, &jdk, &mut builder, &output) {
            Ok(said) => progress::say(format!("  {said}")),
            // Accounts do without: methods then have no callees, and all else is the same.
            Err(failure) => progress::warn(format!("the calls were not recorded: {failure}")),
        }
    }

    clock.stage("kernels");
    if loaded.scenario.kernels.enabled && !boards.iter().any(OpenBoard::is_local) {
        let mix = kernels::mix_in(output.folder())?;
        let said = kernels::make(&mix, &loaded.scenario, &jdk, &boards, &output)?;
        progress::say(indented(&said));
    }
    drop(boards);
    truth::discard_sessions(output.folder())?;

    clock.stage("fit");
    fit::make(&loaded.scenario, &output)?;

    clock.stage("account");
    account::make(&output)?;
    if output.path("truth").is_dir() {
        evaluate::make(&output)?;
    }
    hints::make(&output, None)?;
    let summary = report::make(&output)?;
    clock.end();
    progress::result(summary);
    progress::result(format!(
        "everything is in {}; open report.html there",
        output.folder().display()
    ));
    Ok(())
}

/// Opens the folder; refuses one with results, resumes it, or empties it of them.
fn open(arguments: &Arguments) -> Result<Output, Failure> {
    if arguments.resume {
        return Output::open(&arguments.out, Existing::Replace);
    }
    let output = Output::open(&arguments.out, arguments.force.into())?;
    if !arguments.force {
        campaign::refuse_another(output.folder(), true)?;
    }
    output.check_free(&["plan.csv", "journal.jsonl", "report.html"])?;
    if arguments.force {
        output.discard(&[
            "journal.jsonl",
            "runs",
            kernels::RUNS,
            calls::CALLS,
            "truth",
            truth::SESSIONS,
        ])?;
    }
    Ok(output)
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// Says which stage begins, and how long all took.
struct Stages {
    start: Instant,
}

impl Stages {
    fn new() -> Stages {
        Stages { start: Instant::now() }
    }

    fn stage(&self, name: &str) {
        progress::stage(name);
        progress::say(format!("[{:5.1} s] {name}", self.start.elapsed().as_secs_f64()));
    }

    fn end(&self) {
        self.stage("done");
    }
}
