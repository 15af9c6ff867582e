//! How sure a hint is.

/// How sure it is that the rewrite does the same and saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The pattern may not hold, or a compiler may do this already.
    Low,
    /// The rewrite does the same under the condition that the hint states.
    Medium,
    /// The source shows that the rewrite does the same.
    High,
}

impl Confidence {
    /// `low`, `medium`, `high`.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// What a joule of predicted saving counts for in the order of hints: every step down
    /// from high halves it. A convention, not a probability.
    pub(super) fn weight(self) -> f64 {
        match self {
            Confidence::Low => 0.25,
            Confidence::Medium => 0.5,
            Confidence::High => 1.0,
        }
    }
}
