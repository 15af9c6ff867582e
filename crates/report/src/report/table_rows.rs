//! Rows of the program's CSV tables as JSON objects, so that a program reads the figures of a file
//! from a command's answer: names of columns are keys, empty cells are null.

use serde_json::{Map, Number, Value};

use crate::csv_text;

/// Columns that contain names and sentences, also where one looks like a number.
const TEXT_COLUMNS: [&str; 37] = [
    "activity",
    "base_node",
    "case",
    "category",
    "class",
    "component",
    "configuration",
    "costed_as",
    "device",
    "entry",
    "figure",
    "file",
    "group",
    "inner",
    "input",
    "instruction",
    "kind",
    "level",
    "message",
    "method",
    "model",
    "name",
    "node",
    "note",
    "of",
    "operation",
    "origin",
    "outer",
    "package",
    "quantity",
    "reason",
    "remark",
    "run_spread_of",
    "set",
    "state",
    "tenant",
    "verdict",
];

/// Column with the reason for which a row has no figure.
const REMARK: &str = "remark";

/// Column of the energy that a remark is about.
const ENERGY: &str = "energy_j";

/// The rows of a table of this program. A row with a remark has no energy: its file says 0 J and
/// why, here the energy is null.
pub fn table_rows(table: &str) -> Vec<Value> {
    let mut reader = csv_text::reader(table);
    let Ok(columns) = reader.headers().cloned() else { return Vec::new() };
    let records = reader.into_records().filter_map(Result::ok);
    records
        .map(|record| {
            let cells = columns.iter().zip(&record);
            let mut row: Map<String, Value> =
                cells.map(|(column, cell)| (column.to_owned(), cell_value(column, cell))).collect();
            if row.get(REMARK).is_some_and(Value::is_string) && row.contains_key(ENERGY) {
                row.insert(ENERGY.to_owned(), Value::Null);
            }
            Value::Object(row)
        })
        .collect()
}

/// Value of a cell: null where it is empty, a number or a truth value where its column has them,
/// else text.
fn cell_value(column: &str, cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    let text = || Value::String(cell.to_owned());
    if TEXT_COLUMNS.contains(&column) {
        return text();
    }
    match cell {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number(cell).map_or_else(text, Value::Number),
    }
}

/// Number of a cell, whole if it is written so.
fn number(cell: &str) -> Option<Number> {
    if let Ok(whole) = cell.parse::<u64>() {
        return Some(whole.into());
    }
    match cell.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Number::from_f64(cell.parse().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_numbers_text_or_null() {
        let table = "name,energy_j,executions,determined,share\n7,0.25,3,true,\n'=a,-1e-9,0,,0\n";
        let expected = json!([
            {"name": "7", "energy_j": 0.25, "executions": 3, "determined": true, "share": null},
            {"name": "=a", "energy_j": -1e-9, "executions": 0, "determined": null, "share": 0},
        ]);
        assert_eq!(Value::Array(table_rows(table)), expected);
    }

    #[test]
    fn an_energy_with_a_remark_is_unknown() {
        let rows = table_rows("entry,energy_j,remark\nidle,0,not measured\nmeasured,2,\n");
        assert_eq!(rows[0], json!({"entry": "idle", "energy_j": null, "remark": "not measured"}));
        assert_eq!(rows[1]["energy_j"], 2);
    }

    #[test]
    fn columns_of_text_are_sorted() {
        assert!(TEXT_COLUMNS.is_sorted());
        assert!(table_rows("").is_empty());
    }
}
