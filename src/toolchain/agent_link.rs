//! The loopback socket from which an agent is read, and why there may be none.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use super::ToolchainError;

/// The connection to an agent.
#[derive(Debug)]
pub struct AgentLink {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
    greeting: String,
}

/// Why a running JVM can't be measured.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// No such process.
    #[error("there is no process {0}")]
    NoProcess(u32),
    /// The process is no JVM, or doesn't answer.
    #[error(
        "process {pid} does not let an agent in: {message}. Only a JVM of the same user does, \
             and only without -XX:+DisableAttachMechanism; run as its user, or start it with \
             `wattline monitor -- java ...`"
    )]
    Refused {
        /// The process.
        pid: u32,
        /// Its answer.
        message: String,
    },
    /// The agent came in and failed.
    #[error("the agent could not start in process {pid}: {message}")]
    Agent {
        /// The process.
        pid: u32,
        /// What it said.
        message: String,
    },
    /// The agent does not say where it listens.
    #[error(
        "no agent answers within {seconds} s; did the JVM end, or is it no JVM of Java 11 or later?"
    )]
    Silent {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The connection ended.
    #[error("the JVM does not answer any more ({0}): it has ended, or is stopped")]
    Gone(std::io::Error),
    /// A tool failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
}

/// What an agent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The reading.
    pub text: String,
    /// Whether it is the last one: the JVM ends.
    pub is_last: bool,
}

/// How long an agent may take: a collection of a large heap stops it.
const ANSWER: Duration = Duration::from_secs(10);

/// No reading is longer.
const LENGTH_MAX: u64 = 256 << 20;

/// Where an agent listens that nobody has started from here: the file that it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFile {
    port: u16,
    token: String,
    /// Its process, by the number that it has where it runs.
    pub pid: u32,
}

impl LinkFile {
    /// Of the file's text; none if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let field = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(str::trim)
        };
        let token = field("token").filter(|token| !token.is_empty())?;
        Some(Self {
            port: field("port")?.parse().ok()?,
            token: token.to_string(),
            pid: field("pid")?.parse().ok()?,
        })
    }

    /// Connects.
    ///
    /// # Errors
    /// If nobody answers: the JVM has ended.
    pub fn connect(&self) -> Result<AgentLink, AttachError> {
        AgentLink::open(self.port, &self.token).map_err(AttachError::Gone)
    }
}

impl AgentLink {
    pub(super) fn open(port: u16, token: &str) -> std::io::Result<Self> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(format!("{token}\n").as_bytes())?;
        let mut lines = BufReader::new(stream.try_clone()?);
        let mut greeting = String::new();
        lines.read_line(&mut greeting)?;
        Ok(Self { stream, lines, greeting })
    }

    /// The agent's first line.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Asks for a reading. A JVM that ends meanwhile, or has ended since the last one, has
    /// left its last one.
    ///
    /// # Errors
    /// If the JVM has ended without it, or does not answer.
    pub fn read(&mut self) -> Result<Answer, AttachError> {
        // One that has ended can't be asked, and its last reading is there.
        let asked = self.stream.write_all(b"read\n");
        let mut text = String::new();
        let mut is_last = false;
        let mut limited = (&mut self.lines).take(LENGTH_MAX);
        loop {
            let from = text.len();
            let length = limited.read_line(&mut text).map_err(AttachError::Gone)?;
            if length == 0 {
                asked.map_err(AttachError::Gone)?;
                return Err(AttachError::Gone(std::io::ErrorKind::UnexpectedEof.into()));
            }
            match &text[from..] {
                "end\n" => return Ok(Answer { text, is_last }),
                "last\n" if from == 0 => {
                    is_last = true;
                    text.clear();
                }
                _ => {}
            }
        }
    }

    /// Takes the probes out of some methods.
    ///
    /// # Errors
    /// If the JVM has ended.
    pub fn fold(&mut self, methods: &[usize]) -> Result<(), AttachError> {
        self.tell("fold", methods)
    }

    /// Counts and times some methods in windows of time alone from now on.
    ///
    /// # Errors
    /// If the JVM has ended.
    pub fn window(&mut self, methods: &[usize]) -> Result<(), AttachError> {
        self.tell("window", methods)
    }

    fn tell(&mut self, command: &str, methods: &[usize]) -> Result<(), AttachError> {
        if methods.is_empty() {
            return Ok(());
        }
        let numbers: Vec<String> = methods.iter().map(usize::to_string).collect();
        let line = format!("{command} {}\n", numbers.join(" "));
        self.stream.write_all(line.as_bytes()).map_err(AttachError::Gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_file_has_all_its_parts() {
        let text = "port=4711\ntoken=ab\npid=7\n";
        let link = LinkFile::parse(text).unwrap();
        assert_eq!((link.port, link.token.as_str(), link.pid), (4711, "ab", 7));
        for part in ["port=4711\n", "token=ab\n", "pid=7\n"] {
            assert_eq!(LinkFile::parse(&text.replace(part, "")), None, "{part}");
        }
    }
}
