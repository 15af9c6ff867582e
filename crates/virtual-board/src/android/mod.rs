//! Android packages on the board: the signature and the manifest are read as Android reads
//! them, the rules of the board's release are enforced, DEX is translated to classes, and
//! those run in a JVM with a framework of the board's own.
//!
//! To add a class to the framework: its Java file in `framework/` and its line in
//! [`built`], with the API level where some boards are older. What is not there is refused by name
//! when a package is installed.

mod built;
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
use built::Built;
pub(super) use facts::{InstallerFacts, Instrumentation};
use install_error::AndroidError;
pub(super) use install_error::InstallError;
use installer::Installer;
pub(super) use package_name::is_package_name;
pub use package_name::package_name_fault;
pub(super) use rules::Flags;
pub use rules::least_target_sdk;

/// Brings the jars that read packages: apksig, dex2jar with all its parts, and ASM with all
/// of its own; or says why it can't.
pub type FetchAndroid = fn() -> Result<Vec<PathBuf>, String>;

/// The jar of the classes of Android that the newest boards have, for whoever runs an application
/// in them without a board; it wants a class `wattline.simulated energy model.Meter` with a clock
/// beside it.
///
/// # Errors
/// There is no JDK, or the user's cache can't be written.
pub fn android_framework() -> Result<PathBuf, SimulatedModelError> {
    built::framework(u32::MAX, &simulated_model::cache_dir(&AgentOptions::default()))
}

/// The packages that are installed, and what installs more.
pub(super) struct InstalledPackages {
    fetch: Option<FetchAndroid>,
    /// Whether jars are taken, too.
    pub jars: bool,
    cache: PathBuf,
    /// Translated classes, by the hash of their package.
    scratch: PathBuf,
    /// Started with the first package.
    service: Mutex<Option<(Built, Installer)>>,
    installed: Mutex<BTreeMap<String, Installed>>,
}

/// An installed package.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    /// What its manifest and its signature say.
    pub facts: InstallerFacts,
    /// Its classes and resources, for a JVM.
    pub classes: PathBuf,
    /// The classes of the framework.
    pub framework: PathBuf,
    /// How it is compiled before it is started.
    pub filter: &'static str,
}

/// How a package is compiled when it is installed: not at all.
const VERIFIED: &str = "verify";

impl Installed {
    /// Whether its code is compiled before it is started.
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

    /// The installed package of that name.
    pub(super) fn find(&self, name: &str) -> Option<Installed> {
        lock(&self.installed).get(name).cloned()
    }

    /// Compiles a package from its next start on; whether there is one.
    pub(super) fn compile(&self, name: &str, filter: &'static str) -> bool {
        let mut installed = lock(&self.installed);
        installed.get_mut(name).map(|package| package.filter = filter).is_some()
    }

    /// How each package is compiled.
    pub(super) fn filters(&self) -> Vec<(String, &'static str)> {
        let installed = lock(&self.installed);
        installed.iter().map(|(name, package)| (name.clone(), package.filter)).collect()
    }

    /// Forgets a package.
    pub(super) fn remove(&self, name: &str) {
        lock(&self.installed).remove(name);
    }

    /// Checks a package, makes what runs of it, and returns its name. The caller puts its
    /// file in place, then has it [`keep`](Self::keep).
    pub(super) fn check(
        &self,
        apk: &Path,
        sdk: u32,
        flags: Flags,
    ) -> Result<Installed, InstallError> {
        let mut service = lock(&self.service);
        if service.is_none() {
            *service = Some(self.start(sdk)?);
        }
        let Some((built, installer)) = service.as_mut() else {
            return Err(AndroidError::None.into());
        };
        let mut facts = InstallerFacts::parse(&installer.manifest(apk)?)?;
        // Older releases know fewer signatures: what is not for them is refused for its level.
        rules::admit_manifest(&facts, sdk, flags)?;
        facts.add(&installer.signature(apk, sdk)?)?;
        let before = self.find(&facts.package);
        rules::admit(&facts, sdk, before.as_ref().map(|installed| &installed.facts), flags)?;
        let classes = self.scratch.join(format!("package-{}.jar", hash_of(apk)?));
        if !classes.is_file() {
            installer.translate(apk, &classes, &built.framework)?;
            // The board's user reads it, whatever the mask of this process.
            fs::set_permissions(&classes, fs::Permissions::from_mode(0o644))?;
        }
        Ok(Installed { facts, classes, framework: built.framework.clone(), filter: VERIFIED })
    }

    /// Knows a package from now on.
    pub(super) fn keep(&self, package: Installed) {
        lock(&self.installed).insert(package.facts.package.clone(), package);
    }

    fn start(&self, sdk: u32) -> Result<(Built, Installer), AndroidError> {
        let fetch = self.fetch.ok_or(AndroidError::None)?;
        let libraries = fetch().map_err(AndroidError::NotFetched)?;
        let built = built::build(&libraries, sdk, &self.cache)?;
        let installer = Installer::start(&built.installer, &libraries)?;
        Ok((built, installer))
    }
}

fn hash_of(file: &Path) -> io::Result<String> {
    let digest = Sha256::digest(fs::read(file)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
