//! Scenario of a build: values that the user's file leaves out come from the build. Paths of the
//! file are made absolute, since the scenario is written elsewhere.

use std::path::{Path, PathBuf};

use crate::scenario::{
    InputSection, Scenario, ScenarioError, ScenarioFile, StartKind, check_written, parse_written,
};
use crate::virtual_board::package_name_fault;

use super::listing::{add_listing, empty_scenario_file};
use super::module::{AndroidVariant, Module};
use super::module_choice::{ChosenModules, choose_modules};
use super::{ProjectBuild, ProjectError};

/// Scenario of a project's build, as text and checked.
#[derive(Debug)]
pub struct ProjectScenario {
    /// TOML text, with a comment on its origin.
    pub text: String,
    /// The checked scenario; its `file` is the path where the text is to be written.
    pub scenario: Scenario,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Name of the input sequence where the file has none: the application without input.
const INPUT: &str = "run";
/// Oldest Android release that scenarios accept, as an API level.
const OLDEST_ANDROID: u32 = 14;

pub(super) fn scenario(
    build: &ProjectBuild,
    modules: &[Module],
    written: Option<&Path>,
    place: &Path,
) -> Result<ProjectScenario, ProjectError> {
    let chosen = choose_modules(modules, build)?;
    check_same(build, &chosen)?;
    let (text, mut merged, named) = match written {
        Some(file) => {
            let (text, mut merged) = read_scenario_file(file)?;
            make_absolute(&mut merged, file)?;
            (text, merged, file)
        }
        None => (String::new(), empty_scenario_file(), place),
    };
    describe(&mut merged, build, &chosen)?;
    let remarks = add_listing(&mut merged, build, &chosen)?;
    if merged.input.is_empty() {
        merged.input.push(InputSection::named(INPUT));
    }
    let body = toml::to_string(&merged)
        .map_err(|error| ProjectError::Export { file: place.into(), message: error.to_string() })?;
    let scenario = check_written(merged, &text, named)?;
    let origin = written.map(|file| format!(" and {}", file.display())).unwrap_or_default();
    let (work, tool) = (build.description(), build.tool);
    let head = format!("# Made of {work}{origin}; a new run of {tool} replaces it.\n");
    Ok(ProjectScenario {
        text: head + &body,
        scenario: Scenario { file: place.into(), ..scenario },
        remarks,
    })
}

/// Refuses modules that javac alone compiles to another program, or that lack a part.
fn check_same(build: &ProjectBuild, chosen: &ChosenModules<'_>) -> Result<(), ProjectError> {
    match chosen.all().find(|(_, variant)| !variant.obstacles.is_empty()) {
        None => Ok(()),
        Some((module, variant)) => Err(ProjectError::OtherProgram {
            tool: build.tool,
            module: module.project.clone(),
            reasons: variant.obstacles.clone(),
        }),
    }
}

/// Reads a scenario file that may leave out values of the build; returns text and file.
fn read_scenario_file(file: &Path) -> Result<(String, ScenarioFile), ProjectError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| ScenarioError::Read { file: file.into(), source })?;
    let written = parse_written(&text, file)?;
    Ok((text, written))
}

/// Makes the paths of a scenario file absolute.
fn make_absolute(merged: &mut ScenarioFile, file: &Path) -> Result<(), ProjectError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let absolute = |path: &mut String| -> Result<(), ProjectError> {
        let whole = folder.join(&*path);
        let whole = std::path::absolute(&whole).map_err(ProjectError::io(&whole))?;
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

/// Fills in names, main class and Android releases from the build.
fn describe(
    merged: &mut ScenarioFile,
    build: &ProjectBuild,
    chosen: &ChosenModules<'_>,
) -> Result<(), ProjectError> {
    let ChosenModules { module, variant, .. } = *chosen;
    let name = merged.name.get_or_insert_with(|| plain_name(&module.name)).clone();
    if merged.description.is_empty() {
        merged.description = format!("{}, module {}", build.description(), module.name);
    }
    let application = &mut merged.application;
    let is_activity = application.start == StartKind::Activity;
    if application.main.is_none() && application.apk.is_none() && !is_activity {
        application.main = module.only_main().cloned();
    }
    let android = variant.android.as_ref();
    // A class with `main` is started in a package of ours.
    if application.apk.is_none() && application.main.is_none() {
        application.apk = android.and_then(package_file).map(|p| p.to_string_lossy().into_owned());
    }
    if application.main.is_none() && application.apk.is_none() && !is_activity {
        return Err(ProjectError::NoMain {
            tool: build.tool,
            module: module.project.clone(),
            mains: module.mains.clone(),
            is_android: android.is_some(),
        });
    }
    if application.package.is_none() {
        let id = android.and_then(|android| android.application_id.clone());
        let main = application.main.as_deref().unwrap_or_default();
        application.package = Some(id.unwrap_or_else(|| package_of(main, &name)));
    }
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

/// The package for all devices: of several split by screen or processor, the universal one.
fn package_file(android: &AndroidVariant) -> Option<&PathBuf> {
    match &android.packages[..] {
        [one] => Some(one),
        several => several.iter().find(|path| path.to_string_lossy().contains("universal")),
    }
}

/// The name with other characters than scenario names allow replaced.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    match name.is_empty() {
        true => "application".to_string(),
        false => name.chars().map(plain).collect(),
    }
}

