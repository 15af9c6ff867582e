//! A view as a table for people.

use std::fmt::Write as _;

use super::names::{TenantId, TenantNames};
use super::output::tenant_name;
use super::view::{TenantUse, WindowView};
use wattline_units::format::{counted, truncate, visible_name};

/// Returns a view as a table for a terminal; at most `most` tenants by name, the rest in one line.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
#[must_use]
pub fn tenant_table(view: &WindowView, names: &TenantNames, most: usize) -> String {
    assert!(view.is_conserved(), "shares don't add up to the energy");
    let rows = view.rows();
    let (has_energy, has_cycles) =
        (view.total_j().is_some(), rows.iter().any(|row| row.cycles.is_some()));
    let is_last = |row: &&TenantUse| {
        let last = [TenantId::IDLE, TenantId::BEFORE_LOG, TenantId::AFTER_LOG];
        row.tenant.is_none_or(|tenant| last.contains(&tenant))
    };
    let (last, tenants): (Vec<&TenantUse>, Vec<&TenantUse>) = rows.iter().partition(is_last);
    let line = |name: &str, cells: &TenantUse| {
        let cells = &without_rounding(cells, view);
        let mut line =
            format!("  {:<28}{:>10.3} s", truncate(&visible_name(name), 27), cells.cpu_s);
        if has_cycles {
            let _ =
                write!(line, "{:>12}", cells.cycles.map_or("none".into(), |c| format!("{c:.3e}")));
        }
        if has_energy {
            let watts = view.power_w(cells).map_or("none".into(), |watts| format!("{watts:.3} W"));
            let _ = write!(line, "{:>12}{watts:>12}", joules_text(cells.energy_j));
        }
        let _ = writeln!(line, "{:>8.2} %", cells.share * 100.0);
        line
    };
    let mut head = format!("  {:<28}{:>12}", "tenant", "CPU time");
    if has_cycles {
        let _ = write!(head, "{:>12}", "cycles");
    }
    if has_energy {
        let _ = write!(head, "{:>12}{:>12}", "energy", "power");
    }
    let mut text = format!("{head}{:>10}\n", "share");
    for row in tenants.iter().take(most) {
        text.push_str(&line(tenant_name(row, names), row));
    }
    let rest = &tenants[most.min(tenants.len())..];
    if let Some(sum) = rest.iter().map(|row| **row).reduce(sum_rows) {
        text.push_str(&line(&format!("({})", counted(rest.len(), "more tenant")), &sum));
    }
    for row in last {
        text.push_str(&line(tenant_name(row, names), row));
    }
    text
}

/// Returns a row without the energy that only rounding left, which only files show.
fn without_rounding(row: &TenantUse, view: &WindowView) -> TenantUse {
    let least = view.total_j().unwrap_or(0.0) * 1e-12;
    let energy_j = row.energy_j.map(|energy| if energy.abs() <= least { 0.0 } else { energy });
    let share = if row.share.abs() <= 1e-12 { 0.0 } else { row.share };
    TenantUse { energy_j, share, ..*row }
}

fn sum_rows(a: TenantUse, b: TenantUse) -> TenantUse {
    // What is not known of one adds nothing to the other.
    let both = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b).or(a).or(b);
    TenantUse {
        cpu_s: a.cpu_s + b.cpu_s,
        cycles: both(a.cycles, b.cycles),
        switches: a.switches + b.switches,
        energy_j: both(a.energy_j, b.energy_j),
        share: a.share + b.share,
        ..a
    }
}

fn joules_text(energy_j: Option<f64>) -> String {
    energy_j.map_or("none".into(), |energy| wattline_units::units::Joules(energy).to_string())
}

#[cfg(test)]
mod tests {
    use super::super::output::tests::sample;
    use super::*;

    #[test]
    fn the_rest_is_one_line_and_unattributed_the_last() {
        let (view, names) = sample();
        let text = tenant_table(&view, &names, 1);
        assert!(text.contains("(1 more tenant)") && text.contains("75.00 %"), "{text}");
        assert!(text.lines().last().unwrap().contains("unattributed"), "{text}");
    }
}
