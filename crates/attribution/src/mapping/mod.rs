//! Names of an obfuscated application -> names of its sources, by the mapping file that
//! ProGuard and R8 write.
//!
//! What such a file says, as R8's `retrace.md` describes it: a class line
//! `original -> obfuscated:`, and below it its members, `[first:last:]type name(types)
//! [:first[:last]] -> obfuscated`. Lines with one minified range after each other are
//! frames of inlined methods, the innermost first. Comments with JSON tell a class's source
//! file and the signature a method has after shrinking.
//!
//! A method that was recorded is what its bytecode holds, inlined ones included: the
//! outermost frame names it. A sample has one line, and the innermost frame there names it.
//! Where several originals remain, all are named.

mod reader;
mod resolver;

use std::collections::HashMap;

pub use reader::MappingError;
pub use resolver::{NameCertainty, RuntimeMethod, SourceMethod};

/// Mapping file of ProGuard or R8, with the members of the wanted classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping {
    /// By obfuscated name.
    classes: HashMap<String, MappedClass>,
    /// Obfuscated names by the original ones, of all classes.
    obfuscated: HashMap<String, String>,
    /// Source files by original class, of all classes that have one.
    source_files: HashMap<String, String>,
}

/// Class of the mapping with its methods by obfuscated name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct MappedClass {
    original: String,
    /// Whether it is R8's own: then the classes its frames name are inner names of R8's.
    is_synthesized: bool,
    methods: HashMap<String, Vec<OriginalMethod>>,
}

/// Method of the sources that is an application's method or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OriginalMethod {
    /// Where it comes from another class.
    class: Option<String>,
    name: String,
    /// Types as the file has them, with commas.
    arguments: String,
    /// Types after shrinking, where they differ: a descriptor.
    residual: Option<String>,
    /// Lines of the application and of the sources where it is the outermost frame; none of
    /// one that only was inlined.
    spans: Vec<LineSpan>,
    /// The same where it is the innermost frame: its own code.
    own: Vec<LineSpan>,
}

/// Range of lines in the application with the range in the sources that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineSpan {
    /// First and last line in the application, where it has any.
    minified: Option<(u32, u32)>,
    /// First and last line in the source; zero where unknown.
    original: (u32, u32),
}

impl Mapping {
    /// Returns the number of classes in the file.
    pub fn len(&self) -> usize {
        self.obfuscated.len()
    }

    /// Whether the file names no class.
    pub fn is_empty(&self) -> bool {
        self.obfuscated.is_empty()
    }
}
