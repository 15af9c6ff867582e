//! Languages of an application that wattline does not analyse: their classes are packed unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `library.language`: a language that is not analysed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
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
    /// All unanalysed languages.
    pub const ALL: [UnanalysedLanguage; 3] =
        [UnanalysedLanguage::Kotlin, UnanalysedLanguage::Groovy, UnanalysedLanguage::Scala];

    /// The language of a source file, by its extension; `None` for others.
    pub fn of_file(name: &str) -> Option<UnanalysedLanguage> {
        match name.rsplit_once('.')?.1 {
            "kt" => Some(UnanalysedLanguage::Kotlin),
            "groovy" => Some(UnanalysedLanguage::Groovy),
            "scala" => Some(UnanalysedLanguage::Scala),
            _ => None,
        }
    }

    /// Name of the language for readers.
    pub fn name(self) -> &'static str {
        match self {
            UnanalysedLanguage::Kotlin => "Kotlin",
            UnanalysedLanguage::Groovy => "Groovy",
            UnanalysedLanguage::Scala => "Scala",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_of_the_language_of_their_end() {
        let of = |name| UnanalysedLanguage::of_file(name).map(UnanalysedLanguage::name);
        assert_eq!(of("a/b/K.kt"), Some("Kotlin"));
        assert_eq!(of("build.groovy"), Some("Groovy"));
        assert_eq!(of("a.b.scala"), Some("Scala"));
        assert_eq!((of("Main.java"), of("kt"), of("build.gradle.kts")), (None, None, None));
    }
}
