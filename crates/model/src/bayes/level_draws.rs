//! Draws of the effects of all levels, in joules: energies of programs as distributions.
//! Draws of sums, so what effects have in common is in them.

use super::super::error::ModelError;
use super::super::predictive_distribution::{EnergyPrognosis, PredictiveDistribution};
use super::factors::FactorLevel;
use wattline_units::csv_text;

/// Mean and standard deviation of one measurement of an energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedMeasurement {
    /// Mean in joules.
    pub mean_j: f64,
    /// Standard deviation in joules: residual and posterior together.
    pub sd_j: f64,
}

/// Patterns of a program: the indices of each pattern's levels, and its number of executions.
pub type PatternCounts = [(Vec<usize>, f64)];

/// Draws of the effect of every level and of the residual's standard deviation, equally many of
/// each, in joules.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelDraws {
    levels: Vec<FactorLevel>,
    by_level: Vec<Vec<f64>>,
    residual: Vec<f64>,
}

/// The column of the residual's standard deviation.
const RESIDUAL: &str = "sigma:residual";

impl LevelDraws {
    /// Combines draws of levels and residual, chain after chain.
    pub(super) fn new(levels: &[FactorLevel], by_level: Vec<Vec<f64>>, residual: Vec<f64>) -> Self {
        Self { levels: levels.to_vec(), by_level, residual }
    }

    /// All levels.
    #[must_use]
    pub fn levels(&self) -> &[FactorLevel] {
        &self.levels
    }

    /// All draws of a level, in joules.
    #[must_use]
    pub fn of(&self, level: usize) -> &[f64] {
        &self.by_level[level]
    }

    /// Returns what one measurement of a program is expected to show; each execution of a pattern
    /// has an independent residual.
    #[must_use]
    pub fn predict(&self, program: &PatternCounts) -> ExpectedMeasurement {
        let (mean_j, sd_j) = mean_and_sd(&self.energies(program));
        let squares: f64 = self.residual.iter().map(|sd| sd * sd).sum();
        let residual = squares / self.residual.len() as f64;
        let executions: f64 = program.iter().map(|(_, n)| n).sum();
        ExpectedMeasurement { mean_j, sd_j: (sd_j * sd_j + executions * residual).sqrt() }
    }

    /// Returns the distributions of the energy of a program, less that of another if one is given;
    /// `over` is a factor of an unknown level (a device that was not measured), the same for both:
    /// all its levels are equally likely, and their spread is included. Effects and residual are
    /// drawn jointly, and each execution of a pattern has an independent residual.
    #[must_use]
    pub(crate) fn prognosis(
        &self,
        program: &PatternCounts,
        less: Option<&PatternCounts>,
        over: Option<&str>,
    ) -> EnergyPrognosis {
        let mut means_j = self.energies_over(program, over);
        let less_j = self.energies_over(less.unwrap_or_default(), over);
        means_j.iter_mut().zip(less_j).for_each(|(energy, less)| *energy -= less);
        let all = program.iter().chain(less.unwrap_or_default());
        let executions = all.map(|(_, n)| n).sum::<f64>();
        let residuals = self.residual.iter().cycle().take(means_j.len());
        let sds_j = residuals.map(|sd| sd * executions.sqrt()).collect();
        EnergyPrognosis {
            expected: Some(PredictiveDistribution::Draws {
                means_j: means_j.clone(),
                sds_j: vec![0.0; means_j.len()],
            }),
            measurement: Some(PredictiveDistribution::Draws { means_j, sds_j }),
        }
    }

    /// Energies draw by draw; with `over` all draws for each of its levels, one after the other.
    fn energies_over(&self, program: &PatternCounts, over: Option<&str>) -> Vec<f64> {
        let Some(factor) = over else { return self.energies(program) };
        let places = (0..self.levels.len()).filter(|place| self.levels[*place].factor == factor);
        let each = places.flat_map(|place| {
            let with = |(levels, n): &(Vec<usize>, f64)| ([&levels[..], &[place]].concat(), *n);
            self.energies(&program.iter().map(with).collect::<Vec<_>>())
        });
        each.collect()
    }

    fn energies(&self, program: &PatternCounts) -> Vec<f64> {
        let mut sums = vec![0.0; self.residual.len()];
        for (levels, executions) in program {
            for level in levels {
                let values = &self.by_level[*level];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += executions * value);
            }
        }
        sums
    }

    /// The text of `draws.csv`: a row per draw, chain after chain, in joules; a column for each
    /// level, and the residual's standard deviation at last.
    ///
    /// # Errors
    /// None in practice: the text is written to memory.
    pub fn to_csv(&self, chains: usize) -> Result<String, ModelError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names = self.levels.iter().map(column_title);
        let head = ["chain".to_owned(), "draw".to_owned()].into_iter().chain(names);
        writer.write_record(head.chain([RESIDUAL.to_owned()]))?;
        let of_chain = (self.residual.len() / chains.max(1)).max(1);
        for (at, residual) in self.residual.iter().enumerate() {
            let place = [at / of_chain + 1, at % of_chain + 1].map(|n| n.to_string());
            let values = self.by_level.iter().map(|values| values[at]).chain([*residual]);
            writer.write_record(place.into_iter().chain(values.map(|j| format!("{j:.7e}"))))?;
        }
        super::super::text_of(writer)
    }

    /// Reads `draws.csv` back.
    ///
    /// # Errors
    /// A level without a column, fields that are no numbers, no draws.
    pub fn from_csv(text: &str, levels: &[FactorLevel]) -> Result<Self, ModelError> {
        let mut reader = csv_text::reader(text);
        let header = reader.headers()?.clone();
        let place = |name: &str| {
            header.iter().position(|known| known == name).ok_or_else(|| ModelError::Factor {
                line: 1,
                message: format!("there is no column `{name}`"),
            })
        };
        let names = levels.iter().map(column_title).chain([RESIDUAL.to_owned()]);
        let places: Vec<usize> = names.map(|name| place(&name)).collect::<Result<_, _>>()?;
        let mut columns = vec![Vec::new(); places.len()];
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            for (column, place) in columns.iter_mut().zip(&places) {
                column.push(parse_joules(record.get(*place).unwrap_or(""), line)?);
            }
        }
        let residual = columns.pop().unwrap_or_default();
        if residual.is_empty() {
            return Err(ModelError::NoCases);
        }
        Ok(Self::new(levels, columns, residual))
    }
}

