//! Verification of predicted savings: each of the first automatic fixes is applied to a copy of
//! the sources, compiled, and run beside the original, in rounds, so that drift of the board
//! affects all equally.

mod joint_copy;
mod joint_table;
mod rounds;
mod savings_basis;
mod table;
mod table_schemas;
mod verified_rewrites;

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::boards::OpenBoard;
use crate::boards::package_kind::PackageKind;
use crate::build::{AnalysedApplication, VariantBuilder};
use crate::campaign::{PlannedCase, PlannedRun, RunPhase};
use crate::device::Sampler;
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::VERIFY_RUNS;
use crate::format::counted;
use crate::hint::{self, FoundHints, Hint, JointSaving};
use crate::instrument::Probe;
use crate::java::SourceFile;
use crate::load::LoadedScenario;
use crate::measure::driver::{BoardDriver, VariantBuilds, VariantPackager};
use crate::measure::run_display::{run_bar, show};
use crate::measure::sampled_runs;
use crate::private_files::TemporaryFolder;
use crate::run::{
    CampaignBasis, OnExisting, RunError, RunOptions, RunProgress, RunRecord, read_run_stacks,
    run_campaign_until,
};
use crate::scenario::Scenario;
use crate::toolchain::Jdk;
use crate::{plan, stacks};

use joint_copy::{JointCopy, rewrite_name};
use rounds::SessionsByRound;
use savings_basis::{SavingsBasis, rewrites_of_copy};

pub use joint_table::JointSavingTable;
pub use table::{VerifiedHint, VerifiedHints};
pub use table_schemas::saving_table_schemas;
pub use verified_rewrites::VerifiedRewrites;

/// Inputs of a verification: hints, sources, compiler and board.
pub struct Verification<'v> {
    /// The loaded scenario with its application.
    pub loaded: &'v LoadedScenario,
    /// Hints, and withheld candidates that a measurement may turn into hints.
    pub found: &'v FoundHints,
    /// Sources that the hints relate to.
    pub sources: &'v [SourceFile],
    /// JDK that compiles the copies.
    pub jdk: &'v Jdk,
    /// Board that the copies run on.
    pub board: &'v OpenBoard<'v>,
    /// Folder for raw logs.
    pub output: &'v Output,
}

/// Case name of the unchanged application.
const ORIGINAL: &str = "original";

