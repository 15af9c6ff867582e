//! Connection of an application to the board's clock: over loopback TCP the agent shows the board's
//! secret word, then asks `now`, `sleep NANOS`, `doze NANOS` or sends `exit`, and receives the
//! nanoseconds since boot.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::process::AppProcess;
use crate::secret::random_secret_word;
use crate::unauthenticated::{DeadlineReader, UnauthenticatedConnections};

/// Real time in which a connection must show the secret word.
const WORD_TIME: Duration = Duration::from_secs(10);

/// Size limit of a question in bytes.
const QUESTION_BYTES_MAX: u64 = 64;

/// Question of the application to the clock; durations in nanoseconds.
#[derive(Debug, PartialEq, Eq)]
enum ClockQuestion {
    Now,
    Sleep(u64),
    /// Sleep that input ends early.
    Doze(u64),
    Exit,
}

/// Parses a line of the agent.
fn parse_question(line: &str) -> Option<ClockQuestion> {
    match line.trim_end().split_once(' ') {
        Some(("sleep", nanos)) => Some(ClockQuestion::Sleep(nanos.parse().ok()?)),
        Some(("doze", nanos)) => Some(ClockQuestion::Doze(nanos.parse().ok()?)),
        None if line.trim_end() == "now" => Some(ClockQuestion::Now),
        None if line.trim_end() == "exit" => Some(ClockQuestion::Exit),
        _ => None,
    }
}

/// Listening socket for the clock connection of one process.
pub(super) struct ClockLink {
    /// Loopback port that the agent connects to.
    pub port: u16,
    /// Secret that the agent shows first.
    pub word: String,
    over: Arc<AtomicBool>,
    /// Sends `None` to end the wait for the connection.
    released: Sender<Option<TcpStream>>,
    arrived: Mutex<Receiver<Option<TcpStream>>>,
}

impl ClockLink {
    /// Listens on a free loopback port and creates the secret word.
    pub(super) fn listen() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (port, word) = (listener.local_addr()?.port(), random_secret_word()?);
        let (released, arrived) = channel();
        let (over, expected, sender) =
            (Arc::new(AtomicBool::new(false)), word.clone(), released.clone());
        let is_over = over.clone();
        std::thread::Builder::new().name("app link".into()).spawn(move || {
            let strangers = Arc::new(UnauthenticatedConnections::default());
            for connection in listener.incoming().flatten() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                check_word(connection, &strangers, &expected, &sender);
            }
            strangers.close_all();
        })?;
        Ok(Self { port, word, over, released, arrived: Mutex::new(arrived) })
    }

    /// Answers the questions of the agent's one connection, until the agent closes it or sends
    /// something unknown, or the board ends.
    pub(super) fn serve(&self, process: &AppProcess) {
        let arrived = self.arrived.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Ok(Some(connection)) = arrived.recv() {
            self.close();
            answer_questions(connection, process);
        }
    }

    /// Ends a [`serve`](Self::serve) that still waits for its connection.
    pub(super) fn release(&self) {
        self.released.send(None).ok();
        self.close();
    }

    /// Stops listening.
    fn close(&self) {
        if !self.over.swap(true, Ordering::SeqCst) {
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        }
    }
}

impl Drop for ClockLink {
    /// Stops listening for a process that could not be started.
    fn drop(&mut self) {
        self.close();
    }
}

/// Checks on a thread whether a connection shows the word in time, and passes it on if so.
fn check_word(
    connection: TcpStream,
    strangers: &Arc<UnauthenticatedConnections>,
    word: &str,
    sender: &Sender<Option<TcpStream>>,
) {
    let Ok(copy) = connection.try_clone() else { return };
    let number = strangers.add(copy);
    let (known, word, sender) = (strangers.clone(), format!("{word}\n"), sender.clone());
    let check = move || {
        let mut shown = vec![0; word.len()];
        let end = Instant::now() + WORD_TIME;
        let read = DeadlineReader { socket: &connection, end }.read_exact(&mut shown);
        let is_known = read.is_ok() && shown == word.as_bytes();
        if known.remove(number).is_some() && is_known && connection.set_read_timeout(None).is_ok() {
            sender.send(Some(connection)).ok();
        }
    };
    if std::thread::Builder::new().name("app stranger".into()).spawn(check).is_err() {
        strangers.remove(number);
    }
}

/// Answers the questions on a connection: spends the energy executed before each, sleeps, and sends
/// the time.
fn answer_questions(connection: TcpStream, process: &AppProcess) {
    connection.set_nodelay(true).ok();
    let Ok(mut answers) = connection.try_clone() else { return };
    let mut questions = BufReader::new(connection);
    let mut line = String::new();
    while matches!((&mut questions).take(QUESTION_BYTES_MAX).read_line(&mut line), Ok(1..)) {
        process.mark_ready();
        let Some(question) = parse_question(&line) else { return };
        let busy_ns = process.spend_executed();
        let slept = match question {
            ClockQuestion::Sleep(nanos) => process.sleep(busy_ns.saturating_add(nanos)),
            ClockQuestion::Doze(nanos) => process.doze(busy_ns, nanos),
            ClockQuestion::Now => process.sleep(busy_ns),
            // The process ends by itself now; its last time passes when it has.
            ClockQuestion::Exit => return process.note_exit(busy_ns),
        };
        if slept.is_err() {
            return;
        }
        let answer = format!("{}\n", process.now_ns());
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read() {
        assert_eq!(parse_question("now\n"), Some(ClockQuestion::Now));
        assert_eq!(parse_question("sleep 16666667\n"), Some(ClockQuestion::Sleep(16_666_667)));
        assert_eq!(parse_question("doze 5\n"), Some(ClockQuestion::Doze(5)));
        assert_eq!(parse_question("exit\n"), Some(ClockQuestion::Exit));
        assert_eq!(parse_question("sleep -1\n"), None);
        assert_eq!(parse_question("sleep\n"), None);
    }

    /// Whoever connects first and knows no word keeps the application waiting for nothing.
    #[test]
    fn only_who_shows_the_word_arrives() {
        let link = ClockLink::listen().unwrap();
        let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, link.port)).unwrap();
        let _silent = connect();
        connect().write_all(b"now\nsleep 5\nsleep 5\nsleep 5\nsleep 5\nsleep 5\n").unwrap();
        let mut agent = connect();
        agent.write_all(format!("{}\nnow\n", link.word).as_bytes()).unwrap();
        let arrived = link.arrived.lock().unwrap().recv().unwrap().unwrap();
        assert_eq!(arrived.peer_addr().unwrap(), agent.local_addr().unwrap());
        link.release();
    }
}
