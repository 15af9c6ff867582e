//! Choice of the libraries that are modules, where the sources are one; by Gradle's rule, those
//! with a declaration or with the name of an automatic module.

use std::path::Path;

use crate::toolchain::jar;

use super::{BuildError, Sources};

const DECLARATION: &str = "module-info.class";
const AUTOMATIC: &str = "automatic-module-name:";

impl Sources {
    /// Sets the sources up as a module, if they declare one; returns its name.
    ///
    /// # Errors
    /// Several module declarations; an unreadable library.
    pub fn set_up_module(&mut self) -> Result<Option<String>, BuildError> {
        let names = self.modules.iter().map(|module| module.name.clone());
        let names: Vec<String> = names.collect();
        if names.len() > 1 {
            return Err(BuildError::SeveralModules { names });
        }
        let Some(module) = self.modules.pop() else { return Ok(None) };
        for library in self.class_path() {
            if is_module(&library)? {
                self.javac.module_path.push(library);
            }
        }
        self.javac.module = Some(module);
        Ok(names.into_iter().next())
    }
}

fn is_module(library: &Path) -> Result<bool, BuildError> {
    if library.is_dir() {
        return Ok(library.join(DECLARATION).is_file());
    }
    let is_told = |name: &str| {
        name == "META-INF/MANIFEST.MF"
            || name == DECLARATION
            || (name.starts_with(jar::VERSIONS_FOLDER) && name.ends_with(DECLARATION))
    };
    let content = jar::read(library, "", is_told)?;
    let says = |(name, bytes): (&String, &Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        name.ends_with(DECLARATION) || text.lines().any(|line| line.starts_with(AUTOMATIC))
    };
    Ok(content.entries.iter().any(says))
}

/// The optional module and the class of `MODULE/CLASS` or `CLASS`.
pub fn module_and_class(main: &str) -> (Option<&str>, &str) {
    main.split_once('/').map_or((None, main), |(module, class)| (Some(module), class))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;
    use crate::build::ModuleInfo;

    #[test]
    fn libraries_are_modules_by_their_declaration_or_their_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let jar = |name: &str, attributes: &[(&str, &str)], entry: &str| {
            let path = folder.path().join(name);
            let entries = BTreeMap::from([(entry.to_owned(), Vec::new())]);
            fs::write(&path, jar::pack(attributes, &entries)).unwrap();
            path
        };
        let named = jar("a.jar", &[("Automatic-Module-Name", "a")], "a/A.class");
        let declared = jar("b.jar", &[], "META-INF/versions/9/module-info.class");
        let plain = jar("c.jar", &[], "c/C.class");
        let module = |name: &str| {
            ModuleInfo::parse("module-info.java", &format!("module {name} {{}}")).unwrap()
        };
        let libraries = vec![named.clone(), plain.clone(), declared.clone()];
        let mut sources = Sources { libraries, ..Sources::default() };
        assert_eq!(sources.set_up_module().unwrap(), None);
        sources.modules = vec![module("x.y")];
        assert_eq!(sources.set_up_module().unwrap().as_deref(), Some("x.y"));
        assert_eq!(sources.javac.module_path, [named, declared]);
        assert_eq!(sources.javac.beside_modules(sources.class_path()), [plain]);
        sources.modules = vec![module("x"), module("y")];
        let error = sources.set_up_module().unwrap_err().to_string();
        assert!(error.contains("several modules (x, y)"), "{error}");
        assert_eq!(module_and_class("a.b/c.D"), (Some("a.b"), "c.D"));
    }
}
