//! Source texts of an application: from folders, files, jars and artifacts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::finding::{Finding, FindingKind};
use crate::java::ClassPath;
use crate::java::encoding::SourceEncoding;
use crate::scenario::{
    ArtifactSource, Library, LibraryRole, MavenArtifact, Scenario, SourceListing, SourceRole,
    SourceTree, place_of_key,
};
use crate::toolchain::entry_name::EscapedName;
use crate::toolchain::{artifact, jar};

use super::packed_library::{self, is_aar_by_name};
use super::source_tree::{LocatedTree, add_tree, entry_finding, is_archive};
use super::{BuildError, JavacSettings, ModuleInfo, OtherLanguageFiles};

/// One source file of the application, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSource {
    /// Path relative to its source root, with `/`.
    pub path: String,
    /// Source text.
    pub text: String,
    /// Whether its blocks may be removed.
    pub role: SourceRole,
    /// Whether its blocks and operations are counted.
    pub analyse: bool,
}

/// All sources of an application with their class path and compiler settings.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Files, ordered by path; a path in several trees is read from the first one.
    pub files: Vec<LoadedSource>,
    /// Other entries of the source jars, by name, which belong to the class path.
    pub resources: BTreeMap<String, Vec<u8>>,
    /// Path on disk of each file, by its path in `files`, for messages: `JAR!/PATH` in a jar.
    pub places: BTreeMap<String, String>,
    /// Jars and class folders that are part of the application.
    pub libraries: Vec<PathBuf>,
    /// Jars and class folders that the platform provides.
    pub provided: Vec<PathBuf>,
    /// Findings about unreadable files and files that are no part of an application.
    pub findings: Vec<Finding>,
    /// Files of languages that are not analysed.
    pub other_languages: OtherLanguageFiles,
    /// Paths of files whose meaning depends on their encoding, which nothing states.
    pub unknown_encoding: Vec<String>,
    /// Findings about files that are not in their stated encoding.
    pub wrongly_decoded: Vec<Finding>,
    /// Module declarations.
    pub modules: Vec<ModuleInfo>,
    /// Compiler settings.
    pub javac: JavacSettings,
}

impl Sources {
    /// Sources from paths and texts, all of them analysed, without a class path.
    pub fn of_texts<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Sources {
        let files = files.into_iter().map(|(path, text)| LoadedSource {
            path: path.into(),
            text: text.into(),
            role: SourceRole::Analysed,
            analyse: true,
        });
        Sources { files: files.collect(), ..Sources::default() }
    }

    /// Hashes of the files and libraries, with their roles, by name.
    ///
    /// # Errors
    /// A library that can't be read.
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

    /// Opens the classes on the sources' class path, and those that annotation processors changed.
    ///
    /// # Errors
    /// The class path can't be opened.
    pub(crate) fn open_classes(&self) -> Result<ClassPath, BuildError> {
        let compiled = self.javac.compiled.as_ref().map(|compiled| compiled.classes());
        ClassPath::open(&self.class_path())
            .and_then(|classes| classes.with_compiled_folder(compiled.as_deref()))
            .map_err(|error| BuildError::ClassPath(error.to_string()))
    }

    /// Refuses to build sources whose encoding was guessed: the program might be another one.
    ///
    /// # Errors
    /// The first such file.
    pub fn check_encodings(&self) -> Result<(), BuildError> {
        if let Some(finding) = self.wrongly_decoded.first() {
            let file = self.places.get(&finding.file).unwrap_or(&finding.file).clone();
            return Err(BuildError::Undecoded { file, why: finding.message.clone() });
        }
        match self.unknown_encoding.split_first() {
            None => Ok(()),
            Some((first, rest)) => {
                let file = self.places.get(first).unwrap_or(first).clone();
                Err(BuildError::UndeclaredEncoding { file, more: rest.len() })
            }
        }
    }

