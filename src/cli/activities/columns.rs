//! The columns of tables of power states, and what is wrong with those of a table that is
//! nearly one.

use wattline_units::shortened::shortened;

use crate::attribution::activities::{CSV_HEADER, INTERVALS_HEADER};
use crate::scenario::nearest_of;

/// Returns the names in the first line of a table.
pub fn header_columns(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut table = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let first = table.records().next().and_then(Result::ok).unwrap_or_default();
    first.iter().map(|name| name.trim().to_owned()).collect()
}

/// Returns what is wrong with a first line that has at least half of the columns of a table of
/// power states; `None` for any other line.
pub fn header_problem(first: &str) -> Option<String> {
    let columns = header_columns(first);
    let shared = |known: &[&str]| known.iter().filter(|name| has_column(&columns, name)).count();
    let known = [CSV_HEADER, INTERVALS_HEADER].into_iter().max_by_key(|known| shared(known))?;
    (shared(&known) * 2 >= known.len()).then(|| wrong_columns_text(&columns, &known))
}

/// Returns a sentence on the columns that differ from those with which a table of power states
/// begins.
pub fn wrong_columns_text(columns: &[String], known: &[&str]) -> String {
    let expected = format!("a table of power states has the columns {}", known.join(", "));
    let missing: Vec<&str> =
        known.iter().copied().filter(|name| !has_column(columns, name)).collect();
    let [first, ..] = missing[..] else {
        return format!("{expected}, in this order; here it is {}", shortened(&columns.join(", ")));
    };
    let others = columns.iter().map(String::as_str).filter(|name| !known.contains(name));
    let found = nearest_of(first, others).map_or_else(String::new, |found| {
        let at = columns.iter().position(|name| *name == found).unwrap_or_default() + 1;
        format!(" (column {at} is called `{}`)", shortened(&found))
    });
    let named: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    format!("line 1: no column {}{found}; {expected}", named.join(", "))
}

fn has_column(columns: &[String], name: &str) -> bool {
    columns.iter().any(|column| column == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_column_is_named() {
        let said = header_problem("time,component,event,value").unwrap();
        assert!(said.contains("no column `time_s` (column 1 is called `time`)"), "{said}");
        assert!(said.contains("time_s, component, event, value"), "{said}");
        let said = header_problem("\u{feff}time_s,component,event").unwrap();
        assert!(said.starts_with("line 1: no column `value`; "), "{said}");
        let said = header_problem("component,time_s,event,value").unwrap();
        assert!(said.contains("in this order; here it is component, time_s"), "{said}");
        let said = header_problem(
            "Start Time (Seconds),End Time (Seconds),Duration (Seconds),Component,Energy (Joule)",
        );
        assert!(said.unwrap().contains("`Energy Consumption (Joule)` (column 5 is called"));
    }

    #[test]
    fn something_else_is_left_alone() {
        assert_eq!(header_problem("pid,cpu_s"), None);
        assert_eq!(header_problem(""), None);
        assert_eq!(header_columns("time_s , component,event"), ["time_s", "component", "event"]);
    }
}
