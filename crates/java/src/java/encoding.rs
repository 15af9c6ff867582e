//! Encodings of source files, by a byte order mark or as the user's build states. Names are
//! those of javac's `-encoding`; bytes decode to the same characters as in Java.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Character encoding of source files, by Java's name and decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceEncoding {
    /// Name in Java's spelling.
    pub name: &'static str,
    decoder: SourceDecoder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceDecoder {
    /// US-ASCII: every byte below 128 is a character, and no other byte is.
    Ascii,
    /// ISO-8859-1: every byte is a character.
    Latin1,
    /// A table of the Encoding Standard, with the characters that differ in Java.
    Table(&'static Encoding, &'static [JavaCharOverride]),
    /// UTF-16 by byte order mark; without one the higher byte is first.
    Utf16,
}

/// Characters that differ in Java: the first of a run in Java, and the characters of the Web's
/// tables that the run replaces.
type JavaCharOverride = (char, &'static str);

const JAPANESE: &[JavaCharOverride] = &[
    ('\u{2014}', "\u{2015}"),
    ('\u{301c}', "\u{ff5e}"),
    ('\u{2016}', "\u{2225}"),
    ('\u{2212}', "\u{ff0d}"),
    ('\u{a2}', "\u{ffe0}\u{ffe1}"),
    ('\u{ac}', "\u{ffe2}"),
];

const UKRAINIAN: &[JavaCharOverride] = &[('\u{255d}', "\u{45e}"), ('\u{256c}', "\u{40e}")];

/// Java has all but the first of these, which is not in x-mswin-936, in the area for private use.
const CHINESE: &[JavaCharOverride] = &[
    ('\u{2641}', "\u{2295}"),
    (
        '\u{e78d}',
        "\u{fe10}\u{fe12}\u{fe11}\u{fe13}\u{fe14}\u{fe15}\u{fe16}\u{fe17}\u{fe18}\
         \u{fe19}",
    ),
    ('\u{e7c7}', "\u{1e3f}\u{1f9}"),
    (
        '\u{e7e7}',
        "\u{303e}\u{2ff0}\u{2ff1}\u{2ff2}\u{2ff3}\u{2ff4}\u{2ff5}\u{2ff6}\u{2ff7}\
         \u{2ff8}\u{2ff9}\u{2ffa}\u{2ffb}",
    ),
    ('\u{e815}', "\u{2e81}"),
    (
        '\u{e819}',
        "\u{2e84}\u{3473}\u{3447}\u{2e88}\u{2e8b}\u{9fb4}\u{359e}\u{361a}\u{360e}\
         \u{2e8c}\u{2e97}\u{396e}\u{3918}\u{9fb5}\u{39cf}\u{39df}\u{3a73}\u{39d0}\
         \u{9fb6}\u{9fb7}\u{3b4e}\u{3c6e}\u{3ce0}\u{2ea7}",
    ),
    ('\u{e832}', "\u{9fb8}\u{2eaa}\u{4056}\u{415f}\u{2eae}\u{4337}\u{2eb3}\u{2eb6}\u{2eb7}"),
    (
        '\u{e83c}',
        "\u{43b1}\u{43ac}\u{2ebb}\u{43dd}\u{44d6}\u{4661}\u{464c}\u{9fb9}\u{4723}\
         \u{4729}\u{477c}\u{478d}\u{2eca}\u{4947}\u{497a}\u{497d}\u{4982}\u{4983}\
         \u{4985}\u{4986}\u{499f}\u{499b}\u{49b7}\u{49b6}\u{9fba}",
    ),
    (
        '\u{e856}',
        "\u{4ca3}\u{4c9f}\u{4ca0}\u{4ca1}\u{4c77}\u{4ca2}\u{4d13}\u{4d14}\u{4d15}\
         \u{4d16}\u{4d17}\u{4d18}\u{4d19}\u{4dae}\u{9fbb}",
    ),
];

use SourceDecoder::{Ascii, Latin1, Table, Utf16};

/// All encodings, each with its names in Java, in small letters without `-` and `_`.
const ENCODINGS: [(&[&str], SourceEncoding); 29] = [
    (&["utf8"], encoding("UTF-8", Table(UTF_8, &[]))),
    (&["utf16", "unicode"], encoding("UTF-16", Utf16)),
    (
        &["utf16le", "xutf16lebom", "unicodelittleunmarked"],
        encoding("UTF-16LE", Table(UTF_16LE, &[])),
    ),
    (&["utf16be", "unicodebigunmarked"], encoding("UTF-16BE", Table(UTF_16BE, &[]))),
    (&["usascii", "ascii", "iso646us", "ansix3.41968"], encoding("US-ASCII", Ascii)),
    (&["iso88591", "latin1", "l1", "cp819", "ibm819"], encoding("ISO-8859-1", Latin1)),
    (&["iso88592", "latin2"], encoding("ISO-8859-2", Table(encoding_rs::ISO_8859_2, &[]))),
    (&["iso88594", "latin4"], encoding("ISO-8859-4", Table(encoding_rs::ISO_8859_4, &[]))),
    (&["iso88595", "cyrillic"], encoding("ISO-8859-5", Table(encoding_rs::ISO_8859_5, &[]))),
    (&["iso88597", "greek"], encoding("ISO-8859-7", Table(encoding_rs::ISO_8859_7, &[]))),
    (&["iso885913"], encoding("ISO-8859-13", Table(encoding_rs::ISO_8859_13, &[]))),
    (&["iso885915", "latin9"], encoding("ISO-8859-15", Table(encoding_rs::ISO_8859_15, &[]))),
    (&["windows1250", "cp1250"], encoding("windows-1250", Table(encoding_rs::WINDOWS_1250, &[]))),
    (&["windows1251", "cp1251"], encoding("windows-1251", Table(encoding_rs::WINDOWS_1251, &[]))),
    (&["windows1252", "cp1252"], encoding("windows-1252", Table(encoding_rs::WINDOWS_1252, &[]))),
    (&["windows1253", "cp1253"], encoding("windows-1253", Table(encoding_rs::WINDOWS_1253, &[]))),
    (&["windows1254", "cp1254"], encoding("windows-1254", Table(encoding_rs::WINDOWS_1254, &[]))),
    (&["windows1257", "cp1257"], encoding("windows-1257", Table(encoding_rs::WINDOWS_1257, &[]))),
    (&["koi8r"], encoding("KOI8-R", Table(encoding_rs::KOI8_R, &[]))),
    (&["koi8u"], encoding("KOI8-U", Table(encoding_rs::KOI8_U, UKRAINIAN))),
    (&["ibm866", "cp866"], encoding("IBM866", Table(encoding_rs::IBM866, &[]))),
    (
        &["shiftjis", "sjis", "xsjis"],
        encoding("Shift_JIS", Table(encoding_rs::SHIFT_JIS, JAPANESE)),
    ),
    (
        &["windows31j", "ms932", "cswindows31j", "cp932"],
        encoding("windows-31j", Table(encoding_rs::SHIFT_JIS, &[])),
    ),
    (&["eucjp", "eucj", "xeucjp"], encoding("EUC-JP", Table(encoding_rs::EUC_JP, JAPANESE))),
    (&["euckr", "ksc5601"], encoding("EUC-KR", Table(encoding_rs::EUC_KR, &[]))),
    (&["ms949", "xwindows949"], encoding("x-windows-949", Table(encoding_rs::EUC_KR, &[]))),
    (&["gbk", "cp936", "windows936"], encoding("GBK", Table(encoding_rs::GBK, CHINESE))),
    (
        &["ms936", "xmswin936"],
        encoding("x-mswin-936", Table(encoding_rs::GBK, CHINESE.split_at(1).1)),
    ),
    (&["gb18030"], encoding("GB18030", Table(encoding_rs::GB18030, &[]))),
];

const fn encoding(name: &'static str, decoder: SourceDecoder) -> SourceEncoding {
    SourceEncoding { name, decoder }
}

impl SourceEncoding {
    /// UTF-8.
    pub const UTF_8: Self = encoding("UTF-8", Table(UTF_8, &[]));

    /// Returns the encoding of a name that javac accepts.
    ///
    /// # Errors
    /// One that is not known, with those that are.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let plain: String =
            name.chars().filter(|c| !matches!(c, '-' | '_')).collect::<String>().to_lowercase();
        let found = ENCODINGS.iter().find(|(names, _)| names.contains(&plain.as_str()));
        found.map(|(_, encoding)| *encoding).ok_or_else(|| {
            let known: Vec<&str> = ENCODINGS.iter().map(|(_, known)| known.name).collect();
            let known = known.join(", ");
            format!("there is no encoding {name:?} here; known are {known}; convert the sources")
        })
    }

    /// Decodes bytes to text; the error is the offset of the first bytes that are no character.
    pub fn decode(self, bytes: &[u8]) -> Result<String, usize> {
        match self.decoder {
            Ascii => match bytes.iter().position(|byte| !byte.is_ascii()) {
                None => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
                Some(at) => Err(at),
            },
            Latin1 => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
            Utf16 => {
                let (encoding, rest) = match bytes {
                    [0xff, 0xfe, rest @ ..] => (UTF_16LE, rest),
                    [0xfe, 0xff, rest @ ..] => (UTF_16BE, rest),
                    rest => (UTF_16BE, rest),
                };
                decode_by_table(encoding, rest)
            }
            Table(encoding, others) => {
                let text = decode_by_table(encoding, bytes)?;
                if [encoding_rs::GBK, encoding_rs::GB18030].contains(&encoding) {
                    check_one_way(encoding, &text, bytes)?;
                }
                let is_other = |c: char| others.iter().any(|(_, web)| web.contains(c));
                match text.contains(is_other) {
                    true => Ok(text.chars().map(|c| java_char(c, others)).collect()),
                    false => Ok(text),
                }
            }
        }
    }
}

