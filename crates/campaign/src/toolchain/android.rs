//! Tools that build Android packages: D8 and the signer, fetched by name and hash, the platform's
//! classes, and a debug key.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::private_files;

use super::agent_session::random_token;
use super::artifact::fetch;
use super::jdk::find_tool;
use super::warm_jvm::WarmJvm;
use super::{Jdk, ToolchainError, UTF8_LOCALE, asm};

const SERVER: (&str, &str) = ("PackageServer", include_str!("java/PackageServer.java"));
const D8: (&str, &str) = (
    "com.android.tools:r8:9.5.28",
    "38a9ffaaebbd17d1514e3ecbff5a85b989bb13c551b9e224c7409514eea84ff5",
);
const SIGNER: (&str, &str) = (
    "com.android.tools.build:apksig:4.0.1",
    "a41dc0674a27c39cf1c32aa405e7e52245afa5da9edbcd63db6f209a98202645",
);
/// Classes of Android 4.1, enough for the runner; an installed SDK's platform is preferred.
const PLATFORM: (&str, &str) = (
    "com.google.android:android:4.1.1.4",
    "84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb",
);
/// Jars of the translator from DEX to class files, for virtual boards that run a JVM.
const DEX_TRANSLATOR: [(&str, &str); 6] = [
    (
        "de.femtopedia.dex2jar:dex-translator:2.4.24",
        "d54bf195ae04defd4a6cc401bf58644d34ce29c700b953a5f00f7f1d7b03da55",
    ),
    (
        "de.femtopedia.dex2jar:dex-ir:2.4.24",
        "e700750b790658fab0d5c782f68a1fbdc587ef8a29f8b32c816bf925d2945900",
    ),
    (
        "de.femtopedia.dex2jar:dex-reader:2.4.24",
        "4a1f0b119ee853fdbb2b9e57cc10738ac906d111a8b6b0234da78f48dceb1ab2",
    ),
    (
        "de.femtopedia.dex2jar:dex-reader-api:2.4.24",
        "809bcd19dcacd699ba0482c274d320b69d2e147109875b8c557729aae593c4ac",
    ),
    (
        "de.femtopedia.dex2jar:d2j-base-cmd:2.4.24",
        "9e976059a894ef840fa0032e9eb93ea6cafad2f1a986989fa0c5ea71bbd9149d",
    ),
    (
        "de.femtopedia.dex2jar:d2j-external:2.4.24",
        "3d502542727ac1696eebfbf0b6dbda538ba9a5822af2bf4bbe0b602ef02c0a10",
    ),
];

/// The `android.jar` that packages are compiled against: that of the newest platform in
/// `$ANDROID_HOME` (or `$ANDROID_SDK_ROOT`), else that of Android 4.1.
///
/// # Errors
/// Maven can't fetch a jar that is not in the cache.
pub fn platform_jar() -> Result<PathBuf, ToolchainError> {
    let homes = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].into_iter().filter_map(env::var_os);
    let installed = homes.filter_map(|home| newest_platform(&Path::new(&home).join("platforms")));
    match installed.into_iter().next() {
        Some(jar) => Ok(jar),
        None => fetch(PLATFORM.0, PLATFORM.1),
    }
}

/// The jars with which virtual boards read packages and translate DEX to class files.
///
/// # Errors
/// Maven can't fetch a jar that is not in the cache.
pub fn package_reader_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    let fetched = [SIGNER].iter().chain(&DEX_TRANSLATOR).map(|(name, hash)| fetch(name, hash));
    let mut jars = fetched.collect::<Result<Vec<_>, _>>()?;
    jars.extend(asm::all_jars()?);
    Ok(jars)
}

/// The jars that read the instructions of class files and DEX files.
///
/// # Errors
/// Maven can't fetch a jar that is not in the cache.
pub(super) fn code_reader_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    let readers = DEX_TRANSLATOR.iter().filter(|(name, _)| name.contains(":dex-reader"));
    let mut jars = readers.map(|(name, hash)| fetch(name, hash)).collect::<Result<Vec<_>, _>>()?;
    jars.extend(asm::all_jars()?);
    Ok(jars)
}

/// All jars with which packages are built and read, in the cache.
///
/// # Errors
/// Maven can't fetch a jar that is not in the cache.
pub fn fetch_all_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    let mut jars = vec![fetch(D8.0, D8.1)?, platform_jar()?];
    jars.extend(package_reader_jars()?);
    Ok(jars)
}

