//! Activities with a window on the virtual board: what the board's small Android does is what
//! Android's documentation says, and what the runner starts, touches and ends is told.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::adb::Adb;
use super::packages::xml::{Element, Value};
use super::packages::{PACKAGE, RUNNER, Workshop, board, install};

/// The application's package of two activities; of these the board knows one.
const SCENARIO: &str = "name = \"window\"\n[application]\npackage = \"org.example.game\"\n\
    start = \"activity\"\nactivity = \"window.Watched\"\njava_release = 17\n\
    [[source]]\npath = \"src\"\n\
    [[library]]\nmaven = \"com.google.android:android:4.1.1.4\"\nrole = \"provided\"\n\
    sha256 = \"84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb\"\n\
    [session]\nduration_s = 3\n[[input]]\nname = \"one\"\n";

/// The application's package, made once for all tests.
static MADE: OnceLock<Vec<u8>> = OnceLock::new();

/// A board with the application's package, and where that was made; none where a tool is missing.
fn installed() -> Option<(Adb, Workshop)> {
    let workshop = Workshop::open()?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = source.join("tests/it/virtual_board/app/window/Watched.java");
    let to = workshop.folder.path().join("src/window");
    fs::create_dir_all(&to).unwrap();
    fs::copy(source, to.join("Watched.java")).unwrap();
    fs::write(workshop.folder.path().join("window.toml"), SCENARIO).unwrap();
    let apk = workshop.folder.path().join("window.apk");
    let package = MADE.get_or_init(|| {
        assert!(workshop.package_of("window.toml", "window", &["--probe", "count"]));
        fs::read(workshop.folder.path().join("window/application.apk")).unwrap()
    });
    fs::write(&apk, package).unwrap();
    let adb = board("odroid-xu-e", None);
    assert_eq!(install(&adb, &apk, "-r"), "");
    Some((adb, workshop))
}

/// What the instrumentation said, and what the application did.
fn run(adb: &Adb, extras: &str) -> (String, String) {
    let said = adb.shell(&format!("logcat -c; am instrument -w -r {extras} {RUNNER}"));
    (said, adb.shell("logcat -d -v tag System.out:I watched:I Toast:I *:S"))
}

/// All of a session: the life of an activity, its frames, touches and keys, its end.
const WHOLE: &str = "I/System.out: wattline: begin
I/watched : create me
I/watched : found true, null
I/watched : screen 1280 x 720, 1280 wide
I/watched : start
I/watched : resume
I/watched : attached, 0 wide
I/watched : size 1280 x 720 from 0 x 0
I/watched : focus true
I/watched : refused, on another thread
I/watched : back
I/watched : drawn 5 times, frames apart 1 1 1
I/watched : touch 0 at 10.0, 20.0
I/watched : touch 1 at 10.0, 20.0
I/watched : touch 0 at 10.0, 500.0
I/watched : left over 0 at 10.0, 500.0
I/watched : left over 1 at 10.0, 500.0
I/watched : touch 0 at 0.0, 0.0
I/watched : touch 2 at 25.0, 10.0
I/watched : touch 2 at 50.0, 20.0
I/watched : touch 2 at 75.0, 30.0
I/watched : touch 2 at 100.0, 40.0
I/watched : touch 1 at 100.0, 40.0
I/watched : key 62, focused true
I/Toast   : a space
I/watched : key 29, focused true
I/watched : key 29 for the activity
";

const INPUT: &str = "@0.5 tap 10 20;@0.6 tap 10 500;@1 swipe 0 0 100 40 64;@1.5 keyevent 62;\
                     @1.6 keyevent 29";
const ENDED: &str = "I/watched : pause, finishing true
I/System.out: wattline: end
I/watched : focus false
I/watched : stop
I/watched : destroy
";

#[test]
fn an_activity_lives_draws_and_is_touched_as_android_says() {
    let Some((adb, _workshop)) = installed() else { return };
    let (said, log) = run(&adb, &format!("-e who me -e wattline.input '{INPUT}'"));
    assert!(said.contains("INSTRUMENTATION_RESULT: wattline.end=whole\n"), "{said}");
    assert!(said.contains("INSTRUMENTATION_STATUS: wattline.file=wattline-counts-1.csv"), "{said}");
    // The process ends with the counts: what comes after the end marker may be cut.
    let cut = log.find("I/System.out: wattline: end").unwrap_or_else(|| panic!("{log}"));
    assert!((WHOLE.to_owned() + ENDED).starts_with(&log), "{log}");
    assert!(log[..cut].starts_with(WHOLE), "{log}");
    let again = run(&adb, &format!("-e who me -e wattline.input '{INPUT}'")).0;
    assert_eq!(counts(&again), counts(&said), "the same session twice");
    assert!(counts(&said).len() > 20, "{said}");
}

