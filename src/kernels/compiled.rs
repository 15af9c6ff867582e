//! Kernels for a board whose compilers optimise: nothing in the loop may be known before it,
//! stay the same from one iteration to the next, or be of no use after it.

use super::Kernel;

/// Gathers what iterations compute, so that each is of use.
const GATHERED: &str = "wattlineGathered";

/// The kernel with its inputs read anew in every iteration (from volatile fields, which no
/// compiler may read less often), what it keeps kept in every iteration, and its body once:
/// of equal statements in a row a compiler would leave all but one out. It stands in several
/// [places](super::places). What that adds is counted as all else, and told apart by the fit.
pub(crate) fn for_compilers(kernel: Kernel) -> Kernel {
    let again: Vec<String> = inputs(&kernel.locals);
    let Kernel { locals, body, keep, .. } = &kernel;
    Kernel {
        locals: format!("boolean {GATHERED} = no; {locals}"),
        body: format!("{} {body} {GATHERED} ^= {keep};", again.join(" ")),
        keep: GATHERED.to_string(),
        copies: 1,
        in_places: true,
        ..kernel
    }
}

/// Assignments of the locals that begin as a field of `KernelValues`.
fn inputs(locals: &str) -> Vec<String> {
    let parts = locals.split([',', ';']).filter_map(|part| part.split_once(" = "));
    let of_field = parts.filter(|(_, value)| is_input(value.trim()));
    let name = |declared: &str| declared.split_ascii_whitespace().last().map(str::to_owned);
    let assigned = of_field.filter_map(|(left, value)| Some((name(left)?, value.trim())));
    assigned.map(|(name, value)| format!("{name} = {value};")).collect()
}

/// `intOne`, `floatTwo`, `yes`, ...
fn is_input(value: &str) -> bool {
    const TYPES: [&str; 5] = ["int", "long", "float", "double", "boolean"];
    let of_type = |number: &str| value.strip_suffix(number).is_some_and(|t| TYPES.contains(&t));
    of_type("One") || of_type("Two") || matches!(value, "yes" | "no")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::catalogue;

    #[test]
    fn inputs_are_read_and_results_kept_in_every_iteration() {
        let named = |name: &str| catalogue().into_iter().find(|k| k.name == name).unwrap();
        let kernel = for_compilers(named("assign_float"));
        let read = "a = floatOne; b = floatTwo; c = a * b;";
        assert!(kernel.body.starts_with(read), "{}", kernel.body);
        assert!(kernel.body.ends_with("wattlineGathered ^= c == d;"), "{}", kernel.body);
        assert_eq!((kernel.copies, kernel.keep.as_str()), (1, GATHERED));
        assert!(kernel.in_places);
    }

    #[test]
    fn only_fields_that_change_are_read_again() {
        assert_eq!(inputs("int a = intOne, b = 3, c = a; Node n = new Node();"), ["a = intOne;"]);
        assert!(is_input("booleanTwo") && is_input("no") && !is_input("text"));
    }
}
