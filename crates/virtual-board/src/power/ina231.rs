//! One INA231 as the Odroid's driver shows it: text `%d.%06d` in volts, amperes and
//! watts, in steps of the chip, kept until the next refresh; zeros until enabled.
//! The driver computes microwatts in integers: (uV / 1000) * (uA / 1000).

use std::io;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::files::{LiveFile, ScriptFile, write_file};
use super::rail_readings::{rail_volts, stepped};
use crate::board_file::{BoardFile, Rail};
use crate::meters_file::Sensors;

/// One sensor.
pub(super) struct SimulatedIna231 {
    rail: Rail,
    step_uv: u64,
    enable: ScriptFile,
    reading: ChipReading,
    files: [LiveFile; 3],
    /// Counts the nonsense that was shown.
    shown: usize,
}

/// What a broken driver prints.
const GARBAGE: [&str; 6] = ["?#!", "1.2.3", "99999999.000000", "0x1f", "", "-7.5"];

/// Voltage and current in the chip's steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ChipReading {
    microvolts: u64,
    microamperes: u64,
}

impl ChipReading {
    fn microwatts(self) -> u64 {
        (self.microvolts / 1000) * (self.microamperes / 1000)
    }
}

/// The sensors of a board; none on one that has others.
pub(super) fn all(root: &Path, file: &BoardFile) -> io::Result<Vec<SimulatedIna231>> {
    let Some(sensors) = &file.sensors else { return Ok(Vec::new()) };
    let rails = &file.rails;
    [(&rails.arm, "40"), (&rails.mem, "41"), (&rails.g3d, "44"), (&rails.kfc, "45")]
        .into_iter()
        .map(|(rail, address)| SimulatedIna231::new(root, address, rail, sensors))
        .collect()
}

impl SimulatedIna231 {
    /// The files of the sensor at an address of the board's bus.
    pub(super) fn new(
        root: &Path,
        address: &str,
        rail: &Rail,
        sensors: &Sensors,
    ) -> io::Result<Self> {
        let bus = sensors.bus;
        let folder = root.join(format!("sys/bus/i2c/drivers/INA231/{bus}-00{address}"));
        let create = |name: &str| LiveFile::create(&folder.join(name));
        let mut files = [create("sensor_V")?, create("sensor_A")?, create("sensor_W")?];
        files.iter_mut().for_each(|file| file.set(&text(0)));
        let enable = ScriptFile::create(&folder.join("enable"), "0\n")?;
        write_file(&folder.join("update_period"), &format!("{}\n", sensors.refresh_us))?;
        let reading = ChipReading::default();
        let (rail, step_uv) = (rail.clone(), sensors.step_uv);
        Ok(Self { rail, step_uv, enable, reading, files, shown: 0 })
    }

    /// A refresh: the period's mean power, with noise. Noise is drawn for a sensor
    /// that is off as well, so that the others' does not depend on it.
    pub(super) fn measure(&mut self, watts: f64, point_volts: f64, noise: &mut ChaCha8Rng) {
        let mut draw = |deviation: f64| -> f64 {
            let normal: f64 = StandardNormal.sample(noise);
            normal * deviation
        };
        let volts = rail_volts(&self.rail, point_volts);
        let amperes = watts / volts + draw(self.rail.noise_a);
        let volts = volts + draw(self.rail.noise_v);
        self.reading = ChipReading {
            microvolts: unsigned(volts, self.step_uv),
            microamperes: unsigned(amperes, self.rail.step_ua),
        };
    }

    /// As after a restart.
    pub(super) fn switch_off(&self) {
        // A full disk leaves it on: the next session shows it.
        self.enable.set("0\n").ok();
    }

    /// Writes nonsense, another one each time.
    pub(super) fn show_garbage(&mut self) {
        self.shown += 1;
        let text = GARBAGE[self.shown % GARBAGE.len()];
        self.files.iter_mut().for_each(|file| file.set(&format!("{text}\n")));
    }

    /// Writes the reading, or zeros if the sensor is off.
    pub(super) fn show(&mut self) {
        let on = self.enable.text() == "1";
        let reading = if on { self.reading } else { ChipReading::default() };
        let values = [reading.microvolts, reading.microamperes, reading.microwatts()];
        for (file, value) in self.files.iter_mut().zip(values) {
            file.set(&text(value));
        }
    }
}

/// What the chip's registers hold: whole steps, never below zero.
fn unsigned(value: f64, step: u64) -> u64 {
    stepped(value, step.max(1) as f64).max(0) as u64
}

fn text(millionths: u64) -> String {
    format!("{}.{:06}\n", millionths / 1_000_000, millionths % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_steps_of_the_chip() {
        // 1.0372 V in steps of 1.25 mV is 830 steps; 0.5 A in steps of 274 uA is 1825.
        let reading =
            ChipReading { microvolts: unsigned(1.0372, 1250), microamperes: unsigned(0.5, 274) };
        assert_eq!(reading, ChipReading { microvolts: 1_037_500, microamperes: 500_050 });
        assert_eq!(reading.microwatts(), 1037 * 500);
        assert_eq!(text(reading.microwatts()), "0.518500\n");
        assert_eq!(unsigned(-0.3, 274), 0);
    }
}
