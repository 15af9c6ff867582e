//! The source texts of an application: from folders, files, jars and artifacts.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use wattline_units::input::{open_regular, read_regular};
use wattline_units::limits::SOURCE_FILE_BYTES;

use crate::finding::{Finding, FindingKind};
use crate::java::ClassPath;
use crate::java::encoding::SourceEncoding;
use crate::java::source::has_letters_outside_comments;
use crate::scenario::{
    Artifact, ArtifactSource, LibraryRole, Role, Scenario, SourceTree, place_of_key,
};
use crate::toolchain::archive::{EntryFault, EntryFinding};
use crate::toolchain::entry_name::EscapedName;
use crate::toolchain::file_tree::{FileTree, TreeFile};
use crate::toolchain::{artifact, jar};

use super::source_file::{
    ReadEncoding, ReadFile, as_text, check_file_name, source_text, unreadable,
};
use super::{BuildError, JavacSettings, ModuleInfo, platform};

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
    /// What else the source jars hold, by name: it goes into the class path.
    pub resources: BTreeMap<String, Vec<u8>>,
    /// Where each file lies, by its path, for messages: `JAR!/PATH` in a jar.
    pub places: BTreeMap<String, String>,
    /// Jars and class folders that go with the application.
    pub libraries: Vec<PathBuf>,
    /// Jars and class folders that are where it runs.
    pub provided: Vec<PathBuf>,
    /// Files that could not be read as text, or are no part of an application.
    pub findings: Vec<Finding>,
    /// Files that are another program in another encoding, where none is stated.
    pub undeclared: Vec<String>,
    /// Findings about files that are not in the encoding that is stated.
    pub undecoded: Vec<Finding>,
    /// Declarations of modules.
    pub modules: Vec<ModuleInfo>,
    /// How they are compiled.
    pub javac: JavacSettings,
}

impl Sources {
    /// Files by path and text, all of them analysed, without a class path.
    pub fn of_texts<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Sources {
        let files = files.into_iter().map(|(path, text)| LoadedSource {
            path: path.into(),
            text: text.into(),
            role: Role::Analysed,
            analyse: true,
        });
        Sources { files: files.collect(), ..Sources::default() }
    }

    /// Hash of every file, of what is read of it and of what it is for, by name.
    ///
    /// # Errors
    /// A library can't be read.
    pub fn hashes(&self) -> Result<BTreeMap<String, String>, BuildError> {
        let own = self.files.iter().map(|file| {
            let told = format!("{:?} {}\n{}", file.role, file.analyse, file.text);
            (file.path.clone(), artifact::hash_of_bytes(told.as_bytes()))
        });
        let mut hashes: BTreeMap<String, String> = own.collect();
        let resources = self.resources.iter();
        hashes.extend(resources.map(|(name, b)| (name.clone(), artifact::hash_of_bytes(b))));
        for library in self.class_path() {
            let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
            hashes.insert(name, hash_of_library(&library)?);
        }
        Ok(hashes)
    }

    /// The classes that the sources can name, with what annotation processors wrote into theirs.
    ///
    /// # Errors
    /// If the class path can't be opened.
    pub fn open_classes(&self) -> Result<ClassPath, BuildError> {
        let compiled = self.javac.compiled.as_ref().map(|compiled| compiled.classes());
        ClassPath::open(&self.class_path())
            .and_then(|classes| classes.with_compiled(compiled.as_deref()))
            .map_err(|error| BuildError::ClassPath(error.to_string()))
    }

    /// Refuses to build sources whose letters were guessed: the program might be another one.
    ///
    /// # Errors
    /// The first file of them.
    pub fn check_encodings(&self) -> Result<(), BuildError> {
        if let Some(finding) = self.undecoded.first() {
            let file = self.places.get(&finding.file).unwrap_or(&finding.file).clone();
            return Err(BuildError::Undecoded { file, why: finding.message.clone() });
        }
        match self.undeclared.split_first() {
            None => Ok(()),
            Some((first, rest)) => {
                let file = self.places.get(first).unwrap_or(first).clone();
                Err(BuildError::UndeclaredEncoding { file, more: rest.len() })
            }
        }
    }

