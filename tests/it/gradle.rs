//! The init script for Gradle on a project of its own: built with probes, and counted.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

const PROGRAM: &str = "package demo;
public class Main {
    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += i;
        }
        System.out.println(sum);
    }
}
";

fn has_gradle() -> bool {
    let found = Command::new("gradle").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        crate::skip::outside("there is no gradle on the path");
    }
    found
}

#[test]
fn a_java_module_is_built_with_probes_without_editing_it() {
    if !has_gradle() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let source = project.join("src/main/java/demo/Main.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, PROGRAM).unwrap();
    fs::write(project.join("settings.gradle"), "rootProject.name = 'demo'\n").unwrap();
    fs::write(project.join("build.gradle"), "apply plugin: 'java'\n").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gradle/wattline.init.gradle");
    let output = Command::new("gradle")
        .args(["--offline", "--no-daemon", "--init-script"])
        .arg(script)
        .arg(format!("-Pwattline.program={WATTLINE}"))
        .arg("classes")
        .env("GRADLE_USER_HOME", folder.path().join("home"))
        .current_dir(&project)
        .output()
        .unwrap();
    let (out, err) = (&output.stdout, &output.stderr);
    let told = format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    assert!(output.status.success(), "{told}");
    assert_eq!(fs::read_to_string(&source).unwrap(), PROGRAM, "the module is not edited");
    let run = Command::new("java")
        .arg("-cp")
        .arg(project.join("build/classes/java/main"))
        .arg("demo.Main")
        .current_dir(&project)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "10\n", "{told}");
    let counts = fs::read_to_string(project.join("wattline-counts-1.csv")).unwrap();
    let blocks = fs::read_to_string(project.join("build/wattline/sources/blocks.csv")).unwrap();
    let body = blocks.lines().find(|line| line.contains(",for_body,")).unwrap();
    let id = body.split(',').next().unwrap();
    assert!(counts.lines().any(|line| line == format!("{id},5")), "{blocks}\n{counts}");
}

/// The same for the Android plugin, with an SDK put together by the script; it says what
/// isn't installed.
#[test]
fn an_android_module_is_packaged_with_probes() {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/android-module.sh");
    let output =
        Command::new("sh").arg(script).arg(folder.path()).env("WATTLINE", WATTLINE).output();
    let output = output.unwrap();
    let (out, err) = (&output.stdout, &output.stderr);
    let told = format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    if output.status.code() == Some(4) {
        return crate::skip::outside(told.trim());
    }
    assert!(output.status.success(), "{told}");
    let sources = folder.path().join("module/build/wattline/sources");
    let operations = fs::read_to_string(sources.join("operations.csv")).unwrap();
    for call in ["lib:android.app.Activity.setTitle", "lib:greet.Greeter.greet"] {
        assert!(operations.contains(call), "{call} is resolved: {operations}");
    }
}
