//! `wattline plan`: chooses the cases of a campaign by a scenario and dry runs.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::boards::BoardChoice;
use crate::campaign::PlanSummary;
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::{DRY_RUNS, PLAN};
use crate::scenario::{PlanOn, Scenario};
use crate::toolchain::Jdk;
use crate::{load, plan};

use super::answer::{FormatArgument, path_text};
use super::boards::{BoardArguments, WaitArgument};
use super::origin::OriginArguments;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline plan scenarios/orbit.toml --out target/orbit

A case is one input sequence and one set of removed blocks. Every case of the plan ran to
its end in a dry run: on the local JVM or, with `plan_on = \"board\"` in [campaign], on the
board (docs/internals/plan.md). Writes plan.csv, coverage.csv (how many cases remove each
block, and together with which others), dropped.csv (blocks that no case removes, with the
reason), residual-counts.csv (what removed blocks still hold) and what `scan` writes.")]
pub struct Arguments {
    #[command(flatten)]
    origin: OriginArguments,
    #[command(flatten)]
    boards: BoardArguments,
    #[command(flatten)]
    wait: WaitArgument,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Keep in this file what dry runs did, and make none again that it has: for another
    /// plan of the same application.
    #[arg(long)]
    dry_runs: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    output.check_free(&[PLAN])?;
    let boards = arguments.boards.choices()?;
    let jdk = Jdk::find()?;
    let origin = arguments.origin.origin();
    let loaded = load::load_named(&origin, &output, &progress::TERMINAL)?;
    check_boards(&boards, &loaded.scenario)?;
    if arguments.force {
        output.discard(&[DRY_RUNS])?;
    }
    let mut builder = plan::variant_builder(&loaded, &jdk)?;
    let dry_runs = plan::DryRunSettings {
        output: &output,
        file: arguments.dry_runs.as_deref(),
        boards: &boards,
        patience: arguments.wait.patience(),
    };
    let in_own_file = |failure| origin.in_own_file(failure, &output);
    let made = plan::plan(&loaded, &jdk, &mut builder, &dry_runs, &progress::TERMINAL)
        .map_err(in_own_file)?;
    // Only now: a plan that fails leaves nothing that the next one would have to replace.
    made.write(&loaded, &output)?;
    let mut figures = plan_figures(&made.plan.summary);
    figures["folder"] = json!(path_text(output.folder()));
    arguments.format.print("plan", &figures, || made.summary());
    if let Err(few) = plan::check_folds(&loaded.scenario, made.plan.cases.len()) {
        progress::warn(in_own_file(few).to_string());
    }
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Figures of a plan, for programs.
pub fn plan_figures(plan: &PlanSummary) -> Value {
    json!({
        "cases": plan.cases,
        "asked_cases": plan.asked,
        "variants": plan.variants,
        "removable_blocks": plan.removable,
        "executed_removable_blocks": plan.removable_executed,
        "removed_blocks": plan.removed_executed,
        "only_jointly_removed_blocks": plan.removed_jointly,
        "dry_runs": plan.dry_runs,
        "operations": plan.operations,
        "rank": plan.rank,
        "expected_line_error_median_share": plan.line_error.map(|error| error.median),
        "expected_line_error_p90_share": plan.line_error.map(|error| error.p90),
        "board_time_s": plan.board_s,
        "board_time_of_li_and_gallagher_s": plan.paper_board_s,
    })
}

/// Refuses a board that would not be used.
fn check_boards(boards: &[BoardChoice], scenario: &Scenario) -> Result<(), Failure> {
    let is_default = matches!(boards, [board] if *board == BoardChoice::default());
    if is_default || scenario.campaign.plan_on == PlanOn::Board {
        return Ok(());
    }
    let message = "--board is where dry runs are made with `plan_on = \"board\"` in [campaign]; \
                   this scenario makes them on this machine";
    Err(Failure::Usage(message.into()))
}