    /// What the application is compiled against.
    pub fn class_path(&self) -> Vec<PathBuf> {
        [self.libraries.as_slice(), &self.provided].concat()
    }
}

/// The hash of a jar, or of all files of a folder with their names.
fn hash_of_library(library: &Path) -> Result<String, BuildError> {
    if library.is_file() {
        return Ok(artifact::hash_of(library)?);
    }
    let files = jar::read_folder(library)?.into_iter();
    let told = files.map(|(name, bytes)| name + " " + &artifact::hash_of_bytes(&bytes) + "\n");
    Ok(artifact::hash_of_bytes(told.collect::<String>().as_bytes()))
}

/// Loads a scenario's sources; fetches artifacts that the cache does not have.
pub fn load_scenario(scenario: &Scenario) -> Result<Sources, BuildError> {
    let named_in = scenario.file.display().to_string();
    let mut sources = Sources::default();
    let mut files = BTreeMap::new();
    for (index, source) in scenario.sources.iter().enumerate() {
        let place = locate(scenario, &source.origin, &format!("source[{index}]"))?;
        let SourceTree { role, analyse, encoding, .. } = *source;
        let takes = |path: &str| source.takes(path);
        let tree = Tree { place: &place, named_in: &named_in, takes: &takes, encoding };
        add_tree(&mut sources, &mut files, &tree, (role, analyse))?;
        if is_archive(&place) {
            add_resources_of(&mut sources, &place, |name: &str| takes(name) && is_resource(name))?;
        }
    }
    sources.files = files.into_values().collect();
    add_services(&mut sources)?;
    for (index, library) in scenario.libraries.iter().enumerate() {
        let place = locate(scenario, &library.origin, &format!("library[{index}]"))?;
        let place = class_path_entry(&place, &named_in)?;
        match library.role {
            LibraryRole::Packed => sources.libraries.push(place),
            LibraryRole::Provided => sources.provided.push(place),
        }
    }
    for (index, processor) in scenario.processors.iter().enumerate() {
        let place = locate(scenario, processor, &format!("processor[{index}]"))?;
        sources.javac.processor_path.push(class_path_entry(&place, &named_in)?);
    }
    sources.javac.preview = scenario.application.preview;
    sources.javac.options = scenario.application.javac_options.clone();
    if sources.files.is_empty() {
        return Err(nothing_in(named_in, &sources.findings));
    }
    Ok(sources)
}

/// Boards run applications on a class path, where providers of services are those that lists
/// name: what modules declare is written down there.
fn add_services(sources: &mut Sources) -> Result<(), BuildError> {
    for module in std::mem::take(&mut sources.modules) {
        if let Some(class) = module.provides.values().flatten().find(|c| has_provider(sources, c)) {
            return Err(BuildError::ProviderMethod { class: class.clone() });
        }
        jar::add_entries(&mut sources.resources, module.services());
    }
    Ok(())
}

/// Whether a class gives its service by a static method, which only modules may.
fn has_provider(sources: &Sources, class: &str) -> bool {
    let path = format!("{}.java", class.replace('.', "/"));
    let file = sources.files.iter().find(|file| Path::new(&file.path).ends_with(&path));
    file.is_some_and(|file| {
        let mut lines = file.text.lines();
        lines.any(|line| line.contains("static") && line.contains(" provider()"))
    })
}

/// Loads source folders, files and jars of a command line; all are analysed.
pub fn load_paths(paths: &[PathBuf], libraries: &[PathBuf]) -> Result<Sources, BuildError> {
    load_encoded(paths, libraries, None)
}

