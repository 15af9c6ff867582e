//! Predicted cases, and the text of `predictions.csv`.

use serde::Serialize;

use crate::csv_text;
use crate::file_schema::{DeclaredColumn, TableSchema};
use crate::model::{EnergyPrognosis, PredictiveDistribution};

/// Measured and predicted energy of a case, in joules.
pub(super) struct CasePrediction {
    pub case: String,
    /// Board that the prediction is for: the case's own, where the model knows it, else the
    /// model's; `None` where the model is of one board.
    pub device: Option<String>,
    pub measured: Option<f64>,
    pub measured_se: Option<f64>,
    pub predicted: f64,
    /// Distributions of the expected energy and of a new measurement.
    pub prognosis: EnergyPrognosis,
    /// Reason why a distribution is absent.
    pub missing_reason: Option<String>,
    /// Limit of the energy in joules, from `--budget`.
    pub budget_j: Option<f64>,
    /// Share of executions without a cost in the model.
    pub unknown: f64,
}

/// Standard deviation, 95 % interval and probability to be below a limit, each if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct DistributionSummary {
    pub sd_j: Option<f64>,
    pub interval_j: Option<(f64, f64)>,
    pub below_limit: Option<f64>,
}

impl DistributionSummary {
    pub fn of(distribution: Option<&PredictiveDistribution>, limit_j: Option<f64>) -> Self {
        let Some(of) = distribution else { return Self::default() };
        Self {
            sd_j: Some(of.sd_j()),
            interval_j: Some(of.interval_j()),
            below_limit: limit_j.map(|limit_j| of.probability_below(limit_j)),
        }
    }

    pub fn lo_j(&self) -> Option<f64> {
        self.interval_j.map(|(lo, _)| lo)
    }

    pub fn hi_j(&self) -> Option<f64> {
        self.interval_j.map(|(_, hi)| hi)
    }
}

impl CasePrediction {
    pub fn new(case: String, predicted: f64) -> Self {
        Self {
            case,
            device: None,
            measured: None,
            measured_se: None,
            predicted,
            prognosis: EnergyPrognosis::default(),
            missing_reason: None,
            budget_j: None,
            unknown: 0.0,
        }
    }

    /// Error of the prediction in percent of the measured energy.
    pub fn error_percent(&self) -> Option<f64> {
        let measured = self.measured?;
        let off = 100.0 * (self.predicted - measured) / measured;
        off.is_finite().then_some(off)
    }

    /// Summary of the expected energy. Energy spent is not negative, so an estimate from costs that
    /// is not has a lower end that is not either.
    pub fn expected(&self) -> DistributionSummary {
        let distribution = self.prognosis.expected.as_ref();
        let mut found = DistributionSummary::of(distribution, self.budget_j);
        if let (Some(PredictiveDistribution::Student { .. }), Some((lo, _))) =
            (distribution, &mut found.interval_j)
            && self.predicted >= 0.0
        {
            *lo = lo.max(0.0);
        }
        found
    }

    /// Summary of a new measurement, which may be below idle.
    pub fn measurement(&self) -> DistributionSummary {
        DistributionSummary::of(self.prognosis.measurement.as_ref(), self.budget_j)
    }
}

/// The text of `predictions.csv`.
pub(super) fn predictions_csv(rows: &[CasePrediction]) -> String {
    let records = rows.iter().map(|row| {
        let (expected, new) = (row.expected(), row.measurement());
        let measured = (&row.case, row.measured, row.measured_se);
        let interval = (expected.lo_j(), expected.hi_j());
        let predicted = (row.predicted, interval, row.error_percent(), row.unknown);
        let distributions = (expected.sd_j, new.sd_j, new.lo_j(), new.hi_j());
        let budget = (row.budget_j, expected.below_limit, new.below_limit);
        (measured, predicted, &row.device, distributions, budget)
    });
    table_csv(&DeclaredColumn::names(PREDICTION_COLUMNS), records)
}

/// The text of a table: its columns, and a row for each record.
pub(super) fn table_csv<R: Serialize>(
    columns: &[&str],
    records: impl Iterator<Item = R>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).expect(MEMORY);
    records.for_each(|record| writer.serialize(record).expect(MEMORY));
    csv_text::guard_formulas(String::from_utf8(writer.into_inner().expect(MEMORY)).expect(MEMORY))
}

/// Columns of `predictions.csv`.
const PREDICTION_COLUMNS: [DeclaredColumn; 16] = [
    DeclaredColumn::text("case", "Case"),
    DeclaredColumn::number("measured_j", "Measured energy; empty where it was not measured"),
    DeclaredColumn::number("measured_se_j", "Standard error of the measured energy"),
    DeclaredColumn::number("predicted_j", "Predicted energy"),
    DeclaredColumn::number(
        "predicted_lo_j",
        "Lower end of the 95 % interval of the expected energy",
    ),
    DeclaredColumn::number(
        "predicted_hi_j",
        "Upper end of the 95 % interval of the expected energy",
    ),
    DeclaredColumn::number(
        "off_percent",
        "Predicted less measured energy, as a part of the measured energy",
    ),
    DeclaredColumn::number("unknown_share", "Share of executions without a cost in the model"),
    DeclaredColumn::text(
        "device",
        "Board that the prediction is for; empty for a model of one board",
    ),
    DeclaredColumn::number("predicted_sd_j", "Standard deviation of the expected energy"),
    DeclaredColumn::number("new_measurement_sd_j", "Standard deviation of a new measurement"),
    DeclaredColumn::number(
        "new_measurement_lo_j",
        "Lower end of the 95 % interval of a new measurement",
    ),
    DeclaredColumn::number(
        "new_measurement_hi_j",
        "Upper end of the 95 % interval of a new measurement",
    ),
    DeclaredColumn::number("budget_j", "Limit of the energy (`--budget`)"),
    DeclaredColumn::number(
        "predicted_below_budget",
        "Probability that the expected energy is below the limit",
    ),
    DeclaredColumn::number(
        "new_measurement_below_budget",
        "Probability that a new measurement is below the limit",
    ),
];

/// The columns of the table of predictions.
pub fn predictions_table_schema() -> TableSchema {
    TableSchema::declared(
        "predictions.csv",
        "`predict`",
        "Predicted and measured energy of each case",
        &PREDICTION_COLUMNS,
    )
}

/// Reason why writing to memory cannot fail.
const MEMORY: &str = "text written to memory is text";
