//! `wattline pipeline`: all stages in one folder.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::folder::OnExisting;
use crate::pipeline;
use crate::pipeline::PipelineOptions;
use crate::trial::LongerSessionsPolicy;

use super::answer::{FormatArgument, path_text};
use super::boards::{BoardArguments, LostArguments};
use super::origin::OriginArguments;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline pipeline my-scenario.toml --board jvm --out target/mine
  wattline pipeline --gradle :app:classes --project ../game --out target/game
  wattline pipeline energy.toml --maven app --project ../game --out target/game

Measures the virtual board unless --board names a target. Writes report.html and all results
into the folder; --resume continues a stopped campaign.")]
pub struct Arguments {
    #[command(flatten)]
    origin: OriginArguments,
    #[command(flatten)]
    boards: BoardArguments,
    #[command(flatten)]
    lost: LostArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Resume the campaign in the folder.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace existing results, an earlier campaign's runs included.
    #[arg(long)]
    force: bool,
    /// Make sessions as long as the trial finds that they need to be, by their `frames`. Without
    /// it, the pipeline asks where it can.
    #[arg(long)]
    auto: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = PipelineOptions {
        scenario: arguments.origin.origin(),
        folder: arguments.out.clone(),
        boards: arguments.boards.choices()?,
        patience: arguments.lost.patience(),
        when_lost: arguments.lost.policy(),
        existing: arguments.existing(),
        longer_sessions: match arguments.auto {
            true => LongerSessionsPolicy::Take,
            false => LongerSessionsPolicy::Offer,
        },
    };
    let result = pipeline(&options, &progress::TERMINAL)?;
    let folder = result.folder.path();
    let figures = json!({"folder": path_text(folder), "report": result.report.figures});
    arguments.format.print("pipeline", &figures, || {
        let summary = &result.report.summary;
        format!("{summary}\neverything is in {}; open report.html there", folder.display())
    });
    Ok(())
}

impl Arguments {
    /// Policy for an existing campaign in the folder.
    fn existing(&self) -> OnExisting {
        match (self.resume, self.force) {
            (true, _) => OnExisting::Resume,
            (_, true) => OnExisting::Replace,
            _ => OnExisting::Refuse,
        }
    }
}
