//! `accounts`: rows of a campaign's or a recording's energy by level: operation, block, line,
//! method, process, and the ledger. The rows of one level add up to the same energy, so a sum is
//! over one level.

use crate::account::table::UNATTRIBUTED_KEY;
use crate::account::{AccountEntry, Accounts, BlockAccount, Femtojoules, Interval, LedgerEntry};
use crate::atto::Atto;
use crate::attribution::QuantityTooLarge;

use super::{EnergyColumn, EnergyRows};

/// Row of energy by level and key.
#[derive(Debug, Clone, Default)]
pub(super) struct AccountEnergyRow {
    pub level: &'static str,
    /// Key without a column of its own: an operation, an entry of the ledger.
    pub name: Option<String>,
    pub class: Option<String>,
    pub method: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub executions: Option<u64>,
    pub unknown_executions: Option<u64>,
    pub energy: Femtojoules,
    pub interval: Option<Interval>,
}

impl AccountEnergyRow {
    /// A row with energy and name only.
    pub fn named(level: &'static str, name: impl Into<String>, energy: Femtojoules) -> Self {
        Self { level, name: Some(name.into()), energy, ..Self::default() }
    }

    fn of<K>(level: &'static str, entry: &AccountEntry<K>) -> Self {
        Self {
            level,
            executions: Some(entry.executions),
            unknown_executions: Some(entry.unknown),
            energy: entry.energy,
            interval: entry.interval,
            ..Self::default()
        }
    }

    fn block(block: &BlockAccount) -> Self {
        Self {
            name: Some(block.name.clone()),
            class: Some(block.class.clone()),
            method: Some(block.method.clone()),
            file: Some(block.file.clone()),
            line: Some(block.start_line),
            ..Self::of("block", &block.entry)
        }
    }
}

/// Rows of a campaign's accounts.
///
/// # Errors An energy of 10^20 J or more.
pub fn of_accounts(accounts: &Accounts) -> Result<EnergyRows, QuantityTooLarge> {
    let operations = accounts.operations.iter().map(|operation| AccountEnergyRow {
        name: Some(operation.entry.key.name().to_owned()),
        ..AccountEnergyRow::of("operation", &operation.entry)
    });
    let lines = accounts.lines.iter().map(|entry| AccountEnergyRow {
        file: Some(entry.key.file.clone()),
        line: Some(entry.key.line),
        ..AccountEnergyRow::of("line", entry)
    });
    let methods = accounts.methods.iter().map(|entry| AccountEnergyRow {
        class: Some(entry.key.class.clone()),
        method: Some(entry.key.method.clone()),
        ..AccountEnergyRow::of("method", entry)
    });
    let blocks = accounts.blocks.iter().map(AccountEnergyRow::block);
    let rest = accounts.unattributed();
    let rests = ["operation", "block", "line", "method"];
    let rests = rests.map(|level| AccountEnergyRow::named(level, UNATTRIBUTED_KEY, rest));
    let rows = operations.chain(blocks).chain(lines).chain(methods).chain(rests);
    columns_of_rows(rows.chain(ledger(accounts)).collect())
}

/// Rows of the ledger's parts, without the whole, which is their sum.
fn ledger(accounts: &Accounts) -> impl Iterator<Item = AccountEnergyRow> {
    let parts = accounts.ledger.rows.iter().filter(|row| row.entry != LedgerEntry::Measured);
    parts.map(|row| AccountEnergyRow {
        interval: row.interval,
        ..AccountEnergyRow::named("ledger", row.entry.name(), row.energy)
    })
}

/// Turns rows into columns.
pub(super) fn columns_of_rows(rows: Vec<AccountEnergyRow>) -> Result<EnergyRows, QuantityTooLarge> {
    let text = |name, pick: fn(&AccountEnergyRow) -> Option<String>| {
        EnergyColumn::text(name, rows.iter().map(pick))
    };
    let end = |name, pick: fn((Atto, Atto)) -> Atto| {
        EnergyColumn::exact(name, rows.iter().map(|row| interval_ends(row).map(pick)))
    };
    let energies =
        rows.iter().map(|row| exact_energy(row).map(Some)).collect::<Result<Vec<_>, _>>()?;
    let columns = vec![
        text("level", |row| Some(row.level.to_owned())),
        text("name", |row| row.name.clone()),
        text("class", |row| row.class.clone()),
        text("method", |row| row.method.clone()),
        text("file", |row| row.file.clone()),
        EnergyColumn::line("line", rows.iter().map(|row| row.line)),
        EnergyColumn::count("executions", rows.iter().map(|row| row.executions)),
        EnergyColumn::count("unknown_executions", rows.iter().map(|row| row.unknown_executions)),
        EnergyColumn::exact("energy_j", energies),
        end("energy_lo_j", |(lo, _)| lo),
        end("energy_hi_j", |(_, hi)| hi),
    ];
    Ok(EnergyRows { kind: "accounts", columns })
}

/// Ends of a row's interval; `None` where one is not finite.
fn interval_ends(row: &AccountEnergyRow) -> Option<(Atto, Atto)> {
    let interval = row.interval?;
    Atto::nearest(interval.lo.0).zip(Atto::nearest(interval.hi.0))
}

fn exact_energy(row: &AccountEnergyRow) -> Result<Atto, QuantityTooLarge> {
    let too_large = || QuantityTooLarge {
        what: "energy_j",
        whose: row.name.clone().unwrap_or_else(|| row.level.to_owned()),
        value: row.energy.to_string(),
    };
    Atto::of_energy(row.energy).ok_or_else(too_large)
}
