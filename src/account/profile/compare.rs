//! Accounts against an independent profile: how far the shares of methods and lines differ,
//! beside how far they would if the accounts were exact, since a profile only counts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::account::Accounts;
use crate::account::entry::LineKey;
use crate::account::evaluate::Level;
use crate::account::matching::{self, Item, Pair, Signature};
use crate::csv_text::CsvText;
use crate::interval::{Interval, NORMAL_975};
use crate::quantile::quantile;
use crate::units::Joules;

use super::Hits;

/// The part of the samples whose entries are compared.
const SAMPLES_COMPARED: f64 = 0.90;

/// How far one level is from the profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileLevel {
    /// Methods or lines.
    pub level: Level,
    /// Samples of the level.
    pub samples: u64,
    /// Entries compared: the most sampled ones that hold 90 % of the samples.
    pub entries: usize,
    /// Median of |share - share by the profile| / share by the profile.
    pub median_error: f64,
    /// 90th percentile of the same.
    pub p90_error: f64,
    /// What the median would be of exact accounts, since the profile only counts.
    pub counting_median: f64,
    /// The same of the 90th percentile.
    pub counting_p90: f64,
    /// Half the sum of |share - share by the profile| over all entries: the part of the
    /// energy that is at the wrong place.
    pub total_variation: f64,
    /// What it would be on average of exact accounts.
    pub counting_variation: f64,
    /// Part of the entries compared whose 95 % interval agrees with the profile, allowing
    /// for its counting error; absent where no entry has an interval.
    pub coverage: Option<f64>,
    /// Entries compared that nothing in the accounts matches: their error is 100 %.
    pub unmatched: usize,
}

/// One method or line.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRow {
    /// Its level.
    pub level: Level,
    /// Its name.
    pub label: String,
    /// Samples that fell into it; 0 for what only the accounts have.
    pub samples: u64,
    /// Its part of the level's samples.
    pub profile_share: f64,
    /// Its part of the level's energy; absent where the accounts don't have it.
    pub account_share: Option<f64>,
}

impl ProfileRow {
    /// Relative error of the share; absent without samples.
    pub fn error(&self) -> Option<f64> {
        let share = self.account_share.unwrap_or(0.0);
        (self.samples > 0).then(|| (share - self.profile_share).abs() / self.profile_share)
    }

    /// Standard error of the profile's share, relative to it; absent without samples.
    pub fn counting_error(&self) -> Option<f64> {
        (self.samples > 0).then(|| ((1.0 - self.profile_share) / self.samples as f64).sqrt())
    }
}

/// All levels that the profile knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileEvaluation {
    /// Methods; lines where the profile has them.
    pub levels: Vec<ProfileLevel>,
    /// Every method and line of either side, the most sampled first within a level.
    pub rows: Vec<ProfileRow>,
    /// Samples without a frame of the application, and all of them.
    pub outside: (u64, u64),
}

/// Holds accounts against what a profile's samples fell into.
pub fn against(accounts: &Accounts, hits: &Hits) -> ProfileEvaluation {
    let mut evaluation = ProfileEvaluation {
        outside: (hits.outside, hits.outside + hits.inside()),
        ..ProfileEvaluation::default()
    };
    evaluation.add(Level::Method, methods(accounts, hits), hits.inside());
    evaluation.add(Level::Line, lines(accounts, hits), hits.lined());
    evaluation
}

/// The two sides of a level, joined: pairs, in samples and joules, and what only the
/// accounts have.
struct Joined {
    pairs: Vec<Pair>,
    alone: Vec<Item>,
    /// Energy of the level in the accounts, in joules.
    energy_j: f64,
}

