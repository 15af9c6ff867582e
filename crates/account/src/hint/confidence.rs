//! Confidence of hints.

/// Confidence that a rewrite is equivalent and saves energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The pattern may not apply, or a compiler may do this already.
    Low,
    /// The rewrite is equivalent under the condition in the hint.
    Medium,
    /// The source shows that the rewrite is equivalent.
    High,
}

impl Confidence {
    /// Name in outputs: `low`, `medium`, `high`.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// Weight of a predicted saving in the order of hints: 1 for high, halved by each step down.
    /// A convention, not a probability.
    pub(super) fn weight(self) -> f64 {
        match self {
            Confidence::Low => 0.25,
            Confidence::Medium => 0.5,
            Confidence::High => 1.0,
        }
    }
}
