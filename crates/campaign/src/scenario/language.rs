//! Languages of an application that wattline does not analyse: their classes go along as they
//! are.

use serde::{Deserialize, Serialize};

/// `library.language`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum UnanalysedLanguage {
    /// Kotlin.
    Kotlin,
    /// Groovy.
    Groovy,
    /// Scala.
    Scala,
}

impl UnanalysedLanguage {
    /// All of them.
    pub const ALL: [UnanalysedLanguage; 3] =
        [UnanalysedLanguage::Kotlin, UnanalysedLanguage::Groovy, UnanalysedLanguage::Scala];

    /// Its name for readers.
    pub fn name(self) -> &'static str {
        match self {
            UnanalysedLanguage::Kotlin => "Kotlin",
            UnanalysedLanguage::Groovy => "Groovy",
            UnanalysedLanguage::Scala => "Scala",
        }
    }
}
