//! Tables that commands write: the list of them, and the columns of each.

use serde_json::Value;

use wattline_campaign::table_schemas::{campaign_table_schemas, pattern_table_schemas};

use crate::account::calls::calls_table_schema;
use crate::account::{account_table_schemas, evaluation_table_schemas};
use crate::attribution::activities::output::activity_table_schemas;
use crate::attribution::monitor::agent_overhead::agent_overhead_table_schemas;
use crate::attribution::tenants::tenant_table_schemas;
use crate::file_schema::TableSchema;
use crate::operations::dictionary_table_schemas;
use crate::recording::recording_table_schemas;
use crate::verification::saving_table_schemas;

use super::super::predict::predictions_table_schema;
use super::super::trace::trace_table_schema;

/// Subject that lists all tables.
const FILES: &str = "files";

/// All tables, in the order of the data flow.
fn tables() -> Vec<TableSchema> {
    [
        dictionary_table_schemas(),
        vec![trace_table_schema()],
        campaign_table_schemas(),
        vec![calls_table_schema()],
        account_table_schemas(),
        evaluation_table_schemas(),
        saving_table_schemas(),
        vec![predictions_table_schema()],
        pattern_table_schemas(),
        recording_table_schemas(),
        activity_table_schemas(),
        tenant_table_schemas(),
        agent_overhead_table_schemas(),
    ]
    .concat()
}

/// Names of the subjects: the list, and the tables.
pub fn names() -> Vec<&'static str> {
    std::iter::once(FILES).chain(tables().iter().map(|table| table.file)).collect()
}

/// The list of tables with their columns' names, or the columns of the tables with a name; none for
/// an unknown name.
pub fn describe(subject: &str, as_json: bool) -> Option<String> {
    let found: Vec<TableSchema> =
        tables().into_iter().filter(|table| subject == FILES || is_named(table, subject)).collect();
    if found.is_empty() {
        return None;
    }
    if as_json {
        let schemas: Vec<Value> = found.iter().map(TableSchema::json).collect();
        return Some(match schemas.as_slice() {
            [schema] if subject != FILES => format!("{schema:#}"),
            schemas => format!("{:#}", Value::from(schemas)),
        });
    }
    if subject == FILES {
        return Some(TableSchema::list(&found));
    }
    let sections: Vec<String> = found.iter().map(TableSchema::markdown).collect();
    Some(sections.join("\n"))
}

/// Whether a table has this path, or a file of this name.
fn is_named(table: &TableSchema, name: &str) -> bool {
    table.file == name || table.file.rsplit('/').next() == Some(name)
}