fn methods(accounts: &Accounts, hits: &Hits) -> Joined {
    let own: Vec<(Signature, Item)> = accounts
        .methods
        .iter()
        .map(|entry| {
            let label = format!("{}.{}", entry.key.class, entry.key.method);
            let item = Item { label, energy: entry.joules(), interval: entry.interval };
            (matching::signature(&entry.key.class, &entry.key.method), item)
        })
        .collect();
    let theirs = hits.methods.iter().map(|((class, method), count)| {
        let label = format!("{class}.{method}");
        let item = Item { label, energy: Joules(*count as f64), interval: None };
        (matching::signature(class, method), item)
    });
    let energy_j = own.iter().map(|(_, item)| item.energy.0.max(0.0)).sum();
    let (pairs, alone) = matching::join_both(own, theirs.collect());
    Joined { pairs, alone, energy_j }
}

fn lines(accounts: &Accounts, hits: &Hits) -> Joined {
    let mut own: BTreeMap<&LineKey, _> = accounts.lines.iter().map(|e| (&e.key, e)).collect();
    let label = |key: &LineKey| format!("{}:{}", key.file, key.line);
    let pair = |(key, count): (&LineKey, &u64)| {
        let entry = own.remove(key);
        Pair {
            label: label(key),
            truth: Joules(*count as f64),
            estimate: entry.map(|entry| entry.joules()),
            interval: entry.and_then(|entry| entry.interval),
        }
    };
    let pairs = hits.lines.iter().map(pair).collect();
    let item = |entry: &crate::account::Entry<LineKey>| Item {
        label: label(&entry.key),
        energy: entry.joules(),
        interval: entry.interval,
    };
    let alone = own.into_values().map(item).collect();
    let energy_j = accounts.lines.iter().map(|entry| entry.joules().0.max(0.0)).sum();
    Joined { pairs, alone, energy_j }
}

impl ProfileEvaluation {
    /// Adds a level, unless the profile or the accounts have nothing of it.
    fn add(&mut self, level: Level, mut joined: Joined, samples: u64) {
        if samples == 0 || joined.energy_j <= 0.0 {
            return;
        }
        joined
            .pairs
            .sort_by(|a, b| b.truth.0.total_cmp(&a.truth.0).then_with(|| a.label.cmp(&b.label)));
        let row = |label: &str, hits: f64, energy: Option<Joules>| ProfileRow {
            level,
            label: label.to_owned(),
            samples: hits as u64,
            profile_share: hits / samples as f64,
            account_share: energy.map(|energy| energy.0.max(0.0) / joined.energy_j),
        };
        let rows: Vec<ProfileRow> =
            joined.pairs.iter().map(|pair| row(&pair.label, pair.truth.0, pair.estimate)).collect();
        self.levels.push(judged(level, &rows, &joined, samples));
        self.rows.extend(rows);
        joined.alone.retain(|item| item.energy.0 > 0.0);
        joined.alone.sort_by_key(|item| {
            (Reverse(crate::account::Femtojoules::from_joules(item.energy)), item.label.clone())
        });
        self.rows.extend(joined.alone.iter().map(|item| row(&item.label, 0.0, Some(item.energy))));
    }

    /// The text of `profile.csv`: one row per level.
    pub fn csv(&self) -> String {
        let mut table = CsvText::new([
            "level",
            "samples",
            "entries",
            "median_error",
            "p90_error",
            "counting_median",
            "counting_p90",
            "total_variation",
            "counting_variation",
            "coverage",
            "unmatched",
        ]);
        for row in &self.levels {
            table.row([
                row.level.to_string(),
                row.samples.to_string(),
                row.entries.to_string(),
                figure(row.median_error),
                figure(row.p90_error),
                figure(row.counting_median),
                figure(row.counting_p90),
                figure(row.total_variation),
                figure(row.counting_variation),
                row.coverage.map_or(String::new(), figure),
                row.unmatched.to_string(),
            ]);
        }
        table.text()
    }

