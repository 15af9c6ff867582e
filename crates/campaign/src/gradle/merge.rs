//! The scenario of a build: what the user's file leaves out is what the build says. Paths of
//! the file are made absolute, since the scenario is written elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::scenario::javac_option::JavacOption;
use crate::scenario::{
    InputFile, LibraryFile, LibraryRole, ProcessorFile, RoleFile, ScenarioFile, SourceSection,
    StartKind, UnanalysedLanguage, check_written,
};
use crate::toolchain::processors::{is_class_writer, processors_on};

use super::choose::{Chosen, choose};
use super::export::{AndroidVariant, GradleVariant, Module};
use super::roots::{SourceRoot, java_files, roots};
use super::{GradleBuild, GradleError, GradleScenario, as_written};

/// Input sequence where the file has none: nothing but the application.
const INPUT: &str = "run";
/// The oldest release of Java and the oldest Android that scenarios have.
const OLDEST_RELEASE: u32 = 7;
const OLDEST_ANDROID: u32 = 14;

pub(super) fn scenario(
    build: &GradleBuild,
    modules: &[Module],
    written: Option<&Path>,
    place: &Path,
) -> Result<GradleScenario, GradleError> {
    let chosen = choose(modules, &build.task)?;
    let (text, mut merged, named) = match written {
        Some(file) => {
            let (text, mut merged) = as_written(file)?;
            make_absolute(&mut merged, file)?;
            (text, merged, file)
        }
        None => (String::new(), as_nothing(), place),
    };
    let mut remarks = Vec::new();
    describe(&mut merged, build, &chosen)?;
    add_sources(&mut merged, &chosen, &mut remarks)?;
    add_libraries(&mut merged, &chosen);
    add_options(&mut merged, &chosen, &mut remarks);
    add_processors(&mut merged, &chosen)?;
    if merged.input.is_empty() {
        merged.input.push(InputFile::named(INPUT));
    }
    let body = toml::to_string(&merged)
        .map_err(|error| GradleError::Export { file: place.into(), message: error.to_string() })?;
    let scenario = check_written(merged, &text, named)?;
    let origin = written.map(|file| format!(" and {}", file.display())).unwrap_or_default();
    let head =
        format!("# Made of Gradle's {}{origin}; a new run of Gradle replaces it.\n", build.task);
    Ok(GradleScenario {
        text: head + &body,
        scenario: crate::scenario::Scenario { file: place.into(), ..scenario },
        remarks,
    })
}

/// A scenario file without a word.
fn as_nothing() -> ScenarioFile {
    crate::scenario::parse_written("", Path::new("")).expect("an empty file has all defaults")
}

/// Paths of the file seen from everywhere.
fn make_absolute(merged: &mut ScenarioFile, file: &Path) -> Result<(), GradleError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let absolute = |path: &mut String| -> Result<(), GradleError> {
        let whole = folder.join(&*path);
        let whole = std::path::absolute(&whole).map_err(GradleError::io(&whole))?;
        *path = whole.to_string_lossy().into_owned();
        Ok(())
    };
    // An empty one is refused as it is.
    let command = merged.session.input_command.as_mut().filter(|text| !text.trim().is_empty());
    if let Some(command) = command {
        let mut place = String::new();
        absolute(&mut place)?;
        *command = format!("cd '{}' || exit\n{command}", place.replace('\'', r"'\''"));
    }
    let sources = merged.source.iter_mut().filter_map(|source| source.path.as_mut());
    let libraries = merged.library.iter_mut().filter_map(|library| library.path.as_mut());
    let processors = merged.processor.iter_mut().filter_map(|one| one.path.as_mut());
    let apk = merged.application.apk.as_mut();
    let log = merged.board.log.as_mut().map(|log| &mut log.file);
    let offline = merged.offline.as_mut().map(|offline| &mut offline.scenario);
    sources
        .chain(libraries)
        .chain(processors)
        .chain(apk)
        .chain(log)
        .chain(offline)
        .try_for_each(absolute)
}

