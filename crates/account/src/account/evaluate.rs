//! Comparison of accounts with a known ground truth. The error of case totals proves almost
//! nothing (cases differ mostly in size), so lines, blocks and methods are compared, each level
//! over the entries that make up 95 % of the true energy.

use std::collections::BTreeMap;
use std::fmt;

use super::table_columns::EVALUATION_COLUMNS;
use crate::account::accounts::Accounts;
use crate::account::entry::LineKey;
use crate::account::matching::FigureWithTruth;
use crate::account::truth::GroundTruth;
use crate::account::truth_pairs::{
    block_pairs, line_pairs, method_pairs, operation_pairs, true_lines,
};
use crate::csv_text::CsvText;
use crate::operations::Dictionary;
use crate::quantile::quantile;
use crate::units::Joules;
use wattline_units::file_schema::DeclaredColumn;

/// Share of the true energy whose entries are compared.
const ENERGY_COMPARED: f64 = 0.95;

/// A level of accounts that has a ground truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountLevel {
    /// Source lines.
    Line,
    /// Blocks that share no line with another block.
    Block,
    /// Methods.
    Method,
    /// Operations, where the ground truth has them.
    Operation,
}

impl fmt::Display for AccountLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccountLevel::Line => "line",
            AccountLevel::Block => "block",
            AccountLevel::Method => "method",
            AccountLevel::Operation => "operation",
        })
    }
}

/// Errors of one level of accounts against the ground truth.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelEvaluation {
    /// The level.
    pub level: AccountLevel,
    /// Entries compared: the costliest, which make up 95 % of the level's true energy.
    pub entries: usize,
    /// Share of all true energy (of lines, methods or operations) in the compared entries.
    pub share: f64,
    /// Median of |estimate - ground truth| / ground truth.
    pub median_error: f64,
    /// 90th percentile of |estimate - ground truth| / ground truth.
    pub p90_error: f64,
    /// Share of the entries whose 95 % interval contains the ground truth; absent where no entry
    /// has an interval. An entry without an interval, or without a match, counts as a miss.
    pub coverage: Option<f64>,
    /// (sum of estimates - sum of true energies) / sum of true energies over the compared
    /// entries.
    pub bias: f64,
    /// Compared entries without a match in the accounts: their error is 100 %.
    pub unmatched: usize,
    /// Share of all true energy in unmatched entries, compared or not.
    pub unmatched_share: f64,
}

/// An entry of the ground truth without a match in the accounts.
#[derive(Debug, Clone, PartialEq)]
pub struct UnmatchedEntry {
    /// Its level.
    pub level: AccountLevel,
    /// Name of the entry in the ground truth.
    pub label: String,
    /// Its true energy.
    pub energy: Joules,
}

/// Errors of all levels that have a ground truth, and the entries without a match.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccountEvaluation {
    /// Line, block, method and operation level, as far as the ground truth has them.
    pub levels: Vec<LevelEvaluation>,
    /// Unmatched entries by level, the largest first.
    pub unmatched: Vec<UnmatchedEntry>,
    /// True energy of lines, under the dictionary's file names.
    pub lines: BTreeMap<LineKey, Joules>,
}

impl AccountEvaluation {
    /// Errors of one level; `None` without a ground truth for it.
    pub fn level(&self, level: AccountLevel) -> Option<&LevelEvaluation> {
        self.levels.iter().find(|row| row.level == level)
    }

    /// The text of `evaluation.csv`: the columns of the command-line contract, then `bias,
    /// unmatched, unmatched_share`.
    pub fn csv(&self) -> String {
        let mut table = CsvText::new(EVALUATION_COLUMNS);
        self.rows().for_each(|row| table.row(row));
        table.text()
    }

    fn rows(&self) -> impl Iterator<Item = [String; 9]> {
        let figure = |value: f64| format!("{value:.6}");
        self.levels.iter().map(move |row| {
            [
                row.level.to_string(),
                row.entries.to_string(),
                figure(row.share),
                figure(row.median_error),
                figure(row.p90_error),
                row.coverage.map_or(String::new(), figure),
                figure(row.bias),
                row.unmatched.to_string(),
                figure(row.unmatched_share),
            ]
        })
    }
}

