//! Outline of a class file, read without resolving it: enough to distinguish two class files.

use cafebabe::ParseOptions;
use cafebabe::attributes::AttributeData;

/// Source file, member signatures and size of a class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFileOutline {
    /// Name of its source file, from the `SourceFile` attribute.
    pub source: Option<String>,
    /// Fields and methods with their types and flags, independent of their order in the file.
    pub members: Vec<String>,
    /// Size of the whole file in bytes, which mostly differs where a method's code does.
    pub bytes: usize,
}

/// Reads the outline of a class file; `None` of bytes that are no class file.
pub fn class_file_outline(bytes: &[u8]) -> Option<ClassFileOutline> {
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
    Some(ClassFileOutline { source, members, bytes: bytes.len() })
}
