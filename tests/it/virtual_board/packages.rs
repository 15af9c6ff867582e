//! Android packages on the virtual board: what `wattline package` makes is installed and runs,
//! and what Android refuses is refused in Android's words.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

use wattline::virtual_board::{AdbdGeneration, BoardFile, BoardOptions, Tools};

use super::adb::{Adb, has_tools, options};
use super::application::packed;
use crate::host::{BRIEF_JAVA, has, said};

#[allow(dead_code)] // the part of what reads such files
#[path = "../../../crates/campaign/src/apk/xml.rs"]
pub(super) mod xml;

use xml::{Element, Value};

pub(super) const PACKAGE: &str = "org.example.game";
pub(super) const RUNNER: &str = "org.example.game/org.wattline.runner.Runner";
const SCENARIO: &str = "name = \"game\"\n[application]\npackage = \"org.example.game\"\n\
    main = \"game.Main\"\njava_release = 17\nmin_sdk = 14\n[[source]]\npath = \"src\"\n\
    [[library]]\nmaven = \"com.google.android:android:4.1.1.4\"\nrole = \"provided\"\n\
    sha256 = \"84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb\"\n\
    [session]\nframes = 5\n[[input]]\nname = \"one\"\n";

/// What a test's manifest says; the rest is as `wattline package` writes it.
struct Says {
    version: u32,
    min_sdk: u32,
    target_sdk: u32,
    debuggable: bool,
    /// Whether it is said that the shell may profile it, and how.
    profileable: Option<bool>,
    test_only: bool,
    /// Whether it is said that the activity is exported, and how.
    exported: Option<bool>,
    /// What its instrumentation is.
    runner: &'static str,
}

impl Default for Says {
    fn default() -> Self {
        Self {
            version: 5,
            min_sdk: 14,
            target_sdk: 34,
            debuggable: false,
            profileable: None,
            test_only: false,
            exported: Some(true),
            runner: "org.wattline.runner.Runner",
        }
    }
}

impl Says {
    fn manifest(&self) -> Vec<u8> {
        let text = |text: &str| Value::Text(text.into());
        let name = ("name", 0x0101_0003);
        let sdk = Element::new("uses-sdk")
            .with_android_attribute(("minSdkVersion", 0x0101_020c), Value::Number(self.min_sdk))
            .with_android_attribute(
                ("targetSdkVersion", 0x0101_0270),
                Value::Number(self.target_sdk),
            );
        let mut activity = Element::new("activity").with_android_attribute(name, text(".Screen"));
        if let Some(exported) = self.exported {
            activity =
                activity.with_android_attribute(("exported", 0x0101_0010), Value::Flag(exported));
        }
        let action =
            Element::new("action").with_android_attribute(name, text("android.intent.action.MAIN"));
        let activity = activity.with_child(Element::new("intent-filter").with_child(action));
        let alias = Element::new("activity").with_android_attribute(name, text("game.Screen"));
        let alias = alias.with_android_attribute(("exported", 0x0101_0010), Value::Flag(true));
        let inner = Element::new("activity").with_android_attribute(name, text("game.Main"));
        let application = Element::new("application")
            .with_android_attribute(("debuggable", 0x0101_000f), Value::Flag(self.debuggable))
            .with_android_attribute(("testOnly", 0x0101_0272), Value::Flag(self.test_only));
        let mut application = application.with_child(activity).with_child(alias).with_child(inner);
        if let Some(shell) = self.profileable {
            let profileable = Element::new("profileable");
            application = application.with_child(
                profileable.with_android_attribute(("shell", 0x0101_0594), Value::Flag(shell)),
            );
        }
        let fact = Element::new("meta-data").with_android_attribute(name, text("wattline.main"));
        let fact = fact.with_android_attribute(("value", 0x0101_0024), text("game.Main"));
        let runner = Element::new("instrumentation")
            .with_android_attribute(name, text(self.runner))
            .with_android_attribute(("targetPackage", 0x0101_0021), text(PACKAGE))
            .with_child(fact);
        Element::new("manifest")
            .with_android_attribute(("versionCode", 0x0101_021b), Value::Number(self.version))
            .with_attribute("package", PACKAGE)
            .with_child(sdk)
            .with_child(application)
            .with_child(runner)
            .to_bytes()
    }
}

