//! Leave-one-input-out predictions: each input sequence predicted from the accounts of the
//! others, beside its measured energy and two simple baselines.

use serde::Deserialize;

use crate::csv_text::{self, CsvText};
use crate::interval::Interval;
use crate::model::{BaselineComparison, HeldOutError};
use crate::units::Joules;

use super::input_spread::InputSpread;
use super::predicted_energy::PredictedEnergy;
use super::table_columns::UNSEEN_COLUMNS;

/// Measured energy of one input sequence, and its predictions from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct UnseenInput {
    /// Its name.
    pub input: String,
    /// Measured energy above idle, without the runtime's own threads.
    pub measured: Joules,
    /// Prediction from the accounts of the other inputs and this input's counts.
    pub predicted: PredictedEnergy,
    /// Prediction by one cost for all operations, fitted to the others.
    pub flat: Joules,
    /// Prediction by one power for all durations, fitted to the others.
    pub duration: Joules,
}

/// All input sequences, each predicted from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct UnseenInputs(pub Vec<UnseenInput>);

/// Columns read from a row of `unseen.csv`.
#[derive(Deserialize)]
struct UnseenRow {
    input: String,
    measured_j: f64,
    predicted_j: f64,
    accounts_se_j: Option<f64>,
    of_new_blocks_j: f64,
    flat_j: f64,
    duration_j: f64,
}

/// Name of the accounts in the comparison with baselines.
const ACCOUNT: &str = "account";

impl UnseenInput {
    /// Error of a prediction relative to the measured energy: 0.1 is 10 % too much.
    pub fn relative_error(&self, predicted: Joules) -> f64 {
        predicted.0 / self.measured.0 - 1.0
    }
}

impl UnseenInputs {
    /// NMAE of the accounts' predictions: mean of the absolute relative errors over the inputs.
    pub fn nmae(&self) -> f64 {
        self.mean_absolute_error(|input| input.predicted.energy)
    }

    /// NMAE of one cost for all operations.
    pub fn flat_nmae(&self) -> f64 {
        self.mean_absolute_error(|input| input.flat)
    }

    /// NMAE of one power for all durations.
    pub fn duration_nmae(&self) -> f64 {
        self.mean_absolute_error(|input| input.duration)
    }

    /// Sentence where predictions of inputs are of no use: they are off by the energy itself, as 0 J
    /// would be.
    pub fn warning(&self) -> Option<&'static str> {
        (self.nmae() >= 1.0).then_some(
            "Predictions of inputs that were not measured are of no use: the measured ones, predicted \
             from each other, are off by their own energy and more. They share too little code, or \
             the costs of operations are unknown without microbenchmarks.",
        )
    }

    /// Number of 95 % intervals that contain the measured energy, and number of intervals.
    pub fn covered(&self) -> (usize, usize) {
        let inputs = self.0.iter().zip(self.intervals());
        let holds = |(input, interval): (&UnseenInput, Option<Interval>)| {
            Some(interval?.contains(input.measured))
        };
        let known: Vec<bool> = inputs.filter_map(holds).collect();
        (known.iter().filter(|holds| **holds).count(), known.len())
    }

    /// The 95 % interval of each input: from the errors of the accounts of the others, and from
    /// the spread of these others about their predictions. An input's own error is not in it.
    pub fn intervals(&self) -> Vec<Option<Interval>> {
        let of_one = |(at, input): (usize, &UnseenInput)| {
            let others = self.0.iter().enumerate().filter(|(other, _)| *other != at);
            let spread = InputSpread::of(others.map(|(_, other)| other));
            input.predicted.interval(spread.as_ref())
        };
        self.0.iter().enumerate().map(of_one).collect()
    }

    /// Spread of inputs about their predictions from the others.
    pub fn spread(&self) -> Option<InputSpread> {
        InputSpread::of(&self.0)
    }

    /// Compares the accounts with the better baseline (one cost for all operations, or one power
    /// for all durations) by the errors over the inputs; `None` without inputs.
    pub fn compare_with_baselines(&self) -> Option<BaselineComparison> {
        let errors = self.0.iter().enumerate().flat_map(|(part, input)| {
            let of = |model, energy: Joules| HeldOutError {
                model,
                part,
                cases: 1,
                nmae: input.relative_error(energy).abs(),
            };
            [
                of(ACCOUNT, input.predicted.energy),
                of("flat", input.flat),
                of("duration", input.duration),
            ]
        });
        BaselineComparison::of(ACCOUNT, &errors.collect::<Vec<_>>())
    }

    fn mean_absolute_error(&self, of: impl Fn(&UnseenInput) -> Joules) -> f64 {
        let relative = self.0.iter().map(|input| input.relative_error(of(input)).abs());
        relative.sum::<f64>() / self.0.len() as f64
    }

    /// The text of `unseen.csv`; `accounts_se_j` is the standard error from the accounts alone.
    pub fn csv(&self) -> String {
        let mut text = CsvText::new(UNSEEN_COLUMNS);
        for (of, interval) in self.0.iter().zip(self.intervals()) {
            let known = |joules: Option<Joules>| joules.map_or(String::new(), |j| j.0.to_string());
            text.row([
                of.input.clone(),
                of.measured.0.to_string(),
                of.predicted.energy.0.to_string(),
                known(interval.map(|interval| interval.lo)),
                known(interval.map(|interval| interval.hi)),
                known(of.predicted.se),
                of.predicted.of_new_blocks.0.to_string(),
                of.flat.0.to_string(),
                of.duration.0.to_string(),
            ]);
        }
        text.text()
    }

    /// Parses the text of `unseen.csv`; intervals are recomputed.
    ///
    /// # Errors A malformed number or a missing column.
    pub fn from_csv(text: &str) -> Result<Self, csv::Error> {
        let mut reader = csv_text::reader(text);
        let rows = reader.deserialize::<UnseenRow>();
        rows.map(|row| row.map(UnseenInput::from)).collect::<Result<_, _>>().map(Self)
    }
}

