//! Inputs of one name that do different work on the two sides, so that their energies are not
//! comparable. Neither their rows nor the headline, the sum over all inputs, have figures.

use std::collections::BTreeMap;

use super::change::{EnergyChange, GateVerdict};
use super::{ChangeRow, joined};
use crate::format::{counted, listed};

/// How many differences the headline lists, and how many inputs for each.
const NAMED: usize = 2;

/// Removes the figures of inputs that do different work, and those of the headline. `other` has
/// the difference by input name; `remedy` is a hint how to make the campaigns comparable.
pub fn take_back_other_work(
    headline: &mut ChangeRow,
    inputs: &mut [ChangeRow],
    other: &BTreeMap<String, String>,
    remedy: &str,
) {
    if other.is_empty() {
        return;
    }
    for input in inputs {
        if let Some(what) = other.get(&input.subject.name()) {
            input.change = EnergyChange::default();
            input.remark = joined([input.remark.clone(), what.clone()]);
        }
    }
    headline.change = EnergyChange::default();
    headline.verdict = Some(GateVerdict::NoData);
    let what = format!("{}; {remedy}", differences_text(other));
    headline.remark = joined([headline.remark.clone(), what]);
}

/// List of the differences: `inputs few, many: frames 16000 against 20000; input other:
/// extras.size 3 against 4`.
fn differences_text(other: &BTreeMap<String, String>) -> String {
    let mut by_difference: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (input, what) in other {
        by_difference.entry(what).or_default().push(input);
    }
    let named = by_difference.iter().take(NAMED).map(|(what, inputs)| {
        let noun = if inputs.len() == 1 { "input" } else { "inputs" };
        format!("{noun} {}: {what}", listed(inputs, NAMED))
    });
    let mut parts: Vec<String> = named.collect();
    let more: usize = by_difference.values().skip(NAMED).map(Vec::len).sum();
    if more > 0 {
        parts.push(format!("and {}", counted(more, "more input")));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{
        AllowedIncrease, InputRuns, Measurement, PowerRunEnergy, compare_measured,
    };

    /// Two inputs that spend a quarter more on the new side.
    fn rows() -> (ChangeRow, Vec<ChangeRow>) {
        let side = |factor: f64| {
            let runs = [20.0, 20.1, 19.9].map(|above_j| PowerRunEnergy {
                energy_j: 10.0 + factor * above_j,
                duration_s: 10.0,
            });
            let own = InputRuns { repeats: runs.to_vec(), idle_powers_w: Vec::new() };
            let input = |name: &str| (name.to_string(), own.clone());
            Measurement {
                inputs: ["few", "many"].map(input).into(),
                idle_powers_w: vec![1.0, 1.0],
                between_campaigns: 0.0,
            }
        };
        compare_measured("s", &side(1.0), &side(1.25), AllowedIncrease(0.0))
    }

    /// What would be an increase is no data, as one of the inputs does a quarter more; the other
    /// one's figures stay.
    #[test]
    fn other_work_is_no_increase() {
        let (mut headline, mut inputs) = rows();
        assert_eq!(headline.verdict, Some(GateVerdict::Increase));
        let other = BTreeMap::from([("few".into(), "frames 16000 against 20000".into())]);
        take_back_other_work(&mut headline, &mut inputs, &other, "measure again");
        assert_eq!(headline.verdict, Some(GateVerdict::NoData));
        assert_eq!(headline.remark, "input few: frames 16000 against 20000; measure again");
        assert_eq!(headline.change, EnergyChange::default());
        assert_eq!(inputs[0].change, EnergyChange::default());
        assert_eq!(inputs[0].remark, "frames 16000 against 20000");
        assert!(inputs[1].change.interval.is_some() && inputs[1].remark.is_empty());
    }

    #[test]
    fn the_same_work_is_compared() {
        let (mut headline, mut inputs) = rows();
        let before = (headline.clone(), inputs.clone());
        take_back_other_work(&mut headline, &mut inputs, &BTreeMap::new(), "");
        assert_eq!((headline, inputs), before);
    }

    #[test]
    fn of_many_inputs_the_first_are_named() {
        let (mut headline, mut inputs) = rows();
        headline.remark = "different boards".into();
        let other = [
            ("a", "x 1 against 2"),
            ("b", "y 3 against 4"),
            ("few", "x 1 against 2"),
            ("many", "z 5 against 6"),
            ("others", "x 1 against 2"),
        ];
        let other = other.map(|(input, what)| (input.to_string(), what.to_string()));
        take_back_other_work(&mut headline, &mut inputs, &other.into(), "measure again");
        let expected = "different boards; inputs a, few and 1 more: x 1 against 2; input b: y 3 \
                        against 4; and 1 more input; measure again";
        assert_eq!(headline.remark, expected);
    }
}
