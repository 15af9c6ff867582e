//! What a class file says without being understood: enough to tell two of them apart.

use cafebabe::ParseOptions;
use cafebabe::attributes::AttributeData;

/// The outline of a class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFileFacts {
    /// The file that it was compiled from, as it says.
    pub source: Option<String>,
    /// Fields and methods with their types and flags, in no order of the file.
    pub members: Vec<String>,
    /// Bytes of the whole file: of two that differ in a method's code they are mostly not alike.
    pub bytes: usize,
}

/// The outline of a class file; none of what is no class file.
pub fn class_file_facts(bytes: &[u8]) -> Option<ClassFileFacts> {
    let mut options = ParseOptions::default();
    options.parse_bytecode(false);
    let file = cafebabe::parse_class_with_options(bytes, &options).ok()?;
    let source = file.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.to_string()),
        _ => None,
    });
    let fields = file.fields.iter().map(|field| {
        format!("{} {} {:x}", field.name, field.descriptor, field.access_flags.bits())
    });
    let methods = file.methods.iter().map(|method| {
        format!("{} {} {:x}", method.name, method.descriptor, method.access_flags.bits())
    });
    let mut members: Vec<String> = fields.chain(methods).collect();
    members.sort_unstable();
    Some(ClassFileFacts { source, members, bytes: bytes.len() })
}
