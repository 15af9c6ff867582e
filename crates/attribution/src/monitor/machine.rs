//! The machine that the program runs on, whose sensors are files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::host::{Host, HostError, HostSnapshot, matches_name, uptime_s};

/// This machine, whose files are read directly.
#[derive(Debug)]
pub struct ThisMachine {
    began_s: f64,
    began: Instant,
}

impl ThisMachine {
    /// Opens this machine, with its present time.
    ///
    /// # Errors
    /// If this is no Linux.
    pub fn open() -> Result<Self, HostError> {
        let no_clock =
            |problem: String| HostError::NoClock { host: "this machine".into(), problem };
        let text = fs::read_to_string("/proc/uptime").map_err(|e| no_clock(e.to_string()))?;
        let began_s = uptime_s(&text).ok_or_else(|| no_clock(format!("it holds `{text}`")))?;
        Ok(Self { began_s, began: Instant::now() })
    }
}

impl Host for ThisMachine {
    fn name(&self) -> String {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        format!("this machine ({})", model.map_or("unknown processor", |(_, name)| name.trim()))
    }

    fn snapshot(&self, patterns: &BTreeSet<String>) -> Result<HostSnapshot, HostError> {
        // The file has hundredths of a second only.
        let mut snapshot = HostSnapshot::at(self.began_s + self.began.elapsed().as_secs_f64());
        for path in patterns.iter().flat_map(|pattern| files(pattern)) {
            let Some(name) = path.to_str() else { continue };
            match fs::read(&path) {
                Ok(bytes) => snapshot.put(name, Ok(String::from_utf8_lossy(&bytes).into_owned())),
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    snapshot.put(name, Err("permission denied".into()));
                }
                // gone meanwhile, or without a value at present
                Err(_) => {}
            }
        }
        Ok(snapshot)
    }

    fn ask(&self, question: &str) -> Result<String, HostError> {
        let output = Command::new("/bin/sh").args(["-c", question]).output();
        let output = output.map_err(|error| HostError::Command {
            host: "this machine".into(),
            problem: format!("/bin/sh did not start: {error}"),
        })?;
        Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }
}

/// The files that a pattern matches.
fn files(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = match part.contains(['*', '[']) {
            false => found.into_iter().map(|folder| folder.join(part)).collect(),
            true => found.iter().flat_map(|folder| children(folder, part)).collect(),
        };
    }
    found.retain(|path| path.exists());
    found
}

fn children(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| matches_name(pattern, name)));
    names.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::RunningModules;
    use super::super::formulas::DesignPower;
    use super::super::host::{parse_shell_answer, shell_question};
    use super::*;

    /// The same machine, read by files and by a shell, has this process in it.
    #[test]
    fn files_and_shell_say_the_same() {
        let Ok(machine) = ThisMachine::open() else {
            return crate::skip::because("no /proc");
        };
        let patterns: BTreeSet<String> =
            ["/proc/stat".to_string(), "/proc/[0-9]*/stat".to_string()].into();
        let own = format!("/proc/{}/stat", std::process::id());
        let direct = machine.snapshot(&patterns).unwrap();
        let shell = parse_shell_answer(&machine.ask(&shell_question(&patterns)).unwrap()).unwrap();
        for snapshot in [&direct, &shell] {
            assert!(snapshot.text("/proc/stat").unwrap().starts_with("cpu "));
            let (id, _) =
                super::super::sensors::parse_process(snapshot.text(&own).unwrap()).unwrap();
            assert_eq!(id.pid, std::process::id());
        }
        assert!((direct.uptime_s - shell.uptime_s).abs() < 30.0);
    }

    #[test]
    fn this_machines_processes_add_up() {
        let Ok(machine) = ThisMachine::open() else {
            return crate::skip::because("no /proc");
        };
        let mut modules = RunningModules::default();
        modules.start(Box::new(DesignPower { tdp_w: 100.0, voltages: None }));
        assert!(modules.cycle(&machine).unwrap().is_none());
        let mut sum = 0_u64;
        while machine.began.elapsed() < Duration::from_millis(60) {
            sum = sum.wrapping_mul(31).wrapping_add(machine.began.elapsed().as_nanos() as u64);
        }
        let cycle = modules.cycle(&machine).unwrap().unwrap();
        assert!(cycle.is_conserved() && cycle.duration_s() > 0.05, "{sum}");
    }
}
