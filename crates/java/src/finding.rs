//! A remark about a place in the source. Strange Java is a finding, never an
//! error: analyses return their value and the findings beside it, and go on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of remark a [`Finding`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The parser could not make sense of this place; its block may miss operations.
    SyntaxError,
    /// The file could not be read as text.
    UnreadableFile,
    /// The file is no UTF-8 and was read in another encoding, which may be wrong.
    AssumedEncoding,
    /// The file is no part of an application and was left out; the message says why.
    LeftOut,
    /// Files of another language lie beside the Java ones; what they do is not counted.
    OtherLanguage,
    /// The type of an expression is not known; its operations carry a guessed kind.
    UnknownType,
    /// The declaring class of a call is not known; it counts as `lib:?.<method>`.
    UnresolvedCall,
    /// Nothing declares this name: its class is of no library that was given, or is generated.
    UnresolvedName,
    /// This place can't hold a probe; its block is not counted at run time.
    NotProbed,
    /// This block can't be removed, or its removal was dropped; the message says why.
    NotRemoved,
    /// A link in a source tree was not followed; the message says why.
    LinkNotFollowed,
    /// The name of an archive's entry clashes with another's.
    NameClash,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FindingKind::SyntaxError => "syntax-error",
            FindingKind::UnreadableFile => "unreadable-file",
            FindingKind::AssumedEncoding => "assumed-encoding",
            FindingKind::LeftOut => "left-out",
            FindingKind::OtherLanguage => "other-language",
            FindingKind::UnknownType => "unknown-type",
            FindingKind::UnresolvedCall => "unresolved-call",
            FindingKind::UnresolvedName => "unresolved-name",
            FindingKind::NotProbed => "not-probed",
            FindingKind::NotRemoved => "not-removed",
            FindingKind::LinkNotFollowed => "link-not-followed",
            FindingKind::NameClash => "name-clash",
        })
    }
}

/// One remark: where, what sort, and a sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Path relative to its source root, with `/`.
    pub file: String,
    /// Line, from 1; 0 when the remark is about the whole file.
    pub line: u32,
    /// The sort of remark.
    pub kind: FindingKind,
    /// One sentence.
    pub message: String,
}
