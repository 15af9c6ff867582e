//! `wattline plan`: scenario and dry runs -> the cases of a campaign.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use crate::build::{DryRunner, VariantBuilder};
use crate::campaign::{self, Dry, Plan, PlanSettings, Remains, plan_to_csv};
use crate::kernels::catalogue;
use crate::kernels::select::measured_operations;
use crate::model::FoldOptions;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::Failure;
use super::dry_runs::Remembered;
use super::folder::{self, Loaded};
use super::output::Output;
use super::progress;
use super::scan;
use super::watched_runs::Watched;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline plan scenarios/orbit.toml --out target/orbit

A case is one input sequence and one set of removed blocks. Every case of the plan ran to
its end on the local JVM. Writes plan.csv, dropped.csv (blocks that no case removes, with
the reason), remains.csv (what removed blocks still hold) and what `scan` writes.")]
pub struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
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
    output.check_free(&["plan.csv"])?;
    let jdk = Jdk::find()?;
    let loaded = folder::load(&arguments.scenario)?;
    let mut builder = builder(&loaded, &jdk)?;
    let plan = match &arguments.dry_runs {
        Some(file) => {
            let dry = watched(&loaded, &jdk, &mut builder);
            make_with(&loaded, &mut Remembered::open(dry, file, &loaded)?, &output)?
        }
        None => make(&loaded, &jdk, &mut builder, &output)?,
    };
    progress::result(summary(&plan));
    if let Err(few) = check_folds(&loaded.scenario, plan.cases.len()) {
        progress::warn(few.to_string());
    }
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Refuses a plan with fewer cases than `fit` holds out parts.
pub fn check_folds(scenario: &Scenario, cases: usize) -> Result<(), Failure> {
    let folds = FoldOptions::default().folds;
    if cases >= folds {
        return Ok(());
    }
    let message = format!(
        "{cases} cases are too few for the {folds} folds of cross-validation; `campaign.cases` of \
         {folds} and more gives a fit (`plan` and `run` do without)"
    );
    Err(Failure::input(&scenario.file, message))
}

/// A builder of the scenario's variants.
pub fn builder<'a>(loaded: &'a Loaded, jdk: &Jdk) -> Result<VariantBuilder<'a>, Failure> {
    let settings = &loaded.scenario.application;
    let builder = VariantBuilder::new(&loaded.application, jdk, settings.java_release)?;
    let builder = if settings.assertions { builder } else { builder.without_assertions() };
    Ok(if settings.watch_loops { builder } else { builder.without_watched_loops() })
}

/// Makes the plan and writes it, with the dictionary that its blocks are from.
pub fn make(
    loaded: &Loaded,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    output: &Output,
) -> Result<Plan, Failure> {
    make_with(loaded, &mut watched(loaded, jdk, builder), output)
}

fn watched<'r, 'a>(
    loaded: &'r Loaded,
    jdk: &'r Jdk,
    builder: &'r mut VariantBuilder<'a>,
) -> Watched<DryRunner<'r, 'a>> {
    let budget = loaded.scenario.campaign.dry_runs;
    Watched::new(DryRunner::new(&loaded.scenario, jdk, builder), budget)
}

fn make_with(loaded: &Loaded, dry: &mut dyn Dry, output: &Output) -> Result<Plan, Failure> {
    let settings = settings(&loaded.scenario);
    let plan = campaign::plan(&settings, &loaded.application.dictionary, dry)?;
    // Only now: a plan that fails leaves nothing that the next one would have to replace.
    scan::write(&loaded.application, output)?;
    folder::write_sources(&loaded.application, output)?;
    folder::write_scenario_copy(&loaded.scenario, output)?;
    output.write("remains.csv", remains(&plan, loaded)?.to_csv())?;
    output.write("plan.csv", plan_to_csv(&plan))?;
    output.write("dropped.csv", dropped_csv(&plan, loaded))?;
    Ok(plan)
}

fn settings(scenario: &Scenario) -> PlanSettings {
    PlanSettings { with_kernel: with_kernel(scenario), ..PlanSettings::from(scenario) }
}

/// Operations and library functions that the scenario's kernels will measure.
pub fn with_kernel(scenario: &Scenario) -> BTreeSet<String> {
    match scenario.kernels.enabled {
        true => measured_operations(&catalogue()),
        false => BTreeSet::new(),
    }
}

/// What the variants' removed blocks still hold.
fn remains(plan: &Plan, loaded: &Loaded) -> Result<Remains, Failure> {
    let mut remains = Remains::default();
    for case in plan.cases.iter().filter(|case| !case.removed.is_empty()) {
        if !remains.0.contains_key(&case.variant) {
            let removed = case.removed.iter().copied().collect();
            remains.0.insert(case.variant.clone(), loaded.application.remains(&removed)?);
        }
    }
    Ok(remains)
}

/// Some lines about the plan.
pub fn summary(plan: &Plan) -> String {
    let s = &plan.summary;
    let expected = s.line_error.map_or(String::new(), |error| {
        let (median, p90) = (100.0 * error.median, 100.0 * error.p90);
        format!("\nexpected error of lines: {median:.1} % (median), {p90:.1} % (90th percentile)")
    });
    let fewer = fewer(plan);
    format!(
        "{} cases of {} variants{fewer}; {} of {} executed removable blocks are removed in some case \
         ({} dry runs)\n{} operations and library functions ran; rank {}; {:.1} h of board time, \
         the paper's protocol would take {:.1} h{expected}",
        s.cases,
        s.variants,
        s.removed_executed,
        s.removable_executed,
        s.dry_runs,
        s.operations,
        s.rank,
        s.board_s / 3600.0,
        s.paper_board_s / 3600.0
    )
}

/// Why there are fewer cases than were asked for.
fn fewer(plan: &Plan) -> String {
    let (cases, asked) = (plan.summary.cases, plan.summary.asked);
    if cases >= asked {
        return String::new();
    }
    format!(
        " ({asked} were asked for; no other set of blocks ran that may be a case, or \
         `campaign.line_error` is reached)"
    )
}

fn dropped_csv(plan: &Plan, loaded: &Loaded) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["block", "name", "reason"]).expect("memory takes a table");
    for dropped in &plan.dropped {
        let name = &loaded.application.dictionary.blocks[dropped.block.0 as usize].name;
        writer
            .write_record([&dropped.block.0.to_string(), name, &dropped.reason])
            .expect("memory takes a table");
    }
    let bytes = writer.into_inner().expect("memory takes a table");
    String::from_utf8(bytes).expect("names are text")
}
