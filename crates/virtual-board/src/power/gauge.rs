//! Fuel gauge of a battery with the files of the kernel's power supply class: microvolts and
//! microamperes, each the mean of the last refresh period, negative while the battery discharges;
//! and the remaining charge in whole microampere hours.

use std::io;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::files::{LiveFile, write_file};
use super::rail_readings::{RailPower, round_to_step};
use crate::meters_file::BatteryGauge;

/// Simulated fuel gauge with its battery and files.
pub(super) struct SimulatedFuelGauge {
    gauge: BatteryGauge,
    /// Joules drawn since the last refresh.
    drawn_j: f64,
    /// Microampere hours drawn since the session's start.
    drawn_uah: f64,
    shown: GaugeValues,
    files: [LiveFile; 3],
    /// Number of nonsense texts shown so far.
    nonsense: usize,
}

/// Values of the gauge's files.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct GaugeValues {
    /// Battery current, negative while the battery discharges.
    pub microamperes: i64,
    /// Voltage at the battery's terminals.
    pub microvolts: i64,
    /// Remaining charge.
    pub charge_uah: i64,
}

/// Texts of a broken driver.
const GARBAGE: [&str; 5] = ["?#!", "1.2.3", "0x1f", "", "--"];

impl SimulatedFuelGauge {
    /// Creates the battery's files.
    pub(super) fn new(root: &Path, gauge: &BatteryGauge) -> io::Result<Self> {
        let folder = root.join("sys/class/power_supply/battery");
        for (name, text) in [
            ("type", "Battery\n"),
            ("status", "Discharging\n"),
            ("present", "1\n"),
            ("capacity", "80\n"),
        ] {
            write_file(&folder.join(name), text)?;
        }
        let usb = root.join("sys/class/power_supply/usb");
        write_file(&usb.join("type"), "USB\n")?;
        write_file(&usb.join("online"), "0\n")?;
        let create = |name: &str| LiveFile::create(&folder.join(name));
        Ok(Self {
            files: [create("current_now")?, create("voltage_now")?, create("charge_counter")?],
            gauge: gauge.clone(),
            drawn_j: 0.0,
            drawn_uah: 0.0,
            shown: GaugeValues::default(),
            nonsense: 0,
        })
    }

    /// Starts a session after a long time at a constant power.
    pub(super) fn restart(&mut self, power: RailPower, noise: &mut ChaCha8Rng) {
        self.drawn_uah = 0.0;
        self.drawn_j = 0.0;
        self.refresh(self.power_w(power), noise);
    }

    /// Adds the energy of a power on the rails for some seconds, up to `until_ns`; refreshes the
    /// values at the end of a refresh period.
    pub(super) fn add_period(
        &mut self,
        power: RailPower,
        seconds: f64,
        until_ns: u64,
        noise: &mut ChaCha8Rng,
    ) {
        let watts = self.power_w(power);
        self.drawn_j += watts * seconds;
        self.drawn_uah += watts / self.volts(watts) * seconds / 3600.0 * 1e6;
        let refresh_ns = self.gauge.refresh_us * 1000;
        if until_ns.is_multiple_of(refresh_ns) {
            let mean_w = std::mem::take(&mut self.drawn_j) / (refresh_ns as f64 * 1e-9);
            self.refresh(mean_w, noise);
        }
    }

    /// Total power of rails and rest of the device in watts.
    fn power_w(&self, power: RailPower) -> f64 {
        power.iter().sum::<f64>() + self.gauge.rest_w
    }

    /// Voltage at the battery's terminals under a load in watts: the loss within the battery is not
    /// measured.
    fn volts(&self, watts: f64) -> f64 {
        let loss = watts / self.gauge.voltage_v * self.gauge.resistance_ohm;
        (self.gauge.voltage_v - loss).max(0.5 * self.gauge.voltage_v)
    }

    /// Draws new values from the mean power of a refresh period.
    fn refresh(&mut self, mean_w: f64, noise: &mut ChaCha8Rng) {
        let normal: f64 = StandardNormal.sample(noise);
        let volts = self.volts(mean_w);
        let amperes = mean_w / volts + normal * self.gauge.noise_a;
        self.shown = GaugeValues {
            microamperes: -round_to_step(amperes, self.gauge.step_ua),
            microvolts: round_to_step(volts, self.gauge.step_uv),
            charge_uah: (self.gauge.charge_uah as f64 - self.drawn_uah).max(0.0) as i64,
        };
    }

    /// Writes the values of the last refresh to the files.
    pub(super) fn write_files(&mut self) {
        let GaugeValues { microamperes, microvolts, charge_uah } = self.shown;
        for (file, value) in self.files.iter_mut().zip([microamperes, microvolts, charge_uah]) {
            file.set(&format!("{value}\n"));
        }
    }

    /// Writes nonsense to the files, another text each time.
    pub(super) fn write_garbage(&mut self) {
        self.nonsense += 1;
        let text = format!("{}\n", GARBAGE[self.nonsense % GARBAGE.len()]);
        self.files.iter_mut().for_each(|file| file.set(&text));
    }

    /// Values of the last refresh.
    pub(super) fn shown(&self) -> GaugeValues {
        self.shown
    }
}
