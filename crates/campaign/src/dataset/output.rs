//! The texts of `dataset.csv` and `dataset.toml`, and the energies of cases in detail.

use std::collections::BTreeSet;

use serde::Serialize;

use super::assemble::{Dataset, DatasetOmission, SessionWindows};
use crate::csv_text::CsvText;
use crate::operations::FeatureColumn;
use wattline_units::file_schema::DeclaredColumn;

/// The provenance of a data set: scenario, board, runtime, meter, seed, version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Provenance {
    /// Name of the scenario.
    pub scenario: String,
    /// Model of the board.
    pub board: String,
    /// Whether the board is virtual: no figure is of real hardware then.
    pub virtual_board: bool,
    /// Simulated energy model of a virtual board; absent on others.
    pub simulated_model: Option<String>,
    /// Runtime of the application.
    pub runtime: String,
    /// Power meter.
    pub meter: String,
    /// Rails whose power is added up.
    pub rails: Vec<String>,
    /// Idle runs that the idle power of a case comes from: `paired` or `campaign`.
    pub idle: &'static str,
    /// Fixed frequency of the application's core in kHz; none where it was not fixed.
    pub frequency_khz: Option<u64>,
    /// Seed of the campaign.
    pub seed: u64,
    /// Version of the program that made the data set.
    pub tool_version: String,
}

/// Columns of `dataset.csv` before the counts.
pub(crate) const DATASET_COLUMNS: [DeclaredColumn; 6] = [
    DeclaredColumn::text("case", "Case"),
    DeclaredColumn::text("group", "Group of the case: its input"),
    DeclaredColumn::text("device", "Board"),
    DeclaredColumn::number("duration_s", "Mean duration of a run"),
    DeclaredColumn::number("energy_j", "Mean energy above idle of a run"),
    DeclaredColumn::number("energy_se_j", "Standard error of energy_j; empty where unknown"),
];

/// The text of `dataset.csv`: a line per case, a column per operation and library function with
/// exact integers. An unknown standard error is an empty cell.
pub fn dataset_to_csv(dataset: &Dataset) -> String {
    let features = dataset.features.iter().map(String::as_str);
    let mut table =
        CsvText::new(DeclaredColumn::names(DATASET_COLUMNS).into_iter().chain(features));
    for case in &dataset.cases {
        let energy = &case.energy;
        let cells = [
            case.name.clone(),
            case.group.clone(),
            case.device.clone(),
            energy.duration_s.to_string(),
            energy.energy_j.to_string(),
            energy.energy_se_j.map_or(String::new(), |se| se.to_string()),
        ];
        let count = |feature: &String| case.counts.get(feature).copied().unwrap_or(0).to_string();
        table.row(cells.into_iter().chain(dataset.features.iter().map(count)));
    }
    table.text()
}

/// Columns of `energies.csv`.
pub(crate) const ENERGY_COLUMNS: [DeclaredColumn; 11] = [
    DeclaredColumn::text("case", "Case"),
    DeclaredColumn::number("energy_j", "Energy of the application above idle; may be negative"),
    DeclaredColumn::number("energy_se_j", "Standard error of energy_j; empty where unknown"),
    DeclaredColumn::number("total_j", "Mean energy with idle"),
    DeclaredColumn::number("idle_j", "Idle energy: idle_power_w times duration_s"),
    DeclaredColumn::number("idle_power_w", "Idle power"),
    DeclaredColumn::number("duration_s", "Mean duration"),
    DeclaredColumn::integer("power_runs", "Power runs"),
    DeclaredColumn::integer("idle_runs", "Idle runs"),
    DeclaredColumn::text("device", "Board"),
    DeclaredColumn::number(
        "runtime_j",
        "Energy of the threads of the runtime, not part of energy_j; empty where unknown",
    ),
];

/// The text of `energies.csv`: the energies of the cases in detail, which the ledger starts from.
pub fn energies_to_csv(dataset: &Dataset) -> String {
    let mut table = CsvText::new(ENERGY_COLUMNS);
    for case in &dataset.cases {
        let energy = &case.energy;
        table.row([
            case.name.clone(),
            energy.energy_j.to_string(),
            energy.energy_se_j.map_or(String::new(), |se| se.to_string()),
            energy.total_j.to_string(),
            (energy.idle_power_w * energy.duration_s).to_string(),
            energy.idle_power_w.to_string(),
            energy.duration_s.to_string(),
            energy.power_runs.to_string(),
            energy.idle_runs.to_string(),
            case.device.clone(),
            energy.runtime_j.map_or(String::new(), |energy| energy.to_string()),
        ]);
    }
    table.text()
}