    /// The text of `profile-entries.csv`: every method and line.
    pub fn entries_csv(&self) -> String {
        let mut table = CsvText::new([
            "level",
            "name",
            "samples",
            "profile_share",
            "account_share",
            "error",
            "counting_error",
            "remark",
        ]);
        for row in &self.rows {
            let remark = match (row.samples, row.account_share) {
                (0, _) => "no samples",
                (_, None) => "not in the accounts",
                _ => "",
            };
            table.row([
                row.level.to_string(),
                row.label.clone(),
                row.samples.to_string(),
                figure(row.profile_share),
                row.account_share.map_or(String::new(), figure),
                row.error().map_or(String::new(), figure),
                row.counting_error().map_or(String::new(), figure),
                remark.to_string(),
            ]);
        }
        table.text()
    }
}

fn figure(value: f64) -> String {
    format!("{value:.6}")
}

/// The figures of one level; `rows` belong to the pairs, the most sampled first.
fn judged(level: Level, rows: &[ProfileRow], joined: &Joined, samples: u64) -> ProfileLevel {
    let mut sum = 0.0;
    let enough = rows.iter().position(|row| {
        sum += row.profile_share;
        // Sums of parts may be a rounding short of what they are.
        sum >= SAMPLES_COMPARED - 1e-12
    });
    let compared = &rows[..enough.map_or(rows.len(), |last| last + 1)];
    let mut errors: Vec<f64> = compared.iter().filter_map(ProfileRow::error).collect();
    errors.sort_by(f64::total_cmp);
    let counting: Vec<f64> = compared.iter().filter_map(ProfileRow::counting_error).collect();
    let matched: f64 = rows.iter().filter_map(|row| row.account_share).sum();
    let apart = |row: &ProfileRow| (row.profile_share - row.account_share.unwrap_or(0.0)).abs();
    let counted = |row: &ProfileRow| row.profile_share * row.counting_error().unwrap_or(0.0);
    let mean_of_normal = (2.0 / std::f64::consts::PI).sqrt();
    ProfileLevel {
        level,
        samples,
        entries: compared.len(),
        median_error: quantile(&errors, 0.5),
        p90_error: quantile(&errors, 0.9),
        counting_median: quantile_of_counting(&counting, 0.5),
        counting_p90: quantile_of_counting(&counting, 0.9),
        total_variation: (rows.iter().map(apart).sum::<f64>() + (1.0 - matched).max(0.0)) / 2.0,
        counting_variation: rows.iter().map(counted).sum::<f64>() * mean_of_normal / 2.0,
        coverage: coverage(&joined.pairs[..compared.len()], compared, joined.energy_j),
        unmatched: compared.iter().filter(|row| row.account_share.is_none()).count(),
    }
}

/// The value below which the absolute errors of normal distributions with these standard
/// deviations lie with a probability of `part`.
fn quantile_of_counting(deviations: &[f64], part: f64) -> f64 {
    let below = |value: f64| {
        let one = |sd: &f64| match *sd > 0.0 {
            true => libm::erf(value / sd / std::f64::consts::SQRT_2),
            false => 1.0,
        };
        deviations.iter().map(one).sum::<f64>() / deviations.len() as f64
    };
    let (mut low, mut high) = (0.0, 8.0 * deviations.iter().fold(0.0, |m: f64, sd| m.max(*sd)));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if below(middle) < part { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// Part of the pairs whose interval, with the profile's own error, holds the profile's share.
fn coverage(pairs: &[Pair], rows: &[ProfileRow], energy_j: f64) -> Option<f64> {
    let holds = |(pair, row): (&Pair, &ProfileRow)| {
        let holds = |(estimate, interval): (Joules, Interval)| {
            let said_j = row.profile_share * energy_j;
            let side = if said_j < estimate.0 {
                estimate.0 - interval.lo.0
            } else {
                interval.hi.0 - estimate.0
            };
            let counted = NORMAL_975 * row.counting_error().unwrap_or(0.0) * said_j;
            (said_j - estimate.0).abs() <= side.max(0.0).hypot(counted)
        };
        pair.estimate.zip(pair.interval).is_some_and(holds)
    };
    pairs.iter().any(|pair| pair.interval.is_some()).then(|| {
        let held = pairs.iter().zip(rows).filter(|both| holds(*both)).count();
        held as f64 / pairs.len() as f64
    })
}
