//! `accounts` of a recording of `monitor`: its processes, the methods of its JVM where one was
//! measured, and the ledger.

use crate::account::table::UNATTRIBUTED;
use crate::attribution::TooLarge;
use crate::recording::{MethodSum, Sums, ledger_rows};

use super::EnergyRows;
use super::accounts::{AccountEnergyRow, of_rows};

/// The rows of a recording's sums.
///
/// # Errors
/// An energy of 10^20 J or more.
pub fn of_recording(sums: &Sums) -> Result<EnergyRows, TooLarge> {
    let processes = sums.processes.values();
    let processes =
        processes.map(|sum| AccountEnergyRow::named("process", &*sum.name, sum.energy()));
    let nobody = AccountEnergyRow::named("process", UNATTRIBUTED, sums.unattributed);
    let ledger = ledger_rows(sums).into_iter().skip(1);
    let ledger = ledger.map(|(name, energy)| AccountEnergyRow::named("ledger", name, energy));
    of_rows(processes.chain([nobody]).chain(methods(sums)).chain(ledger).collect())
}

/// The methods of the JVM and what of it no method has; none without a JVM.
fn methods(sums: &Sums) -> Vec<AccountEnergyRow> {
    if sums.jvm.is_none() {
        return Vec::new();
    }
    let methods = sums.methods.iter().map(|(key, sum)| AccountEnergyRow {
        class: Some(key.class.clone()),
        method: Some(key.method.clone()),
        executions: sum.all_calls(),
        ..placed(sum)
    });
    let rests = sums.rests().map(|(name, energy)| AccountEnergyRow::named("method", name, energy));
    methods.chain(rests).collect()
}

/// A method's energy, and its place where that is known.
fn placed(sum: &MethodSum) -> AccountEnergyRow {
    AccountEnergyRow {
        level: "method",
        file: Some(sum.file.clone()).filter(|file| !file.is_empty()),
        line: Some(sum.first_line).filter(|line| *line > 0),
        energy: sum.energy(),
        ..AccountEnergyRow::default()
    }
}
