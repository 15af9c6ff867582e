//! The paper's numbers, from the simulated nodes' logs alone.

use std::collections::BTreeMap;

use super::super::*;
use super::{run_blink, run_bounce};
use crate::activities::label::Labels;

/// Facts of table 3 of Fonseca et al., "Quanto: Tracking Energy in Networked Embedded
/// Systems", OSDI 2008: Blink for 48 s.
const TABLE: &str = include_str!("../../../datasets/quanto-blink/table-3.csv");

/// Where the meter stands within a count when the log begins. How well the processor's
/// power is found depends on it: see the tests below.
const PHASE: f64 = 50.0 / 64.0;

fn analysed(first_time: u32, first_energy: f64, options: &AnalysisOptions) -> (Analysis, Labels) {
    let mut run = run_blink(first_time, first_energy);
    assert_eq!((run.node.buffer.entries().len(), run.node.buffer.lost_entries()), (597, 0));
    let mut labels = Labels::default();
    let names = NodeNames::parse(run.names).unwrap();
    let log = read_quanto(&run.node.buffer.take_bytes(), &names, &mut labels).unwrap();
    (analyse(log, &labels, options).unwrap(), labels)
}

/// Figures of the account by table, row and column, in the table's units.
fn figures(analysis: &Analysis, labels: &Labels) -> BTreeMap<(String, String, String), f64> {
    let account = analysis.account.as_ref().unwrap();
    let powers = analysis.powers.as_ref().unwrap();
    let mut found = BTreeMap::new();
    let mut put = |table: &str, row: &str, column: &str, value: f64| {
        found.insert((table.into(), row.into(), column.into()), value);
    };
    let row = |at: usize| match account.rows[at].as_str() {
        "constant" => "Const".to_owned(),
        name => name.to_owned(),
    };
    for ((component, payer), time) in &account.times_s {
        if let Payer::Activity(label) = payer {
            put("time", &row(*component), labels.name(*label), *time);
        }
    }
    put("power", "Const", "", powers.constant.w * 1e3);
    for (name, power) in analysis.columns.names.iter().zip(&powers.of) {
        put("power", name.split(':').next().unwrap(), "", power.unwrap().w * 1e3);
    }
    for (component, energy) in account.energies_by_row() {
        put("energy_component", &row(component), "", energy * 1e3);
    }
    put("energy_component", "Total", "", account.split.total_j() * 1e3);
    put("energy_activity", "", "Idle", 0.0);
    for (payer, energy) in account.energies_by_payer() {
        match payer {
            Payer::Activity(label) => put("energy_activity", "", labels.name(label), energy * 1e3),
            Payer::Constant => put("energy_activity", "", "Const", energy * 1e3),
            other => panic!("{other:?} pays {energy} J"),
        }
    }
    put("energy_activity", "", "Total", account.split.total_j() * 1e3);
    found
}

/// The lines of the paper's table that an analysis does not give, and how many were
/// compared. `energy_mj` is what energies of activities may be off.
fn mismatches(
    analysis: &Analysis,
    labels: &Labels,
    energy_mj: impl Fn(f64) -> f64,
) -> (Vec<String>, usize) {
    let found = figures(analysis, labels);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for line in TABLE.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let key = (fields[0].to_owned(), fields[1].to_owned(), fields[2].to_owned());
        let paper: f64 = fields[3].parse().unwrap();
        let allowed = match (fields[0], fields[1]) {
            ("current", _) => continue,
            ("power", "CPU") => 0.15,
            ("power", _) => 0.005,
            ("energy_activity", _) | (_, "Total") => energy_mj(paper),
            _ => (0.0025 * paper).max(0.005),
        };
        let value = found[&key];
        println!("{line}: {value:.4}");
        compared += 1;
        if (value - paper).abs() > allowed + 1e-9 {
            wrong.push(format!("{line}: {value}, {allowed} allowed"));
        }
    }
    let error = analysis.account.as_ref().unwrap().reconstruction_error().unwrap();
    println!("reconstruction error {:.5} %", error * 100.0);
    if error > 4e-5 {
        wrong.push(format!("reconstruction error {error}"));
    }
    (wrong, compared)
}

/// With a meter that counts nanojoules: what the accounts make of exact readings.
#[test]
fn blink_gives_the_papers_tables() {
    let mut run = super::blink::run_blink_with_meter(0, 0.0, 119.258e-3 / 48.0024, 1e-9);
    let names = NodeNames::parse(&run.names.replace("8.33e-6", "1e-9")).unwrap();
    let mut labels = Labels::default();
    let log = read_quanto(&run.node.buffer.take_bytes(), &names, &mut labels).unwrap();
    let analysis = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    assert_eq!(mismatches(&analysis, &labels, |_| 0.01), (Vec::new(), 31));
}

/// With steps of 8.33 uJ, a LED's power is good to 3 uW, which are 0.08 mJ in 24 s: energies
/// of activities to 0.25 %.
#[test]
fn blink_gives_the_papers_tables_from_quantised_readings() {
    let (analysis, labels) = analysed(0, PHASE, &AnalysisOptions::default());
    let found = mismatches(&analysis, &labels, |mj| (0.0025 * mj).max(0.01));
    assert_eq!(found, (Vec::new(), 31));
}

/// The log that is shipped is the one that the node writes.
#[test]
fn the_data_set_is_the_log_of_blink() {
    let log: &[u8] = include_bytes!("../../../datasets/quanto-blink/blink.quanto");
    let names: &[u8] = include_bytes!("../../../datasets/quanto-blink/blink.toml");
    let files = super::blink_files();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    assert_eq!(files, [("blink.quanto", log), ("blink.toml", names)]);
}

