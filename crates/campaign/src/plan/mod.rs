//! Planning of a campaign: chooses its cases from a scenario by dry runs.

pub(crate) mod coverage;
mod dry_runs;
mod on_board;
mod progress_runner;

use std::path::Path;
use std::time::Duration;

use crate::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use crate::build::{HostDryRunner, VariantBuilder};
use crate::campaign::{
    self, DryRunner, Plan, PlanError, PlanSettings, ResidualCounts, plan_to_csv,
};
use crate::failure::Failure;
use crate::folder::{Output, names};
use crate::format::{counted, counted_as, counted_operations};
use crate::load::LoadedScenario;
use crate::microbenchmarks::planned_microbenchmarks;
use crate::model::FoldOptions;
use crate::progress::Progress;
use crate::scenario::{PlanOn, Scenario};
use crate::toolchain::Jdk;

use dry_runs::{DryRunFile, RememberingRunner, dependency_hash};
use on_board::BoardDryRunner;
use progress_runner::ProgressRunner;

/// A plan with the operations that its removed blocks still execute.
#[derive(Debug)]
pub struct CampaignPlan {
    /// The plan.
    pub plan: Plan,
    /// Operations that removed blocks still execute, by variant.
    pub residual_counts: ResidualCounts,
}

/// Fails for a plan with fewer cases than the fit has folds.
pub fn check_folds(scenario: &Scenario, cases: usize) -> Result<(), Failure> {
    let folds = FoldOptions::default().folds;
    if cases >= folds {
        return Ok(());
    }
    Err(Failure::input(&scenario.file, too_few_cases(cases, scenario.campaign.cases, folds)))
}

/// Message about too few cases; it suggests more cases only if fewer than folds were asked for.
fn too_few_cases(cases: usize, asked: usize, folds: usize) -> String {
    let few = counted_as(cases, "case is", "cases are");
    let remedy = match asked < folds {
        true => format!("`campaign.cases` of {folds} and more gives a fit"),
        false => format!(
            "{asked} were asked for: another [[input]], more sources that are analysed or, where \
             all were used, more `campaign.dry_runs` may give as many"
        ),
    };
    format!(
        "{few} too few for the {folds} folds of cross-validation; {remedy} (`plan` and `run` do \
         without)"
    )
}

/// A builder of the scenario's variants.
pub fn variant_builder<'a>(
    loaded: &'a LoadedScenario,
    jdk: &Jdk,
) -> Result<VariantBuilder<'a>, Failure> {
    let settings = &loaded.scenario.application;
    let builder = VariantBuilder::new(&loaded.application, jdk, settings.java_release)?;
    let builder = if settings.parameters { builder.with_parameters() } else { builder };
    let builder = if settings.assertions { builder } else { builder.without_assertions() };
    Ok(if settings.watch_loops { builder } else { builder.without_watched_loops() })
}

/// Boards of dry runs, and the file in which their outcomes are stored.
#[derive(Debug, Clone, Copy)]
pub struct DryRunSettings<'p> {
    /// The folder of the results.
    pub output: &'p Output,
    /// File for the outcomes; without one the folder stores the outcomes on a board, so that an
    /// interrupted plan can be resumed.
    pub file: Option<&'p Path>,
    /// Boards of the campaign; with `plan_on = "board"`, the first one makes the dry runs.
    pub boards: &'p [BoardChoice],
    /// Time to wait for a lost board.
    pub patience: Duration,
}

/// Makes the plan of a scenario by dry runs, on this machine or on a board.
pub fn plan(
    loaded: &LoadedScenario,
    jdk: &Jdk,
    builder: &mut VariantBuilder<'_>,
    dry_runs: &DryRunSettings<'_>,
    progress: &dyn Progress,
) -> Result<CampaignPlan, Failure> {
    let scenario = &loaded.scenario;
    let budget = scenario.campaign.dry_runs;
    match (scenario.campaign.plan_on, dry_runs.file) {
        (PlanOn::Host, None) => {
            let dry = HostDryRunner::new(scenario, jdk, builder)?;
            plan_with(loaded, &mut ProgressRunner::new(dry, budget, progress))
        }
        (PlanOn::Host, Some(file)) => {
            let dry = HostDryRunner::new(scenario, jdk, builder)?;
            let dry = ProgressRunner::new(dry, budget, progress);
            let purpose = dependency_hash(loaded, "");
            plan_with(loaded, &mut RememberingRunner::open(dry, &DryRunFile::Named(file), purpose)?)
        }
        (PlanOn::Board, file) => {
            let board = open_board(scenario, dry_runs, progress)?;
            let purpose = dependency_hash(loaded, &identity(&board));
            let own = || DryRunFile::Own(dry_runs.output.path(names::DRY_RUNS));
            let memory = file.map_or_else(own, DryRunFile::Named);
            let dry = BoardDryRunner::new(loaded, board, builder)?;
            let dry = ProgressRunner::new(dry, budget, progress);
            plan_with(loaded, &mut RememberingRunner::open(dry, &memory, purpose)?.one_by_one())
        }
    }
}

