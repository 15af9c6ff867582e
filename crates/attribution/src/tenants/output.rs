//! Views for programs: CSV rows, a line of JSON, OpenMetrics. Every one asserts that
//! the rows add up.

use serde::Serialize;

use super::names::TenantNames;
use super::view::{TenantUse, WindowView};
use wattline_units::csv_text::CsvText;
use wattline_units::exposition::OpenMetricsText;
use wattline_units::file_schema::DeclaredColumn;

/// Header of the rows of [`rows_csv`], with the names of the other counters at its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TenantTable {
    /// Names of the counters beside the cycles, in their order.
    pub counters: Vec<String>,
}

impl TenantTable {
    /// Returns the header line.
    #[must_use]
    pub fn header(&self) -> String {
        let fixed = DeclaredColumn::names(TENANT_COLUMNS).into_iter();
        CsvText::new(fixed.chain(self.counters.iter().map(String::as_str))).text()
    }
}

/// Columns of the table of tenants.
pub(super) const TENANT_COLUMNS: [DeclaredColumn; 10] = [
    DeclaredColumn::number("start_s", "Begin of the row's time"),
    DeclaredColumn::number("end_s", "End of the row's time"),
    DeclaredColumn::text(
        "tenant",
        "Virtual machine, process, control group or application; unattributed for the rest",
    ),
    DeclaredColumn::number("cpu_s", "CPU time"),
    DeclaredColumn::number("cycles", "Unhalted cycles; empty where they are not counted"),
    DeclaredColumn::integer("switches", "Context switches away from the tenant"),
    DeclaredColumn::number("energy_j", "Energy, without an interval: the meter gives none"),
    DeclaredColumn::number("power_w", "Power"),
    DeclaredColumn::number("share", "Share of the energy"),
    DeclaredColumn::text("basis", "What the energy is shared by"),
];

/// Returns a view's rows as CSV, the row `unattributed` last. Times are seconds since `origin_ns`;
/// unknown figures are empty. Energies have no interval: the meter gives none.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
#[must_use]
pub fn rows_csv(
    view: &WindowView,
    names: &TenantNames,
    table: &TenantTable,
    origin_ns: u64,
) -> String {
    assert!(view.is_conserved(), "shares don't add up to the energy");
    let (start_s, end_s) =
        (seconds_since(view.start_ns, origin_ns), seconds_since(view.end_ns, origin_ns));
    let mut text = CsvText::without_head();
    for row in view.rows() {
        let fixed = [
            start_s.to_string(),
            end_s.to_string(),
            tenant_name(&row, names).to_string(),
            round_to_ten_digits(row.cpu_s).to_string(),
            optional_field(row.cycles),
            row.switches.to_string(),
            optional_field(row.energy_j),
            optional_field(view.power_w(&row)),
            round_to_ten_digits(row.share).to_string(),
            view.basis(),
        ];
        let others = row.others.iter().take(table.counters.len());
        text.row(
            fixed.into_iter().chain(others.map(|other| round_to_ten_digits(*other).to_string())),
        );
    }
    text.text()
}

#[derive(Serialize)]
struct JsonView<'a> {
    view_s: Option<u32>,
    start_s: f64,
    end_s: f64,
    windows: u64,
    energy_j: Option<f64>,
    power_w: Option<f64>,
    metered_s: Option<f64>,
    outside_log_j: Option<f64>,
    outside_log_s: Option<f64>,
    basis: String,
    tenants: Vec<JsonRow<'a>>,
    /// What the log has that was not read and could change the rows.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    incomplete: &'a [String],
}

#[derive(Serialize)]
struct JsonRow<'a> {
    tenant: &'a str,
    cpu_s: f64,
    cycles: Option<f64>,
    switches: u64,
    energy_j: Option<f64>,
    power_w: Option<f64>,
    share: f64,
}

/// Returns a view as one line of JSON; `view_s` is its length in seconds (1 or 10), `None` for the
/// whole log.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
#[must_use]
pub fn json_line(
    view: &WindowView,
    names: &TenantNames,
    view_s: Option<u32>,
    origin_ns: u64,
) -> String {
    view_as_json(view, names, view_s, origin_ns, &[])
}

/// Returns the view of a whole log as one line of JSON; `incomplete` lists what was not read.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
#[must_use]
pub fn json_whole(
    view: &WindowView,
    names: &TenantNames,
    origin_ns: u64,
    incomplete: &[String],
) -> String {
    view_as_json(view, names, None, origin_ns, incomplete)
}

