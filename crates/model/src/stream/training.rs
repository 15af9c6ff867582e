//! Training set put together from cells, as a problem for the solvers.

use faer::Mat;
use wattline_units::assumptions::Assumptions;

use super::super::design::{Design, typical_length};
use super::super::double_double::DoubleDouble;
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::linear::run_in_wide_vectors;
use super::super::weights::Weighting;
use super::cells::CellSums;
use super::products::LowerTriangle;

/// Pivots below this part of the first are what rounding leaves of nothing: the products have
/// some 31 digits, and columns have length 1.
const NOTHING: f64 = 1e-27;

/// The rows of some cells, given by inner fold; an inner fold may have none.
pub(super) struct TrainingSet<'a> {
    pub parts: Vec<Vec<&'a CellSums>>,
}

/// Sums over the cells of a training set, unscaled.
struct CellTotal {
    products: LowerTriangle,
    rows: u64,
}

impl TrainingSet<'_> {
    /// Returns the problem: columns of length 1, energies of mean square 1, and the inner folds
    /// scaled alike.
    pub fn design(
        &self,
        features: &[String],
        weighting: Weighting,
        assumed: Assumptions,
    ) -> Result<Design, ModelError> {
        let l = features.len();
        let parts: Vec<CellTotal> =
            self.parts.iter().map(|cells| cell_total(cells, l + 1)).collect();
        let all: Vec<&CellSums> = self.parts.iter().flatten().copied().collect();
        let whole = cell_total(&all, l + 1);
        let square = |j: usize| whole.products.get(j, j).hi.max(0.0);
        let lengths: Vec<f64> = (0..l).map(|j| square(j).sqrt()).collect();
        if lengths.iter().any(|length| !length.is_finite()) {
            return Err(ModelError::Decomposition { what: "the weighted count matrix" });
        }
        let seen: Vec<bool> = lengths.iter().map(|length| *length > 0.0).collect();
        let typical = typical_length(&lengths);
        let scale: Vec<f64> = lengths.iter().map(|s| if *s > 0.0 { *s } else { typical }).collect();
        let length = square(l).sqrt();
        let factor = if length > 0.0 { (whole.rows as f64).sqrt() / length } else { 1.0 };
        // The weights' factor is in x as well as in y, and so in the columns' lengths.
        let scale: Vec<f64> = scale.into_iter().map(|scale| scale * factor).collect();
        let scaling = Scaling { scale: &scale, factor };
        let (x, y) = scaling.root(&whole);
        let folds: Vec<Gram> =
            parts.iter().filter(|part| part.rows > 0).map(|part| scaling.gram(part)).collect();
        Ok(Design {
            features: features.to_vec(),
            groups: Vec::new(),
            x,
            y,
            roots: Vec::new(),
            seconds: None,
            cases: whole.rows as usize,
            folds: (folds.len() > 1).then_some(folds),
            noise: weighting.are_inverse_variances().then_some(factor * factor),
            seen,
            scale,
            assumed,
        })
    }
}

fn cell_total(cells: &[&CellSums], width: usize) -> CellTotal {
    let mut products = LowerTriangle::zeros(width);
    cells.iter().for_each(|cell| products.add(&cell.products));
    CellTotal { products, rows: cells.iter().map(|cell| cell.rows).sum() }
}

/// Scaling of a training set to columns of length 1 and energies of mean square 1.
struct Scaling<'a> {
    scale: &'a [f64],
    factor: f64,
}

