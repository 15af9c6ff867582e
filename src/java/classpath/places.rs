//! The places class files come from.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use zip::ZipArchive;

use super::ClassPathError;
use super::jdk::Modules;

/// One entry of the class path.
pub(super) enum Place {
    /// A folder of class files.
    Folder(PathBuf),
    /// A jar.
    Jar(Mutex<ZipArchive<File>>),
    /// The JDK's own modules.
    Modules(Modules),
}

impl Place {
    /// Opens a jar or a folder.
    pub(super) fn open(path: &Path) -> Result<Place, ClassPathError> {
        if !path.exists() {
            return Err(ClassPathError::Missing(path.into()));
        }
        if path.is_dir() {
            return Ok(Place::Folder(path.into()));
        }
        let file = File::open(path)
            .map_err(|source| ClassPathError::Unreadable { path: path.into(), source })?;
        let archive = ZipArchive::new(file)
            .map_err(|source| ClassPathError::NotAJar { path: path.into(), source })?;
        Ok(Place::Jar(Mutex::new(archive)))
    }

    /// The class file of `path` (`java/util/Map$Entry`), if this place has it.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        match self {
            Place::Folder(root) => std::fs::read(root.join(format!("{path}.class"))).ok(),
            Place::Modules(modules) => modules.bytes(path),
            Place::Jar(archive) => {
                let mut archive = archive.lock().ok()?;
                let index = archive.index_for_name(&format!("{path}.class"))?;
                let mut bytes = Vec::new();
                archive.by_index(index).ok()?.read_to_end(&mut bytes).ok()?;
                Some(bytes)
            }
        }
    }
}
