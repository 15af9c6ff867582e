//! Package of the application's own build: its manifest fills in the scenario, and it must accept
//! other code and be startable.

use std::io;
use std::path::{Path, PathBuf};

use wattline_units::input::read_regular;
use wattline_units::limits::ARCHIVE_BYTES;
use wattline_units::shortened::shortened;

use crate::apk::{self, PackageManifest};
use crate::format::visible_path;
use crate::scenario::{Application, Scenario, StartKind, nearest_of};
use crate::toolchain::archive::ArchiveFault;
use crate::toolchain::artifact::hash_of_bytes;

use super::BuildError;

/// Oldest Android release that the runner and the probes support, as an API level.
pub(super) const OLDEST_API_LEVEL: u32 = 14;
/// Greatest number of names to show.
const SHOWN: usize = 3;

/// Reason why a package can't be measured.
#[derive(Debug, thiserror::Error)]
pub enum OwnPackageError {
    /// A missing or invalid manifest.
    #[error("its AndroidManifest.xml {0}")]
    Manifest(String),
    /// One of several split packages of an application.
    #[error(
        "it is one of several packages that are installed together, as a bundle makes them; name \
         one that holds all (`bundletool build-apks --mode=universal`, or the build's `assemble`)"
    )]
    Split,
    /// A package of another application than the scenario's.
    #[error("it is the package {found}, and `application.package` is \"{named}\"")]
    Package {
        /// Package name in the manifest.
        found: String,
        /// Package name in the scenario.
        named: String,
    },
    /// No unique activity to start.
    #[error(
        "a launcher shows {}: name the activity to start as `application.activity`, or start it \
         by `session.input_command` (`start = \"command\"`)",
        if launchers.is_empty() { "no activity of it".to_owned() } else { launchers.join(", ") }
    )]
    Launchers {
        /// Activities that a launcher shows.
        launchers: Vec<String>,
    },
    /// An activity that the package does not have.
    #[error("`application.activity` is \"{class}\", which its manifest does not have{nearest}")]
    NoActivity {
        /// Name of the activity.
        class: String,
        /// Likely alternatives; may be empty.
        nearest: String,
    },
}

/// A package of the application's own build.
#[derive(Debug, Clone)]
pub struct OwnPackage {
    /// Path of the file.
    file: PathBuf,
    manifest: PackageManifest,
    /// Path of the first native library.
    native: Option<String>,
    sha256: String,
}

impl OwnPackage {
    /// The package that the scenario names; `None` where packages are built from the sources alone.
    ///
    /// # Errors
    /// A package that can't be read, or can't be measured.
    pub fn of(scenario: &Scenario) -> Result<Option<OwnPackage>, BuildError> {
        let Some(apk) = &scenario.application.apk else { return Ok(None) };
        let file = scenario.resolve(apk);
        let bytes = read_package(&file)?;
        let of_package = |error| BuildError::OwnPackage { path: file.clone(), error };
        let manifest = apk::manifest_of(&bytes).map_err(bad_package(&file))?;
        let manifest = PackageManifest::parse(&manifest);
        let manifest = manifest.map_err(|why| of_package(OwnPackageError::Manifest(why)))?;
        check(&manifest, &scenario.application).map_err(of_package)?;
        let native = apk::native_library(&bytes).map_err(bad_package(&file))?;
        let sha256 = hash_of_bytes(&bytes);
        Ok(Some(OwnPackage { file, manifest, native, sha256 }))
    }

    /// The application with the manifest's launcher activity and Android releases filled in.
    pub fn complete(&self, application: Application) -> Application {
        let launcher = match application.start {
            StartKind::Command => None,
            _ => self.manifest.launchers.first().cloned(),
        };
        let min_sdk = self.manifest.min_sdk.max(OLDEST_API_LEVEL);
        Application {
            main: application.main.or(launcher),
            min_sdk,
            target_sdk: self.manifest.target_sdk.max(min_sdk),
            can_be_sampled: self.can_be_sampled(),
            ..application
        }
    }

    /// SHA-256 of the package file.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Path of the first native library.
    pub fn native_library(&self) -> Option<&str> {
        self.native.as_deref()
    }

    /// Whether another process may sample it.
    fn can_be_sampled(&self) -> bool {
        self.manifest.is_profileable || self.manifest.is_debuggable
    }

    /// Remarks for the user before measuring.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let file = visible_path(&self.file);
        if self.manifest.is_debuggable {
            remarks.push(format!(
                "{file} is debuggable: Android compiles it without inlining, so that it spends \
                 more than what users get; build one that is not"
            ));
        }
        if !self.can_be_sampled() {
            remarks.push(format!(
                "{file} is not profileable: from Android 10 on its methods can't be sampled; write \
                 `<profileable android:shell=\"true\"/>` into its <application>"
            ));
        }
        if !self.manifest.in_other_processes.is_empty() {
            remarks.push(format!(
                "{file} has components in processes of their own ({}): what they run is measured, \
                 but not counted; it is part of the unexplained energy",
                listed(&self.manifest.in_other_processes)
            ));
        }
        remarks
    }
}

