//! The source texts of an application: from folders, files, jars and artifacts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::finding::{Finding, FindingKind};
use crate::scenario::{Origin, Role, Scenario, Source};
use crate::toolchain::{artifact, jar};

use super::BuildError;

/// One source file of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSource {
    /// Path relative to its source root, with `/`.
    pub path: String,
    /// The text.
    pub text: String,
    /// Whether its blocks may be removed.
    pub role: Role,
    /// Whether its blocks and operations are counted.
    pub analyse: bool,
}

/// All sources of an application and the class path they need.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The files, ordered by path; a path that comes twice is taken from the first tree.
    pub files: Vec<LoadedSource>,
    /// Jars and class folders.
    pub libraries: Vec<PathBuf>,
    /// Files that could not be read as text.
    pub findings: Vec<Finding>,
}

/// Loads a scenario's sources; fetches artifacts that the cache does not have.
pub fn load_scenario(scenario: &Scenario) -> Result<Sources, BuildError> {
    let named_in = scenario.file.display().to_string();
    let mut sources = Sources::default();
    let mut files = BTreeMap::new();
    for source in &scenario.sources {
        let place = locate(scenario, &source.origin)?;
        let texts = read_tree(&place, &named_in, |path| source.takes(path), &mut sources.findings)?;
        add(&mut files, texts, source);
    }
    sources.files = files.into_values().collect();
    for library in &scenario.libraries {
        sources.libraries.push(locate(scenario, library)?);
    }
    if sources.files.is_empty() {
        return Err(BuildError::NoSources { places: named_in });
    }
    Ok(sources)
}

/// Loads source folders, files and jars of a command line; all are analysed.
pub fn load_paths(paths: &[PathBuf], libraries: &[PathBuf]) -> Result<Sources, BuildError> {
    let mut sources = Sources { libraries: libraries.to_vec(), ..Sources::default() };
    let mut files = BTreeMap::new();
    for path in paths {
        let texts = read_tree(path, "the command line", |_| true, &mut sources.findings)?;
        for (path, text) in texts {
            let file = LoadedSource { path, text, role: Role::Analysed, analyse: true };
            files.entry(file.path.clone()).or_insert(file);
        }
    }
    sources.files = files.into_values().collect();
    if sources.files.is_empty() {
        let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(BuildError::NoSources { places: places.join(", ") });
    }
    Ok(sources)
}

fn add(
    files: &mut BTreeMap<String, LoadedSource>,
    texts: BTreeMap<String, String>,
    source: &Source,
) {
    for (path, text) in texts {
        let file = LoadedSource { path, text, role: source.role, analyse: source.analyse };
        files.entry(file.path.clone()).or_insert(file);
    }
}

/// The file or folder of an origin; artifacts are fetched.
fn locate(scenario: &Scenario, origin: &Origin) -> Result<PathBuf, BuildError> {
    match origin {
        Origin::Path(path) => Ok(scenario.resolve(path)),
        Origin::Maven(found) => Ok(artifact::fetch(&found.coordinate(), &found.sha256)?),
    }
}

/// The Java files of a folder, a jar, or one file, as path -> text.
fn read_tree(
    place: &Path,
    named_in: &str,
    takes: impl Fn(&str) -> bool,
    findings: &mut Vec<Finding>,
) -> Result<BTreeMap<String, String>, BuildError> {
    let missing = || BuildError::Missing { path: place.into(), named_in: named_in.to_string() };
    let read: Vec<ReadFile> = if place.is_dir() {
        read_folder(place, &takes, findings)
    } else if place.extension().is_some_and(|extension| extension == "java") {
        let name = place.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
        vec![as_text(name, fs::read(place).map_err(|_| missing())?)]
    } else if place.is_file() {
        let texts = jar::read(place, ".java", &takes)?;
        texts.into_par_iter().map(|(path, bytes)| as_text(path, bytes)).collect()
    } else {
        return Err(missing());
    };
    let mut texts = BTreeMap::new();
    for file in read.into_iter().filter(|file| is_ordinary(&file.path)) {
        findings.extend(file.finding);
        texts.extend(file.text.map(|text| (file.path, text)));
    }
    Ok(texts)
}

/// What became of one file.
struct ReadFile {
    path: String,
    text: Option<String>,
    finding: Option<Finding>,
}

/// Module and package declarations hold no code.
fn is_ordinary(path: &str) -> bool {
    !path.ends_with("module-info.java") && !path.ends_with("package-info.java")
}

/// The Java files below a folder. Links are not followed, so that a loop of links ends;
/// what can't be read is a finding, and the rest goes on.
fn read_folder(
    folder: &Path,
    takes: impl Fn(&str) -> bool,
    findings: &mut Vec<Finding>,
) -> Vec<ReadFile> {
    let mut places = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().map(|path| relative(folder, path)).unwrap_or_default();
                findings.push(unreadable(path, &error.to_string()));
                continue;
            }
        };
        let path = relative(folder, entry.path());
        if entry.file_type().is_file() && path.ends_with(".java") && takes(&path) {
            places.push((path, entry.into_path()));
        }
    }
    let read = places.into_par_iter().map(|(path, place)| match fs::read(place) {
        Ok(bytes) => as_text(path, bytes),
        Err(error) => {
            let finding = Some(unreadable(path.clone(), &error.to_string()));
            ReadFile { path, text: None, finding }
        }
    });
    read.collect()
}

fn as_text(path: String, bytes: Vec<u8>) -> ReadFile {
    let (text, finding) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) if error.as_bytes().contains(&0) => {
            (None, Some(unreadable(path.clone(), "is binary")))
        }
        // Old sources are often Latin-1: every byte is a character there.
        Err(error) => {
            let message = "not UTF-8; read as ISO 8859-1".to_owned();
            let kind = FindingKind::AssumedEncoding;
            let finding = Finding { file: path.clone(), line: 0, kind, message };
            (Some(error.as_bytes().iter().map(|&byte| byte as char).collect()), Some(finding))
        }
    };
    ReadFile { path, text, finding }
}

fn unreadable(file: String, why: &str) -> Finding {
    let message = format!("not read: {why}");
    Finding { file, line: 0, kind: FindingKind::UnreadableFile, message }
}

fn relative(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_java_files_and_findings_for_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        write("a/B.java", b"class B {}");
        write("a/Latin.java", b"class Latin { String s = \"\xe4\"; }");
        write("a/package-info.java", b"package a;");
        write("a/Zero.java", b"\0\xff\0");
        write("notes.txt", b"text");
        let sources = load_paths(&[folder.path().into()], &[]).unwrap();
        let paths: Vec<_> = sources.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/B.java", "a/Latin.java"]);
        assert!(sources.files[1].text.contains('ä'));
        let files: Vec<_> = sources.findings.iter().map(|f| f.file.as_str()).collect();
        assert_eq!(files, ["a/Latin.java", "a/Zero.java"]);
        let kinds: Vec<FindingKind> = sources.findings.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FindingKind::AssumedEncoding, FindingKind::UnreadableFile]);
    }

    #[test]
    fn a_place_that_is_not_there_is_named() {
        let error = load_paths(&["no/such/place".into()], &[]).unwrap_err().to_string();
        assert!(error.contains("no/such/place") && error.contains("command line"), "{error}");
    }
}
