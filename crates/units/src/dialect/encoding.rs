//! The encoding of a table's text, by its byte order mark or by its first bytes.

use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};

/// Character encoding of a table's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextEncoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    Utf8,
    /// UTF-16, the lower byte first: "Unicode text" of Windows.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
    /// One byte per character: what is neither UTF-8 nor UTF-16.
    Windows1252,
}

impl TextEncoding {
    /// Detects the encoding of a sample by a byte order mark, by the zero bytes of ASCII in UTF-16,
    /// or by invalid UTF-8.
    pub fn sniff(sample: &[u8]) -> Self {
        match sample {
            [0xff, 0xfe, ..] => return Self::Utf16Le,
            [0xfe, 0xff, ..] => return Self::Utf16Be,
            _ => {}
        }
        let zeros = |from: usize| sample.iter().skip(from).step_by(2).take(64);
        let are_zero = |from| {
            sample.len() > 3
                && zeros(from).filter(|byte| **byte == 0).count() > zeros(from).count() / 2
        };
        match (are_zero(0), are_zero(1)) {
            (false, true) => Self::Utf16Le,
            (true, false) => Self::Utf16Be,
            _ if is_utf8(sample) => Self::Utf8,
            _ => Self::Windows1252,
        }
    }

    /// Returns the usual name: `UTF-8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Windows1252 => "Windows-1252",
        }
    }

    /// Returns the bytes of a code unit, 1 or 2: a text is only cut between code units.
    pub fn unit_bytes(self) -> usize {
        if matches!(self, Self::Utf16Le | Self::Utf16Be) { 2 } else { 1 }
    }

    fn encoding(self) -> &'static Encoding {
        match self {
            Self::Utf8 => UTF_8,
            Self::Utf16Le => UTF_16LE,
            Self::Utf16Be => UTF_16BE,
            Self::Windows1252 => WINDOWS_1252,
        }
    }

    /// Decodes bytes to UTF-8 without a byte order mark; what can't be decoded is `U+FFFD`.
    pub fn decode(self, bytes: &[u8]) -> String {
        self.encoding().decode_with_bom_removal(bytes).0.into_owned()
    }

    /// Returns a reader that decodes to UTF-8 without a byte order mark while it reads.
    pub(super) fn decoder<R: Read>(self, text: R) -> DecodeReaderBytes<R, Vec<u8>> {
        let is_utf8 = self == Self::Utf8;
        DecodeReaderBytesBuilder::new()
            .encoding(Some(self.encoding()))
            .utf8_passthru(is_utf8)
            .strip_bom(true)
            .bom_override(true)
            .build(text)
    }
}

/// Whether a sample is UTF-8; its last character may be cut.
fn is_utf8(sample: &[u8]) -> bool {
    match std::str::from_utf8(sample) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn encodings_are_found_with_and_without_a_mark() {
        let little = |text| utf16(text, u16::to_le_bytes);
        let big = |text| utf16(text, u16::to_be_bytes);
        for (bytes, expected) in [
            ("a;µ\n".into(), TextEncoding::Utf8),
            ("\u{feff}a;µ\n".into(), TextEncoding::Utf8),
            (little("\u{feff}a;µ\n"), TextEncoding::Utf16Le),
            (big("\u{feff}a;µ\n"), TextEncoding::Utf16Be),
            (little("time;power\n1;2\n"), TextEncoding::Utf16Le),
            (big("time;power\n1;2\n"), TextEncoding::Utf16Be),
            (b"a;\xb5\n".to_vec(), TextEncoding::Windows1252),
            (b"a;\xc2".to_vec(), TextEncoding::Utf8),
            (Vec::new(), TextEncoding::Utf8),
        ] {
            assert_eq!(TextEncoding::sniff(&bytes), expected, "{bytes:?}");
            let decoded = expected.decode(&bytes);
            assert!(!decoded.starts_with('\u{feff}'), "{decoded}");
            let mut read = String::new();
            expected.decoder(bytes.as_slice()).read_to_string(&mut read).ok();
            assert!(read == decoded || bytes.ends_with(b"\xc2"), "{read:?} {decoded:?}");
        }
        assert_eq!(TextEncoding::Windows1252.decode(b"\xb5W"), "µW");
    }
}
