//! CSV texts of the accounts, with the columns of the command-line contract. Energies have all 15
//! decimals, so that the columns add up exactly in decimal arithmetic. An absent value (an
//! interval without a covariance, a share of nothing) is an empty field.
//!
//! Every table but the ledger ends with a row `(unattributed)`: energy above idle that
//! no entry holds (GC and what the model doesn't explain). With it a table's energies
//! add up to measured - idle.

use std::iter::{once, repeat_n};

use crate::account::accounts::{Accounts, BlockAccount, OperationAccount};
use crate::account::class::{CLASSES, name_of};
use crate::account::entry::MethodKey;
use crate::account::entry::{AccountEntry, LineKey};
use crate::account::ledger;
use crate::account::method_groups::MethodGroups;
use crate::account::table_columns::{
    BLOCK_KEY, CLASS_KEY, FIGURE_COLUMNS, LAST_COLUMNS, LEDGER_COLUMNS, LINE_KEY,
    METHOD_ESTIMATE_COLUMNS, METHOD_KEY, OPERATION_KEY, OPERATION_OWN, PACKAGE_KEY, block_columns,
};
use crate::csv_text::CsvText;
use crate::exact::Femtojoules;
use crate::exact::share;
use crate::interval::Interval;
use crate::units::Joules;
use wattline_units::file_schema::DeclaredColumn;

/// Key of the row for energy above idle that no entry has.
pub const UNATTRIBUTED_KEY: &str = "(unattributed)";

/// One file of the `accounts` folder: name and CSV text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountTable {
    /// File name: `blocks.csv`.
    pub name: &'static str,
    /// The whole text.
    pub text: String,
}

/// The files of the `accounts` folder: one per level, and `method-estimates.csv` where methods were
/// sampled.
pub fn tables(accounts: &Accounts) -> Vec<AccountTable> {
    let method_groups = accounts.method_groups.as_ref();
    let method_groups = method_groups.map(|method_groups| AccountTable {
        name: "method-estimates.csv",
        text: areas_csv(method_groups),
    });
    level_tables(accounts).into_iter().chain(method_groups).collect()
}

/// The tables of the six levels.
fn level_tables(accounts: &Accounts) -> Vec<AccountTable> {
    [
        ("operations.csv", operations_csv(accounts)),
        ("blocks.csv", blocks_csv(accounts)),
        ("lines.csv", lines_csv(accounts)),
        ("methods.csv", methods_csv(accounts)),
        ("classes.csv", classes_csv(accounts)),
        ("packages.csv", packages_csv(accounts)),
    ]
    .map(|(name, text)| AccountTable { name, text })
    .into()
}

/// The text of `method-estimates.csv`: `class, method, samples, sampled_j, counted_j, energy_j,
/// energy_lo_j, energy_hi_j, weight, block_effect_sd, run_spread, session_spread`. A row is a
/// method (or methods that bytecode cannot separate, joined by `+`) with its sampling-based,
/// count-based and combined estimates, and the weight of the samples. The block effect is equal
/// in all rows; the spreads between runs are the method's.
pub(crate) fn areas_csv(method_groups: &MethodGroups) -> String {
    let mut table = CsvText::new(METHOD_ESTIMATE_COLUMNS);
    for area in &method_groups.groups {
        let names: Vec<&str> = area.methods.iter().map(|key| key.method.as_str()).collect();
        let [lo, hi] = interval_fields(Some(area.interval));
        table.row([
            area.methods.first().map_or(String::new(), |key| key.class.clone()),
            names.join(" + "),
            area.samples.to_string(),
            number_field(area.sampled.0),
            number_field(area.counted.0),
            area.energy.to_string(),
            lo,
            hi,
            optional_field(Some(area.weight)),
            optional_field(Some(method_groups.block_effect_sd)),
            optional_field(area.run_spread),
            optional_field(area.session_spread),
        ]);
    }
    table.text()
}

/// The text of `operations.csv`: `operation, FIGURE, class, cost_j, estimable, costed_as,
/// unknown, rank_by_cost, cumulative_share`.
pub fn operations_csv(accounts: &Accounts) -> String {
    let (ranks, curve) = (accounts.ranks_by_cost(), accounts.cumulative_shares());
    let mut table = CsvText::new([&OPERATION_KEY[..], &FIGURE_COLUMNS, &OPERATION_OWN].concat());
    for (at, operation) in accounts.operations.iter().enumerate() {
        let OperationAccount { entry, cost, estimable, costed_as } = operation;
        let own = [
            name_of(entry.key.class()).to_string(),
            cost.map_or(String::new(), |cost| number_field(cost.0)),
            estimable.map_or(String::new(), |yes| yes.to_string()),
            costed_as.clone().unwrap_or_default(),
            entry.unknown.to_string(),
            ranks[at].map_or(String::new(), |rank| rank.to_string()),
            optional_field(curve.get(at).copied()),
        ];
        table.row(once(entry.key.name().to_string()).chain(figure_fields(entry)).chain(own));
    }
    add_unattributed_row(&mut table, accounts, &[UNATTRIBUTED_KEY], OPERATION_OWN.len());
    table.text()
}

