//! What the predicted saving of a hint is a part of.

/// What the prediction of a pattern starts from, and the board's pairs scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PredictionBasis {
    /// What the costs say of the operations that the rewrite no longer executes.
    Costs,
    /// All that the lines spend whose code the rewrite replaces. The rewrite is of calls that
    /// costs of operations don't tell apart; how much of it is saved, pairs alone know.
    Lines,
}
