//! Input by a command of this machine: on the virtual board by adb, to a window and to a jar, and
//! what becomes of a run whose command fails or hangs; on this machine's JVM by a file, and by
//! the program's own input, which ends.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use wattline::run::{RunRecord, RunVerdict, read_journal};

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, has};

/// A window that logs how it was touched, and when after its begin.
const SCREEN: &str = r#"package game;
import android.app.Activity;
import android.os.Bundle;
import android.os.SystemClock;
import android.util.Log;
import android.view.KeyEvent;
import android.view.MotionEvent;
public class Screen extends Activity {
  long began;
  @Override protected void onCreate(Bundle state) {
    super.onCreate(state);
    began = SystemClock.uptimeMillis();
  }
  @Override public boolean onTouchEvent(MotionEvent event) {
    return tell(event.getAction() + " at " + (int) event.getX() + "," + (int) event.getY());
  }
  @Override public boolean onKeyDown(int code, KeyEvent event) {
    return tell("key " + code);
  }
  boolean tell(String what) {
    Log.i("Screen", what + " after " + (SystemClock.uptimeMillis() - began));
    return true;
  }
}
"#;

const WINDOW: &str = "name = 'screen'\n[application]\npackage = 'org.example.screen'\n\
    start = 'activity'\nactivity = 'game.Screen'\njava_release = 8\n[[source]]\npath = 'src'\n\
    [[library]]\nmaven = 'com.google.android:android:4.1.1.4'\nrole = 'provided'\n\
    sha256 = '84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb'\n\
    [session]\nduration_s = 8\nrest_s = 0\nlimit_s = 10\ninput_command = './touch.sh'\n\
    [board]\nmeter = 'ina231'\n[campaign]\ncases = 1\nrepeats = 1\nmax_retries = 0\n\
    [microbenchmarks]\nenabled = false\n[[input]]\nname = 'one'\nsteps = [{ at_s = 7, tap = [9, 9] }]\n";

/// A program that reads what is written to the file beside its scenario, until it is told to end.
const LISTENS: &str = r#"package game;
import java.io.File;
import java.nio.file.Files;
public class Listens {
  public static void main(String[] arguments) throws Exception {
    File file = new File(arguments[0].substring("file=".length()));
    System.out.println("wattline: begin");
    for (int i = 0; i < 1000 && !file.exists(); i++) {
      Thread.sleep(5);
    }
    System.out.println(file.exists() ? "heard" : "deaf");
    Thread.sleep(100);
    System.out.println("wattline: end");
  }
}
"#;

/// A plan of the base case, which `run` takes as it is.
const PLAN: &str = "case,variant,input,removed,executions,executions_share,energy_share,rank\n\
    base-one,base,one,,10,1,1,1\n";

/// A folder with an application, its scenario and its command.
struct Project {
    folder: tempfile::TempDir,
    adb: AdbServer,
}

