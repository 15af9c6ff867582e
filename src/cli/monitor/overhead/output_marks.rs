//! What the output of a program under measurement says: that it has started, and how long its
//! requests take.

use std::io::{self, BufRead};

use wattline_units::limits::LINE_BYTES;

/// Texts to look for in the lines of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputMarks {
    /// The program has started when a line contains this; with none at its first line.
    pub start: Option<String>,
    /// The number after this, in the last such line, is the time of a request in seconds.
    pub request: Option<String>,
}

/// What was found in the output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputFindings<T> {
    /// What was read at the start line, if there was one.
    pub start: Option<T>,
    /// Seconds of a request.
    pub request_s: Option<f64>,
}

impl OutputMarks {
    /// Reads all lines; `at_start` runs when the start line arrives.
    ///
    /// # Errors
    /// Output that can't be read; a line over the limit. The rest is read even so: a program that
    /// nobody reads would wait for ever.
    pub fn read<T>(
        &self,
        mut output: impl BufRead,
        at_start: impl Fn() -> T,
    ) -> io::Result<OutputFindings<T>> {
        let found = self.read_lines(&mut output, at_start);
        if found.is_err() {
            io::copy(&mut output, &mut io::sink()).ok();
        }
        found
    }

    fn read_lines<T>(
        &self,
        output: &mut impl BufRead,
        at_start: impl Fn() -> T,
    ) -> io::Result<OutputFindings<T>> {
        let mut found = OutputFindings { start: None, request_s: None };
        let mut bytes = Vec::new();
        while LINE_BYTES.read_line_into(output, &mut bytes)? > 0 {
            let line = String::from_utf8_lossy(&bytes);
            let is_start = self.start.as_ref().is_none_or(|text| line.contains(text.as_str()));
            if found.start.is_none() && is_start {
                found.start = Some(at_start());
            }
            found.request_s = self.request_time(&line).or(found.request_s);
        }
        Ok(found)
    }

    fn request_time(&self, line: &str) -> Option<f64> {
        let (_, rest) = line.split_once(self.request.as_deref()?)?;
        let number = rest.split_ascii_whitespace().next()?;
        number.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    fn read(marks: &OutputMarks, text: &str) -> OutputFindings<u8> {
        marks.read(text.as_bytes(), || 7).unwrap()
    }

    #[test]
    fn the_first_start_line_and_the_last_request_line_count() {
        let marks = OutputMarks { start: Some("up".into()), request: Some("mean".into()) };
        let found = read(&marks, "a\nis up\nmean 0.5 s\nmean x\nmean 0.25\n");
        assert_eq!((found.start, found.request_s), (Some(7), Some(0.25)));
        let found = read(&marks, "a\nmean -1\nmean inf\n");
        assert_eq!((found.start, found.request_s), (None, None));
        assert_eq!(read(&OutputMarks::default(), "any\n").start, Some(7));
        assert_eq!(read(&OutputMarks::default(), "").start, None);
    }

    #[test]
    fn a_line_over_the_limit_is_an_error_and_the_rest_is_read() {
        let long = io::repeat(b'x').take(LINE_BYTES.most + 9);
        let mut output = io::BufReader::new(long.chain(&b"\nmean 1\n"[..]));
        let error = OutputMarks::default().read(&mut output, || 7).unwrap_err().to_string();
        assert!(error.contains(LINE_BYTES.name), "{error}");
        assert_eq!(output.fill_buf().unwrap(), b"", "the program would block");
    }

    proptest! {
        #[test]
        fn no_output_panics(text in "[ -~\n\u{e9}]{0,200}", mark in "[ -~]{0,3}") {
            let marks = OutputMarks { start: Some(mark.clone()), request: Some(mark) };
            read(&marks, &text);
        }
    }
}
