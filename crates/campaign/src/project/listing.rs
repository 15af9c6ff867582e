//! What is compiled, as keys of a scenario: sources, libraries, options of javac, processors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::format::counted;
use crate::scenario::javac_option::JavacOption;
use crate::scenario::{
    LibraryFile, LibraryRole, ProcessorFile, RoleFile, ScenarioFile, SourceListing, SourceSection,
    UnanalysedLanguage, check_listing, parse_written,
};
use crate::toolchain::processors::{is_class_writer, processors_on};

use super::choose::{Chosen, choose};
use super::module::{Module, ModuleVariant};
use super::roots::{SourceRoot, java_files, roots};
use super::{ProjectBuild, ProjectError};

/// The oldest release of Java that scenarios have.
const OLDEST_RELEASE: u32 = 7;

/// What a project compiles, for those who do not start it.
#[derive(Debug)]
pub struct ProjectSources {
    /// Sources, libraries, options.
    pub listing: SourceListing,
    /// The classes with `main` that the build names.
    pub mains: Vec<String>,
    /// What a user should know of it.
    pub remarks: Vec<String>,
    /// Why these sources, compiled by javac, are another program than what the build made.
    pub obstacles: Vec<String>,
}

/// A scenario file without a word.
pub(super) fn as_nothing() -> ScenarioFile {
    parse_written("", Path::new("")).expect("an empty file has all defaults")
}

/// What is compiled, for those who do not start it.
pub(super) fn sources(
    build: &ProjectBuild,
    modules: &[Module],
) -> Result<ProjectSources, ProjectError> {
    let chosen = choose(modules, build)?;
    let mut written = as_nothing();
    let remarks = add_listing(&mut written, build, &chosen)?;
    let listing = check_listing(written).map_err(ProjectError::Listing)?;
    let obstacles = chosen.all().flat_map(|(_, variant)| variant.obstacles.iter().cloned());
    let (mains, obstacles) = (chosen.module.mains.clone(), obstacles.collect());
    Ok(ProjectSources { listing, mains, remarks, obstacles })
}

/// Adds to a file what it leaves out of what is compiled; what is to be said of it.
pub(super) fn add_listing(
    merged: &mut ScenarioFile,
    build: &ProjectBuild,
    chosen: &Chosen<'_>,
) -> Result<Vec<String>, ProjectError> {
    let mut remarks = Vec::new();
    add_sources(merged, build, chosen, &mut remarks)?;
    for (module, variant) in chosen.all() {
        remarks.extend(variant.remarks.iter().cloned());
        remarks.extend(variant.others.iter().map(|other| {
            format!(
                "{} of {} is not analysed (files: {}): its classes go along, and calls of them are \
                 calls of a library",
                other.language,
                module.project,
                other.files.len()
            )
        }));
    }
    add_libraries(merged, chosen);
    add_options(merged, chosen, &mut remarks);
    add_processors(merged, chosen, &mut remarks)?;
    Ok(remarks)
}

/// All sources of the chosen modules. Generated ones are driver's code: nobody edits them, so
/// none of their blocks is removed. Where the file says what is analysed, it is that alone.
fn add_sources(
    merged: &mut ScenarioFile,
    build: &ProjectBuild,
    chosen: &Chosen<'_>,
    remarks: &mut Vec<String>,
) -> Result<(), ProjectError> {
    let is_analysed = |source: &SourceSection| {
        matches!(source.role, RoleFile::Analysed) && source.analyse != Some(false)
    };
    let by_file = merged.source.iter().any(is_analysed);
    let (mut own, mut generated) = (0, 0);
    for (module, variant) in chosen.all() {
        for root in roots(&files_of(variant))? {
            let is_generated = root.folder.starts_with(&module.build);
            *if is_generated { &mut generated } else { &mut own } += root.files;
            let encoding = variant.encoding().cloned().filter(|name| !is_utf8(name));
            merged.source.push(source(root, encoding, is_generated, by_file));
        }
    }
    if own + generated == 0 {
        let languages = chosen.variant.others.iter().map(|other| other.language.clone());
        return Err(ProjectError::NoJava {
            module: chosen.module.project.clone(),
            languages: languages.collect(),
        });
    }
    remarks.push(format!(
        "{} {}: {} of {}, {generated} of them generated",
        build.tool,
        chosen.module.tool_version,
        counted(own + generated, "Java file"),
        chosen.all().map(|(module, _)| module.project.as_str()).collect::<Vec<_>>().join(", "),
    ));
    Ok(())
}

/// What javac was given, and what annotation processors wrote while it ran.
fn files_of(variant: &ModuleVariant) -> BTreeSet<PathBuf> {
    let generated = variant.generated.iter().flat_map(|folder| java_files(folder));
    variant.sources.iter().cloned().chain(generated).collect()
}

fn is_utf8(encoding: &str) -> bool {
    encoding.replace(['-', '_'], "").eq_ignore_ascii_case("utf8")
}

