//! Connection to the JVM agent, by a loopback port or a Unix socket, and the errors of attaching.

use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wattline_units::limits::{AGENT_LINE_BYTES, AGENT_READING_BYTES, AGENT_SECONDS, InputLimit};

use super::ToolchainError;
use super::deadline_stream::{DeadlineStream, connect_unix_socket};

/// Connection to an agent. Replies are limited in bytes and in time, because any program may have
/// written the file with the agent's address.
#[derive(Debug)]
pub struct AgentLink {
    peer: BufReader<DeadlineStream>,
    greeting: String,
}

/// Error of attaching an agent to a running JVM or of reading from the agent.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// No process with this number.
    #[error("there is no process {0}")]
    NoProcess(u32),
    /// The process is no JVM, or doesn't answer.
    #[error(
        "cannot attach to process {pid}: {message}. It has to be a JVM of the same user, started \
             without -XX:+DisableAttachMechanism; run as its user, or start it with \
             `wattline monitor -- java ...`"
    )]
    Refused {
        /// The process.
        pid: u32,
        /// The message of the attaching program.
        message: String,
    },
    /// The agent was loaded and failed.
    #[error("the agent could not start in process {pid}: {message}")]
    Agent {
        /// The process.
        pid: u32,
        /// The agent's error message.
        message: String,
    },
    /// The agent wrote no address within the limit.
    #[error(
        "no agent answers within {seconds} s; did the JVM end, or is it no JVM of Java 11 or later?"
    )]
    NoAnswer {
        /// Time limit in seconds.
        seconds: u64,
    },
    /// The connection ended before a whole reply.
    #[error("the JVM does not answer any more ({0}): it has ended, or is stopped")]
    Disconnected(io::Error),
    /// A reply larger than the limit.
    #[error("the JVM sends more than its agent would, so it is not read any further: {0}")]
    TooLong(io::Error),
    /// A tool failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
}

impl AttachError {
    /// Maps an I/O error of the connection: `FileTooLarge` is a reply over the limit, any other a
    /// lost connection.
    pub(super) fn of(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::FileTooLarge => Self::TooLong(error),
            _ => Self::Disconnected(error),
        }
    }
}

/// One reading of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReply {
    /// Text of the reading.
    pub text: String,
    /// Whether the JVM ends, so that no further reading follows.
    pub is_last: bool,
}

/// Time limit for one reply.
const ANSWER_TIME: Duration = Duration::from_secs(AGENT_SECONDS.most);

/// Address on which an agent listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentAddress {
    /// A port of the loopback interface.
    Port(u16),
    /// A Unix socket.
    Socket(PathBuf),
}

impl AgentAddress {
    /// Parses a line `port=NUMBER` or `socket=PATH` of a file in `folder`; `None` without such a
    /// line.
    pub fn parse(text: &str, folder: &Path) -> Option<Self> {
        match value_of_key(text, "socket") {
            Some(path) => Some(Self::Socket(folder.join(path))),
            None => value_of_key(text, "port")?.parse().ok().map(Self::Port),
        }
    }

    fn connect(&self) -> io::Result<DeadlineStream> {
        match self {
            Self::Socket(path) => Ok(DeadlineStream::new(connect_unix_socket(path, ANSWER_TIME)?)),
            Self::Port(port) => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
                let stream = TcpStream::connect_timeout(&address, ANSWER_TIME)?;
                stream.set_nodelay(true)?;
                Ok(DeadlineStream::new(stream))
            }
        }
    }
}

/// The value of a line `KEY=VALUE` in a text.
pub(super) fn value_of_key<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(str::trim)
}

/// Contents of the file that an agent writes when the JVM's user started it, instead of wattline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFile {
    address: AgentAddress,
    token: String,
    /// Process id, in the PID namespace of the JVM.
    pub pid: u32,
}

impl LinkFile {
    /// Parses the text of such a file in `folder`; `None` if the text has another form.
    pub fn parse(text: &str, folder: &Path) -> Option<Self> {
        Some(Self {
            address: AgentAddress::parse(text, folder)?,
            token: value_of_key(text, "token").filter(|token| !token.is_empty())?.to_string(),
            pid: value_of_key(text, "pid")?.parse().ok()?,
        })
    }

    /// Connects to the agent.
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
        peer.get_mut().set_deadline(Some(ANSWER_TIME));
        peer.get_mut().write_all(format!("{token}\n").as_bytes())?;
        let greeting = read_line(&mut peer)?;
        Ok(Self { peer, greeting })
    }

    /// The first line that the agent sent.
    pub fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Requests a reading. A JVM that ends meanwhile, or has ended since the last reading, leaves a
    /// final one.
    ///
    /// # Errors
    /// The JVM has ended without a final reading, or the reply is late or too large.
    pub fn read(&mut self) -> Result<AgentReply, AttachError> {
        self.peer.get_mut().set_deadline(Some(ANSWER_TIME));
        // One that has ended can't be asked, and its last reading is there.
        let asked = self.peer.get_mut().write_all(b"read\n");
        let mut text = String::new();
        let mut is_last = false;
        loop {
            let line = read_line(&mut self.peer).map_err(AttachError::of)?;
            if line.is_empty() {
                asked.map_err(AttachError::Disconnected)?;
                return Err(AttachError::Disconnected(ErrorKind::UnexpectedEof.into()));
            }
            if line == "last\n" && text.is_empty() && !is_last {
                is_last = true;
                continue;
            }
            text.push_str(&line);
            check_size(AGENT_READING_BYTES, text.len())?;
            if line == "end\n" {
                return Ok(AgentReply { text, is_last });
            }
        }
    }

    /// Removes the probes from the methods with these numbers.
    ///
    /// # Errors
    /// If the JVM has ended.
    pub fn remove_probes(&mut self, methods: &[usize]) -> Result<(), AttachError> {
        self.send("fold", methods)
    }

    /// Counts and times the methods with these numbers only in time windows from now on.
    ///
    /// # Errors
    /// If the JVM has ended.
    pub fn measure_in_windows(&mut self, methods: &[usize]) -> Result<(), AttachError> {
        self.send("window", methods)
    }

    fn send(&mut self, command: &str, methods: &[usize]) -> Result<(), AttachError> {
        if methods.is_empty() {
            return Ok(());
        }
        let numbers: Vec<String> = methods.iter().map(usize::to_string).collect();
        let line = format!("{command} {}\n", numbers.join(" "));
        let peer = self.peer.get_mut();
        peer.set_deadline(Some(ANSWER_TIME));
        peer.write_all(line.as_bytes()).map_err(AttachError::Disconnected)
    }
}

fn read_line(peer: &mut BufReader<DeadlineStream>) -> io::Result<String> {
    let line = AGENT_LINE_BYTES.read_line(peer)?;
    String::from_utf8(line).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn check_size(limit: InputLimit, asked: usize) -> Result<(), AttachError> {
    limit.check(asked as u64).map_err(|exceeded| AttachError::TooLong(exceeded.into()))
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
