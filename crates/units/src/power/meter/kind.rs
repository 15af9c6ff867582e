//! Interface of all kinds of power meters.

use super::super::trace::PowerTrace;
use super::error::MeterError;

/// Kind of power meter: how a device is asked for readings, and how they become power.
pub trait Meter: std::fmt::Debug + Sync {
    /// Returns its name in files and flags.
    fn name(&self) -> &'static str;

    /// Returns a sentence on what its figures are.
    fn measures(&self) -> &'static str;

    /// Returns the usual time between two refreshes in seconds, where that is known. The readings
    /// of a session give a better figure.
    fn usual_refresh_s(&self) -> Option<f64> {
        None
    }

    /// Returns a shell command that prints one reading; its errors are part of the answer.
    fn question(&self) -> &'static str;

    /// Reads which rails a device has from its answer to the question.
    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError>;

    /// Returns the rails whose counters are unchanged between two answers; none of a meter that
    /// does not count. A counter that never moves is no meter that reads 0 J.
    fn unmoved_rails(&self, _before: &str, _after: &str) -> Vec<String> {
        Vec::new()
    }

    /// Converts a log of readings to power over time.
    fn trace(&self, readings: &str) -> Result<PowerTrace, MeterError>;
}

/// Rails that a meter of a device offers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeterOffer {
    /// Names of the rails, in the order of the trace's columns.
    pub rails: Vec<String>,
    /// Rails that are added up unless others are asked for.
    pub default_rails: Vec<String>,
    /// Sentences for the user about the meter.
    pub remarks: Vec<String>,
}

impl MeterOffer {
    /// Removes the rails whose counters did not move during `seconds`.
    ///
    /// # Errors
    /// [`MeterError::NotOffered`] where all that would be added up stood still.
    pub fn without_unmoved_rails(
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