/// A package name for an application without one: the package of its main class, if Android accepts
/// it.
fn package_of(main: &str, name: &str) -> String {
    let own = main.rsplit_once('.').map_or("", |(package, _)| package);
    if package_name_fault(own).is_none() {
        return own.to_string();
    }
    let part = name.replace('-', "_").to_lowercase();
    match part.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        true => format!("org.wattline.{part}"),
        false => format!("org.wattline.application_{part}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::BuildTool;
    use crate::project::module::tests::DEMO;
    use crate::project::tool_run::parse_export;
    use crate::scenario::{ArtifactSource, LibraryRole, SourceRole, StartKind, UnanalysedLanguage};

    /// A module in a folder of its own: a class, one that a processor wrote, Kotlin's folder.
    fn module(folder: &Path) -> Module {
        let text = DEMO.replace("\"/p", &format!("\"{}", folder.display()));
        for (name, text) in [
            ("src/main/java/demo/Main.java", "package demo; class Main {}"),
            ("build/classes/java/main/demo/Made.java", "package demo; class Made {}"),
            ("build/classes/kotlin/main/demo/More.class", ""),
        ] {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let mut module = parse_export::<Module>(&text).unwrap();
        // As an old Gradle has it.
        module.variants[0].generated = vec![module.variants[0].classes.clone()];
        module
    }

    fn made(
        module: Module,
        written: Option<&str>,
        folder: &Path,
    ) -> Result<ProjectScenario, ProjectError> {
        let build = ProjectBuild {
            tool: BuildTool::Gradle,
            target: ":classes".into(),
            options: Vec::new(),
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

    fn sources(made: &ProjectScenario) -> Vec<(PathBuf, SourceRole, bool)> {
        let source = |source: &crate::scenario::SourceTree| match &source.origin {
            ArtifactSource::Path(path) => (path.clone(), source.role, source.analyse),
            ArtifactSource::Maven(_) => panic!("no source is fetched"),
        };
        made.scenario.sources.iter().map(source).collect()
    }

    #[test]
    fn a_package_without_a_name_gets_one_that_android_takes() {
        assert_eq!(package_of("demo.app.Main", "x"), "demo.app");
        for (main, name, expected) in [
            ("Main", "my-game", "org.wattline.my_game"),
            ("demo.Main", "Demo", "org.wattline.demo"),
            ("demo._app.Main", "2048", "org.wattline.application_2048"),
            ("org.caf\u{e9}.Main", "_x", "org.wattline.application__x"),
        ] {
            assert_eq!(package_of(main, name), expected);
            assert_eq!(package_name_fault(expected), None);
        }
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
            (folder.path().join("build/classes/java/main"), SourceRole::Harness, true),
            (folder.path().join("src/main/java"), SourceRole::Analysed, true),
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
        let told = made.remarks.join("\n");
        assert!(told.contains("Kotlin of : is not analysed (files: 1)"), "{told}");
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
        let first = (folder.path().join("drive"), SourceRole::Harness, true);
        assert_eq!(sources(&found)[0], first, "seen from everywhere");
        let analysed =
            |made: &ProjectScenario| sources(made).iter().filter(|source| source.2).count();
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
        fs::write(folder.path().join("lombok.config"), "").unwrap();
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
        assert!(told.contains("lombok.config is not taken over"), "{told}");
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
        module.mains.clear();
        let told = made(module.clone(), None, folder.path()).unwrap_err().to_string();
        assert!(told.contains("says no class with `main`"), "{told}");
        module.mains = vec!["a.A".into(), "b.B".into()];
        let told = made(module.clone(), None, folder.path()).unwrap_err().to_string();
        assert!(told.contains("several classes with `main` (a.A, b.B)"), "{told}");
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
    fn what_would_be_another_program_is_refused_with_its_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let mut module = module(folder.path());
        module.variants[0].obstacles = vec!["a weaver ran".into()];
        let told = made(module, None, folder.path()).unwrap_err().to_string();
        assert!(told.contains("another program: a weaver ran"), "{told}");
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
