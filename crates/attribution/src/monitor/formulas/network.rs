//! Power of network cards by throughput mode: the time that the bytes of a cycle take in
//! the card's mode, at the watts that its maker gives for it.

use std::collections::BTreeMap;
use wattline_units::power::FigureBasis;

use super::super::equations::network_power_w;
use super::super::facts::HostFacts;
use super::{Covers, EnergyFormula, FormulaError, MachinePart, PartEnergy};

/// Formula of the network's energy: watts of transmission by interface and mode (Mb/s).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetworkModes(pub BTreeMap<String, BTreeMap<u64, f64>>);

/// Parses `eth0:1000=1.2,100=0.4`: an interface, its modes in Mb/s and their watts.
pub fn parse_modes(text: &str) -> Result<(String, BTreeMap<u64, f64>), String> {
    let bad = || format!("`{text}` is not INTERFACE:MBPS=WATTS[,MBPS=WATTS], as in eth0:1000=1.2");
    let (name, modes) = text.split_once(':').ok_or_else(bad)?;
    let mode = |mode: &str| {
        let (mbps, watts) = mode.split_once('=')?;
        let watts = watts.trim().parse::<f64>().ok().filter(|w| w.is_finite() && *w > 0.0)?;
        Some((mbps.trim().parse::<u64>().ok().filter(|mbps| *mbps > 0)?, watts))
    };
    let modes = modes.split(',').map(mode).collect::<Option<BTreeMap<_, _>>>().ok_or_else(bad)?;
    if name.is_empty() { Err(bad()) } else { Ok((name.to_string(), modes)) }
}

impl EnergyFormula for NetworkModes {
    fn name(&self) -> &'static str {
        "network-modes"
    }

    fn part(&self) -> MachinePart {
        MachinePart::Network
    }

    fn basis(&self) -> FigureBasis {
        FigureBasis::Estimated
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        format!(
            "model, no measurement: watts by throughput mode x time of transmission ({})",
            names.join(", ")
        )
    }

    fn needs(&self) -> &'static [&'static str] {
        &["network"]
    }

    fn energy(&self, before: &HostFacts, after: &HostFacts) -> Result<PartEnergy, FormulaError> {
        let missing = |problem: String| FormulaError { formula: self.name(), problem };
        let duration_s = after.uptime_s - before.uptime_s;
        let (mut states, mut remarks) = (Vec::new(), Vec::new());
        let mut bytes = 0.0;
        for (name, modes) in &self.0 {
            let (Some(then), Some(now)) = (before.interfaces.get(name), after.interfaces.get(name))
            else {
                return Err(missing(format!("there is no interface {name}")));
            };
            let counted =
                now.received.checked_sub(then.received).zip(now.sent.checked_sub(then.sent));
            let (received, sent) =
                counted.ok_or_else(|| missing(format!("the counters of {name} went back")))?;
            // A card that does not say its mode is taken to be in the only one given.
            let only = modes.iter().next().filter(|_| modes.len() == 1);
            let mode = match now.speed_mbps {
                Some(mbps) => modes.get_key_value(&(mbps as u64)),
                None => only,
            };
            let (mbps, watts) = mode.ok_or_else(|| {
                missing(format!("{name} is in mode {:?} Mb/s, which has no watts", now.speed_mbps))
            })?;
            if now.speed_mbps.is_none() {
                remarks.push(format!("{name} does not say its mode: {mbps} Mb/s is taken"));
            }
            let seconds = (received + sent) as f64 * 8.0 / (*mbps as f64 * 1e6);
            states.push((seconds, *watts));
            bytes += (received + sent) as f64;
        }
        let power = network_power_w(&states, duration_s);
        let power = power.ok_or_else(|| missing("the cycle has no length".into()))?;
        let joules = power * duration_s;
        Ok(PartEnergy { joules, covers: Covers::Everything, bytes: Some(bytes), remarks })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::facts::Interface;
    use super::*;

    fn facts(uptime_s: f64, bytes: u64, speed_mbps: Option<f64>) -> HostFacts {
        let eth0 = Interface { received: bytes, sent: bytes / 4, speed_mbps };
        HostFacts { uptime_s, interfaces: [("eth0".into(), eth0)].into(), ..HostFacts::default() }
    }

    /// 12.5 MB are 0.1 s at a gigabit: 0.12 J at 1.2 W, in a cycle of any length.
    #[test]
    fn bytes_take_their_time_in_the_cards_mode() {
        let modes = parse_modes("eth0:100=0.4,1000=1.2").unwrap();
        let formula = NetworkModes([modes].into());
        let at = |uptime_s, bytes| facts(uptime_s, bytes, Some(1000.0));
        for end in [2.0, 3.0] {
            let energy = formula.energy(&at(1.0, 0), &at(end, 10_000_000)).unwrap();
            assert!((energy.joules - 0.12).abs() < 1e-12);
        }
        let unknown = formula.energy(&at(1.0, 0), &facts(2.0, 5, Some(10.0))).unwrap_err();
        assert!(unknown.to_string().contains("no watts"));
        let back = formula.energy(&at(1.0, 9), &at(2.0, 5)).unwrap_err();
        assert!(back.to_string().contains("went back"));
    }

    #[test]
    fn an_interface_without_a_mode_is_in_the_only_one_given() {
        let formula = NetworkModes([parse_modes("eth0:1000=1.2").unwrap()].into());
        let energy = formula.energy(&facts(1.0, 0, None), &facts(2.0, 10_000_000, None)).unwrap();
        assert_eq!(energy.remarks.len(), 1);
        let gone = formula.energy(&facts(1.0, 0, None), &HostFacts::default()).unwrap_err();
        assert!(gone.to_string().contains("no interface eth0"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~]{0,40}") {
            let _ = parse_modes(&text);
        }
    }
}
