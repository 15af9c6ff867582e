//! Comparison of accounts with an independent profile: differences of the shares of methods and
//! lines, and the differences that exact accounts would have, since a profile has counting errors
//! and covers one or a few runs where accounts are means over runs.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use crate::account::accounts::Accounts;
use crate::account::entry::LineKey;
use crate::account::evaluate::AccountLevel;
use crate::account::matching::{
    self, FigureSpread, FigureWithTruth, MatchedFigure, MethodSignature,
};
use crate::account::table_columns::{PROFILE_COLUMNS, PROFILE_ENTRY_COLUMNS};
use crate::csv_text::CsvText;
use crate::interval::{Interval, NORMAL_975};
use crate::quantile::quantile;
use crate::root::root_of_falling;
use crate::units::Joules;

use super::campaign_spread::CampaignSpread;
use super::counted_lines::CountedLines;
use super::reference_profile::{ReferenceProfile, SampleSpread};

/// Share of the samples whose entries are compared.
const SAMPLES_COMPARED: f64 = 0.90;

/// Differences between accounts and profile at one level.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileLevel {
    /// Methods or lines.
    pub level: AccountLevel,
    /// Samples of the level.
    pub samples: u64,
    /// Entries compared: the most sampled ones, with 90 % of the samples.
    pub entries: usize,
    /// Median of |share - profile's share| / profile's share.
    pub median_error: f64,
    /// 90th percentile of |share - profile's share| / profile's share.
    pub p90_error: f64,
    /// Median error that exact accounts would have from the profile's counting error.
    pub counting_median: f64,
    /// 90th percentile of the error that exact accounts would have from the profile's counting
    /// error.
    pub counting_p90: f64,
    /// Errors that exact accounts would have from the profile's counting error and the spread
    /// between its runs; absent where that spread was not measured.
    pub another_run: Option<RunSpreadErrors>,
    /// Half the sum of |share - profile's share| over all entries: the part of the energy that is
    /// misplaced.
    pub total_variation: f64,
    /// Mean of `total_variation` that exact accounts would have from the profile's counting
    /// error.
    pub counting_variation: f64,
    /// Share of the compared entries whose 95 % interval agrees with the profile, allowing for
    /// its counting error and, where known, the spread between its runs; absent where no entry
    /// has an interval.
    pub coverage: Option<f64>,
    /// Compared entries without a match in the accounts: their error is 100 %.
    pub unmatched: usize,
}

/// Errors that exact accounts would have against a profile of runs that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpreadErrors {
    /// Median of |share - profile's share| / profile's share.
    pub median: f64,
    /// 90th percentile of |share - profile's share| / profile's share.
    pub p90: f64,
    /// Mean of half the sum of |share - profile's share|.
    pub variation: f64,
    /// Relative spread between runs, pooled over all entries.
    pub spread: f64,
    /// Source of that spread.
    pub measured_by: SpreadSource,
}

/// Source of the spread between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpreadSource {
    /// The profile's runs.
    Profile,
    /// The campaign's sampled runs, where the profile has one run only.
    Campaign,
}

impl fmt::Display for SpreadSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SpreadSource::Profile => "profile",
            SpreadSource::Campaign => "campaign",
        })
    }
}

/// A method or line with its shares in profile and accounts.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRow {
    /// Its level.
    pub level: AccountLevel,
    /// Name of the method, or `file:line`.
    pub label: String,
    /// Samples; 0 for an entry of the accounts only.
    pub samples: u64,
    /// Share of the level's samples.
    pub profile_share: f64,
    /// Share of the level's energy; absent for an entry without a match in the accounts.
    pub account_share: Option<f64>,
    /// Relative standard error of the profile's share from the spread between runs; absent where
    /// that is unknown.
    pub run_error: Option<f64>,
}

impl ProfileRow {
    /// Relative error of the account's share; absent without samples.
    pub fn error(&self) -> Option<f64> {
        let share = self.account_share.unwrap_or(0.0);
        (self.samples > 0).then(|| (share - self.profile_share).abs() / self.profile_share)
    }

    /// Relative standard error of the profile's share from counting; absent without samples.
    pub(crate) fn counting_error(&self) -> Option<f64> {
        (self.samples > 0).then(|| ((1.0 - self.profile_share) / self.samples as f64).sqrt())
    }

