//! Output folder of a Maven module: in addition to the classes of its Java sources, which are
//! compiled again, it has resources and classes of other languages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::format::counted_as;
use crate::java::classpath::class_file_outline;
use crate::project::ProjectError;
use crate::project::module::OtherLanguageClasses;
use crate::scenario::UnanalysedLanguage;
use crate::toolchain::file_tree::{FileTree, TreeFile};

/// Classified contents of a module's output folder.
#[derive(Debug, Default)]
pub(super) struct OutputFolder {
    /// Class files of Java sources, by path.
    pub java_classes: BTreeSet<String>,
    /// Sources that were not given to javac, but compiled since others use their classes.
    pub implicit: BTreeSet<PathBuf>,
    /// Classes of other languages, each in a folder of its own.
    pub others: Vec<OtherLanguageClasses>,
    /// Folder with a copy of all other files, such as resources.
    pub resources: Option<PathBuf>,
    /// Class files without a known source.
    unexplained: Vec<String>,
}

/// Kind of source that a class was compiled from.
enum ClassOrigin {
    Listed,
    Implicit(PathBuf),
    Other(UnanalysedLanguage),
    Unknown,
}

/// The Java sources of a module.
struct KnownSources<'s> {
    files: &'s BTreeSet<PathBuf>,
    names: BTreeSet<&'s std::ffi::OsStr>,
    roots: &'s BTreeSet<PathBuf>,
}

impl OutputFolder {
    /// Classifies the files of a module's output folder by the module's sources; copies files to
    /// keep into folders below `to`.
    pub fn read(
        folder: &Path,
        sources: &BTreeSet<PathBuf>,
        roots: &BTreeSet<PathBuf>,
        to: &Path,
    ) -> Result<OutputFolder, ProjectError> {
        let names = sources.iter().filter_map(|file| file.file_name()).collect();
        let known = KnownSources { files: sources, names, roots };
        let mut found = OutputFolder::default();
        let mut languages: BTreeMap<UnanalysedLanguage, Vec<PathBuf>> = BTreeMap::new();
        for file in FileTree::read(folder, &|_| true).files {
            let target = match found.classify(&known, &file)? {
                Some(ClassOrigin::Listed | ClassOrigin::Implicit(_)) => continue,
                Some(ClassOrigin::Other(language)) => {
                    languages.entry(language).or_default().push(file.path.clone());
                    to.join(language.name())
                }
                Some(ClassOrigin::Unknown) | None => {
                    found.resources.insert(to.join("resources")).clone()
                }
            };
            copy(&file, &target)?;
        }
        let other = |(language, files): (UnanalysedLanguage, _)| OtherLanguageClasses {
            language: language.name().to_owned(),
            classes: to.join(language.name()),
            files,
        };
        found.others = languages.into_iter().map(other).collect();
        Ok(found)
    }

    /// Records the origin of a file; skips files that are no part of a program.
    fn classify(
        &mut self,
        known: &KnownSources<'_>,
        file: &TreeFile,
    ) -> Result<Option<ClassOrigin>, ProjectError> {
        if !file.name.ends_with(".class") || file.name.ends_with("package-info.class") {
            // The annotations of packages are read by programs, and their sources are no code.
            return Ok(None);
        }
        // Modules are made of their sources; what is for newer releases counts in a jar alone.
        if file.name.ends_with("module-info.class") || file.name.starts_with("META-INF/versions/") {
            return Ok(Some(ClassOrigin::Listed));
        }
        let bytes = fs::read(&file.path).map_err(ProjectError::io(&file.path))?;
        let origin = known.origin(&file.name, &bytes);
        match &origin {
            ClassOrigin::Listed => drop(self.java_classes.insert(file.name.clone())),
            ClassOrigin::Implicit(source) => {
                self.java_classes.insert(file.name.clone());
                self.implicit.insert(source.clone());
            }
            ClassOrigin::Unknown => self.unexplained.push(file.name.clone()),
            ClassOrigin::Other(_) => {}
        }
        Ok(Some(origin))
    }

    /// A remark on the files that are kept; `None` if there are none.
    pub fn remark(&self) -> Option<String> {
        let (first, count) = (self.unexplained.first()?, self.unexplained.len());
        Some(format!(
            "{}, as {first}; `mvn clean` removes what is left of an earlier build",
            counted_as(
                count,
                "class is of no source of the module and goes along as it is",
                "classes are of no source of the module and go along as they are"
            )
        ))
    }
}