impl From<UnseenRow> for UnseenInput {
    fn from(row: UnseenRow) -> Self {
        Self {
            input: row.input,
            measured: Joules(row.measured_j),
            predicted: PredictedEnergy {
                energy: Joules(row.predicted_j),
                se: row.accounts_se_j.map(Joules),
                of_new_blocks: Joules(row.of_new_blocks_j),
            },
            flat: Joules(row.flat_j),
            duration: Joules(row.duration_j),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An input that accounts with so large a standard error say that of.
    pub(crate) fn input(name: &str, measured: f64, predicted: f64, se: f64) -> UnseenInput {
        UnseenInput {
            input: name.into(),
            measured: Joules(measured),
            predicted: PredictedEnergy {
                energy: Joules(predicted),
                se: Some(Joules(se)),
                of_new_blocks: Joules(0.0),
            },
            flat: Joules(2.0),
            duration: Joules(measured),
        }
    }

    #[test]
    fn predictions_off_by_the_energy_itself_have_a_warning() {
        let off = UnseenInputs(vec![input("a", 1.0, 90.0, 0.1), input("c", 3.0, 2.5, 0.1)]);
        assert!(off.warning().unwrap().contains("of no use"));
        assert_eq!(UnseenInputs(vec![input("a", 1.0, 1.9, 0.1)]).warning(), None);
    }

    #[test]
    fn errors_are_relative() {
        let inputs = UnseenInputs(vec![input("a, b", 1.0, 1.1, 0.1), input("c", 3.0, 2.5, 0.1)]);
        assert!((inputs.nmae() - (0.1 + 0.5 / 3.0) / 2.0).abs() < 1e-12);
        assert!((inputs.flat_nmae() - (1.0 + 1.0 / 3.0) / 2.0).abs() < 1e-12);
        assert_eq!(inputs.duration_nmae(), 0.0);
        let text = inputs.csv();
        assert!(text.contains("\"a, b\",1,1.1,"), "{text}");
        assert_eq!(UnseenInputs::from_csv(&text).unwrap(), inputs);
        let error = UnseenInputs::from_csv("input,measured_j\na,1").unwrap_err();
        assert!(error.to_string().contains("predicted_j"), "{error}");
    }

    /// The accounts of `c` are sure of half of what it spends. What the others are off is no more
    /// than accounts know, and `c`'s interval is theirs; `c`'s error widens those of the others.
    #[test]
    fn an_inputs_own_error_is_not_in_its_interval() {
        let of = |name| input(name, 1.0, 1.01, 0.02);
        let inputs = UnseenInputs(vec![of("a"), of("b"), input("c", 2.0, 1.0, 0.02)]);
        let intervals: Vec<Interval> = inputs.intervals().into_iter().flatten().collect();
        let width = |interval: &Interval| interval.hi.0 - interval.lo.0;
        assert!((width(&intervals[2]) - 2.0 * 1.96 * 0.02).abs() < 1e-5, "{intervals:?}");
        assert!(width(&intervals[0]) > 20.0 * width(&intervals[2]), "{intervals:?}");
        assert_eq!(inputs.covered(), (2, 3));
    }
}
