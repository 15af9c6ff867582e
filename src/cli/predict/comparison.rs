//! `--compare`: differences of two predicted cases, and the text of `comparisons.csv`.

use crate::failure::Failure;
use crate::model::EnergyPrognosis;

use super::budget::unknown_case;
use super::case_prediction::{DistributionSummary, table_csv};

/// Difference of two predicted cases: energy of the first less that of the second.
pub(super) struct CaseComparison {
    pub first: String,
    pub second: String,
    /// Difference in joules.
    pub difference_j: f64,
    /// Distributions of the difference.
    pub prognosis: EnergyPrognosis,
    /// Reason why a distribution is absent.
    pub missing_reason: Option<String>,
}

impl CaseComparison {
    /// Summary of the expected difference, with the probability that the first case spends less.
    pub fn expected(&self) -> DistributionSummary {
        DistributionSummary::of(self.prognosis.expected.as_ref(), Some(0.0))
    }

    /// The same of two new measurements.
    pub fn measurement(&self) -> DistributionSummary {
        DistributionSummary::of(self.prognosis.measurement.as_ref(), Some(0.0))
    }
}

/// Returns the indices of each pair of cases.
///
/// # Errors
/// A case that does not exist or has another of its name, and a case compared with itself.
pub(super) fn compared_pairs(
    compare: &[String],
    cases: &[&str],
) -> Result<Vec<(usize, usize)>, Failure> {
    let place = |name: &String| {
        let mut of_name = (0..cases.len()).filter(|at| cases[*at] == name);
        match (of_name.next(), of_name.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(Failure::Usage(format!(
                "--compare: several cases have the name `{name}`; give them names that differ in \
                 the column `case`"
            ))),
            _ => Err(Failure::Usage(unknown_case("--compare", name, cases.iter().copied()))),
        }
    };
    let pair = |pair: &[String]| {
        let [first, second] = pair else {
            return Err(Failure::Usage("--compare: give two cases".to_owned()));
        };
        let (one, two) = (place(first)?, place(second)?);
        if one == two {
            let text = format!("--compare: `{first}` is compared with itself; give two cases");
            return Err(Failure::Usage(text));
        }
        Ok((one, two))
    };
    compare.chunks(2).map(pair).collect()
}

/// The text of `comparisons.csv`.
pub(super) fn comparisons_csv(rows: &[CaseComparison]) -> String {
    let records = rows.iter().map(|row| {
        let (expected, new) = (row.expected(), row.measurement());
        let figures = |of: DistributionSummary| (of.sd_j, of.lo_j(), of.hi_j(), of.below_limit);
        (&row.first, &row.second, row.difference_j, figures(expected), figures(new))
    });
    table_csv(&COLUMNS, records)
}

const COLUMNS: [&str; 11] = [
    "case",
    "other_case",
    "difference_j",
    "difference_sd_j",
    "difference_lo_j",
    "difference_hi_j",
    "less_probability",
    "new_measurements_sd_j",
    "new_measurements_lo_j",
    "new_measurements_hi_j",
    "new_measurements_less_probability",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PredictiveDistribution;

    #[test]
    fn pairs_are_of_two_cases_that_exist() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let cases = ["fast", "slow", "twice", "twice"];
        let pairs = compared_pairs(&names(&["fast", "slow", "slow", "fast"]), &cases).unwrap();
        assert_eq!(pairs, [(0, 1), (1, 0)]);
        for (wrong, says) in [
            (["fast", "slw"], "did you mean `slow`"),
            (["fast", "fast"], "compared with itself"),
            (["twice", "slow"], "several cases"),
        ] {
            let error = compared_pairs(&names(&wrong), &cases).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn an_unknown_distribution_is_an_empty_cell() {
        let expected =
            PredictiveDistribution::Student { mean_j: -1.0, sd_j: 0.5, degrees_of_freedom: None };
        let comparison = CaseComparison {
            first: "a".into(),
            second: "b".into(),
            difference_j: -1.0,
            prognosis: EnergyPrognosis { expected: Some(expected), measurement: None },
            missing_reason: None,
        };
        let text = comparisons_csv(&[comparison]);
        let row = text.lines().nth(1).unwrap();
        assert!(row.starts_with("a,b,-1") && row.ends_with(",,,,"), "{row}");
        let less: f64 = row.split(',').nth(6).unwrap().parse().unwrap();
        assert!((less - 0.977_249_868).abs() < 1e-7, "{row}");
    }
}
