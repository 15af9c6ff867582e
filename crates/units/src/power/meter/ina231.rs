//! INA231 sensors of the Odroid-XU+E and XU3: volts, amperes and watts of four rails,
//! averaged over the chip's refresh period. Their samples have a text of their own, which
//! the sampler on the board writes (`trace.rs`).

use super::super::trace::{PowerTrace, parse_trace};
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};

/// Meter of the INA231 sensors behind `/sys/bus/i2c/drivers/INA231`.
#[derive(Debug)]
pub struct Ina231;

/// I2C addresses of sensors, the same on all buses, with their rails.
const RAILS: [(&str, &str); 4] =
    [("0040", "arm"), ("0041", "mem"), ("0044", "g3d"), ("0045", "kfc")];

impl Meter for Ina231 {
    fn name(&self) -> &'static str {
        "ina231"
    }

    fn measures(&self) -> &'static str {
        "power of the big cores, memory, graphics and little cores, averaged by the chip"
    }

    fn usual_refresh_s(&self) -> Option<f64> {
        Some(0.264)
    }

    fn question(&self) -> &'static str {
        "r=${WATTLINE_ROOT:-}; for d in $r/sys/bus/i2c/drivers/INA231/*-00*; do \
         [ -e $d/sensor_W ] || continue; e=; w=; p=; read -r e <$d/enable; read -r w <$d/sensor_W; \
         read -r p <$d/update_period; echo \"${d##*/} $e $w $p\"; done 2>/dev/null"
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let (mut offer, mut off) = (MeterOffer::default(), Vec::new());
        for line in answer.lines() {
            let mut words = line.split_ascii_whitespace();
            let address = words.next().and_then(|device| device.rsplit_once('-')).map(|d| d.1);
            let Some((_, rail)) = RAILS.iter().find(|(known, _)| Some(*known) == address) else {
                continue;
            };
            offer.rails.push(rail.to_string());
            if words.next() == Some("0") {
                off.push(*rail);
            }
            let period = words.nth(1).and_then(|text| text.parse::<f64>().ok());
            if let Some(period_us) = period.filter(|_| offer.remarks.is_empty()) {
                let millis = period_us / 1000.0;
                offer.remarks.push(format!(
                    "a reading is the mean of {millis:.0} ms; sessions are to be a hundred times \
                     as long"
                ));
            }
        }
        if offer.rails.is_empty() {
            let why = "no INA231 under /sys/bus/i2c/drivers; an Odroid-XU+E or XU3 has four, an \
                       XU4 none"
                .into();
            return Err(MeterError::NotOffered { meter: self.name(), why });
        }
        if !off.is_empty() {
            offer.remarks.push(format!("switched off until prepared: {}", off.join(", ")));
        }
        offer.default_rails = vec!["arm".into()];
        Ok(offer)
    }

    fn trace(&self, readings: &str) -> Result<PowerTrace, MeterError> {
        Ok(parse_trace(readings)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_are_found_by_address_on_any_bus() {
        let offer = Ina231
            .offer("3-0040 1 0.234000 263808\n3-0041 0 0.000000 263808\n3-0050 1 1 1\n")
            .unwrap();
        assert_eq!(
            (offer.rails, offer.default_rails),
            (vec!["arm".into(), "mem".into()], vec!["arm".into()])
        );
        assert!(offer.remarks[0].contains("264 ms") && offer.remarks[1].ends_with("mem"));
    }
}
