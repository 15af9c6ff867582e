//! One INA231 power sensor with the files of the Odroid's driver: text `%d.%06d` in volts, amperes
//! and watts, in steps of the chip, kept until the next refresh; zeros until enabled. The driver
//! computes microwatts in integers: (uV / 1000) * (uA / 1000).

use std::io;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::files::{LiveFile, ScriptFile, write_file};
use super::rail_readings::{rail_volts, round_to_step};
use crate::board_file::{BoardFile, Rail};
use crate::meters_file::Ina231Sensors;

/// Simulated INA231 sensor of one rail, with its files.
pub(super) struct SimulatedIna231 {
    rail: Rail,
    step_uv: u64,
    enable: ScriptFile,
    reading: ChipReading,
    files: [LiveFile; 3],
    /// Number of nonsense texts shown so far.
    garbage_count: usize,
}

/// Texts of a broken driver.
const GARBAGE: [&str; 6] = ["?#!", "1.2.3", "99999999.000000", "0x1f", "", "-7.5"];

/// Voltage and current of a reading, in the chip's steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ChipReading {
    microvolts: u64,
    microamperes: u64,
}

impl ChipReading {
    /// Power as the driver computes it.
    fn microwatts(self) -> u64 {
        (self.microvolts / 1000) * (self.microamperes / 1000)
    }
}

/// Sensors of a board, one per rail; none on a board without INA231.
pub(super) fn board_sensors(root: &Path, file: &BoardFile) -> io::Result<Vec<SimulatedIna231>> {
    let Some(sensors) = &file.sensors else { return Ok(Vec::new()) };
    let rails = &file.rails;
    [(&rails.arm, "40"), (&rails.mem, "41"), (&rails.g3d, "44"), (&rails.kfc, "45")]
        .into_iter()
        .map(|(rail, address)| SimulatedIna231::new(root, address, rail, sensors))
        .collect()
}

impl SimulatedIna231 {
    /// Creates the files of the sensor at an address of the board's bus.
    pub(super) fn new(
        root: &Path,
        address: &str,
        rail: &Rail,
        sensors: &Ina231Sensors,
    ) -> io::Result<Self> {
        let bus = sensors.bus;
        let folder = root.join(format!("sys/bus/i2c/drivers/INA231/{bus}-00{address}"));
        let create = |name: &str| LiveFile::create(&folder.join(name));
        let mut files = [create("sensor_V")?, create("sensor_A")?, create("sensor_W")?];
        files.iter_mut().for_each(|file| file.set(&decimal_text(0)));
        let enable = ScriptFile::create(&folder.join("enable"), "0\n")?;
        write_file(&folder.join("update_period"), &format!("{}\n", sensors.refresh_us))?;
        let reading = ChipReading::default();
        let (rail, step_uv) = (rail.clone(), sensors.step_uv);
        Ok(Self { rail, step_uv, enable, reading, files, garbage_count: 0 })
    }

    /// Takes a reading of a period's mean power, with noise. Noise is drawn for a sensor that is
    /// off as well, so that the others' does not depend on it.
    pub(super) fn measure(&mut self, watts: f64, point_volts: f64, noise: &mut ChaCha8Rng) {
        let mut draw = |deviation: f64| -> f64 {
            let normal: f64 = StandardNormal.sample(noise);
            normal * deviation
        };
        let volts = rail_volts(&self.rail, point_volts);
        let amperes = watts / volts + draw(self.rail.noise_a);
        let volts = volts + draw(self.rail.noise_v);
        self.reading = ChipReading {
            microvolts: register_value(volts, self.step_uv),
            microamperes: register_value(amperes, self.rail.step_ua),
        };
    }

    /// Switches the sensor off, as a restart does.
    pub(super) fn switch_off(&self) {
        // A full disk leaves it on: the next session shows it.
        self.enable.set("0\n").ok();
    }

    /// Writes nonsense to the files, another text each time.
    pub(super) fn write_garbage(&mut self) {
        self.garbage_count += 1;
        let text = GARBAGE[self.garbage_count % GARBAGE.len()];
        self.files.iter_mut().for_each(|file| file.set(&format!("{text}\n")));
    }

    /// Writes the reading, or zeros if the sensor is off, to the files.
    pub(super) fn write_files(&mut self) {
        let on = self.enable.text() == "1";
        let reading = if on { self.reading } else { ChipReading::default() };
        let values = [reading.microvolts, reading.microamperes, reading.microwatts()];
        for (file, value) in self.files.iter_mut().zip(values) {
            file.set(&decimal_text(value));
        }
    }
}

/// Millionths in the chip's registers: whole steps, never below zero.
fn register_value(value: f64, step: u64) -> u64 {
    round_to_step(value, step.max(1) as f64).max(0) as u64
}

/// Millionths as text `%d.%06d`.
fn decimal_text(millionths: u64) -> String {
    format!("{}.{:06}\n", millionths / 1_000_000, millionths % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_steps_of_the_chip() {
        // 1.0372 V in steps of 1.25 mV is 830 steps; 0.5 A in steps of 274 uA is 1825.
        let reading = ChipReading {
            microvolts: register_value(1.0372, 1250),
            microamperes: register_value(0.5, 274),
        };
        assert_eq!(reading, ChipReading { microvolts: 1_037_500, microamperes: 500_050 });
        assert_eq!(reading.microwatts(), 1037 * 500);
        assert_eq!(decimal_text(reading.microwatts()), "0.518500\n");
        assert_eq!(register_value(-0.3, 274), 0);
    }
}
