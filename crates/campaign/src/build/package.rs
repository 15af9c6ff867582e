//! Signed Android packages, started by an instrumentation, from the classes of a variant.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::apk::{self, Manifest};
use crate::private_files::TemporaryFolder;
use crate::scenario::{Scenario, StartKind};
use crate::toolchain::android::{self, Packager};
use crate::toolchain::{Jdk, ToolchainError, jar};

use super::BuildError;
use super::on_android::{self, check_activity, own_package_metadata, runner_facts};
use super::own_package::{OLDEST_API_LEVEL, bad_package, read_package};
use super::variant::Classes;

pub use super::on_android::RUNNER_CLASS;

/// A signed package with its numbers of classes and resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltPackage {
    /// The signed archive.
    pub bytes: Vec<u8>,
    /// Names of the DEX files with their sizes in bytes.
    pub dex: BTreeMap<String, usize>,
    /// Number of classes in the DEX files.
    pub classes: usize,
    /// Number of other entries without manifest and signature.
    pub resources: usize,
}

/// Builder of the packages of one application.
pub struct PackageBuilder {
    packager: Packager,
    runner: Classes,
    folder: TemporaryFolder,
}

impl PackageBuilder {
    /// Starts D8 and the signer; the first use on a machine fetches them.
    ///
    /// # Errors
    /// A tool that can't be fetched or started.
    pub fn new(jdk: &Jdk) -> Result<PackageBuilder, BuildError> {
        let folder =
            TemporaryFolder::new("package").map_err(BuildError::io(std::env::temp_dir()))?;
        let platform = android::platform_jar()?;
        let folder_of_runner = folder.path().join("runner");
        let runner = on_android::compile_runner(jdk, &platform, &[], 8, &folder_of_runner)?;
        Ok(PackageBuilder { packager: Packager::start(jdk, &platform)?, runner, folder })
    }

    /// Builds the package of a variant's class files; `probes` is the class that they call, if any.
    /// The same entries give the same bytes.
    ///
    /// # Errors
    /// D8 or the signer refuses the classes; an activity that does not exist.
    pub fn build(
        &mut self,
        scenario: &Scenario,
        mut entries: Classes,
        probes: Option<&str>,
    ) -> Result<BuiltPackage, BuildError> {
        if scenario.application.preview {
            return Err(BuildError::PreviewOnAndroid);
        }
        // Android reads the entries for all releases alone.
        entries.retain(|name, _| !name.starts_with(jar::VERSIONS_FOLDER));
        check_activity(scenario, &entries)?;
        jar::check_names(entries.keys())?;
        entries.extend(self.runner.clone());
        let is_class = |name: &str| name.ends_with(".class");
        let (classes, mut content): (Classes, Classes) =
            entries.into_iter().partition(|(name, _)| is_class(name));
        let resources = content.len();
        let code = self.dex(&classes, scenario.application.min_sdk)?;
        let dex = code.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect();
        content.extend(code);
        content.insert("AndroidManifest.xml".into(), manifest(scenario, probes));
        let bytes = self.signed(&apk::pack_archive(&content), scenario.application.min_sdk)?;
        Ok(BuiltPackage { bytes, dex, classes: classes.len(), resources })
    }

    /// Builds a package from that of the user's own build, with the variant's classes in place of
    /// its own, signed with wattline's debug key; all else stays.
    ///
    /// # Errors
    /// D8 or the signer refuses the classes; a package that can't be read.
    pub fn build_from_own(
        &mut self,
        (package, scenario): (&Path, &Scenario),
        classes: &Classes,
        libraries: &[PathBuf],
    ) -> Result<BuiltPackage, BuildError> {
        let min_sdk = scenario.application.min_sdk;
        let whole = read_package(package)?;
        let is_class = |name: &str| name.ends_with(".class");
        let classes = classes.iter().filter(|(name, _)| is_class(name));
        let classes: Classes = classes.map(|(n, bytes)| (n.clone(), bytes.clone())).collect();
        let code = self.dex_files(&classes, |packager, jar, out| {
            packager.replace_classes(jar, (package, libraries), min_sdk, out)
        })?;
        let dex: BTreeMap<_, _> = code.iter().map(|(n, bytes)| (n.clone(), bytes.len())).collect();
        let unsigned = apk::replace_code(&whole, &code).map_err(bad_package(package))?;
        let resources = apk::entry_count(&unsigned).saturating_sub(dex.len() + 1);
        let bytes = self.signed(&unsigned, min_sdk)?;
        Ok(BuiltPackage { bytes, dex, classes: classes.len(), resources })
    }

