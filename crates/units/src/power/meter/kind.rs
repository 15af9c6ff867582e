//! What every kind of power meter tells.

use super::super::trace::PowerTrace;
use super::error::MeterError;

/// A kind of power meter.
pub trait Meter: std::fmt::Debug + Sync {
    /// The name in files and flags.
    fn name(&self) -> &'static str;

    /// What its figures are, in a sentence.
    fn measures(&self) -> &'static str;

    /// How long it usually takes to show another value, in seconds, where that is known. The
    /// readings of a session tell it better.
    fn usual_refresh_s(&self) -> Option<f64> {
        None
    }

    /// A shell command that prints one reading; its errors are part of the answer.
    fn question(&self) -> &'static str;

    /// What a device offers, by its answer to the question.
    fn offer(&self, answer: &str) -> Result<Offer, MeterError>;

    /// Rails whose counters stand where they stood, by two answers; none of a meter that does
    /// not count. A counter that never moves is no meter that reads 0 J.
    fn standing(&self, _before: &str, _after: &str) -> Vec<String> {
        Vec::new()
    }

    /// Power over time from a log of readings.
    fn trace(&self, readings: &str) -> Result<PowerTrace, MeterError>;
}

/// What a meter of a device has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Offer {
    /// Names of the rails, in the order of the trace's columns.
    pub rails: Vec<String>,
    /// Those that are added up unless others are asked for.
    pub default_rails: Vec<String>,
    /// What to know about it, in sentences.
    pub remarks: Vec<String>,
}

impl Offer {
    /// Without the rails that stood still through `seconds`; none where nothing is left that
    /// could be added up.
    ///
    /// # Errors
    /// [`MeterError::NotOffered`] where all that would be added up stood still.
    pub fn moving(
        mut self,
        meter: &'static str,
        standing: &[String],
        seconds: f64,
    ) -> Result<Self, MeterError> {
        self.default_rails.retain(|rail| !standing.contains(rail));
        if self.default_rails.is_empty() {
            let why = format!(
                "its counter stands still ({} in {seconds:.1} s), as in virtual machines and on \
                 processors that its driver does not support: it is not supported here, not 0 J",
                standing.join(", ")
            );
            return Err(MeterError::NotOffered { meter, why });
        }
        if !standing.is_empty() {
            let rails = standing.join(", ");
            self.remarks.push(format!("{rails} stands still and is in no sum"));
        }
        Ok(self)
    }
}
