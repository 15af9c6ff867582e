//! The real projects of the corpus (`tests/checker/corpus.toml`): fetched by name and
//! hash, unpacked, with their class path. Artifacts are cached.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use wattline::toolchain::{artifact, jar};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    project: Vec<Project>,
}

/// A project as the file names it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub style: String,
    sources: String,
    sha256: String,
    /// The oldest JDK that compiles it.
    pub java: u32,
    /// Whether it is looked at in every run of the tests.
    #[serde(default)]
    pub quick: bool,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    libraries: Vec<Library>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    maven: String,
    sha256: String,
}

impl Project {
    /// Its coordinates.
    pub fn name(&self) -> &str {
        self.sources.trim_end_matches(":sources")
    }

    /// Unpacks the sources into `folder` and fetches the class path; what is missing if
    /// there is no network.
    pub fn fetched(&self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let fetch = |maven: &str, sha256: &str| {
            artifact::fetch(maven, sha256).map_err(|error| error.to_string())
        };
        let sources = fetch(&self.sources, &self.sha256)?;
        let wanted = |name: &str| !self.exclude.iter().any(|part| name.contains(part));
        unpack(&sources, folder, wanted)?;
        self.libraries.iter().map(|library| fetch(&library.maven, &library.sha256)).collect()
    }
}

/// All projects of the corpus.
pub fn projects() -> Vec<Project> {
    let text = include_str!("../checker/corpus.toml");
    toml::from_str::<Corpus>(text).unwrap().project
}

/// The version of the program `java`: 17 of `openjdk version "17.0.15"`.
pub fn java_version(java: &Path) -> u32 {
    let output = Command::new(java).arg("-version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = text.split('"').nth(1).unwrap_or_default();
    number.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(8)
}

/// Unpacks the sources of a module of the JDK into `folder`; the folder of the module,
/// or `None` (and says so) if the JDK comes without sources.
pub fn module_sources(module: &str, folder: &Path) -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let archive = home.map(|home| home.join("lib/src.zip")).filter(|path| path.is_file());
    let Some(archive) = archive else {
        crate::skip::outside(format!("{module}: JAVA_HOME names no JDK with a lib/src.zip"));
        return None;
    };
    unpack(&archive, folder, |name| name.starts_with(&format!("{module}/"))).unwrap();
    Some(folder.join(module))
}

/// Writes the sources in `archive` whose name is wanted into `folder`.
pub fn unpack(archive: &Path, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<(), String> {
    let ordinary = |name: &str| !name.ends_with("-info.java") && wanted(name);
    let entries = jar::read(archive, ".java", ordinary).map_err(|error| error.to_string())?.entries;
    jar::write_folder(folder, &entries).map_err(|error| error.to_string())?;
    Ok(())
}