/// The text of `evaluation.csv` for several boards, with the board's name in a last column.
pub fn evaluations_csv<'e>(
    boards: impl IntoIterator<Item = (&'e str, &'e AccountEvaluation)>,
) -> String {
    let mut table =
        CsvText::new(DeclaredColumn::names(EVALUATION_COLUMNS).into_iter().chain(["device"]));
    for (board, evaluation) in boards {
        evaluation.rows().for_each(|row| table.row(row.into_iter().chain([board.to_string()])));
    }
    table.text()
}

/// Compares accounts with a ground truth.
pub fn evaluate(
    accounts: &Accounts,
    dictionary: &Dictionary,
    truth: &GroundTruth,
) -> AccountEvaluation {
    let lines = true_lines(dictionary, truth);
    let all_lines: f64 = truth.lines.iter().map(|(_, energy)| energy.max(0.0)).sum();
    let true_line = |(key, energy): (&LineKey, &f64)| (key.clone(), Joules(*energy));
    let own = lines.iter().map(true_line).collect();
    let mut evaluation = AccountEvaluation { lines: own, ..AccountEvaluation::default() };
    let levels = [
        (AccountLevel::Line, line_pairs(accounts, &lines), all_lines),
        (AccountLevel::Block, block_pairs(accounts, dictionary, &lines), all_lines),
        (
            AccountLevel::Method,
            method_pairs(accounts, truth),
            positive_sum(truth.methods.iter().map(|m| m.2)),
        ),
        (
            AccountLevel::Operation,
            operation_pairs(accounts, truth),
            positive_sum(truth.operations.iter().map(|o| o.1)),
        ),
    ];
    for (level, pairs, all) in levels {
        evaluation.add(level, pairs, all);
    }
    evaluation
}

/// Sum of the positive energies.
fn positive_sum(energies: impl Iterator<Item = f64>) -> f64 {
    energies.map(|energy| energy.max(0.0)).sum()
}

impl AccountEvaluation {
    /// Adds a level, unless it has no ground truth; `all` is the true energy of all its entries.
    fn add(&mut self, level: AccountLevel, mut pairs: Vec<FigureWithTruth>, all: f64) {
        pairs.retain(|pair| pair.truth.0 > 0.0);
        pairs.sort_by(|a, b| b.truth.0.total_cmp(&a.truth.0).then_with(|| a.label.cmp(&b.label)));
        let unmatched = pairs.iter().filter(|pair| pair.estimate.is_none());
        let unmatched: Vec<UnmatchedEntry> = unmatched
            .map(|pair| UnmatchedEntry { level, label: pair.label.clone(), energy: pair.truth })
            .collect();
        let unmatched_energy: f64 = unmatched.iter().map(|entry| entry.energy.0).sum();
        self.unmatched.extend(unmatched);
        let compared = costliest(&pairs);
        if compared.is_empty() {
            return;
        }
        let errors = sorted_errors(compared);
        let truth: f64 = compared.iter().map(|pair| pair.truth.0).sum();
        let estimate: f64 = compared.iter().filter_map(|pair| pair.estimate).map(|e| e.0).sum();
        self.levels.push(LevelEvaluation {
            level,
            entries: compared.len(),
            share: truth / all,
            median_error: quantile(&errors, 0.5),
            p90_error: quantile(&errors, 0.9),
            coverage: coverage(compared),
            bias: (estimate - truth) / truth,
            unmatched: compared.iter().filter(|pair| pair.estimate.is_none()).count(),
            unmatched_share: unmatched_energy / all,
        });
    }
}

/// Shortest prefix of sorted pairs that makes up 95 % of their true energy.
fn costliest(pairs: &[FigureWithTruth]) -> &[FigureWithTruth] {
    let all: f64 = pairs.iter().map(|pair| pair.truth.0).sum();
    let mut sum = 0.0;
    let enough = pairs.iter().position(|pair| {
        sum += pair.truth.0;
        sum >= ENERGY_COMPARED * all
    });
    &pairs[..enough.map_or(pairs.len(), |last| last + 1)]
}

