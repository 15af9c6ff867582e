//! One measurement of a JVM by the agent: settings, and how the agent gets into the JVM.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::private_files::TemporaryFolder;

use super::agent_link::{AgentAddress, AgentLink, AttachError, value_of_key};
use super::class_path::join_paths;
use super::jvm_process::check_jvm;
use super::monitor_agent::MonitorAgent;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

/// Settings of a measurement of a JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// `sampling` or `instrumentation`.
    pub mode: &'static str,
    /// Prefixes of the class names to measure; if empty, all classes but the platform's.
    pub include: Vec<String>,
    /// Prefixes of class names to leave out.
    pub exclude: Vec<String>,
    /// Milliseconds between two samples; `None` for the shortest period that costs little.
    pub period_ms: Option<u32>,
    /// Percentage of the time in which instrumented calls are timed.
    pub duty_percent: u32,
    /// Whether CPU time is divided among instrumented methods by samples or by the durations that
    /// probes measure.
    pub shares: CpuTimeAllocation,
    /// Whether methods too small for a probe get one.
    pub small_methods: SmallMethodPolicy,
    /// Whether bytes of sockets are counted, which changes a few classes of the platform.
    pub counts_bytes: bool,
}

/// Weights by which a thread's CPU time is divided among its methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuTimeAllocation {
    /// Samples of Flight Recorder.
    Samples,
    /// Durations measured by probes.
    Durations,
}

impl CpuTimeAllocation {
    /// The value in the agent's settings file.
    fn name(self) -> &'static str {
        match self {
            CpuTimeAllocation::Samples => "samples",
            CpuTimeAllocation::Durations => "durations",
        }
    }
}

/// Treatment of methods that cost less than a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallMethodPolicy {
    /// No probe: their time counts for their callers.
    Skip,
    /// A probe as for any other method.
    Probe,
}

/// Name of the file in the settings folder to which the agent writes its address or an error.
const ADDRESS_FILE: &str = "address";

/// A prepared measurement: settings on disk, token and agent jars.
#[derive(Debug)]
pub struct AgentSession {
    agent: PathBuf,
    attach: PathBuf,
    token: String,
    shares: CpuTimeAllocation,
    folder: TemporaryFolder,
}

impl AgentSession {
    /// Writes the settings into a folder that only this user can read.
    ///
    /// # Errors
    /// Folders that can't be written.
    pub fn prepare(agent: &MonitorAgent, settings: &AgentSettings) -> Result<Self, ToolchainError> {
        let folder = TemporaryFolder::new("agent")
            .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
        let token = random_token()?;
        let period = settings.period_ms.map(|ms| ("period-ms", ms.max(1).to_string()));
        let lines = [
            ("probe", agent.probe.display().to_string()),
            ("service", join_paths(&agent.service)),
            ("token", token.clone()),
            ("mode", settings.mode.to_string()),
            ("shares", settings.shares.name().to_string()),
            ("include", settings.include.join(",")),
            ("exclude", settings.exclude.join(",")),
            ("duty", settings.duty_percent.clamp(1, 100).to_string()),
            ("small", small_methods_setting(settings.small_methods).to_string()),
            ("bytes", if settings.counts_bytes { "yes" } else { "no" }.to_string()),
        ];
        let text: String = lines
            .iter()
            .chain(&period)
            .map(|(key, value)| format!("{key}={}\n", property_value(value)))
            .collect();
        let path = folder.path().join("settings");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(ToolchainError::io("create", &path))?;
        file.write_all(text.as_bytes()).map_err(ToolchainError::io("write", &path))?;
        let (agent, attach) = (agent.agent.clone(), agent.attach.clone());
        Ok(Self { agent, attach, token, shares: settings.shares, folder })
    }