    /// Relative standard error of the profile's share from counting and, where known, the spread
    /// between runs.
    fn profile_error(&self) -> Option<f64> {
        self.counting_error().map(|counting| counting.hypot(self.run_error.unwrap_or(0.0)))
    }
}

/// Comparison of accounts with a profile, level by level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileEvaluation {
    /// Methods; lines where the profile has them.
    pub levels: Vec<ProfileLevel>,
    /// Methods and lines of either side, the most sampled first within a level.
    pub rows: Vec<ProfileRow>,
    /// Samples without a frame of the application, and all samples.
    pub outside: (u64, u64),
}

/// Compares accounts with the samples of a profile.
pub fn compare_with_profile(
    accounts: &Accounts,
    reference: &ReferenceProfile,
) -> ProfileEvaluation {
    let reference = &reference.moved_to_counted_lines(&CountedLines::of(accounts));
    let hits = reference.hits();
    let mut evaluation = ProfileEvaluation {
        outside: (hits.outside, hits.outside + hits.inside()),
        ..ProfileEvaluation::default()
    };
    let own = CampaignSpread::of(accounts);
    evaluation.add(AccountLevel::Method, methods(accounts, reference, own.as_ref()), hits.inside());
    evaluation.add(
        AccountLevel::Line,
        lines(accounts, reference, own.as_ref()),
        hits.samples_with_line(),
    );
    evaluation
}

/// A level matched between profile and accounts: pairs, in samples and joules, and unmatched
/// entries of the accounts.
struct JoinedLevel {
    pairs: Vec<FigureWithTruth>,
    alone: Vec<MatchedFigure>,
    /// Energy of the level in the accounts, in joules.
    energy_j: f64,
    /// Relative spread between runs, pooled over all entries, and its source.
    spread: Option<(f64, SpreadSource)>,
}

impl JoinedLevel {
    /// Standard error of a pair's samples from the spread between runs, relative to them.
    fn run_error(&self, pair: &FigureWithTruth) -> Option<f64> {
        let (common, of) = self.spread?;
        let of_samples = pair.truth_spread?.0 / pair.truth.0;
        let own = || {
            let (spread, energy) = pair.spread.zip(pair.estimate)?;
            (energy.0 > 0.0).then(|| (spread.parts.0 / energy.0, spread.sessions.0 / energy.0))
        };
        match of {
            SpreadSource::Profile => Some(of_samples),
            SpreadSource::Campaign => {
                let (parts, sessions) = own().unwrap_or((common, 0.0));
                Some((of_samples * parts).hypot(sessions))
            }
        }
    }
}

/// The pooled spread between the profile's runs, else between the campaign's, with its source.
fn spread<K>(
    deviations: &SampleSpread<K>,
    reference: &ReferenceProfile,
    own: Option<f64>,
) -> Option<(f64, SpreadSource)> {
    match reference.runs() {
        1 => own.map(|own| (own, SpreadSource::Campaign)),
        _ => deviations.common.map(|common| (common, SpreadSource::Profile)),
    }
}

fn methods(
    accounts: &Accounts,
    reference: &ReferenceProfile,
    own: Option<&CampaignSpread<'_>>,
) -> JoinedLevel {
    let deviations = reference.deviations(|hits| &hits.methods);
    let ours: Vec<(MethodSignature, MatchedFigure)> = accounts
        .methods
        .iter()
        .map(|entry| {
            let label = format!("{}.{}", entry.key.class, entry.key.method);
            let spread = own.map(|own| own.method(entry));
            let (energy, interval) = (entry.joules(), entry.interval);
            let item = MatchedFigure { label, energy, interval, spread };
            (matching::signature(&entry.key.class, &entry.key.method), item)
        })
        .collect();
    // As accounts have them: with a method's samples go those of its bridge methods.
    let mut known: Vec<MethodSignature> = ours.iter().map(|(own, _)| own.clone()).collect();
    known.sort();
    known.dedup();
    let theirs = reference.hits().methods.iter().map(|(name, count)| {
        let (class, method) = name;
        let signature = matching::signature(class, method);
        let place = matching::find_method(&known, |own| own, &signature);
        let signature = place.map_or(signature, |place| known[place].clone());
        let spread = deviations.names.get(name).copied();
        let spread = spread.map(|of| FigureSpread { parts: Joules(of), ..FigureSpread::default() });
        let label = format!("{class}.{method}");
        let item = MatchedFigure { label, energy: Joules(*count as f64), interval: None, spread };
        (signature, item)
    });
    let energy_j = ours.iter().map(|(_, item)| item.energy.0.max(0.0)).sum();
    let (pairs, alone) = matching::match_names_with_rest(ours, theirs.collect());
    let common = own.map(|own| own.of_methods);
    JoinedLevel { pairs, alone, energy_j, spread: spread(&deviations, reference, common) }
}

