//! Builds the jars of the Android framework and of the package installer from their Java sources,
//! on first use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattline_private_files::built_folder;

use crate::simulated_model::{SimulatedModelError, build_key, compile_jar};

/// Java sources of the board's Android framework and of the class that starts applications.
const FRAMEWORK_SOURCES: [(&str, &str); 70] = [
    ("Activity.java", include_str!("framework/Activity.java")),
    ("ActivityNotFoundException.java", include_str!("framework/ActivityNotFoundException.java")),
    ("ActivityStack.java", include_str!("framework/ActivityStack.java")),
    ("Application.java", include_str!("framework/Application.java")),
    ("AttributeSet.java", include_str!("framework/AttributeSet.java")),
    ("Base64.java", include_str!("framework/Base64.java")),
    ("Binder.java", include_str!("framework/Binder.java")),
    ("Board.java", include_str!("framework/Board.java")),
    ("BoardContext.java", include_str!("framework/BoardContext.java")),
    ("Bundle.java", include_str!("framework/Bundle.java")),
    ("Button.java", include_str!("framework/Button.java")),
    ("Canvas.java", include_str!("framework/Canvas.java")),
    ("Choreographer.java", include_str!("framework/Choreographer.java")),
    ("Color.java", include_str!("framework/Color.java")),
    ("ComponentName.java", include_str!("framework/ComponentName.java")),
    ("Context.java", include_str!("framework/Context.java")),
    ("ContextWrapper.java", include_str!("framework/ContextWrapper.java")),
    ("Display.java", include_str!("framework/Display.java")),
    ("DisplayMetrics.java", include_str!("framework/DisplayMetrics.java")),
    ("FrameLayout.java", include_str!("framework/FrameLayout.java")),
    ("Handler.java", include_str!("framework/Handler.java")),
    ("IBinder.java", include_str!("framework/IBinder.java")),
    ("InflateException.java", include_str!("framework/InflateException.java")),
    ("InputDevice.java", include_str!("framework/InputDevice.java")),
    ("InputEvent.java", include_str!("framework/InputEvent.java")),
    ("Instrumentation.java", include_str!("framework/Instrumentation.java")),
    ("InstrumentationInfo.java", include_str!("framework/InstrumentationInfo.java")),
    ("Intent.java", include_str!("framework/Intent.java")),
    ("KeyEvent.java", include_str!("framework/KeyEvent.java")),
    ("LayoutFile.java", include_str!("framework/LayoutFile.java")),
    ("LayoutInflater.java", include_str!("framework/LayoutInflater.java")),
    ("LinearLayout.java", include_str!("framework/LinearLayout.java")),
    ("Log.java", include_str!("framework/Log.java")),
    ("Looper.java", include_str!("framework/Looper.java")),
    ("Message.java", include_str!("framework/Message.java")),
    ("MessageQueue.java", include_str!("framework/MessageQueue.java")),
    ("MethodTracing.java", include_str!("framework/MethodTracing.java")),
    ("MotionEvent.java", include_str!("framework/MotionEvent.java")),
    ("PackageItemInfo.java", include_str!("framework/PackageItemInfo.java")),
    ("PackageManager.java", include_str!("framework/PackageManager.java")),
    ("Paint.java", include_str!("framework/Paint.java")),
    ("Parcel.java", include_str!("framework/Parcel.java")),
    ("Parcelable.java", include_str!("framework/Parcelable.java")),
    ("Path.java", include_str!("framework/Path.java")),
    ("Point.java", include_str!("framework/Point.java")),
    ("PointF.java", include_str!("framework/PointF.java")),
    ("PreferencesFile.java", include_str!("framework/PreferencesFile.java")),
    ("Process.java", include_str!("framework/Process.java")),
    ("Rect.java", include_str!("framework/Rect.java")),
    ("RectF.java", include_str!("framework/RectF.java")),
    ("ResourceTable.java", include_str!("framework/ResourceTable.java")),
    ("ResourceValue.java", include_str!("framework/ResourceValue.java")),
    ("Resources.java", include_str!("framework/Resources.java")),
    ("Screen.java", include_str!("framework/Screen.java")),
    ("Service.java", include_str!("framework/Service.java")),
    ("ServiceConnection.java", include_str!("framework/ServiceConnection.java")),
    ("Services.java", include_str!("framework/Services.java")),
    ("SharedPreferences.java", include_str!("framework/SharedPreferences.java")),
    ("StringPool.java", include_str!("framework/StringPool.java")),
    ("Surface.java", include_str!("framework/Surface.java")),
    ("SystemClock.java", include_str!("framework/SystemClock.java")),
    ("TextView.java", include_str!("framework/TextView.java")),
    ("Toast.java", include_str!("framework/Toast.java")),
    ("Touches.java", include_str!("framework/Touches.java")),
    ("View.java", include_str!("framework/View.java")),
    ("ViewGroup.java", include_str!("framework/ViewGroup.java")),
    ("ViewRoot.java", include_str!("framework/ViewRoot.java")),
    ("Window.java", include_str!("framework/Window.java")),
    ("WindowManager.java", include_str!("framework/WindowManager.java")),
    ("Zygote.java", include_str!("framework/Zygote.java")),
];

/// Framework sources that came with an API level or changed with it; the later of two with one name
/// counts.
const FRAMEWORK_SOURCES_BY_LEVEL: [(u32, (&str, &str)); 3] = [
    (1, ("Debug.java", include_str!("framework/Debug.java"))),
    (19, ("VMDebug.java", include_str!("framework/VMDebug.java"))),
    (21, ("Debug.java", include_str!("framework/Debug21.java"))),
];

/// Java sources of the program that reads packages.
const INSTALLER_SOURCES: [(&str, &str); 9] = [
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

/// Jars built from the program's own Java sources.
pub(super) struct BuiltJars {
    pub framework: PathBuf,
    pub installer: PathBuf,
}

/// Builds both jars into the cache; the framework is that of an API level.
pub(super) fn build_jars(
    libraries: &[PathBuf],
    level: u32,
    cache: &Path,
) -> Result<BuiltJars, SimulatedModelError> {
    let framework = framework_jar(level, cache)?;
    let installer = built_jar("installer", &INSTALLER_SOURCES, libraries, cache)?;
    Ok(BuiltJars { framework, installer })
}

/// Path of the framework's jar for an API level, built into the cache if needed.
pub(super) fn framework_jar(level: u32, cache: &Path) -> Result<PathBuf, SimulatedModelError> {
    let since = FRAMEWORK_SOURCES_BY_LEVEL
        .iter()
        .filter(|(since, _)| *since <= level)
        .map(|(_, source)| *source);
    let sources: BTreeMap<&str, &str> = FRAMEWORK_SOURCES.into_iter().chain(since).collect();
    let sources: Vec<(&str, &str)> = sources.into_iter().collect();
    built_jar("framework", &sources, &[], cache)
}

/// Path of a jar in the cache, built where it is missing or was changed.
fn built_jar(
    name: &str,
    sources: &[(&str, &str)],
    libraries: &[PathBuf],
    cache: &Path,
) -> Result<PathBuf, SimulatedModelError> {
    let key = build_key(&sources.iter().collect::<Vec<_>>(), libraries)?;
    let place = built_folder(cache, &format!("android-{name}-{key}"), |work| {
        let manifest = work.join("manifest.txt");
        fs::write(&manifest, "").map_err(SimulatedModelError::file(&manifest))?;
        compile_jar(work, name, sources, libraries)
    });
    Ok(place?.join(format!("{name}.jar")))
}