    /// JVM options that start the agent. With samples, they also make compiled code map every
    /// instruction to a source line, not safepoints alone; without that, inlined methods can't be
    /// told apart well.
    pub fn jvm_options(&self) -> Vec<String> {
        let located: &[&str] = match self.shares {
            CpuTimeAllocation::Samples => {
                &["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]
            }
            CpuTimeAllocation::Durations => &[],
        };
        let agent = format!("-javaagent:{}={}", self.agent.display(), self.settings().display());
        located.iter().map(ToString::to_string).chain([agent]).collect()
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("settings")
    }

    /// Loads the agent into the running JVM `pid`.
    ///
    /// # Errors
    /// The process is no JVM, or refuses the agent.
    pub fn attach(&self, jdk: &Jdk, pid: u32) -> Result<(), AttachError> {
        check_attachable(pid)?;
        let output = Command::new(&jdk.java)
            .args(BRIEF_JVM)
            .args(["--add-modules", "jdk.attach", "-cp"])
            .arg(&self.attach)
            .args(["wattline.monitor.attach.Attach", &pid.to_string()])
            .arg(&self.agent)
            .arg(self.settings())
            .env_remove("JAVA_TOOL_OPTIONS")
            .envs(UTF8_LOCALE)
            .output()
            .map_err(ToolchainError::io("start", &jdk.java))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let message = said.lines().next().unwrap_or("no message").trim().to_string();
        match output.status.code() {
            Some(0) => Ok(()),
            Some(4) => Err(AttachError::Agent { pid, message }),
            _ => Err(AttachError::Refused { pid, message }),
        }
    }

    /// Connects to the agent in a process, which may still be starting. `is_alive` returns whether
    /// the JVM still runs.
    ///
    /// # Errors
    /// No address in time, or an error message in its place.
    pub fn connect(
        &self,
        pid: u32,
        limit: Duration,
        mut is_alive: impl FnMut() -> bool,
    ) -> Result<AgentLink, AttachError> {
        let deadline = Instant::now() + limit;
        let path = self.folder.path().join(ADDRESS_FILE);
        loop {
            if let Ok(text) = fs::read_to_string(&path) {
                return self.open(pid, &text);
            }
            if Instant::now() > deadline || !is_alive() {
                return Err(AttachError::NoAnswer { seconds: limit.as_secs() });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens the connection to the address in the agent's answer.
    fn open(&self, pid: u32, answer: &str) -> Result<AgentLink, AttachError> {
        if let Some(problem) = value_of_key(answer, "problem") {
            return Err(AttachError::Agent { pid, message: problem.into() });
        }
        match AgentAddress::parse(answer, self.folder.path()) {
            Some(address) => AgentLink::open(&address, &self.token).map_err(AttachError::of),
            None => Err(AttachError::Agent { pid, message: "it gives no address".into() }),
        }
    }
}

/// Checks that a process is a JVM that can be asked to load an agent: the request is a signal that
/// ends any other program.
///
/// # Errors
/// No such process, or one that is no JVM.
pub fn check_attachable(pid: u32) -> Result<(), AttachError> {
    if !PathBuf::from(format!("/proc/{pid}")).is_dir() {
        return Err(AttachError::NoProcess(pid));
    }
    check_jvm(pid).map_err(|why| AttachError::Refused { pid, message: why.to_string() })
}

fn small_methods_setting(choice: SmallMethodPolicy) -> &'static str {
    match choice {
        SmallMethodPolicy::Skip => "no",
        SmallMethodPolicy::Probe => "yes",
    }
}

/// A random token that other users can't guess, as hexadecimal digits.
pub(super) fn random_token() -> Result<String, ToolchainError> {
    let mut bytes = [0; 16];
    let source = "/dev/urandom";
    let mut file = fs::File::open(source).map_err(ToolchainError::io("open", source))?;
    file.read_exact(&mut bytes).map_err(ToolchainError::io("read", source))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Escapes a value for a properties file.
fn property_value(value: &str) -> String {
    let mut text = String::new();
    for unit in value.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'\\') => text.push_str("\\\\"),
            Ok(byte) if byte.is_ascii_graphic() => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    #[test]
    fn settings_are_in_a_folder_of_this_user_alone() {
        let session = AgentSession::prepare(&agent(), &settings()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(session.folder.path()), 0o700);
        assert_eq!(mode(&session.settings()), 0o600);
        assert_eq!(property_value("/a b\\é"), "/a\\u0020b\\\\\\u00e9");
        assert_eq!(random_token().unwrap().len(), 32);
    }

    #[test]
    fn an_agent_that_failed_says_why() {
        let session = AgentSession::prepare(&agent(), &settings()).unwrap();
        let answer = |text: &str| {
            fs::write(session.folder.path().join(ADDRESS_FILE), text).unwrap();
            session.connect(7, Duration::from_secs(9), || true).unwrap_err().to_string()
        };
        assert!(answer("problem=this is Java 1.8\n").ends_with("process 7: this is Java 1.8"));
        assert!(answer("strange\n").contains("no address"));
        let ended = AgentSession::prepare(&agent(), &settings()).unwrap();
        let silent = ended.connect(7, Duration::from_secs(9), || false).unwrap_err();
        assert!(matches!(silent, AttachError::NoAnswer { .. }), "{silent}");
    }

    fn agent() -> MonitorAgent {
        let jar = PathBuf::from("a.jar");
        let (probe, attach) = (jar.clone(), jar.clone());
        MonitorAgent { agent: jar, probe, service: Vec::new(), attach }
    }

    fn settings() -> AgentSettings {
        AgentSettings {
            mode: "sampling",
            include: Vec::new(),
            exclude: Vec::new(),
            period_ms: None,
            duty_percent: 5,
            shares: CpuTimeAllocation::Samples,
            small_methods: SmallMethodPolicy::Skip,
            counts_bytes: false,
        }
    }
}
