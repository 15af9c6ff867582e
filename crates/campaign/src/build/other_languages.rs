//! Files of other languages beside the Java files: they are neither analysed nor compiled, so their
//! classes must be given.

use std::collections::BTreeMap;

use crate::finding::{Finding, FindingKind};
use crate::format::counted;
use crate::scenario::UnanalysedLanguage;
use crate::toolchain::Diagnostic;
use crate::toolchain::entry_name::EscapedName;
use crate::unresolved_name::UnresolvedName;

/// Languages and paths, relative to their source roots, of unanalysed files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherLanguageFiles(Vec<(UnanalysedLanguage, String)>);

impl OtherLanguageFiles {
    /// The unanalysed ones among these files.
    pub fn of(files: impl IntoIterator<Item = String>) -> Self {
        let language = |file: String| Some((UnanalysedLanguage::of_file(&file)?, file));
        Self(files.into_iter().filter_map(language).collect())
    }

    /// Adds the files of another source tree.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// One finding per language, at its first file.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |(language, names): (&str, Vec<&str>)| Finding {
            file: EscapedName(names[0]).to_string(),
            line: 0,
            kind: FindingKind::OtherLanguage,
            message: format!(
                "{} is not analysed (files: {}): its operations are in no count, and calls of its \
                 classes are calls of a library",
                language,
                names.len()
            ),
        };
        self.by_language().into_iter().map(finding).collect()
    }

    /// The number of files, and a remedy if `findings` has names that they may declare; `None`
    /// without files.
    pub fn summary(&self, findings: &[Finding]) -> Option<String> {
        let files = |(language, names): (&str, Vec<&str>)| {
            counted(names.len(), &format!("{language} file"))
        };
        let counts: Vec<String> = self.by_language().into_iter().map(files).collect();
        let verb = if self.0.len() == 1 { "is" } else { "are" };
        let said = format!("{} {verb} neither analysed nor compiled", counts.join(" and "));
        let mut names = findings.iter().filter_map(UnresolvedName::of);
        let missing = names.find_map(|missing| self.named(&missing.name));
        let missing = missing.map_or_else(String::new, |(language, file)| {
            format!(
                ", {} among them, of which a name is missing: {}",
                EscapedName(file),
                remedy(language)
            )
        });
        (!self.0.is_empty()).then(|| said + &missing)
    }

    /// A remedy for javac's errors, if javac misses a class with the name of one of these files, or
    /// a package that only these files have.
    pub(super) fn remedy(&self, errors: &[Diagnostic]) -> Option<String> {
        let (language, file) = errors.iter().find_map(|error| self.missed_by(error))?;
        Some(format!(
            "{} is {}, which is not compiled here: {}",
            EscapedName(file),
            language.name(),
            remedy(language)
        ))
    }

    fn missed_by(&self, error: &Diagnostic) -> Option<(UnanalysedLanguage, &str)> {
        if let Some(package) = error.missing_package() {
            let folder = package.replace('.', "/");
            let is_in = |file: &str| {
                let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
                parent == folder || parent.ends_with(&format!("/{folder}"))
            };
            return self.files().find(|(_, file)| is_in(file));
        }
        error.missing_classes().find_map(|name| self.named(name))
    }

    /// The file with the name of a class, or whose functions Kotlin compiles to the class.
    fn named(&self, class: &str) -> Option<(UnanalysedLanguage, &str)> {
        let path = class.replace('.', "/");
        let is_it = |file: &str| {
            let whole = file.rsplit_once('.').map_or(file, |(whole, _)| whole);
            let ends = |path: &str| whole == path || whole.ends_with(&format!("/{path}"));
            ends(&path) || path.strip_suffix("Kt").is_some_and(ends)
        };
        self.files().find(|(_, file)| is_it(file))
    }

    fn files(&self) -> impl Iterator<Item = (UnanalysedLanguage, &str)> {
        self.0.iter().map(|(language, file)| (*language, file.as_str()))
    }

    /// Paths of the files by language name.
    fn by_language(&self) -> BTreeMap<&'static str, Vec<&str>> {
        let mut by_language: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for (language, file) in self.files() {
            by_language.entry(language.name()).or_default().push(file);
        }
        by_language
    }
}

/// A remedy for missing classes of a language.
fn remedy(language: UnanalysedLanguage) -> String {
    format!(
        "give its classes, compiled, as a `[[library]]` with `language = \"{}\"` (of `scan` and \
         `trace`: --classpath)",
        language.name().to_lowercase()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> OtherLanguageFiles {
        let names = ["demo/Helper.kt", "demo/ui/Screen.kt", "Build.groovy", "demo/Main.java"];
        OtherLanguageFiles::of(names.map(str::to_owned))
    }

    fn missing(name: &str) -> Finding {
        let message = UnresolvedName { name: name.into(), uses: 1 }.to_string();
        let (file, kind) = ("A.java".into(), FindingKind::UnresolvedName);
        Finding { file, line: 1, kind, message }
    }

    #[test]
    fn a_missing_name_is_told_to_be_one_of_theirs() {
        let said = files().summary(&[missing("Other")]).unwrap();
        assert_eq!(said, "1 Groovy file and 2 Kotlin files are neither analysed nor compiled");
        for name in ["Helper", "demo.Helper", "HelperKt"] {
            let said = files().summary(&[missing("Other"), missing(name)]).unwrap();
            assert!(said.contains("compiled, demo/Helper.kt among them"), "{name}: {said}");
            assert!(said.contains("`language = \"kotlin\"` (of `scan`"), "{said}");
        }
        let one = OtherLanguageFiles::of(["A.scala".to_owned()]).summary(&[]).unwrap();
        assert_eq!(one, "1 Scala file is neither analysed nor compiled");
        assert_eq!(OtherLanguageFiles::default().summary(&[missing("Helper")]), None);
    }

    #[test]
    fn a_finding_counts_the_files_of_a_language() {
        let found = files().findings();
        let places: Vec<&str> = found.iter().map(|finding| finding.file.as_str()).collect();
        assert_eq!(places, ["Build.groovy", "demo/Helper.kt"]);
        assert!(found[1].message.starts_with("Kotlin is not analysed (files: 2)"));
    }

    #[test]
    fn what_javac_misses_is_told_to_be_one_of_theirs() {
        let error = |message: &str, symbol: &str| Diagnostic {
            file: "demo/Main.java".into(),
            line: 6,
            message: format!("error: {message}"),
            details: vec!["  f(x);".into(), symbol.into(), "  location: class Main".into()],
        };
        let remedy = |message: &str, symbol: &str| files().remedy(&[error(message, symbol)]);
        let symbol = remedy("cannot find symbol", "  symbol:   variable Helper").unwrap();
        assert!(symbol.starts_with("demo/Helper.kt is Kotlin, which is not compiled"), "{symbol}");
        assert!(symbol.contains("`language = \"kotlin\"`"), "{symbol}");
        assert!(remedy("package demo.ui does not exist", "").unwrap().contains("Screen.kt"));
        assert_eq!(remedy("cannot find symbol", "  symbol:   variable Other"), None);
        assert_eq!(remedy("package org.lib does not exist", ""), None);
    }
}
