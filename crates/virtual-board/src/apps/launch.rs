//! Command line of an application's JVM: its class path, its arguments, its folder.

use std::path::{Path, PathBuf};

use super::start_error::AppStartError;
use crate::android::{PackageFacts, TranslatedPackage};
use crate::folder::BoardFolder;
use crate::package::{archive, files};

/// Framework class whose `main` begins a process of a package.
const ZYGOTE: &str = "wattline.board.Zygote";

/// Request to start an application.
pub(crate) struct AppStartRequest<'a> {
    pub package: &'a str,
    pub entry: AppEntryPoint<'a>,
    pub extras: &'a [IntentExtra],
}

/// Entry point of a package that is to be started.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AppEntryPoint<'a> {
    /// Activity, by `am start`; for a jar the class with `main`.
    Activity(&'a str),
    /// Instrumentation of this package, which may be another one than the application's, by `am
    /// instrument`.
    Instrumentation { package: &'a str, class: &'a str },
}

/// Installed Android packages that a process needs.
#[derive(Debug, Default)]
pub(crate) struct InstalledParts {
    /// Package of the application; `None` for a jar.
    pub application: Option<TranslatedPackage>,
    /// Package of the instrumentation, where it is another one.
    pub instrumentation: Option<TranslatedPackage>,
}

/// Typed key and value that `am` passes to an activity or instrumentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IntentExtra {
    /// Letter of `am`'s option: `s` for a text, `i`, `l`, `f`, `z`.
    pub kind: char,
    pub key: String,
    pub value: String,
}

/// Command line of an application's JVM.
pub(super) struct JvmLaunch {
    /// Jars of the application, whose execution spends energy.
    pub applications: Vec<PathBuf>,
    /// Jar of the Android framework, for a package.
    pub framework: Option<PathBuf>,
    /// Options of the JVM.
    pub options: Vec<String>,
    /// Main class and its arguments.
    pub words: Vec<String>,
    /// Its working directory.
    pub folder: PathBuf,
    /// Whether input lines on standard input are for a window.
    pub has_window: bool,
}

/// Path of the file in which a process's framework reports to the board.
pub(super) fn reports_path(scratch: &Path) -> PathBuf {
    scratch.join("reports")
}

impl JvmLaunch {
    /// Command line for an installed package or a jar; `scratch` is the folder for the board's own
    /// files of the process.
    pub(super) fn of(
        folder: &BoardFolder,
        installed: InstalledParts,
        start: &AppStartRequest<'_>,
        scratch: &Path,
    ) -> Result<Self, AppStartError> {
        let InstalledParts { application, instrumentation } = installed;
        match application {
            Some(installed) => package_launch(folder, start, scratch, (installed, instrumentation)),
            None => jar_launch(folder, start),
        }
    }
}

/// Command line for a jar: the class with `main`, and the extras as `key=value`.
fn jar_launch(
    folder: &BoardFolder,
    start: &AppStartRequest<'_>,
) -> Result<JvmLaunch, AppStartError> {
    let package = start.package.to_owned();
    let class = match start.entry {
        AppEntryPoint::Activity(class) => class.to_owned(),
        AppEntryPoint::Instrumentation { package, class } => {
            return Err(no_instrumentation_error(package, class));
        }
    };
    let found = files::find_package(folder, &package);
    let place = found.filter(|place| archive::has_class(&place.jar, &class));
    let Some(place) = place else { return Err(AppStartError::Unknown { package, class }) };
    let extras = start.extras.iter().map(|extra| format!("{}={}", extra.key, extra.value));
    Ok(JvmLaunch {
        applications: vec![place.jar],
        framework: None,
        options: Vec::new(),
        words: std::iter::once(class).chain(extras).collect(),
        folder: place.files,
        has_window: false,
    })
}

/// Command line for an Android package: the zygote with the entry point, classes, activities,
/// services and extras.
fn package_launch(
    folder: &BoardFolder,
    start: &AppStartRequest<'_>,
    scratch: &Path,
    (installed, instrumentation): (TranslatedPackage, Option<TranslatedPackage>),
) -> Result<JvmLaunch, AppStartError> {
    let mut words = vec![ZYGOTE.to_owned()];
    words.extend(zygote_arguments(start, &installed, instrumentation.as_ref())?);
    for TranslatedPackage { facts, classes, .. } in [&installed].into_iter().chain(&instrumentation)
    {
        let classes = classes.display().to_string();
        words.extend(["package".to_owned(), facts.package.clone(), classes]);
    }
    words.extend(["application".to_owned(), installed.facts.application]);
    for (name, activity) in installed.facts.activities {
        let class = activity.target.unwrap_or_else(|| name.clone());
        words.extend(["declared".to_owned(), name, class]);
    }
    for class in installed.facts.services {
        words.extend(["service".to_owned(), class]);
    }
    for IntentExtra { kind, key, value } in start.extras {
        words.extend(["extra".to_owned(), kind.to_string(), key.clone(), value.clone()]);
    }
    let data = folder.path().join("data/data").join(start.package);
    let option = |name: &str, value: &str| format!("-Dwattline.board.{name}={value}");
    // As on Android, what is started with comes first.
    let before = instrumentation.map(|other| other.classes);
    Ok(JvmLaunch {
        applications: before.into_iter().chain([installed.classes]).collect(),
        framework: Some(installed.framework),
        options: vec![
            option("package", start.package),
            option("data", &data.display().to_string()),
            option("reports", &reports_path(scratch).display().to_string()),
        ],
        words,
        folder: folder.path().to_owned(),
        has_window: true,
    })
}

