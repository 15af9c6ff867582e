//! `wattline tenants cgroups`: control groups of this machine, live. Containers are control
//! groups.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use crate::attribution::tenants::{CgroupReading, MeterId, TenantRecord, cgroup_records, usage_ns};
use crate::cli::quantity::{number_between, whole_number_between};
use crate::cli::schedule::Schedule;
use crate::cli::stop::StopRequest;
use crate::failure::Failure;

use super::options::StreamArguments;
use super::powercap::{PowercapZone, moving_zones, package_zones};
use super::session::TenantSession;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline tenants cgroups --for 10 --follow
  wattline tenants cgroups --for 0 --depth 3 --serve /run/wattline.sock
  wattline tenants cgroups --for 60 --watts 15:5 --out target/tenants

CPU time comes from cpu.stat (control groups version 2) or cpuacct.usage (version 1), energy
from RAPL where the machine has it; where not, --watts states a model, or shares are all
there is.")]
pub struct Arguments {
    /// The groups' folder; without, version 2's, and where that is not, version 1's.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Levels of groups below the root that are told apart.
    #[arg(long, default_value_t = 2, value_parser = whole_number_between(0, 1000))]
    depth: usize,
    /// Seconds to measure; 0 until Ctrl-C, which ends it like any other end.
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 10.0,
          value_parser = number_between(0.0, 1e9, "s"))]
    seconds: f64,
    /// Where the kernel's power capping is, if not at /sys/class/powercap; counters that stand
    /// still are then an error.
    #[arg(long, value_name = "DIR")]
    powercap: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
}

/// Folder of the kernel's power capping.
const POWERCAP_FOLDER: &str = "/sys/class/powercap";

/// Folders in which control groups may be.
const CGROUP_ROOTS: [&str; 3] =
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpuacct"];

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = match &arguments.root {
        Some(root) => root.clone(),
        None => find_root()?,
    };
    if group_usage_ns(&root).is_none() {
        let text = "neither cpu.stat with usage_usec nor cpuacct.usage is there; --root names \
                    the folder of control groups";
        return Err(Failure::input(root, text));
    }
    let folder = arguments.powercap.as_deref().unwrap_or(Path::new(POWERCAP_FOLDER));
    let zones = match package_zones(folder).map(moving_zones) {
        Ok(Err(why)) if arguments.powercap.is_some() && arguments.stream.watts.is_none() => {
            return Err(Failure::Board(format!("--powercap: {why}; --watts states a model")));
        }
        found => found.and_then(|moving| moving),
    };
    let options = arguments.stream.options(zones.is_ok())?;
    let mut session = TenantSession::open(&arguments.stream, options)?;
    let mut notes = vec![format!("control groups below {}, by CPU time", root.display())];
    let zones = zones.unwrap_or_else(|why| {
        notes.push(why);
        Vec::new()
    });
    let meters: Vec<(MeterId, PowercapZone)> = zones
        .into_iter()
        .map(|zone| (session.stream.add_meter(&zone.name, zone.counter), zone))
        .collect();
    let start = Instant::now();
    let limit = (arguments.seconds > 0.0).then(|| Duration::from_secs_f64(arguments.seconds));
    let window = Duration::from_millis(arguments.stream.window_ms);
    let mut schedule = Schedule::new(window, limit);
    let mut before = read_groups(&root, arguments.depth, start);
    let energy = read_meters(&mut session, &meters, before.at_ns);
    session.take_batch(energy)?;
    let stop = StopRequest::listen();
    loop {
        let is_stopped = stop.sleep(schedule.next(), || false);
        schedule.advance();
        let after = read_groups(&root, arguments.depth, start);
        let mut records = read_meters(&mut session, &meters, after.at_ns);
        cgroup_records(&before, &after, &mut session.names, |record| records.push(record));
        if after.cpus != before.cpus {
            session.stream.troubles_mut().hotplugs += after.cpus.abs_diff(before.cpus) as u64;
        }
        session.take_batch(records)?;
        before = after;
        if schedule.is_over() || is_stopped {
            return session.finish(&root.display().to_string(), &notes);
        }
    }
}

fn find_root() -> Result<PathBuf, Failure> {
    let found = CGROUP_ROOTS.iter().map(Path::new).find(|root| group_usage_ns(root).is_some());
    found.map(Path::to_path_buf).ok_or_else(|| {
        let text = "no control groups with cpu.stat or cpuacct.usage; --root names their folder";
        Failure::input(CGROUP_ROOTS[0], text)
    })
}

/// Reads the meters, with the time at which the groups were read.
fn read_meters(
    session: &mut TenantSession<'_>,
    meters: &[(MeterId, PowercapZone)],
    at_ns: u64,
) -> Vec<TenantRecord> {
    let mut records = Vec::new();
    for (meter, zone) in meters {
        match zone.read() {
            Some(reading) => records.push(TenantRecord::Energy { at_ns, meter: *meter, reading }),
            None => session.stream.troubles_mut().unreadable += 1,
        }
    }
    records
}

fn ns_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn group_usage_ns(group: &Path) -> Option<u64> {
    let files = ["cpu.stat", "cpuacct.usage"];
    files.iter().find_map(|file| usage_ns(&fs::read_to_string(group.join(file)).ok()?))
}

/// Reads the CPU time of all groups; a group that ends meanwhile is left out.
fn read_groups(root: &Path, depth: usize, start: Instant) -> CgroupReading {
    let at_ns = ns_since(start);
    let cpus = fs::read_to_string("/sys/devices/system/cpu/online");
    let cpus = cpus.ok().and_then(|text| count_cpus(text.trim())).unwrap_or(1);
    let mut reading = CgroupReading { at_ns, cpus, ..CgroupReading::default() };
    read_groups_below(root, "", depth, &mut reading);
    reading
}

fn read_groups_below(folder: &Path, path: &str, depth: usize, reading: &mut CgroupReading) {
    if let Some(ns) = group_usage_ns(folder) {
        let name = if path.is_empty() { "/" } else { path };
        reading.usage_ns.insert(name.to_owned(), ns);
    }
    if depth == 0 {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            let name = entry.file_name().to_string_lossy().into_owned();
            read_groups_below(&entry.path(), &format!("{path}/{name}"), depth - 1, reading);
        }
    }
}

/// `0-3,5`.
fn count_cpus(text: &str) -> Option<usize> {
    text.split(',').try_fold(0, |sum, part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
        Some(sum + to.checked_sub(from)? + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_on_line() {
        assert_eq!(
            (count_cpus("0-3,5"), count_cpus("0"), count_cpus("3-1")),
            (Some(5), Some(1), None)
        );
    }

    #[test]
    fn groups_below_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let group = |path: &str, usec: u64| {
            let group = root.path().join(path);
            fs::create_dir_all(&group).unwrap();
            fs::write(group.join("cpu.stat"), format!("usage_usec {usec}\n")).unwrap();
        };
        group("", 10);
        group("a/b/c", 4);
        group("a", 7);
        group("a/b", 5);
        let reading = read_groups(root.path(), 2, Instant::now());
        let expected = [("/", 10_000), ("/a", 7_000), ("/a/b", 5_000)];
        let expected = expected.map(|(path, ns)| (path.to_owned(), ns)).into();
        assert_eq!(reading.usage_ns, expected);
    }
}
