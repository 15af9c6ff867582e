//! `plan.csv`: one line per case. The columns after `removed` are predictions.

use thiserror::Error;
use wattline_units::shortened::shortened;

use crate::blocks::BlockId;
use crate::csv_text::{self, CsvText};
use wattline_units::file_schema::DeclaredColumn;

use super::plan_contents::{Plan, PlannedCase};

/// Columns of `plan.csv`.
pub(crate) const PLAN_COLUMNS: [DeclaredColumn; 10] = [
    DeclaredColumn::text("case", "Name of the case"),
    DeclaredColumn::text("input", "Input sequence"),
    DeclaredColumn::text("group", "Group of the case: its input"),
    DeclaredColumn::text("variant", "Name of the variant of the sources"),
    DeclaredColumn::text("removed", "Numbers of the removed blocks, separated by blanks"),
    DeclaredColumn::integer("removed_blocks", "Number of the removed blocks"),
    DeclaredColumn::integer("executions", "Block executions of the case in its dry run"),
    DeclaredColumn::number("executions_share", "Executions as a share of those of the base case"),
    DeclaredColumn::number("energy_share", "Predicted energy as a share of that of the base case"),
    DeclaredColumn::integer("rank", "Rank of the count matrix of the cases up to this one"),
];

/// Error of reading a `plan.csv`.
#[derive(Debug, Error)]
pub enum PlanTableError {
    /// A column of a plan is missing.
    #[error("plan.csv: no column `{0}`; write it anew with `wattline plan`")]
    NoColumn(&'static str),
    /// A cell does not hold what its column should.
    #[error("plan.csv, line {line}: column `{column}` holds \"{}\"", shortened(text))]
    BadCell {
        /// Line, from 1.
        line: usize,
        /// Name of the column.
        column: &'static str,
        /// Text of the cell.
        text: String,
    },
    /// The text is not valid CSV.
    #[error("plan.csv can't be read")]
    Csv(#[from] csv::Error),
}

/// The text of `plan.csv`, a line per case. Column `removed` holds block ids separated by blanks.
pub fn plan_to_csv(plan: &Plan) -> String {
    let mut table = CsvText::new(PLAN_COLUMNS);
    for case in &plan.cases {
        let removed: Vec<String> = case.removed.iter().map(|block| block.0.to_string()).collect();
        table.row([
            case.name.clone(),
            case.input.clone(),
            case.input.clone(),
            case.variant.clone(),
            removed.join(" "),
            removed.len().to_string(),
            case.executions.to_string(),
            format!("{:.6}", case.executions_share),
            format!("{:.6}", case.energy_share),
            case.rank.to_string(),
        ]);
    }
    table.text()
}

/// Reads the cases of `plan.csv`.
pub fn read_plan(text: &str) -> Result<Vec<PlannedCase>, PlanTableError> {
    let mut reader = csv_text::reader(text);
    let headers = reader.headers()?.clone();
    let mut cases = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record?;
        let cell = |column: &'static str| {
            let place = headers.iter().position(|name| name == column);
            place.and_then(|place| record.get(place)).ok_or(PlanTableError::NoColumn(column))
        };
        let line = index + 2;
        let bad = |column, text: &str| PlanTableError::BadCell { line, column, text: text.into() };
        let number = |column: &'static str| {
            let text = cell(column)?;
            text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| bad(column, text))
        };
        let blocks = cell("removed")?;
        let block = |word: &str| word.parse().map(BlockId).map_err(|_| bad("removed", blocks));
        let executions = cell("executions")?;
        cases.push(PlannedCase {
            name: cell("case")?.into(),
            variant: cell("variant")?.into(),
            input: cell("input")?.into(),
            removed: blocks.split_whitespace().map(block).collect::<Result<_, _>>()?,
            executions: executions.parse().map_err(|_| bad("executions", executions))?,
            executions_share: number("executions_share")?,
            energy_share: number("energy_share")?,
            rank: number("rank")? as usize,
        });
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::PlanSummary;

    fn plan() -> Plan {
        let case = |name: &str, removed: &[u32], rank| PlannedCase {
            name: name.into(),
            variant: name.split('-').next().unwrap().into(),
            input: "north".into(),
            removed: removed.iter().map(|id| BlockId(*id)).collect(),
            executions: 1000,
            executions_share: 0.5,
            energy_share: 0.25,
            rank,
        };
        let summary = PlanSummary {
            cases: 2,
            asked: 2,
            variants: 2,
            removable: 3,
            removable_executed: 3,
            removed_executed: 2,
            removed_jointly: 0,
            dry_runs: 5,
            operations: 4,
            rank: 2,
            line_error: None,
            collapsed: 0,
            board_s: 1.0,
            paper_board_s: 1.0,
        };
        let cases = vec![case("base-north", &[], 1), case("r01-north", &[3, 17], 2)];
        Plan { cases, dropped: Vec::new(), joint: Vec::new(), summary }
    }

    #[test]
    fn a_plan_survives_its_file() {
        let text = plan_to_csv(&plan());
        assert_eq!(
            text.lines().nth(2),
            Some("r01-north,north,north,r01,3 17,2,1000,0.500000,0.250000,2")
        );
        assert_eq!(read_plan(&text).unwrap(), plan().cases);
    }

    #[test]
    fn an_input_with_a_comma_reads_back() {
        let mut plan = plan();
        plan.cases[1].input = "north, \"slow\"".into();
        let text = plan_to_csv(&plan);
        assert!(text.contains(",\"north, \"\"slow\"\"\","), "{text}");
        assert_eq!(read_plan(&text).unwrap(), plan.cases);
    }

    #[test]
    fn bad_tables_name_line_and_column() {
        let text = plan_to_csv(&plan()).replace("3 17", "3 x");
        let error = read_plan(&text).unwrap_err().to_string();
        assert_eq!(error, "plan.csv, line 3: column `removed` holds \"3 x\"");
        let error = read_plan("case,input\na,b\n").unwrap_err().to_string();
        assert!(error.contains("no column"), "{error}");
    }
}
