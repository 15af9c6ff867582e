//! What the weights of collapsed stacks are. Samples are what a profile counts by; the same
//! format carries nanoseconds (async-profiler's `--total`), bytes and waits, and hardly any
//! file says which. A weight of another unit would pretend to be so many samples that no
//! counting error is left.

use thiserror::Error;

use crate::format::counted;

use super::StackProfile;

/// A unit of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightUnit {
    /// Samples.
    Samples,
    /// Time: nanoseconds of one of the weights.
    Time(u64),
}

/// What is known of a profile's weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WeightFacts {
    /// Their unit, where somebody said it.
    pub unit: Option<WeightUnit>,
    /// Nanoseconds between two samples, where somebody said it.
    pub period_ns: Option<u64>,
    /// So many samples can be at most, by how long sessions are.
    pub most_samples: Option<u64>,
}

/// Why weights are not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WeightError {
    /// More than samples can be.
    #[error(
        "its weights sum to {sum}, and samples could be {most} at most, as long as sessions are: \
         they are nanoseconds (async-profiler's `--total`), bytes or another unit; say it \
         (`--profile-unit ns`, or `samples` if they are), or profile without `--total`"
    )]
    TooMany {
        /// Their sum.
        sum: u64,
        /// The most there could be.
        most: u64,
    },
    /// Times without a period.
    #[error(
        "its weights are times, and how often the profiler sampled is not known: say it \
         (`--profile-period 10ms`)"
    )]
    NoPeriod,
    /// A unit that is none of CPU time.
    #[error(
        "its header says that the weights are {0}, which are no samples of CPU time: \
         profile with `-e cpu`"
    )]
    OtherUnit(String),
}

/// What all weights are multiples of from here on is the period of a profiler, and no chance.
const PERIOD: u64 = 1000;
/// Stacks from which on that is sure.
const STACKS: usize = 3;

/// Units by the names that headers and flags have for them.
const UNITS: [(&[&str], WeightUnit); 4] = [
    (&["samples", "sample", "count"], WeightUnit::Samples),
    (&["ns", "nanoseconds"], WeightUnit::Time(1)),
    (&["us", "microseconds"], WeightUnit::Time(1_000)),
    (&["ms", "milliseconds"], WeightUnit::Time(1_000_000)),
];

impl WeightUnit {
    /// The unit of a name.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        UNITS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, unit)| *unit)
    }
}

/// The unit in the comments that a text begins with: `# unit: ns`.
///
/// # Errors
/// A unit that is none of samples or time.
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
    /// The profile with samples as its weights, and what was made of them where nobody said.
    ///
    /// # Errors
    /// The weights are no samples, or can't be known to be.
    pub fn in_samples(mut self, facts: WeightFacts) -> Result<(Self, Option<String>), WeightError> {
        let common = self.stacks.iter().map(|(_, weight)| *weight).fold(0, divisor);
        let looks_like_times = common >= PERIOD && self.stacks.len() >= STACKS;
        match facts.unit {
            Some(WeightUnit::Samples) => Ok((self, None)),
            Some(WeightUnit::Time(ns)) => {
                let told = facts.period_ns.map(|period_ns| period_ns as f64 / ns as f64);
                let found = looks_like_times.then_some(common as f64);
                let period = told.or(found).filter(|period| *period >= 1.0);
                self.divide(period.ok_or(WeightError::NoPeriod)?);
                Ok((self, None))
            }
            None if looks_like_times => {
                self.divide(common as f64);
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

    fn divide(&mut self, period: f64) {
        for (_, weight) in &mut self.stacks {
            *weight = (*weight as f64 / period).round() as u64;
        }
        self.stacks.retain(|(_, weight)| *weight > 0);
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn weighed(text: &str, facts: WeightFacts) -> Result<(Vec<u64>, Option<String>), WeightError> {
        let (profile, remark) = parse(text).unwrap().in_samples(facts)?;
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