fn source(
    root: SourceRoot,
    encoding: Option<String>,
    is_generated: bool,
    by_file: bool,
) -> SourceSection {
    SourceSection {
        path: Some(root.folder.to_string_lossy().into_owned()),
        maven: None,
        sha256: None,
        include: root.include,
        exclude: root.exclude,
        role: if is_generated { RoleFile::Harness } else { RoleFile::Analysed },
        analyse: by_file.then_some(false),
        encoding,
    }
}

/// The class path: what goes with the application, and what only javac sees. Classes of the
/// chosen modules are made anew, those of other languages are taken as they are.
fn add_libraries(merged: &mut ScenarioFile, chosen: &Chosen<'_>) {
    let mut seen = BTreeSet::new();
    let mut add = |path: &Path, role: LibraryRole, language: Option<UnanalysedLanguage>| {
        let path = path.to_string_lossy().into_owned();
        if seen.insert(path.clone()) {
            let (maven, sha256, path) = (None, None, Some(path));
            merged.library.push(LibraryFile { path, maven, sha256, role: Some(role), language });
        }
    };
    for (_, variant) in chosen.all() {
        for other in variant.others.iter().filter(|other| other.classes.is_dir()) {
            add(&other.classes, LibraryRole::Packed, other.unanalysed());
        }
        variant.resources.iter().for_each(|folder| add(folder, LibraryRole::Packed, None));
    }
    let is_own = |path: &&PathBuf| chosen.all().any(|(module, _)| path.starts_with(&module.build));
    for (_, variant) in chosen.all() {
        let runtime = match variant.android {
            // What its package holds is not told, so all that is no platform is taken for it.
            Some(_) => &variant.classpath,
            None => &variant.runtime,
        };
        let packed = runtime.iter().filter(|path| !variant.boot.contains(path));
        packed.filter(|p| !is_own(p)).for_each(|path| add(path, LibraryRole::Packed, None));
    }
    for (_, variant) in chosen.all() {
        let provided = variant.classpath.iter().chain(&variant.boot);
        provided.filter(|p| !is_own(p)).for_each(|path| add(path, LibraryRole::Provided, None));
    }
}

/// The options of javac that make the classes what they are; those that can't be taken over are
/// told.
fn add_options(merged: &mut ScenarioFile, chosen: &Chosen<'_>, remarks: &mut Vec<String>) {
    let application = &mut merged.application;
    let releases = chosen.all().filter_map(|(_, variant)| variant.java_release());
    let release = releases.max().filter(|release| *release >= OLDEST_RELEASE);
    application.java_release = application.java_release.or(release);
    let keeps_parameters = chosen.variant.keeps_parameters();
    application.parameters = application.parameters.or(Some(keeps_parameters));
    if application.preview.is_none() && chosen.all().any(|(_, variant)| variant.has_previews()) {
        application.preview = Some(true);
    }
    let mut taken: Vec<String> = Vec::new();
    let (mut seen, mut left) = (BTreeSet::new(), BTreeSet::new());
    for (kind, words) in chosen.all().flat_map(|(_, variant)| variant.javac_options()) {
        match kind {
            JavacOption::Taken if seen.insert(words.clone()) => taken.extend(words),
            JavacOption::Refused => drop(left.insert(words.join(" "))),
            JavacOption::Taken | JavacOption::WithoutEffect => {}
        }
    }
    if application.javac_options.is_empty() {
        application.javac_options = taken;
    }
    if !left.is_empty() {
        let left = left.into_iter().collect::<Vec<_>>().join(", ");
        remarks.push(format!("javac's options {left} are not taken over: they may change classes"));
    }
}

/// Processors that write into classes run again with all that is compiled; what others wrote is
/// among the sources.
fn add_processors(
    merged: &mut ScenarioFile,
    chosen: &Chosen<'_>,
    remarks: &mut Vec<String>,
) -> Result<(), ProjectError> {
    if !merged.processor.is_empty() {
        return Ok(());
    }
    let (mut paths, mut settings) = (BTreeSet::new(), BTreeSet::new());
    for (module, variant) in chosen.all().filter(|(_, v)| !v.is_without_processors()) {
        let path = match variant.processors.is_empty() && module.runs_offered_processors {
            true => &variant.classpath,
            false => &variant.processors,
        };
        for entry in path {
            let names = processors_on(std::slice::from_ref(entry))?;
            if names.iter().any(|name| is_class_writer(name)) {
                paths.insert(entry.to_string_lossy().into_owned());
                settings.extend(lombok_settings(&module.folder));
            }
        }
    }
    remarks.extend(settings.into_iter().map(|file| {
        let file = file.display();
        format!("{file} is not taken over: Lombok may write other code than in the build")
    }));
    let file = |path| ProcessorFile { path: Some(path), maven: None, sha256: None };
    merged.processor = paths.into_iter().map(file).collect();
    Ok(())
}

/// Lombok looks for its settings beside the sources and above, and they are compiled elsewhere.
fn lombok_settings(module: &Path) -> impl Iterator<Item = PathBuf> {
    let files = module.ancestors().map(|folder| folder.join("lombok.config"));
    files.filter(|file| file.is_file())
}
