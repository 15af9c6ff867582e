//! Table `activities`: a row for each component and activity of a device, and one for energy that
//! the powers do not explain. Their energies add up to the measured energy.

use crate::atto::Atto;
use crate::attribution::QuantityTooLarge;
use crate::attribution::activities::output::{ExactActivity, exact_activities};
use crate::attribution::activities::{Analysis, Labels};

use super::{EnergyColumn, EnergyRows};

/// Rows of all nodes of a recording.
///
/// # Errors
/// A quantity of 10^20 units or more.
pub fn of_activities(
    analyses: &[Analysis],
    labels: &Labels,
) -> Result<EnergyRows, QuantityTooLarge> {
    let rows = exact_activities(analyses, labels)?;
    let exact = |name, pick: fn(&ExactActivity) -> Option<Atto>| {
        EnergyColumn::exact(name, rows.iter().map(pick))
    };
    let text = |name, pick: fn(&ExactActivity) -> Option<String>| {
        EnergyColumn::text(name, rows.iter().map(pick))
    };
    let columns = vec![
        text("node", |row| Some(row.node.clone())),
        text("component", |row| Some(row.component.clone())),
        text("activity", |row| Some(row.activity.clone())),
        text("origin", |row| row.origin.clone()),
        exact("time_s", |row| row.time_s),
        exact("undetermined_s", |row| row.undetermined_s),
        exact("energy_j", |row| row.energy_j),
        exact("energy_lo_j", |row| row.interval_j.map(|interval| interval.0)),
        exact("energy_hi_j", |row| row.interval_j.map(|interval| interval.1)),
    ];
    Ok(EnergyRows { kind: "activities", columns })
}