/// Names, class with `main`, releases of Java and Android.
fn describe(
    merged: &mut ScenarioFile,
    build: &GradleBuild,
    chosen: &Chosen<'_>,
) -> Result<(), GradleError> {
    let Chosen { module, variant, .. } = *chosen;
    let name = merged.name.get_or_insert_with(|| plain_name(&module.name)).clone();
    if merged.description.is_empty() {
        merged.description = format!("{} of the Gradle project {}", build.task, module.name);
    }
    let application = &mut merged.application;
    let is_activity = application.start == StartKind::Activity;
    if application.main.is_none() && application.apk.is_none() && !is_activity {
        application.main.clone_from(&module.main);
    }
    let android = variant.android.as_ref();
    // A class with `main` is started in a package of ours.
    if application.apk.is_none() && application.main.is_none() {
        application.apk = android.and_then(package_file).map(|p| p.to_string_lossy().into_owned());
    }
    if application.main.is_none() && application.apk.is_none() && !is_activity {
        let (module, is_android) = (module.project.clone(), android.is_some());
        return Err(GradleError::NoMain { module, is_android });
    }
    if application.package.is_none() {
        let id = android.and_then(|android| android.application_id.clone());
        let main = application.main.as_deref().unwrap_or_default();
        application.package = Some(id.unwrap_or_else(|| package_of(main, &name)));
    }
    let releases = chosen.all().filter_map(|(_, variant)| variant.java_release());
    let release = releases.max().filter(|release| *release >= OLDEST_RELEASE);
    application.java_release = application.java_release.or(release);
    application.parameters = application.parameters.or(Some(variant.keeps_parameters()));
    if application.apk.is_some() {
        // It says for which Android it is.
        return Ok(());
    }
    let level = |level: Option<u32>| level.map(|level| level.max(OLDEST_ANDROID));
    let min = level(android.and_then(|android| android.min_sdk));
    application.min_sdk = application.min_sdk.or(min);
    let target = level(android.and_then(|android| android.target_sdk));
    let target = target.map(|target| target.max(application.min_sdk.unwrap_or(target)));
    application.target_sdk = application.target_sdk.or(target);
    Ok(())
}

/// The package that holds all: where there are several by screen or processor, the one for any.
fn package_file(android: &AndroidVariant) -> Option<&PathBuf> {
    match &android.packages[..] {
        [one] => Some(one),
        several => several.iter().find(|path| path.to_string_lossy().contains("universal")),
    }
}

/// A name as scenarios have it.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    match name.is_empty() {
        true => "application".to_string(),
        false => name.chars().map(plain).collect(),
    }
}

/// A package name for what has none: Android wants two parts at least.
fn package_of(main: &str, name: &str) -> String {
    let own = main.rsplit_once('.').map_or("", |(package, _)| package);
    match own.contains('.') {
        true => own.to_string(),
        false => format!("org.wattline.{}", name.replace('-', "_").to_lowercase()),
    }
}

/// All sources of the chosen modules. Generated ones are driver's code: nobody edits them, so
/// none of their blocks is removed. Where the file says what is analysed, it is that alone.
fn add_sources(
    merged: &mut ScenarioFile,
    chosen: &Chosen<'_>,
    remarks: &mut Vec<String>,
) -> Result<(), GradleError> {
    let is_analysed = |source: &SourceSection| {
        matches!(source.role, RoleFile::Analysed) && source.analyse != Some(false)
    };
    let by_file = merged.source.iter().any(is_analysed);
    let (mut own, mut generated) = (0, 0);
    for (module, variant) in chosen.all() {
        for root in roots(&files_of(variant))? {
            let is_generated = root.folder.starts_with(&module.build);
            *if is_generated { &mut generated } else { &mut own } += root.files;
            let encoding = variant.encoding.clone().filter(|name| !is_utf8(name));
            merged.source.push(source(root, encoding, is_generated, by_file));
        }
    }
    if own + generated == 0 {
        let languages = chosen.variant.others.iter().map(|other| other.language.clone());
        return Err(GradleError::NoJava {
            module: chosen.module.project.clone(),
            languages: languages.collect(),
        });
    }
    remarks.push(format!(
        "Gradle {}: {} Java files of {}, {generated} of them generated",
        chosen.module.gradle,
        own + generated,
        chosen.all().map(|(module, _)| module.project.as_str()).collect::<Vec<_>>().join(", "),
    ));
    Ok(())
}

