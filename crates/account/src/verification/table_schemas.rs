//! Columns of the tables of measured savings.

use wattline_units::file_schema::TableSchema;

use super::joint_table::JointSavingRow;
use super::table::VerifiedHint;
use crate::folder::names;

/// Writers of measured savings.
const HINTS: &str = "`pipeline` with `[hints] verify`";

/// Returns the columns of the tables of measured savings.
pub fn saving_table_schemas() -> Vec<TableSchema> {
    vec![
        TableSchema::of_rows::<VerifiedHint>(
            names::VERIFIED,
            HINTS,
            "Measured saving of each applied hint",
        ),
        TableSchema::of_rows::<JointSavingRow>(
            names::JOINT_SAVING,
            HINTS,
            "Measured saving of the applied hints together",
        ),
    ]
}