fn lines(
    accounts: &Accounts,
    reference: &ReferenceProfile,
    own: Option<&CampaignSpread<'_>>,
) -> JoinedLevel {
    let deviations = reference.deviations(|hits| &hits.lines);
    let spreads = own.map(|own| own.lines(accounts)).unwrap_or_default();
    let mut ours: BTreeMap<&LineKey, _> = accounts.lines.iter().map(|e| (&e.key, e)).collect();
    let label = |key: &LineKey| format!("{}:{}", key.file, key.line);
    let pair = |(key, count): (&LineKey, &u64)| {
        let entry = ours.remove(key);
        FigureWithTruth {
            label: label(key),
            truth: Joules(*count as f64),
            estimate: entry.map(|entry| entry.joules()),
            interval: entry.and_then(|entry| entry.interval),
            truth_spread: deviations.names.get(key).copied().map(Joules),
            spread: spreads.get(key).copied(),
        }
    };
    let pairs = reference.hits().lines.iter().map(pair).collect();
    let item = |entry: &crate::account::AccountEntry<LineKey>| MatchedFigure {
        label: label(&entry.key),
        energy: entry.joules(),
        interval: entry.interval,
        spread: None,
    };
    let alone = ours.into_values().map(item).collect();
    let energy_j = accounts.lines.iter().map(|entry| entry.joules().0.max(0.0)).sum();
    let common = own.map(|own| own.of_lines);
    JoinedLevel { pairs, alone, energy_j, spread: spread(&deviations, reference, common) }
}

impl ProfileEvaluation {
    /// Adds a level, unless profile or accounts have no entries of it.
    fn add(&mut self, level: AccountLevel, mut joined: JoinedLevel, samples: u64) {
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
            run_error: None,
        };
        let paired = |pair: &FigureWithTruth| ProfileRow {
            run_error: joined.run_error(pair),
            ..row(&pair.label, pair.truth.0, pair.estimate)
        };
        let rows: Vec<ProfileRow> = joined.pairs.iter().map(paired).collect();
        self.levels.push(profile_level(level, &rows, &joined, samples));
        self.rows.extend(rows);
        joined.alone.retain(|item| item.energy.0 > 0.0);
        joined.alone.sort_by_key(|item| {
            (Reverse(crate::account::Femtojoules::from_joules(item.energy)), item.label.clone())
        });
        self.rows.extend(joined.alone.iter().map(|item| row(&item.label, 0.0, Some(item.energy))));
    }

    /// The text of `profile.csv`: one row per level.
    pub fn csv(&self) -> String {
        let mut table = CsvText::new(PROFILE_COLUMNS);
        for row in &self.levels {
            let of_runs = |value: fn(&RunSpreadErrors) -> f64| {
                row.another_run.as_ref().map_or(String::new(), |runs| figure(value(runs)))
            };
            table.row([
                row.level.to_string(),
                row.samples.to_string(),
                row.entries.to_string(),
                figure(row.median_error),
                figure(row.p90_error),
                figure(row.counting_median),
                figure(row.counting_p90),
                of_runs(|runs| runs.median),
                of_runs(|runs| runs.p90),
                figure(row.total_variation),
                figure(row.counting_variation),
                of_runs(|runs| runs.variation),
                row.coverage.map_or(String::new(), figure),
                row.unmatched.to_string(),
                of_runs(|runs| runs.spread),
                row.another_run.map_or(String::new(), |runs| runs.measured_by.to_string()),
            ]);
        }
        table.text()
    }

    /// The text of `profile-entries.csv`: a row per method and line.
    pub fn entries_csv(&self) -> String {
        let mut table = CsvText::new(PROFILE_ENTRY_COLUMNS);
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
                row.run_error.map_or(String::new(), figure),
                remark.to_string(),
            ]);
        }
        table.text()
    }
}

fn figure(value: f64) -> String {
    format!("{value:.6}")
}

