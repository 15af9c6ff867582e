//! The columns of a table that is written: name, type, unit and meaning of each, from the doc
//! comments of the type of its rows or from the list that its writer takes the header from.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::markdown::add_table;

/// Type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A number, in decimal or exponent notation.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
}

impl ColumnKind {
    /// Name of the type in a Frictionless Table Schema.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::Text => "string",
            ColumnKind::Number => "number",
            ColumnKind::Integer => "integer",
            ColumnKind::Boolean => "boolean",
        }
    }
}

/// A column in the list from which a writer takes its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredColumn {
    /// Title of the column.
    pub name: &'static str,
    /// Type of its cells.
    pub kind: ColumnKind,
    /// Meaning, as a phrase.
    pub meaning: &'static str,
}

impl DeclaredColumn {
    /// A column of text.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: ColumnKind::Text, meaning }
    }

    /// A column of numbers; the end of the title is their unit.
    pub const fn number(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: ColumnKind::Number, meaning }
    }

    /// A column of whole numbers.
    pub const fn integer(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: ColumnKind::Integer, meaning }
    }

    /// A column of `true` and `false`.
    pub const fn boolean(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: ColumnKind::Boolean, meaning }
    }

    /// The titles of columns.
    pub fn names<const N: usize>(columns: [Self; N]) -> [&'static str; N] {
        columns.map(|column| column.name)
    }
}

impl AsRef<[u8]> for DeclaredColumn {
    /// The title, for the header of a table.
    fn as_ref(&self) -> &[u8] {
        self.name.as_bytes()
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSchema {
    /// Title.
    pub name: String,
    /// Type of its cells.
    pub kind: ColumnKind,
    /// Unit by the end of the title; empty for none.
    pub unit: &'static str,
    /// Meaning, as a phrase.
    pub meaning: String,
}

impl ColumnSchema {
    /// A column; the end of the name is its unit.
    pub fn new(name: &str, kind: ColumnKind, meaning: &str) -> Self {
        let meaning = meaning.trim_end_matches('.').to_owned();
        Self { name: name.to_owned(), kind, unit: unit_of(name), meaning }
    }
}

impl From<&DeclaredColumn> for ColumnSchema {
    fn from(column: &DeclaredColumn) -> Self {
        Self::new(column.name, column.kind, column.meaning)
    }
}

/// Ends of titles with the units that they stand for.
const UNITS: [(&str, &str); 14] = [
    ("_j", "J"),
    ("_j2", "J²"),
    ("_w", "W"),
    ("_s", "s"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("_ns", "ns"),
    ("_a", "A"),
    ("_v", "V"),
    ("_c", "°C"),
    ("_hz", "Hz"),
    ("_khz", "kHz"),
    ("_bytes", "bytes"),
    ("_percent", "%"),
];

/// The unit that a title ends with.
fn unit_of(title: &str) -> &'static str {
    let found = UNITS.iter().find(|(end, _)| title.ends_with(end));
    found.map_or("", |(_, unit)| unit)
}

/// A file with a table, and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSchema {
    /// Path in the output folder of the command.
    pub file: &'static str,
    /// Commands that write it.
    pub written_by: &'static str,
    /// Contents, as a phrase.
    pub contents: &'static str,
    /// Columns that the table always has, in order.
    pub columns: Vec<ColumnSchema>,
    /// Further columns with names of their own, such as one for each operation; in Markdown.
    pub further: Option<&'static str>,
}

impl TableSchema {
    /// The table whose rows a type describes.
    pub fn of_rows<R: JsonSchema>(
        file: &'static str,
        written_by: &'static str,
        contents: &'static str,
    ) -> Self {
        Self::of_columns(file, written_by, contents, columns_of_rows::<R>())
    }

    /// The table whose writer takes its header from a list.
    pub fn declared<'c>(
        file: &'static str,
        written_by: &'static str,
        contents: &'static str,
        columns: impl IntoIterator<Item = &'c DeclaredColumn>,
    ) -> Self {
        let columns = columns.into_iter().map(ColumnSchema::from).collect();
        Self::of_columns(file, written_by, contents, columns)
    }

