//! `wattline predict` with distributions, budgets and comparisons, by costs and by effects.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::bench::rows;

/// Runs the program in a folder: exit code, standard output, standard error.
fn wattline(folder: &Path, words: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    let output = command.args(words.split_whitespace()).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn good(folder: &Path, words: &str) -> String {
    let (code, printed, said) = wattline(folder, words);
    assert_eq!(code, Some(0), "{words}: {said}");
    printed
}

fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name} of {row:?}"))
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} {expected}");
}

/// Share of Student's t with one degree of freedom below `x`.
fn cauchy(x: f64) -> f64 {
    0.5 + x.atan() / std::f64::consts::PI
}

/// Two cases of one operation, 1 and 2 executions, 2 and 5 J: the cost is 2.4 J with a standard
/// error of 0.2 J, the residuals have a standard deviation of sqrt(0.2) J, and one degree of
/// freedom is left.
#[test]
fn costs_predict_whether_a_budget_is_kept_and_which_case_spends_less() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), "case,op_0,energy_j\na,1,2\nb,2,5\n").unwrap();
    fs::write(folder.join("programs.csv"), "case,energy_j,op_0\nthree,,3\none,2.5,1\n").unwrap();
    good(folder, "fit table.csv --solver ls --folds 2 --out fitted");
    let words = "predict fitted/model.json programs.csv --budget 9 --budget three=8 \
                 --compare one three --out p";
    let printed = good(folder, words);
    let found = rows(&folder.join("p/predictions.csv"));
    let (three, sd) = (&found[0], (0.36f64 + 0.2).sqrt());
    assert_eq!((three["measured_j"].as_str(), found[1]["measured_j"].as_str()), ("", "2.5"));
    close(number(three, "predicted_j"), 7.2, 1e-9);
    close(number(three, "predicted_sd_j"), 0.6, 1e-9);
    close(number(three, "new_measurement_sd_j"), sd, 1e-9);
    close(number(three, "budget_j"), 8.0, 0.0);
    close(number(three, "predicted_below_budget"), cauchy(0.8 / 0.6), 1e-6);
    close(number(three, "new_measurement_below_budget"), cauchy(0.8 / sd), 1e-6);
    close(number(three, "new_measurement_hi_j"), 7.2 + 12.706_204_7 * sd, 1e-3);
    close(number(&found[1], "budget_j"), 9.0, 0.0);
    let compared = &rows(&folder.join("p/comparisons.csv"))[0];
    close(number(compared, "difference_j"), -4.8, 1e-9);
    close(number(compared, "difference_sd_j"), 0.4, 1e-9);
    let sd = (0.16f64 + 0.4).sqrt();
    close(number(compared, "new_measurements_sd_j"), sd, 1e-9);
    close(number(compared, "less_probability"), cauchy(12.0), 1e-4);
    close(number(compared, "new_measurements_less_probability"), cauchy(4.8 / sd), 1e-4);
    for part in ["P(one < three) = ", "budget", "a new measurement (95 %; sd)"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let json = good(folder, &format!("{words} --format json --force"));
    let json: Value = serde_json::from_str(&json).unwrap();
    close(json["cases"][0]["new_measurement"]["sd_j"].as_f64().unwrap(), 0.56f64.sqrt(), 1e-9);
    close(json["comparisons"][0]["difference_j"].as_f64().unwrap(), -4.8, 1e-9);
}

/// A standard error without an energy is no measurement, and remarks are of all columns.
#[test]
fn a_case_that_was_only_counted_has_nothing_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), "case,op_0,energy_j\na,1,2\nb,2,5\n").unwrap();
    let programs = "case;energy_j;energy_se_j;duration_ms;op_0\n\
                    three;;0,1;20;3\none;2,5;0,2;20;1\n";
    fs::write(folder.join("programs.csv"), programs).unwrap();
    good(folder, "fit table.csv --solver ls --folds 2 --out fitted");
    let (code, _, said) = wattline(folder, "predict fitted/model.json programs.csv --out p");
    assert_eq!(code, Some(0), "{said}");
    for part in ["semicolons between cells", "`duration_ms` times 0.001 is seconds"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let found = rows(&folder.join("p/predictions.csv"));
    let errors = [0, 1].map(|at: usize| found[at]["measured_se_j"].as_str());
    assert_eq!(errors, ["", "0.2"]);
}

#[test]
fn comparisons_of_other_predictions_do_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), "case,op_0,energy_j\na,1,2\nb,2,5\n").unwrap();
    good(folder, "fit table.csv --solver ls --folds 2 --out fitted");
    let words = "predict fitted/model.json table.csv --out p";
    good(folder, &format!("{words} --compare a b"));
    fs::remove_file(folder.join("p/predictions.csv")).unwrap();
    let (code, _, said) = wattline(folder, words);
    assert_ne!(code, Some(0));
    assert!(said.contains("comparisons.csv"), "{said}");
    good(folder, &format!("{words} --force"));
    assert!(folder.join("p/predictions.csv").exists());
    assert!(!folder.join("p/comparisons.csv").exists());
}

