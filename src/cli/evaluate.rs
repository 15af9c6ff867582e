//! `wattline evaluate`: compares accounts with the ground truth of a virtual board, with the
//! profile of an independent profiler, or with unseen inputs.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use crate::account::{AccountEvaluation, evaluations_csv};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::fit::KnownCosts;
use crate::folder::{CampaignFolder, OnExisting, Output, names, read_artifact};
use crate::model::Model;
use crate::report::table_rows;
use crate::{ground_truth, unseen_inputs};

use super::answer::FormatArgument;
use super::progress;

mod profile;

use profile::ProfileRuns;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline evaluate target/demo target/demo/ground-truth --out target/evaluation
  wattline evaluate target/two left=truth-left right=truth-right --out target/evaluation
  wattline evaluate target/engine --profile engine.collapsed --out target/evaluation

Writes evaluation.csv (errors against a ground truth), profile.csv (against the samples of a
profiler) or, with --unseen, unseen.csv (each input predicted without its own measurements).")]
pub struct Arguments {
    /// The campaign's folder, with its accounts and model.
    accounts: PathBuf,
    /// The truth folder; of a campaign on several boards BOARD=FOLDER, for one or more of them.
    #[arg(required_unless_present_any = ["profile", "unseen"], conflicts_with = "profile",
          value_name = "TRUTH")]
    truths: Vec<BoardGroundTruth>,
    /// An independent profile of the unremoved cases instead; may be given several times, for
    /// runs of the same, whose samples add up. A run of several processes (of one input each)
    /// has a file for each, with commas between them.
    #[arg(long, value_name = "FILE[,FILE]")]
    profile: Vec<PathBuf>,
    /// What the weights of collapsed stacks are, where the file doesn't say it (`# unit: ns`).
    #[arg(long, value_name = "UNIT", requires = "profile",
          value_parser = PossibleValuesParser::new(["samples", "ns", "us", "ms"]))]
    profile_unit: Option<String>,
    /// The time between two of the profiler's samples, where weights are times: 10ms, 500us.
    #[arg(long, value_name = "TIME", requires = "profile", value_parser = profile::parse_period_ns)]
    profile_period: Option<u64>,
    /// The campaign's own inputs instead, each by the accounts of the others.
    #[arg(long, conflicts_with_all = ["truths", "profile", "model"])]
    unseen: bool,
    /// Another model than the folder's.
    #[arg(long)]
    model: Option<PathBuf>,
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// Folder with the ground truth of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BoardGroundTruth {
    /// Board of the campaign; `None` for the only one.
    board: Option<String>,
    folder: PathBuf,
}

impl FromStr for BoardGroundTruth {
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
    let output =
        Output::open(&arguments.out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    let folder = &CampaignFolder::new(campaign_path(&arguments.accounts));
    if arguments.unseen {
        return evaluate_unseen_inputs(folder, &output, arguments.format);
    }
    let model = arguments.model.clone().unwrap_or_else(|| folder.file(names::MODEL));
    if !arguments.profile.is_empty() {
        let weights =
            profile::weight_facts(arguments.profile_unit.as_deref(), arguments.profile_period);
        let model: Model = read_artifact(&model)?;
        let profiles = ProfileRuns { files: &arguments.profile, weights };
        return profile::evaluate(folder, &model, profiles, &output, arguments.format);
    }
    output.check_free(&[names::EVALUATION])?;
    let model: Model = read_artifact(&model)?;
    let by_board = arguments.truths.iter().map(|truth| evaluate_board(folder, &model, truth));
    let csv = match by_board.collect::<Result<Vec<_>, Failure>>()?.as_slice() {
        [(None, evaluation)] => evaluation.csv(),
        several => evaluations_csv(
            several.iter().map(|(board, found)| (board.as_deref().unwrap_or_default(), found)),
        ),
    };
    let figures = json!({"against": "ground truth", "levels": table_rows(&csv)});
    arguments.format.print_table("evaluate", &figures, &csv);
    output.write(names::EVALUATION, csv)?;
    progress::say(format!("written: {}", output.path(names::EVALUATION).display()));
    Ok(())
}

/// Compares each input with the accounts of the other inputs.
fn evaluate_unseen_inputs(
    folder: &CampaignFolder,
    output: &Output,
    format: FormatArgument,
) -> Result<(), Failure> {
    output.check_free(&[names::UNSEEN_INPUTS])?;
    let found = unseen_inputs::unseen_inputs(
        &ScenarioFacts::read(folder, None)?,
        &folder.dataset()?,
        KnownCosts::read(folder)?.as_ref(),
    )?;
    let Some(found) = found else {
        let text = "has one input only, and so none that others could predict";
        return Err(Failure::Usage(format!("{}: {text}", folder.path().display())));
    };
    let csv = found.csv();
    let figures = json!({
        "against": "unseen inputs",
        "nmae_share": found.nmae(),
        "flat_nmae_share": found.flat_nmae(),
        "duration_nmae_share": found.duration_nmae(),
        "inputs": table_rows(&csv),
    });
    format.print_table("evaluate", &figures, &csv);
    output.write(names::UNSEEN_INPUTS, csv)?;
    progress::say(format!("written: {}", output.path(names::UNSEEN_INPUTS).display()));
    Ok(())
}

/// Compares the accounts of one board of a campaign with its ground truth; prints the board's name
/// where there are several.
fn evaluate_board(
    folder: &CampaignFolder,
    model: &Model,
    of: &BoardGroundTruth,
) -> Result<(Option<String>, AccountEvaluation), Failure> {
    let facts = ScenarioFacts::read(folder, of.board.as_deref())?;
    if of.board.is_none() && facts.device.is_some() {
        return Err(Failure::Usage(format!(
            "the campaign's boards are {}: say whose truth {} is (`{}=FOLDER`)",
            facts.devices.join(", "),
            of.folder.display(),
            facts.devices[0]
        )));
    }
    let evaluation = ground_truth::evaluate_against(&facts, model, &of.folder)?;
    Ok((facts.device, evaluation))
}

/// Campaign's folder of a path that may be its `accounts` folder.
fn campaign_path(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(name), Some(parent)) if name == "accounts" => parent,
        _ => path,
    }
}
