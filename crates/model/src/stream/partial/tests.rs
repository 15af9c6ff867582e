//! Partials of any division, in any order, give the model of the whole table.

use proptest::prelude::*;

use super::*;
use crate::fit_rows;
use crate::table::Table;
use crate::testing::table;
use crate::{FoldUnit, Penalty, Solver};

/// `cases` of six operations, two of them nearly proportional, with counts up to `most`.
fn data(cases: u32, most: f64) -> Table {
    let rows: Vec<[f64; 6]> = (0..cases)
        .map(|i| {
            let digit = |k: u32| f64::from((i * (7 + 4 * k) + i * i * (k + 3)) % 23);
            let whole = (most * digit(4) / 23.0).floor();
            [digit(0), digit(1), digit(2), digit(0) + digit(3), whole, digit(5)]
        })
        .collect();
    let energies: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(i, n)| {
            let energy = 2.0 * n[0] + 0.5 * n[1] + 3.0 * n[2] + n[3] + n[4] / most + 0.1 * n[5];
            energy * (1.0 + 0.01 * f64::from(i as u32 * 37 % 11) - 0.05) + 1.0
        })
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(|row| row.as_slice()).collect();
    let mut table = table(&rows, &energies);
    for (i, case) in table.cases.iter_mut().enumerate() {
        case.group = format!("g{}", i % 9);
        case.duration_s = Some(1.0 + (i % 5) as f64);
    }
    table
}

/// The rows of a table, dealt out to parts by `part`.
fn divided(data: &Table, parts: usize, part: impl Fn(usize) -> usize) -> Vec<Table> {
    (0..parts).map(|at| data.rows(|i| part(i) % parts == at)).collect()
}

fn folds() -> FoldOptions {
    FoldOptions { folds: 3, unit: FoldUnit::Group, seed: 5 }
}

fn partial(of: &Table, options: &FitOptions, number: Option<(u64, u64)>) -> SufficientStats {
    let columns = vec![("target".to_owned(), "energy_j".to_owned())];
    SufficientStats::of_rows(of, options, folds(), PartLabel { number, columns }).unwrap()
}

fn merged(
    partials: impl IntoIterator<Item = SufficientStats>,
) -> Result<SufficientStats, SufficientStatsError> {
    let mut merge = PartialMerger::default();
    for (i, partial) in partials.into_iter().enumerate() {
        let bytes = partial.to_bytes();
        let read = SufficientStats::from_bytes(&bytes)?;
        assert!(read == partial);
        merge.add(&format!("{i}.partial"), read)?;
    }
    merge.finish()
}

/// As a tree: partials of partials.
fn merged_as_tree(mut partials: Vec<SufficientStats>) -> SufficientStats {
    while partials.len() > 1 {
        let pairs = partials.chunks(2).map(|pair| merged(pair.to_vec()).unwrap());
        partials = pairs.collect();
    }
    partials.remove(0)
}

fn options(solver: Solver) -> FitOptions {
    let penalty = Penalty::CrossValidated;
    FitOptions { weighting: Weighting::Equal, penalty, ..FitOptions::new(solver) }
}

fn assert_same_costs(a: &Model, b: &Model) {
    let most = b.costs.iter().fold(0.0f64, |most, cost| most.max(cost.cost_j.abs()));
    for (a, b) in a.costs.iter().zip(&b.costs) {
        assert!(
            (a.cost_j - b.cost_j).abs() <= 1e-9 * b.cost_j.abs().max(1e-3 * most),
            "{a:?} {b:?}"
        );
        assert_eq!(a.estimable, b.estimable);
    }
}

