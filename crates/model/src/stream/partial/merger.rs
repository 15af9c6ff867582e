//! Partials added up, each checked against those before.

use std::collections::BTreeMap;

use super::error::SufficientStatsError;
use super::settings::{PartialSettings, SummedPart};
use super::{StatsBody, SufficientStats};

/// Partials that are being merged, one after the other.
#[derive(Debug, Clone, Default)]
pub struct PartialMerger {
    sum: Option<SufficientStats>,
    /// Name of the first partial.
    first: String,
    /// Keys of the merged parts, with the name of their partial.
    seen: BTreeMap<String, String>,
}

impl PartialMerger {
    /// Adds a partial by the name of its file.
    ///
    /// # Errors
    /// It is of another table or fit, or some of its parts are there already.
    pub fn add(
        &mut self,
        name: &str,
        partial: SufficientStats,
    ) -> Result<(), SufficientStatsError> {
        for part in &partial.parts {
            for key in part.keys() {
                if let Some(other) = self.seen.insert(key, name.to_owned()) {
                    return Err(SufficientStatsError::Doubled { part: part.name(), other });
                }
            }
        }
        let Some(sum) = &mut self.sum else {
            self.first = name.to_owned();
            self.sum = Some(partial);
            return Ok(());
        };
        check_same(&partial.settings, &sum.settings, &self.first)?;
        check_numbers(&partial, sum, &self.first)?;
        match (&mut sum.body, &partial.body) {
            (StatsBody::Sums(sum), StatsBody::Sums(other)) => sum.join(other),
            (StatsBody::Errors(sum), StatsBody::Errors(other)) => sum.tally.join(&other.tally),
            _ => return Err(partial.wrong_kind()),
        }
        sum.parts.extend(partial.parts);
        sum.parts.sort();
        sum.devices.extend(partial.devices);
        sum.devices.sort();
        sum.devices.dedup();
        sum.check_devices()
    }

    /// Returns the sum of all partials.
    ///
    /// # Errors
    /// There was none.
    pub fn finish(self) -> Result<SufficientStats, SufficientStatsError> {
        self.sum.ok_or(SufficientStatsError::None)
    }
}

impl SummedPart {
    /// Returns keys that no other part has: its number, and what was summed over its rows, if there
    /// are any.
    fn keys(&self) -> Vec<String> {
        let number = self.number.map(|(number, _)| format!("part {number}"));
        let sums = (self.rows > 0).then(|| format!("sums {}", self.checksum));
        number.into_iter().chain(sums).collect()
    }

    fn name(&self) -> String {
        match self.number {
            Some((number, of)) => format!("part {number} of {of}"),
            None => format!("a part of {} rows with checksum {}", self.rows, self.checksum),
        }
    }
}

fn check_same(
    found: &PartialSettings,
    expected: &PartialSettings,
    other: &str,
) -> Result<(), SufficientStatsError> {
    if found.features != expected.features {
        let SufficientStatsError::Differs { what, found, expected, .. } =
            expected.differs_in_features(&found.features)
        else {
            unreachable!("features differ")
        };
        return Err(SufficientStatsError::Differs {
            what,
            found,
            expected,
            other: other.to_owned(),
        });
    }
    let columns = |of: &PartialSettings| {
        let named = of.columns.iter().map(|(what, name)| format!("{what} `{name}`"));
        named.collect::<Vec<_>>().join(", ")
    };
    let weights = |of: &PartialSettings| {
        let floor = of.relative_floor_j.map(|floor| format!(" above {floor} J"));
        format!("{}{}", of.weighting, floor.unwrap_or_default())
    };
    let folds = |of: &PartialSettings| {
        let (outer, inner) = (of.folds, of.inner_folds);
        format!(
            "{} by {:?} with seed {} and {} by {:?} with seed {} in them",
            outer.folds, outer.unit, outer.seed, inner.folds, inner.unit, inner.seed
        )
        .to_lowercase()
    };
    let judged = |of: &PartialSettings| of.judged_by.clone().unwrap_or_else(|| "none".to_owned());
    let all: [(&'static str, String, String); 4] = [
        ("the columns", columns(found), columns(expected)),
        ("the weights", weights(found), weights(expected)),
        ("the folds", folds(found), folds(expected)),
        ("the rounds that judged the cases", judged(found), judged(expected)),
    ];
    match all.into_iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((what, found, expected)) => {
            Err(SufficientStatsError::Differs { what, found, expected, other: other.to_owned() })
        }
    }
}

/// Checks that both partials count the same number of parts.
fn check_numbers(
    found: &SufficientStats,
    sum: &SufficientStats,
    other: &str,
) -> Result<(), SufficientStatsError> {
    let of = |partial: &SufficientStats| partial.parts.iter().find_map(|part| Some(part.number?.1));
    match (of(found), of(sum)) {
        (Some(found), Some(expected)) if found != expected => Err(SufficientStatsError::Differs {
            what: "the numbers of parts",
            found: found.to_string(),
            expected: expected.to_string(),
            other: other.to_owned(),
        }),
        _ => Ok(()),
    }
}

impl SufficientStats {
    /// Checks that all parts are there, as far as they are numbered.
    pub(super) fn check_complete(&self) -> Result<(), SufficientStatsError> {
        let Some(of) = self.parts.iter().find_map(|part| Some(part.number?.1)) else {
            return Ok(());
        };
        let mut there: Vec<u64> =
            self.parts.iter().filter_map(|part| Some(part.number?.0)).collect();
        there.sort_unstable();
        let mut missing: Vec<(u64, u64)> = Vec::new();
        let mut next = 1;
        for number in there.into_iter().chain([of + 1]) {
            if number > next {
                missing.push((next, number - 1));
            }
            next = number + 1;
        }
        let [first, ..] = missing.as_slice() else { return Ok(()) };
        let single = missing.len() == 1 && first.0 == first.1;
        let say = |(from, to): &(u64, u64)| {
            if from == to { from.to_string() } else { format!("{from} to {to}") }
        };
        // Ten of them show what is the matter.
        let mut parts = missing.iter().take(10).map(say).collect::<Vec<_>>().join(", ");
        if missing.len() > 10 {
            parts += ", ...";
        }
        let word = if single { "part" } else { "parts" };
        Err(SufficientStatsError::Missing { parts: format!("{word} {parts}"), of, single })
    }
}