/// The package of the application, made once for all tests; none where a tool is out of reach.
static MADE: OnceLock<Option<Vec<u8>>> = OnceLock::new();

/// A folder with the application, its package, and keys to sign others with.
pub(super) struct Workshop {
    pub(super) folder: tempfile::TempDir,
}

/// A package that is not signed, the key, and the options of apksigner.
type Signing = (Vec<u8>, String, String);

/// As [`run`], of tools in Java that end after a second.
fn run_brief_java(words: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder).env("JAVA_TOOL_OPTIONS", BRIEF_JAVA.join(" "));
    command.output().unwrap()
}

fn run(words: &[&str], folder: &Path) -> Output {
    Command::new(words[0]).args(&words[1..]).current_dir(folder).output().unwrap()
}

impl Workshop {
    /// The package of `wattline package`; none, said aloud, where a tool is missing.
    pub(super) fn open() -> Option<Self> {
        if !has(&["keytool", "apksigner"]) {
            return None;
        }
        let workshop = Self::with_sources()?;
        let made = MADE.get_or_init(|| {
            let made = workshop.package("first", &["--probe", "count"]);
            made.then(|| fs::read(workshop.folder.path().join("first/application.apk")).unwrap())
        });
        fs::write(workshop.made(), made.as_ref()?).unwrap();
        Some(workshop)
    }