/// The same of files in one encoding.
pub fn load_encoded(
    paths: &[PathBuf],
    libraries: &[PathBuf],
    encoding: Option<SourceEncoding>,
) -> Result<Sources, BuildError> {
    const NAMED_IN: &str = "the command line";
    let entries = libraries.iter().map(|library| class_path_entry(library, NAMED_IN));
    let mut sources =
        Sources { libraries: entries.collect::<Result<_, _>>()?, ..Sources::default() };
    let mut files = BTreeMap::new();
    for path in paths {
        if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
            return Err(BuildError::NotSources { path: path.clone() });
        }
        let tree = Tree { place: path, named_in: NAMED_IN, takes: &|_: &str| true, encoding };
        add_tree(&mut sources, &mut files, &tree, (Role::Analysed, true))?;
    }
    sources.files = files.into_values().collect();
    if sources.files.is_empty() {
        let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(nothing_in(places.join(", "), &sources.findings));
    }
    Ok(sources)
}

/// Adds what is resource in source jars among `paths`, for those who run the program.
pub fn add_resources(sources: &mut Sources, paths: &[PathBuf]) -> Result<(), BuildError> {
    paths
        .iter()
        .filter(|path| is_archive(path))
        .try_for_each(|path| add_resources_of(sources, path, is_resource))
}

/// Adds the wanted entries of a source jar.
fn add_resources_of(
    sources: &mut Sources,
    jar: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), BuildError> {
    let content = jar::read(jar, "", wanted)?;
    // Those of sources are told where sources are read.
    let others = content.findings.iter().filter(|finding| !finding.name.ends_with(".java"));
    sources.findings.extend(others.map(entry_finding));
    jar::add_entries(&mut sources.resources, content.entries);
    Ok(())
}

/// Where a source tree lies, what names it, which of its files are taken, and in which encoding
/// they are, where that is stated.
struct Tree<'a> {
    place: &'a Path,
    named_in: &'a str,
    takes: &'a dyn Fn(&str) -> bool,
    encoding: Option<SourceEncoding>,
}

/// Adds the Java files of a place that are not there yet.
fn add_tree(
    sources: &mut Sources,
    files: &mut BTreeMap<String, LoadedSource>,
    tree: &Tree<'_>,
    (role, analyse): (Role, bool),
) -> Result<(), BuildError> {
    for (path, text) in read_tree(tree, sources)? {
        if !files.contains_key(&path) {
            sources.places.insert(path.clone(), place_of(tree.place, &path));
            files.insert(path.clone(), LoadedSource { path, text, role, analyse });
        }
    }
    Ok(())
}

/// Where a file of a source tree lies.
fn place_of(tree: &Path, path: &str) -> String {
    match tree {
        folder if folder.is_dir() => folder.join(path).display().to_string(),
        jar if is_archive(jar) => format!("{}!/{path}", jar.display()),
        file => file.display().to_string(),
    }
}

fn is_archive(place: &Path) -> bool {
    place.is_file() && place.extension().is_none_or(|extension| extension != "java")
}

/// Whether an entry of a source jar belongs into the class path as it is.
fn is_resource(name: &str) -> bool {
    !name.ends_with(".java") && !name.ends_with(".class") && jar::is_content(name)
}

/// A library as an application that runs in another folder finds it. A folder may be one that a
/// build makes only where it has something to put there; a jar must exist.
fn class_path_entry(path: &Path, named_in: &str) -> Result<PathBuf, BuildError> {
    let absolute =
        std::path::absolute(path).map_err(|source| BuildError::Io { path: path.into(), source })?;
    let is_jar = path.extension().is_some_and(|extension| extension == "jar");
    if is_jar && !absolute.is_file() {
        return Err(BuildError::Missing { path: path.into(), named_in: named_in.to_string() });
    }
    if !is_one_entry(&absolute) {
        return Err(BuildError::ClassPath(format!(
            "{} has a `:` or a control character, which Java would take for the end of the entry; \
             rename or link it",
            EscapedName(&absolute.to_string_lossy())
        )));
    }
    Ok(absolute)
}

/// Whether Java takes a path in a class path for one.
fn is_one_entry(path: &Path) -> bool {
    let is_end = |letter: char| letter == ':' || letter.is_control();
    !path.to_string_lossy().chars().any(is_end)
}

