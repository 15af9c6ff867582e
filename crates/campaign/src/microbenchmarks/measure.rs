//! From microbenchmark windows to prior costs: counts per microbenchmark, the table of
//! microbenchmarks, the fit.

use std::collections::{BTreeMap, BTreeSet};

use wattline_units::file_schema::DeclaredColumn;

use crate::assumptions::{ASSUMED, Assumptions};
use crate::csv_text::CsvText;
use crate::dataset::DATASET_COLUMNS;
use crate::model::table::{Case, GARBAGE_COLLECTION, Table};
use crate::model::{FitOptions, Model, ModelError, Penalty, Solver, fit};
use crate::operations::{Dictionary, OperationMix, form_name};

use super::cost_outliers::cost_multiples;
use super::prices::{MicrobenchmarkPrices, PER_ELEMENT, price_operations};
use super::{Microbenchmark, program};

/// Energies and counts are given per this many iterations, so that microbenchmarks with
/// different numbers of iterations compare.
pub const NORMALISED_ITERATIONS: f64 = 1e6;

/// The energy of one run of a microbenchmark on a board.
#[derive(Debug, Clone, PartialEq)]
pub struct MicrobenchmarkRun {
    /// The microbenchmark's name.
    pub name: String,
    /// The board it ran on.
    pub device: String,
    /// Iterations of its loop.
    pub iterations: u64,
    /// Number of GC runs in the window.
    pub gc_runs: u64,
    /// Energy above idle in joules.
    pub energy_j: f64,
    /// Length of the window in seconds.
    pub duration_s: f64,
}

/// A counted run of the microbenchmarks' program: executions of every block, with the iterations of
/// each microbenchmark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountedRun {
    /// Iterations of each microbenchmark's loop.
    pub iterations: u64,
    /// Executions by block id.
    pub executions: Vec<u64>,
}

/// Counts of every form of operation per iteration of each microbenchmark, from two counted runs of
/// different length, whose difference has no code outside the loop.
pub(crate) fn counts_per_iteration(
    dictionary: &Dictionary,
    short: &CountedRun,
    long: &CountedRun,
) -> BTreeMap<String, BTreeMap<String, f64>> {
    let iterations = (long.iterations - short.iterations) as f64;
    let mut microbenchmarks: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for block in &dictionary.blocks {
        let index = block.id.0 as usize;
        let at = |run: &CountedRun| run.executions.get(index).copied().unwrap_or(0) as f64;
        let per_iteration = (at(long) - at(short)) / iterations;
        let Some(name) = microbenchmark_of(&block.class).filter(|_| per_iteration > 0.0) else {
            continue;
        };
        let counts = microbenchmarks.entry(name.to_string()).or_default();
        let executed = block.operations.iter().filter(|operation| !operation.is_compiled_away());
        for operation in executed {
            *counts.entry(operation.form()).or_default() +=
                per_iteration * f64::from(operation.count);
        }
    }
    microbenchmarks
}

/// Adds the number of elements processed by calls of sized microbenchmarks as a form of the library
/// function, so that a call and an element have separate costs.
pub(crate) fn count_elements(
    microbenchmarks: &[Microbenchmark],
    counts: &mut BTreeMap<String, BTreeMap<String, f64>>,
) {
    for microbenchmark in microbenchmarks {
        let (Some(elements), Some(counts)) =
            (microbenchmark.elements, counts.get_mut(&microbenchmark.name))
        else {
            continue;
        };
        for function in &microbenchmark.measures {
            let Some(calls) = counts.get(function).copied() else { continue };
            counts.insert(form_name(function, PER_ELEMENT), calls * f64::from(elements));
        }
    }
}

