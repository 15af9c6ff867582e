//! Units of the weights of collapsed stacks. A profile counts samples; the same format carries
//! nanoseconds (async-profiler's `--total`), bytes and waits, and few files name the unit. A weight
//! in another unit would pass for so many samples that no counting error is left.

use thiserror::Error;

use crate::format::counted;

use super::StackProfile;

/// Unit of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightUnit {
    /// Samples.
    Samples,
    /// Time: number of nanoseconds in one unit of weight.
    Time(u64),
}

/// Known properties of a profile's weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WeightFacts {
    /// Unit, if known.
    pub unit: Option<WeightUnit>,
    /// Nanoseconds between two samples, if known.
    pub period_ns: Option<u64>,
    /// Upper limit on the number of samples, from the length of the sessions.
    pub most_samples: Option<u64>,
}

/// Reason why weights are refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WeightError {
    /// A sum over the possible number of samples.
    #[error(
        "its weights sum to {sum}, and samples could be {most} at most, as long as sessions are: \
         they are nanoseconds (async-profiler's `--total`), bytes or another unit; say it \
         (`--profile-unit ns`, or `samples` if they are), or profile without `--total`"
    )]
    TooMany {
        /// Sum of the weights.
        sum: u64,
        /// Largest possible number of samples.
        most: u64,
    },
    /// Times without a known sampling period.
    #[error(
        "its weights are times, and how often the profiler sampled is not known: say it \
         (`--profile-period 10ms`)"
    )]
    NoPeriod,
    /// A unit that does not measure CPU time.
    #[error(
        "its header says that the weights are {0}, which are no samples of CPU time: \
         profile with `-e cpu`"
    )]
    OtherUnit(String),
}

/// Least common divisor of all weights that is taken for a profiler's period instead of chance.
const LEAST_PERIOD: u64 = 1000;
/// Least number of stacks for that conclusion.
const LEAST_STACKS: usize = 3;

/// Names of units in headers and flags.
const UNITS: [(&[&str], WeightUnit); 4] = [
    (&["samples", "sample", "count"], WeightUnit::Samples),
    (&["ns", "nanoseconds"], WeightUnit::Time(1)),
    (&["us", "microseconds"], WeightUnit::Time(1_000)),
    (&["ms", "milliseconds"], WeightUnit::Time(1_000_000)),
];

impl WeightUnit {
    /// The unit of this name.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        UNITS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, unit)| *unit)
    }
}

/// The unit in the leading comments of a text: `# unit: ns`.
///
/// # Errors
/// A unit that is neither samples nor time.
pub fn unit_of_header(text: &str) -> Result<Option<WeightUnit>, WeightError> {
    let comments = text.lines().map_while(|line| line.trim().strip_prefix('#'));
    let unit = comments.filter_map(|comment| {
        let (key, value) = comment.split_once([':', '='])?;
        ["unit", "units", "weight", "weights"]
            .contains(&key.trim().to_lowercase().as_str())
            .then(|| value.trim().to_owned())
    });
    match unit.last() {
        None => Ok(None),
        Some(name) => WeightUnit::of(&name).map(Some).ok_or(WeightError::OtherUnit(name)),
    }
}

impl StackProfile {
    /// Converts the weights to numbers of samples; also returns a remark where the unit was
    /// inferred.
    ///
    /// # Errors
    /// Weights that are no samples, or of an unclear unit.
    pub fn to_samples(mut self, facts: WeightFacts) -> Result<(Self, Option<String>), WeightError> {
        let common = self.stacks.iter().map(|(_, weight)| *weight).fold(0, greatest_common_divisor);
        let looks_like_times = common >= LEAST_PERIOD && self.stacks.len() >= LEAST_STACKS;
        match facts.unit {
            Some(WeightUnit::Samples) => Ok((self, None)),
            Some(WeightUnit::Time(ns)) => {
                let told = facts.period_ns.map(|period_ns| period_ns as f64 / ns as f64);
                let found = looks_like_times.then_some(common as f64);
                let period = told.or(found).filter(|period| *period >= 1.0);
                self.divide_weights(period.ok_or(WeightError::NoPeriod)?);
                Ok((self, None))
            }
            None if looks_like_times => {
                self.divide_weights(common as f64);
                let remark = format!(
                    "its weights are all multiples of {common}, as nanoseconds are (`--total`): \
                     taken for {}, which is the least that they can be; `--profile-unit ns \
                     --profile-period 10ms` says it better",
                    counted(self.samples(), "sample")
                );
                Ok((self, Some(remark)))
            }
            None => match facts.most_samples {
                Some(most) if self.samples() > most => {
                    Err(WeightError::TooMany { sum: self.samples(), most })
                }
                _ => Ok((self, None)),
            },
        }
    }

