//! `/proc/PID/cgroup`: the container of each process.

use super::super::containers::container;
use super::super::facts::HostFacts;
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError};

/// Sensor of the containers of processes.
#[derive(Debug)]
pub struct Cgroups;

const GROUPS: &str = "/proc/[0-9]*/cgroup";

impl Sensor for Cgroups {
    fn name(&self) -> &'static str {
        "cgroups"
    }

    fn patterns(&self) -> Vec<String> {
        vec![GROUPS.to_string()]
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let mut groups = snapshot.matching(GROUPS).peekable();
        if groups.peek().is_none() {
            let problem = snapshot.why_missing(GROUPS);
            return Err(SensorError { sensor: self.name(), problem });
        }
        let pid = |path: &str| path.split('/').nth(2)?.parse().ok();
        facts.containers =
            groups.filter_map(|(path, text)| Some((pid(path)?, container(text)?))).collect();
        Ok(())
    }
}
