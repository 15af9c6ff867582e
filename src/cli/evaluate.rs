//! `wattline evaluate`: accounts against the truth of a virtual board, or against the
//! profile of an independent profiler.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use crate::account::{Evaluation, Truth, evaluate, evaluations_csv};
use crate::model::Model;
use crate::run::RunRecord;

use super::Failure;
use super::account::read_model;
use super::output::{Existing, Output, read_text};
use super::progress;
use super::scenario_facts::ScenarioFacts;
use super::truth;

mod profile;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline evaluate target/demo target/demo/truth --out target/evaluation
  wattline evaluate target/two left=truth-left right=truth-right --out target/evaluation
  wattline evaluate target/engine --profile engine.collapsed --out target/evaluation

A truth folder has lines.csv (file,line,energy_j) and methods.csv (class,method,energy_j), or is
what `wattline board virtual --truth DIR` left: of that, the campaign's unremoved cases are
summed up, one power run of each. A campaign on several boards is held against the truth of
each that is named. Writes evaluation.csv: the errors over the lines, blocks and methods that
make 95 % of the true energy.

With --profile the accounts are held against samples: collapsed stacks (async-profiler's
`-o collapsed`, perf's flame graphs), or a recording of Flight Recorder (.jfr). profile.csv has
the errors of the methods (and lines, where the profile has them) with 90 % of the samples,
beside what counting alone makes of them; profile-entries.csv every method and line.")]
pub struct Arguments {
    /// The campaign's folder, with its accounts and model.
    accounts: PathBuf,
    /// The truth folder; of a campaign on several boards BOARD=FOLDER, for one or more of them.
    #[arg(required_unless_present = "profile", conflicts_with = "profile", value_name = "TRUTH")]
    truths: Vec<BoardTruth>,
    /// An independent profile of the unremoved cases instead; may be given several times,
    /// then samples add up.
    #[arg(long, value_name = "FILE")]
    profile: Vec<PathBuf>,
    /// Another model than the folder's.
    #[arg(long)]
    model: Option<PathBuf>,
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

/// Where a board's truth is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BoardTruth {
    /// As its records name it; none for the only one.
    board: Option<String>,
    folder: PathBuf,
}

impl FromStr for BoardTruth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((board, folder)) if !board.is_empty() && !folder.is_empty() => {
                Ok(Self { board: Some(board.into()), folder: folder.into() })
            }
            Some(_) => Err("give BOARD=FOLDER".into()),
            None => Ok(Self { board: None, folder: text.into() }),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, Existing::from(arguments.force))?;
    let folder = campaign_folder(&arguments.accounts);
    let model = arguments.model.clone().unwrap_or_else(|| folder.join("model.json"));
    if !arguments.profile.is_empty() {
        return profile::evaluate(folder, &read_model(&model)?, &arguments.profile, &output);
    }
    output.check_free(&["evaluation.csv"])?;
    let model = read_model(&model)?;
    let by_board = arguments.truths.iter().map(|truth| of_board(folder, &model, truth));
    let csv = match by_board.collect::<Result<Vec<_>, Failure>>()?.as_slice() {
        [(None, evaluation)] => evaluation.csv(),
        several => evaluations_csv(
            several.iter().map(|(board, found)| (board.as_deref().unwrap_or_default(), found)),
        ),
    };
    progress::result(csv.trim_end());
    output.write("evaluation.csv", csv)?;
    progress::say(format!("written: {}", output.path("evaluation.csv").display()));
    Ok(())
}

/// The accounts of one of a campaign's boards, held against its truth; with its name where
/// there are several.
fn of_board(
    folder: &Path,
    model: &Model,
    of: &BoardTruth,
) -> Result<(Option<String>, Evaluation), Failure> {
    let facts = ScenarioFacts::read_on(folder, of.board.as_deref())?;
    if of.board.is_none() && facts.device.is_some() {
        return Err(Failure::Usage(format!(
            "the campaign's boards are {}: say whose truth {} is (`{}=FOLDER`)",
            facts.devices.join(", "),
            of.folder.display(),
            facts.devices[0]
        )));
    }
    facts.check(model)?;
    let truth = truth_for(&facts, &of.folder)?;
    let evaluation = evaluate(&facts.accounts(model), &facts.dictionary, &truth);
    Ok((facts.device, evaluation))
}

/// A truth folder as it is, or the sum over the sessions of the facts' board.
fn truth_for(facts: &ScenarioFacts, folder: &Path) -> Result<Truth, Failure> {
    if folder.join("lines.csv").is_file() {
        return read_truth(folder);
    }
    let is_own =
        |run: &&RunRecord| facts.device.as_ref().is_none_or(|name| run.board.serial == *name);
    let own: Vec<&RunRecord> = facts.records.iter().filter(is_own).collect();
    match truth::of_sessions(&facts.cases, &own, folder)?.as_slice() {
        [(_, lines), (_, methods)] => {
            Truth::parse(lines, methods, "").map_err(|error| Failure::input(folder, error))
        }
        _ => Err(Failure::input(
            folder,
            "it holds neither lines.csv nor a session of the campaign's unremoved cases; start \
             the board with --truth",
        )),
    }
}

/// Evaluates a folder that holds its truth.
pub fn make(output: &Output) -> Result<(), Failure> {
    let model = read_model(&output.path("model.json"))?;
    let evaluation = against(output.folder(), &model, &output.path("truth"))?;
    output.write("evaluation.csv", evaluation.csv())?;
    Ok(())
}

/// The accounts of a campaign by `model`, held against a truth folder.
pub fn against(folder: &Path, model: &Model, truth: &Path) -> Result<Evaluation, Failure> {
    let facts = ScenarioFacts::read(folder)?;
    let truth = read_truth(truth)?;
    Ok(evaluate(&facts.accounts(model), &facts.dictionary, &truth))
}

/// Reads a truth folder; `operations.csv` need not be there.
pub fn read_truth(folder: &Path) -> Result<Truth, Failure> {
    let operations = folder.join("operations.csv");
    let operations = if operations.is_file() { read_text(&operations)? } else { String::new() };
    let lines = read_text(&folder.join("lines.csv"))?;
    let methods = read_text(&folder.join("methods.csv"))?;
    Truth::parse(&lines, &methods, &operations).map_err(|error| Failure::input(folder, error))
}

/// The folder itself, also when its `accounts` were named.
fn campaign_folder(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(name), Some(parent)) if name == "accounts" => parent,
        _ => path,
    }
}
