//! RAPL: the energy counters of x86 processors behind the kernel's power capping. They
//! count microjoules and start at zero again after `max_energy_range_uj`: a package at
//! 60 W does so every hour or so.

use super::super::counter::MeterCounter;
use super::super::trace::{Flaw, FlawKind, PowerTrace};
use super::counters::{self, CounterRail, UnmovedCounter};
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};
use super::rapl_zones::{RaplZone, default_rapl_zones, rapl_zones};
use super::readings::{shell_refusal, split_readings};

/// Meter of the RAPL counters: `/sys/class/powercap/intel-rapl*:*`.
#[derive(Debug)]
pub struct Rapl;

impl Meter for Rapl {
    fn name(&self) -> &'static str {
        "rapl"
    }

    fn measures(&self) -> &'static str {
        "energy of an x86 package, its cores and memory, by the processor's own counters"
    }

    fn question(&self) -> &'static str {
        "p=${WATTLINE_ROOT:-}/sys/class/powercap; for d in $p/intel-rapl:* $p/intel-rapl-mmio:*; do \
         [ -e $d/energy_uj ] || continue; \
         e=$(cat $d/energy_uj 2>&1); \
         echo \"${d##*/} $(cat $d/name) $(cat $d/max_energy_range_uj) $e\"; done"
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let zones = rapl_zones(answer);
        if zones.is_empty() {
            let why = match shell_refusal(answer) {
                Some(_) => "the counters are for root; `chmod o+r \
                            /sys/class/powercap/intel-rapl*/energy_uj`, or run as root"
                    .into(),
                None => "no /sys/class/powercap/intel-rapl:*: no x86 processor, or a virtual \
                         machine, which has none"
                    .to_string(),
            };
            return Err(MeterError::NotOffered { meter: self.name(), why });
        }
        let rails: Vec<String> = zones.iter().map(|zone| zone.name.clone()).collect();
        let default_rails: Vec<String> =
            default_rapl_zones(&zones).into_iter().map(|zone| zone.name).collect();
        let range_j = zones.iter().map(|zone| zone.range_uj).min().unwrap_or(0) as f64 * 1e-6;
        let mut remarks = vec![
            format!("counters start anew after {range_j:.0} J; samples must come more often"),
            "the whole package: what else runs is measured too".into(),
        ];
        if !zones.iter().any(RaplZone::is_package) {
            let rails = default_rails.join(", ");
            remarks.push(format!("no package has a counter of its own: {rails} is added up"));
        }
        Ok(MeterOffer { rails, default_rails, remarks })
    }

    fn unmoved_rails(&self, before: &str, after: &str) -> Vec<String> {
        let (before, after) = (rapl_zones(before), rapl_zones(after));
        let stands = |zone: &&RaplZone| {
            before.iter().any(|old| (&old.name, old.energy_uj) == (&zone.name, zone.energy_uj))
        };
        after.iter().filter(stands).map(|zone| zone.name.clone()).collect()
    }

    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let readings = split_readings(text);
        let tables: Vec<Vec<RaplZone>> =
            readings.iter().map(|reading| rapl_zones(&reading.lines.join("\n"))).collect();
        let counts = |name: &str| -> Vec<(f64, u64)> {
            let value = |table: &Vec<RaplZone>| {
                table.iter().find(|zone| zone.name == name).map(|zone| zone.energy_uj)
            };
            let times = readings.iter().map(|reading| reading.uptime_s);
            times.zip(&tables).filter_map(|(time_s, table)| Some((time_s, value(table)?))).collect()
        };
        let fullest = tables.iter().max_by_key(|table| table.len());
        let rail = |zone: &RaplZone| {
            // The range is the largest value: there is one count more.
            let modulus = zone.range_uj.checked_add(1);
            CounterRail {
                name: zone.name.clone(),
                counter: MeterCounter { joules_per_count: 1e-6, modulus },
                readings: counts(&zone.name),
                unmoved: UnmovedCounter::Unknown,
            }
        };
        let rails: Vec<CounterRail> = fullest.into_iter().flatten().map(rail).collect();
        let trace = counters::power_trace_of_counters(self.name(), &rails)?;
        let broken = |(at, table): (usize, &Vec<RaplZone>)| {
            (table.len() < rails.len())
                .then_some(Flaw { line: readings[at].line, kind: FlawKind::Unreadable })
        };
        let flaws = tables.iter().enumerate().filter_map(broken).collect();
        Ok(PowerTrace { flaws, ..trace })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: u64 = 262_143_328_850;

    fn reading(package: u64, core: u64) -> String {
        format!("intel-rapl:0 package-0 {RANGE} {package}\nintel-rapl:0:0 core {RANGE} {core}\n")
    }

    #[test]
    fn packages_are_the_default_and_parts_have_their_own_names() {
        let offer = Rapl.offer(&reading(1, 2)).unwrap();
        assert_eq!(offer.rails, ["package-0", "package-0/core"]);
        assert_eq!(offer.default_rails, ["package-0"]);
        let denied = "intel-rapl:0 package-0 262143328850 cat: \
                      /sys/class/powercap/intel-rapl:0/energy_uj: Permission denied\n";
        assert!(Rapl.offer(denied).unwrap_err().to_string().contains("for root"));
    }

    #[test]
    fn counters_that_stand_still_are_named() {
        let standing = Rapl.unmoved_rails(&reading(1, 2), &reading(1, 3));
        assert_eq!(standing, ["package-0"]);
        assert!(Rapl.unmoved_rails(&reading(1, 2), &reading(2, 3)).is_empty());
    }

    #[test]
    fn a_wrap_counts_on() {
        let text = format!(
            "# wattline-readings 1 meter=rapl\n@ 1.0\n{}@ 2.0\n{}@ 3.0\n{}",
            reading(RANGE - 3_999_999, 10),
            reading(2_000_000, 1_000_010),
            reading(8_000_000, 3_000_010)
        );
        let trace = Rapl.trace(&text).unwrap();
        let rows: Vec<f64> = trace.power_w.iter().flatten().copied().collect();
        assert_eq!(rows, [6.0, 1.0, 6.0, 1.0, 6.0, 2.0]);
    }
}