#[test]
fn the_model_is_that_of_the_whole_table() {
    let data = data(300, 40.0);
    for solver in [Solver::Ls, Solver::Nnls, Solver::Ridge, Solver::Shrink, Solver::ElasticNet] {
        let options = FitOptions {
            inner_folds: FoldOptions { unit: FoldUnit::Group, ..FoldOptions::default() },
            ..options(solver)
        };
        let whole = fit_rows(&data, &options, Some(folds())).unwrap();
        let parts = divided(&data, 5, |i| i * i + i / 7);
        let sum = merged(parts.iter().map(|part| partial(part, &options, None))).unwrap();
        let fitted = sum.fit(&options).unwrap();
        assert_same_costs(&fitted.model, &whole.model);
        assert_eq!(fitted.estimability.rank, whole.estimability.rank);
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1e-3),
            (a, b) => a == b,
        };
        assert!(close(fitted.model.residual_sd_j, whole.model.residual_sd_j));
        let rounds = MergedRounds::from_json(&fitted.rounds.to_json().unwrap()).unwrap();
        assert_eq!(rounds, fitted.rounds);
        let judged = parts
            .iter()
            .map(|part| SufficientStats::of_errors(part, &rounds, PartLabel::default()).unwrap());
        let (validation, _) = merged(judged).unwrap().validation().unwrap();
        let expected = whole.validation.unwrap();
        assert_eq!(validation.rows.len(), expected.rows.len());
        for (a, b) in validation.rows.iter().zip(&expected.rows) {
            let same = (&a.model, a.round, a.set, a.cases) == (&b.model, b.round, b.set, b.cases);
            assert!(same && close(Some(a.nmae), Some(b.nmae)) && close(a.r, b.r), "{a:?} {b:?}");
            assert!((a.bias - b.bias).abs() < 1e-9);
        }
    }
}

/// Columns of which one is the sum of two others: rank and costs of minimum norm are those of
/// the rows, not those of sixteen digits of their products.
#[test]
fn what_the_cases_leave_open_is_left_open() {
    let mut data = data(200, 1e9);
    let l = data.features.len();
    for row in data.counts.chunks_mut(l) {
        row[3] = row[0] + row[4];
    }
    let options = options(Solver::Ls);
    let whole = crate::fit(&data, &options).unwrap();
    let parts = divided(&data, 3, |i| i);
    let sum = merged(parts.iter().map(|part| partial(part, &options, None))).unwrap();
    let found = sum.fit(&options).unwrap().model;
    assert_eq!((found.rank, whole.rank), (5, 5));
    let scaled = |model: &Model, j: usize| model.costs[j].cost_j;
    for j in [1, 2, 5] {
        assert!((scaled(&found, j) - scaled(&whole, j)).abs() < 1e-7, "{j}");
    }
    assert!(!found.costs[3].estimable && found.costs[1].estimable);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whole counts: the same bytes of sums, not only nearly.
    #[test]
    fn any_division_and_any_order_give_the_same_sums(
        dealt in proptest::collection::vec(0usize..6, 60),
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        most in prop_oneof![Just(20.0), Just(1e12)],
    ) {
        let data = data(60, most);
        let options = options(Solver::Nnls);
        let parts = divided(&data, 6, |i| dealt[i]);
        let partials: Vec<SufficientStats> =
            order.iter().map(|at| partial(&parts[*at], &options, None)).collect();
        let line = merged(partials.clone()).unwrap();
        let tree = merged_as_tree(partials);
        let whole = partial(&data, &options, None);
        let (StatsBody::Sums(line), StatsBody::Sums(tree), StatsBody::Sums(whole)) =
            (&line.body, &tree.body, &whole.body) else { unreachable!() };
        for other in [line, tree] {
            prop_assert_eq!(&other.occurrences, &whole.occurrences);
            for (a, b) in other.cells.iter().zip(&whole.cells) {
                prop_assert_eq!((a.rows, a.durations), (b.rows, b.durations));
                let l = a.products.width - 1;
                for j in 0..l {
                    for i in j..l {
                        prop_assert_eq!(a.products.get(i, j), b.products.get(i, j));
                    }
                    let (a, b) = (a.products.get(l, j), b.products.get(l, j));
                    prop_assert_eq!(a.hi, b.hi);
                    prop_assert!((a.lo - b.lo).abs() <= 1e-28 * b.hi.abs());
                }
            }
        }
    }

    /// No bytes make a panic, and none that were changed make a partial.
    #[test]
    fn changed_bytes_are_refused(at in 0usize..4000, by in 1u8..255, cut in 0usize..4000) {
        let bytes = partial(&data(20, 9.0), &options(Solver::Ls), None).to_bytes();
        let mut changed = bytes.clone();
        let place = at % bytes.len();
        changed[place] = changed[place].wrapping_add(by);
        prop_assert!(SufficientStats::from_bytes(&changed).is_err());
        prop_assert!(SufficientStats::from_bytes(&bytes[..cut % bytes.len()]).is_err());
    }
}