impl Project {
    fn new(class: (&str, &str), scenario: &str, script: &str) -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap(), adb: AdbServer::new() };
        fs::create_dir_all(project.path("src/game")).unwrap();
        fs::create_dir_all(project.path("out")).unwrap();
        fs::write(project.path(&format!("src/game/{}.java", class.0)), class.1).unwrap();
        fs::write(project.path("app.toml"), scenario).unwrap();
        fs::write(project.path("touch.sh"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(project.path("touch.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(project.path("out/plan.csv"), PLAN).unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes the runs of the base case; what was said, and the records. None, said aloud,
    /// where a tool is out of reach.
    fn run(&self, board: &str) -> Option<(String, Vec<RunRecord>)> {
        let [scenario, out] = ["app.toml", "out"].map(|name| self.path(name).display().to_string());
        let words = ["run", &scenario, "--board", board, "--out", &out];
        let (code, said) = answer(self.adb.wattline(&words));
        if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
            crate::skip::because(&said);
            return None;
        }
        assert_eq!(code, Some(0), "{said}");
        let mut records = read_journal(&self.path("out")).unwrap();
        records.retain(|record| !record.run.id().contains("idle"));
        Some((said, records))
    }

    /// A raw log of a run.
    fn log(&self, record: &RunRecord, name: &str) -> String {
        let file = self.path("out/runs").join(&record.folder).join(format!("{name}.txt.zst"));
        let bytes = zstd::decode_all(fs::File::open(file).unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// What the window of a run was told, in the order of the log.
    fn told(&self, record: &RunRecord) -> Vec<String> {
        let log = self.log(record, "logcat");
        let told = log.lines().filter_map(|line| line.split_once("Screen  : "));
        told.map(|(_, text)| text.to_owned()).collect()
    }
}

fn reasons(record: &RunRecord) -> String {
    match &record.verdict {
        RunVerdict::Good => String::new(),
        RunVerdict::Bad { reasons } => reasons.join("\n"),
    }
}

#[test]
#[ignore = "by day a command drives two activities; scripts/nightly.sh runs it"]
fn a_window_is_touched_by_adb_between_the_marks() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let script = "echo $WATTLINE_INPUT of $WATTLINE_PACKAGE\nadb shell input tap 100 200\n\
                  adb shell sleep 2\nadb shell input keyevent 66\n\
                  adb shell input swipe 10 10 50 90 48\nadb shell input tap 1 2";
    let project = Project::new(("Screen", SCREEN), WINDOW, script);
    let Some((said, records)) = project.run("virtual") else { return };
    assert_eq!(records.len(), 2, "{said}");
    for record in &records {
        assert_eq!(reasons(record), "", "{said}");
        let told = project.told(record);
        let what: Vec<&str> =
            told.iter().map(|line| line.split_once(" after").unwrap().0).collect();
        let expected = [
            "0 at 100,200",
            "1 at 100,200",
            "key 66",
            "0 at 10,10",
            "2 at 23,36",
            "2 at 36,63",
            "2 at 50,90",
            "1 at 50,90",
            "0 at 1,2",
            "1 at 1,2",
            "0 at 9,9",
            "1 at 9,9",
        ];
        assert_eq!(what, expected, "{told:?}");
        let at = |line: usize| -> u64 { told[line].rsplit_once(' ').unwrap().1.parse().unwrap() };
        assert!(at(0) < 400, "it is touched as soon as the mark is seen: {told:?}");
        assert!((2000..2100).contains(&(at(2) - at(0))), "two seconds of the board: {told:?}");
        assert!(at(8) - at(3) >= 48 && at(10) == 7000, "{told:?}");
        let session = project.log(record, "session");
        assert!(session.contains("input_command: one of org.example.screen"), "{session}");
    }
    assert_eq!(project.told(&records[0]).len(), project.told(&records[1]).len());
}

#[test]
fn a_command_that_fails_or_hangs_makes_a_bad_run() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    // It fails in the first session with the application, and hangs in the second.
    let script = "adb shell input tap 5 6\nif [ -e failed ]; then (sleep 77) & sleep 77; fi\n\
                  echo >failed\necho there is no such button >&2\nexit 4";
    let scenario = WINDOW.replace("duration_s = 8\n", "duration_s = 2\n");
    let scenario = scenario.replace("limit_s = 10", "limit_s = 3");
    let project = Project::new(("Screen", SCREEN), &scenario, script);
    let Some((said, records)) = project.run("virtual") else { return };
    let [failed, hung] = &records[..] else { panic!("{records:?}") };
    let expected = "`session.input_command` ended with exit code 4: there is no such button";
    assert_eq!(reasons(failed), expected, "{said}");
    assert_eq!(project.told(failed)[0].split_once(" after").unwrap().0, "0 at 5,6");
    assert!(said.contains("there is no such button"), "{said}");
    let why = reasons(hung);
    assert!(why.contains("`session.input_command` did not end within"), "{why}: {said}");
    assert!(why.contains("raise `session.limit_s`"), "{why}");
    let processes = std::process::Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let processes = String::from_utf8_lossy(&processes.stdout).into_owned();
    assert!(!processes.lines().any(|line| line == "sleep 77"), "{processes}");
}

#[test]
fn a_command_drives_a_program_of_this_machine() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new(("Listens", LISTENS), "", "touch heard\necho $ANDROID_SERIAL");
    let heard = project.path("heard");
    let scenario = format!(
        "name = 'listens'\n[application]\npackage = 'org.example.listens'\nmain = 'game.Listens'\n\
         [[source]]\npath = 'src'\n[session]\nduration_s = 0.2\nlimit_s = 20\nrest_s = 0\n\
         input_command = './touch.sh'\nextras = {{ file = '{}' }}\n[limits]\n\
         min_sample_share = 0\nduration_mismatch = 1\nmax_gap_s = 9\n[board]\n\
         meter = 'software'\n[campaign]\ncases = 1\nrepeats = 1\nmax_retries = 0\n\
         sampled_repeats = 0\n[[input]]\nname = 'one'\n",
        heard.display()
    );
    fs::write(project.path("app.toml"), scenario).unwrap();
    let (said, records) = project.run("jvm").unwrap();
    let first = &records[0];
    assert!(project.log(first, "logcat").contains(": heard"), "{said}");
    assert!(project.log(first, "session").contains("input_command: jvm"), "{said}");
}

/// A program that reads its input to the end before it goes on.
const READS: &str = r#"package game;
public class Reads {
  public static void main(String[] arguments) throws Exception {
    System.out.println("wattline: begin");
    String all = new String(System.in.readAllBytes(), "UTF-8").trim();
    System.out.println("read [" + all + "]");
    Thread.sleep(100);
    System.out.println("wattline: end");
  }
}
"#;

#[test]
fn the_input_of_a_program_of_this_machine_ends_after_its_last_step() {
    if !has(&["javac"]) {
        return;
    }
    for (steps, expected) in [("", "read []"), ("{ at_s = 0.1, tap = [3, 4] }", "read [tap 3 4]")] {
        let scenario = format!(
            "name = 'reads'\n[application]\npackage = 'org.example.reads'\nmain = 'game.Reads'\n\
             [[source]]\npath = 'src'\n[session]\nduration_s = 0.2\nlimit_s = 20\nrest_s = 0\n\
             [limits]\nmin_sample_share = 0\nduration_mismatch = 1\nmax_gap_s = 9\n[board]\n\
             meter = 'software'\n[campaign]\ncases = 1\nrepeats = 1\nmax_retries = 0\n\
             sampled_repeats = 0\n[[input]]\nname = 'one'\nsteps = [{steps}]\n"
        );
        let project = Project::new(("Reads", READS), &scenario, "true");
        let (said, records) = project.run("jvm").unwrap();
        assert!(project.log(&records[0], "logcat").contains(expected), "{said}");
    }
}
