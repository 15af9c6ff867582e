//! Runs of an overhead experiment (section 5 of the paper), as the tables that the test of
//! `overhead` reads: figures that are measured and figures that are given go one way.

use std::collections::BTreeMap;

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;

/// Name of the runs without anything that is tested.
pub const BASE_NAME: &str = "base";

/// Name of the sum over sockets.
const ALL_SOCKETS_NAME: &str = "all sockets";

/// Measured run: its configuration, scenario, energies by socket and duration.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRun {
    /// Its repetition, from 1.
    pub repetition: usize,
    /// What was tested; none where nothing was.
    pub configuration: Option<String>,
    /// What the machine did beside it.
    pub scenario: String,
    /// How long it was measured.
    pub seconds: f64,
    /// Joules of each socket, or of what else the meter tells apart, in its order.
    pub sockets: Vec<(String, f64)>,
}

/// Tables of runs with and without what is tested, and the names of those with too few runs for
/// either table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentTables {
    /// Runs with each configuration.
    pub with: String,
    /// Runs without, once for each configuration.
    pub base: String,
    /// Configurations and scenarios that were stopped before two runs of either.
    pub left_out: Vec<String>,
}

impl MeasuredRun {
    /// Returns the mean power in watts by socket; with several sockets their sum last.
    fn powers_by_socket_w(&self) -> Vec<(String, f64)> {
        let all: f64 = self.sockets.iter().map(|(_, joules)| joules).sum();
        let mut energies = match self.sockets.len() {
            1 => Vec::new(),
            _ => self.sockets.clone(),
        };
        energies.push((ALL_SOCKETS_NAME.to_owned(), all));
        energies.into_iter().map(|(name, joules)| (name, joules / self.seconds)).collect()
    }
}

impl ExperimentTables {
    /// Creates the tables of the configurations' runs, each against all runs without one.
    #[must_use]
    pub fn of(configurations: &[String], runs: &[MeasuredRun]) -> Self {
        let has_sockets = runs.iter().any(|run| run.sockets.len() > 1);
        let head: &[&str] = match has_sockets {
            true => &["configuration", "scenario", "socket", "power_w"],
            false => &["configuration", "scenario", "power_w"],
        };
        let (mut with, mut base) =
            (CsvText::new(head.iter().copied()), CsvText::new(head.iter().copied()));
        let mut count: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
        for run in runs {
            *count.entry((run.configuration.as_deref(), &run.scenario)).or_default() += 1;
        }
        let has_enough = |key| count.get(&key).is_some_and(|runs| *runs > 1);
        let mut left_out = Vec::new();
        let scenarios: std::collections::BTreeSet<&str> =
            runs.iter().map(|run| run.scenario.as_str()).collect();
        for (name, scenario) in configurations
            .iter()
            .flat_map(|name| scenarios.iter().map(move |scenario| (name.as_str(), *scenario)))
        {
            if !has_enough((Some(name), scenario)) || !has_enough((None, scenario)) {
                left_out.push(format!("{name}, {scenario}"));
                continue;
            }
            for run in runs.iter().filter(|run| run.scenario == scenario) {
                let table = match run.configuration.as_deref() {
                    None => &mut base,
                    Some(own) if own == name => &mut with,
                    Some(_) => continue,
                };
                for (socket, power_w) in run.powers_by_socket_w() {
                    let socket = has_sockets.then_some(socket);
                    let names = [name.to_owned(), scenario.to_owned()].into_iter().chain(socket);
                    table.row(names.chain([power_w.to_string()]));
                }
            }
        }
        Self { with: with.text(), base: base.text(), left_out }
    }
}

/// Columns of `runs.csv`.
pub(super) const EXPERIMENT_COLUMNS: [DeclaredColumn; 10] = [
    DeclaredColumn::integer("run", "Number of the run"),
    DeclaredColumn::integer("repetition", "Repetition, from 1"),
    DeclaredColumn::text("configuration", "Configuration of the monitor, or the base without one"),
    DeclaredColumn::text("scenario", "Scenario of the load"),
    DeclaredColumn::text("socket", "Socket of the machine"),
    DeclaredColumn::number("seconds", "Length of the run in seconds"),
    DeclaredColumn::number("energy_j", "Energy of the socket"),
    DeclaredColumn::number("power_w", "Mean power of the socket"),
    DeclaredColumn::text("meter", "Meter"),
    DeclaredColumn::text("basis", "Whether the energy is measured, estimated or simulated"),
];

