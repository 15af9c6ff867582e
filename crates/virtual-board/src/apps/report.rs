//! Reports of a package's framework to the board: log lines, results of an instrumentation, start
//! and end of method sampling, and the exception that ended the process. See
//! `android/framework/Board.java`.

use crate::sampler::TraceRequest;

/// Report of a package's framework.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AppReport {
    /// Line for the log.
    Log { level: char, tag: String, text: String },
    /// `sendStatus` of an instrumentation: its code and its values.
    Status { code: String, values: Vec<(String, String)> },
    /// `finish` of an instrumentation.
    Result { code: String, values: Vec<(String, String)> },
    /// Start of sampling the process's methods.
    StartSampling(TraceRequest),
    /// End of sampling.
    StopSampling,
}

impl AppReport {
    /// Parses a line; `None` for an unknown kind.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match *fields.as_slice() {
            ["log", level, tag, text] => {
                let level = level.chars().next()?;
                Some(Self::Log { level, tag: tag.into(), text: text.into() })
            }
            ["status", code, ref rest @ ..] => {
                Some(Self::Status { code: code.into(), values: key_value_pairs(rest) })
            }
            ["result", code, ref rest @ ..] => {
                Some(Self::Result { code: code.into(), values: key_value_pairs(rest) })
            }
            ["crash", short, long] => Some(Self::crash(short, long)),
            ["sample", path, bytes, micros] => Some(Self::StartSampling(TraceRequest {
                path: path.into(),
                buffer_bytes: bytes.parse().ok()?,
                interval_us: micros.parse().ok().filter(|micros| *micros > 0)?,
            })),
            ["sampled"] => Some(Self::StopSampling),
            _ => None,
        }
    }

    /// Result of a process that ended without reporting one.
    pub(super) fn crash(short: &str, long: &str) -> Self {
        let values = [("longMsg", long), ("shortMsg", short)];
        let values = values.iter().filter(|(_, text)| !text.is_empty());
        let values = values.map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
        Self::Result { code: "0".into(), values: values.collect() }
    }

    /// Text that `am instrument` prints for a report: all values if `raw` (`-r`), else the text
    /// meant for people.
    pub(crate) fn instrument_output(&self, raw: bool) -> String {
        let (kind, code, values) = match self {
            Self::Log { .. } | Self::StartSampling(_) | Self::StopSampling => return String::new(),
            Self::Status { code, values } => ("STATUS", code, values),
            Self::Result { code, values } => ("RESULT", code, values),
        };
        let is_result = kind == "RESULT";
        let stream = values.iter().find(|(key, _)| key == "stream").filter(|_| !raw);
        if let Some((_, text)) = stream {
            return text.clone() + if is_result { "\n" } else { "" };
        }
        let lines =
            values.iter().map(|(key, text)| format!("INSTRUMENTATION_{kind}: {key}={text}\n"));
        let name = if is_result { "INSTRUMENTATION_CODE" } else { "INSTRUMENTATION_STATUS_CODE" };
        lines.collect::<String>() + &format!("{name}: {code}\n")
    }
}

/// Keys and values of alternating fields.
fn key_value_pairs(fields: &[&str]) -> Vec<(String, String)> {
    fields.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
}

/// Field with its escapes (`
/// `, `\r`, `\t`) replaced.
fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                other => other.unwrap_or('\\'),
            },
            other => other,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let log = AppReport::Log { level: 'I', tag: "a\tb".into(), text: "c\\n\nd".into() };
        assert_eq!(AppReport::parse("log\tI\ta\\tb\tc\\\\n\\nd"), Some(log));
        let path = "/a".into();
        let wanted = TraceRequest { path, buffer_bytes: 1024, interval_us: 7 };
        assert_eq!(AppReport::parse("sample\t/a\t1024\t7"), Some(AppReport::StartSampling(wanted)));
        assert_eq!(AppReport::parse("sample\t/a\t1024\t0"), None);
        assert_eq!(AppReport::parse("log\tI"), None);
        assert_eq!(AppReport::parse("what\t1"), None);
    }

    #[test]
    fn instrumentations_are_told_as_android_tells_them() {
        let status = AppReport::parse("status\t2\tfile\tx\tstream\tdots").unwrap();
        assert_eq!(status.instrument_output(false), "dots");
        assert_eq!(
            status.instrument_output(true),
            "INSTRUMENTATION_STATUS: file=x\nINSTRUMENTATION_STATUS: stream=dots\n\
             INSTRUMENTATION_STATUS_CODE: 2\n"
        );
        let result = AppReport::parse("result\t-1\tend\twhole").unwrap();
        assert_eq!(
            result.instrument_output(false),
            "INSTRUMENTATION_RESULT: end=whole\nINSTRUMENTATION_CODE: -1\n"
        );
        assert_eq!(AppReport::parse("crash\tE\tE: why").unwrap(), AppReport::crash("E", "E: why"));
        let killed = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
        assert_eq!(AppReport::crash("Process crashed.", "").instrument_output(true), killed);
    }
}
