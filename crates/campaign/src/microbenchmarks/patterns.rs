//! The 174 bytecode patterns of the probabilistic profiler as microbenchmarks: for each a
//! statement, many times in a loop, and a baseline loop without it, which is subtracted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

mod code_check;
mod comparison;
mod pattern_status;
mod pattern_type;
mod program_energy;
mod programs;
mod statement;
mod statement_code;

pub use self::code_check::ListedProgram;
pub use self::pattern_status::{MeasuredState, PatternStatus, statuses, statuses_csv};
pub use self::program_energy::{ProgramEnergy, program_energies};
pub use self::programs::{ValidationProgram, validation_programs};
pub use self::statement::BaselineLoop;
use self::statement::Statement;
use self::statement_code::StatementCode;
use super::Microbenchmark;
use super::measure::MicrobenchmarkRun;
use crate::model::ModelError;
use crate::model::bayes::patterns::{FactorPattern, patterns};

/// The microbenchmark of a bytecode pattern, with its baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternMicrobenchmark {
    /// Measured pattern.
    pub pattern: FactorPattern,
    /// The loop around its statement.
    pub microbenchmark: Microbenchmark,
    /// Copies of the statement in the loop.
    pub copies: usize,
    /// The loop without the statement, which is subtracted.
    pub baseline: BaselineLoop,
    /// The instructions of a copy beside those of its baseline.
    code: StatementCode,
}

/// Energy of one execution of a pattern, with the columns of its levels
/// ([`FACTORS`](crate::model::bayes::patterns::FACTORS)).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PatternEnergy {
    /// The pattern's category.
    pub category: &'static str,
    /// Its operation.
    pub operation: &'static str,
    /// Where its operand comes from or how wide it is; empty where that doesn't apply.
    pub size: &'static str,
    /// Type of its operands; empty where that doesn't apply.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Serial of the board.
    pub device: String,
    /// The session, from 1.
    pub repeat: usize,
    /// Joules of one execution, above its baseline; noise can make it negative.
    pub energy_j: f64,
    /// Executions in the window.
    pub executions: u64,
    /// GC in the window; their energy is part of the executions'.
    pub gc_runs: u64,
}

/// Makes the microbenchmarks of all patterns, in the patterns' order.
pub fn pattern_microbenchmarks() -> Vec<PatternMicrobenchmark> {
    patterns().into_iter().map(PatternMicrobenchmark::of).collect()
}

/// The baseline microbenchmarks, which are subtracted.
pub fn baselines() -> [Microbenchmark; 3] {
    BaselineLoop::ALL.map(BaselineLoop::microbenchmark)
}

/// Energies of patterns in each session, above the session's own baselines. A pattern whose
/// microbenchmark or baseline is missing has no row.
pub fn pattern_energies(
    microbenchmarks: &[PatternMicrobenchmark],
    sessions: &[Vec<MicrobenchmarkRun>],
) -> Vec<PatternEnergy> {
    let mut energies = Vec::new();
    for (at, runs) in sessions.iter().enumerate() {
        let runs: BTreeMap<&str, &MicrobenchmarkRun> =
            runs.iter().map(|run| (run.name.as_str(), run)).collect();
        let per_iteration = |name| runs.get(name).map(|run| run.energy_j / run.iterations as f64);
        for PatternMicrobenchmark { pattern, microbenchmark, baseline, copies, .. } in
            microbenchmarks
        {
            let Some(run) = runs.get(microbenchmark.name.as_str()) else { continue };
            let Some(without) = per_iteration(baseline.name()) else { continue };
            let FactorPattern { category, operation, size, kind } = *pattern;
            energies.push(PatternEnergy {
                category,
                operation,
                size,
                kind,
                device: run.device.clone(),
                repeat: at + 1,
                energy_j: (run.energy_j / run.iterations as f64 - without) / *copies as f64,
                executions: run.iterations * *copies as u64,
                gc_runs: run.gc_runs,
            });
        }
    }
    energies
}

