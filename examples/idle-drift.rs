//! What the two idle policies of a scenario cost in errors, on boards whose idle power drifts and
//! on boards where it does not.
//!
//! ```sh
//! sh demo.sh --no-open                                      # a campaign on the virtual board
//! cargo run --release --example idle-drift -- target/demo   # tables of its errors
//! ```
//!
//! A run's energy is that of its case in the campaign, with noise of the campaign's own size (or a
//! multiple of it), and the drift of the idle power at the time at which the run would be made. What
//! is assembled, fitted, accounted and evaluated is so as by `wattline pipeline`; only the energies
//! are made up, 10 power and 10 idle runs a case. All random choices have fixed seeds.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use wattline::account::evaluate::AccountLevel;
use wattline::campaign::{PlannedRun, ResidualCounts, RunPhase, order_runs};
use wattline::dataset::{CampaignDataset, assemble_dataset};
use wattline::facts::ScenarioFacts;
use wattline::fit::{DataOrigin, KnownCosts, fit_campaign};
use wattline::folder::{CampaignFolder, MeasuredCampaign};
use wattline::run::RunRecord;
use wattline::scenario::{IdlePolicy, Scenario};
use wattline::{ground_truth, scenario_accounts};

/// Power and idle runs of a case.
const REPEATS: u32 = 10;
/// Campaigns of each row.
const CAMPAIGNS: u64 = 40;
/// Campaigns of each row whose costs are fitted.
const FITS: u64 = 1;

/// Noise as a multiple of the campaign's, swing of the idle power in watts, period in seconds.
const ROWS: [(f64, f64, f64); 7] = [
    (1.0, 0.0, 1.0),
    (1.0, 0.002, 3600.0),
    (1.0, 0.01, 600.0),
    (1.0, 0.01, 3600.0),
    (10.0, 0.0, 1.0),
    (10.0, 0.002, 3600.0),
    (10.0, 0.01, 3600.0),
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let path = std::env::args().nth(1).ok_or("usage: idle-drift FOLDER")?;
    let source = CampaignSource::read(&path)?;
    let (power_j, idle_w) = (source.noise.power_j, source.noise.idle_w);
    println!("noise of a run: {:.2} mJ, idle {:.3} mW\n", 1e3 * power_j, 1e3 * idle_w);
    println!(
        "| noise | swing of idle power, mW | period, h | idle | error of a case's energy, % | \
         standard error told, % | its share of the error | lines, median / p90, % |"
    );
    println!("|--:|--:|--:|---|--:|--:|--:|--:|");
    for (noise, swing_w, period_s) in ROWS {
        for policy in [IdlePolicy::Paired, IdlePolicy::Campaign] {
            let board = SimulatedBoard { noise, swing_w, period_s };
            let row = source.errors(&board, policy)?;
            println!(
                "| {noise} | {:.0} | {:.2} | {} | {:.3} | {:.3} | {:.2} | {} |",
                1e3 * swing_w,
                if swing_w > 0.0 { period_s / 3600.0 } else { 0.0 },
                policy.name(),
                100.0 * row.error,
                100.0 * row.told,
                row.told / row.error,
                row.lines
            );
        }
    }
    Ok(())
}

/// Noise and drift of a board.
struct SimulatedBoard {
    /// As a multiple of the campaign's noise.
    noise: f64,
    swing_w: f64,
    period_s: f64,
}

/// Standard deviations between runs of a case.
struct RunNoise {
    power_j: f64,
    idle_w: f64,
}

/// A campaign whose energies are those that simulated runs vary around.
struct CampaignSource {
    folder: CampaignFolder,
    scenario: Scenario,
    campaign: MeasuredCampaign,
    residual_counts: ResidualCounts,
    known: Option<KnownCosts>,
    noise: RunNoise,
    /// A power run of each case, with the mean energy of all of them.
    power: BTreeMap<String, RunRecord>,
    /// An idle run with the mean energy of all.
    idle: RunRecord,
}

/// Errors of a row, root mean squares over cases and campaigns.
struct RowErrors {
    error: f64,
    told: f64,
    lines: String,
}

impl CampaignSource {
    fn read(path: &str) -> Outcome<Self> {
        let folder = CampaignFolder::new(std::path::Path::new(path));
        let campaign = folder.measured_campaign()?;
        let runs = |case: Option<&str>, phase| -> Vec<RunRecord> {
            let is_wanted = |run: &&RunRecord| {
                run.is_good() && run.run.phase == phase && case.is_none_or(|c| run.run.case == c)
            };
            campaign.records.iter().filter(is_wanted).cloned().collect()
        };
        let (mut squares, mut freedom) = (0.0, 0.0);
        let mut power = BTreeMap::new();
        for case in &campaign.cases {
            let own = runs(Some(&case.name), RunPhase::Power);
            let energies: Vec<f64> = own.iter().filter_map(energy_j).collect();
            let mean_j = mean(&energies);
            squares += energies.iter().map(|energy_j| (energy_j - mean_j).powi(2)).sum::<f64>();
            freedom += energies.len() as f64 - 1.0;
            let first = own.into_iter().next().ok_or("a case without a good power run")?;
            power.insert(case.name.clone(), with_energy(first, mean_j));
        }
        let idle = runs(None, RunPhase::Idle);
        let powers: Vec<f64> = idle.iter().filter_map(power_w).collect();
        let idle_w = mean(&powers);
        let spread = powers.iter().map(|power_w| (power_w - idle_w).powi(2)).sum::<f64>();
        let first = idle.first().cloned().ok_or("a campaign without a good idle run")?;
        let idle_j = idle_w * duration_s(&first);
        Ok(CampaignSource {
            scenario: folder.scenario()?,
            residual_counts: folder.read()?,
            known: KnownCosts::read(&folder)?,
            noise: RunNoise {
                power_j: (squares / freedom).sqrt(),
                idle_w: (spread / (powers.len() as f64 - 1.0)).sqrt(),
            },
            power,
            idle: with_energy(first, idle_j),
            campaign,
            folder,
        })
    }

