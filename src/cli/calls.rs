//! `wattline calls`: records the tree of calls per thread, for accounts with callees.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::names::CALLS;
use crate::folder::{OnExisting, Output};
use crate::operations::Dictionary;
use crate::toolchain::Jdk;
use crate::{load, plan, recorded_calls};

use super::answer::{FormatArgument, path_text};
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline calls scenarios/click-and-move.toml target/demo

Runs the application once with each input on this JVM and writes calls.csv into the folder.
Then `account` also writes calltree.csv, cumulative.csv and threads.csv, `report` draws its
flame graph by calls, and the stacks of exports are calls.")]
pub struct Arguments {
    /// The scenario file of the campaign.
    scenario: PathBuf,
    /// The campaign's folder, as `run` or `pipeline` wrote it.
    folder: PathBuf,
    /// Replace an existing calls.csv.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[CALLS])?;
    let facts = ScenarioFacts::read(&output.campaign(), None)?;
    let jdk = Jdk::find()?;
    let loaded = load::load(&arguments.scenario, &progress::TERMINAL)?;
    if !have_same_blocks(&loaded.application.dictionary, &facts.dictionary) {
        let problem = "its blocks are not those of this scenario; give the scenario that the \
                       campaign was planned with, and sources that have not changed since";
        return Err(Failure::input(&arguments.folder, problem));
    }
    let mut builder = plan::variant_builder(&loaded, &jdk)?;
    let (scenario, dictionary) = (&loaded.scenario, &facts.dictionary);
    let tree = recorded_calls::record_calls(
        scenario,
        dictionary,
        &jdk,
        &mut builder,
        &progress::TERMINAL,
    )?;
    output.write_artifact(&tree)?;
    let agreement = tree.agreement(&facts.executions);
    let figures = json!({
        "paths": tree.paths(),
        "threads": tree.threads.len(),
        "threads_not_told_apart": tree.lost_threads,
        "inputs": loaded.scenario.inputs.len(),
        "inputs_over_time": tree.over_time,
        "blocks": agreement.blocks,
        "blocks_with_equal_executions": agreement.same,
        "differing_executions_share": agreement.differing,
        "file": path_text(output.path(CALLS)),
    });
    let text = || recorded_calls::summary(&tree, &facts, &loaded.scenario);
    arguments.format.print("calls", &figures, text);
    progress::say(format!("written: {}", output.path(CALLS).display()));
    Ok(())
}

/// Whether block ids mean the same in two dictionaries: their blocks have the same names.
fn have_same_blocks(one: &Dictionary, other: &Dictionary) -> bool {
    let names = |of: &Dictionary| {
        let blocks = of.blocks.iter();
        blocks
            .map(|block| (block.file.clone(), block.start_line, block.name.clone()))
            .collect::<Vec<_>>()
    };
    names(one) == names(other)
}
