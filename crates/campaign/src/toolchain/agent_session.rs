//! One measurement of a JVM by the agent: its settings, and how a JVM gets it.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::private_files::TemporaryFolder;

use super::agent_link::{AgentAddress, AgentLink, AttachError, field};
use super::class_path::join_paths;
use super::jvm_process::check_jvm;
use super::monitor_agent::MonitorAgent;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

/// How a JVM is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// `sampling` or `instrumentation`.
    pub mode: &'static str,
    /// Prefixes of class names that take part; all but the platform's if none.
    pub include: Vec<String>,
    /// Prefixes that don't.
    pub exclude: Vec<String>,
    /// Milliseconds between two samples; without, as often as costs little.
    pub period_ms: Option<u32>,
    /// Part of the time in which instrumented calls are timed, in percent.
    pub duty_percent: u32,
    /// What shares CPU time among instrumented methods: samples, or the durations
    /// that probes find.
    pub shares: Shares,
    /// Whether methods too small to carry a probe get one.
    pub small_methods: SmallMethods,
    /// Whether bytes of sockets are counted, for which a few of the platform's classes are
    /// changed.
    pub counts_bytes: bool,
}

/// What shares a thread's CPU time among its methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shares {
    /// Samples of Flight Recorder.
    Samples,
    /// Durations by probes.
    Durations,
}

impl Shares {
    /// Its name in the agent's settings.
    fn name(self) -> &'static str {
        match self {
            Shares::Samples => "samples",
            Shares::Durations => "durations",
        }
    }
}

/// What happens to methods that cost less than a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallMethods {
    /// Their time is their callers'.
    Skip,
    /// They get a probe.
    Probe,
}

/// The file in the settings' folder in which the agent says where it listens, or what failed.
const ADDRESS: &str = "address";

/// A measurement that was prepared.
#[derive(Debug)]
pub struct AgentSession {
    agent: PathBuf,
    attach: PathBuf,
    token: String,
    shares: Shares,
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
        let token = token()?;
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
            ("small", small(settings.small_methods).to_string()),
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

    /// The options with which a JVM starts the agent. For samples, compiled code also has its
    /// place in the sources at every instruction, and not at safepoints alone: without that,
    /// inlined methods can't be told apart well.
    pub fn jvm_options(&self) -> Vec<String> {
        let located: &[&str] = match self.shares {
            Shares::Samples => &["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"],
            Shares::Durations => &[],
        };
        let agent = format!("-javaagent:{}={}", self.agent.display(), self.settings().display());
        located.iter().map(ToString::to_string).chain([agent]).collect()
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("settings")
    }

    /// Lets the agent into a running JVM.
    ///
    /// # Errors
    /// A process that is none, or refuses.
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

    /// Connects to the agent in a process, which may be starting yet. `is_alive` says whether
    /// its JVM still runs.
    ///
    /// # Errors
    /// No answer in time, or one that says why there is no agent.
    pub fn connect(
        &self,
        pid: u32,
        limit: Duration,
        mut is_alive: impl FnMut() -> bool,
    ) -> Result<AgentLink, AttachError> {
        let deadline = Instant::now() + limit;
        let path = self.folder.path().join(ADDRESS);
        loop {
            if let Ok(text) = fs::read_to_string(&path) {
                return self.open(pid, &text);
            }
            if Instant::now() > deadline || !is_alive() {
                return Err(AttachError::Silent { seconds: limit.as_secs() });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens what the agent's answer says.
    fn open(&self, pid: u32, answer: &str) -> Result<AgentLink, AttachError> {
        if let Some(problem) = field(answer, "problem") {
            return Err(AttachError::Agent { pid, message: problem.into() });
        }
        match AgentAddress::parse(answer, self.folder.path()) {
            Some(address) => AgentLink::open(&address, &self.token).map_err(AttachError::of),
            None => Err(AttachError::Agent { pid, message: "it gives no address".into() }),
        }
    }
}

/// Checks that a process may be asked to let an agent in: it gets a signal that ends any
/// program but a JVM.
///
/// # Errors
/// No such process, or one that is no JVM.
pub fn check_attachable(pid: u32) -> Result<(), AttachError> {
    if !PathBuf::from(format!("/proc/{pid}")).is_dir() {
        return Err(AttachError::NoProcess(pid));
    }
    check_jvm(pid).map_err(|why| AttachError::Refused { pid, message: why.to_string() })
}

fn small(choice: SmallMethods) -> &'static str {
    match choice {
        SmallMethods::Skip => "no",
        SmallMethods::Probe => "yes",
    }
}

/// A word that nobody guesses.
pub(super) fn token() -> Result<String, ToolchainError> {
    let mut bytes = [0; 16];
    let source = "/dev/urandom";
    let mut file = fs::File::open(source).map_err(ToolchainError::io("open", source))?;
    file.read_exact(&mut bytes).map_err(ToolchainError::io("read", source))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A value of a properties file.
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
        assert_eq!(token().unwrap().len(), 32);
    }

    #[test]
    fn an_agent_that_failed_says_why() {
        let session = AgentSession::prepare(&agent(), &settings()).unwrap();
        let answer = |text: &str| {
            fs::write(session.folder.path().join(ADDRESS), text).unwrap();
            session.connect(7, Duration::from_secs(9), || true).unwrap_err().to_string()
        };
        assert!(answer("problem=this is Java 1.8\n").ends_with("process 7: this is Java 1.8"));
        assert!(answer("strange\n").contains("no address"));
        let ended = AgentSession::prepare(&agent(), &settings()).unwrap();
        let silent = ended.connect(7, Duration::from_secs(9), || false).unwrap_err();
        assert!(matches!(silent, AttachError::Silent { .. }), "{silent}");
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
            shares: Shares::Samples,
            small_methods: SmallMethods::Skip,
            counts_bytes: false,
        }
    }
}
