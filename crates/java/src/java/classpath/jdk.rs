//! Location of the JDK's own classes: `lib/modules` of JDK 9 and later, `rt.jar` before.

use std::path::{Path, PathBuf};

use super::entry::ClassPathEntry;

/// Opens the classes of the JDK that `JAVA_HOME` names, else of `java` on the search path.
pub(super) fn find_jdk() -> Option<ClassPathEntry> {
    std::env::var_os("JAVA_HOME").and_then(|home| open_jdk(Path::new(&home))).or_else(|| {
        let java = on_search_path("java")?.canonicalize().ok()?;
        open_jdk(java.parent()?.parent()?)
    })
}

/// Opens the classes of the JDK in the folder `home`.
pub(super) fn open_jdk(home: &Path) -> Option<ClassPathEntry> {
    if let Some(modules) = ClassPathEntry::modules(&home.join("lib/modules")) {
        return Some(modules);
    }
    ["jre/lib/rt.jar", "lib/rt.jar"]
        .iter()
        .find_map(|jar| ClassPathEntry::open(&home.join(jar)).ok())
}

fn on_search_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
