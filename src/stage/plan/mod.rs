//! Scenario and dry runs -> the cases of a campaign.

mod dry_runs;
mod watched_runs;

use std::path::Path;

use crate::build::{DryRunner, VariantBuilder};
use crate::campaign::{self, Dry, Plan, PlanSettings, PlannedKernels, Remains};
use crate::csv_text::CsvText;
use crate::kernels::catalogue;
use crate::kernels::select::measured_operations;
use crate::model::FoldOptions;
use crate::operations::Dictionary;
use crate::scenario::Scenario;
use crate::toolchain::Jdk;

use super::{Failure, Loaded};
use dry_runs::Remembered;
use watched_runs::Watched;

/// A plan with what its removed blocks still hold.
#[derive(Debug)]
pub struct MadePlan {
    /// The plan.
    pub plan: Plan,
    /// What still runs of removed blocks, by variant.
    pub remains: Remains,
}

/// Refuses a plan with fewer cases than `fit` holds out parts.
pub(crate) fn check_folds(scenario: &Scenario, cases: usize) -> Result<(), Failure> {
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
    let builder = if settings.parameters { builder.with_parameters() } else { builder };
    let builder = if settings.assertions { builder } else { builder.without_assertions() };
    Ok(if settings.watch_loops { builder } else { builder.without_watched_loops() })
}

/// Makes the plan.
pub fn plan(
    loaded: &Loaded,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
) -> Result<MadePlan, Failure> {
    plan_with(loaded, &mut watched(loaded, jdk, builder)?)
}

/// The same with dry runs that are remembered in a file.
pub(crate) fn plan_remembering(
    loaded: &Loaded,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    dry_runs: &Path,
) -> Result<MadePlan, Failure> {
    let dry = watched(loaded, jdk, builder)?;
    plan_with(loaded, &mut Remembered::open(dry, dry_runs, loaded)?)
}

fn watched<'r, 'a>(
    loaded: &'r Loaded,
    jdk: &'r Jdk,
    builder: &'r mut VariantBuilder<'a>,
) -> Result<Watched<DryRunner<'r, 'a>>, Failure> {
    let budget = loaded.scenario.campaign.dry_runs;
    Ok(Watched::new(DryRunner::new(&loaded.scenario, jdk, builder)?, budget))
}

fn plan_with(loaded: &Loaded, dry: &mut dyn Dry) -> Result<MadePlan, Failure> {
    let settings = settings(&loaded.scenario);
    let plan = campaign::plan(&settings, &loaded.application.dictionary, dry)?;
    let remains = remains(&plan, loaded)?;
    Ok(MadePlan { plan, remains })
}

fn settings(scenario: &Scenario) -> PlanSettings {
    PlanSettings { kernels: planned_kernels(scenario), ..PlanSettings::from(scenario) }
}

/// The kernels that the scenario will run.
pub(crate) fn planned_kernels(scenario: &Scenario) -> PlannedKernels {
    match scenario.kernels.enabled {
        true => PlannedKernels {
            measurable: measured_operations(&catalogue()),
            count: scenario.kernels.count,
        },
        false => PlannedKernels::default(),
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

impl MadePlan {
    /// Some lines about the plan.
    pub fn summary(&self) -> String {
        let s = &self.plan.summary;
        let expected = s.line_error.map_or(String::new(), |error| {
            let (median, p90) = (100.0 * error.median, 100.0 * error.p90);
            format!(
                "\nexpected error of lines: {median:.1} % (median), {p90:.1} % (90th percentile)\n\
                 where energies add up by operations, as on an interpreter; what a compiler makes of \
                 places comes on top, and the accounts say it"
            )
        });
        let fewer = fewer(&self.plan);
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

    /// `dropped.csv`: the blocks that no case removes, with the reason.
    pub fn dropped_csv(&self, dictionary: &Dictionary) -> String {
        let mut table = CsvText::new(["block", "name", "reason"]);
        for dropped in &self.plan.dropped {
            let name = &dictionary.blocks[dropped.block.0 as usize].name;
            table.row([&dropped.block.0.to_string(), name, &dropped.reason]);
        }
        table.text()
    }
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
