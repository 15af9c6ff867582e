//! How often `wattline compare` is wrong: false alarms among comparisons of the same with
//! the same, misses among real increases of 5 %.
//!
//! ```sh
//! cargo run --release --example gate-errors                       # simulated sessions
//! cargo run --release --example gate-errors -- repeats jsoup.csv  # rows `commit,joules`
//! cargo run --release --example gate-errors -- campaigns BASE NEW # two campaigns' runs
//! ```
//!
//! Everything is judged by the gate's own functions, at limits of 0 (the default), 1 and
//! 2 %; all random choices have fixed seeds.

use std::collections::BTreeMap;
use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use wattline::campaign::RunPhase;
use wattline::compare::{
    AllowedIncrease, GateVerdict, InputRuns, Measurement, PowerRunEnergy, compare_measured,
};
use wattline::run::read_journal;

const LIMITS: [f64; 3] = [0.0, 0.01, 0.02];
/// The increase that must not be missed.
const INCREASE: f64 = 1.05;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    println!("| comparisons | repeats | number | limit 0 % | limit 1 % | limit 2 % |");
    println!("|---|---|--:|--:|--:|--:|");
    match arguments.as_slice() {
        [] => simulated(),
        ["repeats", file] => repeats(&read_repeats(Path::new(file))?),
        ["campaigns", base, new] => campaigns(Path::new(base), Path::new(new))?,
        _ => return Err("usage: gate-errors [repeats FILE | campaigns BASE NEW]".into()),
    }
    Ok(())
}

/// Counts verdicts over comparisons of one sort, at every limit.
#[derive(Default)]
struct Tally {
    number: usize,
    alarms: [usize; 3],
}

impl Tally {
    fn add(&mut self, base: &Measurement, new: &Measurement) {
        self.number += 1;
        for (alarms, limit) in self.alarms.iter_mut().zip(LIMITS) {
            let (headline, _) = compare_measured("all", base, new, AllowedIncrease(limit));
            *alarms += usize::from(headline.verdict == Some(GateVerdict::Increase));
        }
    }

    fn print(&self, what: &str, repeats: &str, misses: bool) {
        let n = self.number;
        let cells = self.alarms.map(|alarms| {
            let wrong = if misses { n - alarms } else { alarms };
            let share = wrong as f64 / n.max(1) as f64;
            let (lo, hi) = wilson(wrong as f64, n as f64);
            format!("{:.1} % ({:.1} to {:.1})", share * 100.0, lo * 100.0, hi * 100.0)
        });
        println!("| {what} | {repeats} | {n} | {} | {} | {} |", cells[0], cells[1], cells[2]);
    }
}

