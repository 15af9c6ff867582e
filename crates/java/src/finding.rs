//! Findings: remarks about lines of the source. Strange Java is a finding, never an error:
//! analyses return their value and the findings beside it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A syntax error; the block may miss operations.
    SyntaxError,
    /// A file that could not be read as text.
    UnreadableFile,
    /// A file that is no UTF-8 and was read in another encoding, which may be wrong.
    AssumedEncoding,
    /// A file that is no part of an application and was left out; the message has the reason.
    LeftOut,
    /// Files of another language beside the Java ones; their operations are not counted.
    OtherLanguage,
    /// An expression of unknown type; its operations have a guessed kind.
    UnknownType,
    /// A call whose declaring class is not known; it counts as `lib:?.<method>`.
    UnresolvedCall,
    /// A name without a declaration: its class is of no library that was given, or is generated.
    UnresolvedName,
    /// A block that can't have a probe and is not counted at run time.
    NotProbed,
    /// A block that can't be removed, or whose removal was dropped; the message has the reason.
    NotRemoved,
    /// A link in a source tree that was not followed; the message has the reason.
    LinkNotFollowed,
    /// An entry of an archive whose name clashes with another's.
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

/// Remark about a line of the source, with its kind and a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Path relative to its source root, with `/`.
    pub file: String,
    /// Line, from 1; 0 for a remark about the whole file.
    pub line: u32,
    /// Kind of the remark.
    pub kind: FindingKind,
    /// One sentence for the user.
    pub message: String,
}
