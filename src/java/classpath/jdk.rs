//! The JDK's own classes: `lib/modules` of JDK 9 and later, `rt.jar` before.

use std::path::{Path, PathBuf};

use jimage_rs::JImage;

use super::places::Place;
use crate::java::fast::Map;

/// The modules file with the module of each package.
pub(super) struct Modules {
    image: JImage,
    module_of_package: Map<String, String>,
}

impl Modules {
    fn open(path: &Path) -> Option<Modules> {
        let image = JImage::open(path).ok()?;
        let mut module_of_package = Map::default();
        for name in image.resource_names_iter().flatten() {
            if name.extension == "class" && !module_of_package.contains_key(&*name.parent) {
                module_of_package.insert(name.parent.to_string(), name.module.to_string());
            }
        }
        Some(Modules { image, module_of_package })
    }

    /// The class file of `path` (`java/lang/String`).
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let package = path.rsplit_once('/')?.0;
        let module = self.module_of_package.get(package)?;
        let found = self.image.find_resource(&format!("/{module}/{path}.class")).ok()??;
        Some(found.into_owned())
    }
}

/// The classes of the JDK that `JAVA_HOME` names, else of `java` on the search path.
pub(super) fn find() -> Option<Place> {
    std::env::var_os("JAVA_HOME").and_then(|home| at(Path::new(&home))).or_else(|| {
        let java = on_search_path("java")?.canonicalize().ok()?;
        at(java.parent()?.parent()?)
    })
}

/// The classes of the JDK in the folder `home`.
pub(super) fn at(home: &Path) -> Option<Place> {
    if let Some(modules) = Modules::open(&home.join("lib/modules")) {
        return Some(Place::Modules(modules));
    }
    ["jre/lib/rt.jar", "lib/rt.jar"].iter().find_map(|jar| Place::open(&home.join(jar)).ok())
}

fn on_search_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
