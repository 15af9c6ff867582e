//! Table `tenants`: a row for each tenant of a recording, and one for unattributed energy. Their
//! energies add up to the meter's difference.

use crate::atto::Atto;
use crate::attribution::QuantityTooLarge;
use crate::attribution::tenants::{ExactUse, TenantNames, WindowView, exact_rows};

use super::{ColumnValues, EnergyColumn, EnergyRows};

/// Rows of a view of a whole recording; `counters` are the names of the counters besides the
/// cycles.
///
/// # Errors
/// A quantity of 10^20 units or more.
pub fn of_tenants(
    view: &WindowView,
    names: &TenantNames,
    counters: &[String],
) -> Result<EnergyRows, QuantityTooLarge> {
    let rows = exact_rows(view, names, counters.len())?;
    let time = |what, seconds: Option<f64>| {
        seconds.map(|seconds| QuantityTooLarge::check(what, "the recording", seconds)).transpose()
    };
    let (log_s, metered_s) = (time("log_s", Some(view.seconds()))?, view.metered_s);
    let metered_s = time("metered_s", metered_s)?;
    let others = rows.iter().map(|row| {
        let named = counters.iter().cloned().zip(row.others.iter().copied());
        named.collect()
    });
    let column = |name, pick: fn(&ExactUse) -> Option<Atto>| {
        EnergyColumn::exact(name, rows.iter().map(pick))
    };
    let columns = vec![
        EnergyColumn::text("tenant", rows.iter().map(|row| Some(row.tenant.clone()))),
        EnergyColumn::text("basis", rows.iter().map(|_| Some(view.basis()))),
        EnergyColumn::exact("log_s", rows.iter().map(|_| log_s)),
        EnergyColumn::exact("metered_s", rows.iter().map(|_| metered_s)),
        column("cpu_s", |row| Some(row.cpu_s)),
        column("cycles", |row| row.cycles),
        EnergyColumn::count("switches", rows.iter().map(|row| Some(row.switches))),
        column("energy_j", |row| row.energy_j),
        EnergyColumn { name: "counters", values: ColumnValues::ByName(others.collect()) },
    ];
    Ok(EnergyRows { kind: "tenants", columns })
}