/// The text of `lines.csv`: `file, line, FIGURE, unknown, determined`.
pub(crate) fn lines_csv(accounts: &Accounts) -> String {
    let key = |key: &LineKey| [key.file.clone(), key.line.to_string()];
    level_csv(accounts, LINE_KEY, &accounts.lines, key)
}

/// The text of `methods.csv`: `class, method, FIGURE, unknown, determined`.
pub(crate) fn methods_csv(accounts: &Accounts) -> String {
    let key = |key: &MethodKey| [key.class.clone(), key.method.clone()];
    level_csv(accounts, METHOD_KEY, &accounts.methods, key)
}

/// The text of `classes.csv`: `class, FIGURE, unknown, determined`.
pub(crate) fn classes_csv(accounts: &Accounts) -> String {
    named_csv(accounts, CLASS_KEY, &accounts.classes)
}

/// The text of `packages.csv`: `package, FIGURE, unknown, determined`.
pub(crate) fn packages_csv(accounts: &Accounts) -> String {
    named_csv(accounts, PACKAGE_KEY, &accounts.packages)
}

/// The text of a level whose key is one name, in column `key`.
pub(super) fn named_csv(
    accounts: &Accounts,
    key: [DeclaredColumn; 1],
    entries: &[AccountEntry<String>],
) -> String {
    level_csv(accounts, key, entries, |key| [key.clone()])
}

/// The text of a level with its key's columns: `KEY, FIGURE, unknown, determined`.
fn level_csv<K, const N: usize>(
    accounts: &Accounts,
    columns: [DeclaredColumn; N],
    entries: &[AccountEntry<K>],
    key: impl Fn(&K) -> [String; N],
) -> String {
    let mut table = CsvText::new([&columns[..], &FIGURE_COLUMNS, &LAST_COLUMNS].concat());
    for entry in entries {
        table
            .row(key(&entry.key).into_iter().chain(figure_fields(entry)).chain(last_fields(entry)));
    }
    let mut key = [""; N];
    key[0] = UNATTRIBUTED_KEY;
    add_unattributed_row(&mut table, accounts, &key, LAST_COLUMNS.len());
    table.text()
}

/// The text of `blocks.csv`: `block, name, kind, class, method, file, start_line, end_line,
/// FIGURE, cost_j, cost_lo_j, cost_hi_j, energy_3000_j`, the eight class shares, `unknown`,
/// `determined`.
pub fn blocks_csv(accounts: &Accounts) -> String {
    let columns = block_columns();
    let mut table = CsvText::new(columns.iter().map(|column| column.name.as_str()));
    for block in &accounts.blocks {
        table.row(block_fields(block));
    }
    let after = columns.len() - BLOCK_KEY.len() - FIGURE_COLUMNS.len();
    add_unattributed_row(
        &mut table,
        accounts,
        &["", UNATTRIBUTED_KEY, "", "", "", "", "", ""],
        after,
    );
    table.text()
}

/// Adds the row of energy that no entry has: its key, the shared columns, `after` empty ones.
pub(super) fn add_unattributed_row(
    table: &mut CsvText,
    accounts: &Accounts,
    key: &[&str],
    after: usize,
) {
    let energy = accounts.unattributed();
    let share = optional_field(share(energy, accounts.ledger.above_idle()));
    let figures = [String::new(), energy.to_string(), String::new(), String::new(), share];
    let key = key.iter().map(|name| name.to_string());
    table.row(key.chain(figures).chain(repeat_n(String::new(), after)));
}

/// Fields of the last columns: executions of unknown cost, and whether the cases determine the
/// energy.
fn last_fields<K>(entry: &AccountEntry<K>) -> [String; 2] {
    [entry.unknown.to_string(), entry.determined.to_string()]
}

