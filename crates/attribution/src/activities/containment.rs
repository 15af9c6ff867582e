//! Of how many occurrences of a state, a component or an activity something else was part: how
//! many wake-ups of a radio had a packet in them.

use wattline_units::interval::NORMAL_975;

use super::analysis::Analysis;
use super::label::Labels;
use super::log::nanoseconds_to_seconds;
use super::usage::{
    Stretches, accounted_time, active_stretches, join_stretches, overlap_lengths, state_stretches,
    stretches_by_activity,
};

/// Question of how many occurrences of one name contain an occurrence of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainmentQuestion {
    /// What occurs: a component, `CPU_COMPONENT:STATE`, or an activity.
    pub outer: String,
    /// What it may contain.
    pub inner: String,
}

/// Number and total seconds of occurrences, either those that contain the other name or the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CountedOccurrences {
    /// How many.
    pub count: usize,
    /// Their seconds.
    pub time_s: f64,
}

/// Occurrences of a name on one node, split by whether they contain the other name.
#[derive(Debug, Clone, PartialEq)]
pub struct ContainmentCounts {
    /// The question.
    pub question: ContainmentQuestion,
    /// Occurrences that contain it.
    pub with: CountedOccurrences,
    /// Occurrences that don't.
    pub without: CountedOccurrences,
    /// Whether the log has anything of the inner name.
    pub is_inner_known: bool,
}

impl ContainmentCounts {
    /// Returns the number of occurrences, with and without the other name.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.with.count + self.without.count
    }

    /// Returns the share of occurrences that contain the other name; `None` without occurrences.
    #[must_use]
    pub fn share_with(&self) -> Option<f64> {
        let all = self.occurrences();
        (all > 0).then(|| self.with.count as f64 / all as f64)
    }

    /// Returns the 95 % interval of this share by Wilson's method.
    #[must_use]
    pub fn share_interval(&self) -> Option<(f64, f64)> {
        let (share, all) = (self.share_with()?, self.occurrences() as f64);
        let z2 = NORMAL_975 * NORMAL_975;
        let middle = (share + z2 / (2.0 * all)) / (1.0 + z2 / all);
        let spread = share * (1.0 - share) / all + z2 / (4.0 * all * all);
        let half = NORMAL_975 * spread.sqrt() / (1.0 + z2 / all);
        Some(((middle - half).max(0.0), (middle + half).min(1.0)))
    }
}

/// Error for a name that a log does not have, with the names that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// Those that there are.
    pub known: Vec<String>,
}

/// Counts the occurrences of a name within the accounted time, with and without the other name. An
/// inner name that the log does not have is contained in none, since it may never have occurred.
///
/// # Errors
/// A name to be counted that is no component, no state and no activity of the log.
pub fn count_containing(
    analysis: &Analysis,
    labels: &Labels,
    question: &ContainmentQuestion,
) -> Result<ContainmentCounts, UnknownName> {
    let watched = accounted_time(analysis);
    let unknown =
        || UnknownName { name: question.outer.clone(), known: known_names(analysis, labels) };
    let outer = named_stretches(analysis, labels, &question.outer).ok_or_else(unknown)?;
    let inner = named_stretches(analysis, labels, &question.inner);
    let mut found = ContainmentCounts {
        question: question.clone(),
        with: CountedOccurrences::default(),
        without: CountedOccurrences::default(),
        is_inner_known: inner.is_some(),
    };
    let inner = inner.unwrap_or_default();
    let seen = overlap_lengths(&outer, &watched).zip(overlap_lengths(&outer, &inner));
    for (time, inside) in seen.filter(|(time, _)| *time > 0) {
        let side = if inside > 0 { &mut found.with } else { &mut found.without };
        *side = CountedOccurrences {
            count: side.count + 1,
            time_s: side.time_s + nanoseconds_to_seconds(time),
        };
    }
    Ok(found)
}

