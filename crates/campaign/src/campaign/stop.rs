//! Whether further repeats are worth their time: the error of line energies that is to be
//! expected of the cases measured so far, and what endless repeats would make of it.

use std::collections::BTreeMap;

use crate::operations::Dictionary;

use super::by_lines::LineChoice;
use super::counts::OperationMatrix;
use super::criterion::LineError;
use super::planned_microbenchmarks::PlannedMicrobenchmarks;

/// Repeats that could lower the error by less than this part of it are not made.
const LEAST_GAIN: f64 = 0.01;

/// A case and how well repeats have made its energy known.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicated {
    /// Executions of its operations.
    pub counts: BTreeMap<String, u128>,
    /// Standard error of its energy, as a share of it.
    pub relative_se: f64,
}

/// The errors of lines to be expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// With the energies as they are known.
    pub now: LineError,
    /// With energies without noise: what repeats can come to.
    pub at_best: LineError,
}

/// The outlook, by the planner's belief (`docs/plan.md`) with the measured
/// noise beside what no costs explain. `bases` are the executions per block of the base
/// cases. None without lines.
pub fn outlook(
    microbenchmarks: &PlannedMicrobenchmarks,
    dictionary: &Dictionary,
    bases: &[Vec<u64>],
    cases: &[Replicated],
) -> Option<Outlook> {
    let matrix = OperationMatrix::new(dictionary);
    let lines = LineChoice::new(microbenchmarks, dictionary, &matrix, bases);
    let row = |case: &Replicated| -> Vec<u128> {
        let count = |name: &String| case.counts.get(name).copied().unwrap_or(0);
        matrix.operations.iter().map(count).collect()
    };
    let rows: Vec<Vec<u128>> = cases.iter().map(row).collect();
    let errors = cases.iter().map(|case| case.relative_se);
    Some(Outlook {
        now: lines.expected_with(rows.iter().zip(errors))?,
        at_best: lines.expected(rows.iter())?,
    })
}

impl Outlook {
    /// Why no further round is needed: the goal for the median line is reached, or repeats
    /// can't come nearer to it.
    pub fn enough(&self, goal: f64) -> Option<String> {
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
    use crate::campaign::plan::tests::dictionary;

    fn cases(relative_se: f64) -> [Replicated; 1] {
        let counts = [("And".to_string(), 30), ("Or".to_string(), 10)].into();
        [Replicated { counts, relative_se }]
    }

    /// One line of one operation each; a case that holds both.
    fn look(relative_se: f64) -> Outlook {
        let dictionary = dictionary(&[&[("And", 3)], &[("Or", 1)]]);
        outlook(
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
        assert_eq!(noisy.enough(noisy.at_best.median), None);
        let reached = noisy.enough(noisy.now.median).unwrap();
        assert!(reached.contains("at most"), "{reached}");
        let useless = look(0.0001).enough(1e-6).unwrap();
        assert!(useless.contains("can't reach 0.00 %"), "{useless}");
    }
}
