//! A view's rows as whole attounits: what sums over recordings are made of. Every quantity is
//! rounded once; what that leaves of the energy is unattributed, so that the rows add up to
//! the meter's difference to the last digit.

use wattline_units::atto::Atto;

use super::names::TenantNames;
use super::output::tenant_name;
use super::view::{TenantUse, WindowView};
use crate::QuantityTooLarge;

/// Resources and energy of a tenant in whole attounits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactUse {
    /// Its name.
    pub tenant: String,
    /// Seconds of CPU time.
    pub cpu_s: Atto,
    /// Unhalted cycles; `None` where none were counted.
    pub cycles: Option<Atto>,
    /// Other counters, as many as have names.
    pub others: Vec<Atto>,
    /// Switches away from it.
    pub switches: u64,
    /// Joules; `None` if no meter covers a window of it.
    pub energy_j: Option<Atto>,
}

/// Returns a view's rows in whole attounits, what is unattributed last; `counters` is how many of
/// the other counters have names.
///
/// # Errors
/// A quantity of 10^20 units or more.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
pub fn exact_rows(
    view: &WindowView,
    names: &TenantNames,
    counters: usize,
) -> Result<Vec<ExactUse>, QuantityTooLarge> {
    assert!(view.is_conserved(), "shares don't add up to the energy");
    let rows =
        view.rows().into_iter().map(|row| exact_use(&row, tenant_name(&row, names), counters));
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    if let (Some(total_j), Some((last, others))) = (view.total_j(), rows.split_last_mut()) {
        let energies = others.iter().filter_map(|row| row.energy_j);
        last.energy_j = Some(QuantityTooLarge::rest("all tenants", total_j, energies)?);
    }
    Ok(rows)
}

fn exact_use(row: &TenantUse, name: &str, counters: usize) -> Result<ExactUse, QuantityTooLarge> {
    let whole = |what, value| QuantityTooLarge::check(what, name, value);
    Ok(ExactUse {
        tenant: name.to_owned(),
        cpu_s: whole("cpu_s", row.cpu_s)?,
        cycles: row.cycles.map(|cycles| whole("cycles", cycles)).transpose()?,
        others: row
            .others
            .iter()
            .take(counters)
            .map(|other| whole("a counter", *other))
            .collect::<Result<_, _>>()?,
        switches: row.switches,
        energy_j: row.energy_j.map(|energy| whole("energy_j", energy)).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::output::tests::sample;
    use super::*;
    use crate::tenants::{EnergySource, RunningTenant, StreamOptions, TenantRecord, WindowStream};

    /// A log of so many tenants on one CPU, which switches after these microseconds.
    fn view(tenants: u32, steps_us: &[u32], watts: f64) -> (WindowView, TenantNames) {
        let mut names = TenantNames::default();
        let energy = EnergySource::Stated { idle_w: watts / 3.0, busy_w: watts };
        let mut stream = WindowStream::new(StreamOptions { energy, ..StreamOptions::default() });
        let mut runner = |n: usize| {
            let thread = n as u32 % tenants;
            Some(RunningTenant {
                tenant: names.id(&format!("t{thread}")),
                thread: i64::from(thread),
            })
        };
        let mut at_ns = 0;
        for (n, step_us) in steps_us.iter().enumerate() {
            at_ns += u64::from(*step_us) * 1000;
            let (outgoing, incoming) = (runner(n), runner(n + 1));
            stream.take(TenantRecord::Switch { at_ns, cpu: 0, outgoing, incoming, counts: None });
        }
        stream.finish();
        (stream.total().clone(), names)
    }

    #[test]
    fn rows_are_those_of_the_table() {
        let (view, names) = sample();
        let rows = exact_rows(&view, &names, 0).unwrap();
        let shown: Vec<(&str, String)> =
            rows.iter().map(|row| (&*row.tenant, row.energy_j.unwrap().to_string())).collect();
        assert_eq!(shown[0].0, "a,\"x\"");
        assert!(shown[0].1.starts_with("0.3000000000000"), "{shown:?}");
        assert_eq!(shown[2].0, "unattributed");
    }

    proptest! {
        #[test]
        fn rows_add_up_to_the_meter_to_the_last_digit(
            tenants in 1..9_u32,
            steps_us in proptest::collection::vec(1..300_000_u32, 2..60),
            watts in 0.01..1e4_f64,
        ) {
            let (view, names) = view(tenants, &steps_us, watts);
            let rows = exact_rows(&view, &names, 0).unwrap();
            let sum = rows.iter().filter_map(|row| row.energy_j).try_fold(Atto::ZERO, Atto::plus);
            prop_assert_eq!(sum, Atto::nearest(view.total_j().unwrap()));
            for (exact, row) in rows.iter().zip(view.rows()) {
                let energy: f64 = exact.energy_j.unwrap().to_string().parse().unwrap();
                // Rounding of each window stays in the row that is what others leave.
                let within = 1e-12 * view.total_j().unwrap() + 1e-17;
                prop_assert!((energy - row.energy_j.unwrap()).abs() <= within);
            }
        }
    }
}
