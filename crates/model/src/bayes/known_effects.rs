//! Effects read from a file for predictions: `effects.csv` of a fit or a published table, with the
//! draws where there are any.

use super::super::error::ModelError;
use super::super::predictive_distribution::EnergyPrognosis;
use super::factors::FactorLevel;
use super::level_draws::{LevelDraws, PatternCounts, mean_and_sd, parse_joules};
use wattline_units::csv_text;

/// The factor of the residual in `effects.csv`, which is no effect.
const RESIDUAL: &str = "sigma";

/// Mean effect of every level in joules, with draws where there are any.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownEffects {
    levels: Vec<FactorLevel>,
    means_j: Vec<f64>,
    draws: Option<LevelDraws>,
}

impl KnownEffects {
    /// Whether the first line of a text has the columns of a table of effects.
    #[must_use]
    pub fn is_table(text: &str) -> bool {
        let head = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
        ["category", "level", "mean_j"]
            .iter()
            .all(|name| head.split(',').any(|c| c.trim() == *name))
    }

    /// Reads `category,level,mean_j`; other columns are ignored.
    ///
    /// # Errors
    /// Missing columns, means that are no numbers, a level that is there twice, no level.
    pub fn from_csv(text: &str) -> Result<Self, ModelError> {
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let header = reader.headers()?.clone();
        let column = |name: &str| {
            header.iter().position(|known| known == name).ok_or_else(|| ModelError::Factor {
                line: 1,
                message: format!("there is no column `{name}`"),
            })
        };
        let (category, name, mean) = (column("category")?, column("level")?, column("mean_j")?);
        let mut found = Self { levels: Vec::new(), means_j: Vec::new(), draws: None };
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            let field = |at: usize| record.get(at).unwrap_or("").to_owned();
            let level = FactorLevel { factor: field(category), name: field(name) };
            let mean_j = parse_joules(&field(mean), line)?;
            if level.factor == RESIDUAL {
                continue;
            }
            if found.levels.contains(&level) {
                let message = format!("{} `{}` is there twice", level.factor, level.name);
                return Err(ModelError::Factor { line, message });
            }
            found.levels.push(level);
            found.means_j.push(mean_j);
        }
        if found.levels.is_empty() { Err(ModelError::NoCases) } else { Ok(found) }
    }

    /// Adds the text of `draws.csv` of the same fit.
    ///
    /// # Errors
    /// Draws that can't be read, or that have other means.
    pub fn with_draws_csv(mut self, text: &str) -> Result<Self, ModelError> {
        let draws = LevelDraws::from_csv(text, &self.levels)?;
        for (at, mean_j) in self.means_j.iter().enumerate() {
            let (mean, sd) = mean_and_sd(draws.of(at));
            // The draws are written with eight digits.
            if (mean - mean_j).abs() > 1e-6 * (mean_j.abs() + sd) {
                let FactorLevel { factor, name } = &self.levels[at];
                let message = format!(
                    "the draws of {factor} `{name}` have a mean of {mean:e} J, and not {mean_j:e}: \
                     they are of another fit"
                );
                return Err(ModelError::Factor { line: 1, message });
            }
        }
        self.draws = Some(draws);
        Ok(self)
    }

    /// The factors, in order of appearance.
    #[must_use]
    pub fn factors(&self) -> Vec<&str> {
        let mut factors: Vec<&str> = Vec::new();
        for level in &self.levels {
            if !factors.contains(&level.factor.as_str()) {
                factors.push(&level.factor);
            }
        }
        factors
    }

    /// The levels of a factor.
    pub fn levels<'a>(&'a self, factor: &'a str) -> impl Iterator<Item = &'a str> {
        let of_factor = self.levels.iter().filter(move |level| level.factor == factor);
        of_factor.map(|level| level.name.as_str())
    }

    /// Returns the index of a level.
    #[must_use]
    pub fn place(&self, factor: &str, name: &str) -> Option<usize> {
        self.levels.iter().position(|level| level.factor == factor && level.name == name)
    }

    /// Returns the mean energy of a program in joules; with `over`, for an unknown level of that
    /// factor: all its levels are equally likely.
    #[must_use]
    pub fn mean_j(&self, program: &PatternCounts, over: Option<&str>) -> f64 {
        let of = |levels: &[usize]| levels.iter().map(|level| self.means_j[*level]).sum::<f64>();
        let executions: f64 = program.iter().map(|(_, n)| n).sum();
        let known: f64 = program.iter().map(|(levels, n)| n * of(levels)).sum();
        let mean_over = |factor: &str| {
            let places: Vec<usize> = (0..self.levels.len())
                .filter(|place| self.levels[*place].factor == factor)
                .collect();
            of(&places) / places.len().max(1) as f64
        };
        known + executions * over.map_or(0.0, mean_over)
    }

    /// Returns the distributions of the energy of a program, less that of another if one is given,
    /// with `over` as in [`Self::mean_j`]; none without draws, as the errors of single effects do
    /// not contain their correlations.
    #[must_use]
    pub fn prognosis(
        &self,
        program: &PatternCounts,
        less: Option<&PatternCounts>,
        over: Option<&str>,
    ) -> EnergyPrognosis {
        let draws = self.draws.as_ref();
        draws.map_or_else(EnergyPrognosis::default, |draws| draws.prognosis(program, less, over))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the published table (Raspberry Pi 5, interpreter).
    const TABLE: &str = "category,level,mean_j,mcse_j,sd_j,ess,rhat\n\
        sigma,residual,1.356665e-08,5.7e-13,7.3e-11,16450.497,0.9998925\n\
        size,Constant,5.287443e-11,3.1e-13,3.7e-11,14162.065,0.9996307\n\
        size,Load,2.972453e-10,1.9e-12,2.2e-10,12615.887,0.9999100\n\
        operation,Array allocation,4.166971e-07,7.2e-12,6.8e-10,8921.469,0.9999811\n\
        type,int,9.716775e-11,6.2e-13,7.5e-11,14578.237,0.9997455\n\
        device,Device 1,6.739114e-09,2.1e-12,2.0e-10,9218.980,0.9998192\n\
        device,Device 2,5.074944e-11,3.0e-13,3.5e-11,13995.636,0.9994804\n";

    #[test]
    fn array_allocations_follow_from_the_published_table() {
        let known = KnownEffects::from_csv(TABLE).unwrap();
        assert_eq!(known.factors(), ["size", "operation", "type", "device"]);
        let place = |factor: &str, name: &str| known.place(factor, name).unwrap();
        let allocation = |size: &str| {
            vec![place("operation", "Array allocation"), place("size", size), place("type", "int")]
        };
        for (device, size, expected) in [
            ("Device 1", "Constant", "4.235863e-7"),
            ("Device 1", "Load", "4.238306e-7"),
            ("Device 2", "Constant", "4.168979e-7"),
            ("Device 2", "Load", "4.171423e-7"),
        ] {
            let levels = [allocation(size), vec![place("device", device)]].concat();
            let program = [(levels, 1.0)];
            assert_eq!(format!("{:.6e}", known.mean_j(&program, None)), expected);
            assert_eq!(known.prognosis(&program, None, None), EnergyPrognosis::default());
        }
        // On a device that is not known: the mean of both.
        let found = known.mean_j(&[(allocation("Constant"), 2.0)], Some("device"));
        assert_eq!(format!("{:.6e}", found / 2.0), "4.202421e-7");
    }

    #[test]
    fn tables_at_fault_are_named() {
        assert!(KnownEffects::is_table(TABLE) && !KnownEffects::is_table("{\"format\": 1}"));
        let says = |text: &str| KnownEffects::from_csv(text).unwrap_err().to_string();
        assert!(says("category,level\n").contains("`mean_j`"));
        assert!(says("category,level,mean_j\nsize,Load,x\n").contains("line 2"));
        assert!(says("category,level,mean_j\na,b,1\na,b,2\n").contains("a `b` is there twice"));
        assert!(says("category,level,mean_j\nsigma,residual,1\n").contains("no cases"));
    }

    #[test]
    fn draws_of_another_fit_are_refused() {
        let table = "category,level,mean_j\noperation,Add,2\ndevice,A,1\n";
        let draws =
            "chain,draw,operation:Add,device:A,sigma:residual\n1,1,1.5,1,0.1\n1,2,2.5,1,0.1\n";
        let known = KnownEffects::from_csv(table).unwrap().with_draws_csv(draws).unwrap();
        let found = known.prognosis(&[(vec![0, 1], 1.0)], None, None).expected.unwrap();
        assert!((found.mean_j() - 3.0).abs() < 1e-12 && found.interval_j().0 < found.mean_j());
        let other = KnownEffects::from_csv(&table.replace("Add,2", "Add,4")).unwrap();
        let error = other.with_draws_csv(draws).unwrap_err().to_string();
        assert!(error.contains("operation `Add`") && error.contains("another fit"), "{error}");
    }
}
