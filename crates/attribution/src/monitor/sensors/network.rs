//! `/sys/class/net`: bytes and throughput mode of each network interface.

use super::super::facts::{HostFacts, Interface};
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError};

/// Sensor of the counters of network interfaces.
#[derive(Debug)]
pub struct Network;

const DEVICES: &str = "/proc/net/dev";
const SPEED: &str = "/sys/class/net/*/speed";

/// `  eth0: 12 0 0 0 0 0 0 0 34 ...`: bytes received stand first, bytes sent ninth.
fn interface(line: &str) -> Option<(&str, Interface)> {
    let (name, rest) = line.split_once(':')?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| words.get(at)?.parse().ok();
    let (received, sent) = (number(0)?, number(8)?);
    Some((name.trim(), Interface { received, sent, speed_mbps: None }))
}

impl Sensor for Network {
    fn name(&self) -> &'static str {
        "network"
    }

    fn patterns(&self) -> Vec<String> {
        vec![DEVICES.to_string(), SPEED.to_string()]
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let missing = || SensorError { sensor: self.name(), problem: format!("no {DEVICES}") };
        let text = snapshot.text(DEVICES).ok_or_else(missing)?;
        for (name, mut found) in text.lines().filter_map(interface) {
            let speed = snapshot.number(&format!("/sys/class/net/{name}/speed"));
            // A virtual interface says -1.
            found.speed_mbps = speed.filter(|mbps| *mbps > 0.0);
            facts.interfaces.insert(name.to_string(), found);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_and_mode_of_an_interface() {
        let mut snapshot = HostSnapshot::at(1.0);
        let text =
            "Inter-| Receive | Transmit\n face |bytes\n  eth0: 12 1 0 0 0 0 0 0 34 1\n lo:5\n";
        snapshot.put(DEVICES, Ok(text.to_string()));
        snapshot.put("/sys/class/net/eth0/speed", Ok("1000\n".to_string()));
        let mut facts = HostFacts::default();
        Network.read(&snapshot, None, &mut facts).unwrap();
        let eth0 = Interface { received: 12, sent: 34, speed_mbps: Some(1000.0) };
        assert_eq!(facts.interfaces.into_iter().collect::<Vec<_>>(), [("eth0".to_string(), eth0)]);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "[ -~]{0,100}") {
            let _ = interface(&line);
        }
    }
}
