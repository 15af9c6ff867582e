//! Input sequences that accounts have not seen: each predicted by the accounts of the others,
//! beside what it spent and what two simple rules say.

use crate::csv_text::CsvText;
use crate::units::Joules;

use super::Predicted;

/// One input sequence, by the others.
#[derive(Debug, Clone, PartialEq)]
pub struct UnseenInput {
    /// Its name.
    pub input: String,
    /// What it spent above idle, without the runtime's own threads.
    pub measured: Joules,
    /// What the accounts of the others make of its counts.
    pub predicted: Predicted,
    /// One cost for all operations, the others'.
    pub flat: Joules,
    /// One power for all durations, the others'.
    pub duration: Joules,
}

/// All of them, each left out in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct UnseenInputs(pub Vec<UnseenInput>);

impl UnseenInputs {
    /// NMAE of the accounts over the inputs: the mean of their relative errors.
    pub fn nmae(&self) -> f64 {
        self.error(|input| input.predicted.energy)
    }

    /// The same of one cost for all operations.
    pub fn flat_nmae(&self) -> f64 {
        self.error(|input| input.flat)
    }

    /// The same of one power for all durations.
    pub fn duration_nmae(&self) -> f64 {
        self.error(|input| input.duration)
    }

    /// How many of the 95 % intervals hold what was measured, and how many there are.
    pub fn covered(&self) -> (usize, usize) {
        let holds = |input: &UnseenInput| Some(input.predicted.interval?.contains(input.measured));
        let known: Vec<bool> = self.0.iter().filter_map(holds).collect();
        (known.iter().filter(|holds| **holds).count(), known.len())
    }

    fn error(&self, of: impl Fn(&UnseenInput) -> Joules) -> f64 {
        let relative = self.0.iter().map(|input| (of(input).0 / input.measured.0 - 1.0).abs());
        relative.sum::<f64>() / self.0.len() as f64
    }

    /// `unseen.csv`.
    pub fn csv(&self) -> String {
        let mut text = CsvText::new([
            "input",
            "measured_j",
            "predicted_j",
            "predicted_lo_j",
            "predicted_hi_j",
            "of_new_blocks_j",
            "flat_j",
            "duration_j",
        ]);
        for UnseenInput { input, measured, predicted, flat, duration } in &self.0 {
            let bound = |bound: Option<Joules>| bound.map_or(String::new(), |j| j.0.to_string());
            text.row([
                input.clone(),
                measured.0.to_string(),
                predicted.energy.0.to_string(),
                bound(predicted.interval.map(|interval| interval.lo)),
                bound(predicted.interval.map(|interval| interval.hi)),
                predicted.of_new_blocks.0.to_string(),
                flat.0.to_string(),
                duration.0.to_string(),
            ]);
        }
        text.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Interval;

    #[test]
    fn errors_are_relative() {
        let input = |name: &str, measured: f64, predicted: f64| UnseenInput {
            input: name.into(),
            measured: Joules(measured),
            predicted: Predicted {
                energy: Joules(predicted),
                interval: Some(Interval::around(Joules(predicted), 0.01)),
                of_new_blocks: Joules(0.0),
            },
            flat: Joules(2.0),
            duration: Joules(measured),
        };
        let inputs = UnseenInputs(vec![input("a, b", 1.0, 1.1), input("c", 3.0, 2.5)]);
        assert!((inputs.nmae() - (0.1 + 0.5 / 3.0) / 2.0).abs() < 1e-12);
        assert!((inputs.flat_nmae() - (1.0 + 1.0 / 3.0) / 2.0).abs() < 1e-12);
        assert_eq!(inputs.duration_nmae(), 0.0);
        assert_eq!(inputs.covered(), (1, 2));
        assert!(inputs.csv().contains("\"a, b\",1,1.1,0.9"), "{}", inputs.csv());
    }
}