/// The bytes of a package file, after checking that its code can be replaced.
pub(super) fn read_package(file: &Path) -> Result<Vec<u8>, BuildError> {
    let bytes = read_regular(file, ARCHIVE_BYTES).map_err(BuildError::io(file))?;
    apk::check_package(&bytes).map_err(bad_package(file))?;
    Ok(bytes)
}

/// A function that turns a fault of the archive into the error for this package file.
pub(super) fn bad_package(file: &Path) -> impl Fn(ArchiveFault) -> BuildError {
    move |fault| BuildError::io(file)(io::Error::new(io::ErrorKind::InvalidData, fault))
}

fn check(manifest: &PackageManifest, application: &Application) -> Result<(), OwnPackageError> {
    if manifest.is_split {
        return Err(OwnPackageError::Split);
    }
    if manifest.package != application.package {
        let found = shortened(&manifest.package).into_owned();
        let named = application.package.clone();
        return Err(OwnPackageError::Package { found, named });
    }
    match (&application.main, &manifest.launchers[..]) {
        _ if application.start == StartKind::Command => Ok(()),
        (Some(class), _) if !manifest.activities.contains(class) => {
            let names = manifest.activities.iter().map(String::as_str);
            let nearest = nearest_of(class, names);
            let nearest = nearest.map_or_else(String::new, |n| format!("; did you mean \"{n}\"?"));
            Err(OwnPackageError::NoActivity { class: class.clone(), nearest })
        }
        (Some(_), _) | (None, [_]) => Ok(()),
        (None, launchers) => Err(OwnPackageError::Launchers { launchers: launchers.to_vec() }),
    }
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse_scenario;

    fn scenario(more: &str) -> Scenario {
        let text = format!(
            "name = 'a'\n[application]\npackage = 'org.x'\napk = 'a.apk'\n{more}\n[[source]]\n\
             path = 'src'\n[session]\ninput_command = 'true'\n[[input]]\nname = 'one'\n"
        );
        parse_scenario(&text, Path::new("a.toml")).unwrap()
    }

    fn manifest(launchers: &[&str]) -> PackageManifest {
        let names = |names: &[&str]| names.iter().map(|name| format!("org.x.{name}")).collect();
        PackageManifest {
            package: "org.x".into(),
            min_sdk: 9,
            target_sdk: 34,
            activities: names(&["Main", "Second", "Third"]),
            launchers: names(launchers),
            ..PackageManifest::default()
        }
    }

    #[test]
    fn what_is_started_is_the_launchers_or_named() {
        let told = |more: &str, launchers: &[&str]| {
            let checked = check(&manifest(launchers), &scenario(more).application);
            checked.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(told("", &["Main"]), "");
        assert!(told("", &[]).contains("shows no activity of it: name the activity"));
        assert!(told("", &["Main", "Third"]).contains("shows org.x.Main, org.x.Third"));
        assert_eq!(told("start = 'activity'\nactivity = '.Third'", &["Main", "Second"]), "");
        assert_eq!(told("start = 'command'", &[]), "");
        let other = told("start = 'activity'\nactivity = '.Thrid'", &["Main"]);
        assert!(other.ends_with("does not have; did you mean \"org.x.Third\"?"), "{other}");
    }

    #[test]
    fn another_application_is_refused() {
        let other = PackageManifest { package: "org.y".into(), ..manifest(&["Main"]) };
        let error = check(&other, &scenario("").application).unwrap_err().to_string();
        assert_eq!(error, "it is the package org.y, and `application.package` is \"org.x\"");
        let split = PackageManifest { is_split: true, ..manifest(&["Main"]) };
        assert!(check(&split, &scenario("").application).is_err());
    }

    #[test]
    fn the_manifest_says_what_the_scenario_does_not() {
        let (native, sha256) = (None, String::new());
        let of = |manifest| OwnPackage {
            file: "a.apk".into(),
            manifest,
            native: native.clone(),
            sha256: sha256.clone(),
        };
        let in_other_processes = ["A", "B", "C", "D"].map(|name| format!("org.x.{name}")).into();
        let package =
            of(PackageManifest { is_debuggable: true, in_other_processes, ..manifest(&["Main"]) });
        let application = package.complete(scenario("").application);
        assert_eq!(application.main.as_deref(), Some("org.x.Main"));
        assert_eq!((application.min_sdk, application.target_sdk), (14, 34));
        let told = package.remarks().join("\n");
        assert!(told.contains("a.apk is debuggable"), "{told}");
        assert!(told.contains("org.x.A, org.x.B, org.x.C and 1 more"), "{told}");
        assert!(!package.can_be_sampled() || !told.contains("not profileable"), "{told}");
        let told = of(manifest(&["Main"])).remarks().join("\n");
        assert!(told.contains("is not profileable"), "{told}");
        let command = of(manifest(&[])).complete(scenario("start = 'command'").application);
        assert_eq!(command.main, None);
    }
}
