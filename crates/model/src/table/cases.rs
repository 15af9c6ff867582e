//! The table a model is fitted to: m cases by l features, with the energies.

/// One case without its counts: name, group, board, duration, energy.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Name of the case.
    pub name: String,
    /// Group, which folds may keep together: the input sequence, a program.
    pub group: String,
    /// The board's serial or model.
    pub device: String,
    /// Length of the session in seconds, where known.
    pub duration_s: Option<f64>,
    /// Measured energy above idle, in joules; may be negative.
    pub energy_j: f64,
    /// Standard error of `energy_j` in joules, where repeats allow one.
    pub energy_se_j: Option<f64>,
    /// Weight column, when one was named.
    pub weight: Option<f64>,
    /// Executions of all features together, where the counts were weighed by context.
    pub executions: Option<f64>,
}

/// Cases and counts: `counts[i * features.len() + j]` is how often feature `j` ran in
/// case `i`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The rows, length m.
    pub cases: Vec<Case>,
    /// The columns, length l: operations and library functions.
    pub features: Vec<String>,
    /// Counts, row-major, m x l, not negative for operations.
    pub counts: Vec<f64>,
}

impl Table {
    /// The counts of case `i`, length l.
    pub fn row(&self, i: usize) -> &[f64] {
        let l = self.features.len();
        &self.counts[i * l..(i + 1) * l]
    }

    /// Returns the table of the rows whose number is wanted.
    pub fn rows(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let of: Vec<usize> = (0..self.cases.len()).filter(|i| wanted(*i)).collect();
        Self {
            cases: of.iter().map(|i| self.cases[*i].clone()).collect(),
            features: self.features.clone(),
            counts: of.iter().flat_map(|i| self.row(*i)).copied().collect(),
        }
    }
}