/// The energies as CSV: a row per pattern, board and session, with the factors that `fit --factors`
/// needs.
///
/// # Errors
/// A row that can't be written.
pub fn energies_csv(energies: &[PatternEnergy]) -> Result<String, ModelError> {
    crate::model::csv_of(energies)
}

impl PatternMicrobenchmark {
    fn of(pattern: FactorPattern) -> Self {
        let words = [pattern.operation, pattern.size, pattern.kind].join(" ");
        let words =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("_");
        let statement = Statement::of(&pattern);
        let (copies, baseline, code) =
            (statement.copies(), statement.baseline, statement.code.clone());
        let microbenchmark = statement.microbenchmark(name);
        Self { pattern, microbenchmark, copies, baseline, code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_has_a_microbenchmark_of_its_own() {
        let microbenchmarks = pattern_microbenchmarks();
        let names: BTreeSet<&str> =
            microbenchmarks.iter().map(|k| k.microbenchmark.name.as_str()).collect();
        assert_eq!((microbenchmarks.len(), names.len()), (174, 174));
        let texts: BTreeSet<String> = microbenchmarks
            .iter()
            .map(|k| format!("{} {}", k.microbenchmark.locals, k.microbenchmark.body))
            .collect();
        assert_eq!(texts.len(), 174, "two patterns have the same statement");
    }

    #[test]
    fn statements_are_those_of_the_patterns() {
        let microbenchmarks = pattern_microbenchmarks();
        let first = |name: &str| {
            let found = microbenchmarks.iter().find(|k| k.microbenchmark.name == name);
            let found = found.unwrap_or_else(|| panic!("no {name}"));
            let body = found.microbenchmark.body.lines().next().unwrap_or_default().to_owned();
            (body, found.copies)
        };
        let expected = [
            ("Addition_Load_int", "c = a + b;", 16),
            ("Addition_Constant_double", "c = a + 0.0;", 1),
            ("Division_64_bit_double", "c = a / 0.7;", 16),
            ("Increase_int", "c0++;", 8),
            ("Variable_declaration_Constant_long", "c = 1L;", 16),
            ("if_greater_numerical_data_types_float", "if (a > b) { c = b; }", 16),
            ("if_greater_or_equal_int_int", "if (a >= 0) { c = b; }", 16),
            ("if_non_null_references_Reference", "if (a != null) { c = b; }", 16),
            ("d2l", "c = (long) a;", 16),
        ];
        for (name, body, copies) in expected {
            assert_eq!(first(name), (body.to_owned(), copies), "{name}");
        }
    }

    /// What two copies have in common, D8 computes once.
    #[test]
    fn no_constant_of_the_pool_is_in_two_copies() {
        let of_pool = |size: &str| matches!(size, "32-bit" | "64-bit");
        for of in pattern_microbenchmarks().iter().filter(|of| of_pool(of.pattern.size)) {
            let copies: BTreeSet<&str> = of.microbenchmark.body.lines().map(str::trim).collect();
            assert_eq!(copies.len(), of.copies, "{}", of.microbenchmark.body);
        }
    }

    #[test]
    fn the_baseline_of_the_session_is_subtracted() {
        let run = |name: &str, iterations: u64, energy_j: f64| MicrobenchmarkRun {
            name: name.into(),
            device: "board".into(),
            iterations,
            gc_runs: 0,
            energy_j,
            duration_s: 1.0,
        };
        let sessions = [
            vec![run("loop", 10, 20.0), run("d2l", 100, 200.0 + 100.0 * 16.0 * 3.0)],
            vec![run("d2l", 100, 5.0)],
        ];
        let energies = pattern_energies(&pattern_microbenchmarks(), &sessions);
        assert_eq!(energies.len(), 1, "no baseline, no row");
        assert_eq!(energies[0].energy_j, 3.0);
        assert_eq!(energies[0].executions, 1600);
        let csv = energies_csv(&energies).unwrap();
        let head = "category,operation,size,type,device,repeat,energy_j,executions,gc_runs";
        assert_eq!(csv, format!("{head}\nConversions,d2l,,,board,1,3.0,1600,0\n"));
    }
}