/// Decodes a whole text, or returns the offset of the first invalid bytes, found by bisection,
/// since the decoder only reports that there are some.
fn decode_by_table(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, usize> {
    let whole = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    if let Some(text) = whole {
        return Ok(text.into_owned());
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() * 3 + 16);
    let (_, read) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
    Err(read.saturating_sub(1))
}

/// Refuses bytes that do not survive decoding and encoding: for these Java has another character.
fn check_one_way(encoding: &'static Encoding, text: &str, bytes: &[u8]) -> Result<(), usize> {
    let (again, ..) = encoding.encode(text);
    match again.iter().zip(bytes).position(|(again, byte)| again != byte) {
        Some(at) => Err(at),
        None => Ok(()),
    }
}

/// Returns Java's character for one of the Web's tables.
fn java_char(c: char, others: &[JavaCharOverride]) -> char {
    let found = others.iter().find_map(|(first, web)| {
        let at = web.chars().position(|web| web == c)?;
        char::from_u32(u32::from(*first) + u32::try_from(at).ok()?)
    });
    found.unwrap_or(c)
}

/// Returns the encoding of a byte order mark, and the number of bytes to skip.
pub fn byte_order_mark(bytes: &[u8]) -> Option<(SourceEncoding, usize)> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some((SourceEncoding::UTF_8, 3)),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some((encoding("UTF-16", Utf16), 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    #[test]
    fn encodings_have_the_names_of_java() {
        for (name, expected) in [
            ("Shift_JIS", "Shift_JIS"),
            ("SJIS", "Shift_JIS"),
            ("MS932", "windows-31j"),
            ("utf8", "UTF-8"),
            ("Cp1252", "windows-1252"),
            ("ISO8859_15", "ISO-8859-15"),
        ] {
            assert_eq!(SourceEncoding::from_name(name).unwrap().name, expected);
        }
        let error = SourceEncoding::from_name("Klingon").unwrap_err();
        assert!(error.contains("\"Klingon\"") && error.contains("EUC-JP"), "{error}");
    }

    #[test]
    fn what_is_no_character_has_a_place() {
        let of = |name: &str| SourceEncoding::from_name(name).unwrap();
        assert_eq!(of("Shift_JIS").decode(b"\x83\x5c a\\").as_deref(), Ok("ソ a\\"));
        assert_eq!(of("Shift_JIS").decode(b"\x81\x60").as_deref(), Ok("\u{301c}"));
        assert_eq!(of("MS932").decode(b"\x81\x60").as_deref(), Ok("\u{ff5e}"));
        assert_eq!(of("US-ASCII").decode(b"ab\xe4"), Err(2));
        assert_eq!(of("UTF-8").decode(b"ab\xe4\n").unwrap_err(), 2);
        assert_eq!(of("UTF-16").decode(b"\xff\xfea\0").as_deref(), Ok("a"));
        assert_eq!(of("UTF-16").decode(b"\0a").as_deref(), Ok("a"));
        assert_eq!(of("latin1").decode(b"\x80").as_deref(), Ok("\u{80}"));
        assert!(
            byte_order_mark(b"\xef\xbb\xbfclass").is_some() && byte_order_mark(b"class").is_none()
        );
    }

    /// Prints what Java makes of all bytes, and of all pairs of bytes that are one character.
    const JAVA: &str = r#"
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharacterCodingException;
class All {
    static void print(String name, byte... bytes) {
        try {
            String text = Charset.forName(name).newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.codePointCount(0, text.length()) == 1 && text.codePointAt(0) != 0xfffd) {
                StringBuilder line = new StringBuilder(name);
                for (byte b : bytes) line.append(' ').append(b & 255);
                System.out.println(line.append(' ').append(text.codePointAt(0)));
            }
        } catch (CharacterCodingException none) {
        }
    }
    public static void main(String[] names) {
        for (String name : names) {
            if (!Charset.isSupported(name)) continue;
            for (int a = 0; a < 256; a++) {
                print(name, (byte) a);
                if (a > 127) for (int b = 0; b < 256; b++) print(name, (byte) a, (byte) b);
            }
        }
    }
}
"#;

    /// Where both know bytes, they know the same character: else strings would be others.
    #[test]
    fn characters_are_those_of_java() {
        let java = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/java"));
        let java = java.unwrap_or_else(|| "java".into());
        if Command::new(&java).arg("-version").output().is_err() {
            return crate::skip::because("no JDK");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("All.java");
        fs::write(&file, JAVA).unwrap();
        let names = ENCODINGS.iter().map(|(_, encoding)| encoding.name);
        let names: Vec<&str> = names.filter(|name| !name.starts_with("UTF-")).collect();
        let output = Command::new(&java).arg(&file).args(&names).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut known = 0;
        let mut wrong = Vec::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let numbers: Vec<u32> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
            let (code, bytes) = numbers.split_last().unwrap();
            let bytes: Vec<u8> = bytes.iter().map(|byte| *byte as u8).collect();
            let encoding = SourceEncoding::from_name(words[0]).unwrap();
            let Ok(text) = encoding.decode(&bytes) else { continue };
            known += 1;
            if text.chars().map(u32::from).ne([*code]) {
                wrong.push(format!("{line}, here {text:?}"));
            }
        }
        assert!(known > 60_000, "{known}");
        assert!(
            wrong.is_empty(),
            "{} of {known}: {:#?}",
            wrong.len(),
            &wrong[..wrong.len().min(60)]
        );
    }
}