    fn divide_weights(&mut self, period: f64) {
        for (_, weight) in &mut self.stacks {
            *weight = (*weight as f64 / period).round() as u64;
        }
        self.stacks.retain(|(_, weight)| *weight > 0);
    }
}

/// Greatest common divisor of two numbers.
fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn weighed(text: &str, facts: WeightFacts) -> Result<(Vec<u64>, Option<String>), WeightError> {
        let (profile, remark) = parse(text).unwrap().to_samples(facts)?;
        Ok((profile.stacks.iter().map(|(_, weight)| *weight).collect(), remark))
    }

    const SAMPLES: &str = "a;b 500\na 150\na;b;c 120\n";
    const TOTAL: &str = "a;b 5000000000\na 1500000000\na;b;c 1200000000\n";

    #[test]
    fn multiples_of_a_period_are_times() {
        let facts = WeightFacts { most_samples: Some(1_000_000), ..WeightFacts::default() };
        assert_eq!(weighed(SAMPLES, facts), Ok((vec![500, 150, 120], None)));
        let (counts, remark) = weighed(TOTAL, facts).unwrap();
        // All are even: half as many samples at a period of twice the length, to be safe.
        assert_eq!(counts, [50, 15, 12]);
        assert!(remark.unwrap().contains("multiples of 100000000"));
        let told =
            WeightFacts { unit: Some(WeightUnit::Time(1)), period_ns: Some(10_000_000), ..facts };
        assert_eq!(weighed(TOTAL, told), Ok((vec![500, 150, 120], None)));
        let samples = WeightFacts { unit: Some(WeightUnit::Samples), ..facts };
        assert_eq!(weighed(TOTAL, samples).unwrap().0[0], 5_000_000_000);
    }

    #[test]
    fn more_than_sessions_allow_is_refused() {
        let bytes = "a;b 5000000017\na 1500000001\na;b;c 1200000031\n";
        let facts = WeightFacts { most_samples: Some(1_000_000), ..WeightFacts::default() };
        let error = weighed(bytes, facts).unwrap_err();
        assert!(error.to_string().contains("--profile-unit ns"), "{error}");
        assert_eq!(weighed(bytes, WeightFacts::default()).unwrap().0[0], 5_000_000_017);
        let times = WeightFacts { unit: Some(WeightUnit::Time(1)), ..facts };
        assert_eq!(weighed(bytes, times), Err(WeightError::NoPeriod));
        let micros = WeightFacts {
            unit: Some(WeightUnit::Time(1_000)),
            period_ns: Some(1_000_000_000),
            ..facts
        };
        assert_eq!(weighed(bytes, micros).unwrap().0, [5000, 1500, 1200]);
    }

    #[test]
    fn headers_say_units() {
        assert_eq!(
            unit_of_header("# x\n# unit: nanoseconds\na 1\n"),
            Ok(Some(WeightUnit::Time(1)))
        );
        assert_eq!(unit_of_header("# weights=samples\na 1\n"), Ok(Some(WeightUnit::Samples)));
        assert_eq!(unit_of_header("a 1\n# unit: ns\n"), Ok(None));
        let error = unit_of_header("# unit: bytes\n").unwrap_err();
        assert!(error.to_string().contains("are bytes"), "{error}");
    }
}
