//! Validation on tables whose outcome is known beforehand.

use super::*;
use crate::testing::table;
use crate::{ComparisonOutcome, FoldUnit, Solver};

/// Two operations of 1 J and 5 J, exact.
fn exact() -> Table {
    let counts: Vec<[f64; 2]> = (1..13).map(|i| [f64::from(i), f64::from(i * i % 7)]).collect();
    let rows: Vec<&[f64]> = counts.iter().map(|row| row.as_slice()).collect();
    let energies: Vec<f64> = counts.iter().map(|[a, b]| a + 5.0 * b).collect();
    table(&rows, &energies)
}

#[test]
fn an_exact_model_has_no_error_and_beats_the_baselines() {
    let found =
        cross_validate(&exact(), &FitOptions::new(Solver::Ls), FoldOptions::default(), None)
            .unwrap();
    // ls, flat, mean by 4 rounds by 2 sets: no durations, no blocks.
    assert_eq!(found.rows.len(), 3 * 4 * 2);
    let mean = found.mean("ls", CvSet::Validation).unwrap();
    assert!(mean.nmae < 1e-12 && mean.r.unwrap() > 0.999_999);
    let verdict = found.verdict().unwrap();
    assert_eq!(verdict.outcome(), ComparisonOutcome::Better, "{verdict}");
    assert!(found.rows.iter().filter(|row| row.model == "mean").all(|row| row.r.is_none()));
    assert_eq!(cv_rows(&cv_csv(&found).unwrap()).unwrap(), found.rows, "they come back");
}

/// Energies that are their durations, which no count tells.
#[test]
fn the_best_baseline_is_named() {
    let mut data = exact();
    for (i, case) in data.cases.iter_mut().enumerate() {
        case.energy_j *= 1.0 + 0.3 * (i as f64).sin();
        case.duration_s = Some(case.energy_j);
    }
    let options = FitOptions::new(Solver::Ls);
    let found = cross_validate(&data, &options, FoldOptions::default(), None).unwrap();
    let verdict = found.verdict().unwrap();
    assert_eq!((verdict.outcome(), verdict.baseline), (ComparisonOutcome::Worse, "duration"));
}

#[test]
fn the_csv_has_the_columns_of_the_contract() {
    let data = table(&[&[1.0], &[1.0], &[2.0], &[2.0]], &[2.0, 2.0, 4.0, 4.0]);
    let folds = FoldOptions { folds: 2, ..FoldOptions::default() };
    let found = cross_validate(&data, &FitOptions::new(Solver::Nnls), folds, None).unwrap();
    let text = cv_csv(&found).unwrap();
    assert!(text.starts_with("model,round,set,cases,r,nmae,bias\nnnls,1,training,2,"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("mean,")).count(), 4);
}

#[test]
fn blocks_and_durations_are_judged_where_they_are_known() {
    let mut data = exact();
    data.cases.iter_mut().for_each(|case| case.duration_s = Some(case.energy_j));
    let mut blocks = data.clone();
    blocks.features = vec!["a".to_owned(), "b".to_owned()];
    let options = FitOptions::new(Solver::Ls);
    let found = cross_validate(&data, &options, FoldOptions::default(), Some(&blocks)).unwrap();
    assert!(found.mean("blocks", CvSet::Validation).unwrap().nmae < 1e-12);
    assert!(found.mean("duration", CvSet::Validation).unwrap().nmae < 1e-12);
    blocks.cases[2].name = "other".to_owned();
    let error = cross_validate(&data, &options, FoldOptions::default(), Some(&blocks));
    assert!(error.unwrap_err().to_string().contains("`other`"));
}

#[test]
fn a_case_without_energy_is_named() {
    let mut data = exact();
    data.cases[3].energy_j = 0.0;
    let error = cross_validate(&data, &FitOptions::default(), FoldOptions::default(), None);
    assert!(error.unwrap_err().to_string().contains("`case_3`"));
}

/// A library function that only the held-out cases call must not fail the fold.
#[test]
fn library_columns_are_chosen_inside_the_fold() {
    let mut data = exact();
    data.features = vec!["Increment".to_owned(), "lib:a".to_owned()];
    let options = FitOptions { library: LibraryColumns::Top(0), ..FitOptions::new(Solver::Nnls) };
    let found = cross_validate(&data, &options, FoldOptions::default(), None).unwrap();
    assert!(found.mean("nnls", CvSet::Validation).unwrap().nmae < 1e-9);
}

#[test]
fn groups_and_seeds_change_the_folds() {
    let mut data = exact();
    for (i, case) in data.cases.iter_mut().enumerate() {
        case.group = format!("g{}", i / 3);
    }
    let folds = FoldOptions { unit: FoldUnit::Group, ..FoldOptions::default() };
    let found = cross_validate(&data, &FitOptions::new(Solver::Ls), folds, None).unwrap();
    assert!(found.rows.iter().all(|row| row.set == CvSet::Training || row.cases == 3));
    let options = FitOptions::default();
    let many =
        cross_validate_repeatedly(&data, &options, FoldOptions::default(), &[1, 2, 3]).unwrap();
    assert!(many.len() == 3 && many[0].rows != many[1].rows);
}
