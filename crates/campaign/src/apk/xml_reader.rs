//! Reader of Android's binary XML: elements with their attributes, without namespaces, comments and
//! text.

use std::borrow::Cow;

use super::xml::{
    Attribute, END_ELEMENT, Element, FLAG, NO_STRING, NUMBER, REFERENCE, RESOURCE_MAP,
    START_ELEMENT, STRING_POOL, TEXT, Value, XML,
};

/// Greatest nesting depth of elements; a manifest has six.
const DEEPEST: usize = 100;
/// Flag of a string pool in UTF-8 instead of UTF-16.
const UTF8: u32 = 1 << 8;
/// Type of a number written in hexadecimal digits.
const HEXADECIMAL: u8 = 0x11;
/// Offsets in a string pool: number of strings, flags, offset of the first string.
const COUNT: usize = 8;
const FLAGS: usize = 16;
const STRINGS: usize = 20;
/// Offset of a tree node's own content.
const NODE: usize = 16;

impl Element {
    /// Reads a file; returns its root element.
    ///
    /// # Errors
    /// The problem of the file.
    pub fn read(bytes: &[u8]) -> Result<Element, String> {
        let file = Bytes(bytes);
        if file.half(0)? != XML {
            return Err("is not in Android's binary form".to_owned());
        }
        let whole = file.part(0, file.word(4)? as usize)?;
        let mut reader = XmlReader::default();
        let mut at = usize::from(whole.half(2)?);
        while at < whole.0.len() {
            let size = whole.word(at + 4)? as usize;
            if size < 8 {
                return Err(format!("has a chunk of {size} bytes at {at}"));
            }
            reader.take(whole.part(at, size)?)?;
            at += size;
        }
        match (reader.open.is_empty(), reader.root) {
            (true, Some(root)) => Ok(root),
            (true, None) => Err("has no element".to_owned()),
            (false, _) => Err("ends within an element".to_owned()),
        }
    }
}