/// Returns the stretches of time of a name: of a component away from its baseline, a state, or an
/// activity with or without its origin.
fn named_stretches(analysis: &Analysis, labels: &Labels, name: &str) -> Option<Stretches> {
    for (at, component) in analysis.log.components.iter().enumerate() {
        if component.name == name {
            return Some(active_stretches(analysis, at));
        }
        let of = name.strip_prefix(component.name.as_str()).and_then(|rest| rest.strip_prefix(':'));
        let state = of.and_then(|of| component.states.iter().position(|state| state == of));
        if let Some(state) = state {
            return Some(state_stretches(analysis, at, state));
        }
    }
    let is_it = |label| labels.text(label) == name || labels.name(label) == name;
    let own = stretches_by_activity(analysis).into_iter().filter(|(label, _)| is_it(*label));
    let all: Vec<(i64, i64)> = own.flat_map(|(_, stretches)| stretches).collect();
    (!all.is_empty()).then(|| join_stretches(all))
}

/// Returns the names of components, states and activities in a log.
fn known_names(analysis: &Analysis, labels: &Labels) -> Vec<String> {
    let states = analysis.log.components.iter().flat_map(|component| {
        let of = component.states.iter().map(|state| format!("{}:{state}", component.name));
        std::iter::once(component.name.clone()).chain(of).collect::<Vec<_>>()
    });
    let activities = stretches_by_activity(analysis).into_keys().map(|label| labels.text(label));
    states.chain(activities.collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{AnalysisOptions, analyse, read_csv};
    use super::*;

    fn question(outer: &str, inner: &str) -> ContainmentQuestion {
        ContainmentQuestion { outer: outer.into(), inner: inner.into() }
    }

    /// Three wake-ups: with a packet, with a reception that is never bound, with nothing.
    fn log() -> (Analysis, Labels) {
        let lines = "time_s,component,event,value\n0,R,state,off\n0,,energy,0\n\
            1,R,state,on\n1,,energy,1\n1.2,C,set,receive\n1.5,C,bind,4:packet\n1.8,C,clear,\n\
            2,R,state,off\n2,,energy,3\n3,R,state,on\n3,,energy,4\n3.2,C,set,receive\n\
            3.4,C,clear,\n4,R,state,off\n4,,energy,6\n5,R,state,on\n5,,energy,7\n6,R,state,off\n\
            6,,energy,9\n7,,energy,10\n";
        let mut labels = Labels::default();
        let log = read_csv(lines, "1", &mut labels);
        (analyse(log, &labels, &AnalysisOptions::default()).unwrap(), labels)
    }

    #[test]
    fn occurrences_are_told_by_what_they_contain() {
        let (analysis, labels) = log();
        let count = |outer: &str, inner: &str| {
            let found = count_containing(&analysis, &labels, &question(outer, inner)).unwrap();
            (found.with.count, found.without.count)
        };
        assert_eq!(count("R", "4:packet"), (1, 2));
        assert_eq!(count("R:on", "packet"), (1, 2), "a name without its origin");
        // What was received under the proxy and bound is the packet's, and not the proxy's.
        assert_eq!(count("R", "1:receive"), (1, 2));
        assert_eq!(count("4:packet", "R"), (1, 0));
        let found = count_containing(&analysis, &labels, &question("R", "receive")).unwrap();
        assert!((found.with.time_s - 1.0).abs() < 1e-9);
        assert!((found.without.time_s - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_name_that_is_not_there_is_said() {
        let (analysis, labels) = log();
        let error = count_containing(&analysis, &labels, &question("radio", "R")).unwrap_err();
        assert_eq!(error.name, "radio");
        assert_eq!(error.known, ["R", "R:off", "R:on", "C", "1:receive", "4:packet"]);
        // What is looked for may never have happened.
        let never = count_containing(&analysis, &labels, &question("R", "radio")).unwrap();
        assert_eq!((never.with.count, never.without.count, never.is_inner_known), (0, 3, false));
    }

    #[test]
    fn the_interval_is_wilsons() {
        let of = |with, without| ContainmentCounts {
            question: question("a", "b"),
            with: CountedOccurrences { count: with, time_s: 0.0 },
            without: CountedOccurrences { count: without, time_s: 0.0 },
            is_inner_known: true,
        };
        // Wilson's interval of 24 of 135, computed apart.
        let (lo, hi) = of(24, 111).share_interval().unwrap();
        assert!((lo - 0.122_476).abs() < 1e-6 && (hi - 0.250_910).abs() < 1e-6, "{lo} {hi}");
        assert_eq!(of(0, 0).share_interval(), None);
        assert!(of(0, 9).share_interval().unwrap().0.abs() < 1e-12);
    }
}
