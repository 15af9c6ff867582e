//! Columns of the tables that `tenants` writes.

use wattline_units::file_schema::TableSchema;

use super::experiment::EXPERIMENT_COLUMNS;
use super::output::TENANT_COLUMNS;
use super::overhead::OVERHEAD_COLUMNS;

/// Returns the columns of the tables that `tenants` writes.
#[must_use]
pub fn tenant_table_schemas() -> Vec<TableSchema> {
    const TENANTS: &str = "`tenants`";
    const COUNTERS: &str = "one for each further counter of the log";
    let tenants = |file, contents| TableSchema::declared(file, TENANTS, contents, &TENANT_COLUMNS);
    vec![
        tenants("tenants.csv", "Energy by tenant over the whole log").with_further(COUNTERS),
        tenants("windows.csv", "Energy by tenant and window").with_further(COUNTERS),
        tenants("views-*.csv", "Energy by tenant over longer windows").with_further(COUNTERS),
        TableSchema::declared(
            "overhead.csv",
            "`tenants overhead`",
            "Overhead of a monitor by group",
            &OVERHEAD_COLUMNS,
        ),
        TableSchema::declared(
            "runs.csv",
            "`tenants overhead`",
            "Energy of each run, by socket",
            &EXPERIMENT_COLUMNS,
        ),
    ]
}