fn open_board<'p>(
    scenario: &Scenario,
    dry_runs: &DryRunSettings<'_>,
    progress: &'p dyn Progress,
) -> Result<OpenBoard<'p>, Failure> {
    let DryRunSettings { boards, patience, .. } = dry_runs;
    let choice = boards.first().ok_or_else(|| Failure::Usage("no board is named".into()))?;
    let settings = VirtualSettings { truth: None, seed: scenario.seed };
    let mut board = boards::open(choice, scenario, &settings, dry_runs.output.folder(), progress)?;
    board.patience = *patience;
    progress.say(&format!("  dry runs on board {}", board.recorded_serial()));
    Ok(board)
}

/// Identity of a board among those that may count differently.
fn identity(board: &OpenBoard<'_>) -> String {
    let facts = &board.facts;
    format!("\n{} {:?} {:?}", board.recorded_serial(), facts.model, facts.android_release)
}

fn plan_with(loaded: &LoadedScenario, dry: &mut dyn DryRunner) -> Result<CampaignPlan, Failure> {
    let settings = settings(&loaded.scenario);
    let plan = campaign::plan_cases(&settings, &loaded.application.dictionary, dry);
    let plan = plan.map_err(failure)?;
    let residual_counts = residual_counts(&plan, loaded)?;
    Ok(CampaignPlan { plan, residual_counts })
}

/// Unwraps the failure of a dry run that could not be made, so that a lost board stays an error of
/// the board.
fn failure(error: PlanError) -> Failure {
    match error {
        PlanError::Dry { source } => match source.downcast::<Failure>() {
            Ok(failure) => *failure,
            Err(source) => PlanError::Dry { source }.into(),
        },
        error => error.into(),
    }
}

fn settings(scenario: &Scenario) -> PlanSettings {
    PlanSettings {
        microbenchmarks: planned_microbenchmarks(scenario),
        ..PlanSettings::from(scenario)
    }
}

/// The operations that the variants' removed blocks still execute.
fn residual_counts(plan: &Plan, loaded: &LoadedScenario) -> Result<ResidualCounts, Failure> {
    let mut residual_counts = ResidualCounts::default();
    for case in plan.cases.iter().filter(|case| !case.removed.is_empty()) {
        if !residual_counts.0.contains_key(&case.variant) {
            let removed = case.removed.iter().copied().collect();
            residual_counts
                .0
                .insert(case.variant.clone(), loaded.application.residual_counts(&removed)?);
        }
    }
    Ok(residual_counts)
}

impl CampaignPlan {
    /// Writes the plan and residual counts, with the analysed sources and scenario.
    pub fn write(&self, loaded: &LoadedScenario, output: &Output) -> Result<(), Failure> {
        let application = &loaded.application;
        output.write_scan(application)?;
        for file in &application.files {
            output.write(&format!("{}/{}", names::SOURCES, file.path), &file.text)?;
        }
        output.write_scenario(&loaded.scenario)?;
        output.write_artifact(&self.residual_counts)?;
        output.write(names::PLAN, plan_to_csv(&self.plan))?;
        let dictionary = &application.dictionary;
        output.write(names::DROPPED, coverage::dropped_csv(&self.plan, dictionary))?;
        output.write(names::COVERAGE, coverage::coverage_csv(&self.plan, dictionary))?;
        Ok(())
    }

    /// Lines about the plan.
    pub fn summary(&self) -> String {
        let s = &self.plan.summary;
        let expected = s.line_error.map_or(String::new(), |error| {
            let (median, p90) = (100.0 * error.median, 100.0 * error.p90);
            format!(
                "\nexpected error of lines: {median:.1} % (median), {p90:.1} % (90th percentile)\n\
                 for energies that add up by operations, as in an interpreter; JIT effects add error \
                 on top, which `account` reports"
            )
        });
        let fewer = fewer(&self.plan);
        let jointly = match s.removed_jointly {
            0 => String::new(),
            blocks => format!(", {blocks} of them only together with others"),
        };
        format!(
            "{} of {}{fewer}; {} of {} removed in some case{jointly} ({})\n{} ran; rank {}; {:.1} h of board \
             time, the protocol of Li and Gallagher would take {:.1} h{expected}",
            counted(s.cases, "case"),
            counted(s.variants, "variant"),
            s.removed_executed,
            counted_as(
                s.removable_executed,
                "executed removable block is",
                "executed removable blocks are"
            ),
            counted(s.dry_runs, "dry run"),
            counted_operations(s.operations),
            s.rank,
            s.board_s / 3600.0,
            s.paper_board_s / 3600.0
        )
    }
}

/// Sentence about why there are fewer cases than were asked for.
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

#[cfg(test)]
mod tests {
    use super::too_few_cases;

    #[test]
    fn too_few_cases_are_told_with_what_gives_more() {
        let asked_for_few = too_few_cases(3, 3, 4);
        assert!(asked_for_few.contains("`campaign.cases` of 4 and more"), "{asked_for_few}");
        let found_few = too_few_cases(1, 10, 4);
        assert!(found_few.starts_with("1 case is too few for the 4 folds"), "{found_few}");
        assert!(found_few.contains("10 were asked for: another [[input]]"), "{found_few}");
        assert!(!found_few.contains("campaign.cases"), "{found_few}");
    }
}
