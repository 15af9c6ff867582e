//! The overhead test (section 5.2 of the paper): the smallest epsilon for which
//! H0: mu >= epsilon + mu_b is rejected at 5 %, where mu_b is the mean power without what
//! is tested and mu the mean with it. Rejected means: the overhead is below epsilon.

use std::collections::BTreeMap;

use wattline_model::{normal_quantile, student_quantile};
use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::shortened::shortened;

/// Power in watts that no machine exceeds.
const MOST_RUN_POWER_W: f64 = 1e9;

/// Mean power, standard deviation and number of a set of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSet {
    /// Mean in watts.
    pub mean_w: f64,
    /// Standard deviation in watts (of the sample).
    pub sd_w: f64,
    /// How many.
    pub count: u64,
}

/// Result of the overhead test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverheadTest {
    /// With what is tested.
    pub with: RunSet,
    /// Without it.
    pub base: RunSet,
    /// Smallest epsilon in watts, by the normal distribution, as in the paper.
    pub epsilon_w: f64,
    /// The same by Student's t with Welch's degrees of freedom: for few runs.
    pub epsilon_t_w: f64,
}

/// Error of the runs of an overhead test.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OverheadError {
    /// Columns are missing.
    #[error(
        "line 1: neither a column power_w (a row per run) nor mean_w, sd_w and n (a row per \
         set); there are: {}", shortened(.0)
    )]
    Columns(String),
    /// A field is not a number.
    #[error("line {line}: {column} is {:?}, not a number", shortened(text))]
    Number {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What it says.
        text: String,
    },
    /// A number that no runs can have.
    #[error("line {line}: {column} is {}; it is {range}", shortened(text))]
    Range {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What it says.
        text: String,
        /// What it may be.
        range: &'static str,
    },
    /// The file is no CSV.
    #[error("{}", shortened(.0))]
    Csv(String),
    /// A second row of a set.
    #[error(
        "line {line}: {:?} has a row already; runs of their own have power_w",
        shortened(group)
    )]
    Twice {
        /// The line, from 1.
        line: u64,
        /// The set.
        group: String,
    },
    /// Too little to know the spread.
    #[error("{group:?} has {count} runs; at least 2 are needed")]
    TooFew {
        /// Its group.
        group: String,
        /// Its runs.
        count: u64,
    },
    /// A group of one file is not in the other.
    #[error("{0:?} is in one file only")]
    Unpaired(String),
}

impl RunSet {
    /// Returns the set of single runs with these mean powers in watts.
    #[must_use]
    pub fn from_powers(powers_w: &[f64]) -> Self {
        let count = powers_w.len();
        let mean_w = powers_w.iter().sum::<f64>() / count.max(1) as f64;
        let squares: f64 = powers_w.iter().map(|power| (power - mean_w).powi(2)).sum();
        let sd_w = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
        Self { mean_w, sd_w, count: count as u64 }
    }

    /// Returns half the width, in watts, of the mean's 95 % interval by the normal distribution.
    #[must_use]
    pub fn half_width_w(&self) -> f64 {
        normal_quantile(0.975) * self.variance_of_mean().sqrt()
    }

    fn variance_of_mean(&self) -> f64 {
        self.sd_w.powi(2) / self.count as f64
    }
}

/// Returns the largest increase of the mean power that the runs do not rule out at 5 %, with the
/// means of both sets.
#[must_use]
pub fn overhead_epsilon(with: RunSet, base: RunSet) -> OverheadTest {
    let (a, b) = (with.variance_of_mean(), base.variance_of_mean());
    let difference = with.mean_w - base.mean_w;
    let error = (a + b).sqrt();
    let spare = |runs: RunSet, part: f64| part.powi(2) / (runs.count as f64 - 1.0);
    let welch = (a + b).powi(2) / (spare(with, a) + spare(base, b));
    let quantile = normal_quantile(0.95);
    // Without any spread there is nothing to be unsure of.
    let t = if error > 0.0 { student_quantile(0.95, welch) } else { 0.0 };
    OverheadTest {
        with,
        base,
        epsilon_w: difference + quantile * error,
        epsilon_t_w: difference + t * error,
    }
}