    /// Builds the package of the instrumentation that starts the package of the user's own build;
    /// `probes` is the class that probes call, if any.
    ///
    /// # Errors
    /// D8 or the signer refuses the classes.
    pub fn build_runner(
        &mut self,
        scenario: &Scenario,
        probes: &str,
    ) -> Result<Vec<u8>, BuildError> {
        let application = &scenario.application;
        // So old that a device which is too old for the application says so of that.
        let min_sdk = OLDEST_API_LEVEL;
        let mut content = self.dex(&self.runner.clone(), min_sdk)?;
        let facts = own_package_metadata(scenario, probes);
        let manifest = Manifest {
            package: &runner_package(&application.package),
            label: &scenario.name,
            min_sdk,
            target_sdk: application.target_sdk,
            runner: RUNNER_CLASS,
            target: &application.package,
            activity: None,
            facts: facts.iter().map(|(name, value)| (*name, value.as_str())).collect(),
        };
        content.insert("AndroidManifest.xml".into(), manifest.to_bytes());
        self.signed(&apk::pack_archive(&content), min_sdk)
    }

    fn dex(&mut self, classes: &Classes, min_sdk: u32) -> Result<Classes, BuildError> {
        self.dex_files(classes, |packager, jar, out| packager.compile_dex(jar, min_sdk, out))
    }

    /// The DEX files compiled from a jar of the classes.
    fn dex_files(
        &mut self,
        classes: &Classes,
        make: impl FnOnce(&mut Packager, &Path, &Path) -> Result<(), ToolchainError>,
    ) -> Result<Classes, BuildError> {
        let (jar, out) = (self.folder.path().join("classes.jar"), self.folder.path().join("dex"));
        fs::write(&jar, jar::pack(&[], classes)).map_err(BuildError::io(&jar))?;
        fs::create_dir(&out).map_err(BuildError::io(&out))?;
        make(&mut self.packager, &jar, &out)?;
        let code = jar::read_folder(&out)?;
        fs::remove_dir_all(&out).map_err(BuildError::io(&out))?;
        Ok(code)
    }

    fn signed(&mut self, archive: &[u8], min_sdk: u32) -> Result<Vec<u8>, BuildError> {
        let [unsigned, signed] = ["unsigned.apk", "signed.apk"].map(|n| self.folder.path().join(n));
        fs::write(&unsigned, archive).map_err(BuildError::io(&unsigned))?;
        self.packager.sign(&unsigned, min_sdk, &signed)?;
        fs::read(&signed).map_err(BuildError::io(&signed))
    }
}

/// Package name of the instrumentation that starts the package `package`.
pub fn runner_package(package: &str) -> String {
    format!("{package}.wattline")
}

fn manifest(scenario: &Scenario, probes: Option<&str>) -> Vec<u8> {
    let application = &scenario.application;
    let facts = runner_facts(scenario, probes);
    let is_activity = application.start == StartKind::Activity;
    let manifest = Manifest {
        package: &application.package,
        label: &scenario.name,
        min_sdk: application.min_sdk,
        target_sdk: application.target_sdk,
        runner: RUNNER_CLASS,
        target: &application.package,
        activity: application.main.as_deref().filter(|_| is_activity),
        facts: facts.iter().map(|(name, value)| (*name, value.as_str())).collect(),
    };
    manifest.to_bytes()
}
