//! Power meters behind one trait: how a device is asked for a reading, what it offers,
//! and how readings become a [`PowerTrace`].
//!
//! A sampler writes `# wattline-readings 1 meter=NAME`, then for each reading a line
//! `@ UPTIME_S` and the meter's own text after it. Nothing is converted on the device, so
//! that the raw log stays what the meter said.
//!
//! To add a meter: a file with a type that implements [`Meter`], and a line in [`METERS`].

mod counters;
mod error;
pub mod external;
mod fuel_gauge;
mod gauge_reading;
mod ina231;
mod kind;
pub mod meter_columns;
mod odpm;
mod plausible;
mod power_stats;
mod rapl;
<<<<<<< 3a4c739651bc9787c558a503ba0e7fbd6b7942be
mod readings;
=======
mod rapl_zones;
>>>>>>> e078b2eba1228ae97c12d8b63e82b3368ef5939c
mod software;

use super::trace::{PowerTrace, PowerTraceError, parse_trace};

pub use error::MeterError;
pub use external::External;
pub use fuel_gauge::FuelGauge;
pub use ina231::Ina231;
pub use kind::{Meter, Offer};
pub use odpm::Odpm;
pub use power_stats::PowerStats;
pub use rapl::Rapl;
pub use rapl_zones::{RaplZone, rapl_default, rapl_zones};
pub use software::{Software, full_load_w, software_power_w};

<<<<<<< 3a4c739651bc9787c558a503ba0e7fbd6b7942be
use readings::HEAD;
=======
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
>>>>>>> e078b2eba1228ae97c12d8b63e82b3368ef5939c

/// All meters, the best first: those with a rail per part of the chip, then those of the
/// whole device, then estimates.
pub const METERS: [&dyn Meter; 7] =
    [&Ina231, &Odpm, &PowerStats, &Rapl, &FuelGauge, &External, &Software];

/// Those that the device scripts sample in a session, the best first.
pub const SAMPLED_ON_BOARDS: [&dyn Meter; 4] = [&Ina231, &Odpm, &PowerStats, &FuelGauge];

/// Those that are sampled in a session on this machine, the best first.
pub const SAMPLED_HERE: [&dyn Meter; 3] = [&Rapl, &FuelGauge, &Software];

/// The meter of a name.
pub fn meter(name: &str) -> Option<&'static dyn Meter> {
    METERS.into_iter().find(|meter| meter.name() == name)
}

<<<<<<< 3a4c739651bc9787c558a503ba0e7fbd6b7942be
=======
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

/// Why a meter gives no figure. There is no figure of 0 J for one that can't measure.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum MeterError {
    /// The device does not have it, or not for us.
    #[error("{meter}: not offered: {why}")]
    NotOffered {
        /// The meter.
        meter: &'static str,
        /// What is missing, and what to do.
        why: String,
    },
    /// A reading that can't be understood.
    #[error("{meter}: reading {reading}: {problem}")]
    Reading {
        /// The meter.
        meter: &'static str,
        /// Number of the reading, from 1.
        reading: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Readings that are fine one by one and give no power.
    #[error("{meter}: {problem}")]
    NoPower {
        /// The meter.
        meter: &'static str,
        /// Why.
        problem: String,
    },
    /// Not the text that a sampler writes.
    #[error(transparent)]
    Trace(#[from] PowerTraceError),
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

const HEAD: &str = "# wattline-readings 1 ";

>>>>>>> e078b2eba1228ae97c12d8b63e82b3368ef5939c
/// A log of samples or readings of any meter -> power over time.
pub fn parse_samples(text: &str) -> Result<PowerTrace, MeterError> {
    let Some(fields) = text.lines().next().and_then(|line| line.strip_prefix(HEAD)) else {
        return Ok(parse_trace(text)?);
    };
    let name = fields.split_ascii_whitespace().find_map(|word| word.strip_prefix("meter="));
    let known = name.and_then(meter).ok_or(PowerTraceError::BadHeader { field: "meter" })?;
    known.trace(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_have_names_of_their_own_and_refuse_an_empty_answer() {
        for known in METERS {
            assert_eq!(meter(known.name()).map(Meter::name), Some(known.name()));
            let error = known.offer("").unwrap_err();
            assert!(matches!(error, MeterError::NotOffered { .. }), "{error}");
            assert!(error.to_string().contains(known.name()));
        }
        assert!(meter("x").is_none());
    }

    #[test]
    fn a_log_names_its_meter() {
        let plain = parse_samples("# wattline-samples 1 rails=arm unit=W\n1 2\n2 3\n").unwrap();
        assert_eq!(plain.rails, ["arm"]);
        let error = parse_samples("# wattline-readings 1 meter=x\n").unwrap_err();
        assert_eq!(error, PowerTraceError::BadHeader { field: "meter" }.into());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(noise in "[ -~\n]{0,300}", head in 0usize..7) {
            let meter = METERS[head];
            let _ = meter.offer(&noise);
            let _ = parse_samples(&format!("{HEAD}meter={}\n@ 1\n{noise}\n@ 2\n{noise}\n", meter.name()));
            let _ = meter.trace(&noise);
        }
    }
}