    /// A campaign on a board, in the order of runs that its idle policy has.
    fn simulate(
        &self,
        board: &SimulatedBoard,
        policy: IdlePolicy,
        seed: u64,
    ) -> Outcome<Simulated> {
        let mut scenario = self.scenario.clone();
        let settings = &mut scenario.campaign;
        (settings.repeats, settings.idle_repeats, settings.idle) = (REPEATS, REPEATS, policy);
        settings.seed = seed;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let normal = Normal::new(0.0, board.noise)?;
        let mut life_s = TAU * seed as f64 * board.period_s;
        let traced = self.campaign.records.iter().filter(|run| run.run.phase == RunPhase::Traced);
        let mut records: Vec<RunRecord> = traced.cloned().collect();
        for run in order_runs(&self.campaign.cases, &scenario.campaign) {
            let (template, noise_j) = match run.phase {
                RunPhase::Idle => (&self.idle, self.noise.idle_w * duration_s(&self.idle)),
                _ => (&self.power[&run.case], self.noise.power_j),
            };
            let lasts_s = duration_s(template);
            let middle_s = life_s + lasts_s / 2.0;
            let drift_j = board.swing_w * (TAU * middle_s / board.period_s).sin() * lasts_s;
            life_s += lasts_s + scenario.session.rest_s;
            let is_used = matches!(run.phase, RunPhase::Power | RunPhase::Idle);
            let energy_j = energy_j(template).unwrap_or(0.0);
            let energy_j = energy_j + drift_j + noise_j * normal.sample(&mut rng);
            let record = with_energy(template.clone(), energy_j);
            records.extend(is_used.then(|| renamed(record, run)));
        }
        let campaign = MeasuredCampaign { records, idle: policy, ..self.campaign.clone() };
        let dataset = assemble_dataset(&scenario, &campaign, &self.residual_counts, &self.folder)?;
        Ok(Simulated { campaign, dataset })
    }

    fn errors(&self, board: &SimulatedBoard, policy: IdlePolicy) -> Outcome<RowErrors> {
        let (mut errors, mut told) = (Vec::new(), Vec::new());
        let (mut medians, mut nineties) = (Vec::new(), Vec::new());
        let idle_w = power_w(&self.idle).unwrap_or(0.0);
        for seed in 1..=CAMPAIGNS {
            let simulated = self.simulate(board, policy, seed)?;
            for case in &simulated.dataset.plain.cases {
                let template = &self.power[&case.name];
                let true_j = energy_j(template).unwrap_or(0.0) - idle_w * duration_s(template);
                errors.push(case.energy.energy_j / true_j - 1.0);
                told.extend(case.energy.energy_se_j.map(|se| se / true_j));
            }
            if seed <= FITS {
                let (median, p90) = self.line_errors(simulated)?;
                medians.push(median);
                nineties.push(p90);
            }
        }
        let lines = format!("{:.2} / {:.1}", 100.0 * mean(&medians), 100.0 * mean(&nineties));
        Ok(RowErrors { error: root_mean_square(&errors), told: root_mean_square(&told), lines })
    }

    /// Median and 90th percentile of the errors of lines against the ground truth.
    fn line_errors(&self, simulated: Simulated) -> Outcome<(f64, f64)> {
        let Simulated { campaign, dataset } = simulated;
        let data = dataset.data(String::new());
        let seed = self.scenario.seed;
        let fitted = fit_campaign(&data, self.known.as_ref(), seed)?.fitted;
        let model = fitted.model_of(DataOrigin { sha256: "", facts: &data.facts, seed });
        let facts = ScenarioFacts::read_of(&self.folder, campaign, None)?;
        let accounted = scenario_accounts::account(&facts, &model)?;
        let evaluation =
            ground_truth::evaluate_campaign(&self.folder, &facts, &accounted.accounts)?
                .ok_or("a campaign without ground truth")?;
        let lines = evaluation.level(AccountLevel::Line).ok_or("no ground truth of lines")?;
        Ok((lines.median_error, lines.p90_error))
    }
}

/// A simulated campaign with its data set.
struct Simulated {
    campaign: MeasuredCampaign,
    dataset: CampaignDataset,
}

fn energy_j(run: &RunRecord) -> Option<f64> {
    run.measured.as_ref().map(|measured| measured.energy_j)
}

fn power_w(run: &RunRecord) -> Option<f64> {
    run.measured.as_ref().map(|measured| measured.mean_power_w())
}

fn duration_s(run: &RunRecord) -> f64 {
    run.measured.as_ref().map_or(0.0, |measured| measured.duration_s)
}

fn with_energy(mut run: RunRecord, energy_j: f64) -> RunRecord {
    if let Some(measured) = &mut run.measured {
        measured.energy_j = energy_j;
        measured.energy_trapezoid_j = energy_j;
    }
    run
}

fn renamed(record: RunRecord, run: PlannedRun) -> RunRecord {
    RunRecord { folder: run.id(), run, ..record }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn root_mean_square(values: &[f64]) -> f64 {
    mean(&values.iter().map(|value| value * value).collect::<Vec<_>>()).sqrt()
}
