//! Entries of the class path, from which class files are read.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use wattline_units::input::{open_regular, read_regular};
use wattline_units::limits::{ARCHIVE_ENTRIES, CLASS_FILE_BYTES};
use zip::ZipArchive;

use super::error::ClassPathError;
use super::exports;
use super::modules::ModulesFile;

/// One entry of the class path: a folder, a jar or the JDK's modules.
pub(super) struct ClassPathEntry {
    pub path: PathBuf,
    classes: ClassStorage,
}

enum ClassStorage {
    /// A folder of class files.
    Folder,
    /// A jar.
    Jar(Mutex<ZipArchive<File>>),
    /// The JDK's own modules.
    Modules(ModulesFile),
}

impl ClassPathEntry {
    /// Opens a jar or a folder.
    pub(super) fn open(path: &Path) -> Result<ClassPathEntry, ClassPathError> {
        if !path.exists() {
            return Err(ClassPathError::Missing(path.into()));
        }
        if path.is_dir() {
            return Ok(ClassPathEntry { path: path.into(), classes: ClassStorage::Folder });
        }
        let unreadable = |source| ClassPathError::Unreadable { path: path.into(), source };
        let file = open_regular(path).map_err(unreadable)?;
        let archive = ZipArchive::new(file)
            .map_err(|source| ClassPathError::NotAJar { path: path.into(), source })?;
        ARCHIVE_ENTRIES.check(archive.len() as u64).map_err(|error| unreadable(error.into()))?;
        Ok(ClassPathEntry { path: path.into(), classes: ClassStorage::Jar(Mutex::new(archive)) })
    }

    /// Opens the modules file of a JDK.
    pub(super) fn modules(path: &Path) -> Option<ClassPathEntry> {
        let modules = ModulesFile::open(path)?;
        Some(ClassPathEntry { path: path.into(), classes: ClassStorage::Modules(modules) })
    }

    /// Returns the class file that declares a module, if the entry has it.
    pub(super) fn module(&self, module: &str) -> Option<Vec<u8>> {
        match &self.classes {
            ClassStorage::Modules(modules) => modules.declaration(module),
            _ => {
                let bytes = self.bytes("module-info")?;
                let is_it = exports::module_name(&bytes).as_deref() == Some(module);
                is_it.then_some(bytes)
            }
        }
    }

    /// Returns the class file of `path` (`java/util/Map$Entry`), if the entry has it.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        match &self.classes {
            ClassStorage::Folder => {
                // A name of a source that begins with a dot would be a path from the root.
                let file = Some(format!("{path}.class")).filter(|file| !file.starts_with('/'))?;
                read_regular(&self.path.join(file), CLASS_FILE_BYTES).ok()
            }
            ClassStorage::Modules(modules) => modules.bytes(path),
            ClassStorage::Jar(archive) => {
                let mut archive = archive.lock().ok()?;
                // By the bytes of the name, which are UTF-8 in jars. A search by text looks
                // at every entry for a name that is not there, as most are not.
                let index = archive.index_for_name_raw(format!("{path}.class").as_bytes())?;
                CLASS_FILE_BYTES.read_all(archive.by_index(index).ok()?).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_class_that_unpacks_to_too_much_is_unknown_and_a_fifo_no_jar() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.jar");
        let mut jar = zip::ZipWriter::new(File::create(&path).unwrap());
        jar.start_file("p/A.class", zip::write::SimpleFileOptions::default()).unwrap();
        let zeros = vec![0; 1 << 20];
        (0..=64).for_each(|_| jar.write_all(&zeros).unwrap());
        jar.finish().unwrap();
        assert!(ClassPathEntry::open(&path).unwrap().bytes("p/A").is_none());
        let Err(error) = ClassPathEntry::open("/dev/zero".as_ref()) else { panic!("opened") };
        assert!(matches!(error, ClassPathError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn no_name_of_a_class_is_a_path_from_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Outside.class");
        std::fs::write(&file, "class").unwrap();
        let place = ClassPathEntry::open(folder.path()).unwrap();
        assert!(place.bytes("Outside").is_some());
        let absolute = file.with_extension("").display().to_string();
        assert!(place.bytes(&absolute).is_none());
    }

    /// Names in jars are UTF-8, whatever the archive says of them. A search that goes by
    /// other encodings has to look at every entry for each name that is not there, which
    /// takes a millisecond in a jar of 65 000 classes.
    #[test]
    fn a_class_is_found_by_the_bytes_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jar");
        let mut jar = zip::ZipWriter::new(File::create(&path).unwrap());
        for name in ["p/A.class", "p/\u{e9}.class", "p/Old#.class"] {
            jar.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            jar.write_all(b"class").unwrap();
        }
        jar.finish().unwrap();
        // An `e` with an accent as code page 437 has it.
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = 0x82);
        std::fs::write(&path, bytes).unwrap();
        let place = ClassPathEntry::open(&path).unwrap();
        assert!(place.bytes("p/A").is_some() && place.bytes("p/\u{e9}").is_some());
        assert!(place.bytes("p/Old\u{e9}").is_none());
    }
}