    /// The sources and the scenario alone, for packages that nobody signs but the program.
    pub(super) fn with_sources() -> Option<Self> {
        if !has_tools() || !has(&["javac"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
        fs::create_dir_all(folder.path().join("src/game")).unwrap();
        for file in ["package/Main.java", "virtual_board/app/game/Screen.java"] {
            let name = Path::new(file).file_name().unwrap();
            fs::copy(project.join(file), folder.path().join("src/game").join(name)).unwrap();
        }
        fs::write(folder.path().join("game.toml"), SCENARIO).unwrap();
        Some(Self { folder })
    }

    fn package(&self, out: &str, more: &[&str]) -> bool {
        self.package_of("game.toml", out, more)
    }

    /// Of another scenario in the folder; false, said aloud, where a tool is out of reach.
    pub(super) fn package_of(&self, scenario: &str, out: &str, more: &[&str]) -> bool {
        let wattline = env!("CARGO_BIN_EXE_wattline");
        let words = [&[wattline, "package", scenario, "--out", out], more].concat();
        let output = run(&words, self.folder.path());
        let text = said(&output);
        let is_out_of_reach =
            text.contains("Maven could not fetch") || text.contains("`mvn` is not on");
        if is_out_of_reach {
            crate::skip::because(&text);
            return false;
        }
        assert!(output.status.success(), "{text}");
        true
    }

    fn made(&self) -> PathBuf {
        self.folder.path().join("made.apk")
    }

    /// The package with another manifest, and more entries, not signed.
    pub(super) fn unsigned(&self, name: &str, manifest: &[u8], more: &[(&str, &[u8])]) -> PathBuf {
        let mut archive = zip::ZipArchive::new(fs::File::open(self.made()).unwrap()).unwrap();
        let mut entries: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            entries.insert(entry.name().unwrap().to_string(), bytes);
        }
        entries.retain(|name, _| !name.starts_with("META-INF/"));
        entries.insert("AndroidManifest.xml".into(), manifest.to_vec());
        entries.extend(more.iter().map(|(name, bytes)| ((*name).into(), bytes.to_vec())));
        let file = self.folder.path().join(format!("{name}.apk"));
        let mut writer = zip::ZipWriter::new(fs::File::create(&file).unwrap());
        for (name, bytes) in entries {
            let stored = zip::write::SimpleFileOptions::default();
            writer.start_file(name, stored).unwrap();
            writer.write_all(&bytes).unwrap();
        }
        writer.finish().unwrap();
        file
    }

    /// Signs a package in place with the key of that name, by these options of apksigner.
    pub(super) fn sign(&self, apk: PathBuf, key: &str, more: &[&str]) -> PathBuf {
        /// Packages that were signed, by what was signed and how: tests share them.
        static SIGNED: Mutex<BTreeMap<Signing, Vec<u8>>> = Mutex::new(BTreeMap::new());
        let signing = (fs::read(&apk).unwrap(), key.to_owned(), more.concat());
        if let Some(signed) = SIGNED.lock().unwrap().get(&signing) {
            fs::write(&apk, signed).unwrap();
            return apk;
        }
        let store = self.key(key);
        let store = store.to_str().unwrap();
        let words = ["apksigner", "sign", "--ks", store, "--ks-pass", "pass:password"];
        let words = [&words, more, &[apk.to_str().unwrap()]].concat();
        let signed = run_brief_java(&words, self.folder.path());
        assert!(signed.status.success(), "{}", said(&signed));
        SIGNED.lock().unwrap().insert(signing, fs::read(&apk).unwrap());
        apk
    }

    /// The store with the key of that name, which is made once for all tests.
    fn key(&self, name: &str) -> PathBuf {
        static KEYS: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
        let store = self.folder.path().join(format!("{name}.p12"));
        let mut keys = KEYS.lock().unwrap();
        let key = keys.entry(name.to_owned()).or_insert_with(|| {
            let words = "keytool -genkeypair -alias a -keyalg RSA -keysize 1024 -dname CN=a \
                         -storetype PKCS12 -storepass password -keystore";
            let words = words.split_whitespace().chain(store.to_str());
            let made = run_brief_java(&words.collect::<Vec<_>>(), self.folder.path());
            assert!(made.status.success(), "{}", said(&made));
            fs::read(&store).unwrap()
        });
        fs::write(&store, key).unwrap();
        store
    }

    /// The package as it is, by another key.
    fn signed_anew(&self) -> PathBuf {
        let archive = fs::File::open(self.made()).unwrap();
        let mut manifest = Vec::new();
        let mut archive = zip::ZipArchive::new(archive).unwrap();
        archive.by_name("AndroidManifest.xml").unwrap().read_to_end(&mut manifest).unwrap();
        let apk = self.unsigned("anew", &manifest, &[]);
        self.sign(apk, "other-key", &["--min-sdk-version", "14"])
    }

    fn signed(&self, name: &str, says: &Says) -> PathBuf {
        self.sign(self.unsigned(name, &says.manifest(), &[]), "key", &["--min-sdk-version", "14"])
    }
}

pub(super) fn board(kind: &str, truth: Option<&Path>) -> Adb {
    let board = BoardFile::built_in(kind).unwrap();
    Adb::of(BoardOptions { board, truth: truth.map(Into::into), ..options(AdbdGeneration::Modern) })
}

/// What installing says; nothing of a success.
pub(super) fn install(adb: &Adb, apk: &Path, flags: &str) -> String {
    let flags = flags.split_whitespace();
    let words: Vec<&str> = ["install"].into_iter().chain(flags).collect();
    let answer = adb.run(&[&words[..], &[apk.to_str().unwrap()]].concat());
    let both = answer.stdout + &answer.stderr;
    let failure = both.split_once("Failure [").or(both.split_once("failed to install"));
    match failure {
        None => {
            assert!(both.contains("Success"), "{both}");
            String::new()
        }
        Some((_, why)) => why.into(),
    }
}

#[test]
fn a_package_runs_by_its_instrumentation_and_its_energy_has_lines() {
    let Some(workshop) = Workshop::open() else { return };
    let truth = tempfile::tempdir().unwrap();
    let adb = board("odroid-xu-e", Some(truth.path()));
    assert_eq!(install(&adb, &workshop.made(), "-r"), "");
    assert_eq!(adb.shell("pm list packages"), format!("package:{PACKAGE}\n"));
    let run = |label: &str, rounds: &str| {
        adb.shell(&format!(
            "setprop wattline.session {label}; logcat -c; \
             am instrument -w -r -e rounds {rounds} {RUNNER}; logcat -d -v raw System.out:I *:S"
        ))
    };
    let whole = run("whole", "5");
    for line in [
        "INSTRUMENTATION_STATUS: wattline.file=wattline-counts-1.csv\n",
        "INSTRUMENTATION_RESULT: wattline.end=whole\nINSTRUMENTATION_CODE: -1\n",
        "CODE: -1\nwattline: begin\nwattline: end 10\n",
    ] {
        assert!(whole.contains(line), "{line}{whole}");
    }
    let counts: Vec<u64> =
        whole.lines().filter_map(|line| line.split_once(',')?.1.trim().parse().ok()).collect();
    assert!(counts.contains(&5), "{whole}");
    assert_eq!(run("whole", "5"), whole, "the same session twice");
    let lines = fs::read_to_string(truth.path().join("whole/lines.csv")).unwrap();
    let of_loop = lines.lines().find(|line| line.starts_with("game/Main.java,18,"));
    let joules: f64 =
        of_loop.unwrap_or_else(|| panic!("{lines}")).rsplit(',').next().unwrap().parse().unwrap();
    assert!(joules > 0.0, "{lines}");
    let failed = run("failed", "13");
    assert!(failed.contains("IllegalStateException: unlucky"), "{failed}");
    assert!(failed.contains("at game.Main.main(Main.java:22)"), "{failed}");
    assert!(failed.contains("INSTRUMENTATION_CODE: 0"), "{failed}");
    let none = adb.run(&["shell", "am instrument -w org.example.game/.None"]);
    assert!(none.stdout.contains("Unable to find instrumentation info"), "{}", none.stdout);
    assert!(none.stderr.contains("INSTRUMENTATION_FAILED: org.example.game"), "{}", none.stderr);
}

#[test]
fn packages_are_compiled_as_asked_until_they_are_installed_anew() {
    let Some(workshop) = Workshop::open() else { return };
    let adb = board("pixel", None);
    let filter = || {
        let said = adb.shell("dumpsys package dexopt");
        let status = said.split_once("[status=").map(|(_, rest)| rest.split(']').next().unwrap());
        status.map(str::to_owned)
    };
    let compile = |words: &str| adb.shell(&format!("cmd package compile {words} 2>&1; true"));
    assert_eq!(filter(), None);
    assert_eq!(install(&adb, &workshop.made(), "-r"), "");
    assert_eq!(filter().as_deref(), Some("verify"));
    assert_eq!(compile(&format!("-m speed -f {PACKAGE}")), "Success\n");
    assert_eq!(filter().as_deref(), Some("speed"));
    assert!(compile(&format!("-m fast -f {PACKAGE}")).contains("Invalid compile filter"));
    assert!(compile("-m speed -f org.example.none").contains("not found"));
    assert_eq!(install(&adb, &workshop.made(), "-r"), "");
    assert_eq!(filter().as_deref(), Some("verify"));
    let old = board("odroid-xu3", None);
    assert!(
        old.shell("cmd package compile -m speed -f x 2>&1; true").contains("usage"),
        "Android 4.4"
    );
}

#[test]
fn a_jar_is_refused_as_every_android_does() {
    if !has_tools() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(jar) = packed(folder.path(), "Frames.java", "org.wattline.frames") else { return };
    let adb = Adb::of(BoardOptions { jars: false, ..options(AdbdGeneration::Modern) });
    let said = install(&adb, &jar, "-r");
    // Where its readers can't be fetched it takes nothing.
    match said.contains("Maven") {
        true => crate::skip::because(said),
        false => assert!(said.starts_with("INSTALL_PARSE_FAILED_NOT_APK"), "{said}"),
    }
}

/// A zero on the left of each comparison, and a loop whose DEX is known.
const COUNTED: &str = "package game;\npublic class Main {\n  static String left(int x) {\n    \
    int zero = 0;\n    String said = \"\";\n    \
    if (zero < x) said += \"<\";\n    if (zero <= x) said += \"<=\";\n    \
    if (zero > x) said += \">\";\n    if (zero >= x) said += \">=\";\n    return said;\n  }\n  \
    static float turn(float sum, float factor, int turns) {\n    \
    for (int i = 0; i < turns; i++) {\n      sum = sum * factor - factor;\n    }\n    return sum;\n  }\n  \
    public static void main(String[] args) {\n    \
    System.out.println(\"wattline: begin\");\n    float sum = turn(2, 1.5f, 1000);\n    \
    System.out.println(left(-1) + \" \" + left(0) + \" \" + left(1));\n    \
    System.out.println(\"wattline: end\" + (sum > 0));\n  }\n}\n";

#[test]
fn dex_does_what_it_says_and_is_counted_by_its_instructions() {
    let Some(workshop) = Workshop::open() else { return };
    fs::write(workshop.folder.path().join("src/game/Main.java"), COUNTED).unwrap();
    assert!(workshop.package("counted", &[]));
    let truth = tempfile::tempdir().unwrap();
    let adb = board("odroid-xu-e", Some(truth.path()));
    let apk = workshop.folder.path().join("counted/application.apk");
    assert_eq!(install(&adb, &apk, "-r"), "");
    let said = adb.shell(&format!(
        "setprop wattline.session counted; logcat -c; am instrument -w {RUNNER}; \
         logcat -d -v raw System.out:I *:S"
    ));
    assert!(said.contains("\n>>= <=>= <<=\n"), "{said}");
    let patterns = fs::read_to_string(truth.path().join("counted/patterns.csv")).unwrap();
    let executions = |pattern: &str| -> u64 {
        let row = patterns.lines().find_map(|line| line.strip_prefix(pattern)?.strip_prefix(','));
        row.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
    };
    // In each turn mul-float, sub-float, add-int/lit8 and goto, and nothing else.
    for pattern in ["Multiplication/float", "Subtraction/float", "Increase/int"] {
        assert_eq!(executions(pattern), 1000, "{pattern}: {patterns}");
    }
    assert!((1000..1100).contains(&executions("else branch")), "{patterns}");
    let lines = fs::read_to_string(truth.path().join("counted/lines.csv")).unwrap();
    assert!(lines.contains("game/Main.java,14,"), "the loop's line: {lines}");
}

#[test]
fn what_androids_releases_refuse_is_refused() {
    let Some(workshop) = Workshop::open() else { return };
    let says = Says::default();
    let odroid = board("odroid-xu-e", None);
    let jar = workshop.folder.path().join("no.apk");
    fs::write(&jar, "PK is not enough").unwrap();
    let refused = |adb: &Adb, apk: &Path, flags: &str, code: &str| {
        let why = install(adb, apk, flags);
        assert!(why.contains(code), "{code}: {why}");
        assert_eq!(adb.shell("ls /data/local/tmp"), "", "nothing is left of {code}");
    };
    refused(&odroid, &jar, "-r", "INSTALL_PARSE_FAILED_NOT_APK");
    let unsigned = workshop.unsigned("unsigned", &says.manifest(), &[]);
    refused(&odroid, &unsigned, "-r", "INSTALL_PARSE_FAILED_NO_CERTIFICATES");
    let garbage = workshop.unsigned("garbage", b"<manifest/>", &[]);
    refused(&odroid, &garbage, "-r", "INSTALL_PARSE_FAILED_BAD_MANIFEST");
    // Android 4.2 knows SHA-1 alone in the first scheme's signatures.
    let new = workshop.unsigned("sha256", &says.manifest(), &[]);
    let new = workshop.sign(new, "key", &["--min-sdk-version", "18"]);
    refused(&odroid, &new, "-r", "INSTALL_PARSE_FAILED_NO_CERTIFICATES");
    // The manifest is read before the signature: a package for later releases has one for these.
    let newer = workshop.unsigned("newer", &Says { min_sdk: 18, ..says }.manifest(), &[]);
    let newer = workshop.sign(newer, "key", &["--min-sdk-version", "18"]);
    refused(&odroid, &newer, "-r", "INSTALL_FAILED_OLDER_SDK");
    let test = workshop.signed("test", &Says { test_only: true, ..Says::default() });
    refused(&odroid, &test, "-r", "INSTALL_FAILED_TEST_ONLY");
    let native = workshop.unsigned(
        "native",
        &Says::default().manifest(),
        &[("lib/armeabi-v7a/libgame.so", b"ELF")],
    );
    let native = workshop.sign(native, "key", &["--min-sdk-version", "14"]);
    refused(&odroid, &native, "-r", "INSTALL_FAILED_NO_MATCHING_ABIS");
    assert_eq!(odroid.shell("pm list packages"), "");

    assert_eq!(install(&odroid, &workshop.signed("good", &Says::default()), "-r"), "");
    let good = workshop.folder.path().join("good.apk");
    refused(&odroid, &good, "", "INSTALL_FAILED_ALREADY_EXISTS");
    let other = workshop.unsigned("other", &Says::default().manifest(), &[]);
    let other = workshop.sign(other, "other-key", &["--min-sdk-version", "14"]);
    refused(&odroid, &other, "-r", "INSTALL_FAILED_UPDATE_INCOMPATIBLE");
    let older = workshop.signed("older", &Says { version: 4, ..Says::default() });
    refused(&odroid, &older, "-r -d", "INSTALL_FAILED_VERSION_DOWNGRADE");
    assert!(odroid.run(&["uninstall", PACKAGE]).stdout.contains("Success"));
    assert_eq!(install(&odroid, &other, "-r"), "", "another key, once the first is gone");
}

#[test]
fn later_releases_ask_for_more() {
    let Some(workshop) = Workshop::open() else { return };
    let phone = board("pixel", None);
    let unsaid = workshop.signed("unsaid", &Says { exported: None, ..Says::default() });
    let why = install(&phone, &unsaid, "-r");
    assert!(why.contains("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED"), "{why}");
    let old = workshop.signed("old", &Says { target_sdk: 22, ..Says::default() });
    let why = install(&phone, &old, "-r");
    assert!(why.contains("INSTALL_FAILED_DEPRECATED_SDK_VERSION"), "{why}");
    let v1 = workshop.unsigned("v1", &Says::default().manifest(), &[]);
    let only = ["--min-sdk-version", "14", "--v2-signing-enabled", "false"];
    let v1 = workshop.sign(v1, "key", &[&only[..], &["--v3-signing-enabled", "false"]].concat());
    let why = install(&phone, &v1, "-r");
    assert!(why.contains("INSTALL_PARSE_FAILED_NO_CERTIFICATES"), "{why}");
    assert_eq!(install(&phone, &workshop.made(), ""), "");
    assert_eq!(install(&phone, &workshop.made(), ""), "", "replaced without being asked to");
}

#[test]
fn activities_tick_and_keep_what_they_are_told_to() {
    let Some(workshop) = Workshop::open() else { return };
    let adb = board("odroid-xu-e", None);
    let says = Says { debuggable: true, ..Says::default() };
    assert_eq!(install(&adb, &workshop.signed("screen", &says), "-r"), "");
    let start = |extras: &str| {
        adb.shell(&format!(
            "logcat -c; am start -S -W -n {PACKAGE}/game.Screen --es who me {extras}; sleep 3; \
             logcat -d -v tag; am force-stop {PACKAGE}"
        ))
    };
    let first = start("");
    for line in
        ["Status: ok", "I/screen  : start 1 of me", "W/screen  : ten ticks in 1000 ms", "gone"]
    {
        assert!(first.contains(line), "{line}: {first}");
    }
    assert!(start("").contains("I/screen  : start 2 of me"));
    let crashed = start("--ez crash true");
    assert!(crashed.contains("FATAL EXCEPTION: main"), "{crashed}");
    assert!(crashed.contains("at game.Screen.tick(Screen.java:40)"), "{crashed}");
    let hidden = adb.run(&["shell", &format!("am start -n {PACKAGE}/game.Main")]);
    assert!(hidden.stderr.contains("Permission Denial"), "{}", hidden.stderr);
    let none = adb.run(&["shell", &format!("am start -n {PACKAGE}/.None")]);
    assert!(none.stderr.contains("does not exist"), "{}", none.stderr);

    let dumped = adb.shell(&format!("dumpsys package {PACKAGE}"));
    for fact in ["versionCode=5 minSdk=14 targetSdk=34", "DEBUGGABLE"] {
        assert!(dumped.contains(fact), "{dumped}");
    }
    let kept = adb.shell(&format!("run-as {PACKAGE} cat shared_prefs/game.Screen.xml"));
    assert!(kept.contains("<int name=\"starts\" value=\"3\" />"), "{kept}");
    assert_eq!(install(&adb, &workshop.signed("closed", &Says::default()), "-r"), "");
    let closed = adb.run(&["shell", &format!("run-as {PACKAGE} ls")]);
    assert!(closed.stderr.contains("is not debuggable"), "{}", closed.stderr);
}

#[test]
fn only_debuggable_and_profileable_packages_are_sampled() {
    let Some(workshop) = Workshop::open() else { return };
    let adb = board("pixel", None);
    let record = format!(
        "cd /data/local/tmp; simpleperf record --app {PACKAGE} -e task-clock -f 4000 2>said & \
         perf=$!; sleep 0.1; am instrument -w {RUNNER} >/dev/null; wait $perf; echo $?; cat said"
    );
    for (name, debuggable, profileable, expected) in [
        ("neither", false, None, "doesn't exist or isn't debuggable/profileable."),
        ("not", false, Some(false), "doesn't exist or isn't debuggable/profileable."),
        ("profileable", false, Some(true), ". Samples lost: 0."),
        ("debuggable", true, None, ". Samples lost: 0."),
    ] {
        let says = Says { debuggable, profileable, ..Says::default() };
        assert_eq!(install(&adb, &workshop.signed(name, &says), "-r"), "");
        let said = adb.shell(&record);
        assert!(said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn what_the_framework_lacks_is_named() {
    let Some(workshop) = Workshop::open() else { return };
    let uses = "package game;\nclass Uses extends android.app.Activity {\n  void run() {\n    \
                new android.widget.ImageView(this);\n    \
                getActionBar();\n  }\n}\n";
    fs::write(workshop.folder.path().join("src/game/Uses.java"), uses).unwrap();
    assert!(workshop.package("more", &[]));
    let adb = board("odroid-xu-e", None);
    let why = install(&adb, &workshop.folder.path().join("more/application.apk"), "-r");
    assert!(why.contains("INSTALL_FAILED_MISSING_SHARED_LIBRARY"), "{why}");
    for name in ["android.widget.ImageView", "android.app.Activity.getActionBar()"] {
        assert!(why.contains(name), "{name}: {why}");
    }
}

/// Puts the device scripts where the program has them.
fn push_scripts(adb: &Adb) {
    adb.shell("mkdir /data/local/tmp/wattline");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("device-scripts");
    for script in fs::read_dir(scripts).unwrap().flatten() {
        adb.run(&["push", script.path().to_str().unwrap(), "/data/local/tmp/wattline/"]);
    }
}

/// What `install.sh` says.
fn installed_by_script(adb: &Adb, apk: &Path) -> String {
    let there = "/data/local/tmp/wattline/install.apk";
    adb.run(&["push", apk.to_str().unwrap(), there]);
    adb.shell(&format!("sh /data/local/tmp/wattline/install.sh {there} {PACKAGE}"))
}

/// The samples of a session that the device scripts ran by the instrumentation, and all it said.
fn scripted(adb: &Adb) -> (String, String) {
    let text = adb.shell(&format!(
        "setprop wattline.session scripted; cd /data/local/tmp/wattline; d=$PWD; \
         sh $d/session.sh period_us=33000 package={PACKAGE} runner=org.wattline.runner.Runner \
         extra=rounds=5 counts=yes settle_ms=2500 && sh $d/collect.sh @status"
    ));
    assert!(text.contains("exit=ok"), "{text}");
    let (before, after) = text.split_once("@@wattline samples end").unwrap();
    let samples = before.split_once("@@wattline samples begin").unwrap().1.to_owned();
    (samples, after.to_owned())
}

#[test]
fn device_scripts_run_a_package_under_android_4s_toolbox() {
    let Some(workshop) = Workshop::open() else { return };
    let adb = Adb::of(BoardOptions { tools: Tools::Toolbox, ..options(AdbdGeneration::Legacy) });
    push_scripts(&adb);
    // One of an application's own is let be, one that has the runner makes room.
    let own = workshop.signed("own", &Says { runner: "game.Tests", ..Says::default() });
    assert_eq!(install(&adb, &own, "-r"), "");
    let refused = installed_by_script(&adb, &workshop.signed_anew());
    assert!(refused.contains("INSTALL_FAILED_UPDATE_INCOMPATIBLE"), "{refused}");
    assert!(adb.run(&["uninstall", PACKAGE]).stdout.contains("Success"));
    for apk in [workshop.signed_anew(), workshop.made()] {
        let said = installed_by_script(&adb, &apk);
        assert!(said.contains("installed=yes"), "{said}");
    }
    let prepared = adb.shell("sh /data/local/tmp/wattline/prepare.sh frequency_khz=1100000");
    assert!(prepared.contains("prepared=yes"), "{prepared}");
    let (samples, said) = scripted(&adb);
    assert!(samples.lines().count() > 3, "{samples}");
    for line in
        ["wattline.text=block,executions\n", "wattline.end=whole\n", "System.out: wattline: end 10"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(scripted(&adb).0, samples, "the same session twice");
}
