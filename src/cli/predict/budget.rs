//! `--budget`: limits of the energy of cases.

use std::str::FromStr;

use crate::cli::quantity::number_between;
use crate::failure::Failure;

use super::case_prediction::CasePrediction;

/// Value of `--budget`: `JOULES` for all cases, `CASE=JOULES` for one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BudgetFlag {
    case: Option<String>,
    joules: f64,
}

impl FromStr for BudgetFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A case's name may contain the sign as well.
        let (case, number) = match text.rsplit_once('=') {
            Some((case, number)) => (Some(case.to_owned()), number),
            None => (None, text),
        };
        let joules = number_between(1e-18, 1e18, "J")(number)?;
        Ok(Self { case, joules })
    }
}

/// Gives each case its budget: its own, else that of all cases; the last one of several.
///
/// # Errors
/// The budget of a case that does not exist.
pub(super) fn set_budgets(
    flags: &[BudgetFlag],
    cases: &mut [CasePrediction],
) -> Result<(), Failure> {
    for name in flags.iter().filter_map(|flag| flag.case.as_ref()) {
        if cases.iter().all(|case| case.case != *name) {
            let names = cases.iter().map(|case| case.case.as_str());
            return Err(Failure::Usage(unknown_case("--budget", name, names)));
        }
    }
    for case in cases {
        let own = flags.iter().rfind(|flag| flag.case.as_ref() == Some(&case.case));
        let flag = own.or_else(|| flags.iter().rfind(|flag| flag.case.is_none()));
        case.budget_j = flag.map(|flag| flag.joules);
    }
    Ok(())
}

/// Error text about a case that does not exist, with the nearest name.
pub(super) fn unknown_case<'c>(
    flag: &str,
    name: &str,
    cases: impl Iterator<Item = &'c str>,
) -> String {
    let nearest = crate::scenario::nearest_of(name, cases);
    let hint = nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    format!("{flag}: there is no case `{name}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_of_all_cases_or_of_one() {
        let one: BudgetFlag = "a=b=2.5".parse().unwrap();
        assert_eq!(one, BudgetFlag { case: Some("a=b".into()), joules: 2.5 });
        let all: BudgetFlag = "1e-6".parse().unwrap();
        assert_eq!(all, BudgetFlag { case: None, joules: 1e-6 });
        for wrong in ["", "a=", "-1", "0", "nan", "a=x"] {
            assert!(wrong.parse::<BudgetFlag>().unwrap_err().contains("give a number"), "{wrong}");
        }
        let mut cases = ["a", "b"].map(|name| CasePrediction::new(name.to_owned(), 1.0));
        set_budgets(&[all.clone(), "b=3".parse().unwrap()], &mut cases).unwrap();
        assert_eq!(cases.map(|case| case.budget_j), [Some(1e-6), Some(3.0)]);
        // The last one of several counts.
        let flags = ["b=3", "2", "b=4", "5"].map(|flag| flag.parse().unwrap());
        let mut cases = ["a", "b"].map(|name| CasePrediction::new(name.to_owned(), 1.0));
        set_budgets(&flags, &mut cases).unwrap();
        assert_eq!(cases.map(|case| case.budget_j), [Some(5.0), Some(4.0)]);
        let mut cases = [CasePrediction::new("slow".to_owned(), 1.0)];
        let error = set_budgets(&["sloe=3".parse().unwrap()], &mut cases).unwrap_err();
        assert!(error.to_string().contains("did you mean `slow`"), "{error}");
    }
}