fn counts(said: &str) -> Vec<&str> {
    said.lines()
        .filter(|line| line.split_once(',').is_some_and(|(id, _)| id.parse::<u32>().is_ok()))
        .collect()
}

/// Seconds between the marks, by the log's clock.
fn window_s(adb: &Adb, extras: &str) -> f64 {
    run(adb, extras);
    let log = adb.shell("logcat -d -v threadtime System.out:I *:S");
    let time = |mark: &str| -> f64 {
        let line = log.lines().find(|line| line.ends_with(mark)).unwrap_or_else(|| panic!("{log}"));
        let clock = line.split_whitespace().nth(1).unwrap();
        clock.split(':').fold(0.0, |sum, part| 60.0 * sum + part.parse::<f64>().unwrap())
    };
    time("wattline: end") - time("wattline: begin")
}

#[test]
fn an_activity_ends_by_itself_or_when_its_time_is_over() {
    let Some((adb, _workshop)) = installed() else { return };
    let near = |seconds: f64, expected: f64| (seconds - expected).abs() < 0.1;
    assert!(near(window_s(&adb, ""), 3.0));
    // The key that leads back ends an activity that does nothing with it.
    assert!(near(window_s(&adb, "-e wattline.input '@1 keyevent 4'"), 1.0));
    assert!(near(window_s(&adb, "-e finish later"), 0.0));
    assert!(near(window_s(&adb, "-e finish create"), 0.0));
}

#[test]
fn what_an_activity_throws_is_told_with_its_place() {
    let Some((adb, _workshop)) = installed() else { return };
    for (when, caller) in [("create", "onCreate"), ("later", "run")] {
        let (said, _) = run(&adb, &format!("-e fail {when}"));
        assert!(said.contains("INSTRUMENTATION_CODE: 0"), "{said}");
        let trace = said.split_once("wattline.end=").unwrap_or_else(|| panic!("{said}")).1;
        assert!(trace.starts_with("java.lang.IllegalStateException: on purpose"), "{trace}");
        assert!(trace.contains("at window.Watched.fail(Watched.java:"), "{trace}");
        assert!(trace.contains(&format!(".{caller}(Watched.java:")), "{trace}");
    }
}

/// The manifest of a package with the runner, whose activity it knows by these names.
fn manifest(asked: &str, declared: &str) -> Vec<u8> {
    let text = |text: &str| Value::Text(text.into());
    let name = ("name", 0x0101_0003);
    let sdk = Element::new("uses-sdk")
        .with_android_attribute(("minSdkVersion", 0x0101_020c), Value::Number(14));
    let theme = ("theme", 0x0101_0000);
    let activity = Element::new("activity")
        .with_android_attribute(theme, Value::Reference(0x0103_0007))
        .with_android_attribute(name, text(declared));
    let fact = |key: &str, value: &str| {
        let fact = Element::new("meta-data").with_android_attribute(name, text(key));
        fact.with_android_attribute(("value", 0x0101_0024), text(value))
    };
    let runner = Element::new("instrumentation")
        .with_android_attribute(name, text("org.wattline.runner.Runner"))
        .with_android_attribute(("targetPackage", 0x0101_0021), text(PACKAGE))
        .with_child(fact("wattline.activity", asked))
        .with_child(fact("wattline.begin", "begin"))
        .with_child(fact("wattline.end", "end"))
        .with_child(fact("wattline.millis", "1000"));
    Element::new("manifest")
        .with_attribute("package", PACKAGE)
        .with_child(sdk)
        .with_child(Element::new("application").with_child(activity))
        .with_child(runner)
        .to_bytes()
}

#[test]
fn an_activity_that_is_not_declared_or_not_there_is_named() {
    let Some((adb, workshop)) = installed() else { return };
    for (asked, declared, expected) in [
        (
            "window.Watched",
            "game.Screen",
            "android.content.ActivityNotFoundException: Unable to find explicit activity class \
             {org.example.game/window.Watched}; have you declared this activity in your \
             AndroidManifest.xml?",
        ),
        (
            "window.None",
            "window.None",
            "Unable to instantiate activity ComponentInfo{org.example.game/window.None}: \
             java.lang.ClassNotFoundException: window.None",
        ),
        ("game.Main", "game.Main", "java.lang.ClassCastException"),
    ] {
        let apk = workshop.unsigned("other", &manifest(asked, declared), &[]);
        let apk = workshop.sign(apk, "key", &["--min-sdk-version", "14"]);
        adb.run(&["uninstall", PACKAGE]);
        assert_eq!(install(&adb, &apk, ""), "");
        let (said, _) = run(&adb, "");
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(said.contains("INSTRUMENTATION_CODE: 0"), "{said}");
    }
}