/// Bounds-checked reader of little-endian numbers.
#[derive(Clone, Copy)]
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn part(self, from: usize, size: usize) -> Result<Bytes<'b>, String> {
        let part = from.checked_add(size).and_then(|end| self.0.get(from..end));
        part.map(Bytes).ok_or_else(|| format!("ends before byte {}", from.saturating_add(size)))
    }

    fn half(self, at: usize) -> Result<u16, String> {
        let bytes = self.part(at, 2)?.0;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn word(self, at: usize) -> Result<u32, String> {
        let bytes = self.part(at, 4)?.0;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn byte(self, at: usize) -> Result<u8, String> {
        Ok(self.part(at, 1)?.0[0])
    }
}

#[derive(Default)]
struct XmlReader {
    strings: Vec<String>,
    /// Resource ids of the first strings, which are attribute names.
    ids: Vec<u32>,
    open: Vec<Element>,
    root: Option<Element>,
}

impl XmlReader {
    fn take(&mut self, chunk: Bytes<'_>) -> Result<(), String> {
        match chunk.half(0)? {
            STRING_POOL => self.strings = strings(chunk)?,
            RESOURCE_MAP => {
                let header = usize::from(chunk.half(2)?);
                let ids = (header..chunk.0.len()).step_by(4).map(|at| chunk.word(at));
                self.ids = ids.collect::<Result<_, _>>()?;
            }
            START_ELEMENT => self.begin(chunk)?,
            END_ELEMENT => {
                let element = self.open.pop().ok_or("ends an element that it did not begin")?;
                match self.open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => self.root = Some(element),
                }
            }
            // Namespaces and text.
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, chunk: Bytes<'_>) -> Result<(), String> {
        if self.open.len() == DEEPEST || self.open.is_empty() && self.root.is_some() {
            return Err("has elements where a manifest has none".to_owned());
        }
        let node = usize::from(chunk.half(2)?).max(NODE);
        let name = self.string(chunk.word(node + 4)?)?;
        let first = node + usize::from(chunk.half(node + 8)?);
        let size = usize::from(chunk.half(node + 10)?);
        let count = usize::from(chunk.half(node + 12)?);
        let at = (0..count).map(|index| first + index * size);
        let attributes = at.map(|at| self.attribute(chunk, at)).collect::<Result<_, _>>()?;
        self.open.push(Element { name: name.into(), attributes, children: Vec::new() });
        Ok(())
    }

    fn attribute(&self, chunk: Bytes<'_>, at: usize) -> Result<Attribute, String> {
        let [name, raw] = [chunk.word(at + 4)?, chunk.word(at + 8)?];
        let (kind, data) = (chunk.byte(at + 15)?, chunk.word(at + 16)?);
        let value = match kind {
            TEXT => Value::Text(self.string(if raw == NO_STRING { data } else { raw })?),
            NUMBER | HEXADECIMAL => Value::Number(data),
            FLAG => Value::Flag(data != 0),
            REFERENCE => Value::Reference(data),
            other => Value::Other(other, data),
        };
        let id = self.ids.get(name as usize).copied().filter(|id| *id != 0);
        Ok(Attribute { name: Cow::Owned(self.string(name)?), id, value })
    }

    fn string(&self, index: u32) -> Result<String, String> {
        let string = self.strings.get(index as usize);
        string.cloned().ok_or_else(|| format!("names string {index}, which it does not have"))
    }
}

fn strings(pool: Bytes<'_>) -> Result<Vec<String>, String> {
    let header = usize::from(pool.half(2)?);
    let (count, flags) = (pool.word(COUNT)? as usize, pool.word(FLAGS)?);
    let first = pool.word(STRINGS)? as usize;
    let mut strings = Vec::new();
    for index in 0..count {
        let at = first.saturating_add(pool.word(header + 4 * index)? as usize);
        strings.push(if flags & UTF8 == 0 { utf16(pool, at)? } else { utf8(pool, at)? });
    }
    Ok(strings)
}

fn utf16(pool: Bytes<'_>, at: usize) -> Result<String, String> {
    let (mut length, mut at) = (usize::from(pool.half(at)?), at.saturating_add(2));
    if length & 0x8000 != 0 {
        length = (length & 0x7fff) << 16 | usize::from(pool.half(at)?);
        at += 2;
    }
    let bytes = pool.part(at, 2 * length)?.0;
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    Ok(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// Reads a UTF-8 string, whose length in UTF-16 units precedes that in bytes.
fn utf8(pool: Bytes<'_>, at: usize) -> Result<String, String> {
    let (_, at) = short_length(pool, at)?;
    let (length, at) = short_length(pool, at)?;
    Ok(String::from_utf8_lossy(pool.part(at, length)?.0).into_owned())
}

/// A length of one or two bytes, and the offset after it.
fn short_length(pool: Bytes<'_>, at: usize) -> Result<(usize, usize), String> {
    let first = usize::from(pool.byte(at)?);
    match first & 0x80 {
        0 => Ok((first, at + 1)),
        _ => Ok(((first & 0x7f) << 8 | usize::from(pool.byte(at + 1)?), at + 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: (&str, u32) = ("name", 0x0101_0003);
    const LABEL: (&str, u32) = ("label", 0x0101_0001);

    fn sample() -> Element {
        let long = "ü😀".repeat(20_000);
        let child = Element::new("b")
            .with_android_attribute(LABEL, Value::Reference(7))
            .with_child(Element::new("c"));
        Element::new("a")
            .with_android_attribute(LABEL, Value::Text(long))
            .with_android_attribute(NAME, Value::Flag(true))
            .with_attribute("package", "org.x")
            .with_child(child)
            .with_child(Element::new("d").with_android_attribute(NAME, Value::Number(3)))
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(Element::read(&sample().to_bytes()), Ok(sample()));
    }

    /// aapt2 writes UTF-8 where it is told so, and lengths above 127 in two bytes.
    #[test]
    fn strings_in_utf8_are_read() {
        let text = "ä".repeat(100);
        let mut strings = vec![0x80, 100, 0x80, 200];
        strings.extend(text.bytes().chain([0]));
        let mut pool = Vec::new();
        for word in [0x001c_0001, 36 + strings.len() as u32, 1, 0, UTF8, 32, 0, 0] {
            pool.extend(u32::to_le_bytes(word));
        }
        pool.extend(strings);
        assert_eq!(super::strings(Bytes(&pool)), Ok(vec![text]));
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let whole = sample().to_bytes();
        for cut in [0, 1, 7, 8, 40, whole.len() / 2, whole.len() - 1] {
            assert!(Element::read(&whole[..cut]).is_err(), "{cut}");
        }
        let small =
            Element::new("a").with_android_attribute(NAME, Value::Text("x".into())).to_bytes();
        bolero::check!().with_type::<Vec<(u16, u8)>>().for_each(|edits| {
            let mut bytes = small.clone();
            for (at, byte) in edits {
                let at = usize::from(*at) % bytes.len();
                bytes[at] = *byte;
            }
            let _ = Element::read(&bytes);
        });
    }
}
