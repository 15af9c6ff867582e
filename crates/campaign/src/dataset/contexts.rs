//! `contexts.csv`: in which contexts the cases executed their operations. Where microbenchmarks
//! give separate costs of contexts, a case's count of an operation is weighed by them, so that a
//! case with another mix than the application's is no error of the model.

use crate::csv_text;
use std::collections::BTreeMap;

use wattline_units::file_schema::DeclaredColumn;

use crate::operations::OperationMix;

use crate::model::table::Table;

/// An invalid row of `contexts.csv`.
#[derive(Debug, thiserror::Error)]
#[error("contexts.csv can't be read; make it again with `wattline dataset`")]
pub struct ContextsError(#[from] csv::Error);

/// Columns of `contexts.csv`.
pub(crate) const CONTEXT_COLUMNS: [DeclaredColumn; 4] = [
    DeclaredColumn::text("case", "Case"),
    DeclaredColumn::text("operation", "Operation that has contexts"),
    DeclaredColumn::text("context", "Context"),
    DeclaredColumn::integer("count", "Executions of the case in the context"),
];

/// Executions of each case by operation and context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseMixes(pub BTreeMap<String, OperationMix>);

impl CaseMixes {
    /// The text of `contexts.csv`: `case,operation,context,count` for operations that have
    /// contexts.
    ///
    /// # Errors
    /// None in memory; the writer's.
    pub fn to_csv(&self) -> Result<String, ContextsError> {
        let mut text = DeclaredColumn::names(CONTEXT_COLUMNS).join(",") + "\n";
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        for (case, mix) in &self.0 {
            for (operation, contexts) in &mix.0 {
                for (context, count) in contexts.iter().filter(|(context, _)| !context.is_empty()) {
                    writer.serialize((case, operation, context, count))?;
                }
            }
        }
        let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        text.push_str(&String::from_utf8_lossy(&bytes));
        Ok(csv_text::guard_formulas(text))
    }

    /// Parses the text that [`CaseMixes::to_csv`] makes.
    ///
    /// # Errors
    /// A row without the four columns; the cause names the line.
    pub fn from_csv(text: &str) -> Result<Self, ContextsError> {
        let mut mixes = Self::default();
        for row in csv_text::reader(text).deserialize() {
            let (case, operation, context, count): (String, String, String, u64) = row?;
            let mix = mixes.0.entry(case).or_default();
            mix.0.entry(operation).or_default().insert(context, count);
        }
        Ok(mixes)
    }

    /// Turns the counts of operations into executions at the operation's mean cost: each execution
    /// counts `relative(operation, context)` times.
    pub fn weigh(&self, table: &mut Table, relative: impl Fn(&str, &str) -> f64) {
        let columns = table.features.len();
        for (row, case) in table.cases.iter_mut().enumerate() {
            let Some(mix) = self.0.get(&case.name) else { continue };
            case.executions = Some(table.counts[row * columns..][..columns].iter().sum());
            for (column, operation) in table.features.iter().enumerate() {
                let Some(contexts) = mix.0.get(operation) else { continue };
                let total = mix.total(operation);
                let weighed: f64 = contexts
                    .iter()
                    .map(|(context, n)| relative(operation, context) * *n as f64)
                    .sum();
                if total > 0.0 {
                    table.counts[row * columns + column] *= weighed / total;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::table::ColumnChoice;

    const TEXT: &str = "case,operation,context,count\na,Not,tested,1\na,Not,value,3\n";

    #[test]
    fn the_text_comes_back() {
        assert_eq!(CaseMixes::from_csv(TEXT).unwrap().to_csv().unwrap(), TEXT);
        assert!(CaseMixes::from_csv("case,operation,context,count\na,Not,tested,x\n").is_err());
    }

    /// 1 execution worth 0.5 and 3 worth 1.5 are 5 executions; without prices, four.
    #[test]
    fn counts_are_weighed_by_what_their_contexts_cost() {
        let table = "case,energy_j,Not,And\na,1,4,2\nb,1,8,2\n";
        let table = Table::from_csv(table, &ColumnChoice::default()).unwrap();
        let mixes = CaseMixes::from_csv(TEXT).unwrap();
        let weighed = |tested: f64, value: f64| {
            let mut table = table.clone();
            mixes.weigh(&mut table, |_, context| if context == "tested" { tested } else { value });
            table.counts
        };
        assert_eq!(weighed(0.5, 1.5), [5.0, 2.0, 8.0, 2.0]);
        assert_eq!(weighed(1.0, 2.0), [7.0, 2.0, 8.0, 2.0]);
        assert_eq!(weighed(1.0, 1.0), table.counts);
    }
}
