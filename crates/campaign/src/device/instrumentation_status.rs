//! What `am instrument -w -r` prints: the status of an instrumentation in bundles of values,
//! then its result.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;
use wattline_units::limits::UNPACKED_LOG_BYTES;

/// The end status of a good end.
const WHOLE: &str = "whole";

/// The status of an instrumentation: files, end, printed lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct InstrumentationStatus {
    /// Files of counts and samples that arrived complete, by name.
    files: BTreeMap<String, String>,
    /// Reason of the end: `whole`, or a stack trace; absent if not given.
    pub end: Option<String>,
    /// Reason why there are no samples; absent if not given.
    no_samples: Option<String>,
    /// Markers and other lines that a log may have lost, in the order of the status.
    pub(super) marks: Vec<PrintedLine>,
}

/// A line that the application printed, as its instrumentation repeats it in the status.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PrintedLine {
    /// Time of printing, in seconds since the device's start.
    pub uptime_s: f64,
    /// Process ID.
    pub pid: u32,
    /// Text of the line.
    pub text: String,
}

/// File name extension of the trace of Android's sampler of methods.
const TRACE: &str = ".trace";

impl InstrumentationStatus {
    /// The counts of all processes and class loaders; none unless all arrived.
    pub(super) fn counts(&self) -> Option<String> {
        self.with_end(".csv").filter(|_| self.end.as_deref() == Some(WHOLE))
    }

    /// The snapshots of the counts; none unless all arrived.
    pub(super) fn windows(&self) -> Option<String> {
        self.with_end(".windows")
    }

    /// The trace of Android's sampler of methods, or the reason why there is none.
    pub(super) fn trace(&self) -> Result<Vec<u8>, String> {
        if let Some(why) = &self.no_samples {
            return Err(why.clone());
        }
        let mut files = self.files.iter().filter(|(name, _)| name.ends_with(TRACE));
        let (_, text) = files.next().ok_or("its trace did not come whole")?;
        let deflated = BASE64_STANDARD.decode(text.trim_end());
        let deflated = deflated.map_err(|error| format!("its trace is no base64: {error}"))?;
        let trace = UNPACKED_LOG_BYTES.read_all(ZlibDecoder::new(deflated.as_slice()));
        trace.map_err(|error| format!("its trace can't be inflated: {error}"))
    }

    fn with_end(&self, end: &str) -> Option<String> {
        let is_wanted = |name: &str| name.starts_with("wattline-counts-") && name.ends_with(end);
        let found = self.files.iter().filter(|(name, _)| is_wanted(name));
        let texts: Vec<&str> = found.map(|(_, text)| text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.concat())
    }

    /// Reason of a bad end, with a stack trace if there is one; none for a good end.
    pub(super) fn failure(&self) -> Option<String> {
        self.end.clone().filter(|end| end != WHOLE)
    }