/// The file or folder of an origin; artifacts are fetched. `key` is where it stands in the
/// scenario.
fn locate(scenario: &Scenario, origin: &ArtifactSource, key: &str) -> Result<PathBuf, BuildError> {
    match origin {
        ArtifactSource::Path(path) => Ok(scenario.resolve(path)),
        ArtifactSource::Maven(found @ Artifact { sha256: Some(hash), .. }) => {
            Ok(artifact::fetch(&found.coordinate(), hash)?)
        }
        ArtifactSource::Maven(found) => Err(BuildError::NoHash {
            place: place_of_key(&scenario.file, key),
            key: key.to_string(),
            artifact: found.coordinate(),
            sha256: artifact::fetch_any(&found.coordinate())?,
        }),
    }
}

/// The Java files of a folder, a jar, or one file, as path -> text.
fn read_tree(
    tree: &Tree<'_>,
    sources: &mut Sources,
) -> Result<BTreeMap<String, String>, BuildError> {
    let Tree { place, named_in, takes, encoding } = *tree;
    let findings = &mut sources.findings;
    let missing = || BuildError::Missing { path: place.into(), named_in: named_in.to_string() };
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => missing(),
        _ => BuildError::io(place)(error),
    };
    let read: Vec<ReadFile> = if place.is_dir() {
        read_folder(place, takes, encoding, findings)
    } else if place.extension().is_some_and(|extension| extension == "java") {
        let name = place.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
        let bytes = read_regular(place, SOURCE_FILE_BYTES).map_err(unreadable)?;
        check_file_name(&name).map_err(|fault| unreadable(io::Error::other(fault)))?;
        vec![as_text(name, bytes, encoding)]
    } else {
        open_regular(place).map_err(unreadable)?;
        let content = jar::read(place, ".java", takes)?;
        let of_sources = content.findings.iter().filter(|finding| finding.name.ends_with(".java"));
        findings.extend(of_sources.map(entry_finding));
        let entries = content.entries.into_par_iter();
        entries.map(|(path, bytes)| source_text(path, bytes, encoding)).collect()
    };
    let is_module = |file: &ReadFile| {
        file.text.as_ref().is_some_and(|text| platform::is_jdk_module(&file.path, text))
    };
    let is_jdk = read.iter().any(is_module);
    let mut texts = BTreeMap::new();
    for file in read.into_iter().filter(|file| !file.path.ends_with("package-info.java")) {
        let is_undecoded = file.encoding == ReadEncoding::Wrong;
        sources.undecoded.extend(file.finding.clone().filter(|_| is_undecoded));
        findings.extend(file.finding);
        let Some(text) = file.text else { continue };
        if file.path.ends_with("module-info.java") {
            sources.modules.extend(ModuleInfo::parse(&file.path, &text));
            continue;
        }
        if file.encoding == ReadEncoding::Guessed && has_letters_outside_comments(&text) {
            sources.undeclared.push(file.path.clone());
        }
        match platform::left_out(&file.path, &text).filter(|_| !is_jdk) {
            Some(finding) => findings.push(finding),
            None => {
                texts.insert(file.path, text);
            }
        }
    }
    Ok(texts)
}

/// Why there is nothing to analyse in `places`.
fn nothing_in(places: String, findings: &[Finding]) -> BuildError {
    match findings.iter().any(|finding| finding.kind == FindingKind::LeftOut) {
        true => BuildError::OnlyPlatform { places },
        false => {
            let tells = [FindingKind::UnreadableFile, FindingKind::OtherLanguage];
            let unread = findings.iter().find(|finding| tells.contains(&finding.kind));
            let why = unread.map(|finding| format!("; {}: {}", finding.file, finding.message));
            BuildError::NoSources { places, why: why.unwrap_or_default() }
        }
    }
}

