//! Reader of `lib/modules` of a JDK, which holds the classes of all its modules.

use std::path::Path;

use jimage_rs::JImage;

use crate::java::fast_hash::Map;

/// Opened `lib/modules` of a JDK, with the module of each package.
pub(super) struct ModulesFile {
    image: JImage,
    module_of_package: Map<String, String>,
}

impl ModulesFile {
    pub(super) fn open(path: &Path) -> Option<ModulesFile> {
        let image = JImage::open(path).ok()?;
        let mut module_of_package = Map::default();
        for name in image.resource_names_iter().flatten() {
            if name.extension == "class" && !module_of_package.contains_key(&*name.parent) {
                module_of_package.insert(name.parent.to_string(), name.module.to_string());
            }
        }
        Some(ModulesFile { image, module_of_package })
    }

    /// Returns the class file that declares a module.
    pub(super) fn declaration(&self, module: &str) -> Option<Vec<u8>> {
        let found = self.image.find_resource(&format!("/{module}/module-info.class")).ok()??;
        Some(found.into_owned())
    }

    /// Returns the class file of `path` (`java/lang/String`).
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let package = path.rsplit_once('/')?.0;
        let module = self.module_of_package.get(package)?;
        let found = self.image.find_resource(&format!("/{module}/{path}.class")).ok()??;
        Some(found.into_owned())
    }
}