    /// Class path for compiling the application: its libraries and those of the platform.
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

/// Loads a scenario's sources; fetches artifacts that are not in the cache.
pub(crate) fn load_scenario(scenario: &Scenario) -> Result<Sources, BuildError> {
    let listed = ListedSources {
        file: &scenario.file,
        sources: &scenario.sources,
        libraries: &scenario.libraries,
        processors: &scenario.processors,
    };
    let mut sources = Sources::default();
    let mut files = BTreeMap::new();
    listed.add_to(&mut sources, &mut files)?;
    sources.files = files.into_values().collect();
    add_services(&mut sources)?;
    sources.javac.preview = scenario.application.preview;
    sources.javac.options = scenario.application.javac_options.clone();
    if sources.files.is_empty() {
        return Err(no_sources_error(scenario.file.display().to_string(), &sources.findings));
    }
    Ok(sources)
}

/// Loads the sources that a project's build compiles, by absolute paths, and in addition the
/// folders, files and jars of a command line.
pub fn load_listing(
    listing: &SourceListing,
    project: &Path,
    (paths, libraries): (&[PathBuf], &[PathBuf]),
    encoding: Option<SourceEncoding>,
) -> Result<Sources, BuildError> {
    let mut sources = Sources { libraries: entries_of(libraries)?, ..Sources::default() };
    let mut files = BTreeMap::new();
    add_paths(&mut sources, &mut files, paths, encoding)?;
    let listed = ListedSources {
        file: project,
        sources: &listing.sources,
        libraries: &listing.libraries,
        processors: &listing.processors,
    };
    listed.add_to(&mut sources, &mut files)?;
    sources.files = files.into_values().collect();
    sources.javac.preview = listing.preview;
    sources.javac.options = listing.javac_options.clone();
    Ok(sources)
}

/// Source trees, libraries and processors that a scenario names.
struct ListedSources<'s> {
    file: &'s Path,
    sources: &'s [SourceTree],
    libraries: &'s [Library],
    processors: &'s [ArtifactSource],
}

impl ListedSources<'_> {
    /// Adds their files to `sources`, where existing files take precedence.
    fn add_to(
        &self,
        sources: &mut Sources,
        files: &mut BTreeMap<String, LoadedSource>,
    ) -> Result<(), BuildError> {
        let named_in = self.file.display().to_string();
        for (index, source) in self.sources.iter().enumerate() {
            let place = locate(self.file, &source.origin, &format!("source[{index}]"))?;
            let SourceTree { role, analyse, encoding, .. } = *source;
            let takes = |path: &str| source.takes(path);
            let tree = LocatedTree { place: &place, named_in: &named_in, takes: &takes, encoding };
            add_tree(sources, files, &tree, (role, analyse))?;
            if is_archive(&place) {
                let wanted = |name: &str| takes(name) && is_resource(name);
                add_resources_of(sources, &place, wanted)?;
            }
        }
        for (index, library) in self.libraries.iter().enumerate() {
            let place = locate(self.file, &library.origin, &format!("library[{index}]"))?;
            let places = class_path_entries(&place, &named_in)?;
            match library.role {
                LibraryRole::Packed => sources.libraries.extend(places),
                LibraryRole::Provided => sources.provided.extend(places),
            }
        }
        for (index, processor) in self.processors.iter().enumerate() {
            let place = locate(self.file, processor, &format!("processor[{index}]"))?;
            sources.javac.processor_path.extend(class_path_entries(&place, &named_in)?);
        }
        Ok(())
    }
}

/// Adds lists of service providers for the services that modules declare, since boards run
/// applications on a class path.
fn add_services(sources: &mut Sources) -> Result<(), BuildError> {
    for module in std::mem::take(&mut sources.modules) {
        if let Some(class) = module.provides.values().flatten().find(|c| has_provider(sources, c)) {
            return Err(BuildError::ProviderMethod { class: class.clone() });
        }
        jar::add_entries(&mut sources.resources, module.services());
    }
    Ok(())
}

/// Whether a class provides its service by a static method, which only modules support.
fn has_provider(sources: &Sources, class: &str) -> bool {
    let path = format!("{}.java", class.replace('.', "/"));
    let file = sources.files.iter().find(|file| Path::new(&file.path).ends_with(&path));
    file.is_some_and(|file| {
        let mut lines = file.text.lines();
        lines.any(|line| line.contains("static") && line.contains(" provider()"))
    })
}

/// Loads the source folders, files and jars of a command line, all of them analysed.
pub fn load_paths(paths: &[PathBuf], libraries: &[PathBuf]) -> Result<Sources, BuildError> {
    load_paths_in_encoding(paths, libraries, None)
}

/// As [`load_paths`], for files in one encoding.
pub fn load_paths_in_encoding(
    paths: &[PathBuf],
    libraries: &[PathBuf],
    encoding: Option<SourceEncoding>,
) -> Result<Sources, BuildError> {
    let mut sources = Sources { libraries: entries_of(libraries)?, ..Sources::default() };
    let mut files = BTreeMap::new();
    add_paths(&mut sources, &mut files, paths, encoding)?;
    sources.files = files.into_values().collect();
    if sources.files.is_empty() {
        let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(no_sources_error(places.join(", "), &sources.findings));
    }
    Ok(sources)
}

