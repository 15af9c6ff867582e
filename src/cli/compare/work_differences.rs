//! What makes the work of inputs: energies of two campaigns tell of a change only where both gave
//! the application the same to do. `scenario.toml` of a campaign's folder says it, with the
//! `frames` that `pipeline --auto` found.

use std::collections::{BTreeMap, BTreeSet};

use crate::folder::names;
use crate::format;
use crate::scenario::{InputSequence, InputStep, Scenario, StartKind};

use super::campaign::Campaign;

/// Differences of the work that inputs with one name do in two campaigns.
pub(super) struct WorkDifferences {
    /// By the input's name what differs, with both values.
    pub(super) inputs: BTreeMap<String, String>,
    /// What makes the campaigns comparable.
    pub(super) remedy: String,
}

impl WorkDifferences {
    /// Returns the differences of the inputs that both campaigns measured; where a scenario cannot
    /// be read, each input has a note that they are unknown.
    pub(super) fn between(base: &Campaign, new: &Campaign) -> WorkDifferences {
        let of_new = &new.measurement.inputs;
        let shared: Vec<&String> =
            base.measurement.inputs.keys().filter(|name| of_new.contains_key(*name)).collect();
        let [before, now] = [base, new].map(|side| side.folder.scenario());
        match (before, now) {
            (Ok(before), Ok(now)) => {
                let differs = |name: &&String| {
                    let differences = differences_of_input(&before, &now, name);
                    let text = format::listed(&differences, MOST_NAMED_DIFFERENCES);
                    (!differences.is_empty()).then(|| ((*name).clone(), text))
                };
                let inputs = shared.iter().filter_map(differs).collect();
                let other_frames = shared
                    .iter()
                    .any(|name| frames_of_input(&before, name) != frames_of_input(&now, name));
                let lengthened = |side: &&Campaign| side.folder.has(names::SESSION_LENGTHS);
                let longer = [base, new].into_iter().find(lengthened).filter(|_| other_frames);
                WorkDifferences { inputs, remedy: remedy(longer) }
            }
            (Err(error), _) | (_, Err(error)) => {
                let why = format!("whether both do the same work is not known: {error}");
                let inputs = shared.into_iter().map(|name| (name.clone(), why.clone()));
                let remedy = "run the pipeline of that campaign again".to_owned();
                WorkDifferences { inputs: inputs.collect(), remedy }
            }
        }
    }
}

fn frames_of_input(scenario: &Scenario, name: &str) -> Option<u64> {
    let input = scenario.inputs.iter().find(|input| input.name == name)?;
    scenario.frames(input)
}

/// Returns how to get campaigns with the same work, where the trial of one made its sessions
/// longer.
fn remedy(longer: Option<&Campaign>) -> String {
    let same = "measure both with the same scenario";
    match longer {
        Some(longer) => format!(
            "the trial of {} made its sessions longer ({}): write the `frames` of its {} into \
             your scenario, and {same}",
            longer.folder.path().display(),
            names::SESSION_LENGTHS,
            names::SCENARIO
        ),
        None => same.to_owned(),
    }
}

/// Largest number of differences of an input that are named.
const MOST_NAMED_DIFFERENCES: usize = 3;

/// Returns the differences in the work of an input, each with both values: `frames 16000 against
/// 20000`.
fn differences_of_input(base: &Scenario, new: &Scenario, name: &str) -> Vec<String> {
    let [before, now] = [base, new].map(|side| side.inputs.iter().find(|i| i.name == name));
    let Some((before, now)) = before.zip(now) else { return Vec::new() };
    let mut differences = extras_differences(&base.extras(before), &new.extras(now));
    differences.extend(step_difference(before, now));
    let is_timed = [base, new].into_iter().any(lasts_its_duration);
    let [before, now] = [base, new].map(|side| work_of_all_inputs(side, is_timed));
    let pairs = before.iter().zip(&now);
    let of = |((key, before), (_, now)): (&KeyValue, &KeyValue)| {
        value_difference(key, before.as_ref(), now.as_ref())
    };
    differences.extend(pairs.filter_map(of));
    differences
}

