//! The socket from which an agent is read, and why there may be none.

use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wattline_units::limits::{AGENT_LINE_BYTES, AGENT_READING_BYTES, AGENT_SECONDS, InputLimit};

use super::ToolchainError;
use super::peer::{Peer, connect_unix};

/// The connection to an agent. What it sends is bounded in bytes and in time: anybody may have
/// written the file that names it.
#[derive(Debug)]
pub struct AgentLink {
    peer: BufReader<Peer>,
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
    Gone(io::Error),
    /// It sends more than an agent does.
    #[error("the JVM sends more than its agent would, so it is not read any further: {0}")]
    TooMuch(io::Error),
    /// A tool failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
}

impl AttachError {
    /// Of what a connection met.
    pub(super) fn of(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::FileTooLarge => Self::TooMuch(error),
            _ => Self::Gone(error),
        }
    }
}

/// What an agent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReply {
    /// The reading.
    pub text: String,
    /// Whether it is the last one: the JVM ends.
    pub is_last: bool,
}

/// How long an agent may take for an answer.
const ANSWER: Duration = Duration::from_secs(AGENT_SECONDS.most);

/// Where an agent listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentAddress {
    /// A port of the loopback interface.
    Port(u16),
    /// A Unix socket.
    Socket(PathBuf),
}

impl AgentAddress {
    /// Of a line `port=NUMBER` or `socket=PATH` in a file of a folder; none if there is no such
    /// line.
    pub fn parse(text: &str, folder: &Path) -> Option<Self> {
        match field(text, "socket") {
            Some(path) => Some(Self::Socket(folder.join(path))),
            None => field(text, "port")?.parse().ok().map(Self::Port),
        }
    }

    fn connect(&self) -> io::Result<Peer> {
        match self {
            Self::Socket(path) => Ok(Peer::new(connect_unix(path, ANSWER)?)),
            Self::Port(port) => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
                let stream = TcpStream::connect_timeout(&address, ANSWER)?;
                stream.set_nodelay(true)?;
                Ok(Peer::new(stream))
            }
        }
    }
}

/// The value of a line `KEY=VALUE`.
pub(super) fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(str::trim)
}

/// Where an agent listens that nobody has started from here: the file that it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFile {
    address: AgentAddress,
    token: String,
    /// Its process, by the number that it has where it runs.
    pub pid: u32,
}

impl LinkFile {
    /// Of the text of a file in a folder; none if it is not one.
    pub fn parse(text: &str, folder: &Path) -> Option<Self> {
        Some(Self {
            address: AgentAddress::parse(text, folder)?,
            token: field(text, "token").filter(|token| !token.is_empty())?.to_string(),
            pid: field(text, "pid")?.parse().ok()?,
        })
    }

    /// Connects.
    ///
    /// # Errors
    /// If nobody answers: the JVM has ended.
    pub fn connect(&self) -> Result<AgentLink, AttachError> {
        AgentLink::open(&self.address, &self.token).map_err(AttachError::of)
    }
}

impl AgentLink {
    pub(super) fn open(address: &AgentAddress, token: &str) -> io::Result<Self> {
        let mut peer = BufReader::new(address.connect()?);
        peer.get_mut().allow(Some(ANSWER));
        peer.get_mut().write_all(format!("{token}\n").as_bytes())?;
        let greeting = read_line(&mut peer)?;
        Ok(Self { peer, greeting })
    }

    /// The agent's first line.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Asks for a reading. A JVM that ends meanwhile, or has ended since the last one, has
    /// left its last one.
    ///
    /// # Errors
    /// If the JVM has ended without it, or does not answer, or answers without end.
    pub fn read(&mut self) -> Result<AgentReply, AttachError> {
        self.peer.get_mut().allow(Some(ANSWER));
        // One that has ended can't be asked, and its last reading is there.
        let asked = self.peer.get_mut().write_all(b"read\n");
        let mut text = String::new();
        let mut is_last = false;
        loop {
            let line = read_line(&mut self.peer).map_err(AttachError::of)?;
            if line.is_empty() {
                asked.map_err(AttachError::Gone)?;
                return Err(AttachError::Gone(ErrorKind::UnexpectedEof.into()));
            }
            if line == "last\n" && text.is_empty() && !is_last {
                is_last = true;
                continue;
            }
            text.push_str(&line);
            check(AGENT_READING_BYTES, text.len())?;
            if line == "end\n" {
                return Ok(AgentReply { text, is_last });
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
        let peer = self.peer.get_mut();
        peer.allow(Some(ANSWER));
        peer.write_all(line.as_bytes()).map_err(AttachError::Gone)
    }
}

fn read_line(peer: &mut BufReader<Peer>) -> io::Result<String> {
    let line = AGENT_LINE_BYTES.read_line(peer)?;
    String::from_utf8(line).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn check(limit: InputLimit, asked: usize) -> Result<(), AttachError> {
    limit.check(asked as u64).map_err(|exceeded| AttachError::TooMuch(exceeded.into()))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn a_link_file_has_all_its_parts() {
        let text = "port=4711\ntoken=ab\npid=7\n";
        let parse = |text: &str| LinkFile::parse(text, Path::new("/run"));
        let link = parse(text).unwrap();
        assert_eq!(link.address, AgentAddress::Port(4711));
        assert_eq!((link.token.as_str(), link.pid), ("ab", 7));
        for part in ["port=4711\n", "token=ab\n", "pid=7\n"] {
            assert_eq!(parse(&text.replace(part, "")), None, "{part}");
        }
        let near = parse("socket=a.d/socket\ntoken=ab\npid=7\n").unwrap();
        assert_eq!(near.address, AgentAddress::Socket("/run/a.d/socket".into()));
        let far = parse("socket=/x/socket\ntoken=ab\npid=7\n").unwrap();
        assert_eq!(far.address, AgentAddress::Socket("/x/socket".into()));
    }

    /// A JVM that answers each connection with the same bytes, again and again.
    fn hostile(head: &'static str, rest: &str) -> LinkFile {
        let rest = rest.repeat(4096);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = AgentAddress::Port(listener.local_addr().unwrap().port());
        thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            peer.write_all(head.as_bytes()).ok();
            while peer.write_all(rest.as_bytes()).is_ok() {}
        });
        LinkFile { address, token: "ab".into(), pid: 7 }
    }

    #[test]
    fn an_agent_that_never_ends_its_greeting_line_or_reading_is_refused() {
        let error = hostile("", "x").connect().unwrap_err().to_string();
        assert!(error.contains(AGENT_LINE_BYTES.name), "{error}");
        let mut link = hostile("hello\n", "x").connect().unwrap();
        assert_eq!(link.greeting(), "hello\n");
        let error = link.read().unwrap_err().to_string();
        assert!(error.contains(AGENT_LINE_BYTES.name), "{error}");
        let problem = format!("problem {}\n", "x".repeat(1000));
        let mut link = hostile("hello\n", &problem).connect().unwrap();
        let error = link.read().unwrap_err().to_string();
        assert!(error.contains(AGENT_READING_BYTES.name), "{error}");
    }
}