/// Figures of one level; `rows` are parallel to the pairs, the most sampled first.
fn profile_level(
    level: AccountLevel,
    rows: &[ProfileRow],
    joined: &JoinedLevel,
    samples: u64,
) -> ProfileLevel {
    let mut sum = 0.0;
    let enough = rows.iter().position(|row| {
        sum += row.profile_share;
        // Sums of parts may be a rounding short of what they are.
        sum >= SAMPLES_COMPARED - 1e-12
    });
    let compared = &rows[..enough.map_or(rows.len(), |last| last + 1)];
    let mut errors: Vec<f64> = compared.iter().filter_map(ProfileRow::error).collect();
    errors.sort_by(f64::total_cmp);
    let counting = ExactAccountErrors::of(rows, compared.len(), ProfileRow::counting_error);
    let matched: f64 = rows.iter().filter_map(|row| row.account_share).sum();
    let apart = |row: &ProfileRow| (row.profile_share - row.account_share.unwrap_or(0.0)).abs();
    ProfileLevel {
        level,
        samples,
        entries: compared.len(),
        median_error: quantile(&errors, 0.5),
        p90_error: quantile(&errors, 0.9),
        counting_median: counting.median,
        counting_p90: counting.p90,
        another_run: joined.spread.map(|(spread, measured_by)| {
            let ExactAccountErrors { median, p90, variation } =
                ExactAccountErrors::of(rows, compared.len(), ProfileRow::profile_error);
            RunSpreadErrors { median, p90, variation, spread, measured_by }
        }),
        total_variation: (rows.iter().map(apart).sum::<f64>() + (1.0 - matched).max(0.0)) / 2.0,
        counting_variation: counting.variation,
        coverage: coverage(&joined.pairs[..compared.len()], compared, joined.energy_j),
        unmatched: compared.iter().filter(|row| row.account_share.is_none()).count(),
    }
}

/// Errors that exact accounts would have.
struct ExactAccountErrors {
    median: f64,
    p90: f64,
    variation: f64,
}

impl ExactAccountErrors {
    /// Errors from the relative standard deviations of the profile's shares; quantiles are over
    /// the first `compare_with_baselines` rows.
    fn of(rows: &[ProfileRow], compared: usize, error: fn(&ProfileRow) -> Option<f64>) -> Self {
        let deviations: Vec<f64> = rows[..compared].iter().filter_map(error).collect();
        let absolute = |row: &ProfileRow| row.profile_share * error(row).unwrap_or(0.0);
        let mean_of_normal = (2.0 / std::f64::consts::PI).sqrt();
        Self {
            median: quantile_of_normal(&deviations, 0.5),
            p90: quantile_of_normal(&deviations, 0.9),
            variation: rows.iter().map(absolute).sum::<f64>() * mean_of_normal / 2.0,
        }
    }
}

/// The `part` quantile of the absolute errors of normal distributions with these standard
/// deviations, pooled.
fn quantile_of_normal(deviations: &[f64], part: f64) -> f64 {
    let below = |value: f64| {
        let one = |sd: &f64| match *sd > 0.0 {
            true => libm::erf(value / sd / std::f64::consts::SQRT_2),
            false => 1.0,
        };
        deviations.iter().map(one).sum::<f64>() / deviations.len() as f64
    };
    let most = 8.0 * deviations.iter().fold(0.0, |m: f64, sd| m.max(*sd));
    root_of_falling(|value| part - below(value), 0.0, most)
}

