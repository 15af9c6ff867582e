//! A power meter of [`wattline_units::power::METERS`] as a sensor: RAPL, a phone's rails, a
//! battery. Its words are kept as they are; the formula makes joules of two of them.

use super::super::facts::HostFacts;
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError};
use wattline_units::power::Meter;

/// Sensor of one meter's rails.
#[derive(Debug)]
pub struct MeterReading {
    /// Which.
    pub meter: &'static dyn Meter,
}

impl Sensor for MeterReading {
    fn name(&self) -> &'static str {
        "meter"
    }

    fn patterns(&self) -> Vec<String> {
        Vec::new()
    }

    fn question(&self) -> Option<&'static str> {
        Some(self.meter.question())
    }

    fn read(
        &self,
        _: &HostSnapshot,
        answer: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let answer = answer.unwrap_or_default();
        let refused = |problem: String| SensorError { sensor: "meter", problem };
        self.meter.offer(answer).map_err(|error| refused(error.to_string()))?;
        facts.meter = Some(answer.to_string());
        Ok(())
    }
}
