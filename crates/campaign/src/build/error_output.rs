//! Standard error of a failing program for messages: all causes, but of a stack overflow not all of
//! its thousand frames.

use crate::format::counted_as;

/// Number of frames of a throwable that are shown at either end.
const FRAMES_SHOWN: usize = 50;

/// The text on lines of its own; `None` for an empty one.
pub(super) fn error_output_lines(stderr: &str) -> Option<String> {
    let text = stderr.trim_end();
    if text.trim().is_empty() {
        return None;
    }
    let lines: Vec<&str> = text.lines().skip_while(|line| line.trim().is_empty()).collect();
    let is_frame = |line: &str| line.trim_start().starts_with("at ");
    let mut shown = Vec::new();
    for part in lines.chunk_by(|one, next| is_frame(one) && is_frame(next)) {
        match part.len().checked_sub(2 * FRAMES_SHOWN).filter(|out| *out > 0) {
            None => shown.extend(part.iter().map(|line| line.to_string())),
            Some(out) => {
                shown.extend(part[..FRAMES_SHOWN].iter().map(|line| line.to_string()));
                shown
                    .push(format!("\t... {} not shown", counted_as(out, "frame is", "frames are")));
                shown.extend(part[part.len() - FRAMES_SHOWN..].iter().map(|line| line.to_string()));
            }
        }
    }
    Some(shown.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_shown_whole() {
        let trace = "Exception in thread \"main\" A\n\tat a.B.c(B.java:1)\n\t... 3 more\n\
                     Caused by: D: missing\n\tat a.E.f(E.java:2)\n";
        assert_eq!(error_output_lines(&format!("\n{trace}\n")).unwrap(), trace.trim_end());
        assert_eq!(error_output_lines(" \n\n"), None);
    }

    #[test]
    fn of_an_endless_recursion_both_ends_are_shown() {
        let frames = |n: usize| "\tat a.B.c(B.java:1)\n".repeat(n);
        let trace = format!("StackOverflowError\n{}Caused by: X\n{}", frames(1024), frames(2));
        let shown = error_output_lines(&trace).unwrap();
        assert_eq!(shown.lines().count(), 1 + 50 + 1 + 50 + 1 + 2);
        assert!(shown.contains("... 924 frames are not shown"), "{shown}");
    }
}