impl Verification<'_> {
    /// Applies, compiles and measures the hints. Existing sessions are not repeated.
    ///
    /// # Errors
    /// A copy that does not compile, a board that is lost, folders that can't be written.
    pub fn measure(&self) -> Result<VerifiedRewrites, Failure> {
        let chosen = self.found.hints_to_measure(self.loaded.scenario.hints.verify);
        if chosen.is_empty() {
            return Ok(VerifiedRewrites::default());
        }
        let places =
            SavingsBasis::of(&chosen, self.sampler()?, &self.loaded.application.dictionary);
        let copies = places.copies(&chosen, self.sources);
        let joint = JointCopy::of(&chosen, &copies, self.sources);
        let phase = if places.are_sampled() { RunPhase::Sampled } else { RunPhase::Power };
        let records = self.run_sessions(phase, &chosen, &copies, joint.as_ref())?;
        let shares = records.iter().map(|record| {
            let mut shares = self.shares(record, &places, chosen.len())?;
            shares.extend(joint.as_ref().map(|joint| places.joint_share(&shares, &joint.applied)));
            Ok(shares)
        });
        let shares: Vec<Vec<f64>> = shares.collect::<Result<_, Failure>>()?;
        let rounds = SessionsByRound::of(records.iter().zip(shares), &self.loaded.scenario);
        let verified = chosen.iter().enumerate().filter_map(|(at, hint)| {
            Some(VerifiedHint::of(hint, &rounds.saved(at, &variant_name(copies[at]))?))
        });
        let verified: Vec<VerifiedHint> = verified.collect();
        if verified.len() < chosen.len() {
            self.board.progress().warn(&format!(
                "{} of {} could not be measured: their sessions were bad, or no sample \
                 met their methods; longer sessions have more samples",
                chosen.len() - verified.len(),
                counted(chosen.len(), "rewrite")
            ));
        }
        let joint = joint.and_then(|joint| joint_saving(&joint, &chosen, &copies, &rounds));
        Ok(VerifiedRewrites { hints: VerifiedHints(verified), joint: JointSavingTable(joint) })
    }

    /// The board's sampler; none where the scenario has no sampled runs.
    fn sampler(&self) -> Result<Option<Sampler>, Failure> {
        let campaign = &self.loaded.scenario.campaign;
        let sampled =
            sampled_runs::settings_for(campaign, std::slice::from_ref(self.board))?.sampled_repeats;
        Ok(self.board.sampler().ok().filter(|_| sampled > Some(0)))
    }

    /// For each rewrite the share of a session's energy that its saving is computed from.
    fn shares(
        &self,
        record: &RunRecord,
        places: &SavingsBasis,
        rewrites: usize,
    ) -> Result<Vec<f64>, Failure> {
        let folder = self.output.path(VERIFY_RUNS);
        let stacks = read_run_stacks(&folder, record)?;
        let profile = stacks.map(|stacks| stacks::parse(&stacks)).transpose();
        let profile = profile.map_err(|error| Failure::input(folder, error.to_string()))?;
        Ok(places.shares(rewrites, profile.as_ref()))
    }

    /// The application with some hints applied, packaged for the board.
    fn build_with(
        &self,
        hints: &[Hint],
        packing: &mut VariantPackager<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let LoadedScenario { scenario, application, own_package } = self.loaded;
        let applied = hint::apply(hints, self.sources, hints.len());
        let mut sources = application.sources.clone();
        for file in &mut sources.files {
            if let Some(text) = applied.files.get(&file.path) {
                file.text.clone_from(text);
            }
        }
        let application = AnalysedApplication::analyse(sources, application.granularity)?;
        let (scenario, own_package) = (scenario.clone(), own_package.clone());
        let loaded = LoadedScenario { scenario, application, own_package };
        let mut builder = plan::variant_builder(&loaded, self.jdk)?;
        self.build(&mut builder, packing)
    }

    fn build(
        &self,
        builder: &mut VariantBuilder<'_>,
        packing: &mut VariantPackager<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let variant = builder.build(&BTreeSet::new(), Probe::Plain)?;
        packing.package_of_variant(
            builder.application(),
            &variant,
            Probe::Plain,
            self.package_kind(),
        )
    }

    fn package_kind(&self) -> PackageKind {
        PackageKind::for_scenario_on(&self.loaded.scenario, self.board)
    }

    /// Names and packages of the original, the copies, and that with all rewrites together.
    fn variants(
        &self,
        chosen: &[&Hint],
        copies: &[usize],
        joint: Option<&JointCopy>,
        builder: &mut VariantBuilder<'_>,
        packing: &mut VariantPackager<'_>,
    ) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let mut variants = vec![(ORIGINAL.to_string(), self.build(builder, packing)?)];
        let single = BTreeSet::from_iter(copies).into_iter();
        let single = single.map(|copy| (variant_name(*copy), rewrites_of_copy(copies, *copy)));
        let joint = joint.filter(|joint| joint.is_own());
        let joint = joint.map(|joint| (joint.variant.clone(), joint.applied.clone()));
        for (name, rewrites) in single.chain(joint) {
            let hints: Vec<Hint> = rewrites.into_iter().map(|at| chosen[at].clone()).collect();
            variants.push((name, self.build_with(&hints, packing)?));
        }
        Ok(variants)
    }

    /// Runs the sessions under a journal of their own, which restarts for other rewrites.
    fn run_sessions(
        &self,
        phase: RunPhase,
        chosen: &[&Hint],
        copies: &[usize],
        joint: Option<&JointCopy>,
    ) -> Result<Vec<RunRecord>, Failure> {
        let mut builder = plan::variant_builder(self.loaded, self.jdk)?;
        let mut packing = VariantPackager::new(&self.loaded.scenario, self.jdk);
        let variants = self.variants(chosen, copies, joint, &mut builder, &mut packing)?;
        let scenario = &self.loaded.scenario;
        let names: Vec<&str> = variants.iter().map(|(name, _)| name.as_str()).collect();
        let cases = cases(scenario, &names);
        let order = planned_runs(scenario, phase, &cases);
        let builds =
            VariantBuilds::with_variants(packing, &mut builder, self.package_kind(), variants);
        let options = self.options(&cases, VariantBuilds::hashes(&builds));
        let folder =
            TemporaryFolder::new("verify").map_err(Failure::io("create", std::env::temp_dir()))?;
        let mut driver = BoardDriver::new(scenario, &cases, &builds, self.board, folder.path());
        let bar = run_bar(&order, self.board.progress());
        let all = |driver: &mut BoardDriver<'_, '_, '_>| {
            let mut show = |run: &RunProgress<'_>| {
                show(bar.as_ref(), &options.folder, run, self.board.progress());
            };
            run_campaign_until(&order, driver, &options, &mut |_| Ok(None), &mut show)
        };
        let summary = match all(&mut driver) {
            Err(RunError::OtherCampaign { .. }) => {
                self.output.discard(&[VERIFY_RUNS])?;
                all(&mut driver)
            }
            summary => summary,
        }?;
        for (run, reasons) in &summary.given_up {
            self.board
                .progress()
                .warn(&format!("stopped after repeated failures: {}: {reasons}", run.id()));
        }
        Ok(summary.records)
    }

    fn options(&self, cases: &[PlannedCase], hashes: BTreeMap<String, String>) -> RunOptions {
        let scenario = &self.loaded.scenario;
        RunOptions {
            folder: self.output.path(VERIFY_RUNS),
            existing: OnExisting::Resume,
            basis: CampaignBasis::new(&scenario.keys, hashes, "", cases),
            seed: scenario.campaign.seed,
            max_retries: scenario.campaign.max_retries,
            judge: self.board.judge_settings(scenario),
        }
    }
}

