//! Class path: jars, folders of class files and the JDK's own modules. Classes are
//! found by binary name and read on first use. The only part of `java` that reads files.

mod convert;
mod entry;
mod error;
mod exports;
mod jdk;
mod modules;
mod outline;
mod signature;

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use super::class::ClassInfo;
use super::types::Name;
use crate::java::fast_hash::Map;
use entry::ClassPathEntry;
pub use error::ClassPathError;
pub use outline::{ClassFileOutline, class_file_outline};

/// Class path: jars, folders and the JDK, from which classes outside the analysed sources are
/// read. Cheap to open: a class is read at its first look-up, and cached.
#[derive(Default)]
pub struct ClassPath {
    entries: Vec<ClassPathEntry>,
    has_jdk: bool,
    release: u16,
    read: RwLock<Map<Name, Option<Arc<ClassInfo>>>>,
    /// The sources' own classes, compiled with what annotation processors write into them.
    compiled: Option<ClassPathEntry>,
    compiled_read: RwLock<Map<Name, Option<Arc<ClassInfo>>>>,
    exported: RwLock<Map<String, Vec<String>>>,
    /// Number of class look-ups by all users of this class path.
    #[cfg(test)]
    pub(crate) lookups: std::sync::atomic::AtomicUsize,
}

/// Java release assumed where there is no JDK: later than all.
const NO_RELEASE: u16 = u16::MAX;

impl ClassPath {
    /// Opens jars and folders in order, then the JDK found by `JAVA_HOME` or by `java` on the
    /// search path. Empty entries are left out. Without a JDK its classes are unknown, which is no
    /// error.
    ///
    /// # Errors
    /// If an entry does not exist, can't be read or is not a jar.
    pub fn open(entries: &[PathBuf]) -> Result<ClassPath, ClassPathError> {
        let mut opened = Vec::with_capacity(entries.len() + 1);
        for entry in entries.iter().filter(|e| !e.as_os_str().is_empty()) {
            opened.push(ClassPathEntry::open(entry)?);
        }
        let jdk = jdk::find_jdk();
        let (has_jdk, release) = (jdk.is_some(), jdk.as_ref().map_or(NO_RELEASE, release_of));
        opened.extend(jdk);
        Ok(ClassPath { entries: opened, has_jdk, release, ..ClassPath::default() })
    }

    /// Adds the folder with the sources' own classes, compiled with annotation processors: members
    /// that sources do not have are taken from there.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn with_compiled_folder(
        mut self,
        folder: Option<&Path>,
    ) -> Result<ClassPath, ClassPathError> {
        if let Some(folder) = folder {
            self.compiled = Some(ClassPathEntry::open(folder)?);
            self.entries.push(ClassPathEntry::open(folder)?);
        }
        Ok(self)
    }

    /// Returns a class of the sources from its class file, with its private members.
    pub fn compiled_class(&self, name: &str) -> Option<Arc<ClassInfo>> {
        let place = self.compiled.as_ref()?;
        if let Some(known) = self.compiled_read.read().ok()?.get(name) {
            return known.clone();
        }
        let bytes = place.bytes(&name.replace('.', "/"));
        let find = |outer: &str| self.compiled_class(outer);
        let class = bytes.and_then(|bytes| convert::source_class_info(&bytes, find)).map(Arc::new);
        self.compiled_read.write().ok()?.entry(name.into()).or_insert(class).clone()
    }

    /// Returns the packages that a module exports to all, with those of the modules that it
    /// requires transitively; none of a module that is not there.
    pub(crate) fn exported_packages(&self, module: &str) -> Vec<String> {
        if let Some(known) = self.exported.read().ok().and_then(|all| all.get(module).cloned()) {
            return known;
        }
        let packages = exports::exported_packages(module, |module| {
            self.entries.iter().find_map(|entry| entry.module(module))
        });
        if let Ok(mut all) = self.exported.write() {
            all.insert(module.to_owned(), packages.clone());
        }
        packages
    }

    /// Returns a class path without any classes: everything outside the sources is unknown.
    pub fn empty() -> ClassPath {
        ClassPath { release: NO_RELEASE, ..ClassPath::default() }
    }

    /// Iterates over the paths of the jars, folders and the JDK's own file, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().map(|entry| &*entry.path)
    }

    /// Whether the class path has the classes of a JDK.
    pub fn has_jdk(&self) -> bool {
        self.has_jdk
    }

    /// Returns the Java release of the JDK, which determines what the language leaves open to
    /// compilers; without a JDK the largest number.
    pub fn release(&self) -> u16 {
        self.release
    }

    /// Returns the class with this binary name (`java.util.Map$Entry`); `None` if it is not there
    /// or can't be read.
    pub fn find(&self, name: &str) -> Option<Arc<ClassInfo>> {
        if let Some(known) = self.read.read().ok()?.get(name) {
            return known.clone();
        }
        let class = self.load(name).map(Arc::new);
        self.read.write().ok()?.entry(name.into()).or_insert(class).clone()
    }

    /// Returns the number of names looked up so far.
    #[cfg(test)]
    pub(crate) fn lookup_count(&self) -> usize {
        self.read.read().map_or(0, |read| read.len())
    }

    fn load(&self, name: &str) -> Option<ClassInfo> {
        let path = name.replace('.', "/");
        let bytes = self.entries.iter().find_map(|entry| entry.bytes(&path))?;
        convert::class_info(&bytes, |outer| self.find(outer))
    }
}

/// Returns the Java release of a JDK: the version of its class files less 44.
fn release_of(jdk: &ClassPathEntry) -> u16 {
    let bytes = jdk.bytes("java/lang/Object");
    let version = bytes.as_deref().and_then(|bytes| bytes.get(6..8));
    version.map_or(NO_RELEASE, |v| u16::from_be_bytes([v[0], v[1]]).saturating_sub(44))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::types::Type;

    #[test]
    fn a_missing_entry_is_named() {
        let Err(error) = ClassPath::open(&["no/such.jar".into()]) else { panic!("opened") };
        assert!(error.to_string().contains("no/such.jar"));
    }

    #[test]
    fn modules_export_packages_with_those_that_they_require_transitively() {
        let classes = ClassPath::open(&[]).unwrap();
        if !classes.has_jdk() || classes.release() < 9 {
            return crate::skip::because("no JDK with modules");
        }
        let base = classes.exported_packages("java.base");
        assert!(base.iter().any(|package| package == "java.util.function"), "{base:?}");
        assert!(!base.iter().any(|package| package.starts_with("sun.")), "{base:?}");
        let se = classes.exported_packages("java.se");
        assert!(se.iter().any(|package| package == "java.sql"), "{se:?}");
        assert!(classes.exported_packages("no.such.module").is_empty());
    }

    #[test]
    fn the_jdk_has_generic_members() {
        let classes = ClassPath::open(&[]).unwrap();
        if !classes.has_jdk() {
            return crate::skip::because("no JDK");
        }
        assert!((5..100).contains(&classes.release()), "{}", classes.release());
        let list = classes.find("java.util.ArrayList").unwrap();
        let get = &list.methods_named("get")[0];
        assert_eq!(get.parameters, [Type::INT]);
        assert_eq!(get.returns, Type::Variable(list.type_parameters[0].clone()));
        let entry = classes.find("java.util.Map$Entry").unwrap();
        assert!(entry.is_interface && entry.type_parameters.len() == 2);
        let integer = classes.find("java.lang.Integer").unwrap();
        assert_eq!(integer.fields["MAX_VALUE"].constancy, crate::java::class::Constancy::Yes);
        assert!(classes.find("java.util.NoSuchThing").is_none());
    }
}