impl KnownSources<'_> {
    fn origin(&self, class: &str, bytes: &[u8]) -> ClassOrigin {
        let (package, simple) = class.rsplit_once('/').unwrap_or(("", class));
        let own = simple.split(['$', '.']).next().unwrap_or(simple);
        let source = class_file_outline(bytes).and_then(|facts| facts.source);
        let source = source.unwrap_or_else(|| format!("{own}.java"));
        if let Some(language) = UnanalysedLanguage::of_file(&source) {
            return ClassOrigin::Other(language);
        }
        let mut places = self.roots.iter().map(|root| root.join(package).join(&source));
        match places.find(|place| place.is_file()) {
            Some(place) if !self.files.contains(&place) => ClassOrigin::Implicit(place),
            Some(_) => ClassOrigin::Listed,
            // A package may be declared in a folder of another name.
            None if self.names.contains(std::ffi::OsStr::new(&source)) => ClassOrigin::Listed,
            None => ClassOrigin::Unknown,
        }
    }
}

fn copy(file: &TreeFile, to: &Path) -> Result<(), ProjectError> {
    let target = to.join(&file.name);
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(ProjectError::io(folder))?;
    }
    fs::copy(&file.path, &target).map(drop).map_err(ProjectError::io(&file.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class file with the name of its source and nothing else.
    fn class(name: &str, source: &str) -> Vec<u8> {
        let text = |text: &str| {
            let length = u16::try_from(text.len()).unwrap().to_be_bytes();
            [&[1], &length[..], text.as_bytes()].concat()
        };
        [
            &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 7][..],
            &text(name),
            &[7, 0, 1],
            &text("java/lang/Object"),
            &[7, 0, 3],
            &text("SourceFile"),
            &text(source),
            &[0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 0, 2, 0, 6],
        ]
        .concat()
    }

    #[test]
    fn a_folder_is_sorted_by_what_its_classes_are_made_of() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, bytes).unwrap();
            file
        };
        let listed = write("src/a/Listed.java", b"package a;");
        let astray = write("src/elsewhere/Astray.java", b"package b;");
        let implicit = write("src/a/Implicit.java", b"package a;");
        for (name, source) in [
            ("a/Listed", "Listed.java"),
            ("a/Listed$Inner", "Listed.java"),
            ("b/Astray", "Astray.java"),
            ("a/Implicit", "Implicit.java"),
            ("a/K", "K.kt"),
            ("a/Gone", "Gone.java"),
            ("a/package-info", "package-info.java"),
            ("module-info", "module-info.java"),
            ("META-INF/versions/11/a/Listed", "Listed.java"),
        ] {
            write(&format!("classes/{name}.class"), &class(name, source));
        }
        // Without the name of a source that of the class says it.
        write("classes/a/Listed$1.class", b"no class file");
        write("classes/text", b"text");
        let (sources, roots) = ([listed, astray].into(), [place.path().join("src")].into());
        let (classes, to) = (place.path().join("classes"), place.path().join("to"));
        let found = OutputFolder::read(&classes, &sources, &roots, &to).unwrap();
        assert_eq!(found.implicit, [implicit].into());
        let java_classes = ["a/Implicit", "a/Listed", "a/Listed$1", "a/Listed$Inner", "b/Astray"];
        assert_eq!(found.java_classes, java_classes.map(|name| format!("{name}.class")).into());
        assert_eq!((found.others.len(), &*found.others[0].language), (1, "Kotlin"));
        let copied = |folder: &Path| -> Vec<String> {
            FileTree::read(folder, &|_| true).files.into_iter().map(|file| file.name).collect()
        };
        assert_eq!(copied(&found.others[0].classes), ["a/K.class"]);
        let beside = ["a/Gone.class", "a/package-info.class", "text"];
        assert_eq!(copied(found.resources.as_deref().unwrap()), beside);
        let remark = found.remark().unwrap();
        assert!(remark.starts_with("1 class is of no source") && remark.contains("a/Gone.class"));
    }

    #[test]
    fn a_folder_that_is_not_there_has_nothing() {
        let (none, to) = (BTreeSet::new(), Path::new("/gone/to"));
        let found = OutputFolder::read(Path::new("/gone"), &none, &none, to).unwrap();
        assert!(
            found.java_classes.is_empty() && found.resources.is_none() && found.remark().is_none()
        );
    }
}