/// The Java files below a folder; what can't be read is a finding, and the rest goes on.
fn read_folder(
    folder: &Path,
    takes: impl Fn(&str) -> bool,
    encoding: Option<SourceEncoding>,
    findings: &mut Vec<Finding>,
) -> Vec<ReadFile> {
    let is_wanted = |name: &str| name.ends_with(".java") || language_of(name).is_some();
    let mut tree = FileTree::below(folder, &|name| is_wanted(name) && takes(name));
    let (java, others): (Vec<_>, Vec<_>) =
        tree.files.into_iter().partition(|file| file.name.ends_with(".java"));
    tree.files = java;
    findings.extend(other_languages(&others));
    findings.extend(
        tree.unreadable
            .into_iter()
            .map(|file| unreadable(EscapedName(&file.name).to_string(), &file.source.to_string())),
    );
    findings.extend(tree.skipped.into_iter().map(|skipped| {
        let kind = match skipped.is_link {
            true => FindingKind::LinkNotFollowed,
            false => FindingKind::UnreadableFile,
        };
        let message = format!("not read: it {}", skipped.why);
        Finding { file: EscapedName(&skipped.name).to_string(), line: 0, kind, message }
    }));
    let read = tree.files.into_par_iter().map(|TreeFile { name, path }| {
        let bytes = read_regular(&path, SOURCE_FILE_BYTES);
        let bytes = bytes.and_then(|bytes| match check_file_name(&name) {
            Ok(()) => Ok(bytes),
            Err(fault) => Err(io::Error::other(fault)),
        });
        match bytes {
            Ok(bytes) => as_text(name, bytes, encoding),
            Err(error) => ReadFile::unread(name, &error.to_string()),
        }
    });
    read.collect()
}

/// Languages of the JVM that are not analysed, by the ends of their files.
const OTHER_LANGUAGES: [(&str, &str); 3] =
    [(".kt", "Kotlin"), (".groovy", "Groovy"), (".scala", "Scala")];

fn language_of(name: &str) -> Option<&'static str> {
    OTHER_LANGUAGES.iter().find(|(end, _)| name.ends_with(end)).map(|(_, language)| *language)
}

/// A finding for each other language, at the first of its files.
fn other_languages(files: &[TreeFile]) -> Vec<Finding> {
    let mut by_language: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let language = language_of(&file.name).unwrap_or_default();
        by_language.entry(language).or_default().push(&file.name);
    }
    let finding = |(language, names): (&str, Vec<&str>)| Finding {
        file: EscapedName(names[0]).to_string(),
        line: 0,
        kind: FindingKind::OtherLanguage,
        message: format!(
            "{language} is not analysed (files: {}): its operations are in no count, and calls of \
             its classes are calls of a library",
            names.len()
        ),
    };
    by_language.into_iter().map(finding).collect()
}