    /// Message and location of the exception that ended the instrumentation, on one line; none for
    /// a good end.
    pub(super) fn crash(&self) -> Option<String> {
        let trace = self.end.as_deref().filter(|end| *end != WHOLE)?;
        let mut lines = trace.lines().map(str::trim);
        let what = lines.next()?;
        let place = lines.find(|line| line.strip_prefix("at ").is_some_and(is_of_application));
        Some([Some(what), place].into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// Whether a frame of a stack, from its class on, is neither the platform's nor the runner's: what
/// Android wraps has the application's frames in its cause alone.
fn is_of_application(frame: &str) -> bool {
    const OTHERS: [&str; 6] =
        ["java", "android.", "com.android.", "dalvik.", "org.wattline.runner.", "wattline.board."];
    !OTHERS.iter().any(|start| frame.starts_with(start))
}

/// Parses the output of `am instrument -r`. A value continues over the lines that begin with none
/// of the keywords.
pub(super) fn parse(text: &str) -> InstrumentationStatus {
    let mut said = InstrumentationStatus::default();
    let mut parts: BTreeMap<String, Vec<(usize, usize, String)>> = BTreeMap::new();
    let mut bundle: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line.starts_with("INSTRUMENTATION_STATUS_CODE:") {
            keep_part(&bundle, &mut parts);
            said.marks.extend(printed_line(&bundle));
            bundle.clear();
        } else if line.starts_with("INSTRUMENTATION_CODE:") {
            said.end = value(&bundle, "wattline.end").or_else(|| value(&bundle, "longMsg"));
            said.end = said.end.or_else(|| value(&bundle, "shortMsg"));
            said.no_samples = value(&bundle, "wattline.sampler");
        } else if let Some(pair) = beginning(line) {
            bundle.push(pair);
        } else if let Some((_, text)) = bundle.last_mut() {
            text.push('\n');
            text.push_str(line);
        }
    }
    for (name, mut of_file) in parts {
        of_file.sort_by_key(|(part, ..)| *part);
        let is_whole = of_file.iter().enumerate().all(|(at, (part, ..))| at + 1 == *part);
        if is_whole && of_file.last().is_some_and(|(part, all, _)| part == all) {
            said.files.insert(name, of_file.into_iter().map(|(.., text)| text).collect());
        } else {
            // What counted is known only if all of it is.
            said.end = None;
        }
    }
    said
}

fn beginning(line: &str) -> Option<(String, String)> {
    let rest = line
        .strip_prefix("INSTRUMENTATION_STATUS: ")
        .or_else(|| line.strip_prefix("INSTRUMENTATION_RESULT: "))?;
    let (key, text) = rest.split_once('=')?;
    Some((key.to_owned(), text.to_owned()))
}

fn value(bundle: &[(String, String)], key: &str) -> Option<String> {
    bundle.iter().find(|(name, _)| name == key).map(|(_, text)| text.clone())
}

fn printed_line(bundle: &[(String, String)]) -> Option<PrintedLine> {
    let text = value(bundle, "wattline.said")?;
    let uptime_s = value(bundle, "wattline.at")?.trim().parse::<f64>().ok();
    let pid = value(bundle, "wattline.pid")?.trim().parse().ok()?;
    Some(PrintedLine { uptime_s: uptime_s.filter(|uptime_s| uptime_s.is_finite())?, pid, text })
}

fn keep_part(
    bundle: &[(String, String)],
    parts: &mut BTreeMap<String, Vec<(usize, usize, String)>>,
) {
    let number = |key| value(bundle, key).and_then(|text| text.trim().parse().ok());
    let (file, text) = (value(bundle, "wattline.file"), value(bundle, "wattline.text"));
    if let (Some(file), Some(text), Some(part), Some(all)) =
        (file, text, number("wattline.part"), number("wattline.parts"))
    {
        parts.entry(file).or_default().push((part, all, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A status of one part.
    fn part(file: &str, part: usize, all: usize, text: &str) -> String {
        format!(
            "INSTRUMENTATION_STATUS: wattline.file={file}\nINSTRUMENTATION_STATUS: \
             wattline.part={part}\nINSTRUMENTATION_STATUS: wattline.parts={all}\n\
             INSTRUMENTATION_STATUS: wattline.text={text}\nINSTRUMENTATION_STATUS_CODE: 2\n"
        )
    }

    const GOOD_END: &str = "INSTRUMENTATION_RESULT: wattline.end=whole\nINSTRUMENTATION_CODE: -1\n";

    #[test]
    fn counts_come_in_parts() {
        let text = part("wattline-counts-1.csv", 1, 2, "block,executions\n0,1\n1,")
            + &part("wattline-counts-1.csv", 2, 2, "7\n")
            + &part("wattline-counts-2.csv", 1, 1, "block,executions\n0,2\n")
            + &part("wattline-counts-1.final", 1, 1, "")
            + GOOD_END;
        let said = parse(&text);
        let counts = "block,executions\n0,1\n1,7\nblock,executions\n0,2\n";
        assert_eq!(said.counts().as_deref(), Some(counts));
        assert_eq!((said.windows(), said.crash()), (None, None));
    }

    #[test]
    fn marks_come_with_their_times() {
        let mark = |at: &str| {
            format!(
                "INSTRUMENTATION_STATUS: wattline.said=wattline: begin\nINSTRUMENTATION_STATUS: \
                 wattline.pid=42\nINSTRUMENTATION_STATUS: wattline.at={at}\n\
                 INSTRUMENTATION_STATUS_CODE: 3\n"
            )
        };
        let said = parse(&(mark("12.345") + &mark("NaN") + &mark("soon") + GOOD_END));
        let line = PrintedLine { uptime_s: 12.345, pid: 42, text: "wattline: begin".into() };
        assert_eq!(said.marks, [line]);
    }

    #[test]
    fn counts_that_are_not_whole_are_none() {
        let first = part("wattline-counts-1.csv", 1, 2, "block,executions\n");
        assert_eq!(parse(&(first.clone() + GOOD_END)).counts(), None);
        assert_eq!(parse(&first).counts(), None);
        let all = part("wattline-counts-1.csv", 1, 1, "block,executions\n");
        assert_eq!(parse(&all).counts(), None, "it never said that it ended");
        assert_eq!(parse("").counts(), None);
    }

    #[test]
    fn traces_come_deflated_and_in_letters() {
        let name = "wattline-samples.trace";
        // `*version`.
        let text = "eJzTKkstKs7MzwMADX0DMQ==";
        let halves = part(name, 1, 2, &text[..9]) + &part(name, 2, 2, &text[9..]) + GOOD_END;
        assert_eq!(parse(&halves).trace().unwrap(), b"*version");
        let told = |text: &str| parse(text).trace().unwrap_err();
        assert_eq!(told(GOOD_END), "its trace did not come whole");
        assert_eq!(told(&(part(name, 1, 2, text) + GOOD_END)), "its trace did not come whole");
        assert!(told(&(part(name, 1, 1, "?") + GOOD_END)).contains("no base64"));
        assert!(told(&(part(name, 1, 1, &text[..12]) + GOOD_END)).contains("can't be inflated"));
        let why = "INSTRUMENTATION_RESULT: wattline.sampler=there is none\n".to_owned() + GOOD_END;
        assert_eq!(told(&why), "there is none");
    }

    #[test]
    fn a_crash_names_its_place() {
        let text = "INSTRUMENTATION_RESULT: wattline.end=java.lang.IllegalStateException: why\n\
                    \tat java.util.Objects.check(Objects.java:1)\n\tat game.Main.main(Main.java:22)\n\n\
                    INSTRUMENTATION_CODE: 0\n";
        let crash = parse(text).crash().unwrap();
        assert_eq!(crash, "java.lang.IllegalStateException: why at game.Main.main(Main.java:22)");
        let wrapped = "INSTRUMENTATION_RESULT: wattline.end=java.lang.RuntimeException: Unable to start \
                       activity ComponentInfo{a/a.B}: java.lang.Error: why\n\
                       \tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3)\n\
                       \tat com.android.internal.os.ZygoteInit.main(ZygoteInit.java:9)\nCaused by: \
                       java.lang.Error: why\n\tat a.B.onCreate(B.java:7)\nINSTRUMENTATION_CODE: 0\n";
        let crash = parse(wrapped).crash().unwrap();
        assert!(crash.ends_with("java.lang.Error: why at a.B.onCreate(B.java:7)"), "{crash}");
        let killed = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
        assert_eq!(parse(killed).crash().as_deref(), Some("Process crashed."));
    }
}
