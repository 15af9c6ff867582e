//! Prediction of programs of bytecode patterns by effects of factors.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::user_table::read_user_table;
use crate::csv_text;
use crate::format::visible_path;
use crate::model::bayes::KnownEffects;

use super::comparison::{CaseComparison, compared_pairs};
use super::{Arguments, CasePrediction, Failure, Predictions, read_text};

/// File of draws beside effects.csv.
const DRAWS: &str = "draws.csv";

/// Program of bytecode patterns with their executions, and its measured energy.
#[derive(Default)]
struct EffectsProgram {
    patterns: Vec<(Vec<usize>, f64)>,
    /// Measured joules; `None` as soon as a row has none.
    measured: Option<f64>,
}

/// Predicts the programs of a table, in order of appearance.
pub(super) fn predictions(arguments: &Arguments, effects: &str) -> Result<Predictions, Failure> {
    let known = KnownEffects::from_csv(effects);
    let known = known.map_err(|error| Failure::input(&arguments.model, error))?;
    let draws = arguments.model.with_file_name(DRAWS);
    let known = add_draws(known, &draws)?;
    if let Some(factor) = &arguments.over {
        let factors = known.factors();
        if !factors.contains(&factor.as_str()) {
            let text = format!("--over {factor}: the factors are {}", factors.join(", "));
            return Err(Failure::Usage(text));
        }
    }
    let over = arguments.over.as_deref();
    let text = read_user_table(&arguments.dataset)?;
    let (names, programs) = read_programs(&text, &known, over)
        .map_err(|message| Failure::input(&arguments.dataset, message))?;
    let mean_j = |case: &String| known.mean_j(&programs[case].patterns, over);
    let reason = |is_known: bool| (!is_known).then(|| no_draws_text(&draws));
    let row = |case: &String| {
        let program = &programs[case];
        let prognosis = known.prognosis(&program.patterns, None, over);
        CasePrediction {
            device: over.map(|factor| format!("any {factor}")),
            measured: program.measured,
            missing_reason: reason(prognosis.expected.is_some()),
            prognosis,
            ..CasePrediction::new(case.clone(), mean_j(case))
        }
    };
    let compare = |(one, two): (usize, usize)| {
        let (first, second) = (&names[one], &names[two]);
        let less = Some(&programs[second].patterns[..]);
        let prognosis = known.prognosis(&programs[first].patterns, less, over);
        CaseComparison {
            first: first.clone(),
            second: second.clone(),
            difference_j: mean_j(first) - mean_j(second),
            missing_reason: reason(prognosis.expected.is_some()),
            prognosis,
        }
    };
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let pairs = compared_pairs(&arguments.compare, &all)?;
    let comparisons = pairs.into_iter().map(compare).collect();
    Ok(Predictions { cases: names.iter().map(row).collect(), comparisons })
}

/// Known effects with the draws beside them, if there are any.
fn add_draws(known: KnownEffects, draws: &Path) -> Result<KnownEffects, Failure> {
    if !draws.is_file() {
        return Ok(known);
    }
    let known = known.with_draws_csv(&read_text(draws)?);
    known.map_err(|error| Failure::input(draws, error))
}

/// Reason why effects without draws have no distribution.
fn no_draws_text(draws: &Path) -> String {
    format!(
        "there is no {} with draws of these effects, and the errors of single effects do not \
         contain their correlations",
        visible_path(draws)
    )
}

/// Levels of a row's factors (name and column), separated by blanks.
fn levels_text<'r>(factors: &[(&str, usize)], field: impl Fn(usize) -> &'r str) -> String {
    let levels: Vec<&str> = factors.iter().map(|(_, at)| field(*at)).collect();
    levels.join(" ").trim().to_owned()
}

/// Programs by name.
type Programs = BTreeMap<String, EffectsProgram>;

/// Reads the table: names of the programs in order of appearance, and the programs by name.
fn read_programs(
    text: &str,
    known: &KnownEffects,
    over: Option<&str>,
) -> Result<(Vec<String>, Programs), String> {
    let mut reader =
        csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| header.iter().position(|known| known == name);
    let mut factors = Vec::new();
    for factor in known.factors().into_iter().filter(|factor| Some(*factor) != over) {
        let at = column(factor).ok_or_else(|| {
            format!(
                "line 1: there is no column `{factor}`; add it, with empty cells where it does \
                 not apply, or give --over {factor} if its level is unknown"
            )
        })?;
        factors.push((factor, at));
    }
    let [case, executions, energy] = ["case", "executions", "energy_j"].map(column);
    let (mut names, mut programs) = (Vec::new(), Programs::new());
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let field = |at: usize| record.get(at).unwrap_or("");
        let number = |at: usize, what: &str| {
            let value = field(at).parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| format!("line {line}: {what} is {:?}, not a number", field(at)))
        };
        let mut levels = Vec::new();
        for (factor, at) in factors.iter().filter(|(_, at)| !field(*at).is_empty()) {
            levels.push(known.place(factor, field(*at)).ok_or_else(|| {
                let levels: Vec<&str> = known.levels(factor).collect();
                let (name, levels) = (field(*at), levels.join(", "));
                format!("line {line}: there is no {factor} {name:?}; there are {levels}")
            })?);
        }
        let times = executions.map_or(Ok(1.0), |at| number(at, "executions"))?;
        if times < 0.0 {
            return Err(format!("line {line}: executions are {times}, less than 0"));
        }
        let measured = energy.filter(|at| !field(*at).is_empty());
        let measured = measured.map(|at| number(at, "energy_j")).transpose()?;
        let name = match case {
            Some(at) => field(at).to_owned(),
            None => format!("{line}: {}", levels_text(&factors, field)),
        };
        if !programs.contains_key(&name) {
            names.push(name.clone());
            let measured = Some(0.0);
            programs.insert(name.clone(), EffectsProgram { measured, ..EffectsProgram::default() });
        }
        let Some(program) = programs.get_mut(&name) else { continue };
        program.patterns.push((levels, times));
        program.measured = program.measured.zip(measured).map(|(sum, energy)| sum + times * energy);
    }
    if names.is_empty() { Err("it has no row".to_owned()) } else { Ok((names, programs)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> KnownEffects {
        let table = "category,level,mean_j\noperation,Add,2\noperation,Mul,3\ndevice,A,1\n";
        KnownEffects::from_csv(table).unwrap()
    }

    #[test]
    fn rows_of_one_case_are_one_program() {
        let text = "case,operation,device,executions,energy_j\n\
                    sum,Add,A,10,3\nproduct,Mul,A,2,\nsum,Mul,,1,4\n";
        let (names, programs) = read_programs(text, &known(), None).unwrap();
        assert_eq!(names, ["sum", "product"]);
        assert_eq!(programs["sum"].patterns, [(vec![0, 2], 10.0), (vec![1], 1.0)]);
        assert_eq!((programs["sum"].measured, programs["product"].measured), (Some(34.0), None));
    }

    #[test]
    fn what_is_missing_is_named() {
        let says = |text: &str, over| read_programs(text, &known(), over).err().unwrap();
        assert!(says("operation\nAdd\n", None).contains("--over device"));
        let unknown = says("operation\nDiv\n", Some("device"));
        assert!(unknown.contains("line 2") && unknown.contains("there are Add, Mul"), "{unknown}");
        assert!(
            says("operation,executions\nAdd,x\n", Some("device")).contains("\"x\", not a number")
        );
        assert!(says("operation\n", Some("device")).contains("no row"));
    }
}