fn view_as_json(
    view: &WindowView,
    names: &TenantNames,
    view_s: Option<u32>,
    origin_ns: u64,
    incomplete: &[String],
) -> String {
    assert!(view.is_conserved(), "shares don't add up to the energy");
    let (rows, outside) = (view.rows(), view.outside_log());
    let row = |row: &TenantUse| JsonRow {
        tenant: tenant_name(row, names),
        cpu_s: row.cpu_s,
        cycles: row.cycles,
        switches: row.switches,
        energy_j: row.energy_j,
        power_w: view.power_w(row),
        share: row.share,
    };
    let json = JsonView {
        view_s,
        start_s: seconds_since(view.start_ns, origin_ns),
        end_s: seconds_since(view.end_ns, origin_ns),
        windows: view.windows,
        energy_j: view.total_j(),
        power_w: view.total_power_w(),
        metered_s: view.metered_s,
        outside_log_j: outside.map(|outside| outside.energy_j),
        outside_log_s: outside.map(|outside| outside.seconds),
        basis: view.basis(),
        tenants: rows.iter().map(row).collect(),
        incomplete,
    };
    serde_json::to_string(&json).unwrap_or_default()
}

/// Returns a view as OpenMetrics text.
///
/// # Panics
/// If the rows don't add up, which would be a fault of this program.
#[must_use]
pub fn openmetrics(view: &WindowView, names: &TenantNames, source: &str) -> String {
    assert!(view.is_conserved(), "shares don't add up to the energy");
    let rows = view.rows();
    let mut text = OpenMetricsText::default();
    type RowQuantity = fn(&TenantUse) -> Option<f64>;
    let families: [(&str, &str, &str, RowQuantity); 3] = [
        ("wattline_tenant_energy_joules", "joules", "Energy of a tenant.", |row| row.energy_j),
        ("wattline_tenant_cpu_seconds", "seconds", "CPU time of a tenant.", |row| Some(row.cpu_s)),
        ("wattline_tenant_share_ratio", "ratio", "Part of the energy, or of the weights.", |row| {
            Some(row.share)
        }),
    ];
    for (family, unit, help, pick) in families {
        text.gauge_family(family, unit, help);
        for row in &rows {
            let Some(value) = pick(row) else { continue };
            let basis = view.basis().to_string();
            text.sample(
                &[("source", source), ("tenant", tenant_name(row, names)), ("basis", &basis)],
                value,
            );
        }
    }
    text.finish()
}

pub(super) fn tenant_name<'a>(row: &TenantUse, names: &'a TenantNames) -> &'a str {
    names.name(row.tenant.unwrap_or(super::TenantId::NOBODY))
}

fn seconds_since(at_ns: u64, origin_ns: u64) -> f64 {
    let ns = i128::from(at_ns) - i128::from(origin_ns);
    // Whole microseconds: what logs have.
    (ns / 1000) as f64 / 1e6
}

/// Rounds a value to ten digits, since sums of parts have rounding errors in the last ones.
fn round_to_ten_digits(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

fn optional_field(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| round_to_ten_digits(value).to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tenants::{EnergySource, RunningTenant, StreamOptions, TenantRecord, WindowStream};

    pub(in super::super) fn sample() -> (WindowView, TenantNames) {
        let mut names = TenantNames::default();
        let energy = EnergySource::Stated { idle_w: 10.0, busy_w: 10.0 };
        let mut stream = WindowStream::new(StreamOptions { energy, ..StreamOptions::default() });
        let runner = |names: &mut TenantNames, name: &str, thread| {
            Some(RunningTenant { tenant: names.id(name), thread })
        };
        let (a, b) = (runner(&mut names, "a,\"x\"", 1), runner(&mut names, "b", 2));
        let (cpu, counts) = (0, None);
        for (at_ns, outgoing, incoming) in [(0, b, a), (30_000_000, a, b), (40_000_000, b, a)] {
            stream.take(TenantRecord::Switch { at_ns, cpu, outgoing, incoming, counts });
        }
        stream.finish();
        (stream.total().clone(), names)
    }

    #[test]
    fn every_output_has_every_tenant_and_what_is_unattributed() {
        let (view, names) = sample();
        let table_of = TenantTable { counters: vec![] };
        let csv = table_of.header() + &rows_csv(&view, &names, &table_of, 0);
        insta::assert_snapshot!(csv, @r#"
        start_s,end_s,tenant,cpu_s,cycles,switches,energy_j,power_w,share,basis
        0,0.04,"a,""x""",0.03,,1,0.3,7.5,0.75,cpu-time
        0,0.04,b,0.01,,2,0.1,2.5,0.25,cpu-time
        0,0.04,unattributed,0,,0,0,0,0,cpu-time
        "#);
        let json: serde_json::Value =
            serde_json::from_str(&json_line(&view, &names, Some(1), 0)).unwrap();
        assert_eq!(json["tenants"][2]["tenant"], "unattributed");
        assert_eq!((&json["view_s"], json.get("incomplete")), (&1.into(), None));
        let whole = json_whole(&view, &names, 0, &["3 of x".into()]);
        let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
        assert_eq!((&whole["view_s"], &whole["incomplete"][0]), (&().into(), &"3 of x".into()));
        let metrics = openmetrics(&view, &names, "test");
        assert!(metrics.contains(r#"tenant="a,\"x\"",basis="cpu-time"} 0.3"#), "{metrics}");
        assert!(metrics.ends_with("# EOF\n") && metrics.contains("tenant=\"unattributed\""));
    }
}
