//! Android libraries on the class path: an AAR stands for the jars within it; a file with code for
//! Android's runtime instead of class files is refused.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use wattline_units::input::open_regular;
use zip::ZipArchive;

use crate::private_files::{built_folder, cache_folder};
use crate::toolchain::{ToolchainError, artifact, jar};

use super::BuildError;

/// Entry with an AAR's own classes.
const CLASSES: &str = "classes.jar";

/// Folder of an AAR with further jars.
const JARS: &str = "libs/";

/// Entry that every Android package has: applications (APK) and libraries (AAR).
const MANIFEST: &str = "AndroidManifest.xml";

/// The class path entries for a library: the library itself, or the jars of an AAR, which are
/// unpacked in the cache for javac, packagers and JVMs.
/// # Errors
/// It has code for Android's runtime and no class files; an AAR that can't be read.
pub(super) fn entries_of(library: PathBuf) -> Result<Vec<PathBuf>, BuildError> {
    match PackedLibrary::of(&library) {
        PackedLibrary::Classes => Ok(vec![library]),
        PackedLibrary::Aar => jars_of_aar(&library),
        PackedLibrary::Dex => Err(BuildError::ClassPath(format!(
            "{} holds code for Android's runtime (.dex) and no class files, which javac needs; give \
             the jar or AAR that the code was made of",
            library.display()
        ))),
    }
}

/// Kind of a library's contents.
enum PackedLibrary {
    /// Class files, or a file that its later readers check.
    Classes,
    /// Jars in an AAR.
    Aar,
    /// Only code for Android's runtime, as in an APK.
    Dex,
}

impl PackedLibrary {
    fn of(library: &Path) -> Self {
        let archive = |file: File| ZipArchive::new(file).ok();
        let file = Some(library).filter(|path| path.is_file()).map(open_regular);
        let Some(archive) = file.and_then(Result::ok).and_then(archive) else {
            return PackedLibrary::Classes;
        };
        let has = |name: &str| archive.index_for_name_raw(name.as_bytes()).is_some();
        let has_end =
            |end: &str| archive.file_names().any(|name| name.is_ok_and(|name| name.ends_with(end)));
        if is_aar_by_name(library) || (has(MANIFEST) && has(CLASSES)) {
            PackedLibrary::Aar
        } else if has_end(".dex") && !has_end(".class") {
            PackedLibrary::Dex
        } else {
            PackedLibrary::Classes
        }
    }
}

/// Whether the path has the extension of AARs.
pub(super) fn is_aar_by_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("aar"))
}

/// The jars of an AAR: its own classes first.
fn jars_of_aar(aar: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let is_jar = |name: &str| {
        let brought = name.strip_prefix(JARS).and_then(|name| name.strip_suffix(".jar"));
        name == CLASSES || brought.is_some_and(|name| !name.contains('/'))
    };
    let jars = jar::read_library(aar, is_jar)?;
    let names: Vec<String> = jars.keys().map(|name| name_outside(aar, name)).collect();
    let cache = cache_folder().map_err(ToolchainError::from)?.join("libraries");
    let name = name_outside(aar, &artifact::hash_of(aar)?);
    let named: BTreeMap<String, Vec<u8>> = names.iter().cloned().zip(jars.into_values()).collect();
    let write = |folder: &Path| jar::write_folder(folder, &named).map(drop);
    let folder = built_folder(&cache, &name, write).map_err(ToolchainError::from)?;
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// File name of an unpacked jar, `play-1.2-classes.jar` of `play-1.2.aar`: libraries are
/// distinguished by file name.
fn name_outside(aar: &Path, part: &str) -> String {
    let stem = aar.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}-{}", part.strip_prefix(JARS).unwrap_or(part))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn archive(path: &Path, entries: &[(&str, &[u8])]) {
        let entries = entries.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
        fs::write(path, jar::pack(&[], &entries.collect())).unwrap();
    }

    #[test]
    fn the_jars_of_an_aar_stand_for_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["play-1.2.aar", "play.zip"] {
            let aar = folder.path().join(name);
            let entries: [(&str, &[u8]); 6] = [
                (MANIFEST, b"<manifest/>"),
                (CLASSES, b"own"),
                ("libs/more.jar", b"more"),
                ("libs/readme.txt", b""),
                ("lint.jar", b""),
                ("res/values/values.xml", b""),
            ];
            archive(&aar, &entries);
            let jars = entries_of(aar).unwrap();
            let stem = name.rsplit_once('.').unwrap().0;
            let names = jars.iter().map(|jar| jar.file_name().unwrap().to_string_lossy());
            let expected = [format!("{stem}-classes.jar"), format!("{stem}-more.jar")];
            assert_eq!(names.collect::<Vec<_>>(), expected);
            let bytes = jars.iter().map(|jar| fs::read(jar).unwrap());
            assert_eq!(bytes.collect::<Vec<_>>(), [b"own".to_vec(), b"more".to_vec()]);
        }
    }

    #[test]
    fn what_has_no_class_files_but_dex_is_refused_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        archive(&at("a.apk"), &[(MANIFEST, b""), ("classes2.dex", b"dex")]);
        let error = entries_of(at("a.apk")).unwrap_err().to_string();
        assert!(error.contains("a.apk holds code for Android's runtime"), "{error}");
        archive(&at("both.jar"), &[("classes.dex", b""), ("a/B.class", b"")]);
        archive(&at("fat.jar"), &[(CLASSES, b""), ("a/B.class", b"")]);
        fs::write(at("text.jar"), "no archive").unwrap();
        for same in ["both.jar", "fat.jar", "text.jar", "gone"] {
            assert_eq!(entries_of(at(same)).unwrap(), [at(same)]);
        }
    }
}