#[test]
fn parts_that_do_not_belong_together_are_named() {
    let data = data(60, 9.0);
    let parts = divided(&data, 3, |i| i);
    let options = options(Solver::Nnls);
    let numbered = |at: usize| partial(&parts[at], &options, Some((at as u64 + 1, 4)));
    let message = |partials: Vec<SufficientStats>| merged(partials).unwrap_err().to_string();
    let twice = message(vec![numbered(0), numbered(1), numbered(0)]);
    assert!(twice.starts_with("part 1 of 4 is there twice, also in 0.partial"), "{twice}");
    let again = partial(&parts[0], &options, None);
    let again = message(vec![again.clone(), again]);
    assert!(again.contains("a part of 20 rows"), "{again}");
    let sum = merged(vec![numbered(2), numbered(0)]).unwrap();
    let missing = sum.fit(&options).unwrap_err().to_string();
    assert_eq!(missing, "parts 2, 4 of 4 are missing; make the partials of these parts");
    let seed = FoldOptions { seed: 6, ..folds() };
    let label = PartLabel { number: None, columns: numbered(0).settings.columns };
    let other = SufficientStats::of_rows(&parts[1], &options, seed, label).unwrap();
    let other = message(vec![partial(&parts[0], &options, None), other]);
    assert!(other.contains("the folds") && other.contains("seed 6"), "{other}");
    let weights = FitOptions { weighting: Weighting::InverseEnergy, ..options.clone() };
    let other =
        message(vec![partial(&parts[0], &options, None), partial(&parts[1], &weights, None)]);
    assert!(other.contains("the weights of the partial"), "{other}");
    let mut renamed = parts[1].clone();
    renamed.features[2] = "other".to_owned();
    let other =
        message(vec![partial(&parts[0], &options, None), partial(&renamed, &options, None)]);
    assert!(other.contains("`other`") && other.contains("0.partial"), "{other}");
    let none = "there is no partial to merge: name files that `fit --partial` wrote, or folders \
                with them";
    assert_eq!(message(Vec::new()), none);
    let mut newer = numbered(0).to_bytes();
    newer[16] = 9;
    let newer = SufficientStats::from_bytes(&newer).unwrap_err().to_string();
    assert!(newer.contains("format 9"), "{newer}");
    assert_eq!(SufficientStats::from_bytes(b"PAR1"), Err(SufficientStatsError::NoPartial));
}

#[test]
fn what_a_part_cannot_tell_is_refused() {
    let data = data(60, 9.0);
    let label = PartLabel::default;
    let refused = |options: &FitOptions| {
        SufficientStats::of_rows(&data, options, folds(), label()).unwrap_err().to_string()
    };
    let relative = FitOptions::new(Solver::Shrink);
    assert!(refused(&relative).contains("--relative-floor"), "{}", refused(&relative));
    assert!(refused(&FitOptions::new(Solver::Stack)).contains("stack"));
    let floor = FitOptions { relative_floor_j: Some(0.1), ..relative };
    let sum = partial(&data, &floor, None);
    assert!(sum.fit(&floor).unwrap().model.residual_sd_j.is_none());
    assert!(sum.validation().unwrap_err().to_string().contains("sums to fit to"));
    let mut boards = data.clone();
    boards.cases[7].device = "B2".to_owned();
    let error =
        SufficientStats::of_rows(&boards, &options(Solver::Ls), folds(), label()).unwrap_err();
    assert!(error.to_string().contains("several boards"), "{error}");
    let none = data.rows(|_| false);
    let empty = partial(&none, &options(Solver::Ls), None);
    let both = merged(vec![empty.clone(), partial(&data, &options(Solver::Ls), None), empty]);
    assert_eq!(both.unwrap().rows(), 60);
}