    /// The table with these columns.
    pub fn of_columns(
        file: &'static str,
        written_by: &'static str,
        contents: &'static str,
        columns: Vec<ColumnSchema>,
    ) -> Self {
        Self { file, written_by, contents, columns, further: None }
    }

    /// The table with further columns after the others.
    pub fn with_further(self, further: &'static str) -> Self {
        Self { further: Some(further), ..self }
    }

    /// Frictionless Table Schema, as JSON: `fields` with `name`, `type`, `unit`, `description`.
    pub fn json(&self) -> Value {
        let field = |column: &ColumnSchema| {
            let mut field = json!({
                "name": column.name,
                "type": column.kind.name(),
                "description": column.meaning,
            });
            if !column.unit.is_empty() {
                field["unit"] = column.unit.into();
            }
            field
        };
        let mut schema = json!({
            "path": self.file,
            "description": self.contents,
            "written_by": self.written_by,
            "fields": self.columns.iter().map(field).collect::<Vec<_>>(),
        });
        if let Some(further) = self.further {
            schema["further_fields"] = further.into();
        }
        schema
    }

    /// Markdown: a table of files, each with its contents, columns and writers.
    pub fn list(tables: &[Self]) -> String {
        let mut text = String::new();
        let row = |table: &Self| {
            let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
            let further = table.further.map(|further| format!("; {further}"));
            let columns = format!("`{}`{}", names.join(", "), further.unwrap_or_default());
            [
                format!("`{}`", table.file),
                table.contents.to_owned(),
                columns,
                table.written_by.to_owned(),
            ]
        };
        add_table(&mut text, ["file", "contents", "columns", "written by"], tables.iter().map(row));
        text
    }

    /// Markdown: a heading of the third level and a table of the columns.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("### `{}`\n{}. Written by {}.\n\n", self.file, self.contents, self.written_by);
        let rows = self.columns.iter().map(|column| {
            let unit = if column.unit.is_empty() { column.kind.name() } else { column.unit };
            [format!("`{}`", column.name), unit.to_owned(), column.meaning.clone()]
        });
        add_table(&mut text, ["column", "unit or type", "meaning"], rows);
        if let Some(further) = self.further {
            text.push_str(&format!("\nFurther columns: {further}.\n"));
        }
        text
    }
}

/// The columns of a row's type: its fields in the order in which they are written.
fn columns_of_rows<R: JsonSchema>() -> Vec<ColumnSchema> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<R>().to_value();
    // Unlike the properties, the required names are in the order of the fields.
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let column = |name: &str| {
        let property = &schema["properties"][name];
        let meaning = property["description"].as_str().unwrap_or_default();
        let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        ColumnSchema::new(name, kind_of(property), &meaning)
    };
    names.map(column).collect()
}

fn kind_of(property: &Value) -> ColumnKind {
    let kinds = match &property["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind.as_str()],
        _ => Vec::new(),
    };
    match kinds.first() {
        Some(&"number") => ColumnKind::Number,
        Some(&"integer") => ColumnKind::Integer,
        Some(&"boolean") => ColumnKind::Boolean,
        _ => ColumnKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Row {
        /// Name of
        /// the case.
        case: String,
        /// Energy above idle.
        energy_j: Option<f64>,
        /// Executions.
        count: u64,
    }

    #[test]
    fn columns_are_the_fields_in_their_order() {
        let table = TableSchema::of_rows::<Row>("a.csv", "`scan`", "Cases");
        let columns: Vec<_> =
            table.columns.iter().map(|c| (c.name.as_str(), c.kind, c.unit)).collect();
        let expected = [
            ("case", ColumnKind::Text, ""),
            ("energy_j", ColumnKind::Number, "J"),
            ("count", ColumnKind::Integer, ""),
        ];
        assert_eq!(columns, expected);
        assert_eq!(table.json()["fields"][1]["unit"], "J");
        assert_eq!(table.json()["fields"][0]["description"], "Name of the case");
        assert!(table.markdown().contains("| `energy_j` | J | Energy above idle |\n"));
    }
}
