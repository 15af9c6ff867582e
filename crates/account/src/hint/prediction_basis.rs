//! Basis of a hint's predicted saving.

/// Energy that a pattern's prediction starts from, and that measured savings scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PredictionBasis {
    /// Count-based energy of the operations that the rewrite removes.
    Costs,
    /// All energy of the lines whose code is replaced. The rewrite replaces calls that costs do
    /// not distinguish, so only measured pairs determine its saving.
    Lines,
}