impl Scaling<'_> {
    /// Returns the factor of row and column `j` of `[X y]`.
    fn of(&self, j: usize) -> f64 {
        self.scale.get(j).map_or(self.factor, |scale| self.factor / scale)
    }

    fn gram(&self, of: &CellTotal) -> Gram {
        let l = self.scale.len();
        let entry = |i: usize, j: usize| of.products.get(i, j).hi * self.of(i) * self.of(j);
        Gram {
            xx: Mat::from_fn(l, l, entry),
            xy: (0..l).map(|j| entry(j, l)).collect(),
            yy: entry(l, l),
            rows: of.rows as usize,
        }
    }

    /// Returns rows with the same cross products: the Cholesky factor of `X'X`, the column with the
    /// most left first, and one row for what is left of the energies.
    fn root(&self, whole: &CellTotal) -> (Mat<f64>, Vec<f64>) {
        let l = self.scale.len();
        let entry = |i: usize, j: usize| {
            let scale = DoubleDouble::of(self.of(i)).times(DoubleDouble::of(self.of(j)));
            whole.products.get(i, j).times(scale)
        };
        let mut left = RemainingProducts {
            columns: (0..l).collect(),
            rows: (0..l).map(|i| DoubleDoubleRow::new((0..=l).map(|j| entry(i, j)))).collect(),
        };
        let mut of_energy = entry(l, l);
        let most = (0..l).map(|j| left.rows[j].hi[j]).fold(0.0, f64::max);
        let (mut x, mut y) = (Mat::zeros(l + 1, l), vec![0.0; l + 1]);
        for k in 0..l {
            let Some((column, root, row)) = left.take_pivot(NOTHING * most) else { break };
            x[(k, column)] = root;
            left.columns.iter().zip(&row.hi).for_each(|(j, value)| x[(k, *j)] = *value);
            let along = row.last();
            y[k] = along.hi;
            of_energy = of_energy.minus(along.times(along));
            left.subtract(&row);
        }
        y[l] = of_energy.hi.max(0.0).sqrt();
        (x, y)
    }
}

/// Row of numbers with their high and low parts in vectors of their own, for vector instructions.
struct DoubleDoubleRow {
    hi: Vec<f64>,
    lo: Vec<f64>,
}

impl DoubleDoubleRow {
    fn new(of: impl Iterator<Item = DoubleDouble>) -> Self {
        let (hi, lo) = of.map(|x| (x.hi, x.lo)).unzip();
        Self { hi, lo }
    }

    fn get(&self, j: usize) -> DoubleDouble {
        DoubleDouble { hi: self.hi[j], lo: self.lo[j] }
    }

    fn last(&self) -> DoubleDouble {
        self.get(self.hi.len() - 1)
    }

    /// Takes element `j` out, and puts the last but one in its place; the last one stays last.
    fn take(&mut self, j: usize) {
        for half in [&mut self.hi, &mut self.lo] {
            let before_last = half.len() - 2;
            half.swap(j, before_last);
            half.remove(before_last);
        }
    }
}

/// Remainder of `X'X` of some columns, and of `X'y` as the last element of each row.
struct RemainingProducts {
    columns: Vec<usize>,
    rows: Vec<DoubleDoubleRow>,
}

impl RemainingProducts {
    /// Takes the column with the most left out: its number, the root of that, and its row
    /// divided by the root. `None` if none has more than `nothing` left.
    fn take_pivot(&mut self, nothing: f64) -> Option<(usize, f64, DoubleDoubleRow)> {
        let own = |at: &usize| self.rows[*at].hi[*at];
        let at = (0..self.rows.len()).max_by(|a, b| own(a).total_cmp(&own(b)))?;
        let most = self.rows[at].get(at);
        if most.hi <= nothing {
            return None;
        }
        let root = most.sqrt();
        let over = root.inverse();
        let mut row = self.rows.swap_remove(at);
        let column = self.columns.swap_remove(at);
        self.rows.iter_mut().for_each(|row| row.take(at));
        row.take(at);
        let row = DoubleDoubleRow::new((0..row.hi.len()).map(|j| row.get(j).times(over)));
        Some((column, root.hi, row))
    }

    /// Takes the part along a row away from all others.
    fn subtract(&mut self, row: &DoubleDoubleRow) {
        run_in_wide_vectors(
            #[inline(always)]
            || {
                for (i, left) in self.rows.iter_mut().enumerate() {
                    let factor = row.get(i);
                    let (hi, lo) =
                        (left.hi.iter_mut().zip(&row.hi), left.lo.iter_mut().zip(&row.lo));
                    for ((hi, row_hi), (lo, row_lo)) in hi.zip(lo) {
                        let part = factor.times(DoubleDouble { hi: *row_hi, lo: *row_lo });
                        let rest = DoubleDouble { hi: *hi, lo: *lo }.minus(part);
                        (*hi, *lo) = (rest.hi, rest.lo);
                    }
                }
            },
        );
    }
}
