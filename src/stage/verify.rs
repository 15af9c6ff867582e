//! Whether rewrites save what is predicted: the first mechanical ones, each applied to a copy
//! of its own, compiled, and run beside the original, in rounds, so that drift of the board
//! falls on all alike.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::account::Interval;
use crate::build::{Application, VariantBuilder};
use crate::campaign::{Phase, PlannedCase, PlannedRun};
use crate::dataset::energy::{PowerRun, mean, variance};
use crate::hint::{self, Amount, FoundHints, Hint, MeasuredSaving};
use crate::instrument::Probe;
use crate::java::SourceFile;
use crate::model::student_975;
use crate::run::{
    Basis, JudgeSettings, Measured, Progress, RunError, RunOptions, RunRecord, Start,
    run_campaign_until,
};
use crate::scenario::Scenario;
use crate::toolchain::Jdk;
use crate::units::Joules;

use super::boards::OpenBoard;
use super::folder::names::VERIFY_RUNS;
use super::form::Form;
use super::measure::driver::{BoardDriver, Builds, Packing};
use super::measure::shown::{run_bar, show};
use super::{Failure, Loaded, Output, plan, progress};

/// What a hint saved, with what tells it from others; a row of `hint-savings.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VerifiedHint {
    pattern: String,
    file: String,
    start_line: u32,
    block: String,
    /// Energy without it less that with it, in joules.
    saving_j: f64,
    /// Ends of its 95 % interval; none of a single pair.
    saving_lo_j: Option<f64>,
    saving_hi_j: Option<f64>,
    /// Part of the energy above idle of the original, beside which it ran.
    share: Option<f64>,
    /// Pairs of sessions.
    pairs: usize,
}

/// What is applied to what.
pub(crate) struct Verification<'v> {
    /// The application.
    pub loaded: &'v Loaded,
    /// Hints, and what may be some if it is measured.
    pub found: &'v FoundHints,
    /// The sources that they are about.
    pub sources: &'v [SourceFile],
    /// What compiles them.
    pub jdk: &'v Jdk,
    /// Where they run.
    pub board: &'v OpenBoard,
    /// Where raw logs are kept.
    pub output: &'v Output,
}

/// The case of the original.
const ORIGINAL: &str = "original";

impl Verification<'_> {
    /// Applies, compiles, measures. A session that is there already is not made again.
    ///
    /// # Errors
    /// A copy that does not compile, a board that is lost, folders that can't be written.
    pub fn measured(&self) -> Result<Vec<VerifiedHint>, Failure> {
        let chosen = self.found.worth_measuring(self.loaded.scenario.hints.verify);
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let mut builder = plan::builder(self.loaded, self.jdk)?;
        let mut packing = Packing::new(&self.loaded.scenario);
        let mut variants = vec![(ORIGINAL.to_string(), self.build(&mut builder, &mut packing)?)];
        for (at, hint) in chosen.iter().enumerate() {
            variants.push((variant(at), self.build_with(hint, &mut packing)?));
        }
        let records = self.run(&mut builder, packing, variants)?;
        let rounds = Rounds::of(&records, &self.loaded.scenario);
        let verified = chosen.iter().enumerate();
        Ok(verified.filter_map(|(at, hint)| rounds.verified(hint, &variant(at))).collect())
    }

    /// The application with a hint, as the board installs it.
    fn build_with(&self, hint: &Hint, packing: &mut Packing<'_>) -> Result<Vec<u8>, Failure> {
        let Loaded { scenario, application } = self.loaded;
        let applied = hint::apply(std::slice::from_ref(hint), self.sources, 1);
        let mut sources = application.sources.clone();
        for file in &mut sources.files {
            if let Some(text) = applied.files.get(&file.path) {
                file.text.clone_from(text);
            }
        }
        let application = Application::analyse(sources, application.granularity)?;
        let loaded = Loaded { scenario: scenario.clone(), application };
        let mut builder = plan::builder(&loaded, self.jdk)?;
        self.build(&mut builder, packing)
    }

    fn build(
        &self,
        builder: &mut VariantBuilder<'_>,
        packing: &mut Packing<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let variant = builder.build(&BTreeSet::new(), Probe::Plain)?;
        packing.bytes(builder.application(), &variant, Probe::Plain, self.form())
    }

    fn form(&self) -> Form {
        Form::of(&self.loaded.scenario, self.board)
    }

    /// The sessions, under a journal of their own. One of other hints is begun anew.
    fn run(
        &self,
        builder: &mut VariantBuilder<'_>,
        packing: Packing<'_>,
        variants: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<RunRecord>, Failure> {
        let scenario = &self.loaded.scenario;
        let names: Vec<&str> = variants.iter().map(|(name, _)| name.as_str()).collect();
        let cases = cases(scenario, &names);
        let order = order(scenario, &cases);
        let builds = Builds::with(packing, builder, self.form(), variants);
        let options = self.options(&cases, Builds::hashes(&builds));
        let folder = tempfile::tempdir().map_err(Failure::io("create", std::env::temp_dir()))?;
        let mut driver = BoardDriver::new(scenario, &cases, &builds, self.board, folder.path());
        let bar = run_bar(scenario, &order);
        let all = |driver: &mut BoardDriver<'_, '_, '_>| {
            let mut show = |progress: &Progress<'_>| show(bar.as_ref(), &options.folder, progress);
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
            progress::warn(format!("given up: {}: {reasons}", run.id()));
        }
        Ok(summary.records)
    }

    fn options(&self, cases: &[PlannedCase], hashes: BTreeMap<String, String>) -> RunOptions {
        let scenario = &self.loaded.scenario;
        let rails = self.board.rails.clone();
        RunOptions {
            folder: self.output.path(VERIFY_RUNS),
            start: Start::Resume,
            basis: Basis::new(&scenario.keys, hashes, "", cases),
            fingerprint: String::new(),
            seed: scenario.campaign.seed,
            max_retries: scenario.campaign.max_retries,
            judge: JudgeSettings { rails, ..JudgeSettings::from(scenario) },
        }
    }
}

