//! Meters in a board file. Each measures the same electricity in its own way; a board has one kind
//! or several.

use serde::Deserialize;

/// Common properties of the INA231 sensors.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ina231Sensors {
    /// Number of the I2C bus: 4 on the XU+E, 3 or 0 on the XU3.
    #[serde(default = "xu_e_bus")]
    pub bus: u32,
    /// Period in microseconds after which the values change.
    pub refresh_us: u64,
    /// Resolution of the voltage in microvolts.
    pub step_uv: u64,
}

/// Power monitor chip that accumulates the energy of rails (ODPM).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeterChip {
    /// N of `/sys/bus/iio/devices/iio:deviceN`.
    pub device: u32,
    /// Its `name` file.
    pub name: String,
    /// Time in microseconds between two refreshes of the energy file. (A real chip is refreshed
    /// when its file is read, at most so often.)
    pub refresh_us: u64,
    /// Standard deviation of a rail's mean power over one refresh, in watts.
    #[serde(default)]
    pub noise_w: f64,
    /// Channels of the chip.
    pub rails: Vec<ChipRail>,
}

/// Channel of a power monitor chip.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipRail {
    /// Name in the schematics, in the file `energy_value`.
    pub name: String,
    /// Subsystem that the rail supplies, in `enabled_rails` and the power statistics service.
    pub subsystem: String,
    /// Rail of this board whose power the channel measures; `None` for one that draws `power_w`.
    #[serde(default)]
    pub of: Option<RailName>,
    /// Constant power in watts of a channel without a rail of the board.
    #[serde(default)]
    pub power_w: f64,
}

/// Power rails of a board, in the order of power values.
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

/// Fuel gauge of a battery.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatteryGauge {
    /// Time in microseconds over which a value is the mean, and after which it changes.
    pub refresh_us: u64,
    /// Voltage without a load, in volts.
    pub voltage_v: f64,
    /// Internal resistance of the battery in ohms.
    pub resistance_ohm: f64,
    /// Watts that the device draws beside the board's rails: screen, radios.
    pub rest_w: f64,
    /// Standard deviation of a current reading in amperes.
    pub noise_a: f64,
    /// Resolution of the current in microamperes.
    pub step_ua: f64,
    /// Resolution of the voltage in microvolts.
    pub step_uv: f64,
    /// Charge at the start of a session in microampere hours.
    pub charge_uah: u64,
}

/// I2C bus of the Odroid-XU+E.
fn xu_e_bus() -> u32 {
    4
}

/// First fault of a board's meters, as a message.
pub(super) fn meters_fault(
    sensors: Option<&Ina231Sensors>,
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

/// Period in which power is settled: the shortest refresh of a meter, in microseconds.
pub(super) fn settlement_period_us(
    sensors: Option<&Ina231Sensors>,
    chips: &[MeterChip],
    gauge: Option<&BatteryGauge>,
) -> u64 {
    let all = sensors.map(|sensors| sensors.refresh_us).into_iter();
    let all = all.chain(chips.iter().map(|chip| chip.refresh_us));
    all.chain(gauge.map(|gauge| gauge.refresh_us)).min().unwrap_or(1)
}
