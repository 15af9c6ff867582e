//! Android packages on the board: the signature and the manifest are read as Android reads them,
//! the rules of the board's release are enforced, DEX is translated to classes, and those run in a
//! JVM with a framework of the board's own.
//!
//! To add a class to the framework: its Java file in `framework/` and its line in
//! [`built_jars`], with the API level where some boards are older. What is not there is refused by name
//! when a package is installed.

mod built_jars;
mod facts;
mod install_error;
mod installer;
mod package_name;
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use sha2::{Digest, Sha256};

use crate::simulated_model::{self, AgentOptions, SimulatedModelError};
use built_jars::BuiltJars;
pub(super) use facts::{DeclaredInstrumentation, PackageFacts};
use install_error::AndroidError;
pub(super) use install_error::InstallError;
use installer::InstallerProcess;
pub(super) use package_name::is_package_name;
pub use package_name::package_name_fault;
pub(super) use rules::InstallFlags;
pub use rules::least_target_sdk;

/// Function that brings the jars that read packages (apksig, dex2jar with all its parts, and ASM
/// with all of its own), or returns why it cannot.
pub type FetchAndroid = fn() -> Result<Vec<PathBuf>, String>;

/// Path of the jar with the Android classes of the newest boards, for running an application
/// without a board. The caller puts a class `wattline.simulation.Meter` with a clock beside it.
///
/// # Errors
/// There is no JDK, or the user's cache can't be written.
pub fn android_framework() -> Result<PathBuf, SimulatedModelError> {
    built_jars::framework_jar(u32::MAX, &simulated_model::cache_dir(&AgentOptions::default()))
}

/// Installed Android packages, and the installer that adds more.
pub(super) struct InstalledPackages {
    fetch: Option<FetchAndroid>,
    /// Whether jars can be installed, too.
    pub jars: bool,
    cache: PathBuf,
    /// Folder of translated classes, named by the hash of their package.
    scratch: PathBuf,
    /// Framework jar and installer process, started with the first package.
    service: Mutex<Option<(BuiltJars, InstallerProcess)>>,
    installed: Mutex<BTreeMap<String, TranslatedPackage>>,
}

/// Installed Android package with its translated classes.
#[derive(Debug, Clone)]
pub(super) struct TranslatedPackage {
    /// Facts of the manifest and the signature.
    pub facts: PackageFacts,
    /// Jar of the package's classes and resources, for a JVM.
    pub classes: PathBuf,
    /// Jar of the framework's classes.
    pub framework: PathBuf,
    /// ART compiler filter with which the package is compiled before it starts.
    pub filter: &'static str,
}

/// Compiler filter of a package after installation: nothing is compiled.
const INITIAL_FILTER: &str = "verify";

impl TranslatedPackage {
    /// Whether the package's code is compiled before it starts.
    pub(super) fn is_compiled_ahead(&self) -> bool {
        ["speed", "everything"].contains(&self.filter)
    }
}

impl InstalledPackages {
    pub(super) fn new(
        fetch: Option<FetchAndroid>,
        jars: bool,
        cache: PathBuf,
        scratch: PathBuf,
    ) -> Self {
        let (service, installed) = Default::default();
        Self { fetch, jars, cache, scratch, service, installed }
    }

    /// Installed package of this name.
    pub(super) fn find(&self, name: &str) -> Option<TranslatedPackage> {
        lock(&self.installed).get(name).cloned()
    }

    /// Sets the compiler filter of a package from its next start on; false if there is no such
    /// package.
    pub(super) fn set_compiler_filter(&self, name: &str, filter: &'static str) -> bool {
        let mut installed = lock(&self.installed);
        installed.get_mut(name).map(|package| package.filter = filter).is_some()
    }

    /// Names of the packages with their compiler filters.
    pub(super) fn compiler_filters(&self) -> Vec<(String, &'static str)> {
        let installed = lock(&self.installed);
        installed.iter().map(|(name, package)| (name.clone(), package.filter)).collect()
    }

    /// Removes a package from the installed ones.
    pub(super) fn remove(&self, name: &str) {
        lock(&self.installed).remove(name);
    }

    /// Reads and checks a package and translates its classes. The caller puts its file in place,
    /// then adds the result with [`insert`](Self::insert).
    pub(super) fn prepare(
        &self,
        apk: &Path,
        sdk: u32,
        flags: InstallFlags,
    ) -> Result<TranslatedPackage, InstallError> {
        let mut service = lock(&self.service);
        if service.is_none() {
            *service = Some(self.start_installer(sdk)?);
        }
        let Some((built, installer)) = service.as_mut() else {
            return Err(AndroidError::None.into());
        };
        let mut facts = PackageFacts::parse(&installer.read_manifest(apk)?)?;
        // Older releases know fewer signatures: what is not for them is refused for its level.
        rules::check_manifest(&facts, sdk, flags)?;
        facts.add(&installer.read_signature(apk, sdk)?)?;
        let before = self.find(&facts.package);
        rules::check_signature_and_update(
            &facts,
            sdk,
            before.as_ref().map(|installed| &installed.facts),
            flags,
        )?;
        let classes = self.scratch.join(format!("package-{}.jar", hash_of(apk)?));
        if !classes.is_file() {
            installer.translate(apk, &classes, &built.framework)?;
            // The board's user reads it, whatever the mask of this process.
            fs::set_permissions(&classes, fs::Permissions::from_mode(0o644))?;
        }
        Ok(TranslatedPackage {
            facts,
            classes,
            framework: built.framework.clone(),
            filter: INITIAL_FILTER,
        })
    }

    /// Adds a package to the installed ones.
    pub(super) fn insert(&self, package: TranslatedPackage) {
        lock(&self.installed).insert(package.facts.package.clone(), package);
    }

    /// Fetches the libraries, builds the jars and starts the installer for an API level.
    fn start_installer(&self, sdk: u32) -> Result<(BuiltJars, InstallerProcess), AndroidError> {
        let fetch = self.fetch.ok_or(AndroidError::None)?;
        let libraries = fetch().map_err(AndroidError::NotFetched)?;
        let built = built_jars::build_jars(&libraries, sdk, &self.cache)?;
        let installer = InstallerProcess::start(&built.installer, &libraries)?;
        Ok((built, installer))
    }
}

/// SHA-256 of a file in hexadecimal digits.
fn hash_of(file: &Path) -> io::Result<String> {
    let digest = Sha256::digest(fs::read(file)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
