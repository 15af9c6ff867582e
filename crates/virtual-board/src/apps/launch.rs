//! What a JVM is started with for an application: its class path, its words, its folder.

use std::path::{Path, PathBuf};

use super::start_error::StartError;
use crate::android::{Installed, InstallerFacts};
use crate::folder::BoardFolder;
use crate::package::{archive, files};

/// The class that begins a process of a package, in the framework.
const ZYGOTE: &str = "wattline.board.Zygote";

/// What is to be started.
pub(crate) struct AppStart<'a> {
    pub package: &'a str,
    pub entry: LaunchEntryPoint<'a>,
    pub extras: &'a [Extra],
}

/// What of a package is started.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaunchEntryPoint<'a> {
    /// By `am start`; of a jar the class with `main`.
    Activity(&'a str),
    /// By `am instrument`: an instrumentation of this package, which may be another one.
    Instrumentation { package: &'a str, class: &'a str },
}

/// What is installed of an application that is started.
#[derive(Debug, Default)]
pub(crate) struct InstalledParts {
    /// The application's package; none of a jar.
    pub application: Option<Installed>,
    /// The package of the instrumentation, where that is another one.
    pub instrumentation: Option<Installed>,
}

/// A value that goes along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extra {
    /// The letter of `am`'s option: `s` of a text, `i`, `l`, `f`, `z`.
    pub kind: char,
    pub key: String,
    pub value: String,
}

/// How a JVM is started.
pub(super) struct Launch {
    /// The classes whose execution costs energy.
    pub applications: Vec<PathBuf>,
    /// The classes of Android, for a package.
    pub framework: Option<PathBuf>,
    /// Options of the JVM.
    pub options: Vec<String>,
    /// The class that it starts, and its arguments.
    pub words: Vec<String>,
    /// Its working directory.
    pub folder: PathBuf,
    /// Whether what `input` writes to its standard input is for its window.
    pub has_window: bool,
}

/// Where a process's framework reports to the board.
pub(super) fn reports(scratch: &Path) -> PathBuf {
    scratch.join("reports")
}

impl Launch {
    /// Of an installed package, or of a jar, with this folder for the process's files of ours.
    pub(super) fn of(
        folder: &BoardFolder,
        installed: InstalledParts,
        start: &AppStart<'_>,
        scratch: &Path,
    ) -> Result<Self, StartError> {
        let InstalledParts { application, instrumentation } = installed;
        match application {
            Some(installed) => of_package(folder, start, scratch, (installed, instrumentation)),
            None => of_jar(folder, start),
        }
    }
}

fn of_jar(folder: &BoardFolder, start: &AppStart<'_>) -> Result<Launch, StartError> {
    let package = start.package.to_owned();
    let class = match start.entry {
        LaunchEntryPoint::Activity(class) => class.to_owned(),
        LaunchEntryPoint::Instrumentation { package, class } => {
            return Err(no_instrumentation(package, class));
        }
    };
    let found = files::find(folder, &package);
    let place = found.filter(|place| archive::has_class(&place.jar, &class));
    let Some(place) = place else { return Err(StartError::Unknown { package, class }) };
    let extras = start.extras.iter().map(|extra| format!("{}={}", extra.key, extra.value));
    Ok(Launch {
        applications: vec![place.jar],
        framework: None,
        options: Vec::new(),
        words: std::iter::once(class).chain(extras).collect(),
        folder: place.files,
        has_window: false,
    })
}

fn of_package(
    folder: &BoardFolder,
    start: &AppStart<'_>,
    scratch: &Path,
    (installed, instrumentation): (Installed, Option<Installed>),
) -> Result<Launch, StartError> {
    let mut words = vec![ZYGOTE.to_owned()];
    words.extend(entry(start, &installed, instrumentation.as_ref())?);
    for Installed { facts, classes, .. } in [&installed].into_iter().chain(&instrumentation) {
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
    for Extra { kind, key, value } in start.extras {
        words.extend(["extra".to_owned(), kind.to_string(), key.clone(), value.clone()]);
    }
    let data = folder.path().join("data/data").join(start.package);
    let option = |name: &str, value: &str| format!("-Dwattline.board.{name}={value}");
    // As on Android, what is started with comes first.
    let before = instrumentation.map(|other| other.classes);
    Ok(Launch {
        applications: before.into_iter().chain([installed.classes]).collect(),
        framework: Some(installed.framework),
        options: vec![
            option("package", start.package),
            option("data", &data.display().to_string()),
            option("reports", &reports(scratch).display().to_string()),
        ],
        words,
        folder: folder.path().to_owned(),
        has_window: true,
    })
}

/// The zygote's words for what is started, if the manifest has it.
fn entry(
    start: &AppStart<'_>,
    installed: &Installed,
    instrumentation: Option<&Installed>,
) -> Result<Vec<String>, StartError> {
    let facts = &installed.facts;
    match start.entry {
        LaunchEntryPoint::Activity(class) => {
            check_activity(facts, class)?;
            Ok(vec!["activity".into(), class.into()])
        }
        LaunchEntryPoint::Instrumentation { package, class } => {
            let owner = &instrumentation.unwrap_or(installed).facts;
            let found = owner.instrumentations.get(class);
            let found = found.filter(|found| found.target == start.package);
            let found = found.ok_or_else(|| no_instrumentation(package, class))?;
            if owner.signers != facts.signers {
                let target = start.package.to_owned();
                return Err(StartError::OtherKey {
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

/// Whether others may start an activity.
pub(crate) fn check_activity(facts: &InstallerFacts, class: &str) -> Result<(), StartError> {
    let (package, named) = (facts.package.clone(), class.to_owned());
    match facts.activities.get(class) {
        None => Err(StartError::Unknown { package, class: named }),
        Some(activity) if !activity.is_exported() => {
            Err(StartError::NotExported { package, class: named })
        }
        Some(_) => Ok(()),
    }
}

fn no_instrumentation(package: &str, class: &str) -> StartError {
    StartError::NoInstrumentation { package: package.to_owned(), class: class.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::android::Instrumentation;
    use crate::user::BoardUser;

    const RUNNER: &str = "org.r.Runner";

    fn installed(package: &str, signer: &str, target: Option<&str>) -> Installed {
        let mut facts = InstallerFacts {
            package: package.into(),
            application: "android.app.Application".into(),
            signers: vec![signer.into()],
            ..InstallerFacts::default()
        };
        let meta = vec![("key".to_owned(), "value".to_owned())];
        let of = |target: &str| Instrumentation { target: target.into(), meta };
        facts.instrumentations.extend(target.map(|target| (RUNNER.to_owned(), of(target))));
        Installed { facts, classes: package.into(), framework: "f.jar".into(), filter: "verify" }
    }

    #[test]
    fn an_instrumentation_of_another_package_runs_with_its_key_alone() {
        let application = installed("org.x", "key", None);
        let entry = LaunchEntryPoint::Instrumentation { package: "org.x.r", class: RUNNER };
        let start = AppStart { package: "org.x", entry, extras: &[] };
        let said = |runner: &Installed| match super::entry(&start, &application, Some(runner)) {
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
        let entry = LaunchEntryPoint::Instrumentation { package: "org.x.r", class: RUNNER };
        let start = AppStart { package: "org.x", entry, extras: &[] };
        let launch = Launch::of(&board, installed, &start, folder.path()).unwrap();
        assert_eq!(launch.applications, [PathBuf::from("org.x.r"), PathBuf::from("org.x")]);
    }
}
