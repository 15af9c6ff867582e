//! What recordings tell beyond energies: parts of the whole, and how alike repeats are.

use crate::account::MethodKey;

use super::subject::Subject;

/// What recordings tell beyond energies.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedShares {
    /// Parts of the whole of classes and methods, the largest first.
    pub rows: Vec<ShareRow>,
    /// How alike repeats are: of the base, of the new side, and of both with each other.
    pub stability: Stability,
}

/// A part of the whole on both sides, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareRow {
    /// A class or a method.
    pub subject: Subject,
    /// The base's mean over its recordings.
    pub base: f64,
    /// The standard deviation over them; none of one.
    pub base_sd: Option<f64>,
    /// The new side's mean.
    pub new: f64,
    /// Its standard deviation.
    pub new_sd: Option<f64>,
    /// 95 % interval of the difference; none where a side has one recording.
    pub interval: Option<(f64, f64)>,
}

/// How alike the recordings of one side are.
#[derive(Debug, Clone, PartialEq)]
pub struct SideStability {
    /// How many there are.
    pub recordings: usize,
    /// Mean energy of the whole, in joules.
    pub whole_j: f64,
    /// Its standard deviation; none of one recording.
    pub whole_sd_j: Option<f64>,
    /// Standard deviation of a method's part of the whole: the mean over methods.
    pub share_sd: Option<f64>,
    /// The largest of them, and whose.
    pub share_sd_most: Option<(f64, MethodKey)>,
    /// Spearman's correlation of the methods' energies, of pairs of recordings: mean and least.
    pub rank_correlation: Option<(f64, f64)>,
}

/// How alike recordings are.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// Of the base with each other.
    pub base: SideStability,
    /// Of the new side with each other.
    pub new: SideStability,
    /// Spearman's correlation of the mean parts of both sides.
    pub between: Option<f64>,
}
