//! The loopback socket from which an agent is read.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use super::agent_session::AttachError;

/// The connection to an agent.
#[derive(Debug)]
pub struct AgentLink {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
    greeting: String,
}

/// How long an agent may take: a collection of a large heap stops it.
const ANSWER: Duration = Duration::from_secs(10);

/// No reading is longer.
const LENGTH_MAX: u64 = 256 << 20;

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

    /// Asks for a reading.
    ///
    /// # Errors
    /// If the JVM has ended or does not answer.
    pub fn read(&mut self) -> Result<String, AttachError> {
        self.stream.write_all(b"read\n").map_err(AttachError::Gone)?;
        let mut text = String::new();
        let mut limited = (&mut self.lines).take(LENGTH_MAX);
        loop {
            let from = text.len();
            let length = limited.read_line(&mut text).map_err(AttachError::Gone)?;
            if length == 0 {
                return Err(AttachError::Gone(std::io::ErrorKind::UnexpectedEof.into()));
            }
            if &text[from..] == "end\n" {
                return Ok(text);
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