/// Relative errors, ascending; 1 for an entry without a match.
fn sorted_errors(pairs: &[FigureWithTruth]) -> Vec<f64> {
    let error = |pair: &FigureWithTruth| {
        let estimate = pair.estimate.unwrap_or(Joules::ZERO);
        (estimate.0 - pair.truth.0).abs() / pair.truth.0
    };
    let mut errors: Vec<f64> = pairs.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// Share of the pairs whose interval contains the ground truth.
fn coverage(pairs: &[FigureWithTruth]) -> Option<f64> {
    pairs.iter().any(|pair| pair.interval.is_some()).then(|| {
        let holds = |pair: &&FigureWithTruth| pair.interval.is_some_and(|i| i.contains(pair.truth));
        pairs.iter().filter(holds).count() as f64 / pairs.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    fn truth_of(accounts: &Accounts, factor: impl Fn(usize) -> f64) -> GroundTruth {
        let lines = accounts.lines.iter().enumerate();
        GroundTruth {
            lines: lines.map(|(i, e)| (e.key.clone(), e.joules().0 * factor(i))).collect(),
            methods: accounts
                .methods
                .iter()
                .map(|e| (e.key.class.clone(), e.key.method.clone(), e.joules().0))
                .collect(),
            operations: Vec::new(),
        }
    }

    #[test]
    fn a_true_account_has_no_error_and_full_coverage() {
        let sample = sample::program_1();
        let accounts = account(&sample.scenario());
        let evaluation = evaluate(&accounts, &sample.dictionary, &truth_of(&accounts, |_| 1.0));
        for row in &evaluation.levels {
            assert!(row.median_error < 1e-9 && row.p90_error < 1e-9, "{row:?}");
            assert_eq!(row.coverage, Some(1.0));
            assert_eq!(row.unmatched, 0);
        }
        let levels: Vec<AccountLevel> = evaluation.levels.iter().map(|row| row.level).collect();
        assert_eq!(
            levels,
            [AccountLevel::Line, AccountLevel::Block, AccountLevel::Method],
            "no ground truth of operations"
        );
        let block = evaluation.level(AccountLevel::Block).unwrap();
        let alone = [0.191, 0.809].iter().sum::<f64>() - header_share(&accounts);
        assert!((block.share - alone).abs() < 1e-9, "the header's blocks share a line: {block:?}");
    }

    fn header_share(accounts: &Accounts) -> f64 {
        let header = accounts.blocks.iter().filter(|block| block.start_line == 5);
        header.map(|block| block.entry.share.unwrap()).sum()
    }

    /// Line energies that are 20 % too low: |e - 1.25 e| / 1.25 e.
    #[test]
    fn errors_are_relative_to_the_truth() {
        let sample = sample::program_1();
        let accounts = account(&sample.scenario());
        let evaluation = evaluate(&accounts, &sample.dictionary, &truth_of(&accounts, |_| 1.25));
        let line = evaluation.level(AccountLevel::Line).unwrap();
        assert!((line.median_error - 0.2).abs() < 1e-9 && (line.p90_error - 0.2).abs() < 1e-9);
        assert!((line.bias + 0.2).abs() < 1e-9);
        assert_eq!(line.coverage, Some(0.0));
        assert!(
            evaluation.csv().starts_with("level,entries,share,median_error,p90_error,coverage")
        );
        let both = evaluations_csv([("left", &evaluation), ("right", &evaluation)]);
        let lines: Vec<&str> = both.lines().collect();
        assert_eq!(lines.len(), 7, "three levels of two boards");
        assert!(lines[0].ends_with(",unmatched_share,device") && lines[4].ends_with(",right"));
    }

    #[test]
    fn what_nothing_matches_is_counted_as_wrong() {
        let sample = sample::program_1();
        let accounts = account(&sample.scenario());
        let mut truth = truth_of(&accounts, |_| 1.0);
        truth.methods.push(("demo.Grid".into(), "access$000(Ldemo/Grid;)I".into(), 100.0));
        let evaluation = evaluate(&accounts, &sample.dictionary, &truth);
        let methods = evaluation.level(AccountLevel::Method).unwrap();
        assert_eq!((methods.entries, methods.unmatched, methods.median_error), (1, 1, 1.0));
        assert_eq!(evaluation.unmatched[0].energy, Joules(100.0));
    }
}
