//! Sensors: what the operating system says -> [`HostFacts`]. They know files and their formats,
//! and nothing of power.
//!
//! To add a sensor: a file with a type that implements [`Sensor`], and a line in
//! [`sensor`].

mod cgroups;
mod cpufreq;
mod meter;
mod network;
mod procfs;
mod users;

use super::facts::HostFacts;
use super::host::HostSnapshot;

pub use cgroups::Cgroups;
pub(crate) use cpufreq::Cpufreq;
pub use meter::MeterReading;
pub use network::Network;
pub use procfs::{ProcessTimes, Threads, parse_process};
pub use users::Users;

/// Error of a sensor without readings, while the others continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("sensor {sensor}: {problem}")]
pub struct SensorError {
    /// Its name.
    pub sensor: &'static str,
    /// What is missing, and what to do.
    pub problem: String,
}

/// Sensor: a part of the operating system that is read.
pub trait Sensor: std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The files it reads, as shell patterns.
    fn patterns(&self) -> Vec<String>;

    /// A shell command it wants the output of.
    fn question(&self) -> Option<&'static str> {
        None
    }

    /// Adds what the files say.
    ///
    /// # Errors
    /// What is missing.
    fn read(
        &self,
        snapshot: &HostSnapshot,
        answer: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError>;
}

/// Returns the sensor with a name, without settings.
pub fn sensor(name: &str) -> Option<Box<dyn Sensor>> {
    match name {
        "cgroups" => Some(Box::new(Cgroups)),
        "processes" => Some(Box::new(ProcessTimes)),
        "cpufreq" => Some(Box::new(Cpufreq)),
        "network" => Some(Box::new(Network)),
        "users" => Some(Box::new(Users)),
        _ => None,
    }
}

/// The number in the last part of a name: 4 of `policy4`.
fn number_after(name: &str, prefix: &str) -> Option<u32> {
    name.strip_prefix(prefix)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensors_have_their_names_and_refuse_an_empty_machine() {
        for name in ["cgroups", "processes", "cpufreq", "network", "users"] {
            let sensor = sensor(name).unwrap();
            assert_eq!(sensor.name(), name);
            let error =
                sensor.read(&HostSnapshot::at(1.0), None, &mut HostFacts::default()).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        assert!(sensor("x").is_none());
    }
}