/// The zygote's arguments for the entry point, if the manifest declares it.
fn zygote_arguments(
    start: &AppStartRequest<'_>,
    installed: &TranslatedPackage,
    instrumentation: Option<&TranslatedPackage>,
) -> Result<Vec<String>, AppStartError> {
    let facts = &installed.facts;
    match start.entry {
        AppEntryPoint::Activity(class) => {
            check_activity(facts, class)?;
            Ok(vec!["activity".into(), class.into()])
        }
        AppEntryPoint::Instrumentation { package, class } => {
            let owner = &instrumentation.unwrap_or(installed).facts;
            let found = owner.instrumentations.get(class);
            let found = found.filter(|found| found.target == start.package);
            let found = found.ok_or_else(|| no_instrumentation_error(package, class))?;
            if owner.signers != facts.signers {
                let target = start.package.to_owned();
                return Err(AppStartError::OtherKey {
                    package: package.into(),
                    class: class.into(),
                    target,
                });
            }
            let mut words = vec!["instrument".into(), class.into(), "of".into(), package.into()];
            for (key, value) in &found.meta {
                words.extend(["meta".into(), key.clone(), value.clone()]);
            }
            Ok(words)
        }
    }
}

/// Checks that other packages may start an activity.
pub(crate) fn check_activity(facts: &PackageFacts, class: &str) -> Result<(), AppStartError> {
    let (package, named) = (facts.package.clone(), class.to_owned());
    match facts.activities.get(class) {
        None => Err(AppStartError::Unknown { package, class: named }),
        Some(activity) if !activity.is_exported() => {
            Err(AppStartError::NotExported { package, class: named })
        }
        Some(_) => Ok(()),
    }
}

fn no_instrumentation_error(package: &str, class: &str) -> AppStartError {
    AppStartError::NoInstrumentation { package: package.to_owned(), class: class.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::android::DeclaredInstrumentation;
    use crate::user::BoardUser;

    const RUNNER: &str = "org.r.Runner";

    fn installed(package: &str, signer: &str, target: Option<&str>) -> TranslatedPackage {
        let mut facts = PackageFacts {
            package: package.into(),
            application: "android.app.Application".into(),
            signers: vec![signer.into()],
            ..PackageFacts::default()
        };
        let meta = vec![("key".to_owned(), "value".to_owned())];
        let of = |target: &str| DeclaredInstrumentation { target: target.into(), meta };
        facts.instrumentations.extend(target.map(|target| (RUNNER.to_owned(), of(target))));
        TranslatedPackage {
            facts,
            classes: package.into(),
            framework: "f.jar".into(),
            filter: "verify",
        }
    }

    #[test]
    fn an_instrumentation_of_another_package_runs_with_its_key_alone() {
        let application = installed("org.x", "key", None);
        let entry = AppEntryPoint::Instrumentation { package: "org.x.r", class: RUNNER };
        let start = AppStartRequest { package: "org.x", entry, extras: &[] };
        let said = |runner: &TranslatedPackage| match super::zygote_arguments(
            &start,
            &application,
            Some(runner),
        ) {
            Ok(words) => words.join(" "),
            Err(error) => error.to_string(),
        };
        let words = format!("instrument {RUNNER} of org.x.r meta key value");
        assert_eq!(said(&installed("org.x.r", "key", Some("org.x"))), words);
        let other = said(&installed("org.x.r", "other", Some("org.x")));
        assert!(other.contains("signature matching the target org.x"), "{other}");
        let elsewhere = said(&installed("org.x.r", "key", Some("org.y")));
        assert!(elsewhere.contains("Unable to find instrumentation info"), "{elsewhere}");
    }

    #[test]
    fn the_classes_of_the_instrumentation_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let board = BoardFolder::open_root(folder.path(), BoardUser::find()).unwrap();
        let installed = InstalledParts {
            application: Some(installed("org.x", "key", None)),
            instrumentation: Some(installed("org.x.r", "key", Some("org.x"))),
        };
        let entry = AppEntryPoint::Instrumentation { package: "org.x.r", class: RUNNER };
        let start = AppStartRequest { package: "org.x", entry, extras: &[] };
        let launch = JvmLaunch::of(&board, installed, &start, folder.path()).unwrap();
        assert_eq!(launch.applications, [PathBuf::from("org.x.r"), PathBuf::from("org.x")]);
    }
}
