//! Applications with a window: planned in the board's small Android on this machine, packaged as
//! an activity, measured on the virtual board.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::host::{AdbServer, CAMPAIGN_TOOLS, has, said};

/// An activity that says its marks to nobody; `BODY` is its `onCreate`.
const SCREEN: &str = "package game;\nimport android.app.Activity;\nimport android.os.Bundle;\n\
    import android.os.Handler;\npublic class Screen extends Activity implements Runnable {\n  \
    final Handler handler = new Handler();\n  int turns;\n  \
    @Override protected void onCreate(Bundle state) {\n    super.onCreate(state);\n    \
    BODY\n  }\n  @Override public void run() {\n    turns++;\n    handler.post(this);\n  }\n}\n";

const SCENARIO: &str = "name = 'screen'\n[application]\npackage = 'org.example.screen'\n\
    start = 'activity'\nactivity = 'game.Screen'\njava_release = 8\n[[source]]\npath = 'src'\n\
    [[library]]\nmaven = 'com.google.android:android:4.1.1.4'\nrole = 'provided'\n\
    sha256 = '84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb'\n\
    [session]\nduration_s = 1\n[campaign]\ncases = 1\n[microbenchmarks]\nenabled = false\n\
    [[input]]\nname = 'one'\n";

/// A folder with the activity and its scenario.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(body: &str) -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src/game")).unwrap();
        let project = Project { folder };
        project.write("src/game/Screen.java", &SCREEN.replace("BODY", body));
        project.write("screen.toml", SCENARIO);
        project
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn wattline(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(words).current_dir(self.folder.path()).output().unwrap()
    }

    /// The exit code, and what was said; none, said aloud, where a tool is out of reach.
    fn said(&self, words: &[&str]) -> Option<(Option<i32>, String)> {
        let output = self.wattline(words);
        let said = said(&output);
        if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
            crate::skip::because(&said);
            return None;
        }
        Some((output.status.code(), said))
    }
}

#[test]
fn a_main_thread_that_never_rests_is_planned_and_ends_in_its_time() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new("run();");
    let Some((code, said)) = project.said(&["plan", "screen.toml", "--out", "out"]) else { return };
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 case of 1 variant"), "{said}");
}

#[test]
fn what_is_wrong_with_an_activity_is_told_before_anything_is_measured() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new("int[] none = {}; none[3]++;");
    let Some((code, said)) = project.said(&["plan", "screen.toml", "--out", "out"]) else { return };
    assert_ne!(code, Some(0), "{said}");
    assert!(said.contains("ArrayIndexOutOfBoundsException"), "{said}");
    assert!(said.contains("at game.Screen.onCreate(Screen.java:10)"), "{said}");
    for (from, to, expected) in [
        (
            "'game.Screen'",
            "'.Screen'",
            "no class org.example.screen.Screen; did you mean game.Screen?",
        ),
        ("activity = 'game.Screen'", "", "`application.activity` is needed"),
        ("activity = 'game.Screen'", "main = 'game.Screen'", "`application.main` goes without"),
        ("start = 'activity'", "main = 'a.B'", "`application.activity` goes with `start"),
        ("'game.Screen'", "'game Screen'", "which is no Java name"),
    ] {
        project.write("screen.toml", &SCENARIO.replace(from, to));
        for command in ["plan", "package"] {
            let words = [command, "screen.toml", "--out", "out"];
            let (code, said) = project.said(&words).unwrap();
            assert_eq!(code, Some(3), "{command}: {said}");
            assert!(said.contains(expected), "{command}: {expected}: {said}");
        }
    }
    project.write("screen.toml", SCENARIO);
    let words = ["run", "screen.toml", "--board", "jvm", "--out", "out"];
    let (code, said) = project.said(&words).unwrap();
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("needs Android, which `--board jvm` is not"), "{said}");
}

#[test]
fn androids_tools_read_the_activity() {
    if !has(&["javac", "aapt"]) {
        return;
    }
    let project = Project::new("finish();");
    let Some((code, said)) = project.said(&["package", "screen.toml", "--out", "out"]) else {
        return;
    };
    assert_eq!(code, Some(0), "{said}");
    let dumped = |what: &[&str]| {
        let mut aapt = Command::new("aapt");
        aapt.arg("dump").args(&what[..1]).arg("out/application.apk").args(&what[1..]);
        let output = aapt.current_dir(project.folder.path()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let badging = dumped(&["badging"]);
    assert!(badging.contains("launchable-activity: name='game.Screen'"), "{badging}");
    let tree = dumped(&["xmltree", "AndroidManifest.xml"]);
    for fact in ["android:theme(0x01010000)=@0x1030007", "android:exported(0x01010010)=(type 0x12)"]
    {
        let fact = fact.replace("@0x1030007", "@0x01030007");
        assert!(tree.contains(&fact), "{fact}: {tree}");
    }
}

/// The scenario of the project's own, shortened.
fn touch(folder: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let text = fs::read_to_string(root.join("touch.toml")).unwrap();
    let (head, inputs) = text.split_once("[[input]]").unwrap();
    let (two, _) = inputs.split_once("[[input]]\nname = \"keys\"").unwrap();
    let shortened = head
        .replace("path = \"touch\"", &format!("path = \"{}\"", root.join("touch").display()))
        .replace("duration_s = 60", "duration_s = 12\nrest_s = 0")
        .replace("cases = 24\nrepeats = 2", "cases = 4\nrepeats = 1\ndry_runs = 6")
        .replace(
            "[microbenchmarks]\n",
            "[microbenchmarks]\nenabled = false # packages have them elsewhere\n",
        );
    let there = ["duration_s = 12", "cases = 4", "enabled = false"];
    assert!(there.iter().all(|word| shortened.contains(word)), "{shortened}");
    let file = folder.join("touch.toml");
    fs::write(&file, format!("{shortened}[[input]]{two}")).unwrap();
    file.display().to_string()
}

#[test]
fn an_application_with_a_window_is_measured_line_by_line() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (adb, folder) = (AdbServer::new(), tempfile::tempdir().unwrap());
    let (scenario, out) = (touch(folder.path()), folder.path().join("out"));
    let words = ["pipeline", &scenario, "--board", "virtual", "--out", out.to_str().unwrap()];
    let output = adb.wattline(&words);
    let said = said(&output);
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert!(output.status.success(), "{said}");
    let lines = fs::read_to_string(out.join("accounts/lines.csv")).unwrap();
    let spent = |file: &str| -> f64 {
        let of_file = lines.lines().filter(|line| line.contains(&format!("/{file}.java,")));
        of_file.map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap()).sum()
    };
    assert!(
        spent("Pond") > spent("PondView") && spent("PondView") > spent("MainActivity"),
        "{lines}"
    );
    assert!(spent("MainActivity") > 0.0, "{lines}");
    let evaluation = fs::read_to_string(out.join("evaluation.csv")).unwrap();
    let of_lines = evaluation.lines().find(|line| line.starts_with("line,")).unwrap();
    let median: f64 = of_lines.split(',').nth(3).unwrap().parse().unwrap();
    assert!(median < 0.5, "{evaluation}");
}
