//! Android packages: what `wattline package` makes is taken by the tools that Android's own
//! developers use. That it runs, `virtual_board::packages` shows.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use super::host::{has, said};

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");
const MAIN: &str = include_str!("package/Main.java");
const SCENARIO: &str = "name = \"game\"\n[application]\npackage = \"org.example.game\"\n\
    main = \"game.Main\"\njava_release = 17\nmin_sdk = 19\n[[source]]\npath = \"src\"\n\
    [session]\nframes = 5\n[[input]]\nname = \"one\"\nextras = { rounds = \"5\" }\n";

/// A folder with a scenario.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src/game")).unwrap();
    fs::write(folder.path().join("src/game/Main.java"), MAIN).unwrap();
    fs::write(folder.path().join("game.toml"), SCENARIO).unwrap();
    folder
}

fn package(folder: &Path, out: &str, more: &[&str]) -> Output {
    let mut command = Command::new(WATTLINE);
    command.args(["package", "game.toml", "--out", out]).args(more).current_dir(folder);
    command.output().unwrap()
}

/// The tools and what is fetched for them; says what is missing.
fn can_package(answer: &Output) -> bool {
    let text = said(answer);
    let out_of_reach = text.contains("Maven could not fetch") || text.contains("`mvn` is not on");
    if out_of_reach {
        crate::skip::because(&text);
    }
    !out_of_reach
}

fn entries(apk: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(apk).unwrap()).unwrap();
    let count = archive.len();
    let read = |index| {
        let mut entry = archive.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().to_string(), bytes)
    };
    (0..count).map(read).collect()
}

#[test]
fn a_package_is_whole_and_the_same_each_time() {
    if !has(&["javac"]) {
        return;
    }
    let folder = project();
    let first = package(folder.path(), "first", &["--probe", "count"]);
    if !can_package(&first) {
        return;
    }
    assert!(first.status.success(), "{}", said(&first));
    let told = said(&first);
    for fact in ["org.example.game", "API level 19", "-e rounds '5'", "blocks are counted"] {
        assert!(told.contains(fact), "{fact}: {told}");
    }
    let apk = |out: &str| folder.path().join(out).join("application.apk");
    let content = entries(&apk("first"));
    assert!(content["classes.dex"].starts_with(b"dex\n035\0"), "what Android 4.4 reads");
    assert!(content["AndroidManifest.xml"].starts_with(&[3, 0, 8, 0]));
    assert!(content.keys().any(|name| name.starts_with("META-INF/") && name.ends_with(".RSA")));
    let bytes = fs::read(apk("first")).unwrap();
    assert!(bytes.windows(16).any(|window| window == b"APK Sig Block 42"));
    let second = package(folder.path(), "second", &["--probe", "count"]);
    assert!(second.status.success(), "{}", said(&second));
    assert!(fs::read(apk("second")).unwrap() == bytes, "the same package twice");
    let again = package(folder.path(), "second", &[]);
    assert_eq!(again.status.code(), Some(2), "{}", said(&again));
}

#[test]
fn androids_own_tools_take_it() {
    if !has(&["javac", "apksigner", "aapt", "dexdump", "zipalign"]) {
        return;
    }
    let folder = project();
    let made = package(folder.path(), "out", &[]);
    if !can_package(&made) {
        return;
    }
    let apk = folder.path().join("out/application.apk");
    let tool = |words: &[&str]| {
        let output = Command::new(words[0]).args(&words[1..]).arg(&apk).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        said(&output)
    };
    let verified = tool(&["apksigner", "verify", "-v", "--min-sdk-version", "19"]);
    assert!(verified.contains("(JAR signing): true"), "{verified}");
    assert!(verified.contains("v2 scheme (APK Signature Scheme v2): true"), "{verified}");
    let badging = tool(&["aapt", "dump", "badging"]);
    for fact in ["package: name='org.example.game'", "sdkVersion:'19'", "targetSdkVersion:'34'"] {
        assert!(badging.contains(fact), "{badging}");
    }
    tool(&["zipalign", "-c", "4"]);
    let classes = tool(&["dexdump"]);
    for class in ["Lgame/Main;", "Lorg/wattline/runner/Runner;"] {
        assert!(classes.contains(class), "{class}");
    }
    // Without probes there is nothing of them.
    assert!(!classes.contains("wattline$rt"), "{classes}");
}

#[test]
fn what_packages_need_is_fetched_by_itself_and_quietly() {
    let fetch = |more: &[&str]| {
        let mut command = Command::new(WATTLINE);
        command.args(["package", "--fetch"]).args(more).output().unwrap()
    };
    let first = fetch(&[]);
    if !can_package(&first) {
        return;
    }
    assert!(first.status.success(), "{}", said(&first));
    assert!(said(&first).contains("what packages need is there: "), "{}", said(&first));
    let quiet = fetch(&["--quiet"]);
    assert_eq!((quiet.status.code(), said(&quiet).as_str()), (Some(0), ""));
    let both = fetch(&["--out", "out"]);
    assert_eq!(both.status.code(), Some(2), "{}", said(&both));
}

#[test]
fn what_makes_no_package_is_told() {
    if !has(&["javac"]) {
        return;
    }
    let folder = project();
    for (more, word) in [(["--probe", "log"], "use count"), (["--remove", "999"], "ids run from 0")]
    {
        let output = package(folder.path(), "out", &more);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(word), "{}", said(&output));
    }
    for (key, word) in [
        ("min_sdk = 3", "application.min_sdk"),
        ("min_sdk = 30\ntarget_sdk = 29", "application.target_sdk"),
    ] {
        fs::write(folder.path().join("game.toml"), SCENARIO.replace("min_sdk = 19", key)).unwrap();
        let output = package(folder.path(), "out", &[]);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        assert!(said(&output).contains(word), "{}", said(&output));
    }
    assert!(!folder.path().join("out/application.apk").exists());
}

/// Activities, views, services, sensors and OpenGL, written by people who never met us: all of it
/// resolves against Android's own classes, compiles with probes and is packaged.
#[test]
#[ignore = "fetches 140 MB; scripts/nightly.sh runs it"]
fn the_android_half_of_a_game_engine_is_packaged_with_probes() {
    if !has(&["javac", "mvn"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src/game")).unwrap();
    for (name, text) in [
        ("src/game/Names.java", include_str!("package/Names.java")),
        ("game.toml", include_str!("package/backend.toml")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let made = package(folder.path(), "out", &["--probe", "count"]);
    if !can_package(&made) {
        return;
    }
    let told = said(&made);
    assert!(made.status.success(), "{told}");
    let counted = told.lines().find_map(|line| line.trim().strip_suffix(" blocks are counted"));
    let numbers = counted.and_then(|text| text.split_once(" of ")).unwrap();
    let [counted, all] = [numbers.0, numbers.1].map(|number| number.parse::<u32>().unwrap());
    assert!(all > 2000 && counted * 100 >= all * 99, "{told}");
    let classes = &entries(&folder.path().join("out/application.apk"))["classes.dex"];
    let names = String::from_utf8_lossy(classes);
    assert!(names.contains("Lcom/badlogic/gdx/backends/android/AndroidInput;"));
}
