//! The application's line to the clock: a loopback connection on which the agent shows the
//! board's word, then asks `now`, `sleep NANOS`, `doze NANOS` or says `exit`, and is told the
//! nanoseconds since boot.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::process::AppProcess;
use crate::secret::random_word;
use crate::strangers::{Strangers, Until};

/// How long a connection may take to show the word.
const WORD_TIME: Duration = Duration::from_secs(10);

/// More than any question has.
const QUESTION_BYTES_MAX: u64 = 64;

/// A question of the application.
#[derive(Debug, PartialEq, Eq)]
enum Question {
    Now,
    Sleep(u64),
    /// A sleep that input ends.
    Doze(u64),
    Exit,
}

fn parse(line: &str) -> Option<Question> {
    match line.trim_end().split_once(' ') {
        Some(("sleep", nanos)) => Some(Question::Sleep(nanos.parse().ok()?)),
        Some(("doze", nanos)) => Some(Question::Doze(nanos.parse().ok()?)),
        None if line.trim_end() == "now" => Some(Question::Now),
        None if line.trim_end() == "exit" => Some(Question::Exit),
        _ => None,
    }
}

/// The line of one process.
pub(super) struct Link {
    /// The loopback port that it connects to.
    pub port: u16,
    /// What it shows first, which nobody else can know.
    pub word: String,
    over: Arc<AtomicBool>,
    /// Says that nobody is waited for any more.
    released: Sender<Option<TcpStream>>,
    arrived: Mutex<Receiver<Option<TcpStream>>>,
}

impl Link {
    /// Listens from now on.
    pub(super) fn listen() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (port, word) = (listener.local_addr()?.port(), random_word()?);
        let (released, arrived) = channel();
        let (over, expected, sender) =
            (Arc::new(AtomicBool::new(false)), word.clone(), released.clone());
        let is_over = over.clone();
        std::thread::Builder::new().name("app link".into()).spawn(move || {
            let strangers = Arc::new(Strangers::default());
            for connection in listener.incoming().flatten() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                meet(connection, &strangers, &expected, &sender);
            }
            strangers.cut_off();
        })?;
        Ok(Self { port, word, over, released, arrived: Mutex::new(arrived) })
    }

    /// Serves the one connection that the agent makes, until it closes it, says
    /// something unknown, or the board ends.
    pub(super) fn serve(&self, process: &AppProcess) {
        let arrived = self.arrived.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Ok(Some(connection)) = arrived.recv() {
            self.close();
            answer(connection, process);
        }
    }

    /// Ends a [`serve`](Self::serve) that still waits for its connection.
    pub(super) fn release(&self) {
        self.released.send(None).ok();
        self.close();
    }

    /// Listens no longer.
    fn close(&self) {
        if !self.over.swap(true, Ordering::SeqCst) {
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        }
    }
}

impl Drop for Link {
    /// Of a process that could not be started, nobody else ends the listening.
    fn drop(&mut self) {
        self.close();
    }
}

/// Passes a connection on if it shows the word in time.
fn meet(
    connection: TcpStream,
    strangers: &Arc<Strangers>,
    word: &str,
    sender: &Sender<Option<TcpStream>>,
) {
    let Ok(copy) = connection.try_clone() else { return };
    let number = strangers.add(copy);
    let (known, word, sender) = (strangers.clone(), format!("{word}\n"), sender.clone());
    let check = move || {
        let mut shown = vec![0; word.len()];
        let end = Instant::now() + WORD_TIME;
        let read = Until { socket: &connection, end }.read_exact(&mut shown);
        let is_known = read.is_ok() && shown == word.as_bytes();
        if known.remove(number).is_some() && is_known && connection.set_read_timeout(None).is_ok() {
            sender.send(Some(connection)).ok();
        }
    };
    if std::thread::Builder::new().name("app stranger".into()).spawn(check).is_err() {
        strangers.remove(number);
    }
}

fn answer(connection: TcpStream, process: &AppProcess) {
    connection.set_nodelay(true).ok();
    let Ok(mut answers) = connection.try_clone() else { return };
    let mut questions = BufReader::new(connection);
    let mut line = String::new();
    while matches!((&mut questions).take(QUESTION_BYTES_MAX).read_line(&mut line), Ok(1..)) {
        process.ready();
        let Some(question) = parse(&line) else { return };
        let busy_ns = process.account();
        let slept = match question {
            Question::Sleep(nanos) => process.sleep(busy_ns.saturating_add(nanos)),
            Question::Doze(nanos) => process.doze(busy_ns, nanos),
            Question::Now => process.sleep(busy_ns),
            // The process ends by itself now; its last time passes when it has.
            Question::Exit => return process.leave(busy_ns),
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
        assert_eq!(parse("now\n"), Some(Question::Now));
        assert_eq!(parse("sleep 16666667\n"), Some(Question::Sleep(16_666_667)));
        assert_eq!(parse("doze 5\n"), Some(Question::Doze(5)));
        assert_eq!(parse("exit\n"), Some(Question::Exit));
        assert_eq!(parse("sleep -1\n"), None);
        assert_eq!(parse("sleep\n"), None);
    }

    /// Whoever connects first and knows no word keeps the application waiting for nothing.
    #[test]
    fn only_who_shows_the_word_arrives() {
        let link = Link::listen().unwrap();
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
