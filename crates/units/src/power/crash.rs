//! Stack trace of a crashed application, from the log.

/// Log tags of stack traces: Android's runtime, else the application's standard error.
const WRITERS: [&str; 2] = ["AndroidRuntime", "System.err"];

/// Returns the whole stack trace with its causes, in lines; `None` where the log has none.
pub fn crash_trace(logcat: &str) -> Option<String> {
    let by = |writer: &str| {
        let lines = logcat.lines().filter_map(|line| {
            let (before, text) = line.split_once(&format!(" {writer}"))?;
            let text = text.trim_start().strip_prefix(':')?;
            // The tag stands in the head of the line, not in somebody's text.
            (!before.contains(": ")).then(|| text.strip_prefix(' ').unwrap_or(text))
        });
        let lines: Vec<&str> = lines.collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    WRITERS.into_iter().find_map(by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtimes_words_are_taken_before_the_applications() {
        let log = "01-01 00:00:01.000  9  9 W System.err: java.lang.E: a\n\
                   01-01 00:00:01.100  9  9 E AndroidRuntime: java.lang.E: a\n\
                   01-01 00:00:01.100  9  9 E AndroidRuntime: \tat a.B.c(B.java:1)\n\
                   01-01 00:00:01.100  9  9 I System.out: of AndroidRuntime: x\n\
                   01-01 00:00:01.100  9  9 E AndroidRuntime: Caused by: F\n";
        let crash = "java.lang.E: a\n\tat a.B.c(B.java:1)\nCaused by: F";
        assert_eq!(crash_trace(log).as_deref(), Some(crash));
        let rest: String = log.lines().take(1).collect();
        assert_eq!(crash_trace(&rest).as_deref(), Some("java.lang.E: a"));
        assert_eq!(crash_trace(""), None);
    }
}
