//! Whether further repeats are worth their time: the expected error of line energies from the cases
//! measured so far, and its limit with any number of repeats.

use std::collections::BTreeMap;

use crate::operations::Dictionary;

use super::counts::OperationMatrix;
use super::criterion::LineError;
use super::line_error_criterion::LineErrorCriterion;
use super::planned_microbenchmarks::PlannedMicrobenchmarks;

/// Least part by which repeats must be able to lower the error to be made.
const LEAST_GAIN: f64 = 0.01;

/// A measured case: its counts, and the error of its energy over the repeats so far.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicatedCase {
    /// Executions of its operations.
    pub counts: BTreeMap<String, u128>,
    /// Standard error of the case's energy, as a share of the energy.
    pub relative_se: f64,
}

/// Expected errors of line energies: with the repeats so far, and at best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineErrorOutlook {
    /// With the present errors of the energies.
    pub now: LineError,
    /// With energies without noise: the limit of any number of repeats.
    pub at_best: LineError,
}

/// Expected errors of line energies by the planner's belief (`docs/internals/plan.md`), with the measured
/// noise in addition to the misfit. `bases` are the executions per block of the base cases. None
/// without lines.
pub fn line_error_outlook(
    microbenchmarks: &PlannedMicrobenchmarks,
    dictionary: &Dictionary,
    bases: &[Vec<u64>],
    cases: &[ReplicatedCase],
) -> Option<LineErrorOutlook> {
    let matrix = OperationMatrix::new(dictionary);
    let lines = LineErrorCriterion::for_busiest_lines(microbenchmarks, dictionary, &matrix, bases);
    let row = |case: &ReplicatedCase| -> Vec<u128> {
        let count = |name: &String| case.counts.get(name).copied().unwrap_or(0);
        matrix.operations.iter().map(count).collect()
    };
    let rows: Vec<Vec<u128>> = cases.iter().map(row).collect();
    let errors = cases.iter().map(|case| case.relative_se);
    Some(LineErrorOutlook {
        now: lines.expected_error_with(rows.iter().zip(errors))?,
        at_best: lines.expected_error(rows.iter())?,
    })
}

impl LineErrorOutlook {
    /// Reason why no further round of repeats is needed, for a goal of the median line's error: the
    /// goal is reached, or repeats cannot get closer to it.
    pub fn stop_reason(&self, goal: f64) -> Option<String> {
        let (now, best) = (self.now.median, self.at_best.median);
        let percent = |error: f64| format!("{:.2} %", 100.0 * error);
        if now <= goal {
            return Some(format!(
                "the expected error of lines is {}, at most {} are asked for",
                percent(now),
                percent(goal)
            ));
        }
        (now - best < LEAST_GAIN * now).then(|| {
            format!(
                "the expected error of lines is {}, and {} with any number of repeats: they \
                 can't reach {}",
                percent(now),
                percent(best),
                percent(goal)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::case_planner::tests::dictionary;

    fn cases(relative_se: f64) -> [ReplicatedCase; 1] {
        let counts = [("And".to_string(), 30), ("Or".to_string(), 10)].into();
        [ReplicatedCase { counts, relative_se }]
    }

    /// One line of one operation each; a case that holds both.
    fn look(relative_se: f64) -> LineErrorOutlook {
        let dictionary = dictionary(&[&[("And", 3)], &[("Or", 1)]]);
        line_error_outlook(
            &PlannedMicrobenchmarks::default(),
            &dictionary,
            &[vec![10, 10]],
            &cases(relative_se),
        )
        .unwrap()
    }

    #[test]
    fn noise_makes_lines_worse_and_repeats_lower_it() {
        let (noisy, quiet) = (look(0.5), look(0.001));
        assert!(noisy.now.median > quiet.now.median);
        assert_eq!(noisy.at_best, quiet.at_best);
        assert!(quiet.now.median >= quiet.at_best.median);
    }

    #[test]
    fn enough_is_the_goal_or_what_repeats_cannot_better() {
        let noisy = look(0.5);
        assert_eq!(noisy.stop_reason(noisy.at_best.median), None);
        let reached = noisy.stop_reason(noisy.now.median).unwrap();
        assert!(reached.contains("at most"), "{reached}");
        let useless = look(0.0001).stop_reason(1e-6).unwrap();
        assert!(useless.contains("can't reach 0.00 %"), "{useless}");
    }
}
