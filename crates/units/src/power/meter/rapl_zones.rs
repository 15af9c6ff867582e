//! Zones of the kernel's power capping and their names. A zone's number is not its package's (a
//! zone may be the whole platform), and a package's counter may be seen twice: by its register, and
//! by the same register mapped into memory (`intel-rapl-mmio`).

use std::collections::BTreeMap;

/// Zone of the kernel's power capping, listed as `intel-rapl:0:0 core 262143328850 812345`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaplZone {
    /// Name of its folder, `intel-rapl:0:0`.
    pub folder: String,
    /// Unique name: `package-0`, `psys`, of a part `package-0/core`.
    pub name: String,
    /// Largest value of its counter, in microjoules.
    pub range_uj: u64,
    /// Present value of its counter, in microjoules.
    pub energy_uj: u64,
    is_part: bool,
}

/// Prefixes of the folders of zones: registers, and registers mapped into memory. The first that
/// has a zone of a name counts.
pub const RAPL_TREES: [&str; 2] = ["intel-rapl:", "intel-rapl-mmio:"];

impl RaplZone {
    /// Whether the zone is a whole processor package.
    #[must_use]
    pub(crate) fn is_package(&self) -> bool {
        !self.is_part && self.name.starts_with("package")
    }

    /// Whether the zone is the whole platform, packages included.
    #[must_use]
    pub fn is_platform(&self) -> bool {
        !self.is_part && self.name.starts_with("psys")
    }
}

/// Reads the zones of an answer, each physical counter once.
#[must_use]
pub fn rapl_zones(answer: &str) -> Vec<RaplZone> {
    let mut listed: Vec<ListedZone<'_>> = answer.lines().filter_map(ListedZone::of).collect();
    listed.sort_by_key(|zone| zone.tree);
    let labels: BTreeMap<&str, &str> =
        listed.iter().map(|zone| (zone.folder, zone.label)).collect();
    let mut zones: Vec<(usize, RaplZone)> = Vec::new();
    for zone in &listed {
        let name = zone.name(&labels);
        let seen = zones.iter().find(|(_, other)| other.name == name);
        match seen {
            // Another view of it.
            Some((tree, _)) if *tree != zone.tree => continue,
            // Two of one name in one tree are two.
            Some(_) => zones.push((zone.tree, zone.to_zone(format!("{name} ({})", zone.folder)))),
            None => zones.push((zone.tree, zone.to_zone(name))),
        }
    }
    zones.into_iter().map(|(_, zone)| zone).collect()
}

/// Selects the zones that are added up by default: packages, or the platform that contains them,
/// or all there are.
#[must_use]
pub fn default_rapl_zones(zones: &[RaplZone]) -> Vec<RaplZone> {
    let some = |is_wanted: fn(&RaplZone) -> bool| -> Vec<RaplZone> {
        zones.iter().filter(|zone| is_wanted(zone)).cloned().collect()
    };
    let ways: [fn(&RaplZone) -> bool; 3] =
        [RaplZone::is_package, RaplZone::is_platform, |zone| !zone.is_part];
    ways.into_iter().map(some).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Line of a zone in an answer, before names are made unique.
struct ListedZone<'a> {
    tree: usize,
    folder: &'a str,
    label: &'a str,
    range_uj: u64,
    energy_uj: u64,
}

impl<'a> ListedZone<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [folder, label, range, energy] = words.as_slice() else { return None };
        let tree = RAPL_TREES.iter().position(|tree| folder.starts_with(tree))?;
        let (range_uj, energy_uj) = (range.parse().ok()?, energy.parse().ok()?);
        Some(Self { tree, folder, label, range_uj, energy_uj })
    }

    /// Returns the folder of the zone that it is a part of: `intel-rapl:1` of `intel-rapl:1:0`.
    fn whole(&self) -> Option<&'a str> {
        let (whole, _) = self.folder.rsplit_once(':')?;
        whole.contains(':').then_some(whole)
    }

    /// Returns the name; a part's has its whole's before it, since every package has a `core`.
    fn name(&self, labels: &BTreeMap<&str, &str>) -> String {
        match self.whole() {
            Some(whole) => format!("{}/{}", labels.get(whole).unwrap_or(&whole), self.label),
            None => self.label.to_owned(),
        }
    }

    fn to_zone(&self, name: String) -> RaplZone {
        RaplZone {
            folder: self.folder.to_owned(),
            name,
            range_uj: self.range_uj,
            energy_uj: self.energy_uj,
            is_part: self.whole().is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(zones: &[RaplZone]) -> Vec<&str> {
        zones.iter().map(|zone| zone.name.as_str()).collect()
    }

    #[test]
    fn a_register_seen_twice_counts_once() {
        let answer = "intel-rapl-mmio:0 package-0 100 1\nintel-rapl-mmio:0:0 dram 100 4\n\
                      intel-rapl:0 package-0 100 1\nintel-rapl:0:0 core 100 2\n";
        let zones = rapl_zones(answer);
        assert_eq!(names(&zones), ["package-0", "package-0/core", "package-0/dram"]);
        assert_eq!(default_rapl_zones(&zones)[0].folder, "intel-rapl:0");
        let alone = rapl_zones("intel-rapl-mmio:0 package-0 100 7\n");
        assert_eq!(names(&default_rapl_zones(&alone)), ["package-0"]);
    }

    #[test]
    fn zones_are_numbered_otherwise_than_packages() {
        let answer = "intel-rapl:0 psys 100 9\nintel-rapl:1 package-0 100 1\n\
                      intel-rapl:1:0 core 100 2\nintel-rapl:2 package-1 100 3\n\
                      intel-rapl:2:0 core 100 4\n";
        let zones = rapl_zones(answer);
        assert_eq!(
            names(&zones),
            ["psys", "package-0", "package-0/core", "package-1", "package-1/core"]
        );
        assert_eq!(names(&default_rapl_zones(&zones)), ["package-0", "package-1"]);
        assert_eq!(names(&default_rapl_zones(&rapl_zones("intel-rapl:0 psys 100 9\n"))), ["psys"]);
        let twins = rapl_zones("intel-rapl:0 package-0 1 1\nintel-rapl:1 package-0 1 1\n");
        assert_eq!(names(&twins), ["package-0", "package-0 (intel-rapl:1)"]);
        assert_eq!(default_rapl_zones(&twins).len(), 2);
    }

    proptest::proptest! {
        /// Whatever the order of the folders, and whether or not registers are mapped as well.
        #[test]
        fn packages_count_once(order in proptest::collection::vec(0_usize..100, 8), mapped: bool) {
            let mut lines = vec![
                "intel-rapl:0 psys 100 9", "intel-rapl:1 package-0 100 1",
                "intel-rapl:1:0 core 100 2", "intel-rapl:2 package-1 100 3",
            ];
            if mapped {
                lines.extend(["intel-rapl-mmio:0 package-0 100 1", "intel-rapl-mmio:1 package-1 100 3"]);
            }
            for (at, other) in order.into_iter().enumerate() {
                let length = lines.len();
                lines.swap(at % length, other % length);
            }
            let mut found: Vec<(String, u64)> = default_rapl_zones(&rapl_zones(&lines.join("\n")))
                .into_iter()
                .map(|zone| (zone.folder, zone.energy_uj))
                .collect();
            found.sort();
            let expected = [("intel-rapl:1".to_string(), 1), ("intel-rapl:2".to_string(), 3)];
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
