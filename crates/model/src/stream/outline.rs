//! What is found out about the cases before their counts are read: how many there are,
//! in which folds they are, and what weights and metrics need.

use std::collections::BTreeMap;

use wattline_units::assumptions::Assumptions;

use super::super::error::ModelError;
use super::super::folds::{FoldOptions, FoldUnit, assign, assign_at_most};
use super::super::options::{FitOptions, Penalty, Solver};
use super::super::weights::{Weighting, checked, floor};
use crate::table::{Case, Rows};

/// Keeps the inner folds from being the outer ones where both have one seed.
const INNER_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The cases without their counts.
pub(super) struct Outline {
    /// Number of outer folds; 1 without validation.
    pub folds: usize,
    /// Number of inner folds; 1 where nothing is to be chosen.
    pub inner: usize,
    /// The cell of every case, `outer * inner folds + inner`; empty if there is only one.
    cells: Vec<u16>,
    /// Mean energy in joules.
    pub mean_j: f64,
    /// Whether every case has a duration.
    pub durations: bool,
    floor_j: f64,
    weighting: Weighting,
    assumed: Assumptions,
}

impl Outline {
    /// Reads the cases. With `folds`, a case of zero energy is an error.
    pub fn read(
        rows: &dyn Rows,
        options: &FitOptions,
        folds: Option<FoldOptions>,
    ) -> Result<Self, ModelError> {
        let tuned = tuned(options).then_some(options.inner_folds);
        let unit = |folds: Option<FoldOptions>| folds.map(|folds| folds.unit);
        let mut notes = Notes {
            grouped: [unit(folds), unit(tuned)].contains(&Some(FoldUnit::Group)),
            sizes: (options.weighting == Weighting::Relative).then(Vec::new),
            judged: folds.is_some(),
            ..Notes::default()
        };
        rows.each_outline(&mut |block| block.cases.iter().for_each(|case| notes.add(case)))?;
        if let Some(problem) = notes.problem {
            return Err(problem);
        }
        if notes.cases == 0 {
            return Err(ModelError::NoCases);
        }
        let labels = notes.labels();
        let outer = folds.map(|folds| assign(&labels, folds)).transpose()?;
        let inner = tuned.and_then(|folds| {
            assign_at_most(&labels, FoldOptions { seed: folds.seed ^ INNER_SEED, ..folds })
        });
        let count = |of: &Option<Vec<usize>>| of.iter().flatten().max().map_or(1, |last| last + 1);
        let (folds, inner_folds) = (count(&outer), count(&inner));
        let fold = |of: &Option<Vec<usize>>, i: usize| of.as_ref().map_or(0, |of| of[i]);
        let cell = |i: usize| (fold(&outer, i) * inner_folds + fold(&inner, i)) as u16;
        let single = folds * inner_folds == 1;
        Ok(Self {
            folds,
            inner: inner_folds,
            cells: if single { Vec::new() } else { (0..notes.cases).map(cell).collect() },
            mean_j: notes.energy_j / notes.cases as f64,
            durations: notes.durations == notes.cases,
            floor_j: floor(notes.sizes.unwrap_or_default()),
            weighting: options.weighting,
            assumed: options.assumed,
        })
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.folds * self.inner
    }

    /// The cell of case `i`.
    pub fn cell(&self, i: usize) -> usize {
        self.cells.get(i).map_or(0, |cell| usize::from(*cell))
    }

    /// The outer fold of case `i`.
    pub fn fold(&self, i: usize) -> usize {
        self.cell(i) / self.inner
    }

    /// Root of the weight of a case.
    pub fn root_weight(&self, case: &Case) -> Result<f64, ModelError> {
        Ok(checked(case, self.weighting, self.floor_j, &self.assumed)?.sqrt())
    }
}

/// Whether a solver chooses a strength by inner folds.
fn tuned(options: &FitOptions) -> bool {
    let penalised = matches!(options.solver, Solver::Shrink | Solver::Ridge | Solver::ElasticNet);
    penalised && options.penalty == Penalty::CrossValidated
}

#[derive(Default)]
struct Notes {
    cases: usize,
    durations: usize,
    energy_j: f64,
    grouped: bool,
    judged: bool,
    groups: BTreeMap<String, usize>,
    group_of: Vec<u32>,
    sizes: Option<Vec<f64>>,
    problem: Option<ModelError>,
}

impl Notes {
    fn add(&mut self, case: &Case) {
        self.cases += 1;
        self.durations += usize::from(case.duration_s.is_some());
        self.energy_j += case.energy_j;
        if let Some(sizes) = &mut self.sizes {
            sizes.push(case.energy_j.abs());
        }
        if self.grouped {
            self.note_group(&case.group);
        }
        if self.problem.is_none() {
            self.problem = problem(case, self.judged);
        }
    }

    fn note_group(&mut self, group: &str) {
        let new = self.groups.len();
        let at = match self.groups.get(group) {
            Some(at) => *at,
            None => *self.groups.entry(group.to_owned()).or_insert(new),
        };
        self.group_of.push(at as u32);
    }

    /// The group of every case; without groups, nothing but their number.
    fn labels(&self) -> Vec<&str> {
        let mut names = vec![""; self.groups.len()];
        self.groups.iter().for_each(|(name, at)| names[*at] = name);
        if !self.grouped {
            return vec![""; self.cases];
        }
        self.group_of.iter().map(|at| names[*at as usize]).collect()
    }
}

fn problem(case: &Case, judged: bool) -> Option<ModelError> {
    let bad = |column: &str, value: f64| ModelError::NotFinite {
        case: case.name.clone(),
        column: column.to_owned(),
        value,
    };
    if !case.energy_j.is_finite() {
        return Some(bad("energy_j", case.energy_j));
    }
    if let Some(se) = case.energy_se_j.filter(|se| !se.is_finite()) {
        return Some(bad("energy_se_j", se));
    }
    let wanted = "the NMAE";
    (judged && case.energy_j == 0.0)
        .then(|| ModelError::ZeroEnergy { case: case.name.clone(), wanted })
}