/// Place of sources and libraries that the command line names, in messages.
const COMMAND_LINE: &str = "the command line";

fn entries_of(libraries: &[PathBuf]) -> Result<Vec<PathBuf>, BuildError> {
    let entries = libraries.iter().map(|library| class_path_entries(library, COMMAND_LINE));
    Ok(entries.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Adds the folders, files and jars of a command line, all of them analysed.
fn add_paths(
    sources: &mut Sources,
    files: &mut BTreeMap<String, LoadedSource>,
    paths: &[PathBuf],
    encoding: Option<SourceEncoding>,
) -> Result<(), BuildError> {
    for path in paths {
        if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
            return Err(BuildError::NotSources { path: path.clone() });
        }
        let takes = &|_: &str| true;
        let tree = LocatedTree { place: path, named_in: COMMAND_LINE, takes, encoding };
        add_tree(sources, files, &tree, (SourceRole::Analysed, true))?;
    }
    Ok(())
}

/// Adds the resources in source jars among `paths`, for commands that run the program.
pub fn add_resources(sources: &mut Sources, paths: &[PathBuf]) -> Result<(), BuildError> {
    paths
        .iter()
        .filter(|path| is_archive(path))
        .try_for_each(|path| add_resources_of(sources, path, is_resource))
}

/// Adds the wanted entries of a source jar to the resources.
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

/// Whether an entry of a source jar belongs on the class path unchanged.
fn is_resource(name: &str) -> bool {
    !name.ends_with(".java") && !name.ends_with(".class") && jar::is_program_entry(name)
}

/// The class path entries for a library: the library itself, or the jars in it.
fn class_path_entries(path: &Path, named_in: &str) -> Result<Vec<PathBuf>, BuildError> {
    packed_library::entries_of(class_path_entry(path, named_in)?)
}

/// The absolute path of a library. A folder may be missing, since a build creates some only when
/// they have contents; a jar must exist.
fn class_path_entry(path: &Path, named_in: &str) -> Result<PathBuf, BuildError> {
    let absolute =
        std::path::absolute(path).map_err(|source| BuildError::Io { path: path.into(), source })?;
    let is_jar = path.extension().is_some_and(|extension| extension == "jar");
    if (is_jar || is_aar_by_name(path)) && !absolute.is_file() {
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

/// Whether Java reads a path as one class path entry.
fn is_one_entry(path: &Path) -> bool {
    let is_end = |letter: char| letter == ':' || letter.is_control();
    !path.to_string_lossy().chars().any(is_end)
}

/// The path of an artifact's file or folder; Maven artifacts are fetched. `key` is its key in the
/// scenario.
fn locate(file: &Path, origin: &ArtifactSource, key: &str) -> Result<PathBuf, BuildError> {
    match origin {
        ArtifactSource::Path(path) => Ok(file.parent().unwrap_or(Path::new("")).join(path)),
        ArtifactSource::Maven(found @ MavenArtifact { sha256: Some(hash), .. }) => {
            Ok(artifact::fetch(&found.coordinate(), hash)?)
        }
        ArtifactSource::Maven(found) => Err(BuildError::NoHash {
            place: place_of_key(file, key),
            key: key.to_string(),
            artifact: found.coordinate(),
            sha256: artifact::fetch_any(&found.coordinate())?,
        }),
    }
}

/// The error for `places` without Java sources.
fn no_sources_error(places: String, findings: &[Finding]) -> BuildError {
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
        assert_eq!(sources.unknown_encoding, ["a/Latin.java"]);
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
        let sjis = SourceEncoding::from_name("Shift_JIS").unwrap();
        let read =
            |encoding| load_paths_in_encoding(&[folder.path().into()], &[], encoding).unwrap();
        let sources = read(Some(sjis));
        let texts: Vec<&str> = sources.files.iter().map(|file| file.text.as_str()).collect();
        let expected =
            ["class M { }\n", "class S { String s = \"\u{30bd}\"; }", "class W { /* ä */ }"];
        assert_eq!(texts, expected);
        assert_eq!(sources.modules[0].name, "a.b");
        assert!(sources.check_encodings().is_ok());
        assert!(read(None).check_encodings().is_err());
        let ascii = read(Some(SourceEncoding::from_name("US-ASCII").unwrap()));
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
