//! `input tap|swipe|keyevent|text`: a line for the application in the foreground, written before
//! the clock moves on. A jar reads it on its standard input; of a package the window is touched.

use super::reply::Reply;
use super::time::sleep_for;
use crate::machine::Machine;
use crate::wire::CommandRequest;

/// Duration of a swipe in milliseconds without an argument.
const SWIPE_MS: u64 = 300;

/// API level from which `KEYCODE_WAKEUP` wakes the screen and never puts it to sleep.
const HAS_WAKE_UP: u32 = 20;

/// `input [SOURCE] COMMAND ARGS...`.
pub(super) fn input(machine: &Machine, request: &CommandRequest, words: &[&str]) -> Option<Reply> {
    let words = match words {
        ["touchscreen" | "keyboard" | "touchpad" | "mouse", rest @ ..] => rest,
        all => all,
    };
    let reply = match (words, input_line(words)) {
        (["keyevent", "224" | "KEYCODE_WAKEUP"], _) if machine.state.file.sdk >= HAS_WAKE_UP => {
            machine.state.settings.switch_screen(true);
            Reply::default()
        }
        (["keyevent", "26" | "KEYCODE_POWER"], _) => {
            machine.state.settings.switch_screen(!machine.state.settings.is_screen_on());
            Reply::default()
        }
        (_, Some(line)) => {
            // As on a real board: without an application nobody hears it.
            let is_window = machine.apps.send_input(&line);
            return match swipe_ms(words).filter(|_| is_window) {
                Some(ms) => sleep_for(&machine.state, request, ms.saturating_mul(1_000_000)),
                None => Some(Reply::default()),
            };
        }
        (_, None) => Reply::failure(
            "usage: input tap X Y | swipe X1 Y1 X2 Y2 [MS] | keyevent KEY... | text TEXT",
        ),
    };
    Some(reply)
}

/// Duration of a swipe in milliseconds; `None` for other commands.
fn swipe_ms(words: &[&str]) -> Option<u64> {
    match words {
        ["swipe", _, _, _, _, ms] => ms.parse().ok(),
        ["swipe", ..] => Some(SWIPE_MS),
        _ => None,
    }
}

/// Input line of a well-formed command.
fn input_line(words: &[&str]) -> Option<String> {
    let numbers = |words: &[&str]| words.iter().all(|word| word.parse::<f64>().is_ok());
    let sound = match words {
        ["tap", place @ ..] => place.len() == 2 && numbers(place),
        ["swipe", path @ ..] => matches!(path.len(), 4 | 5) && numbers(path),
        ["keyevent", keys @ ..] => !keys.is_empty(),
        ["text", text @ ..] => text.len() == 1,
        _ => false,
    };
    let joined = words.join(" ");
    (sound && !joined.contains('\n')).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sound_gestures_become_lines() {
        assert_eq!(input_line(&["tap", "10", "20.5"]), Some("tap 10 20.5".to_owned()));
        assert_eq!(
            input_line(&["swipe", "1", "2", "3", "4", "500"]),
            Some("swipe 1 2 3 4 500".into())
        );
        assert_eq!(input_line(&["keyevent", "KEYCODE_BACK"]), Some("keyevent KEYCODE_BACK".into()));
        assert_eq!(input_line(&["tap", "10"]), None);
        assert_eq!(input_line(&["tap", "a", "b"]), None);
        assert_eq!(input_line(&["text", "a\ntap 1 1"]), None);
    }
}