/// The table of microbenchmarks: a case per microbenchmark and board, energy and counts of a
/// million iterations. `group` is the microbenchmark; the standard error comes from its repeats.
pub fn microbenchmark_table(
    runs: &[MicrobenchmarkRun],
    counts: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Table {
    let mut by_microbenchmark: BTreeMap<(&str, &str), Vec<&MicrobenchmarkRun>> = BTreeMap::new();
    for run in runs {
        by_microbenchmark.entry((&run.name, &run.device)).or_default().push(run);
    }
    by_microbenchmark.retain(|(name, _), _| counts.contains_key(*name));
    let features: BTreeSet<&str> = by_microbenchmark
        .keys()
        .flat_map(|(name, _)| counts[*name].keys())
        .map(String::as_str)
        .collect();
    let collects = runs.iter().any(|run| run.gc_runs > 0);
    let features = features.into_iter().chain(collects.then_some(GARBAGE_COLLECTION));
    let mut table = Table { features: features.map(str::to_owned).collect(), ..Table::default() };
    for ((name, device), runs) in by_microbenchmark {
        table.cases.push(case(name, device, &runs));
        let row = table.features.iter().map(|feature| match feature == GARBAGE_COLLECTION {
            true => gc_runs(&runs),
            false => counts[name].get(feature).copied().unwrap_or(0.0),
        });
        table.counts.extend(row.map(|per_iteration| per_iteration * NORMALISED_ITERATIONS));
    }
    table
}

/// GC runs per iteration on the board. The counts have none, as the local JVM that they come from
/// has another heap.
fn gc_runs(runs: &[&MicrobenchmarkRun]) -> f64 {
    let sum =
        |of: fn(&MicrobenchmarkRun) -> u64| runs.iter().map(|run| of(run) as f64).sum::<f64>();
    sum(|run| run.gc_runs) / sum(|run| run.iterations)
}

/// The table as CSV, in the data set's columns.
pub(crate) fn table_csv(table: &Table) -> String {
    let features = table.features.iter().map(String::as_str);
    let mut text = CsvText::new(DeclaredColumn::names(DATASET_COLUMNS).into_iter().chain(features));
    let or_empty = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for (index, case) in table.cases.iter().enumerate() {
        let fixed = [
            case.name.clone(),
            case.group.clone(),
            case.device.clone(),
            or_empty(case.duration_s),
            case.energy_j.to_string(),
            or_empty(case.energy_se_j),
        ];
        text.row(fixed.into_iter().chain(table.row(index).iter().map(f64::to_string)));
    }
    text.text()
}

/// Fits the costs by the microbenchmarks: not below zero, by relative errors. The standard error
/// includes the disagreement between microbenchmarks of one operation. Operations without a
/// microbenchmark have no cost. `mix` is the application's executions.
///
/// The prior of the fit is that costs are about alike, and those of expensive operations larger by
/// their `cost_multiples`.
pub(crate) fn microbenchmark_prices(
    table: &Table,
    mix: &OperationMix,
) -> Result<MicrobenchmarkPrices, ModelError> {
    let penalty = Penalty::Fixed(prior_strength(&table.cases, &ASSUMED));
    let options = FitOptions { penalty, ..FitOptions::new(Solver::Shrink) };
    let cost_multiples = cost_multiples(table);
    let model = fit(&scale_counts(table, &cost_multiples), &options)?;
    Ok(price_operations(&scale_costs(model, &cost_multiples), mix))
}

/// The table with the counts of each column multiplied by its factor.
fn scale_counts(table: &Table, factors: &[f64]) -> Table {
    let rows = table.counts.chunks(factors.len().max(1));
    let counts = rows.flat_map(|row| row.iter().zip(factors).map(|(count, factor)| count * factor));
    Table { counts: counts.collect(), ..table.clone() }
}

/// The model of a table scaled by [`scale_counts`], as a model of the unscaled counts.
fn scale_costs(mut model: Model, factors: &[f64]) -> Model {
    for (cost, factor) in model.costs.iter_mut().zip(factors) {
        cost.cost_j *= factor;
        for figure in [&mut cost.se_j, &mut cost.lo_j, &mut cost.hi_j] {
            *figure = figure.map(|figure| figure * factor);
        }
    }
    let columns = factors.len();
    for (at, entry) in model.covariance.iter_mut().flatten().enumerate() {
        *entry *= factors[at / columns] * factors[at % columns];
    }
    model
}

/// Strength of the prior that draws costs to their common mean: the variance of a microbenchmark's
/// error divided by that of costs. The prior decides only between costs that microbenchmarks do not
/// separate, and should be weak there: ten times as much made a comparison 10 nJ too cheap and the
/// branch that follows it 12 nJ too expensive. Cross-validation over a few microbenchmarks per
/// operation would choose a far too strong one.
fn prior_strength(cases: &[Case], assumed: &Assumptions) -> f64 {
    let relative = cases.iter().filter_map(|case| Some(case.energy_se_j? / case.energy_j));
    let (sum, n) = relative
        .filter(|error| error.is_finite())
        .fold((0.0, 0.0), |(sum, n), error| (sum + error * error, n + 1.0));
    let residual = assumed.simulated_chip_microbenchmark_residual.powi(2);
    (residual + sum / f64::max(n, 1.0)) / assumed.simulated_chip_microbenchmark_cost_spread.powi(2)
}

fn case(name: &str, device: &str, runs: &[&MicrobenchmarkRun]) -> Case {
    let per_iterations =
        |run: &&MicrobenchmarkRun| run.energy_j / run.iterations as f64 * NORMALISED_ITERATIONS;
    let energies: Vec<f64> = runs.iter().map(per_iterations).collect();
    let n = energies.len() as f64;
    let mean = energies.iter().sum::<f64>() / n;
    let squares = energies.iter().map(|energy| (energy - mean).powi(2)).sum::<f64>();
    let se = (energies.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt());
    let durations =
        runs.iter().map(|run| run.duration_s / run.iterations as f64 * NORMALISED_ITERATIONS);
    Case {
        name: name.to_string(),
        group: name.to_string(),
        device: device.to_string(),
        duration_s: Some(durations.sum::<f64>() / n),
        energy_j: mean,
        energy_se_j: se,
        weight: None,
        executions: None,
    }
}

/// Name of a microbenchmark by its class: `wattline.microbenchmarks.Microbenchmark_add_int$Node`
/// gives `add_int`.
fn microbenchmark_of(class: &str) -> Option<&str> {
    let (package, name) = class.rsplit_once('.')?;
    let name = name.strip_prefix("Microbenchmark_")?;
    let in_package = program::MAIN_CLASS.starts_with(package);
    in_package.then(|| name.split('$').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockId;
    use crate::operations::{BlockEntry, OperationCount};

    fn block(id: u32, class: &str, operation: &str, count: u32) -> BlockEntry {
        BlockEntry {
            id: BlockId(id),
            name: format!("b{id}"),
            kind: "entry".into(),
            file: "K.java".into(),
            start_line: 1,
            end_line: 1,
            class: class.into(),
            method: "run(int)".into(),
            removable: false,
            operations: vec![OperationCount {
                operation: operation.parse().unwrap(),
                context: Default::default(),
                line: 1,
                count,
            }],
        }
    }

    #[test]
    fn counts_are_those_of_the_loop_alone() {
        let dictionary = Dictionary {
            blocks: vec![
                block(0, "wattline.microbenchmarks.Microbenchmark_add_int", "Declaration_int", 3),
                block(1, "wattline.microbenchmarks.Microbenchmark_add_int", "Addition_int_int", 4),
                block(2, "wattline.microbenchmarks.Microbenchmark_new$Node", "New_Object", 1),
                block(3, "wattline.microbenchmarks.MicrobenchmarkMain", "Increment", 1),
            ],
        };
        let short = CountedRun { iterations: 100, executions: vec![1, 100, 200, 7] };
        let long = CountedRun { iterations: 300, executions: vec![1, 300, 600, 9] };
        let counts = counts_per_iteration(&dictionary, &short, &long);
        assert_eq!(
            counts,
            BTreeMap::from([
                ("add_int".into(), BTreeMap::from([("Addition_int_int".into(), 4.0)])),
                ("new".into(), BTreeMap::from([("New_Object".into(), 2.0)])),
            ])
        );
    }

    #[test]
    fn a_sized_microbenchmarks_elements_are_counted() {
        let text = "[[microbenchmark]]\nname = 'fill_$N'\nmeasures = ['lib:A.fill']\nsizes = [8, 128]\nbody = 'fill();'";
        let microbenchmarks = super::super::catalogue::parse(text).unwrap();
        let calls = || BTreeMap::from([("lib:A.fill".to_string(), 4.0)]);
        let mut counts = BTreeMap::from([("fill_8".into(), calls()), ("loop".into(), calls())]);
        count_elements(&microbenchmarks, &mut counts);
        assert_eq!(counts["fill_8"]["lib:A.fill [per element]"], 32.0);
        assert_eq!(counts["loop"], calls());
    }

    #[test]
    fn a_microbenchmarks_row_is_a_million_iterations_with_its_standard_error() {
        let run = |iterations, energy_j| MicrobenchmarkRun {
            gc_runs: 0,
            name: "k".into(),
            device: String::new(),
            iterations,
            energy_j,
            duration_s: 1.0,
        };
        let counts = BTreeMap::from([("k".to_string(), BTreeMap::from([("A".to_string(), 2.0)]))]);
        let table = microbenchmark_table(&[run(1_000_000, 3.0), run(2_000_000, 10.0)], &counts);
        assert_eq!(table.counts, [2e6]);
        assert_eq!(table.cases[0].energy_j, 4.0);
        assert_eq!(table.cases[0].energy_se_j, Some(1.0));
    }

    #[test]
    fn the_table_reads_back_with_commas_in_names() {
        let run = |energy_j| MicrobenchmarkRun {
            gc_runs: 0,
            name: "max, min".into(),
            device: "B1".into(),
            iterations: 1_000_000,
            energy_j,
            duration_s: 1.0,
        };
        let of_microbenchmark =
            BTreeMap::from([("lib:Math.max(int,int)".into(), 2.0), ("A".into(), 1.0)]);
        let counts = BTreeMap::from([("max, min".to_string(), of_microbenchmark)]);
        let table = microbenchmark_table(&[run(3.0), run(5.0)], &counts);
        let text = table_csv(&table);
        let expected = "case,group,device,duration_s,energy_j,energy_se_j,A,\
                        \"lib:Math.max(int,int)\"\n\
                        \"max, min\",\"max, min\",B1,1,4,1,1000000,2000000\n";
        assert_eq!(text, expected);
        assert_eq!(Table::from_csv(&text, &Default::default()).unwrap(), table);
    }

    #[test]
    fn costs_come_back_from_microbenchmarks_made_of_them() {
        let costs = [2e-8, 5e-9, 7e-8];
        let names = ["A", "B", "C"];
        let rows = [[1.0, 0.0, 0.0], [1.0, 4.0, 0.0], [1.0, 0.0, 2.0], [2.0, 3.0, 1.0]];
        let mut counts = BTreeMap::new();
        let mut runs = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let energy: f64 = row.iter().zip(costs).map(|(count, cost)| count * cost).sum();
            let name = format!("k{index}");
            for scale in [0.999, 1.001] {
                runs.push(MicrobenchmarkRun {
                    gc_runs: 0,
                    name: name.clone(),
                    device: String::new(),
                    iterations: 1_000_000,
                    energy_j: energy * 1e6 * scale,
                    duration_s: 1.0,
                });
            }
            let row = names.iter().zip(row).filter(|(_, count)| **count > 0.0);
            counts.insert(name, row.map(|(name, count)| (name.to_string(), *count)).collect());
        }
        let priors =
            microbenchmark_prices(&microbenchmark_table(&runs, &counts), &OperationMix::default())
                .unwrap()
                .prices;
        assert_eq!(priors.len(), 3);
        for (prior, cost) in priors.iter().zip(costs) {
            assert!((prior.cost_j / cost - 1.0).abs() < 0.02, "{prior:?} {cost}");
        }
    }

    /// A remainder that takes a thousand times what all else does, in a microbenchmark of its own
    /// beside microbenchmarks that do not add up: 20 % off, every other one up and down.
    #[test]
    fn one_operation_may_cost_a_thousand_times_what_others_do() {
        let cheap = ["A", "B", "C", "D", "E"];
        let (mut counts, mut runs) = (BTreeMap::new(), Vec::new());
        let mut microbenchmark = |name: &str, row: &[(&str, f64)], energy_j: f64| {
            let row = row.iter().map(|(name, count)| ((*name).to_string(), *count));
            counts.insert(name.to_string(), row.collect::<BTreeMap<_, _>>());
            runs.extend([0.99, 1.01].map(|scale| MicrobenchmarkRun {
                gc_runs: 0,
                name: name.to_string(),
                device: String::new(),
                iterations: 1_000_000,
                energy_j: energy_j * scale,
                duration_s: 1.0,
            }));
        };
        for (at, a) in cheap.iter().enumerate() {
            for (beside, b) in cheap.iter().enumerate().skip(at + 1) {
                let off = if (at + beside) % 2 == 0 { 1.2 } else { 0.8 };
                microbenchmark(&format!("{a}{b}"), &[(a, 2.0), (b, 1.0)], 3e-3 * off);
            }
        }
        microbenchmark("remainder", &[("A", 1.0), ("Modulo", 2.0)], 2.001);
        let priced =
            microbenchmark_prices(&microbenchmark_table(&runs, &counts), &OperationMix::default())
                .unwrap()
                .prices;
        let of = |name: &str| priced.iter().find(|price| price.operation == name).unwrap();
        let (remainder, cheap) = (of("Modulo"), of("A"));
        assert!((remainder.cost_j / 1e-6 - 1.0).abs() < 0.05, "{remainder:?}");
        assert!(remainder.se_j < 0.3 * remainder.cost_j, "{remainder:?}");
        assert!((cheap.cost_j / 1e-9 - 1.0).abs() < 0.5, "{cheap:?}");
    }

    #[test]
    fn a_model_of_columns_that_count_more_is_told_by_execution() {
        let model = Model {
            covariance: Some(vec![1.0, 2.0, 2.0, 4.0]),
            ..Model::of_prices("shrink", [("A", 1.0), ("B", 2.0)])
        };
        let told = scale_costs(model, &[1.0, 3.0]);
        assert_eq!((told.costs[0].cost_j, told.costs[1].cost_j), (1.0, 6.0));
        assert_eq!(told.covariance.unwrap(), [1.0, 6.0, 6.0, 36.0]);
    }

    /// Microbenchmarks measured without an error: four times the pull for twice the residual, a
    /// quarter for twice the spread.
    #[test]
    fn what_is_assumed_of_microbenchmarks_says_how_strongly_they_are_drawn() {
        let usual = prior_strength(&[], &ASSUMED);
        let simulated_chip_microbenchmark_residual =
            2.0 * ASSUMED.simulated_chip_microbenchmark_residual;
        let residual = Assumptions { simulated_chip_microbenchmark_residual, ..ASSUMED };
        assert_eq!(prior_strength(&[], &residual), 4.0 * usual);
        let simulated_chip_microbenchmark_cost_spread =
            2.0 * ASSUMED.simulated_chip_microbenchmark_cost_spread;
        let spread = Assumptions { simulated_chip_microbenchmark_cost_spread, ..ASSUMED };
        assert_eq!(prior_strength(&[], &spread), usual / 4.0);
    }
}
