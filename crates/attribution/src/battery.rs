//! A device's fuel gauge as a meter, where no rail has one: the energy that left a battery,
//! added up from its counters. A device may have several batteries, each a meter.

/// Meter of the energy that a battery gave, in microjoules, summed over its samples.
#[derive(Debug, Default)]
pub(crate) struct BatteryMeter {
    given_uj: f64,
    last: Option<BatterySample>,
    /// Samples at which the battery took energy in.
    pub charging: u64,
}

#[derive(Debug, Clone, Copy)]
struct BatterySample {
    at_ns: u64,
    energy_uwh: Option<i64>,
    charge_uah: Option<i64>,
    power_w: Option<f64>,
    volts: Option<f64>,
}

impl BatteryMeter {
    /// Adds a sample; returns the sum so far, or `None` if the sample has no counter that gives an
    /// energy.
    pub fn add_sample(
        &mut self,
        at_ns: u64,
        energy_uwh: Option<i64>,
        charge_uah: Option<i64>,
        current_ua: Option<i64>,
        voltage_uv: Option<i64>,
    ) -> Option<u64> {
        let before = self.last;
        let volts = voltage_uv.map(|uv| uv as f64 * 1e-6).or(before.and_then(|last| last.volts));
        // The sign of the current differs from device to device.
        let amperes = current_ua.map(|ua| ua as f64 * 1e-6);
        let power_w = amperes.zip(volts).map(|(amperes, volts)| (amperes * volts).abs());
        let now = BatterySample { at_ns, energy_uwh, charge_uah, power_w, volts };
        self.last = Some(now);
        let Some(before) = before else {
            let can_tell = energy_uwh.is_some() || power_w.is_some() || volts.is_some();
            return can_tell.then_some(0);
        };
        let given_j = energy_between_j(&before, &now)?;
        self.charging += u64::from(given_j < 0.0);
        self.given_uj += given_j.max(0.0) * 1e6;
        Some(self.given_uj as u64)
    }
}

/// Returns the energy in joules given between two samples, from the best of the counters: energy,
/// power, charge. While the charge grows, the current is a charger's, whatever its sign.
fn energy_between_j(before: &BatterySample, now: &BatterySample) -> Option<f64> {
    let given = |of: fn(&BatterySample) -> Option<i64>| Some((of(before)? - of(now)?) as f64);
    if let Some(uwh) = given(|sample| sample.energy_uwh) {
        return Some(uwh * 3600e-6);
    }
    let used_uah = given(|sample| sample.charge_uah);
    if let (Some(a), Some(b)) = (before.power_w, now.power_w)
        && used_uah.is_none_or(|used| used >= 0.0)
    {
        let seconds = now.at_ns.saturating_sub(before.at_ns) as f64 * 1e-9;
        return Some((a + b) / 2.0 * seconds);
    }
    Some(used_uah? * 3600e-6 * now.volts?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn energy_from_the_best_of_the_counters() {
        let mut meter = BatteryMeter::default();
        assert_eq!(meter.add_sample(0, Some(1000), None, Some(-1), Some(4_000_000)), Some(0));
        assert_eq!(meter.add_sample(S, Some(990), None, Some(-1), None), Some(36_000));
        let mut meter = BatteryMeter::default();
        meter.add_sample(0, None, Some(9), Some(-500_000), Some(4_000_000));
        assert_eq!(meter.add_sample(S, None, Some(9), Some(-1_000_000), None), Some(3_000_000));
        let mut meter = BatteryMeter::default();
        meter.add_sample(0, None, Some(1000), None, Some(4_000_000));
        assert_eq!(meter.add_sample(S, None, Some(900), None, None), Some(1_440_000));
        assert_eq!(
            (meter.add_sample(2 * S, None, Some(950), None, None), meter.charging),
            (Some(1_440_000), 1)
        );
    }

    #[test]
    fn the_current_of_a_charger_is_no_use() {
        let mut meter = BatteryMeter::default();
        meter.add_sample(0, None, Some(1000), Some(2_000_000), Some(4_000_000));
        assert_eq!(meter.add_sample(S, None, Some(1500), Some(2_000_000), None), Some(0));
        assert_eq!(meter.charging, 1);
        assert_eq!(
            meter.add_sample(2 * S, None, Some(1500), Some(-1_000_000), None),
            Some(6_000_000)
        );
    }

    #[test]
    fn without_volts_there_is_no_energy() {
        let mut meter = BatteryMeter::default();
        assert_eq!(meter.add_sample(0, None, Some(1000), None, None), None);
        assert_eq!(meter.add_sample(S, None, Some(900), None, None), None);
    }
}