/// Fields of one block's row.
fn block_fields(block: &BlockAccount) -> impl Iterator<Item = String> {
    let key = [
        block.entry.key.0.to_string(),
        block.name.clone(),
        block.kind.clone(),
        block.class.clone(),
        block.method.clone(),
        block.file.clone(),
        block.start_line.to_string(),
        block.end_line.to_string(),
    ];
    let [lo, hi] = interval_fields(block.cost_interval);
    let costs = [number_field(block.cost.0), lo, hi, number_field(block.energy_of_3000().0)];
    let shares = CLASSES.map(|class| optional_field(block.class_share(class)));
    let figures = figure_fields(&block.entry).into_iter();
    key.into_iter().chain(figures).chain(costs).chain(shares).chain(last_fields(&block.entry))
}

/// The text of `ledger.csv`: `entry, energy_j, energy_lo_j, energy_hi_j, share, remark`; the
/// first row, `measured`, is the sum of the others.
pub fn ledger_csv(accounts: &Accounts) -> String {
    let mut table = CsvText::new(LEDGER_COLUMNS);
    for row in &accounts.ledger.rows {
        let spent = energy_fields(row.energy, row.interval, row.share);
        table.row(once(row.entry.name().into()).chain(spent).chain([row.remark.into()]));
    }
    for language in &accounts.ledger.unanalysed {
        let nothing = repeat_n(String::new(), 4);
        let (name, remark) = (ledger::unanalysed_row_name(*language), ledger::NOT_KNOWN);
        table.row(once(name.into()).chain(nothing).chain([remark.into()]));
    }
    table.text()
}

/// Fields of the shared columns of an entry.
fn figure_fields<K>(entry: &AccountEntry<K>) -> impl IntoIterator<Item = String> {
    let AccountEntry { executions, energy, interval, share, .. } = entry;
    once(executions.to_string()).chain(energy_fields(*energy, *interval, *share))
}

/// Fields of an energy, both ends of its interval, and its share.
pub(super) fn energy_fields(
    energy: Femtojoules,
    interval: Option<Interval>,
    share: Option<f64>,
) -> [String; 4] {
    let [lo, hi] = interval_fields(interval);
    [energy.to_string(), lo, hi, optional_field(share)]
}

/// Fields of both ends of an interval with an energy's decimals; empty without one.
fn interval_fields(interval: Option<Interval>) -> [String; 2] {
    let text = |end: Joules| Femtojoules::from_joules(end).to_string();
    interval.map_or_else(Default::default, |i| [text(i.lo), text(i.hi)])
}

/// Shortest decimal text that parses to the same number.
fn number_field(value: f64) -> String {
    format!("{value}")
}

/// Field of a ratio with nine decimals; empty without one.
fn optional_field(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.9}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    /// Sum of the column `energy_j` over all rows, exactly, and how many fields differ
    /// from the header's number (the reader would say so).
    fn sum(text: &str) -> Femtojoules {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let column = reader.headers().unwrap().iter().position(|name| name == "energy_j").unwrap();
        reader.records().map(|row| Femtojoules::parse(&row.unwrap()[column]).unwrap()).sum()
    }

    #[test]
    fn printed_decimals_of_every_level_add_up_exactly() {
        let accounts = account(&sample::awkward().scenario());
        let expected = accounts.ledger.above_idle();
        for table in tables(&accounts) {
            assert_eq!(sum(&table.text), expected, "{}", table.name);
        }
        let measured = accounts.ledger.energy(crate::account::LedgerEntry::Measured);
        assert_eq!(sum(&ledger_csv(&accounts)), measured + measured, "the whole and its parts");
    }

    #[test]
    fn a_language_that_is_not_analysed_has_a_row_without_a_figure() {
        let mut accounts = account(&sample::awkward().scenario());
        let before = ledger_csv(&accounts);
        accounts.ledger.unanalysed = vec![crate::scenario::UnanalysedLanguage::Kotlin];
        let after = ledger_csv(&accounts);
        assert_eq!(after, before + "not analysed: Kotlin,,,,,not known\n");
    }

    #[test]
    fn the_second_view_of_a_block_is_3000_times_its_cost() {
        let accounts = account(&sample::block_of_30_6_microjoules().scenario());
        let block = &accounts.blocks[0];
        assert_eq!(block.cost.to_string(), "30.6 uJ");
        assert_eq!(block.energy_of_3000().to_string(), "91.8 mJ");
    }

    #[test]
    fn names_that_csv_must_quote_read_back() {
        let accounts = account(&sample::awkward().scenario());
        let text = blocks_csv(&accounts);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = reader.records().map(|row| row.unwrap()[1].to_string()).collect();
        assert!(names.contains(&"A.mix(int,String[])".to_string()), "{names:?}");
    }
}
