//! Protection of microbenchmarks against optimising compilers: nothing in the loop may be known
//! before it, stay the same from one iteration to the next, or be of no use after it.

use super::Microbenchmark;

/// Copies of a body in a loop that passes its results on.
const COPIES: usize = 8;

/// Name of the variable that gathers the results of iterations, so that each is of use.
const GATHERED: &str = "wattlineGathered";

/// The microbenchmark rewritten so that compilers cannot remove its work, in so many [code
/// locations](super::places):
///
/// - Its inputs are read anew in every iteration, from volatile fields, and what it keeps is
///   kept in every iteration.
/// - Its body stands there once, as of equal statements in a row all but one would be left out;
///   or `COPIES` times, where each works on what the one before has left. All else in the loop
///   is measured with it, and the less the more of it there is.
/// - Its objects are shown to all threads, so that they are not taken apart into locals.
/// - A volatile field is part of what it keeps, so that no other read moves out of the loop.
///   Its inputs do not see to that: HotSpot's C2 leaves out a volatile read without a use, and
///   what it would have kept in place.
///
/// What that adds is counted as all else, and told apart by the fit.
pub fn protect_from_compilers(microbenchmark: Microbenchmark, places: usize) -> Microbenchmark {
    let Microbenchmark { locals, body, keep, .. } = &microbenchmark;
    let declared = declared(locals);
    let again = inputs(&declared);
    let made = shown(declared.iter().filter(|(_, value)| is_made(value)));
    let made_again = shown(declared.iter().filter(|(name, _)| is_made_in(body, name)));
    let once = format!("{body} {made_again}");
    let bodies = match &microbenchmark.feed {
        Some(feed) => vec![once; COPIES].join(&format!(" {feed} ")),
        None => once,
    };
    Microbenchmark {
        locals: format!("boolean {GATHERED} = no; {locals} {made}"),
        body: format!("{again} {bodies} {GATHERED} ^= no ^ ({keep});"),
        feed: None,
        keep: GATHERED.to_string(),
        copies: 1,
        places,
        ..microbenchmark
    }
}

/// Names and initial values of the locals.
fn declared(locals: &str) -> Vec<(&str, &str)> {
    let parts = locals.split([',', ';']).filter_map(|part| part.split_once(" = "));
    parts
        .filter_map(|(left, value)| Some((left.split_ascii_whitespace().last()?, value.trim())))
        .collect()
}

/// Assignments of the locals that begin as a field of `MicrobenchmarkValues`.
fn inputs(declared: &[(&str, &str)]) -> String {
    let of_field = declared.iter().filter(|(_, value)| is_input(value));
    of_field.map(|(name, value)| format!("{name} = {value};")).collect::<Vec<_>>().join(" ")
}

/// Assignments of locals to the field that other threads could read.
fn shown<'d>(locals: impl Iterator<Item = &'d (&'d str, &'d str)>) -> String {
    locals.map(|(name, _)| format!("shown = {name};")).collect::<Vec<_>>().join(" ")
}

/// Whether an initial value is a new object or array.
fn is_made(value: &str) -> bool {
    value.starts_with("new ") || value.starts_with('{')
}

/// Whether a body makes an object of its own for this local.
fn is_made_in(body: &str, name: &str) -> bool {
    body.split(' ').collect::<Vec<_>>().windows(3).any(|words| words == [name, "=", "new"])
}

/// `intOne`, `floatTwo`, `doubleSmall`, `yes`, `text`, ...
fn is_input(value: &str) -> bool {
    const TYPES: [&str; 5] = ["int", "long", "float", "double", "boolean"];
    let of_type = |number: &str| value.strip_suffix(number).is_some_and(|t| TYPES.contains(&t));
    let is_number = ["One", "Two", "Small"].into_iter().any(of_type);
    is_number || matches!(value, "yes" | "no" | "text" | "object" | "none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microbenchmarks::catalogue;

    #[test]
    fn inputs_are_read_and_results_kept_in_every_iteration() {
        let named = |name: &str| catalogue().into_iter().find(|k| k.name == name).unwrap();
        let microbenchmark = protect_from_compilers(named("assign_float"), 60);
        let read = "a = floatOne; b = floatTwo; c = a * b;";
        assert!(microbenchmark.body.starts_with(read), "{}", microbenchmark.body);
        assert!(
            microbenchmark.body.ends_with("wattlineGathered ^= no ^ (c == d);"),
            "{}",
            microbenchmark.body
        );
        let bodies = microbenchmark.body.matches("c = a * d; d = b;").count();
        let handed_on = microbenchmark.body.matches("d = b;  a = c; c = a * b;").count();
        assert_eq!((bodies, handed_on), (COPIES, COPIES - 1), "{}", microbenchmark.body);
        assert_eq!((microbenchmark.copies, microbenchmark.keep.as_str()), (1, GATHERED));
        assert_eq!(microbenchmark.places, 60);
    }

    #[test]
    fn objects_are_shown_where_they_are_made() {
        let named = |name: &str| catalogue().into_iter().find(|k| k.name == name).unwrap();
        let read = protect_from_compilers(named("array_read_boolean"), 2);
        assert!(read.locals.ends_with("d = c; shown = xs;"), "{}", read.locals);
        assert!(read.body.contains("c = xs[j];"), "{}", read.body);
        assert!(!read.body.contains("shown"), "{}", read.body);
        let filled = protect_from_compilers(named("foreach_array"), 2);
        assert!(filled.locals.ends_with("shown = o;"), "{}", filled.locals);
        let made = protect_from_compilers(named("new_object"), 2);
        assert!(!made.locals.contains("shown"), "{}", made.locals);
        assert!(made.body.contains("c = new Node(c); shown = c;"), "{}", made.body);
    }

    #[test]
    fn only_fields_that_change_are_read_again() {
        let locals = "int a = intOne, b = 3, c = a; Node n = new Node();";
        assert_eq!(inputs(&declared(locals)), "a = intOne;");
        assert!(is_input("booleanTwo") && is_input("text") && !is_input("c"));
    }
}
