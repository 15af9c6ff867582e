//! Bytes by user, which on Android is by application: `/proc/net/xt_qtaguid/stats` (up to
//! Android 9), and the user of each process from its status. Later releases keep these
//! counters in the kernel's BPF maps, which only the system may read.

use super::super::facts::HostFacts;
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError};

/// Sensor of the bytes that each user sent and received.
#[derive(Debug)]
pub struct Users;

const STATS: &str = "/proc/net/xt_qtaguid/stats";
const STATUS: &str = "/proc/[0-9]*/status";

/// `idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes ...`: user and
/// bytes of a line that counts all of a user's traffic on an interface.
fn user_bytes(line: &str) -> Option<(u32, u64)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_total = words.get(2) == Some(&"0x0") && words.get(1) != Some(&"lo");
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    let user = words.get(3)?.parse().ok()?;
    is_total.then_some((user, number(5)?.checked_add(number(7)?)?))
}

/// The effective user in `/proc/PID/status`.
fn owner(text: &str) -> Option<u32> {
    let line = text.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

impl Sensor for Users {
    fn name(&self) -> &'static str {
        "users"
    }

    fn patterns(&self) -> Vec<String> {
        vec![STATS.to_string(), STATUS.to_string()]
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let problem = snapshot
            .refusal(STATS)
            .unwrap_or_else(|| format!("no {STATS}: this system does not say which process sends"));
        let missing = SensorError { sensor: self.name(), problem };
        for (user, bytes) in snapshot.text(STATS).ok_or(missing)?.lines().filter_map(user_bytes) {
            let sum = facts.user_bytes.entry(user).or_insert(0);
            *sum = sum.saturating_add(bytes);
        }
        for (path, text) in snapshot.matching(STATUS) {
            let pid = path.split('/').nth(2).and_then(|part| part.parse().ok());
            if let Some((pid, user)) = pid.zip(owner(text)) {
                facts.users.insert(pid, user);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn users_add_up_over_interfaces_and_sets_but_not_over_tags() {
        let mut snapshot = HostSnapshot::at(1.0);
        let stats = "idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes\n\
                     2 wlan0 0x0 10054 0 100 2 20 1\n3 wlan0 0x0 10054 1 10 1 5 1\n\
                     4 wlan0 0x3f00000000 10054 1 10 1 5 1\n5 lo 0x0 10054 0 999 1 999 1\n";
        snapshot.put(STATS, Ok(stats.to_string()));
        snapshot.put("/proc/7/status", Ok("Name: a\nUid:\t10054\t10054\t0\t0\n".to_string()));
        let mut facts = HostFacts::default();
        Users.read(&snapshot, None, &mut facts).unwrap();
        assert_eq!((facts.user_bytes[&10054], facts.users[&7]), (135, 10054));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,100}") {
            let _ = (user_bytes(&text), owner(&text));
        }
    }
}