/// The `android.jar` of the folder `android-N` with the highest N.
fn newest_platform(platforms: &Path) -> Option<PathBuf> {
    let folders = fs::read_dir(platforms).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let level = |folder: &Path| -> Option<u32> {
        folder.file_name()?.to_str()?.strip_prefix("android-")?.parse().ok()
    };
    let with_jar = folders.filter(|folder| folder.join("android.jar").is_file());
    let newest = with_jar.filter(|folder| level(folder).is_some()).max_by_key(|f| level(f))?;
    Some(newest.join("android.jar"))
}

/// The release of Android that D8 compiles for when it is first run, 5.0: any one would do.
const FIRST_SDK: u32 = 21;

/// Running processes of D8 and of the signer, with the debug key.
#[derive(Debug)]
pub struct Packager {
    process: WarmJvm,
    platform: PathBuf,
    key: DebugKey,
}

impl Packager {
    /// Takes idle processes, or starts new ones; the first use on a machine fetches the tools and
    /// creates a key.
    ///
    /// # Errors
    /// Maven can't fetch what is not in the cache; no JDK; a cache that can't be written.
    pub fn start(jdk: &Jdk, platform: &Path) -> Result<Packager, ToolchainError> {
        let tools = [fetch(D8.0, D8.1)?, fetch(SIGNER.0, SIGNER.1)?];
        let key = DebugKey::get()?;
        let first = |_: &Path, jar: &Path, to: &Path| {
            let paths = [to, jar].map(|path| path.display().to_string());
            ["dex".to_owned(), FIRST_SDK.to_string()].into_iter().chain(paths).collect()
        };
        let process = WarmJvm::start(jdk, SERVER, &tools, first)?;
        Ok(Packager { process, platform: platform.to_path_buf(), key })
    }

    /// Compiles the classes of a jar to `classes.dex`, `classes2.dex`, ... in the folder `out`,
    /// with line numbers. A class compiled before among classes of the same names is not compiled
    /// again.
    ///
    /// # Errors
    /// D8 refuses the classes; the error has D8's message.
    pub fn compile_dex(
        &mut self,
        jar: &Path,
        min_sdk: u32,
        out: &Path,
    ) -> Result<(), ToolchainError> {
        let paths = [out, jar, &self.platform].map(|path| path.display().to_string());
        let request = ["dex".to_string(), min_sdk.to_string()].into_iter().chain(paths);
        self.ask("D8", &request.collect::<Vec<_>>()).map_err(add_release_remedy)
    }

    /// Writes a package with the classes of a jar in place of its own of these names; its other
    /// classes stay. `libraries` are the class path that the new classes were compiled against.
    ///
    /// # Errors
    /// D8 refuses the classes, with D8's message; a class that the package does not have.
    pub fn replace_classes(
        &mut self,
        jar: &Path,
        (package, libraries): (&Path, &[PathBuf]),
        min_sdk: u32,
        out: &Path,
    ) -> Result<(), ToolchainError> {
        let paths = [out, jar, package, &self.platform].into_iter();
        let paths = paths.chain(libraries.iter().map(PathBuf::as_path));
        let paths = paths.map(|path| path.display().to_string());
        let request = ["replace".to_string(), min_sdk.to_string()].into_iter().chain(paths);
        self.ask("D8", &request.collect::<Vec<_>>()).map_err(add_release_remedy)
    }

    /// Signs a package with all signature schemes of Android releases from `min_sdk` on.
    ///
    /// # Errors
    /// The signer refuses the package; the error has the signer's message.
    pub fn sign(
        &mut self,
        unsigned: &Path,
        min_sdk: u32,
        signed: &Path,
    ) -> Result<(), ToolchainError> {
        let paths = [unsigned, signed, &self.key.store].map(|path| path.display().to_string());
        let request = ["sign".to_string(), min_sdk.to_string()].into_iter().chain(paths);
        self.ask("apksig", &request.chain([self.key.password.clone()]).collect::<Vec<_>>())
    }

    fn ask(&mut self, program: &'static str, request: &[String]) -> Result<(), ToolchainError> {
        match self.process.ask(request) {
            Ok((0, _)) => Ok(()),
            Ok((_, said)) => {
                Err(ToolchainError::Refused { program, message: said.trim_end().to_string() })
            }
            Err(error) => Err(ToolchainError::Process { program, message: error.to_string() }),
        }
    }
}

