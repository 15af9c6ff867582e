//! What a user is told whose scenario, sources or artifacts are not right yet: all of it
//! before anything is measured.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use wattline::toolchain::artifact::hash_of_bytes;
use wattline::toolchain::jar;

use super::bench::rows;
use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, has};

/// A folder with a scenario of these sources; `keys` stand above its inputs.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(keys: &str) -> Self {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        let text = format!(
            "name = 'p'\n[application]\npackage = 'org.p'\nmain = 'a.Main'\njava_release = 8\n\
             {keys}\n[[input]]\nname = 'none'\n"
        );
        project.write("s.toml", text.as_bytes());
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, command: &str) -> Output {
        AdbServer::new().wattline(&self.arguments(command).each_ref().map(String::as_str))
    }

    fn arguments(&self, command: &str) -> [String; 4] {
        let text = |name: &str| self.path(name).to_str().unwrap().to_string();
        [command.into(), text("s.toml"), "--out".into(), text(&format!("out-{command}"))]
    }
}

const SOURCE: &str = "[[source]]\npath = 'src'";

/// The tiny scenario with some of its text changed.
fn tiny(folder: &Path, changes: &[(&str, &str)]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = fs::read_to_string(root.join("tests/scenarios/tiny.toml")).unwrap();
    text = text.replace("../../scenarios", root.join("scenarios").to_str().unwrap());
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    let file = folder.join("changed.toml");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_string()
}

#[test]
fn resources_of_a_source_jar_are_in_the_class_path() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new(
        "[[source]]\npath = 'lib-sources.jar'\n[[source]]\npath = 'driver'\nrole = 'harness'\n[campaign]\ncases = 4\n",
    );
    let library = "package b; public class Words { public static int count() throws Exception {\n\
        java.util.Properties p = new java.util.Properties();\n\
        p.load(Words.class.getResourceAsStream(\"/b/words.properties\"));\n\
        int sum = 0; for (Object o : p.values()) { sum += o.toString().length(); }\n\
        return sum; } }";
    let entries = [("b/Words.java", library), ("b/words.properties", "one=1\ntwo=22\n")];
    let entries = entries.map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
    project.write("lib-sources.jar", &jar::pack(&[], &entries.into()));
    project.write(
        "driver/a/Main.java",
        b"package a; public class Main { public static void main(String[] args) throws Exception {\n\
          System.out.println(\"wattline: begin\"); int n = b.Words.count();\n\
          System.out.println(\"wattline: end\"); System.out.println(n); } }",
    );
    let (code, said) = answer(project.run("plan"));
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_crash_is_told_with_its_causes() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new(SOURCE);
    project.write(
        "src/a/Main.java",
        b"package a; public class Main { public static void main(String[] args) {\n\
          throw new IllegalStateException(\"no luck\", new java.io.IOException(\"deep down\")); } }",
    );
    for command in ["plan", "pipeline"] {
        let (code, said) = answer(project.run(command));
        assert_eq!(code, Some(3), "{said}");
        for words in
            ["no luck", "at a.Main.main(Main.java:2)", "Caused by: java.io.IOException: deep down"]
        {
            assert!(said.contains(words), "{command}: {said}");
        }
    }
}

#[test]
fn javac_is_quoted_whole_and_a_release_is_named() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new(SOURCE);
    let main = |line: &str| {
        let text = format!(
            "package a; public class Main {{ public static void main(String[] args) {{\n\
             {line}\nSystem.out.println(\"wattline: begin\"); System.out.println(\"wattline: end\"); }} }}"
        );
        project.write("src/a/Main.java", text.as_bytes());
    };
    main("Strin s = null;");
    let (code, said) = answer(project.run("plan"));
    assert_eq!(code, Some(3), "{said}");
    let place = project.path("src/a/Main.java");
    assert!(said.contains(&format!("{}:2: error: cannot find symbol", place.display())), "{said}");
    assert!(said.contains("symbol:   class Strin") && said.contains("Strin s = null;"), "{said}");
    assert!(!said.contains("java_release"), "no release has that class: {said}");
    main("var s = java.util.List.of(1);");
    let (_, said) = answer(project.run("plan"));
    assert!(said.contains("set `java_release = 11`"), "{said}");
}

#[test]
fn a_missing_hash_is_printed_to_be_copied() {
    let project = Project::new("[[source]]\nmaven = 'org.a:b:1:sources'");
    let jar = jar::pack(&[], &[("a/A.java".to_string(), b"package a; class A {}".to_vec())].into());
    project.write("b.jar", &jar);
    let maven = format!(
        "#!/bin/sh\nfor argument do case $argument in -DoutputDirectory=*)\n\
         cp '{}' \"${{argument#*=}}/b-1-sources.jar\" ;; esac done\n",
        project.path("b.jar").display()
    );
    project.write("bin/mvn", maven.as_bytes());
    fs::set_permissions(project.path("bin/mvn"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", project.path("bin").display(), std::env::var("PATH").unwrap());
    let arguments = project.arguments("plan");
    let mut command = AdbServer::new().command(&arguments.each_ref().map(String::as_str));
    command.env("PATH", path).env("XDG_CACHE_HOME", project.path("cache"));
    let (code, said) = answer(command.output().unwrap());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("s.toml:6: `source[0]` has no `sha256`"), "{said}");
    assert!(said.contains(&format!("\nsha256 = \"{}\"\n", hash_of_bytes(&jar))), "{said}");
}

#[test]
fn there_are_as_many_cases_as_were_asked_for_and_too_few_are_told() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scenario = tiny(folder.path(), &[("cases = 4", "cases = 3")]);
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (code, said) =
        answer(AdbServer::new().wattline(&["plan", &scenario, "--out", &out("plan")]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 cases are too few for the 4 folds"), "{said}");
    assert_eq!(rows(&folder.path().join("plan/plan.csv")).len(), 3);
    let (code, said) =
        answer(AdbServer::new().wattline(&["pipeline", &scenario, "--out", &out("pipeline")]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("`campaign.cases` of 4 and more"), "{said}");
    assert!(!folder.path().join("pipeline/plan.csv").exists());
}

#[test]
fn wrong_rails_and_short_sessions_are_found_before_the_plan() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let refused = |changes: &[(&str, &str)], code: i32, words: &[&str]| {
        let scenario = tiny(folder.path(), changes);
        let arguments = ["pipeline", &scenario, "--out", out.to_str().unwrap()];
        let (found, said) = answer(AdbServer::new().wattline(&arguments));
        assert_eq!(found, Some(code), "{said}");
        for word in words {
            assert!(said.contains(word), "{word:?} is not in: {said}");
        }
        assert!(!out.join("plan.csv").exists());
    };
    refused(&[("\"mem\"", "\"men\"")], 4, &["no power rail \"men\"", "board.rails"]);
    let words = ["all sessions are too short for the meter", "`frames` of", "where it is 20"];
    refused(&[("frames = 240", "frames = 20")], 3, &words);
}

#[test]
fn sampled_runs_that_a_board_cannot_make_are_told_before_planning() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scenario = tiny(folder.path(), &[("cases = 4", "sampled_repeats = 1\ncases = 4")]);
    let out = folder.path().join("out");
    let words = ["pipeline", &scenario, "--out", out.to_str().unwrap()];
    let (code, said) = answer(AdbServer::new().wattline(&words));
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("set `sampled_repeats = 0`"), "{said}");
    assert!(!out.join("plan.csv").exists() && !said.contains("] plan"), "{said}");
}