/// A published table of effects has no draws: the reason names the missing file, once.
#[test]
fn effects_without_draws_have_one_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("effects.csv"), "category,level,mean_j\noperation,Add,2\n").unwrap();
    fs::write(folder.join("programs.csv"), "case,operation\na,Add\nb,Add\n").unwrap();
    let words = "predict effects.csv programs.csv --compare a b --out p";
    let (code, printed, said) = wattline(folder, words);
    assert_eq!(code, Some(0), "{said}");
    let all = printed + &said;
    assert_eq!(all.matches("draws.csv").count(), 1, "{all}");
    assert!(all.contains("none: there is no draws.csv with draws of these effects"), "{all}");
}

#[test]
fn wrong_flags_and_unknown_figures_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), "case,op_0,energy_j\na,1,2\nb,2,5\nc,3,6\n").unwrap();
    good(folder, "fit table.csv --solver nnls --folds 2 --out fitted");
    let printed = good(folder, "predict fitted/model.json table.csv --budget 3 --out p");
    assert!(printed.contains("none: the model has no errors of its costs"), "{printed}");
    let row = &rows(&folder.join("p/predictions.csv"))[0];
    for name in ["predicted_sd_j", "new_measurement_sd_j", "predicted_below_budget"] {
        assert_eq!(row[name], "", "{name}");
    }
    for (flags, says) in [
        ("--budget d=3", "there is no case `d`"),
        ("--compare a d", "there is no case `d`"),
        ("--compare a a", "compared with itself"),
        ("--budget 0", "give a number from"),
    ] {
        let words = format!("predict fitted/model.json table.csv {flags} --out q");
        let (code, _, said) = wattline(folder, &words);
        assert_eq!(code, Some(2), "{flags}: {said}");
        assert!(said.contains(says), "{flags}: {said}");
        assert!(!folder.join("q/predictions.csv").exists());
    }
}

/// Effects drawn from measurements: probabilities are the shares of the draws, which are read here
/// by other code.
#[test]
fn effects_predict_by_their_draws_jointly() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = "operation,device,energy_j\n".to_owned();
    for at in 0..60 {
        let (operation, device) = (at % 3, at / 3 % 2);
        let noise = f64::from((at * 37 + 11) % 19 - 9) / 30.0;
        let energy = 2.0 + f64::from(operation) + 0.5 * f64::from(device) + noise;
        table += &format!("op{operation},d{device},{energy}\n");
    }
    fs::write(folder.join("measured.csv"), table).unwrap();
    let fit = "fit measured.csv --solver bayes --factors operation,device --out e";
    good(folder, fit);
    let programs = "case,operation,device,executions\n\
                    plain,op0,d0,4\nmore,op0,d0,4\nmore,op1,d0,0.1\n";
    fs::write(folder.join("programs.csv"), programs).unwrap();
    good(folder, "predict e/effects.csv programs.csv --budget 8.1 --compare plain more --out p");
    let draws = rows(&folder.join("e/draws.csv"));
    let of = |row: &BTreeMap<String, String>, name: &str| number(row, name);
    let base =
        |row: &BTreeMap<String, String>| 4.0 * (of(row, "operation:op0") + of(row, "device:d0"));
    let n = draws.len() as f64;
    let mean = draws.iter().map(base).sum::<f64>() / n;
    let below = draws.iter().filter(|row| base(row) < 8.1).count() as f64;
    let residual = draws.iter().map(|row| of(row, "sigma:residual").powi(2)).sum::<f64>() / n;
    let found = &rows(&folder.join("p/predictions.csv"))[0];
    close(number(found, "predicted_j"), mean, 1e-5);
    close(number(found, "predicted_below_budget"), (below + 0.5) / (n + 1.0), 1e-9);
    let sd = number(found, "predicted_sd_j").hypot((4.0 * residual).sqrt());
    close(number(found, "new_measurement_sd_j"), sd, 1e-5);
    // The second differs by a tenth of a pattern: far less than either is unsure of.
    let compared = &rows(&folder.join("p/comparisons.csv"))[0];
    close(number(compared, "less_probability"), (n + 0.5) / (n + 1.0), 1e-9);
    assert!(number(compared, "difference_sd_j") < number(found, "predicted_sd_j"), "{compared:?}");
    assert!(number(compared, "new_measurements_less_probability") < 0.75, "{compared:?}");
}
