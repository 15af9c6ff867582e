//! `wattline calls`: who called whom, and in which thread, for accounts with callees.

use std::path::PathBuf;

use clap::Args;

use crate::account::calls::{CallTree, add_log, calls_csv, read_calls};
use crate::build::{VariantBuilder, call_logs};
use crate::operations::Dictionary;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::Failure;
use super::folder;
use super::output::{Existing, Output, read_text};
use super::plan;
use super::progress;
use super::scenario_facts::ScenarioFacts;

/// The file of the campaign's folder.
pub const CALLS: &str = "calls.csv";

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline calls scenarios/click-and-move.toml target/demo
  wattline report target/demo --force
  wattline export target/demo --format collapsed --out target/exports

Runs the unremoved application once with each input on the local JVM, with a probe that
counts blocks by thread and by path of calls, and writes calls.csv into the folder. From
then on `account` also writes calltree.csv, cumulative.csv and threads.csv, `report` draws
its flame graph by calls, and the stacks of exports are calls.")]
pub struct Arguments {
    /// The scenario file of the campaign.
    scenario: PathBuf,
    /// The campaign's folder, as `run` or `pipeline` wrote it.
    folder: PathBuf,
    /// Replace an existing calls.csv.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.folder, Existing::from(arguments.force))?;
    output.check_free(&[CALLS])?;
    let facts = ScenarioFacts::read(&arguments.folder)?;
    let jdk = Jdk::find()?;
    let loaded = folder::load(&arguments.scenario)?;
    if !have_same_blocks(&loaded.application.dictionary, &facts.dictionary) {
        let problem = "its blocks are not those of this scenario; give the scenario that the \
                       campaign was planned with, and sources that have not changed since";
        return Err(Failure::input(&arguments.folder, problem));
    }
    let mut builder = plan::builder(&loaded, &jdk)?;
    progress::result(make(&loaded.scenario, &facts, &jdk, &mut builder, &output)?);
    progress::say(format!("written: {}", output.path(CALLS).display()));
    Ok(())
}

/// Records the calls of every input and writes `calls.csv`; what was found, in a line.
pub fn make(
    scenario: &Scenario,
    facts: &ScenarioFacts,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    output: &Output,
) -> Result<String, Failure> {
    let mut tree = CallTree::default();
    for (input, log) in call_logs(scenario, jdk, builder)? {
        add_log(&mut tree, &log, &facts.dictionary)
            .map_err(|error| Failure::input(input, error))?;
    }
    output.write(CALLS, calls_csv(&tree))?;
    Ok(summary(&tree, facts))
}

/// Ids mean the same where the blocks of both have the same names.
fn have_same_blocks(one: &Dictionary, other: &Dictionary) -> bool {
    let names = |of: &Dictionary| {
        let blocks = of.blocks.iter();
        blocks
            .map(|block| (block.file.clone(), block.start_line, block.name.clone()))
            .collect::<Vec<_>>()
    };
    names(one) == names(other)
}

fn summary(tree: &CallTree, facts: &ScenarioFacts) -> String {
    let mut text = format!(
        "{} paths of calls in {} threads; {}",
        tree.paths(),
        tree.threads.len(),
        tree.agreement(&facts.executions)
    );
    if tree.lost_threads > 0 {
        text += &format!("; {} threads more than are told apart", tree.lost_threads);
    }
    text
}

/// The calls of a campaign's folder; none where they were not recorded.
pub fn read(folder: &std::path::Path) -> Result<Option<CallTree>, Failure> {
    let path = folder.join(CALLS);
    match path.is_file() {
        true => {
            let tree = read_calls(&read_text(&path)?);
            tree.map(Some).map_err(|error| Failure::input(&path, error))
        }
        false => Ok(None),
    }
}
