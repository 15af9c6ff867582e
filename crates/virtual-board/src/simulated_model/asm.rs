//! Search for the ASM library, which is not part of the program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::SimulatedModelError;
use super::options::FetchAsm;
/// Folder of Java libraries in Linux distributions.
const SYSTEM_JAR_FOLDER: &str = "/usr/share/java";

/// Jars with ASM's core and tree packages: those of `WATTLINE_ASM`, else those that `fetch` brings.
/// Without them those of the distribution, which may be too old for the JDK's classes, else the
/// newest in the local Maven repository.
pub(super) fn find_asm_jars(fetch: Option<FetchAsm>) -> Result<Vec<PathBuf>, SimulatedModelError> {
    if let Some(named) = env::var_os("WATTLINE_ASM") {
        let jars: Vec<PathBuf> = env::split_paths(&named).collect();
        let missing = jars.iter().find(|jar| !jar.is_file());
        return match missing {
            None => Ok(jars),
            Some(jar) => Err(SimulatedModelError::NoAsm {
                looked: format!("{} (WATTLINE_ASM)", jar.display()),
            }),
        };
    }
    // Asked once: without a network it takes its time to say so.
    static FETCHED: OnceLock<Option<Vec<PathBuf>>> = OnceLock::new();
    if let Some(jars) = FETCHED.get_or_init(|| fetch.and_then(|fetch| fetch())) {
        return Ok(jars.clone());
    }
    let maven = env::var_os("HOME").map(|home| Path::new(&home).join(".m2/repository/org/ow2/asm"));
    let found =
        asm_jars_in(Path::new(SYSTEM_JAR_FOLDER)).or_else(|| newest_maven_jars(maven.as_deref()?));
    found.ok_or_else(|| SimulatedModelError::NoAsm {
        looked: format!("Maven, {SYSTEM_JAR_FOLDER} and ~/.m2"),
    })
}

/// Both jars of a folder, if they exist.
fn asm_jars_in(dir: &Path) -> Option<Vec<PathBuf>> {
    let jars = vec![dir.join("asm.jar"), dir.join("asm-tree.jar")];
    jars.iter().all(|jar| jar.is_file()).then_some(jars)
}

/// Jars of the newest version 9 in a Maven repository of which both exist.
fn newest_maven_jars(repository: &Path) -> Option<Vec<PathBuf>> {
    let versions = fs::read_dir(repository.join("asm")).ok()?;
    let mut versions: Vec<(Vec<u32>, String)> = versions
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|version| Some((version_numbers(&version)?, version)))
        .filter(|(numbers, _)| numbers.first() == Some(&9))
        .collect();
    versions.sort();
    let jars = |version: &str| {
        let jar =
            |part: &str| repository.join(part).join(version).join(format!("{part}-{version}.jar"));
        let jars = vec![jar("asm"), jar("asm-tree")];
        jars.iter().all(|jar| jar.is_file()).then_some(jars)
    };
    versions.iter().rev().find_map(|(_, version)| jars(version))
}

/// Numbers of a version `9.10.1`.
fn version_numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_version_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        for (part, version) in
            [("asm", "9.10"), ("asm", "9.9"), ("asm-tree", "9.9"), ("asm", "10.0")]
        {
            let folder = dir.path().join(part).join(version);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{part}-{version}.jar")), "").unwrap();
        }
        let found = newest_maven_jars(dir.path()).unwrap();
        assert!(found[0].ends_with("asm/9.9/asm-9.9.jar"), "{found:?}");
        assert_eq!(newest_maven_jars(Path::new("/nowhere")), None);
    }
}