#[test]
fn nothing_changes_when_both_counters_wrap() {
    let (plain, labels) = analysed(0, 0.25, &AnalysisOptions::default());
    let wrapped_energy = f64::from(u32::MAX) - 20_000.0;
    let (wrapped, _) =
        analysed(u32::MAX - 9_000_000, wrapped_energy + 0.25, &AnalysisOptions::default());
    let (plain, wrapped) = (figures(&plain, &labels), figures(&wrapped, &labels));
    for (key, value) in plain {
        assert!((value - wrapped[&key]).abs() < 1e-6, "{key:?}");
    }
}

/// Errors of the powers in mW (constant, CPU, LEDs), at 64 phases of the meter and five
/// constant terms that the paper's rounding leaves room for.
fn errors_mw(weights: EquationWeights) -> Vec<[f64; 5]> {
    let errors = |(phase, constant_mj): (u32, f64)| {
        let constant_w = constant_mj * 1e-3 / 48.0024;
        let mut run =
            super::blink::run_blink_with_meter(0, f64::from(phase) / 64.0, constant_w, 8.33e-6);
        let names = NodeNames::parse(run.names).unwrap();
        let mut labels = Labels::default();
        let log = read_quanto(&run.node.buffer.take_bytes(), &names, &mut labels).unwrap();
        let options = AnalysisOptions { weights, ..AnalysisOptions::default() };
        let powers = analyse(log, &labels, &options).unwrap().powers.unwrap();
        let of = |at: usize| powers.of[at].unwrap().w;
        let found = [powers.constant.w, of(0), of(1), of(2), of(3)];
        let truth = [constant_mj / 48.0024, 4.29, 180.708 / 24.0, 161.058 / 24.0, 59.838 / 24.0];
        std::array::from_fn(|at| found[at] * 1e3 - truth[at])
    };
    let constants = [119.256, 119.257, 119.258, 119.260, 119.263];
    constants.into_iter().flat_map(|mj| (0..64).map(move |phase| (phase, mj))).map(errors).collect()
}

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, n), value| (sum + value * value, n + 1));
    (sum / f64::from(count)).sqrt()
}

#[test]
fn the_weighted_fit_is_better_than_the_unweighted() {
    let (weighted, equal) =
        (errors_mw(EquationWeights::SqrtEnergyTime), errors_mw(EquationWeights::Equal));
    let all = |errors: &[[f64; 5]]| rms(errors.iter().flatten().copied());
    println!("rms error: weighted {} mW, unweighted {} mW", all(&weighted), all(&equal));
    assert!(all(&weighted) < 0.7 * all(&equal));
    // All but the processor's are found at every phase. That one is active for 85 ms, 44
    // counts of the meter: two readings at each of 49 wakes, each off by up to a count, allow
    // no more than 0.28 mW as a root mean square.
    for at in [0, 2, 3, 4] {
        let largest = weighted.iter().map(|errors| errors[at].abs()).fold(0.0, f64::max);
        println!("power {at}: largest error {largest} mW");
        assert!(largest < 0.005, "power {at}: {largest} mW");
    }
    let processor = rms(weighted.iter().map(|errors| errors[1]));
    let near = weighted.iter().filter(|errors| errors[1].abs() < 0.15).count();
    println!("processor: rms error {processor} mW, {near} of {} within 0.15", weighted.len());
    assert!(processor < 0.4);
}

#[test]
fn logging_is_an_activity_of_its_own_if_asked() {
    let logging = LoggingAttribution::Apart;
    let account = AccountOptions { logging, ..AccountOptions::default() };
    let (analysis, _) =
        analysed(0, 0.0, &AnalysisOptions { account, ..AnalysisOptions::default() });
    let account = analysis.account.unwrap();
    let cost = account.logging.unwrap();
    assert_eq!(cost.entries, 597);
    assert!((cost.time_s - 60.7149e-3).abs() < 1e-9);
    assert!((cost.of_active.unwrap() - 0.7105).abs() < 0.001, "{cost:?}");
    assert!((cost.energy_j.unwrap() - 0.41e-3).abs() < 0.01e-3, "{cost:?}");
    let apart = account.times_s[&(0, Payer::Logging)];
    assert!(apart > 0.045 && apart <= cost.time_s, "{apart} s fall into active time");
    assert!(account.energies_by_payer()[&Payer::Logging] > 0.2e-3);
}

#[test]
fn bounce_charges_each_packet_to_the_node_that_made_it() {
    let offset_s = 0.35;
    let mut run = run_bounce(6.0, offset_s);
    let mut labels = Labels::default();
    for (at, node) in run.nodes.iter_mut().enumerate() {
        assert_eq!(node.buffer.lost_entries(), 0);
        let truth = node.truth_j.clone();
        let names = NodeNames::parse(&run.names[at]).unwrap();
        let log = read_quanto(&node.buffer.take_bytes(), &names, &mut labels).unwrap();
        let analysis = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let account = analysis.account.unwrap();
        let by_payer = account.energies_by_payer();
        for origin in [1u8, 4] {
            let code = LabelCode::new(origin, 1);
            let truth: f64 =
                truth.iter().filter(|((_, user), _)| *user == code).map(|(_, j)| j).sum();
            let label = labels.intern(&origin.to_string(), "BounceApp");
            let found = by_payer[&Payer::Activity(label)];
            assert!((found / truth - 1.0).abs() < 0.01, "node {at}, {origin}: {found} {truth}");
        }
        for payer in by_payer.keys() {
            if let Payer::Activity(label) = payer {
                let name = labels.name(*label);
                assert!(["BounceApp", "Idle"].contains(&name), "{name} was not bound");
            }
        }
        assert!(account.reconstruction_error().unwrap() < 1e-4);
    }
}
