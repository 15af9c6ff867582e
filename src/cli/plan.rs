//! `wattline plan`: scenario and dry runs -> the cases of a campaign.

use std::path::PathBuf;

use clap::Args;

use crate::stage::folder::names::PLAN;
use crate::stage::{Failure, Output, load, plan};
use crate::toolchain::Jdk;

use super::origin::OriginArguments;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline plan scenarios/orbit.toml --out target/orbit

A case is one input sequence and one set of removed blocks. Every case of the plan ran to
its end on the local JVM. Writes plan.csv, dropped.csv (blocks that no case removes, with
the reason), remains.csv (what removed blocks still hold) and what `scan` writes.")]
pub struct Arguments {
    #[command(flatten)]
    origin: OriginArguments,
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
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into())?;
    output.check_free(&[PLAN])?;
    let jdk = Jdk::find()?;
    let loaded = load::load(&arguments.origin.origin().file(&output)?)?;
    let mut builder = plan::builder(&loaded, &jdk)?;
    let made = match &arguments.dry_runs {
        Some(file) => plan::plan_remembering(&loaded, &jdk, &mut builder, file)?,
        None => plan::plan(&loaded, &jdk, &mut builder)?,
    };
    // Only now: a plan that fails leaves nothing that the next one would have to replace.
    output.write_plan(&loaded, &made)?;
    progress::result(made.summary());
    if let Err(few) = plan::check_folds(&loaded.scenario, made.plan.cases.len()) {
        progress::warn(few.to_string());
    }
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}
