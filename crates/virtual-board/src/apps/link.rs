//! The application's line to the clock: a loopback connection on which the agent
//! asks `now`, `sleep NANOS`, `doze NANOS` or says `exit`, and is told the nanoseconds since boot.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use super::process::Process;
use crate::machine::Machine;

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

/// Serves the one connection that the agent makes, until it closes it, says
/// something unknown, or the board ends.
pub(super) fn serve(listener: &TcpListener, process: &Process, machine: &Machine) {
    let Ok((connection, _)) = listener.accept() else { return };
    connection.set_nodelay(true).ok();
    let Ok(mut answers) = connection.try_clone() else { return };
    let mut questions = BufReader::new(connection);
    let mut line = String::new();
    while matches!(questions.read_line(&mut line), Ok(1..)) {
        process.ready();
        let Some(question) = parse(&line) else { return };
        let busy_ns = process.account(machine);
        let slept = match question {
            Question::Sleep(nanos) => process.sleep(machine, busy_ns.saturating_add(nanos)),
            Question::Doze(nanos) => process.doze(machine, busy_ns, nanos),
            Question::Now => process.sleep(machine, busy_ns),
            // The process ends by itself now; its last time passes when it has.
            Question::Exit => return process.leave(busy_ns),
        };
        if slept.is_err() {
            return;
        }
        let answer = format!("{}\n", machine.clock.now_ns());
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
        line.clear();
    }
}

/// Ends a [`serve`] that still waits for its connection.
pub(super) fn release(listener: &TcpListener) {
    if let Ok(address) = listener.local_addr() {
        TcpStream::connect((Ipv4Addr::LOCALHOST, address.port())).ok();
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
}