/// What javac was given, and what annotation processors wrote while it ran: to a folder of
/// their own or, with an old Gradle, beside the classes.
fn files_of(variant: &GradleVariant) -> BTreeSet<PathBuf> {
    let folders = variant.generated.iter().chain([&variant.classes]);
    let generated = folders.flat_map(|folder| java_files(folder));
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
fn add_processors(merged: &mut ScenarioFile, chosen: &Chosen<'_>) -> Result<(), GradleError> {
    if !merged.processor.is_empty() {
        return Ok(());
    }
    let mut paths = BTreeSet::new();
    for (module, variant) in chosen.all().filter(|(_, v)| !v.is_without_processors()) {
        let path = match variant.processors.is_empty() && module.finds_processors_on_class_path() {
            true => &variant.classpath,
            false => &variant.processors,
        };
        for entry in path {
            let names = processors_on(std::slice::from_ref(entry))?;
            if names.iter().any(|name| is_class_writer(name)) {
                paths.insert(entry.to_string_lossy().into_owned());
            }
        }
    }
    let file = |path| ProcessorFile { path: Some(path), maven: None, sha256: None };
    merged.processor = paths.into_iter().map(file).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::gradle::export::tests::DEMO;
    use crate::scenario::{ArtifactSource, Role, StartKind};

    /// A module in a folder of its own: a class, one that a processor wrote, Kotlin's folder.
    fn module(folder: &Path) -> Module {
        let text = DEMO.replace("/p/", &format!("{}/", folder.display()));
        for (name, text) in [
            ("src/main/java/demo/Main.java", "package demo; class Main {}"),
            ("build/classes/java/main/demo/Made.java", "package demo; class Made {}"),
            ("build/classes/kotlin/main/demo/More.class", ""),
        ] {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let mut module = Module::parse(&text).unwrap();
        module.build = folder.join("build");
        module
    }

    fn made(
        module: Module,
        written: Option<&str>,
        folder: &Path,
    ) -> Result<GradleScenario, GradleError> {
        let build = GradleBuild {
            task: ":classes".into(),
            project: folder.into(),
            folder: folder.join("gradle"),
        };
        let file = written.map(|text| {
            let file = folder.join("energy.toml");
            fs::write(&file, text).unwrap();
            file
        });
        scenario(&build, &[module], file.as_deref(), &folder.join("gradle/scenario.toml"))
    }

    fn sources(made: &GradleScenario) -> Vec<(PathBuf, Role, bool)> {
        let source = |source: &crate::scenario::SourceTree| match &source.origin {
            ArtifactSource::Path(path) => (path.clone(), source.role, source.analyse),
            ArtifactSource::Maven(_) => panic!("no source is fetched"),
        };
        made.scenario.sources.iter().map(source).collect()
    }

    #[test]
    fn a_build_alone_is_a_scenario() {
        let folder = tempfile::tempdir().unwrap();
        let made = made(module(folder.path()), None, folder.path()).unwrap();
        let application = &made.scenario.application;
        assert_eq!(application.main.as_deref(), Some("demo.Main"));
        assert_eq!(application.package, "org.wattline.demo");
        assert_eq!((application.java_release, application.parameters), (Some(8), true));
        assert_eq!((application.start, application.apk.as_ref()), (StartKind::default(), None));
        let expected = [
            (folder.path().join("build/classes/java/main"), Role::Harness, true),
            (folder.path().join("src/main/java"), Role::Analysed, true),
        ];
        assert_eq!(sources(&made), expected);
        let libraries: Vec<_> = made
            .scenario
            .libraries
            .iter()
            .map(|library| (library.role, library.language.map(UnanalysedLanguage::name)))
            .collect();
        let packed = LibraryRole::Packed;
        assert_eq!(libraries, [(packed, Some("Kotlin")), (packed, None)]);
        let place = folder.path().join("gradle/scenario.toml");
        let read = crate::scenario::parse_scenario(&made.text, &place).unwrap();
        assert_eq!(read.keys, made.scenario.keys, "what is written is what was checked");
    }

    #[test]
    fn what_the_file_says_wins() {
        let folder = tempfile::tempdir().unwrap();
        let written = "name = \"mine\"\n[application]\nmain = \"drive.Main\"\njava_release = 11\n\
            [[source]]\npath = \"drive\"\nrole = \"harness\"\n[[input]]\nname = \"few\"\n\
            [session]\ninput_command = \"./touch.sh\"\n";
        let found = made(module(folder.path()), Some(written), folder.path()).unwrap();
        let application = &found.scenario.application;
        assert_eq!(application.main.as_deref(), Some("drive.Main"));
        assert_eq!((application.java_release, found.scenario.name.as_str()), (Some(11), "mine"));
        assert_eq!(found.scenario.inputs[0].name, "few");
        let command = found.scenario.session.input_command.as_deref().unwrap();
        let (place, text) = command.split_once('\n').unwrap();
        assert!(place.starts_with(&format!("cd '{}", folder.path().display())), "{place}");
        assert_eq!(text, "./touch.sh", "in the folder of the user's file");
        let first = (folder.path().join("drive"), Role::Harness, true);
        assert_eq!(sources(&found)[0], first, "seen from everywhere");
        let analysed =
            |made: &GradleScenario| sources(made).iter().filter(|source| source.2).count();
        assert_eq!(analysed(&found), 3, "the build's own are analysed beside a driver");
        let part = "[[source]]\npath = \"src/main/java\"\ninclude = [\"demo/**\"]\n";
        let found = made(module(folder.path()), Some(part), folder.path()).unwrap();
        assert_eq!(analysed(&found), 1, "the file says what is analysed");
    }

    #[test]
    fn encodings_options_and_lombok_come_from_the_build() {
        let folder = tempfile::tempdir().unwrap();
        let mut module = module(folder.path());
        let lombok = folder.path().join("lombok.jar");
        let service = "META-INF/services/javax.annotation.processing.Processor".to_owned();
        let entries = [(service, b"lombok.launch.P\n".to_vec())].into();
        fs::write(&lombok, crate::toolchain::jar::pack(&[], &entries)).unwrap();
        let variant = &mut module.variants[0];
        variant.encoding = Some("EUC-JP".into());
        variant.processors = vec![folder.path().join("gone.jar"), lombok.clone()];
        variant.arguments = ["--enable-preview", "-Aa=b", "-Xlint:all", "-Xplugin:Manifold"]
            .map(String::from)
            .into();
        let made = made(module, None, folder.path()).unwrap();
        let application = &made.scenario.application;
        assert!(application.preview);
        assert_eq!(application.javac_options, ["-Aa=b"]);
        assert_eq!(made.scenario.sources[1].encoding.unwrap().name, "EUC-JP");
        assert_eq!(made.scenario.processors, [ArtifactSource::Path(lombok)]);
        let told = made.remarks.join("\n");
        assert!(told.contains("-Xplugin:Manifold are not taken over"), "{told}");
    }

    #[test]
    fn a_wrong_key_is_told_in_the_users_file() {
        let folder = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            made(module(folder.path()), Some(text), folder.path()).unwrap_err().to_string()
        };
        assert!(told("\n[campaign]\nrepeats = 0").contains("energy.toml:3: `campaign.repeats`"));
        let unknown = told("[board]\nmetre = \"odpm\"");
        assert!(unknown.contains("energy.toml:2: unknown key `metre`; did you mean"), "{unknown}");
    }

    #[test]
    fn what_cannot_be_started_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut module = module(folder.path());
        module.main = None;
        let told = made(module.clone(), None, folder.path()).unwrap_err().to_string();
        assert!(told.contains("says no class with `main`"), "{told}");
        let android = AndroidVariant {
            application_id: Some("a.b".into()),
            min_sdk: Some(9),
            target_sdk: None,
            packages: Vec::new(),
        };
        module.variants[0].android = Some(android.clone());
        let told = made(module.clone(), None, folder.path()).unwrap_err().to_string();
        assert!(told.contains("the task makes no package"), "{told}");
        let apk = PathBuf::from("/p/app.apk");
        module.variants[0].android =
            Some(AndroidVariant { packages: vec![apk.clone()], ..android });
        let application = made(module, None, folder.path()).unwrap().scenario.application;
        assert_eq!((application.apk, application.main), (Some(apk), None));
        assert_eq!((application.start, application.package.as_str()), (StartKind::Activity, "a.b"));
    }

    #[test]
    fn a_module_without_java_names_its_language() {
        let folder = tempfile::tempdir().unwrap();
        let mut module = module(folder.path());
        module.variants[0].sources.clear();
        fs::remove_dir_all(&module.variants[0].classes).unwrap();
        let told = made(module, None, folder.path()).unwrap_err().to_string();
        assert_eq!(told, ": has no Java sources; its Kotlin is not analysed");
    }
}