/// Saving of all rewrites together, beside the sum of the single ones; `None` where no round has
/// sessions of the original and of the copy with all.
fn joint_saving(
    joint: &JointCopy,
    chosen: &[&Hint],
    copies: &[usize],
    rounds: &SessionsByRound<'_>,
) -> Option<JointSaving> {
    let together = (chosen.len(), joint.variant.clone());
    let single = joint.applied.iter().map(|at| (*at, variant_name(copies[*at])));
    let single: Vec<(usize, String)> = single.collect();
    let names = |of: &[usize]| of.iter().map(|at| rewrite_name(chosen[*at])).collect();
    Some(JointSaving {
        applied: names(&joint.applied),
        overlapping: names(&joint.overlapping),
        together: rounds.saved(together.0, &together.1)?,
        sum: rounds.saved_sum(&single),
        difference: rounds.saved_more(&together, &single),
    })
}

/// Variant name of the n-th copy of the sources.
fn variant_name(nth: usize) -> String {
    format!("copy-{}", nth + 1)
}

fn case_name(variant: &str, input: &str) -> String {
    format!("{variant}-{input}")
}

/// The cases: each variant with each input.
fn cases(scenario: &Scenario, variants: &[&str]) -> Vec<PlannedCase> {
    let case = |variant: &&str, input: &String| PlannedCase {
        name: case_name(variant, input),
        variant: (*variant).to_string(),
        input: input.clone(),
        removed: Vec::new(),
        executions: 0,
        executions_share: 1.0,
        energy_share: 1.0,
        rank: 0,
    };
    let inputs = || scenario.inputs.iter().map(|input| &input.name);
    variants.iter().flat_map(|variant| inputs().map(move |input| case(variant, input))).collect()
}

/// Planned runs: round by round all cases in a seeded shuffle, and an idle session.
fn planned_runs(scenario: &Scenario, phase: RunPhase, cases: &[PlannedCase]) -> Vec<PlannedRun> {
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.campaign.seed);
    let mut runs = Vec::new();
    for repeat in 1..=scenario.campaign.repeats {
        let run = |case: &PlannedCase, phase| PlannedRun { case: case.name.clone(), phase, repeat };
        let mut round: Vec<PlannedRun> = cases.iter().map(|case| run(case, phase)).collect();
        round.extend(cases.first().map(|case| run(case, RunPhase::Idle)));
        round.shuffle(&mut rng);
        runs.extend(round);
    }
    runs
}
