//! Writer of Android's binary XML, laid out as in
//! `frameworks/base/libs/androidfw/include/androidfw/ResourceTypes.h`: chunks of a string pool, the
//! resource ids of attribute names, and one for each start and end of a namespace and an element.
//! The reader is in `xml_reader.rs`.

use std::borrow::Cow;

/// The namespace of Android's own attributes.
pub const ANDROID: &str = "http://schemas.android.com/apk/res/android";
/// Prefix of that namespace, which only tools show.
const PREFIX: &str = "android";

pub(super) const STRING_POOL: u16 = 0x0001;
pub(super) const XML: u16 = 0x0003;
const START_NAMESPACE: u16 = 0x0100;
const END_NAMESPACE: u16 = 0x0101;
pub(super) const START_ELEMENT: u16 = 0x0102;
pub(super) const END_ELEMENT: u16 = 0x0103;
pub(super) const RESOURCE_MAP: u16 = 0x0180;

/// Index that stands for no string and no comment.
pub(super) const NO_STRING: u32 = u32::MAX;
/// Size of one attribute in bytes, and of the part before the first.
const ATTRIBUTE_SIZE: u16 = 20;

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A decimal number.
    Number(u32),
    /// True or false.
    Flag(bool),
    /// A resource, by its id.
    Reference(u32),
    /// Any other type: its number and 32 bits of data, such as a size or a colour.
    Other(u8, u32),
}

/// Type numbers of a `Res_value`.
pub(super) const REFERENCE: u8 = 0x01;
pub(super) const TEXT: u8 = 0x03;
pub(super) const NUMBER: u8 = 0x10;
pub(super) const FLAG: u8 = 0x12;

impl Value {
    /// Type number of a `Res_value`.
    fn kind(&self) -> u8 {
        match self {
            Value::Text(_) => TEXT,
            Value::Number(_) => NUMBER,
            Value::Flag(_) => FLAG,
            Value::Reference(_) => REFERENCE,
            Value::Other(kind, _) => *kind,
        }
    }
}

/// An attribute: one of Android's own with a resource id, or one without a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    pub(super) name: Cow<'static, str>,
    pub(super) id: Option<u32>,
    pub(super) value: Value,
}

/// An element with its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub(super) name: Cow<'static, str>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// An element without attributes and children.
    pub fn new(name: &'static str) -> Element {
        Element { name: name.into(), attributes: Vec::new(), children: Vec::new() }
    }

    /// Adds an attribute without a namespace.
    #[must_use]
    pub fn with_attribute(mut self, name: &'static str, text: &str) -> Element {
        let value = Value::Text(text.into());
        self.attributes.push(Attribute { name: name.into(), id: None, value });
        self
    }

    /// Adds one of Android's attributes, by name and resource id.
    #[must_use]
    pub fn with_android_attribute(
        mut self,
        (name, id): (&'static str, u32),
        value: Value,
    ) -> Element {
        self.attributes.push(Attribute { name: name.into(), id: Some(id), value });
        self
    }

    /// Adds a child element.
    #[must_use]
    pub fn with_child(mut self, child: Element) -> Element {
        self.children.push(child);
        self
    }

    /// The bytes of a file with this element as its root.
    pub fn to_bytes(&self) -> Vec<u8> {
        let pool = StringPool::of(self);
        let namespace = [pool.index(PREFIX), pool.index(ANDROID)];
        let mut content = pool.to_bytes();
        content.extend(node(START_NAMESPACE, &words(&namespace)));
        self.add_to(&mut content, &pool);
        content.extend(node(END_NAMESPACE, &words(&namespace)));
        chunk(XML, &[], &content)
    }

    fn add_to(&self, content: &mut Vec<u8>, pool: &StringPool<'_>) {
        let name = words(&[NO_STRING, pool.index(&self.name)]);
        let mut start = name.clone();
        let count = self.attributes.len() as u16;
        // Where attributes begin, their size and number; no id, class or style among them.
        for half in [ATTRIBUTE_SIZE, ATTRIBUTE_SIZE, count, 0, 0, 0] {
            start.extend(half.to_le_bytes());
        }
        for attribute in self.sorted_attributes() {
            start.extend(pool.attribute(attribute));
        }
        content.extend(node(START_ELEMENT, &start));
        self.children.iter().for_each(|child| child.add_to(content, pool));
        content.extend(node(END_ELEMENT, &name));
    }

    /// The attributes in the order of their resource ids, as Android's lookup requires.
    fn sorted_attributes(&self) -> Vec<&Attribute> {
        let mut sorted: Vec<&Attribute> = self.attributes.iter().collect();
        sorted.sort_by_key(|attribute| attribute.id.unwrap_or(NO_STRING));
        sorted
    }

    fn with_descendants(&self) -> Vec<&Element> {
        let below = self.children.iter().flat_map(Element::with_descendants);
        std::iter::once(self).chain(below).collect()
    }
}

/// Strings of a file: first the names of Android's attributes, whose ids are in the resource map in
/// the same order.
struct StringPool<'a> {
    strings: Vec<&'a str>,
    ids: Vec<u32>,
}