/// Returns all runs as CSV, in the order in which they were made; `basis` is the name of a
/// [`FigureBasis`](wattline_units::power::FigureBasis).
#[must_use]
pub fn experiment_csv(runs: &[MeasuredRun], meter: &str, basis: &str) -> String {
    let mut table = CsvText::new(EXPERIMENT_COLUMNS);
    for (number, run) in (1_u64..).zip(runs) {
        for (socket, joules) in &run.sockets {
            table.row([
                number.to_string(),
                run.repetition.to_string(),
                run.configuration.clone().unwrap_or_else(|| BASE_NAME.to_owned()),
                run.scenario.clone(),
                socket.clone(),
                run.seconds.to_string(),
                joules.to_string(),
                (joules / run.seconds).to_string(),
                meter.to_owned(),
                basis.to_owned(),
            ]);
        }
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::super::{overhead_epsilon, parse_runs};
    use super::*;

    fn run(configuration: Option<&str>, scenario: &str, sockets_j: &[f64]) -> MeasuredRun {
        let sockets = (0..).zip(sockets_j).map(|(n, joules)| (format!("package-{n}"), *joules));
        MeasuredRun {
            repetition: 1,
            configuration: configuration.map(str::to_owned),
            scenario: scenario.to_owned(),
            seconds: 2.0,
            sockets: sockets.collect(),
        }
    }

    #[test]
    fn energies_of_sockets_are_summed_and_told_apart() {
        let runs = [
            run(None, "idle", &[20.0, 30.0]),
            run(None, "idle", &[22.0, 30.0]),
            run(Some("m"), "idle", &[24.0, 40.0]),
            run(Some("m"), "idle", &[26.0, 40.0]),
        ];
        let tables = ExperimentTables::of(&["m".into()], &runs);
        let (with, base) = (parse_runs(&tables.with).unwrap(), parse_runs(&tables.base).unwrap());
        assert_eq!(with["m, idle, all sockets"].mean_w, 32.5);
        assert_eq!(
            (with["m, idle, package-0"].mean_w, with["m, idle, package-1"].mean_w),
            (12.5, 20.0)
        );
        assert_eq!(
            (base["m, idle, package-0"].mean_w, base["m, idle, package-1"].mean_w),
            (10.5, 15.0)
        );
        // 10, 11 W and 12, 13 W on the first: s = 0.7071, e = 2 + 1.64485 sqrt(2 x 0.25).
        let found = overhead_epsilon(with["m, idle, package-0"], base["m, idle, package-0"]);
        assert!((found.epsilon_w - (2.0 + 1.644_853_6 * 0.5_f64.sqrt())).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn one_meter_needs_no_column_and_each_configuration_has_the_base_of_its_scenario() {
        let mut runs = Vec::new();
        for scenario in ["idle", "busy"] {
            for joules in [10.0, 12.0] {
                runs.push(run(None, scenario, &[joules]));
                runs.push(run(Some("a"), scenario, &[joules + 1.0]));
            }
            runs.push(run(Some("b"), scenario, &[joules_of(scenario)]));
        }
        runs.push(run(Some("b"), "busy", &[9.0]));
        let tables = ExperimentTables::of(&["a".into(), "b".into()], &runs);
        assert_eq!(tables.left_out, ["b, idle"], "one run tells no spread");
        let base = parse_runs(&tables.base).unwrap();
        assert_eq!(base.keys().collect::<Vec<_>>(), ["a, busy", "a, idle", "b, busy"]);
        assert!(base.values().all(|runs| (runs.mean_w, runs.count) == (5.5, 2)));
        assert_eq!(parse_runs(&tables.with).unwrap()["b, busy"].mean_w, 4.0);
        let csv = experiment_csv(&runs[..1], "rapl", "measured");
        assert!(csv.ends_with("1,1,base,idle,package-0,2,10,5,rapl,measured\n"), "{csv}");
    }

    fn joules_of(scenario: &str) -> f64 {
        if scenario == "busy" { 7.0 } else { 8.0 }
    }
}