/// Wilson's 95 % interval of a share.
fn wilson(hits: f64, n: f64) -> (f64, f64) {
    let (z2, p) = (1.96f64.powi(2), hits / n.max(1.0));
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = (z2 * (p * (1.0 - p) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// Energies above idle, of one input.
fn energies(values: &[f64]) -> Measurement {
    let repeat = |&energy_j: &f64| PowerRunEnergy { energy_j, duration_s: 1.0 };
    let runs = InputRuns { repeats: values.iter().map(repeat).collect(), ..InputRuns::default() };
    Measurement {
        inputs: BTreeMap::from([("all".to_string(), runs)]),
        idle_powers_w: vec![0.0; 2],
        between_campaigns: 0.0,
    }
}

fn scaled(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}

/// Four inputs of 20 J above 0.3 W over 60 s; power and idle runs scatter normally.
fn simulated() {
    for (repeats, sd) in [(2, 0.001), (3, 0.005), (5, 0.01), (10, 0.01), (10, 0.02), (10, 0.03)] {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut null, mut more) = (Tally::default(), Tally::default());
        for _ in 0..2000 {
            let base = campaign(repeats, sd, 1.0, &mut random);
            null.add(&base, &campaign(repeats, sd, 1.0, &mut random));
            more.add(&base, &campaign(repeats, sd, INCREASE, &mut random));
        }
        let about = format!("{repeats} of each of 4 inputs, scatter {} %", sd * 100.0);
        null.print("false alarms, simulated", &about, false);
        more.print("misses of 5 %, simulated", &about, true);
    }
}

fn campaign(repeats: usize, sd: f64, factor: f64, random: &mut ChaCha8Rng) -> Measurement {
    let normal = |mean: f64| Normal::new(mean, mean * sd).expect("a finite scatter");
    let mut draw = |mean: f64| normal(mean).sample(random);
    let mut inputs = BTreeMap::new();
    for name in ["a", "b", "c", "d"] {
        let mut repeat =
            || PowerRunEnergy { energy_j: draw(18.0 + 20.0 * factor), duration_s: 60.0 };
        let repeats = (0..repeats).map(|_| repeat()).collect();
        inputs.insert(name.to_string(), InputRuns { repeats, ..InputRuns::default() });
    }
    let idle = (0..4 * repeats).map(|_| draw(0.3)).collect();
    Measurement { inputs, idle_powers_w: idle, between_campaigns: 0.0 }
}

/// Repeated measurements by name, in the file's order.
fn read_repeats(file: &Path) -> Result<Vec<Vec<f64>>, Box<dyn std::error::Error>> {
    let mut order: Vec<String> = Vec::new();
    let mut repeats: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (at, line) in std::fs::read_to_string(file)?.lines().enumerate() {
        let (name, joules) = line.split_once(',').ok_or(format!("line {}: no comma", at + 1))?;
        let joules: f64 = joules.trim().parse()?;
        if !repeats.contains_key(name) {
            order.push(name.to_string());
        }
        repeats.entry(name.to_string()).or_default().push(joules);
    }
    Ok(order.iter().filter_map(|name| repeats.remove(name)).collect())
}

/// Real measurements, repeated.
fn repeats(all: &[Vec<f64>]) {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut kinds: [Tally; 5] = Default::default();
    for runs in all.iter().filter(|runs| runs.len() >= 8) {
        let mut shuffled = runs.clone();
        shuffled.shuffle(&mut random);
        let (left, right) = shuffled.split_at(shuffled.len() / 2);
        kinds[0].add(&energies(left), &energies(right));
        kinds[1].add(&energies(left), &energies(&scaled(right, INCREASE)));
        let (first, second) = runs.split_at(runs.len() / 2);
        kinds[2].add(&energies(first), &energies(second));
    }
    for pair in all.windows(2) {
        kinds[3].add(&energies(&pair[0]), &energies(&pair[1]));
        kinds[4].add(&energies(&pair[1]), &energies(&pair[0]));
    }
    let half = "7 or 8 (15 of some) against 8 or 15";
    kinds[0].print("false alarms: a commit's repeats, split at random", half, false);
    kinds[1].print("misses: the same splits, one half x 1.05", half, true);
    kinds[2].print("false alarms: first half against second", half, false);
    real_increases(all, &mut random);
    let whole = "15 (30 of some)";
    kinds[3].print("alarms: adjacent commits (some are real)", whole, false);
    kinds[4].print("alarms: the same, newer first", whole, false);
}

/// Pairs of commits between which every other repeat shows an increase of 4.5 to 5.5 %;
/// the others are compared.
fn real_increases(all: &[Vec<f64>], random: &mut ChaCha8Rng) {
    let every_other = |runs: &[f64], from: usize| -> Vec<f64> {
        runs.iter().skip(from).step_by(2).copied().collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut real = Tally::default();
    let mut tries = 0;
    while real.number < 500 && tries < 200_000 && !all.is_empty() {
        tries += 1;
        let (a, b) =
            (&all[random.random_range(0..all.len())], &all[random.random_range(0..all.len())]);
        let share = mean(&every_other(b, 0)) / mean(&every_other(a, 0)) - 1.0;
        if (0.045..0.055).contains(&share) {
            real.add(&energies(&every_other(a, 1)), &energies(&every_other(b, 1)));
        }
    }
    real.print(
        "misses: two commits, 4.5 to 5.5 % apart by the other repeats",
        "7 (15 of some)",
        true,
    );
}

/// Groups of sessions drawn from two campaigns: from the first for null comparisons, from
/// both for the increase. Groups of one comparison share no session; comparisons do.
fn campaigns(base: &Path, new: &Path) -> Outcome {
    let (base, new) = (Sessions::read(base)?, Sessions::read(new)?);
    let sessions = base.power.len().min(new.power.len()).min(base.idle.len()).min(new.idle.len());
    let mean = |one: &Sessions| one.group(&(0..sessions).collect::<Vec<_>>()).sum(["all"]);
    if let (Some(b), Some(n)) = (mean(&base), mean(&new)) {
        let share = 100.0 * (n.value / b.value - 1.0);
        let error = |one: &wattline::compare::UncertainEnergy| one.variance().unwrap_or(0.0).sqrt();
        println!(
            "<!-- {sessions} sessions each: {:.4} +- {:.4} J, {:.4} +- {:.4} J, {share:+.2} % -->",
            b.value,
            error(&b),
            n.value,
            error(&n)
        );
    }
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for repeats in [2, 3, 5, 10] {
        let (mut null, mut more) = (Tally::default(), Tally::default());
        for _ in 0..400 {
            let mut order: Vec<usize> = (0..sessions).collect();
            order.shuffle(&mut random);
            if order.len() < 2 * repeats {
                return Err(format!("{} sessions are too few", order.len()).into());
            }
            let (left, right) = order.split_at(repeats);
            null.add(&base.group(left), &base.group(&right[..repeats]));
            order.shuffle(&mut random);
            more.add(
                &base.group(left_of(&order, repeats)),
                &new.group(&order[repeats..2 * repeats]),
            );
        }
        let about = format!("{repeats} power and {repeats} idle runs");
        null.print("false alarms, virtual board", &about, false);
        more.print("misses of the increase, virtual board", &about, true);
    }
    Ok(())
}

fn left_of(order: &[usize], repeats: usize) -> &[usize] {
    &order[..repeats]
}

/// The good sessions of a campaign of one input: its base case's power runs, all idle runs.
struct Sessions {
    power: Vec<PowerRunEnergy>,
    idle: Vec<f64>,
}

impl Sessions {
    fn read(folder: &Path) -> Result<Sessions, Box<dyn std::error::Error>> {
        let records = read_journal(folder)?;
        let of = |phase| records.iter().filter(move |run| run.is_good() && run.run.phase == phase);
        let power = of(RunPhase::Power)
            .filter(|run| run.run.case.starts_with("base-"))
            .filter_map(|run| run.measured.as_ref())
            .map(|run| PowerRunEnergy { energy_j: run.energy_j, duration_s: run.duration_s });
        let idle = of(RunPhase::Idle).filter_map(|run| Some(run.measured.as_ref()?.mean_power_w()));
        Ok(Sessions { power: power.collect(), idle: idle.collect() })
    }

    fn group(&self, which: &[usize]) -> Measurement {
        let repeats = which.iter().map(|&i| self.power[i]).collect();
        Measurement {
            inputs: BTreeMap::from([(
                "all".to_string(),
                InputRuns { repeats, ..InputRuns::default() },
            )]),
            idle_powers_w: which.iter().map(|&i| self.idle[i]).collect(),
            between_campaigns: 0.0,
        }
    }
}
