//! Control groups of Linux: the CPU time of each between two readings. Files are read
//! elsewhere; here are their texts and what follows from them.

use std::collections::BTreeMap;

use super::names::{TenantId, TenantNames};
use super::record::TenantRecord;

/// CPU time of all groups at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CgroupReading {
    /// When, in ns.
    pub at_ns: u64,
    /// CPU time used by each group and those below it, in ns, by path; the root is "/".
    pub usage_ns: BTreeMap<String, u64>,
    /// CPUs on line.
    pub cpus: usize,
}

/// Parses CPU time in nanoseconds from `cpu.stat` (version 2: a line `usage_usec N`) or
/// `cpuacct.usage` (version 1: a number), in ns.
#[must_use]
pub fn usage_ns(text: &str) -> Option<u64> {
    if let Ok(ns) = text.trim().parse() {
        return Some(ns);
    }
    let usec = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    usec.trim().parse::<u64>().ok()?.checked_mul(1000)
}

/// Returns the records of each group's own CPU time between two readings: its usage less that of
/// the groups below it. Groups that came or went meanwhile are in their parent's. Time that no
/// group used is idle.
pub fn cgroup_records(
    before: &CgroupReading,
    after: &CgroupReading,
    names: &mut TenantNames,
    mut take: impl FnMut(TenantRecord),
) {
    let (start_ns, end_ns) = (before.at_ns, after.at_ns);
    let grown: BTreeMap<&str, u64> = after
        .usage_ns
        .iter()
        .filter_map(|(path, now)| {
            let then = before.usage_ns.get(path)?;
            // A group of the same name that was made anew begins at 0.
            Some((path.as_str(), now.checked_sub(*then).unwrap_or(*now)))
        })
        .collect();
    let mut give = |tenant, ns: u64| {
        if ns > 0 {
            let cpu_ns = ns as f64;
            take(TenantRecord::Use { start_ns, end_ns, tenant, cpu_ns, counts: None });
        }
    };
    let mut below: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, ns) in &grown {
        if let Some(parent) = nearest_parent(path, &grown) {
            *below.entry(parent).or_default() += ns;
        }
    }
    for (path, ns) in &grown {
        let own = ns.saturating_sub(below.get(path).copied().unwrap_or(0));
        let name = if *path == "/" { "/ (in no group)" } else { path };
        give(names.id(name), own);
    }
    let all = end_ns.saturating_sub(start_ns).saturating_mul(after.cpus as u64);
    // Without the root's own count (version 1 has one), the sum of the topmost is used.
    let topmost = grown.iter().filter(|(path, _)| nearest_parent(path, &grown).is_none());
    let used: u64 = topmost.map(|(_, ns)| ns).sum();
    give(TenantId::IDLE, all.saturating_sub(used));
}

/// Returns the nearest group above `path` that was read.
fn nearest_parent<'a>(path: &str, all: &BTreeMap<&'a str, u64>) -> Option<&'a str> {
    let mut path = path;
    while path != "/" {
        let (above, _) = path.rsplit_once('/')?;
        path = if above.is_empty() { "/" } else { above };
        if let Some((found, _)) = all.get_key_value(path) {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reading(at_ms: u64, usage_ms: &[(&str, u64)]) -> CgroupReading {
        let usage = usage_ms.iter().map(|(path, ms)| ((*path).to_owned(), ms * 1_000_000));
        CgroupReading { at_ns: at_ms * 1_000_000, usage_ns: usage.collect(), cpus: 2 }
    }

    #[test]
    fn groups_pay_for_themselves_and_not_for_those_below() {
        let before = reading(0, &[("/", 100), ("/a", 50), ("/a/b", 20), ("/gone", 5)]);
        let after = reading(100, &[("/", 250), ("/a", 150), ("/a/b", 60), ("/new", 3)]);
        let mut names = TenantNames::default();
        let mut used = Vec::new();
        cgroup_records(&before, &after, &mut names, |record| used.push(record));
        let used: Vec<(String, f64)> = used
            .iter()
            .map(|record| match record {
                TenantRecord::Use { tenant, cpu_ns, .. } => {
                    (names.name(*tenant).to_owned(), cpu_ns / 1e6)
                }
                _ => unreachable!(),
            })
            .collect();
        let expected = [("/ (in no group)", 50.0), ("/a", 60.0), ("/a/b", 40.0), ("idle", 50.0)];
        assert_eq!(used, expected.map(|(name, ms)| (name.to_owned(), ms)));
    }

    #[test]
    fn both_versions_of_the_files() {
        assert_eq!(usage_ns("usage_usec 12\nuser_usec 7\n"), Some(12_000));
        assert_eq!(usage_ns("123456\n"), Some(123_456));
        assert_eq!(usage_ns("nr_periods 0\n"), None);
        assert_eq!(usage_ns("usage_usec 99999999999999999999\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_no_time_is_made(
            text in "(usage_usec )?[0-9a-z ]{0,24}",
            then in proptest::collection::vec(0..200_u64, 5), now in proptest::collection::vec(0..200_u64, 5),
        ) {
            let _ = usage_ns(&text);
            let paths = ["/", "/a", "/a/b", "/c", "/c/d/e"];
            let at = |at_ms, usage: &[u64]| {
                let usage: Vec<(&str, u64)> = paths.into_iter().zip(usage.iter().copied()).collect();
                reading(at_ms, &usage)
            };
            let mut sum = 0.0;
            cgroup_records(&at(0, &then), &at(500, &now), &mut TenantNames::default(), |record| {
                if let TenantRecord::Use { cpu_ns, .. } = record {
                    assert!(cpu_ns >= 0.0);
                    sum += cpu_ns;
                }
            });
            // Groups are read one after the other: those below may be ahead of those above.
            prop_assert!(sum <= 5.0 * 200e6 + 2.0 * 500e6);
        }
    }
}
