//! Builds the framework and the reader of packages from their Java sources, on first use.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::silicon::{SiliconError, compile};

/// What applications find of Android's classes, and what starts them.
const FRAMEWORK: [(&str, &str); 22] = [
    ("Activity.java", include_str!("framework/Activity.java")),
    ("Application.java", include_str!("framework/Application.java")),
    ("Board.java", include_str!("framework/Board.java")),
    ("BoardContext.java", include_str!("framework/BoardContext.java")),
    ("Bundle.java", include_str!("framework/Bundle.java")),
    ("ComponentName.java", include_str!("framework/ComponentName.java")),
    ("Context.java", include_str!("framework/Context.java")),
    ("ContextWrapper.java", include_str!("framework/ContextWrapper.java")),
    ("Handler.java", include_str!("framework/Handler.java")),
    ("Instrumentation.java", include_str!("framework/Instrumentation.java")),
    ("InstrumentationInfo.java", include_str!("framework/InstrumentationInfo.java")),
    ("Intent.java", include_str!("framework/Intent.java")),
    ("Log.java", include_str!("framework/Log.java")),
    ("Looper.java", include_str!("framework/Looper.java")),
    ("Message.java", include_str!("framework/Message.java")),
    ("MessageQueue.java", include_str!("framework/MessageQueue.java")),
    ("PackageItemInfo.java", include_str!("framework/PackageItemInfo.java")),
    ("PackageManager.java", include_str!("framework/PackageManager.java")),
    ("PreferencesFile.java", include_str!("framework/PreferencesFile.java")),
    ("SharedPreferences.java", include_str!("framework/SharedPreferences.java")),
    ("SystemClock.java", include_str!("framework/SystemClock.java")),
    ("Zygote.java", include_str!("framework/Zygote.java")),
];

/// What reads packages.
const INSTALLER: [(&str, &str); 9] = [
    ("DexBlocks.java", include_str!("installer/DexBlocks.java")),
    ("DexPatterns.java", include_str!("installer/DexPatterns.java")),
    ("DexTranslator.java", include_str!("installer/DexTranslator.java")),
    ("Installer.java", include_str!("installer/Installer.java")),
    ("Manifest.java", include_str!("installer/Manifest.java")),
    ("References.java", include_str!("installer/References.java")),
    ("Refused.java", include_str!("installer/Refused.java")),
    ("Signature.java", include_str!("installer/Signature.java")),
    ("Translation.java", include_str!("installer/Translation.java")),
];

/// The two, built.
pub(super) struct Built {
    pub framework: PathBuf,
    pub installer: PathBuf,
}

/// The jars of these sources, in the cache; they are made if they are not there. Made
/// beside their place and renamed, so that they are never half.
pub(super) fn build(libraries: &[PathBuf], cache: &Path) -> Result<Built, SiliconError> {
    let place = cache.join(format!("android-{}", key()));
    let jars = |place: &Path| Built {
        framework: place.join("framework.jar"),
        installer: place.join("installer.jar"),
    };
    if place.is_dir() {
        return Ok(jars(&place));
    }
    fs::create_dir_all(cache).map_err(SiliconError::file(cache))?;
    let work = tempfile::tempdir_in(cache).map_err(SiliconError::file(cache))?;
    let manifest = work.path().join("manifest.txt");
    fs::write(&manifest, "").map_err(SiliconError::file(&manifest))?;
    compile(work.path(), "framework", &FRAMEWORK, &[])?;
    compile(work.path(), "installer", &INSTALLER, libraries)?;
    let made = work.keep();
    match fs::rename(&made, &place) {
        Ok(()) => Ok(jars(&place)),
        Err(_) if place.is_dir() => {
            // Another process was faster.
            fs::remove_dir_all(&made).map_err(SiliconError::file(&made))?;
            Ok(jars(&place))
        }
        Err(source) => Err(SiliconError::File { path: place, source }),
    }
}

/// Names the build: its sources.
fn key() -> String {
    let mut hash = Sha256::new();
    for (name, source) in FRAMEWORK.iter().chain(&INSTALLER) {
        hash.update(name);
        hash.update(source);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