/// Key of a scenario with its value, if it has one.
type KeyValue = (&'static str, Option<String>);

/// Returns the keys that determine the work of all inputs: the started program, the source of its
/// input, and where the work begins and ends.
fn work_of_all_inputs(scenario: &Scenario, is_timed: bool) -> [KeyValue; 6] {
    let Scenario { application, session, .. } = scenario;
    let class = application.main.clone();
    let (main, activity) = match application.start {
        StartKind::Activity => (None, class),
        _ => (class, None),
    };
    [
        ("application.main", main),
        ("application.activity", activity),
        ("session.input_command", session.input_command.clone()),
        ("session.begin_marker", Some(session.begin_marker.clone())),
        ("session.end_marker", Some(session.end_marker.clone())),
        ("session.duration_s", is_timed.then(|| session.duration_s.to_string())),
    ]
}

/// Whether the work lasts as long as the scenario says: an activity's does, a `main` ends by
/// itself.
fn lasts_its_duration(scenario: &Scenario) -> bool {
    matches!(scenario.application.start, StartKind::Activity | StartKind::Command)
}

/// Returns the differences of the extras with which the application is started.
fn extras_differences(
    base: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<String> {
    let keys: BTreeSet<&String> = base.keys().chain(new.keys()).collect();
    let named = |key: &str| match key {
        "frames" => key.to_owned(),
        key => format!("extras.{key}"),
    };
    let of = |key: &String| value_difference(&named(key), base.get(key), new.get(key));
    keys.into_iter().filter_map(of).collect()
}

/// Returns the first step that differs.
fn step_difference(base: &InputSequence, new: &InputSequence) -> Option<String> {
    let [before, now] =
        [base, new].map(|side| side.steps.iter().map(InputStep::timed).collect::<Vec<_>>());
    let differs = |at: &usize| before.get(*at) != now.get(*at);
    let at = (0..before.len().max(now.len())).find(differs)?;
    value_difference(&format!("steps[{at}]"), before.get(at), now.get(at))
}

fn value_difference(key: &str, base: Option<&String>, new: Option<&String>) -> Option<String> {
    (base != new)
        .then(|| format!("{key} {} against {}", shortened_value(base), shortened_value(new)))
}

/// Largest number of characters of a shown value, with the ellipsis.
const SHOWN_CHARACTERS: usize = 61;

fn shortened_value(value: Option<&String>) -> String {
    value.map_or_else(|| "not set".to_owned(), |value| format::truncate(value, SHOWN_CHARACTERS))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse_scenario;

    const TEXT: &str = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\n\
        path = 's'\n[session]\nframes = 16000\nduration_s = 8\nextras = { size = 3 }\n[campaign]\n\
        cases = 7\n[[input]]\nname = 'few'\nextras = { count = 20 }\n[[input]]\nname = 'many'\n\
        frames = 5\nsteps = [{ at_s = 1, tap = [3, 4] }]\n";

    /// What differs of both inputs, where a part of the text is another one.
    fn between(base: &str, was: &str, is: &str) -> [String; 2] {
        assert!(base.contains(was), "{was}");
        let parse = |text: &str| parse_scenario(text, Path::new("s.toml")).unwrap();
        let (base, new) = (parse(base), parse(&base.replace(was, is)));
        ["few", "many"].map(|input| differences_of_input(&base, &new, input).join(", "))
    }

    #[test]
    fn frames_extras_and_steps_make_the_work_of_an_input() {
        let of = |was, is| between(TEXT, was, is);
        assert_eq!(of("frames = 16000", "frames = 20000"), ["frames 16000 against 20000", ""]);
        assert_eq!(of("frames = 16000\n", "")[0], "frames 16000 against not set");
        assert_eq!(of("count = 20", "count = 30"), ["extras.count 20 against 30", ""]);
        assert_eq!(of("size = 3", "size = 4"), ["extras.size 3 against 4"; 2]);
        let another_tap = "steps[0] @1 tap 3 4 against @1 tap 3 5";
        assert_eq!(of("[3, 4]", "[3, 5]"), ["", another_tap]);
        let one_more = "steps[1] not set against @2 keyevent 4";
        assert_eq!(of("[3, 4] }", "[3, 4] }, { at_s = 2, key = 4 }"), ["", one_more]);
        let long = between(TEXT, "count = 20", &format!("count = '{}'", "x".repeat(99)));
        assert_eq!(long[0], format!("extras.count 20 against {}…", "x".repeat(60)));
    }

    #[test]
    fn what_all_inputs_are_started_with_makes_their_work() {
        let main = "application.main A against B";
        assert_eq!(between(TEXT, "main = 'A'", "main = 'B'"), [main; 2]);
        let marked = between(TEXT, "duration_s", "begin_marker = 'go'\nduration_s");
        assert!(marked[0].contains("session.begin_marker") && marked[0] == marked[1], "{marked:?}");
        let timed = TEXT.replace("main = 'A'", "start = 'activity'\nactivity = 'a.b.A'");
        let longer = between(&timed, "duration_s = 8", "duration_s = 10");
        assert_eq!(longer, ["session.duration_s 8 against 10"; 2]);
    }

    /// How often and how long is measured does not change what an input does, nor does the same
    /// value at another place.
    #[test]
    fn what_does_not_make_the_work_may_differ() {
        let nothing = ["", ""];
        assert_eq!(between(TEXT, "duration_s = 8", "duration_s = 10"), nothing);
        assert_eq!(between(TEXT, "cases = 7", "cases = 9\nrepeats = 3"), nothing);
        assert_eq!(
            between(TEXT, "extras = { count = 20 }", "extras = { count = 20, size = 3 }"),
            nothing
        );
        assert_eq!(between(TEXT, "name = 'few'", "name = 'few'\nframes = 16000"), nothing);
    }
}
