//! The library with a class that an application does not find on its board.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::format::{visible_name, visible_path};
use crate::toolchain::archive::ArchiveReader;

/// Texts of Java's and Android's runtimes before the name of a missing class.
const NOT_FOUND: [&str; 2] =
    ["java.lang.NoClassDefFoundError: ", "java.lang.ClassNotFoundException: "];
/// Texts that Android puts between that and the name.
const ANDROID_SAYS: [&str; 2] = ["Failed resolution of: L", "Didn't find class \""];

/// Remedy for a crash for lack of a class that is in a library with role `provided`.
pub(super) fn remedy(crash: &str, provided: &[PathBuf]) -> Option<String> {
    missing_classes(crash).find_map(|class| {
        let library = provided.iter().find(|library| holds(library, &class))?;
        Some(format!(
            "class {} is in {}, a library of role \"provided\", which this board does not have: give \
             its [[library]] the role \"packed\", or take a board that has it",
            visible_name(&class),
            visible_path(library)
        ))
    })
}

/// Binary names of the missing classes in a stack trace with its causes.
fn missing_classes(crash: &str) -> impl Iterator<Item = String> {
    crash.lines().filter_map(|line| {
        let said = NOT_FOUND.iter().find_map(|kind| Some(line.split_once(kind)?.1))?;
        let said = ANDROID_SAYS.iter().find_map(|words| said.strip_prefix(words)).unwrap_or(said);
        let name = said.split([' ', ';', '"']).next()?;
        Some(name.replace('/', "."))
    })
}

/// Whether a jar or a folder of classes contains a class.
fn holds(library: &Path, class: &str) -> bool {
    let entry = format!("{}.class", class.replace('.', "/"));
    if library.is_dir() {
        return library.join(entry).is_file();
    }
    let archive = File::open(library).ok().and_then(|file| ArchiveReader::open(file).ok());
    archive.is_some_and(|mut archive| archive.inner().index_for_name(&entry).is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::toolchain::jar;

    #[test]
    fn a_class_of_a_library_that_the_board_lacks_is_told_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("android.jar");
        let classes = [("android/os/Parcelable.class".to_owned(), Vec::new())];
        fs::write(&jar, jar::pack(&[], &BTreeMap::from(classes))).unwrap();
        let classes = folder.path().join("classes");
        fs::create_dir_all(classes.join("org/lib")).unwrap();
        fs::write(classes.join("org/lib/A.class"), "").unwrap();
        let provided = [jar, classes];
        let told = |crash: &str| remedy(crash, &provided).unwrap_or_default();
        let java = "java.lang.NoClassDefFoundError: android/os/Parcelable\n\tat a.B.c(B.java:1)\n\
                    Caused by: java.lang.ClassNotFoundException: android.os.Parcelable";
        let said = told(java);
        assert!(said.starts_with("class android.os.Parcelable is in "), "{said}");
        assert!(said.contains("android.jar, a library of role \"provided\""), "{said}");
        assert!(said.contains("the role \"packed\""), "{said}");
        let android = "java.lang.NoClassDefFoundError: Failed resolution of: Lorg/lib/A;\n\tat x";
        assert!(told(android).starts_with("class org.lib.A is in "), "{}", told(android));
        let path = "java.lang.ClassNotFoundException: Didn't find class \"org.lib.A\" on path: /x";
        assert!(told(path).starts_with("class org.lib.A is in "), "{}", told(path));
        assert_eq!(told("java.lang.NoClassDefFoundError: android/os/Other"), "");
        assert_eq!(told("java.lang.IllegalStateException: org.lib.A"), "");
    }
}