/// Adds a remedy to D8's error for class files newer than this D8 reads.
fn add_release_remedy(error: ToolchainError) -> ToolchainError {
    match error {
        ToolchainError::Refused { program, message } if message.contains("class file major") => {
            let remedy = "set `java_release` in [application] to an older release of Java";
            ToolchainError::Refused { program, message: format!("{message}; {remedy}") }
        }
        ToolchainError::Refused { program, message } if message.contains(" has no class ") => {
            let remedy = "a build that renames classes can't be measured: turn minification off \
                          for it (`minifyEnabled false`)";
            ToolchainError::Refused { program, message: format!("{message}; {remedy}") }
        }
        other => other,
    }
}

/// The key that signs packages, created once: a device updates an installed package only if both
/// have the same key. Folder and files are readable by the user alone, since a holder of the key
/// can replace the packages that this user installed on devices; the password protects a stray copy
/// of the key store.
#[derive(Debug)]
struct DebugKey {
    store: PathBuf,
    password: String,
}

impl DebugKey {
    const STORE: &str = "key.p12";
    const PASSWORD: &str = "password";

    /// The key in the user's cache, created if absent.
    fn get() -> Result<DebugKey, ToolchainError> {
        let cache = private_files::cache_folder()?;
        let place = cache.join("debug-key");
        if !place.exists() {
            let work = private_files::unfinished_folder(&cache)
                .map_err(ToolchainError::io("create", &cache))?;
            let made = work.path().join("debug-key");
            DebugKey::make(&made)?;
            // Of two that make one, the first wins.
            match fs::rename(&made, &place) {
                Err(error) if !place.exists() => {
                    return Err(ToolchainError::io("create", &place)(error));
                }
                _ => {}
            }
        }
        DebugKey::read(&place)
    }

    fn read(place: &Path) -> Result<DebugKey, ToolchainError> {
        private_files::check_folder(place)?;
        let password = place.join(DebugKey::PASSWORD);
        let text = fs::read_to_string(&password).map_err(ToolchainError::io("read", &password))?;
        Ok(DebugKey { store: place.join(DebugKey::STORE), password: text.trim().to_string() })
    }

    /// Creates key store and password in a new folder.
    fn make(folder: &Path) -> Result<(), ToolchainError> {
        private_files::make_folder(folder)?;
        let [store, password] = [DebugKey::STORE, DebugKey::PASSWORD].map(|name| folder.join(name));
        private_files::write_file(&password, random_token()?.as_bytes())
            .map_err(ToolchainError::io("write", &password))?;
        let keytool = find_tool("keytool")?;
        // The password is not an argument: those of all processes can be read.
        let output = Command::new(&keytool)
            .args(["-genkeypair", "-alias", "wattline", "-keyalg", "RSA", "-keysize", "2048"])
            .args(["-validity", "10950", "-dname", "CN=wattline debug", "-storetype", "PKCS12"])
            .arg("-storepass:file")
            .arg(&password)
            .arg("-keystore")
            .arg(&store)
            .envs(UTF8_LOCALE)
            .output()
            .map_err(ToolchainError::io("start", &keytool))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stdout).trim().to_string();
            return Err(ToolchainError::Refused { program: "keytool", message });
        }
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&store, private).map_err(ToolchainError::io("write", &store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debug_key_is_for_its_user_alone_and_has_a_password_of_its_own() {
        let Ok(keytool) = find_tool("keytool") else {
            return crate::skip::because("no JDK");
        };
        let cache = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let place = cache.path().join(name);
            DebugKey::make(&place).unwrap();
            DebugKey::read(&place).unwrap()
        });
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let place = cache.path().join("one");
        assert_eq!(mode(&place), 0o700);
        assert_eq!([&one.store, &place.join(DebugKey::PASSWORD)].map(|f| mode(f)), [0o600; 2]);
        assert_ne!(one.password, other.password);
        for (password, opens) in [(one.password.as_str(), true), ("wattline", false)] {
            let mut list = Command::new(&keytool);
            list.args(["-list", "-storepass", password, "-keystore"]).arg(&one.store);
            assert_eq!(list.output().unwrap().status.success(), opens, "{password}");
        }
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(DebugKey::read(&place).is_err(), "others may have put theirs in its place");
    }

    #[test]
    fn the_newest_platform_with_classes_is_taken() {
        let home = tempfile::tempdir().unwrap();
        for (name, has_jar) in [("android-9", true), ("android-34", true), ("android-35", false)] {
            let folder = home.path().join(name);
            fs::create_dir(&folder).unwrap();
            if has_jar {
                fs::write(folder.join("android.jar"), "").unwrap();
            }
        }
        fs::create_dir(home.path().join("android-Baklava")).unwrap();
        let newest = newest_platform(home.path());
        assert_eq!(newest, Some(home.path().join("android-34/android.jar")));
        assert_eq!(newest_platform(&home.path().join("none")), None);
    }
}