/// Parses sets of runs by group from a CSV file: the values of all columns but `power_w` (a row per
/// run), or but `mean_w`, `sd_w` and `n` (a row per set).
///
/// # Errors
/// Missing columns, fields that are no numbers or can't be, sets with two rows, groups with
/// fewer than two runs.
pub fn parse_runs(text: &str) -> Result<BTreeMap<String, RunSet>, OverheadError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| OverheadError::Csv(error.to_string());
    let header = reader.headers().map_err(wrong)?.clone();
    let column = |name: &str| header.iter().position(|column| column == name);
    let power = column("power_w");
    let set = column("mean_w").zip(column("sd_w")).zip(column("n"));
    if power.is_none() && set.is_none() {
        return Err(OverheadError::Columns(header.iter().collect::<Vec<_>>().join(", ")));
    }
    let values = ["power_w", "mean_w", "sd_w", "n", "run"].map(column);
    let (mut powers, mut sets) = (BTreeMap::<String, Vec<f64>>::new(), BTreeMap::new());
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |index: usize, column| {
            let text = record.get(index).unwrap_or_default();
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| OverheadError::Number { line, column, text: text.to_owned() })
        };
        let watts = |index: usize, column| {
            let value = number(index, column)?;
            let range = "at least 0 and at most 1e9 W";
            let text = record.get(index).unwrap_or_default().to_owned();
            let is_fine = (0.0..=MOST_RUN_POWER_W).contains(&value);
            if is_fine {
                Ok(value)
            } else {
                Err(OverheadError::Range { line, column, text, range })
            }
        };
        let fields = record.iter().enumerate();
        let of_group = fields.filter(|(index, _)| !values.contains(&Some(*index)));
        let group = of_group.map(|(_, field)| field).collect::<Vec<_>>().join(", ");
        match (power, set) {
            (Some(power), _) => powers.entry(group).or_default().push(watts(power, "power_w")?),
            (None, Some(((mean, sd), n))) => {
                let (mean_w, sd_w) = (watts(mean, "mean_w")?, watts(sd, "sd_w")?);
                let text = record.get(n).unwrap_or_default();
                let count = text.parse().map_err(|_| OverheadError::Range {
                    line,
                    column: "n",
                    text: text.to_owned(),
                    range: "a whole number of runs",
                })?;
                if sets.insert(group.clone(), RunSet { mean_w, sd_w, count }).is_some() {
                    return Err(OverheadError::Twice { line, group });
                }
            }
            (None, None) => {}
        }
    }
    sets.extend(powers.into_iter().map(|(group, powers)| (group, RunSet::from_powers(&powers))));
    let few = sets.iter().find(|(_, runs)| runs.count < 2);
    if let Some((group, runs)) = few {
        return Err(OverheadError::TooFew { group: group.clone(), count: runs.count });
    }
    Ok(sets)
}

/// Columns of the table of overheads.
pub(super) const OVERHEAD_COLUMNS: [DeclaredColumn; 14] = [
    DeclaredColumn::text("group", "Group of runs"),
    DeclaredColumn::integer("n", "Measurements with the monitor"),
    DeclaredColumn::number("mean_w", "Mean power with the monitor"),
    DeclaredColumn::number("mean_half_width_w", "Half of its 95 % interval"),
    DeclaredColumn::integer("base_n", "Measurements without the monitor"),
    DeclaredColumn::number("base_mean_w", "Mean power without the monitor"),
    DeclaredColumn::number("base_mean_half_width_w", "Half of its 95 % interval"),
    DeclaredColumn::number("difference_w", "Difference of the means"),
    DeclaredColumn::number(
        "epsilon_w",
        "Smallest overhead that is rejected at 5 %, by the normal quantile",
    ),
    DeclaredColumn::number("epsilon_share", "epsilon_w as a share of mean_w"),
    DeclaredColumn::number("epsilon_t_w", "epsilon_w by Student's t instead"),
    DeclaredColumn::number("sd_w", "Standard deviation with the monitor"),
    DeclaredColumn::number("base_sd_w", "Standard deviation without it"),
    DeclaredColumn::number("epsilon_t_share", "epsilon_t_w as a share of mean_w"),
];

