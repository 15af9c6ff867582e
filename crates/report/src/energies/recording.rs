//! Table `accounts` of a recording of `monitor`: processes, methods of the JVM where one was
//! measured, and the ledger.

use crate::account::table::UNATTRIBUTED_KEY;
use crate::attribution::QuantityTooLarge;
use crate::recording::{MethodSum, RecordingSums, ledger_rows};

use super::EnergyRows;
use super::accounts::{AccountEnergyRow, columns_of_rows};

/// Rows of a recording's sums.
///
/// # Errors
/// An energy of 10^20 J or more.
pub fn of_recording(sums: &RecordingSums) -> Result<EnergyRows, QuantityTooLarge> {
    let processes = sums.processes.values();
    let processes =
        processes.map(|sum| AccountEnergyRow::named("process", &*sum.name, sum.energy()));
    let nobody = AccountEnergyRow::named("process", UNATTRIBUTED_KEY, sums.unattributed);
    let ledger = ledger_rows(sums).into_iter().skip(1);
    let ledger = ledger.map(|(name, energy)| AccountEnergyRow::named("ledger", name, energy));
    columns_of_rows(processes.chain([nobody]).chain(methods(sums)).chain(ledger).collect())
}

/// Rows of the JVM's methods and of its energy outside methods; empty without a JVM.
fn methods(sums: &RecordingSums) -> Vec<AccountEnergyRow> {
    if sums.jvm.is_none() {
        return Vec::new();
    }
    let methods = sums.methods.iter().map(|(key, sum)| AccountEnergyRow {
        class: Some(key.class.clone()),
        method: Some(key.method.clone()),
        executions: sum.all_calls(),
        ..method_row(sum)
    });
    let rests = sums.rests().map(|(name, energy)| AccountEnergyRow::named("method", name, energy));
    methods.chain(rests).collect()
}

/// A method's row, with file and line where known.
fn method_row(sum: &MethodSum) -> AccountEnergyRow {
    AccountEnergyRow {
        level: "method",
        file: Some(sum.file.clone()).filter(|file| !file.is_empty()),
        line: Some(sum.first_line).filter(|line| *line > 0),
        energy: sum.energy(),
        ..AccountEnergyRow::default()
    }
}
