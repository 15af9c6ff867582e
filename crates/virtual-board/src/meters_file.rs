//! The meters of a virtual board, as its file describes them. Each shows the same
//! electricity in its own way; a board has one kind or several.

use serde::Deserialize;

/// The INA231 sensors: what all of them share.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sensors {
    /// Number of the I2C bus: 4 on the XU+E, 3 or 0 on the XU3.
    #[serde(default = "bus_of_xu_e")]
    pub bus: u32,
    /// Period after which the values change.
    pub refresh_us: u64,
    /// Resolution of the voltage.
    pub step_uv: u64,
}

/// A chip that accumulates the energy of power rails (ODPM).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeterChip {
    /// N of `/sys/bus/iio/devices/iio:deviceN`.
    pub device: u32,
    /// Its `name` file.
    pub name: String,
    /// Time between two refreshes of what its file shows. (A real chip is refreshed when
    /// its file is read, at most so often.)
    pub refresh_us: u64,
    /// Standard deviation of a rail's mean power over one refresh.
    #[serde(default)]
    pub noise_w: f64,
    /// Its channels.
    pub rails: Vec<ChipRail>,
}

/// One channel of a chip.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipRail {
    /// Name in the schematics, as `energy_value` shows it.
    pub name: String,
    /// What it supplies, as `enabled_rails` and the power statistics service show it.
    pub subsystem: String,
    /// The rail of this board whose power it carries; none for one that draws `power_w`.
    #[serde(default)]
    pub of: Option<RailName>,
    /// Constant power of a rail that carries none of the board's.
    #[serde(default)]
    pub power_w: f64,
}

/// The board's rails, in the order in which power is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RailName {
    /// The big cores.
    Arm,
    /// Memory.
    Mem,
    /// Graphics.
    G3d,
    /// The little cores.
    Kfc,
}

/// The fuel gauge of a battery.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatteryGauge {
    /// Time over which a value is the mean, and after which it changes.
    pub refresh_us: u64,
    /// Voltage without a load.
    pub voltage_v: f64,
    /// Inner resistance of the battery.
    pub resistance_ohm: f64,
    /// What the device draws beside the board's rails: screen, radios.
    pub rest_w: f64,
    /// Standard deviation of a current reading.
    pub noise_a: f64,
    /// Resolution of the current.
    pub step_ua: f64,
    /// Resolution of the voltage.
    pub step_uv: f64,
    /// Charge at the start of a session.
    pub charge_uah: u64,
}

fn bus_of_xu_e() -> u32 {
    4
}

/// The first thing that is wrong with a board's meters.
pub(super) fn problem(
    sensors: Option<&Sensors>,
    chips: &[MeterChip],
    gauge: Option<&BatteryGauge>,
) -> Option<String> {
    let chips_us = chips.iter().map(|chip| ("odpm.refresh_us", chip.refresh_us));
    let refreshes: Vec<(&str, u64)> = sensors
        .map(|sensors| ("sensors.refresh_us", sensors.refresh_us))
        .into_iter()
        .chain(chips_us)
        .chain(gauge.map(|gauge| ("gauge.refresh_us", gauge.refresh_us)))
        .collect();
    let Some(step_us) = refreshes.iter().map(|(_, refresh_us)| *refresh_us).min() else {
        return Some("a board needs a meter: [sensors], [[odpm]] or [gauge]".into());
    };
    if let Some((key, _)) = refreshes.iter().find(|(_, us)| *us == 0) {
        return Some(format!("{key} must be above 0"));
    }
    if let Some((key, _)) = refreshes.iter().find(|(_, us)| us % step_us != 0) {
        return Some(format!("{key} must be a multiple of the shortest refresh, {step_us}"));
    }
    if sensors.is_some_and(|sensors| sensors.step_uv == 0) {
        return Some("sensors.step_uv must be above 0".into());
    }
    let mut rails = chips.iter().flat_map(|chip| &chip.rails);
    if rails.any(|rail| !rail.power_w.is_finite() || rail.power_w < 0.0) {
        return Some("odpm.rails.power_w must not be negative".into());
    }
    if chips.iter().any(|chip| !chip.noise_w.is_finite() || chip.noise_w < 0.0) {
        return Some("odpm.noise_w must not be negative".into());
    }
    let gauge = gauge?;
    let positive = [gauge.voltage_v, gauge.step_ua, gauge.step_uv];
    let not_negative = [gauge.resistance_ohm, gauge.rest_w, gauge.noise_a];
    let wrong = positive.iter().any(|value| !value.is_finite() || *value <= 0.0)
        || not_negative.iter().any(|value| !value.is_finite() || *value < 0.0);
    wrong.then(|| "gauge: voltage_v and steps must be above 0, nothing below".into())
}

/// The period in which power is settled: the shortest refresh, in microseconds.
pub(super) fn period_us(
    sensors: Option<&Sensors>,
    chips: &[MeterChip],
    gauge: Option<&BatteryGauge>,
) -> u64 {
    let all = sensors.map(|sensors| sensors.refresh_us).into_iter();
    let all = all.chain(chips.iter().map(|chip| chip.refresh_us));
    all.chain(gauge.map(|gauge| gauge.refresh_us)).min().unwrap_or(1)
}
