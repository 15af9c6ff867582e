//! Power meters behind one trait: the command that reads a device's meter, the rails it offers,
//! and the conversion of readings to a [`PowerTrace`].
//!
//! A sampler writes `# wattline-readings 1 meter=NAME`, then for each reading a line `@ UPTIME_S`
//! and the meter's own text after it. Nothing is converted on the device, so that the raw log is
//! the meter's own output.
//!
//! To add a meter: a file with a type that implements [`Meter`], and a line in [`METERS`].

mod counters;
mod error;
pub mod external;
mod figure_unit;
mod fuel_gauge;
mod gauge_reading;
mod ina231;
mod kind;
pub mod meter_columns;
mod odpm;
mod power_stats;
mod rapl;
mod rapl_zones;
mod readings;
mod software;

use super::trace::{PowerTrace, PowerTraceError, parse_trace};

pub use error::MeterError;
pub use external::ExternalMeter;
pub use fuel_gauge::FuelGauge;
pub use ina231::Ina231;
pub use kind::{Meter, MeterOffer};
pub use odpm::Odpm;
pub use power_stats::PowerStats;
pub use rapl::Rapl;
pub use rapl_zones::{RAPL_TREES, RaplZone, default_rapl_zones, rapl_zones};
pub use software::{SoftwareMeter, full_load_w, software_power_w};

use readings::HEADER_START;

/// All meters, the best first: those with a rail per part of the chip, then those of the
/// whole device, then estimates.
pub const METERS: [&dyn Meter; 7] =
    [&Ina231, &Odpm, &PowerStats, &Rapl, &FuelGauge, &ExternalMeter, &SoftwareMeter];

/// Meters that the device scripts sample in a session, the best first.
pub const SAMPLED_ON_BOARDS: [&dyn Meter; 4] = [&Ina231, &Odpm, &PowerStats, &FuelGauge];

/// Meters that are sampled in a session on this machine, the best first.
pub const SAMPLED_HERE: [&dyn Meter; 3] = [&Rapl, &FuelGauge, &SoftwareMeter];

/// Returns the meter of a name in files and flags.
pub fn meter_by_name(name: &str) -> Option<&'static dyn Meter> {
    METERS.into_iter().find(|meter| meter.name() == name)
}

/// Converts a log of samples or readings of any meter to power over time.
pub fn parse_samples(text: &str) -> Result<PowerTrace, MeterError> {
    let Some(fields) = text.lines().next().and_then(|line| line.strip_prefix(HEADER_START)) else {
        return Ok(parse_trace(text)?);
    };
    let name = fields.split_ascii_whitespace().find_map(|word| word.strip_prefix("meter="));
    let known =
        name.and_then(meter_by_name).ok_or(PowerTraceError::BadHeader { field: "meter" })?;
    known.trace(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_have_names_of_their_own_and_refuse_an_empty_answer() {
        for known in METERS {
            assert_eq!(meter_by_name(known.name()).map(Meter::name), Some(known.name()));
            let error = known.offer("").unwrap_err();
            assert!(matches!(error, MeterError::NotOffered { .. }), "{error}");
            assert!(error.to_string().contains(known.name()));
        }
        assert!(meter_by_name("x").is_none());
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
            let _ = parse_samples(&format!("{HEADER_START}meter={}\n@ 1\n{noise}\n@ 2\n{noise}\n", meter.name()));
            let _ = meter.trace(&noise);
        }
    }
}