/// The case of the chosen hint at a place.
fn variant(at: usize) -> String {
    format!("hint-{}", at + 1)
}

fn case_name(variant: &str, input: &str) -> String {
    format!("{variant}-{input}")
}

/// Each variant with each input.
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

/// Round by round all cases in a seeded shuffle, and an idle session.
fn order(scenario: &Scenario, cases: &[PlannedCase]) -> Vec<PlannedRun> {
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.campaign.seed);
    let mut runs = Vec::new();
    for repeat in 1..=scenario.campaign.repeats {
        let run = |case: &PlannedCase, phase| PlannedRun { case: case.name.clone(), phase, repeat };
        let mut round: Vec<PlannedRun> = cases.iter().map(|case| run(case, Phase::Power)).collect();
        round.extend(cases.first().map(|case| run(case, Phase::Idle)));
        round.shuffle(&mut rng);
        runs.extend(round);
    }
    runs
}

/// The good sessions, by case and round.
struct Rounds<'r> {
    power: BTreeMap<(&'r str, u32), &'r Measured>,
    idle_power_w: Option<f64>,
    inputs: Vec<&'r str>,
}

impl<'r> Rounds<'r> {
    fn of(records: &'r [RunRecord], scenario: &'r Scenario) -> Self {
        let good = records.iter().filter(|record| record.is_good());
        let measured: Vec<(&PlannedRun, &Measured)> =
            good.filter_map(|record| Some((&record.run, record.measured.as_ref()?))).collect();
        let of = |phase| measured.iter().filter(move |(run, _)| run.phase == phase);
        let idle: Vec<f64> = of(Phase::Idle).map(|(_, run)| run.mean_power_w()).collect();
        let key = |(run, of): &(&'r PlannedRun, &'r Measured)| ((&*run.case, run.repeat), *of);
        let inputs = scenario.inputs.iter().map(|input| input.name.as_str()).collect();
        Self { power: of(Phase::Power).map(key).collect(), idle_power_w: mean(&idle), inputs }
    }

    /// What a hint saved; none where an input has no round with both sessions.
    fn verified(&self, hint: &Hint, variant: &str) -> Option<VerifiedHint> {
        let inputs = self.inputs.iter().map(|input| self.saved(variant, input));
        let inputs: Vec<Vec<f64>> = inputs.collect::<Option<_>>()?;
        let saving_j: f64 = inputs.iter().filter_map(|saved| mean(saved)).sum();
        let half_j = half_width(&inputs);
        let base_j = self.base_j()?;
        Some(VerifiedHint {
            pattern: hint.pattern.to_string(),
            file: hint.file.clone(),
            start_line: hint.start_line,
            block: hint.block_name.clone(),
            saving_j,
            saving_lo_j: half_j.map(|half_j| saving_j - half_j),
            saving_hi_j: half_j.map(|half_j| saving_j + half_j),
            share: (base_j > 0.0).then(|| saving_j / base_j),
            pairs: inputs.iter().map(Vec::len).sum(),
        })
    }