impl<'a> StringPool<'a> {
    fn of(root: &'a Element) -> StringPool<'a> {
        let elements = root.with_descendants();
        let attributes = || elements.iter().flat_map(|element| &element.attributes);
        let mut named: Vec<(u32, &str)> =
            attributes().filter_map(|a| Some((a.id?, a.name.as_ref()))).collect();
        named.sort_unstable();
        named.dedup();
        let (ids, mut strings): (Vec<u32>, Vec<&str>) = named.into_iter().unzip();
        let plain = attributes().filter(|a| a.id.is_none()).map(|a| a.name.as_ref());
        let texts = attributes().filter_map(|a| match &a.value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let names = elements.iter().map(|element| element.name.as_ref());
        let mut others: Vec<&str> =
            plain.chain(texts).chain(names).chain([PREFIX, ANDROID]).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|other| !strings.contains(other));
        strings.extend(others);
        StringPool { strings, ids }
    }

    fn index(&self, text: &str) -> u32 {
        let at = self.strings.iter().position(|string| *string == text);
        at.map_or(NO_STRING, |at| at as u32)
    }

    fn attribute(&self, attribute: &Attribute) -> Vec<u8> {
        let (raw, data) = match &attribute.value {
            Value::Text(text) => (self.index(text), self.index(text)),
            Value::Number(number) | Value::Reference(number) | Value::Other(_, number) => {
                (NO_STRING, *number)
            }
            Value::Flag(flag) => (NO_STRING, if *flag { NO_STRING } else { 0 }),
        };
        let namespace = if attribute.id.is_some() { self.index(ANDROID) } else { NO_STRING };
        let mut bytes = words(&[namespace, self.index(&attribute.name), raw]);
        bytes.extend([8, 0, 0, attribute.value.kind()]);
        bytes.extend(data.to_le_bytes());
        bytes
    }

    /// The bytes of the pool, in UTF-16, and of the resource map.
    fn to_bytes(&self) -> Vec<u8> {
        const HEADER: u32 = 28;
        let mut offsets = Vec::new();
        let mut texts: Vec<u8> = Vec::new();
        for string in &self.strings {
            offsets.push(texts.len() as u32);
            let units: Vec<u16> = string.encode_utf16().collect();
            let framed = length(units.len()).into_iter().chain(units).chain([0]);
            texts.extend(framed.flat_map(u16::to_le_bytes));
        }
        texts.resize(texts.len().next_multiple_of(4), 0);
        let count = self.strings.len() as u32;
        let header = words(&[count, 0, 0, HEADER + 4 * count, 0]);
        let content = [words(&offsets), texts].concat();
        [chunk(STRING_POOL, &header, &content), chunk(RESOURCE_MAP, &[], &words(&self.ids))]
            .concat()
    }
}

/// Length prefix of a string of `units` UTF-16 units: two units for long strings, the first with
/// its high bit set.
fn length(units: usize) -> Vec<u16> {
    match units < 0x8000 {
        true => vec![units as u16],
        false => vec![0x8000 | (units >> 16) as u16, units as u16],
    }
}

/// Bytes of a chunk: type, size of the header, size of all, header, content.
fn chunk(kind: u16, header: &[u8], content: &[u8]) -> Vec<u8> {
    let head = 8 + header.len();
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((head as u16).to_le_bytes());
    bytes.extend(((head + content.len()) as u32).to_le_bytes());
    [bytes.as_slice(), header, content].concat()
}

/// Bytes of a chunk of the tree, with line 0 and no comment in its header.
fn node(kind: u16, content: &[u8]) -> Vec<u8> {
    chunk(kind, &words(&[0, NO_STRING]), content)
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: (&str, u32) = ("label", 0x0101_0001);
    const NAME: (&str, u32) = ("name", 0x0101_0003);

    /// Types and sizes of the chunks within the file's own.
    fn chunks(bytes: &[u8]) -> Vec<(u16, usize)> {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((half(0), word(4)), (XML, bytes.len()));
        let mut at = 8;
        let mut found = Vec::new();
        while at < bytes.len() {
            found.push((half(at), word(at + 4)));
            at += word(at + 4);
        }
        found
    }

    #[test]
    fn chunks_follow_each_other_to_the_end() {
        let child = Element::new("b").with_android_attribute(NAME, Value::Flag(true));
        let root = Element::new("a").with_attribute("c", "d").with_child(child);
        let kinds: Vec<u16> = chunks(&root.to_bytes()).iter().map(|(kind, _)| *kind).collect();
        let tree = [START_ELEMENT, START_ELEMENT, END_ELEMENT, END_ELEMENT];
        let around = [STRING_POOL, RESOURCE_MAP, START_NAMESPACE];
        assert_eq!(kinds, [&around[..], &tree[..], &[END_NAMESPACE]].concat());
    }

    #[test]
    fn names_with_ids_come_first_and_in_their_order() {
        let root = Element::new("a")
            .with_attribute("package", "x")
            .with_android_attribute(NAME, Value::Text("label".into()))
            .with_android_attribute(LABEL, Value::Number(7));
        let pool = StringPool::of(&root);
        assert_eq!(pool.ids, [LABEL.1, NAME.1]);
        assert_eq!(pool.strings[..2], ["label", "name"]);
        let names: Vec<&str> =
            root.sorted_attributes().iter().map(|attribute| attribute.name.as_ref()).collect();
        assert_eq!(names, ["label", "name", "package"]);
    }

    #[test]
    fn sizes_are_multiples_of_four_for_any_text() {
        for text in ["", "x", "ü", "😀", &"long".repeat(20_000)] {
            let bytes = Element::new("a").with_attribute("b", text).to_bytes();
            assert!(chunks(&bytes).iter().all(|(_, size)| size % 4 == 0), "{}", text.len());
        }
    }
}