fn column_title(level: &FactorLevel) -> String {
    format!("{}:{}", level.factor, level.name)
}

/// Parses a field as a finite number of joules.
pub(super) fn parse_joules(text: &str, line: u64) -> Result<f64, ModelError> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| ModelError::Factor {
        line,
        message: format!("`{text}` is not a finite number of joules"),
    })
}

/// Returns the mean and the unbiased standard deviation.
pub(super) fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(factor: &str, name: &str) -> FactorLevel {
        FactorLevel { factor: factor.into(), name: name.into() }
    }

    #[test]
    fn draws_are_written_and_read_back() {
        let levels = [level("operation", "Add, long"), level("device", "A")];
        let by_level = vec![vec![1e-8, 2e-8, 1.5e-8, 2.5e-8], vec![3e-9; 4]];
        let draws = LevelDraws::new(&levels, by_level, vec![1e-9; 4]);
        let text = draws.to_csv(2).unwrap();
        assert!(text.starts_with("chain,draw,\"operation:Add, long\",device:A,sigma:residual\n"));
        assert!(text.contains("\n2,1,1.5000000e-8,3.0000000e-9,1.0000000e-9\n"), "{text}");
        assert_eq!(LevelDraws::from_csv(&text, &levels).unwrap(), draws);
        let other = LevelDraws::from_csv(&text, &[level("size", "Load")]);
        assert!(other.unwrap_err().to_string().contains("`size:Load`"));
    }

    #[test]
    fn covariance_is_in_sums_and_residuals_add_as_variances() {
        let levels = [level("operation", "Add"), level("device", "A"), level("device", "B")];
        // What one has more the other has less: their sum is certain.
        let by_level = vec![vec![1.0, 2.0, 3.0], vec![3.0, 2.0, 1.0], vec![5.0, 4.0, 3.0]];
        let draws = LevelDraws::new(&levels, by_level, vec![0.5; 3]);
        let program = [(vec![0, 1], 4.0)];
        let found = draws.prognosis(&program, None, None);
        let (expected, measurement) = (found.expected.unwrap(), found.measurement.unwrap());
        let moments = (expected.mean_j(), expected.sd_j(), expected.interval_j());
        assert_eq!(moments, (16.0, 0.0, (16.0, 16.0)));
        assert_eq!(measurement.sd_j(), 1.0);
        assert_eq!(draws.predict(&program), ExpectedMeasurement { mean_j: 16.0, sd_j: 1.0 });
        let over = draws.prognosis(&[(vec![0], 1.0)], None, Some("device")).expected.unwrap();
        let moments = (over.mean_j(), over.interval_j().0 < 4.5, over.sd_j() > 0.9);
        assert_eq!(moments, (5.0, true, true));
    }

    /// Two programs that differ by one pattern: what both have cancels, draw by draw.
    #[test]
    fn differences_are_drawn_jointly() {
        let levels = [level("operation", "Add"), level("device", "A"), level("device", "B")];
        let by_level = vec![vec![1.0, 1.1, 0.9], vec![3.0, 20.0, 100.0], vec![5.0, 4.0, 3.0]];
        let draws = LevelDraws::new(&levels, by_level, vec![0.5; 3]);
        let (one, two) = ([(vec![0, 1], 4.0)], [(vec![0, 1], 4.0), (vec![0], 5.0)]);
        let found = draws.prognosis(&one, Some(&two), None);
        let (expected, measurement) = (found.expected.unwrap(), found.measurement.unwrap());
        assert!((expected.mean_j() + 5.0).abs() < 1e-12 && (expected.sd_j() - 0.5).abs() < 1e-12);
        assert_eq!(expected.probability_below(0.0), 3.5 / 4.0);
        // Thirteen residuals: 0.25 J^2 of the effects, and 13 times that.
        assert!((measurement.sd_j() - 3.5f64.sqrt()).abs() < 1e-12);
        // Phi(5 / s), Phi(5.5 / s) and Phi(4.5 / s) with s = 0.5 sqrt(13), by mpmath.
        let below = (0.997_227_2 + 0.998_859_0 + 0.993_722_5 + 0.5) / 4.0;
        assert!((measurement.probability_below(0.0) - below).abs() < 1e-6);
        // An unknown device is the same one for both.
        let over = draws.prognosis(&[(vec![0], 2.0)], Some(&[(vec![0], 2.0)]), Some("device"));
        assert_eq!(over.expected.unwrap().sd_j(), 0.0);
    }
}