/// Returns the test of every group of two files as CSV: means with half the width of their 95 %
/// intervals and their standard deviations, epsilon in watts and as part of the mean with what is
/// tested.
///
/// # Errors
/// A group of one file that the other does not have.
pub fn overhead_csv(
    with: &BTreeMap<String, RunSet>,
    base: &BTreeMap<String, RunSet>,
) -> Result<String, OverheadError> {
    let alone = with.keys().find(|group| !base.contains_key(*group));
    let alone = alone.or_else(|| base.keys().find(|group| !with.contains_key(*group)));
    if let Some(group) = alone {
        return Err(OverheadError::Unpaired(group.clone()));
    }
    let mut table = CsvText::new(OVERHEAD_COLUMNS);
    for (group, with) in with {
        let Some(base) = base.get(group) else { continue };
        let found = overhead_epsilon(*with, *base);
        let numbers = [
            with.mean_w,
            with.half_width_w(),
            base.count as f64,
            base.mean_w,
            base.half_width_w(),
            with.mean_w - base.mean_w,
            found.epsilon_w,
            found.epsilon_w / with.mean_w,
            found.epsilon_t_w,
            with.sd_w,
            base.sd_w,
            found.epsilon_t_w / with.mean_w,
        ];
        let mut row = vec![group.clone(), with.count.to_string()];
        // Nothing is a part of 0 W.
        let shown = |number: f64| number.is_finite().then(|| format!("{number:.6}"));
        row.extend(numbers.map(|number| shown(number).unwrap_or_default()));
        row[4] = base.count.to_string();
        table.row(row);
    }
    Ok(table.text())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_papers_figures() {
        let runs = |mean_w| RunSet { mean_w, sd_w: 2.0, count: 40 };
        let found = overhead_epsilon(runs(74.9), runs(74.5));
        assert!((found.epsilon_w - 1.1356).abs() < 5e-5, "{found:?}");
        // Student's t with 78 degrees of freedom: 1.66462.
        assert!((found.epsilon_t_w - (0.4 + 1.66462 * 0.2_f64.sqrt())).abs() < 1e-4);
    }

    #[test]
    fn runs_or_sets_of_runs() {
        let runs = parse_runs("case,power_w\nidle,1\nidle,3\nbusy,5\nbusy,5\n").unwrap();
        assert_eq!(runs["idle"], RunSet { mean_w: 2.0, sd_w: 2f64.sqrt(), count: 2 });
        assert_eq!(runs["busy"].sd_w, 0.0);
        let sets = parse_runs("case,mean_w,sd_w,n\nidle,74.9,2,40\n").unwrap();
        let base = parse_runs("case,mean_w,sd_w,n\nidle,74.5,2,40\n").unwrap();
        let csv = overhead_csv(&sets, &base).unwrap();
        assert!(csv.contains("idle,40,74.900000"), "{csv}");
        assert!(csv.contains(",0.400000,1.135601,0.015162,"), "{csv}");
    }

    #[test]
    fn input_at_fault_is_named() {
        let says = |text: &str| parse_runs(text).unwrap_err().to_string();
        assert!(says("a,b\n1,2\n").contains("there are: a, b"));
        assert!(says("power_w\nx\n").contains("line 2: power_w is \"x\""));
        assert!(says("case,power_w\nidle,1\n").contains("at least 2"));
        let set = |row: &str| says(&format!("case,mean_w,sd_w,n\n{row}\n"));
        assert!(set("idle,74.5,-2,40").contains("line 2: sd_w is -2; it is at least 0"));
        assert!(set("idle,74.5,1e308,40").contains("at most 1e9 W"));
        assert!(set("idle,74.5,2,-40").contains("n is -40; it is a whole number"));
        assert!(set("idle,74.5,2,40\nidle,75,2,40").contains("line 3: \"idle\" has a row"));
        let one = parse_runs("case,power_w\na,1\na,2\n").unwrap();
        let two = parse_runs("case,power_w\nb,1\nb,2\n").unwrap();
        assert_eq!(overhead_csv(&one, &two), Err(OverheadError::Unpaired("a".into())));
    }

    proptest! {
        #[test]
        fn any_text_is_read(
            text in "(case,power_w|mean_w,sd_w,n)?\n[0-9a-z.,\n\"-]{0,60}",
        ) {
            if let Ok(runs) = parse_runs(&text) {
                let _ = overhead_csv(&runs, &runs);
            }
        }

        #[test]
        fn a_larger_spread_or_fewer_runs_give_a_larger_epsilon(
            mean in 1.0..100.0_f64, sd in 0.01..10.0_f64, count in 3..200_u64,
        ) {
            let runs = |sd_w, count| RunSet { mean_w: mean, sd_w, count };
            let found = overhead_epsilon(runs(sd, count), runs(sd, count));
            prop_assert!(found.epsilon_w > 0.0 && found.epsilon_t_w > found.epsilon_w);
            prop_assert!(overhead_epsilon(runs(sd * 2.0, count), runs(sd, count)).epsilon_w > found.epsilon_w);
            prop_assert!(overhead_epsilon(runs(sd, count - 1), runs(sd, count)).epsilon_w > found.epsilon_w);
        }
    }
}