/// What is wrong with an entry of a source jar.
fn entry_finding(finding: &EntryFinding) -> Finding {
    let EntryFinding { name, fault } = finding;
    match fault.is_refusal() {
        true => unreadable(name.clone(), &fault.to_string()),
        false => {
            let message = match fault {
                EntryFault::Duplicate => format!("{fault}; the last is read"),
                _ => format!("{fault}; both are read"),
            };
            Finding { file: name.clone(), line: 0, kind: FindingKind::NameClash, message }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::scenario::parse_scenario;

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
        assert_eq!(sources.undeclared, ["a/Latin.java"]);
        let error = sources.check_encodings().unwrap_err().to_string();
        assert!(
            error.contains("Latin.java is not UTF-8") && error.contains("--encoding"),
            "{error}"
        );
    }

    #[test]
    fn files_are_read_in_the_encoding_that_they_are_in() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        let utf16: Vec<u8> =
            "\u{feff}class W { /* ä */ }".encode_utf16().flat_map(u16::to_be_bytes).collect();
        write("M.java", b"\xef\xbb\xbfclass M { }\n\x1a");
        write("S.java", b"class S { String s = \"\x83\x5c\"; }");
        write("W.java", &utf16);
        write("module-info.java", b"module a.b { provides c.D with a.E; }");
        let sjis = SourceEncoding::named("Shift_JIS").unwrap();
        let read = |encoding| load_encoded(&[folder.path().into()], &[], encoding).unwrap();
        let sources = read(Some(sjis));
        let texts: Vec<&str> = sources.files.iter().map(|file| file.text.as_str()).collect();
        let expected =
            ["class M { }\n", "class S { String s = \"\u{30bd}\"; }", "class W { /* ä */ }"];
        assert_eq!(texts, expected);
        assert_eq!(sources.modules[0].name, "a.b");
        assert!(sources.check_encodings().is_ok());
        assert!(read(None).check_encodings().is_err());
        let ascii = read(Some(SourceEncoding::named("US-ASCII").unwrap()));
        let finding = &ascii.findings[0];
        assert_eq!((finding.file.as_str(), finding.kind), ("S.java", FindingKind::UnreadableFile));
        assert!(finding.message.contains("no character of US-ASCII"), "{}", finding.message);
        let error = ascii.check_encodings().unwrap_err().to_string();
        assert!(error.contains("S.java: not read: line 1 has bytes"), "{error}");
    }

    #[test]
    fn files_of_other_languages_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a/B.kt", "class B"), ("a/C.kt", "class C"), ("D.groovy", "")] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let load = || load_paths(&[folder.path().into()], &[]);
        let error = load().unwrap_err().to_string();
        assert!(error.contains("D.groovy: Groovy is not analysed (files: 1)"), "{error}");
        fs::write(folder.path().join("E.java"), "class E {}").unwrap();
        let findings = load().unwrap().findings;
        let found: Vec<_> = findings.iter().map(|f| (f.file.as_str(), f.kind)).collect();
        let kind = FindingKind::OtherLanguage;
        assert_eq!(found, [("D.groovy", kind), ("a/B.kt", kind)]);
        assert!(
            findings[1].message.starts_with("Kotlin is not analysed (files: 2)"),
            "{}",
            findings[1].message
        );
    }

    #[test]
    fn a_scenario_is_no_source() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.toml");
        fs::write(&file, "name = 's'").unwrap();
        let error = load_paths(&[file], &[]).unwrap_err().to_string();
        assert!(error.contains("s.toml is a scenario") && error.contains("pipeline"), "{error}");
    }

    #[test]
    fn libraries_are_found_from_any_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("B.java"), "class B {}").unwrap();
        let load = |library: &str| load_paths(&[folder.path().into()], &[library.into()]);
        let sources = load("classes").unwrap();
        assert_eq!(sources.libraries, [std::env::current_dir().unwrap().join("classes")]);
        let error = load("gone.jar").unwrap_err().to_string();
        assert_eq!(error, "gone.jar is not there; check the path in the command line");
    }

    #[test]
    fn a_library_is_one_entry_of_the_class_path() {
        for name in ["a:b", "a\n-Xplugin:X"] {
            let error = class_path_entry(Path::new(name), "s.toml").unwrap_err().to_string();
            assert!(error.contains("control character"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn links_are_followed_and_those_that_are_not_are_findings() {
        let folder = tempfile::tempdir().unwrap();
        let (outside, tree) = (folder.path().join("outside"), folder.path().join("tree"));
        for (place, name) in [(&outside, "A"), (&outside, "B"), (&tree, "C")] {
            fs::create_dir_all(place).unwrap();
            fs::write(place.join(format!("{name}.java")), format!("class {name} {{}}")).unwrap();
        }
        let link = |target: &Path, name: &str| symlink(target, tree.join(name)).unwrap();
        link(&outside, "a-folder");
        link(&outside.join("A.java"), "Again.java");
        link(&tree, "loop");
        link("/dev/zero".as_ref(), "Zero.java");
        link("nothing".as_ref(), "Gone.java");
        let sources = load_paths(&[tree], &[]).unwrap();
        let paths: Vec<_> = sources.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["Again.java", "C.java", "a-folder/B.java"]);
        let mut found: Vec<_> =
            sources.findings.iter().map(|f| (f.file.as_str(), f.kind)).collect();
        found.sort();
        let expected = ["Gone.java", "Zero.java", "a-folder/A.java", "loop"];
        assert_eq!(found, expected.map(|file| (file, FindingKind::LinkNotFollowed)));
    }

    #[test]
    fn a_name_with_a_line_break_is_a_finding_and_a_fifo_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("A.java"), "class A {}").unwrap();
        fs::write(folder.path().join("x\n-Xplugin:P\n.java"), "class X {}").unwrap();
        let sources = load_paths(&[folder.path().into()], &[]).unwrap();
        assert_eq!((sources.files.len(), sources.findings.len()), (1, 1));
        assert_eq!(sources.findings[0].file, "x\\n-Xplugin:P\\n.java");
        let error = load_paths(&["/dev/zero".into()], &[]).unwrap_err().to_string();
        assert!(error.contains("/dev/zero: it is a device"), "{error}");
    }

    #[test]
    fn entries_of_a_source_jar_that_leave_it_are_findings() {
        let folder = tempfile::tempdir().unwrap();
        let entries = [
            ("a/B.java", "class B {}"),
            ("/tmp/wattline-outside.java", "class O {}"),
            ("../P.java", "class P {}"),
            ("../p.properties", "x=y"),
        ];
        let entries = entries.map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        let jar = folder.path().join("a-sources.jar");
        fs::write(&jar, jar::pack(&[], &entries.into())).unwrap();
        let mut sources = load_paths(std::slice::from_ref(&jar), &[]).unwrap();
        add_resources(&mut sources, &[jar]).unwrap();
        assert_eq!((sources.files.len(), sources.resources.len()), (1, 0));
        let mut found: Vec<&str> = sources.findings.iter().map(|f| f.file.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, ["../P.java", "../p.properties", "/tmp/wattline-outside.java"]);
    }

    #[test]
    fn resources_of_source_jars_come_along() {
        let folder = tempfile::tempdir().unwrap();
        let entries = [
            ("a/B.java", "package a; class B {}"),
            ("a/entities.properties", "lt=<"),
            ("META-INF/maven/pom.xml", "<x/>"),
            ("META-INF/services/a.S", "a.B"),
        ];
        let entries = entries.map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        let jar = folder.path().join("a-sources.jar");
        fs::write(&jar, jar::pack(&[], &entries.into())).unwrap();
        let scenario = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'a.B'\n\
            [[source]]\npath = 'a-sources.jar'\nexclude = ['**/services/*']\n[[input]]\nname = 'n'\n";
        let file = folder.path().join("s.toml");
        let loaded = load_scenario(&parse_scenario(scenario, &file).unwrap()).unwrap();
        let names: Vec<&String> = loaded.resources.keys().collect();
        assert_eq!(names, ["a/entities.properties"]);
        assert_eq!(loaded.places["a/B.java"], format!("{}!/a/B.java", jar.display()));
        let mut loaded = load_paths(std::slice::from_ref(&jar), &[]).unwrap();
        add_resources(&mut loaded, &[jar]).unwrap();
        assert_eq!(loaded.resources.len(), 2);
    }

    #[test]
    fn packages_of_the_platform_are_left_out_unless_it_is_the_jdk() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let load = |part: &str| load_paths(&[folder.path().join(part)], &[]);
        write("emu/java/util/Timer.java", "/* of GWT */ package java.util; class Timer {}");
        let error = load("emu").unwrap_err().to_string();
        assert!(error.contains("packages java.*"), "{error}");
        write("a/B.java", "package a; class B {}");
        let sources = load("").unwrap();
        let paths: Vec<_> = sources.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/B.java"]);
        let found: Vec<_> = sources.findings.iter().map(|f| (f.file.as_str(), f.kind)).collect();
        assert_eq!(found, [("emu/java/util/Timer.java", FindingKind::LeftOut)]);
        write("module-info.java", "/** The base. */\nmodule java.base {}");
        assert_eq!(load("").unwrap().files.len(), 2);
    }

    #[test]
    fn a_place_that_is_not_there_is_named() {
        let error = load_paths(&["no/such/place".into()], &[]).unwrap_err().to_string();
        assert!(error.contains("no/such/place") && error.contains("command line"), "{error}");
    }
}
