//! Artifacts of Maven repositories, by name, version and SHA-256: fetched once with the user's own
//! Maven (whose settings name the repositories), then kept in the cache.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::private_files;

use super::jdk::find_on_path;
use super::{ToolchainError, UTF8_LOCALE};

/// Maven coordinate of a jar, `group:artifact:version[:classifier]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Coordinate {
    group: String,
    artifact: String,
    version: String,
    classifier: Option<String>,
}

impl Coordinate {
    /// Parses `group:artifact:version[:classifier]`.
    pub fn parse(text: &str) -> Result<Coordinate, ToolchainError> {
        let bad = || ToolchainError::BadCoordinate { coordinate: text.to_string() };
        let parts: Vec<&str> = text.split(':').collect();
        if !(3..=4).contains(&parts.len()) || !parts.iter().all(|part| is_coordinate_part(part)) {
            return Err(bad());
        }
        Ok(Coordinate {
            group: parts[0].to_string(),
            artifact: parts[1].to_string(),
            version: parts[2].to_string(),
            classifier: parts.get(3).map(|part| part.to_string()),
        })
    }

    /// Maven's file name of the artifact, `artifact-version[-classifier].jar`.
    pub fn file_name(&self) -> String {
        match &self.classifier {
            Some(classifier) => format!("{}-{}-{classifier}.jar", self.artifact, self.version),
            None => format!("{}-{}.jar", self.artifact, self.version),
        }
    }

    fn maven_argument(&self) -> String {
        let base = format!("{}:{}:{}:jar", self.group, self.artifact, self.version);
        match &self.classifier {
            Some(classifier) => format!("{base}:{classifier}"),
            None => base,
        }
    }
}

fn is_coordinate_part(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

/// The path of the artifact in the cache, fetched if absent. The hash of a cached file is checked
/// again; a file with another hash is never used.
pub fn fetch(coordinate: &str, sha256: &str) -> Result<PathBuf, ToolchainError> {
    let parsed = Coordinate::parse(coordinate)?;
    let cached = cached_path(&parsed, sha256)?;
    if cached.is_file() && hash_of(&cached)? == sha256.to_ascii_lowercase() {
        return Ok(cached);
    }
    let found = fetch_any(coordinate)?;
    if found != sha256.to_ascii_lowercase() {
        return Err(ToolchainError::WrongHash {
            artifact: coordinate.to_string(),
            expected: sha256.to_string(),
            found,
        });
    }
    Ok(cached)
}

/// Fetches an artifact of unknown hash into the cache; returns the SHA-256 of its bytes.
pub(crate) fn fetch_any(coordinate: &str) -> Result<String, ToolchainError> {
    let parsed = Coordinate::parse(coordinate)?;
    let folder = artifact_folder()?;
    let staging =
        private_files::unfinished_folder(&folder).map_err(ToolchainError::io("create", &folder))?;
    let fetched = copy_with_maven(&parsed, coordinate, staging.path())?;
    let found = hash_of(&fetched)?;
    let cached = cached_path(&parsed, &found)?;
    fs::rename(&fetched, &cached).map_err(ToolchainError::io("rename", &fetched))?;
    Ok(found)
}

/// The cache folder of artifacts.
fn artifact_folder() -> Result<PathBuf, ToolchainError> {
    let folder = private_files::cache_folder()?.join("artifacts");
    private_files::make_folder(&folder)?;
    Ok(folder)
}

/// The path in the cache of the artifact with this hash.
fn cached_path(coordinate: &Coordinate, sha256: &str) -> Result<PathBuf, ToolchainError> {
    let hash = sha256.to_ascii_lowercase();
    let name = format!("{}-{}", hash.get(..16).unwrap_or(&hash), coordinate.file_name());
    Ok(artifact_folder()?.join(name))
}

fn copy_with_maven(
    coordinate: &Coordinate,
    artifact: &str,
    folder: &Path,
) -> Result<PathBuf, ToolchainError> {
    let maven = find_on_path("mvn")
        .ok_or_else(|| ToolchainError::NoMaven { artifact: artifact.to_string() })?;
    let output = Command::new(maven)
        .args(["-B", "-q", "dependency:copy", "-Dmdep.useBaseVersion=true"])
        .arg(format!("-Dartifact={}", coordinate.maven_argument()))
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .current_dir(folder)
        .envs(UTF8_LOCALE)
        .output()
        .map_err(ToolchainError::io("run mvn in", folder))?;
    let file = folder.join(coordinate.file_name());
    if output.status.success() && file.is_file() {
        return Ok(file);
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let message = text.lines().find(|line| line.contains("ERROR")).unwrap_or("no message");
    Err(ToolchainError::NotFetched {
        artifact: artifact.to_string(),
        message: message.trim().to_string(),
    })
}

/// SHA-256 of a file, in lower-case hexadecimal digits.
pub fn hash_of(path: &Path) -> Result<String, ToolchainError> {
    let mut file = fs::File::open(path).map_err(ToolchainError::io("open", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer).map_err(ToolchainError::io("read", path))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    Ok(hex(&hasher.finalize()))
}

/// SHA-256 of bytes, in lower-case hexadecimal digits.
pub fn hash_of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_name_their_file() {
        let sources = Coordinate::parse("org.jbox2d:jbox2d-library:2.2.1.1:sources").unwrap();
        assert_eq!(sources.file_name(), "jbox2d-library-2.2.1.1-sources.jar");
        assert_eq!(sources.maven_argument(), "org.jbox2d:jbox2d-library:2.2.1.1:jar:sources");
        assert_eq!(Coordinate::parse("a:b:1").unwrap().file_name(), "b-1.jar");
    }

    #[test]
    fn what_is_no_coordinate_is_refused() {
        for text in ["", "a:b", "a:b:1:c:d", "a::1", "a:b:1;rm -rf", "../a:b:1/x"] {
            assert!(Coordinate::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hashes_are_those_of_fips_180() {
        assert_eq!(
            hash_of_bytes(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