/// The contents of `dataset.toml`: provenance and quality of a data set.
#[derive(Serialize)]
struct DatasetDescription<'d> {
    #[serde(flatten)]
    provenance: &'d Provenance,
    cases: usize,
    /// Boards, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<&'d str>,
    operations: usize,
    library_functions: usize,
    /// Mean |trapezoid - right endpoint| as a share of a run's energy.
    rule_difference: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_residual_s: Option<f64>,
    meter_lag_s: [f64; 2],
    /// Refresh period of the meter over the shortest power run.
    refresh_share: f64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    windows: &'d [SessionWindows],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lumped: Vec<LumpedFunction<'d>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'d [DatasetOmission],
}

#[derive(Serialize)]
struct LumpedFunction<'d> {
    function: &'d str,
    /// As text: TOML's integers end at 2^63.
    executions: String,
}

/// The text of `dataset.toml`: provenance, quality, lumped library functions, left-out runs with
/// reasons.
pub fn dataset_to_toml(dataset: &Dataset, provenance: &Provenance) -> String {
    let library = dataset.features.iter().filter(|name| FeatureColumn::is_library(name)).count();
    let lumped = dataset.lumped.iter().map(|(function, executions)| LumpedFunction {
        function,
        executions: executions.to_string(),
    });
    let devices: BTreeSet<&str> = dataset.cases.iter().map(|case| case.device.as_str()).collect();
    let description = DatasetDescription {
        provenance,
        cases: dataset.cases.len(),
        devices: if devices.len() > 1 { devices.into_iter().collect() } else { Vec::new() },
        operations: dataset.features.len() - library,
        library_functions: library,
        rule_difference: dataset.rule_difference,
        clock_residual_s: dataset.clock_residual_s,
        meter_lag_s: dataset.lag_s,
        refresh_share: dataset.refresh_share,
        windows: &dataset.windows,
        lumped: lumped.collect(),
        left_out: &dataset.left_out,
    };
    toml::to_string(&description).expect("a description has string keys, tables come last")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::assemble::tests::dataset;
    use crate::model::table::{ColumnChoice, Table};

    #[test]
    fn the_csv_has_exact_counts_and_reads_back() {
        let mut dataset = dataset();
        dataset.cases[1].counts.insert("Not".into(), 9_007_199_254_740_993);
        let text = dataset_to_csv(&dataset);
        let mut lines = text.lines();
        let header = "case,group,device,duration_s,energy_j,energy_se_j,And,Not,lib:GC,\
                      lib:other,lib:y.Y.y";
        assert_eq!(lines.next(), Some(header));
        assert_eq!(lines.nth(1), Some("b,north,B1,10,40,,0,9007199254740993,1,20,0"));
        dataset.cases[1].counts.insert("Not".into(), 40);
        let text = dataset_to_csv(&dataset);
        let table = Table::from_csv(&text, &ColumnChoice::default()).unwrap();
        assert_eq!(table, dataset.table());
    }

    #[test]
    fn the_toml_says_what_was_lumped_and_left_out() {
        let provenance = Provenance {
            scenario: "orbit".into(),
            board: "virtual".into(),
            virtual_board: true,
            simulated_model: Some("compiled:1".into()),
            runtime: "OpenJDK 17".into(),
            meter: "ina231".into(),
            rails: vec!["arm".into()],
            idle: "paired",
            frequency_khz: Some(1_100_000),
            seed: 1,
            tool_version: "0.1.0".into(),
        };
        let text = dataset_to_toml(&dataset(), &provenance);
        let value: toml::Table = text.parse().unwrap();
        assert_eq!(value["virtual_board"].as_bool(), Some(true));
        assert_eq!(value["simulated_model"].as_str(), Some("compiled:1"));
        assert_eq!(value["idle"].as_str(), Some("paired"));
        assert_eq!(value["operations"].as_integer(), Some(2));
        assert_eq!(value["library_functions"].as_integer(), Some(3));
        assert_eq!(value["lumped"][0]["function"].as_str(), Some("lib:x.X.x"));
        assert_eq!(value["left_out"][0]["reason"].as_str(), Some("too hot; died"));
    }

    #[test]
    fn energies_add_up_to_the_total() {
        let text = energies_to_csv(&dataset());
        assert_eq!(text.lines().nth(2), Some("b,40,,50,10,1,10,1,1,B1,"));
    }
}
