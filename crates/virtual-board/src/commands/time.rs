//! `sleep`, `usleep` and `date`: on the board's clock.

use super::reply::Reply;
use crate::board_state::BoardState;
use crate::clock::Sleeper;
use crate::proc_state::start_time;
use crate::root::Tools;
use crate::wire::CommandRequest;

/// `sleep TIME` and `usleep MICROSECONDS`; `None` when the board ends meanwhile.
pub(super) fn sleep(board: &BoardState, request: &CommandRequest, words: &[&str]) -> Option<Reply> {
    let duration = match request.name.as_str() {
        "usleep" => words
            .first()
            .and_then(|word| word.parse::<u64>().ok())
            .and_then(|us| us.checked_mul(1000)),
        // Toolbox takes what stands before the point, without a word.
        _ if board.tools == Tools::Toolbox => words
            .first()
            .and_then(|word| word.split('.').next()?.parse::<u64>().ok())
            .and_then(|seconds| seconds.checked_mul(1_000_000_000)),
        _ => words.iter().map(|word| parse_duration_ns(word)).sum(),
    };
    let Some(duration_ns) = duration.filter(|_| !words.is_empty()) else {
        return Some(Reply::failure(format!("usage: {} TIME", request.name)));
    };
    sleep_for(board, request, duration_ns)
}

/// Sleeps for some nanoseconds on the board's clock; `None` when the board ends meanwhile.
pub(super) fn sleep_for(
    board: &BoardState,
    request: &CommandRequest,
    duration_ns: u64,
) -> Option<Reply> {
    // A command that a host started directly has the jail's first process as its parent, which
    // is no shell and waits for nobody.
    let alone = board.first_process.get() == Some(&request.parent);
    let shell = if alone { request.pid } else { request.parent };
    let started = start_time(shell).unwrap_or_default();
    let sleeper = Sleeper::Command { started, shell, pid: request.pid };
    board.clock.sleep(duration_ns, sleeper).ok().map(|()| Reply::default())
}

/// Parses `1`, `0.25`, `3s`, `2m`, `1h`, `1d` to nanoseconds.
fn parse_duration_ns(word: &str) -> Option<u64> {
    let (number, unit) = match word.char_indices().next_back()? {
        (at, 's') => (&word[..at], 1.0),
        (at, 'm') => (&word[..at], 60.0),
        (at, 'h') => (&word[..at], 3600.0),
        (at, 'd') => (&word[..at], 86_400.0),
        _ => (word, 1.0),
    };
    let value: f64 = number.parse().ok()?;
    (value.is_finite() && value >= 0.0).then(|| (value * unit * 1e9).round() as u64)
}

/// `date [-u] [+FORMAT]`.
pub(super) fn date(board: &BoardState, words: &[&str]) -> Reply {
    let mut format = "%a %b %e %H:%M:%S %Z %Y";
    for word in words {
        match word.strip_prefix('+') {
            Some(wanted) => format = wanted,
            None if *word == "-u" => {}
            None => return Reply::failure(format!("date: cannot do {word} on a virtual board")),
        }
    }
    Reply::output(board.wall_clock().format(format) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        assert_eq!(parse_duration_ns("0.25"), Some(250_000_000));
        assert_eq!(parse_duration_ns("2m"), Some(120_000_000_000));
        assert_eq!(parse_duration_ns("x"), None);
        assert_eq!(parse_duration_ns("-1"), None);
        assert_eq!(parse_duration_ns(""), None);
    }
}
