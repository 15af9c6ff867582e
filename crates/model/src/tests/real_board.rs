//! Counters and power of a real board (ODROID-XU3, cBench programs): joules between
//! consecutive samples on the interval's length and 13 counters, leaving one program
//! out. Skipped where the data are not at hand.

use crate::table::{Case, Table};
use crate::{CvSet, FitOptions, FoldOptions, FoldUnit, Solver, cross_validate};

const LOG: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/data/odroid-xu3/cbench/concatenated.data"
);

/// The log's columns: time, program, run, frequency, temperature, V, A, W, counters.
fn samples_at(text: &str, frequency_mhz: &str) -> Table {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut features = vec!["interval_s".to_owned()];
    features.extend(header[8..].iter().map(|name| (*name).to_owned()));
    let mut table = Table { features, ..Table::default() };
    let rows: Vec<Vec<&str>> = lines.filter(|row| row[3] == frequency_mhz).collect();
    for pair in rows.windows(2).filter(|pair| pair[0][1..3] == pair[1][1..3]) {
        let time_ns = |row: &[&str]| row[0].parse::<u64>().unwrap();
        let interval_s = (time_ns(&pair[1]) - time_ns(&pair[0])) as f64 * 1e-9;
        let power_w: f64 = pair[1][7].parse().unwrap();
        table.cases.push(Case {
            name: pair[1][0].to_owned(),
            group: pair[1][1].to_owned(),
            device: "odroid-xu3".to_owned(),
            duration_s: Some(interval_s),
            energy_j: power_w * interval_s,
            energy_se_j: None,
            weight: None,
            executions: None,
        });
        table.counts.push(interval_s);
        table.counts.extend(pair[1][8..].iter().map(|count| count.parse::<f64>().unwrap()));
    }
    table
}

/// NMAE over all held-out samples, as the reference figures are.
fn leave_one_program_out(table: &Table, solver: Solver) -> f64 {
    let mut programs: Vec<&str> = table.cases.iter().map(|case| case.group.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    let folds = FoldOptions { folds: programs.len(), unit: FoldUnit::Group, seed: 1 };
    let found = cross_validate(table, &FitOptions::new(solver), folds, None).unwrap();
    let held_out = |row: &&crate::CvRow| row.set == CvSet::Validation && row.model == solver.name();
    let (sum, n) = found.rows.iter().filter(held_out).fold((0.0, 0.0), |(sum, n), row| {
        (sum + row.nmae * row.cases as f64, n + row.cases as f64)
    });
    sum / n
}

#[test]
fn programs_never_seen_are_predicted_as_by_the_reference() {
    let Ok(text) = std::fs::read_to_string(LOG) else {
        return crate::skip::outside("no log of an ODROID-XU3 at hand");
    };
    for (frequency, limit) in [("1000", 0.0256), ("1500", 0.0230), ("2000", 0.0300)] {
        let table = samples_at(&text, frequency);
        let nmae = leave_one_program_out(&table, Solver::Nnls);
        assert!(nmae <= limit, "{frequency} MHz: {nmae}");
    }
}

/// Errors of rounds of four that hold whole programs out.
fn rounds_by_program(table: &Table, solver: Solver, model: &str) -> Vec<(f64, f64)> {
    let folds = FoldOptions { unit: FoldUnit::Group, ..FoldOptions::default() };
    let mut options = FitOptions::new(solver);
    options.inner_folds.unit = FoldUnit::Group;
    let found = cross_validate(table, &options, folds, None).unwrap();
    let held_out = found.rows.into_iter().filter(|row| row.set == CvSet::Validation);
    held_out.filter(|row| row.model == model).map(|row| (row.nmae, row.cases as f64)).collect()
}

/// What is chosen without a solver named: better than `shrink`, and no round worse than
/// one cost for all counters.
#[test]
fn the_choice_is_better_than_shrink_on_real_logs() {
    let Ok(text) = std::fs::read_to_string(LOG) else {
        return crate::skip::outside("no log of an ODROID-XU3 at hand");
    };
    let mean = |rounds: &[(f64, f64)]| {
        let (sum, n) = rounds.iter().fold((0.0, 0.0), |(s, n), (e, m)| (s + e * m, n + m));
        sum / n
    };
    for frequency in ["1500", "2000"] {
        let table = samples_at(&text, frequency);
        let ours = rounds_by_program(&table, Solver::Stack, "stack");
        let flat = rounds_by_program(&table, Solver::Stack, "flat");
        let shrink = rounds_by_program(&table, Solver::Shrink, "shrink");
        eprintln!("{frequency} MHz: {:.4}, shrink {:.4}", mean(&ours), mean(&shrink));
        assert!(ours.iter().zip(&flat).all(|(ours, flat)| ours.0 <= flat.0), "{ours:?} {flat:?}");
        assert!(mean(&ours) < mean(&shrink), "{ours:?} {shrink:?}");
    }
}
