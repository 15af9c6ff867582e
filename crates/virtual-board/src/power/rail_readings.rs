//! Power and voltage of rails, and the steps of sensor readings.

use crate::board_file::Rail;

/// Power on the rails in watts: arm, mem, g3d, kfc.
pub(super) type RailPower = [f64; 4];

/// Value in millionths, rounded to a whole number of steps.
pub(super) fn round_to_step(value: f64, step: f64) -> i64 {
    ((value * 1e6 / step).round() * step) as i64
}

/// Voltage of a rail: its own, or that of the operating point.
pub(super) fn rail_volts(rail: &Rail, point_volts: f64) -> f64 {
    rail.voltage_v.unwrap_or(point_volts)
}
