//! What makes the work of inputs: energies of two campaigns tell of a change only where both gave
//! the application the same to do. `scenario.toml` of a campaign's folder says it, with the
//! `frames` that `pipeline --auto` found.

use std::collections::{BTreeMap, BTreeSet};

use crate::folder::names;
use crate::format;
use crate::scenario::{InputSequence, InputStep, Scenario, StartKind};

use super::campaign::Campaign;

/// Inputs of one name that do other work in two campaigns.
pub(super) struct OtherWork {
    /// By the input's name what differs, with both values.
    pub(super) inputs: BTreeMap<String, String>,
    /// What makes the campaigns comparable.
    pub(super) remedy: String,
}

impl OtherWork {
    /// Of inputs that both measured. Where a scenario can't be read nobody knows what they do.
    pub(super) fn between(base: &Campaign, new: &Campaign) -> OtherWork {
        let of_new = &new.measurement.inputs;
        let shared: Vec<&String> =
            base.measurement.inputs.keys().filter(|name| of_new.contains_key(*name)).collect();
        let [before, now] = [base, new].map(|side| side.folder.scenario());
        match (before, now) {
            (Ok(before), Ok(now)) => {
                let differs = |name: &&String| {
                    let differences = differences(&before, &now, name);
                    let text = format::listed(&differences, NAMED);
                    (!differences.is_empty()).then(|| ((*name).clone(), text))
                };
                let inputs = shared.iter().filter_map(differs).collect();
                let other_frames =
                    shared.iter().any(|name| frames(&before, name) != frames(&now, name));
                let lengthened = |side: &&Campaign| side.folder.has(names::SESSION_LENGTHS);
                let longer = [base, new].into_iter().find(lengthened).filter(|_| other_frames);
                OtherWork { inputs, remedy: remedy(longer) }
            }
            (Err(error), _) | (_, Err(error)) => {
                let why = format!("whether both do the same work is not known: {error}");
                let inputs = shared.into_iter().map(|name| (name.clone(), why.clone()));
                let remedy = "run the pipeline of that campaign again".to_owned();
                OtherWork { inputs: inputs.collect(), remedy }
            }
        }
    }
}

fn frames(scenario: &Scenario, name: &str) -> Option<u64> {
    let input = scenario.inputs.iter().find(|input| input.name == name)?;
    scenario.frames(input)
}

/// How the user gets campaigns of the same work, where one's trial made its sessions longer.
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

/// So many differences of an input are named.
const NAMED: usize = 3;

/// What differs in the work of an input, each with both values: `frames 16000 against 20000`.
fn differences(base: &Scenario, new: &Scenario, name: &str) -> Vec<String> {
    let [before, now] = [base, new].map(|side| side.inputs.iter().find(|i| i.name == name));
    let Some((before, now)) = before.zip(now) else { return Vec::new() };
    let mut differences = of_extras(&base.extras(before), &new.extras(now));
    differences.extend(of_steps(before, now));
    let is_timed = [base, new].into_iter().any(lasts_its_duration);
    let [before, now] = [base, new].map(|side| of_all_inputs(side, is_timed));
    let pairs = before.iter().zip(&now);
    let of = |((key, before), (_, now)): (&KeyValue, &KeyValue)| {
        difference(key, before.as_ref(), now.as_ref())
    };
    differences.extend(pairs.filter_map(of));
    differences
}

/// A key of the scenario, and its value where it has one.
type KeyValue = (&'static str, Option<String>);

/// What makes the work of all inputs alike: what is started, who gives it its input, and where
/// the work begins and ends.
fn of_all_inputs(scenario: &Scenario, is_timed: bool) -> [KeyValue; 6] {
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

/// An activity is given so much time; a `main` does its work and ends.
fn lasts_its_duration(scenario: &Scenario) -> bool {
    matches!(scenario.application.start, StartKind::Activity | StartKind::Command)
}

/// Of what the application is started with.
fn of_extras(base: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<String> {
    let keys: BTreeSet<&String> = base.keys().chain(new.keys()).collect();
    let named = |key: &str| match key {
        "frames" => key.to_owned(),
        key => format!("extras.{key}"),
    };
    let of = |key: &String| difference(&named(key), base.get(key), new.get(key));
    keys.into_iter().filter_map(of).collect()
}

/// The first step that is another.
fn of_steps(base: &InputSequence, new: &InputSequence) -> Option<String> {
    let [before, now] =
        [base, new].map(|side| side.steps.iter().map(InputStep::timed).collect::<Vec<_>>());
    let differs = |at: &usize| before.get(*at) != now.get(*at);
    let at = (0..before.len().max(now.len())).find(differs)?;
    difference(&format!("steps[{at}]"), before.get(at), now.get(at))
}

fn difference(key: &str, base: Option<&String>, new: Option<&String>) -> Option<String> {
    (base != new).then(|| format!("{key} {} against {}", shown(base), shown(new)))
}

/// So many characters of a value are shown, with what stands for the others.
const SHOWN: usize = 61;

fn shown(value: Option<&String>) -> String {
    value.map_or_else(|| "not set".to_owned(), |value| format::truncate(value, SHOWN))
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
        ["few", "many"].map(|input| differences(&base, &new, input).join(", "))
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
