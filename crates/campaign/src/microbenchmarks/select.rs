//! Selection of the microbenchmarks for an application: those that measure its most executed
//! operations.

use std::collections::{BTreeMap, BTreeSet};

use super::{Microbenchmark, catalogue};
use crate::campaign::PlannedMicrobenchmarks;
use crate::model::table::GARBAGE_COLLECTION;
use crate::operations::split_form;
use crate::scenario::Scenario;

/// The microbenchmarks that the scenario will run, for planning.
pub fn planned_microbenchmarks(scenario: &Scenario) -> PlannedMicrobenchmarks {
    match scenario.microbenchmarks.enabled {
        true => PlannedMicrobenchmarks {
            measurable: measured_operations(&catalogue()),
            count: scenario.microbenchmarks.count,
        },
        false => PlannedMicrobenchmarks::default(),
    }
}

/// The microbenchmarks that measure one of the application's `executions` (executions by operation,
/// form or library function), plus those that measure parts of all others: the loop, and GC runs
/// for their objects. Operations with less than `least_share` of all executions get none.
pub fn select_microbenchmarks(
    microbenchmarks: &[Microbenchmark],
    executions: &BTreeMap<String, u64>,
    least_share: f64,
) -> Vec<Microbenchmark> {
    // Forms are counted beside their operations: the total is off by at most two.
    let total: f64 = executions.values().map(|&count| count as f64).sum();
    let matters = |operation: &String| {
        executions.get(operation).is_some_and(|&count| count as f64 >= least_share * total)
    };
    microbenchmarks
        .iter()
        .filter(|microbenchmark| {
            is_in_all(microbenchmark) || microbenchmark.measures.iter().any(matters)
        })
        .cloned()
        .collect()
}

/// Whether the microbenchmark measures a part of all others. Without a microbenchmark of its own,
/// GC can't be separated from a microbenchmark's other work.
fn is_in_all(microbenchmark: &Microbenchmark) -> bool {
    microbenchmark.name == "loop" || measures(microbenchmark, GARBAGE_COLLECTION)
}

/// Operations with at least `least_share` of the executions and no microbenchmark, largest first.
pub(crate) fn without_microbenchmark(
    microbenchmarks: &[Microbenchmark],
    executions: &BTreeMap<String, u64>,
    least_share: f64,
) -> Vec<String> {
    let total: f64 = executions.values().map(|&count| count as f64).sum();
    let mut missing: Vec<(u64, &String)> = executions
        .iter()
        .filter(|&(_, &count)| count as f64 >= least_share * total)
        .filter(|&(name, _)| {
            !microbenchmarks.iter().any(|microbenchmark| measures(microbenchmark, name))
        })
        .map(|(name, &count)| (count, name))
        .collect();
    missing.sort_by(|a, b| b.cmp(a));
    missing.into_iter().map(|(_, name)| name.clone()).collect()
}

/// The operations and library functions that some microbenchmark measures, in whatever context.
pub(crate) fn measured_operations(microbenchmarks: &[Microbenchmark]) -> BTreeSet<String> {
    let forms = microbenchmarks.iter().flat_map(|microbenchmark| &microbenchmark.measures);
    forms.map(|form| split_form(form).0.to_owned()).collect()
}

/// Whether a microbenchmark measures an operation, in any context.
fn measures(microbenchmark: &Microbenchmark, operation: &str) -> bool {
    microbenchmark.measures.iter().any(|form| split_form(form).0 == operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microbenchmark(name: &str, measures: &[&str]) -> Microbenchmark {
        Microbenchmark {
            name: name.into(),
            measures: measures.iter().map(|m| m.to_string()).collect(),
            locals: String::new(),
            body: String::new(),
            helper: String::new(),
            keep: String::new(),
            feed: None,
            copies: 1,
            places: 1,
            elements: None,
        }
    }

    #[test]
    fn what_runs_often_calls_for_a_microbenchmark() {
        let microbenchmarks = [
            microbenchmark("loop", &[]),
            microbenchmark("add", &["Addition_int_int"]),
            microbenchmark("not", &["Not"]),
            microbenchmark("new", &["New_Object [instance]", "lib:GC"]),
            microbenchmark("lambda", &["New_Object [lambda]"]),
        ];
        let executions =
            BTreeMap::from([("Addition_int_int".to_string(), 999), ("Not".to_string(), 1)]);
        let names = |share| -> Vec<String> {
            select_microbenchmarks(&microbenchmarks, &executions, share)
                .into_iter()
                .map(|k| k.name)
                .collect()
        };
        assert_eq!(names(0.01), ["loop", "add", "new"]);
        assert_eq!(names(0.0), ["loop", "add", "not", "new"]);
    }

    #[test]
    fn what_has_no_microbenchmark_is_named_largest_first() {
        let executions =
            BTreeMap::from([("A".to_string(), 5), ("B".to_string(), 9), ("C".to_string(), 1)]);
        let microbenchmarks = [microbenchmark("b", &["B"])];
        assert_eq!(without_microbenchmark(&microbenchmarks, &executions, 0.0), ["A", "C"]);
    }
}