    /// Round by round, what the application's own threads spent without less with the hint.
    fn saved(&self, variant: &str, input: &str) -> Option<Vec<f64>> {
        let idle_power_w = self.idle_power_w?;
        let own = |run: &&Measured| PowerRun::from(*run).own_j(idle_power_w);
        let with = case_name(variant, input);
        let saved = self.rounds_of(ORIGINAL, input).filter_map(|(round, original)| {
            Some(own(&original) - own(self.power.get(&(with.as_str(), round))?))
        });
        let saved: Vec<f64> = saved.collect();
        (!saved.is_empty()).then_some(saved)
    }

    fn rounds_of(&self, variant: &str, input: &str) -> impl Iterator<Item = (u32, &'r Measured)> {
        let case = case_name(variant, input);
        let own = self.power.iter().filter(move |((name, _), _)| *name == case);
        own.map(|((_, round), measured)| (*round, *measured))
    }

    /// Energy above idle of the original, all inputs together.
    fn base_j(&self) -> Option<f64> {
        let idle_power_w = self.idle_power_w?;
        let of_input = |input: &&str| {
            let runs = self.rounds_of(ORIGINAL, input);
            let above = runs.map(|(_, run)| PowerRun::from(run).above_idle_j(idle_power_w));
            mean(&above.collect::<Vec<_>>())
        };
        self.inputs.iter().map(of_input).sum()
    }
}

/// Half of the 95 % interval of the sum of means, by Student's t with Welch's degrees of
/// freedom; none where an input has a single pair.
fn half_width(inputs: &[Vec<f64>]) -> Option<f64> {
    let of_mean = |saved: &Vec<f64>| Some((variance(saved)? / saved.len() as f64, saved.len()));
    let parts: Vec<(f64, usize)> = inputs.iter().map(of_mean).collect::<Option<_>>()?;
    let all: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let squares: f64 = parts.iter().map(|(v, n)| v * v / (*n as f64 - 1.0)).sum();
    let freedom = if squares > 0.0 { all * all / squares } else { 1.0 };
    Some(if all > 0.0 { student_975(freedom) * all.sqrt() } else { 0.0 })
}

/// Gives places what their rewrites saved when they were measured.
pub(crate) fn attach(found: &mut FoundHints, verified: &[VerifiedHint]) {
    found.take_measured(|hint| {
        let own = verified.iter().find(|verified| {
            (verified.pattern.as_str(), &verified.file, verified.start_line, &verified.block)
                == (hint.pattern, &hint.file, hint.start_line, &hint.block_name)
        });
        own.map(VerifiedHint::measured)
    });
}

impl VerifiedHint {
    fn measured(&self) -> MeasuredSaving {
        let ends = self.saving_lo_j.zip(self.saving_hi_j);
        let interval = ends.map(|(lo, hi)| Interval { lo: Joules(lo), hi: Joules(hi) });
        let saving = Amount { energy: Joules(self.saving_j), interval, share: self.share };
        MeasuredSaving { saving, pairs: self.pairs }
    }
}

/// `hint-savings.csv`.
///
/// # Errors
/// None in memory; the writer's.
pub(crate) fn to_csv(verified: &[VerifiedHint]) -> Result<String, Failure> {
    Ok(crate::model::csv_of(verified)?)
}

/// Reads it.
///
/// # Errors
/// A row of another form.
pub(crate) fn from_csv(text: &str) -> Result<Vec<VerifiedHint>, csv::Error> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified() -> VerifiedHint {
        VerifiedHint {
            pattern: "field-in-loop".into(),
            file: "demo/A, B.java".into(),
            start_line: 7,
            block: "A.run(int,int).for_1".into(),
            saving_j: -0.5,
            saving_lo_j: Some(-1.0),
            saving_hi_j: None,
            share: Some(-0.1),
            pairs: 3,
        }
    }

    #[test]
    fn rows_read_back() {
        let rows = [verified()];
        assert_eq!(from_csv(&to_csv(&rows).unwrap()).unwrap(), rows);
        assert!(from_csv("pattern,file\na,b\n").is_err());
    }

    /// Two inputs with variances of their means of 1/2 (n = 2) and 1/3 (n = 3).
    #[test]
    fn inputs_add_up_with_their_errors() {
        let half = half_width(&[vec![0.0, 1.0], vec![0.0, 1.0, 2.0]]).unwrap();
        let (a, b): (f64, f64) = (0.25, 1.0 / 3.0);
        let freedom = (a + b).powi(2) / (a * a + b * b / 2.0);
        assert!((half - student_975(freedom) * (a + b).sqrt()).abs() < 1e-12);
        assert_eq!(half_width(&[vec![1.0, 1.0]]), Some(0.0));
        assert_eq!(half_width(&[vec![1.0], vec![1.0, 2.0]]), None);
    }
}
