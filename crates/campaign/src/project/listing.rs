//! Compiled sources of a project as keys of a scenario: sources, libraries, javac options,
//! processors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::format::counted;
use crate::scenario::javac_option::JavacOptionUse;
use crate::scenario::{
    LibraryRole, LibrarySection, ProcessorSection, RoleValue, ScenarioFile, SourceListing,
    SourceSection, UnanalysedLanguage, check_listing, parse_written,
};
use crate::toolchain::annotation_processors::{is_class_writer, processors_on};

use super::module::{Module, ModuleVariant};
use super::module_choice::{ChosenModules, choose_modules};
use super::roots::{SourceRoot, java_files, source_roots};
use super::{ProjectBuild, ProjectError};

/// Oldest Java release that scenarios accept.
const OLDEST_RELEASE: u32 = 7;

/// Sources and settings of a project's compilation, for commands that only analyse it.
#[derive(Debug)]
pub struct ProjectSources {
    /// Source trees, libraries and compiler settings.
    pub listing: SourceListing,
    /// Main classes that the build names.
    pub mains: Vec<String>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
    /// Reasons why javac compiles these sources to another program than the build does.
    pub obstacles: Vec<String>,
}

/// A scenario file in which every key has its default.
pub(super) fn empty_scenario_file() -> ScenarioFile {
    parse_written("", Path::new("")).expect("an empty file has all defaults")
}

/// The sources and compiler settings of the chosen modules.
pub(super) fn sources(
    build: &ProjectBuild,
    modules: &[Module],
) -> Result<ProjectSources, ProjectError> {
    let chosen = choose_modules(modules, build)?;
    let mut written = empty_scenario_file();
    let remarks = add_listing(&mut written, build, &chosen)?;
    let listing = check_listing(written).map_err(ProjectError::Listing)?;
    let obstacles = chosen.all().flat_map(|(_, variant)| variant.obstacles.iter().cloned());
    let (mains, obstacles) = (chosen.module.mains.clone(), obstacles.collect());
    Ok(ProjectSources { listing, mains, remarks, obstacles })
}

/// Fills in the keys that a scenario file leaves out; returns remarks.
pub(super) fn add_listing(
    merged: &mut ScenarioFile,
    build: &ProjectBuild,
    chosen: &ChosenModules<'_>,
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

/// Adds all sources of the chosen modules. Generated ones get the role of a harness: nobody edits
/// them, so none of their blocks is removed. If the file names analysed sources, only these are
/// analysed.
fn add_sources(
    merged: &mut ScenarioFile,
    build: &ProjectBuild,
    chosen: &ChosenModules<'_>,
    remarks: &mut Vec<String>,
) -> Result<(), ProjectError> {
    let is_analysed = |source: &SourceSection| {
        matches!(source.role, RoleValue::Analysed) && source.analyse != Some(false)
    };
    let by_file = merged.source.iter().any(is_analysed);
    let (mut own, mut generated) = (0, 0);
    for (module, variant) in chosen.all() {
        for root in source_roots(&files_of(variant))? {
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

/// The source files given to javac, and those that annotation processors generated.
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
        role: if is_generated { RoleValue::Harness } else { RoleValue::Analysed },
        analyse: by_file.then_some(false),
        encoding,
    }
}

/// Adds the class path: run-time libraries, and those that only javac needs. Classes of the chosen
/// modules are compiled again; those of other languages are added as they are.
fn add_libraries(merged: &mut ScenarioFile, chosen: &ChosenModules<'_>) {
    let mut seen = BTreeSet::new();
    let mut add = |path: &Path, role: LibraryRole, language: Option<UnanalysedLanguage>| {
        let path = path.to_string_lossy().into_owned();
        if seen.insert(path.clone()) {
            let (maven, sha256, path) = (None, None, Some(path));
            merged.library.push(LibrarySection { path, maven, sha256, role: Some(role), language });
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

/// Adds the javac options that affect the classes; remarks name those that can't be taken over.
fn add_options(merged: &mut ScenarioFile, chosen: &ChosenModules<'_>, remarks: &mut Vec<String>) {
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
            JavacOptionUse::Taken if seen.insert(words.clone()) => taken.extend(words),
            JavacOptionUse::Refused => drop(left.insert(words.join(" "))),
            JavacOptionUse::Taken | JavacOptionUse::WithoutEffect => {}
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

/// Adds the processors that change classes, which run again in each compilation; the output of
/// others is among the sources.
fn add_processors(
    merged: &mut ScenarioFile,
    chosen: &ChosenModules<'_>,
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
    let file = |path| ProcessorSection { path: Some(path), maven: None, sha256: None };
    merged.processor = paths.into_iter().map(file).collect();
    Ok(())
}

/// Lombok's settings files in the module's folder and above, which Lombok does not find when the
/// sources are compiled elsewhere.
fn lombok_settings(module: &Path) -> impl Iterator<Item = PathBuf> {
    let files = module.ancestors().map(|folder| folder.join("lombok.config"));
    files.filter(|file| file.is_file())
}