/// Share of the pairs whose interval, widened by the profile's error, contains the profile's
/// share.
fn coverage(pairs: &[FigureWithTruth], rows: &[ProfileRow], energy_j: f64) -> Option<f64> {
    let holds = |(pair, row): (&FigureWithTruth, &ProfileRow)| {
        let holds = |(estimate, interval): (Joules, Interval)| {
            let said_j = row.profile_share * energy_j;
            let side = if said_j < estimate.0 {
                estimate.0 - interval.lo.0
            } else {
                interval.hi.0 - estimate.0
            };
            let of_profile = NORMAL_975 * row.profile_error().unwrap_or(0.0) * said_j;
            (said_j - estimate.0).abs() <= side.max(0.0).hypot(of_profile)
        };
        pair.estimate.zip(pair.interval).is_some_and(holds)
    };
    pairs.iter().any(|pair| pair.interval.is_some()).then(|| {
        let held = pairs.iter().zip(rows).filter(|both| holds(*both)).count();
        held as f64 / pairs.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};

    use super::*;
    use crate::account::profile::Hits;

    const METHODS: usize = 80;
    /// The accounts' relative standard deviation; how far, relative, runs differ.
    const ERROR: f64 = 0.05;
    const SPREAD: f64 = 0.15;

    /// Samples of a method in a run, on average: as unlike as methods are. Were they alike,
    /// those compared would be those that the profile happens to have much of.
    fn size(method: usize) -> f64 {
        4000.0 * (-0.06 * method as f64).exp()
    }

    fn name(method: usize) -> (String, String) {
        ("a.A".into(), format!("m{method:02}"))
    }

    /// A run of a profiler over methods that spend the same, off by a draw from a gamma
    /// distribution.
    fn run(random: &mut ChaCha8Rng) -> Vec<Hits> {
        let shape = SPREAD.powi(-2);
        let off = Gamma::new(shape, 1.0 / shape).unwrap();
        let mut count = |method: usize| {
            let mean = size(method) * off.sample(random);
            Poisson::new(mean).unwrap().sample(random) as u64
        };
        let methods = (0..METHODS).map(|method| (name(method), count(method))).collect();
        vec![Hits { methods, ..Hits::default() }]
    }

    /// Accounts whose intervals are right, held against some runs; whose spread is known by
    /// the runs, by the campaign, or not at all.
    fn held(seed: u64, runs: usize, of: Option<SpreadSource>) -> ProfileLevel {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let reference = ReferenceProfile::of((0..runs).map(|_| run(&mut random)).collect());
        let deviations = reference.deviations(|hits| &hits.methods);
        let pair = |method: usize| {
            let estimate = size(method) * (1.0 + ERROR * random.sample::<f64, _>(StandardNormal));
            FigureWithTruth {
                label: name(method).1,
                truth: Joules(reference.hits().methods[&name(method)] as f64),
                estimate: Some(Joules(estimate)),
                interval: Some(Interval::around(Joules(estimate), (ERROR * size(method)).powi(2))),
                truth_spread: deviations.names.get(&name(method)).copied().map(Joules),
                spread: Some(FigureSpread {
                    parts: Joules(SPREAD * estimate),
                    ..FigureSpread::default()
                }),
            }
        };
        let pairs = (0..METHODS).map(pair).collect();
        let common = deviations.common.unwrap_or(SPREAD);
        let spread = of.map(|of| (common, of));
        let energy_j = (0..METHODS).map(size).sum();
        let joined = JoinedLevel { pairs, alone: Vec::new(), energy_j, spread };
        let mut evaluation = ProfileEvaluation::default();
        evaluation.add(AccountLevel::Method, joined, reference.hits().inside());
        evaluation.levels.remove(0)
    }

    fn mean(values: impl Fn(u64) -> f64) -> f64 {
        (0..20).map(values).sum::<f64>() / 20.0
    }

    /// 95 % of right intervals agree with runs that differ where that is allowed for, fewer
    /// where it is not.
    #[test]
    fn right_intervals_agree_with_runs_that_differ() {
        let coverage = |runs, of| mean(|seed| held(seed, runs, of).coverage.unwrap());
        for (runs, of) in
            [(1, SpreadSource::Campaign), (2, SpreadSource::Profile), (4, SpreadSource::Profile)]
        {
            let (allowed, blind) = (coverage(runs, Some(of)), coverage(runs, None));
            assert!((0.93..0.97).contains(&allowed), "{runs} {of}: {allowed}");
            assert!(blind < allowed - 0.03, "{runs}: {blind} {allowed}");
        }
    }

    /// Errors that true accounts would have are those that nearly true ones have.
    #[test]
    fn another_run_differs_by_what_is_said() {
        let level = |seed| held(seed, 1, Some(SpreadSource::Campaign));
        let another = |value: fn(RunSpreadErrors) -> f64| {
            mean(|seed| value(level(seed).another_run.unwrap()))
        };
        // The accounts' own error comes on top.
        let more = SPREAD.hypot(ERROR) / SPREAD;
        for (found, said) in [
            (mean(|seed| level(seed).median_error), another(|runs| runs.median)),
            (mean(|seed| level(seed).total_variation), another(|runs| runs.variation)),
        ] {
            assert!((found / more / said - 1.0).abs() < 0.1, "{found} {said}");
        }
        assert!(another(|runs| runs.p90) > 2.0 * another(|runs| runs.median));
        assert!(mean(|seed| level(seed).counting_median) < 0.5 * another(|runs| runs.median));
        assert_eq!(held(1, 1, None).another_run, None);
    }
}
