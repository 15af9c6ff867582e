//! Projects of Gradle: built with probes by the example's init script, and measured as they
//! are by `--gradle`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::host::said;

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
        crate::skip::because("there is no gradle on the path");
    }
    found
}

#[test]
#[ignore = "by day no Gradle is installed; scripts/nightly.sh runs it"]
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
    let told = built_with_probes(&project, "classes", &folder.path().join("home"));
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

/// What a build with the example's init script says.
fn built_with_probes(project: &Path, task: &str, home: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gradle/wattline.init.gradle");
    let output = Command::new("gradle")
        .args(["--offline", "--no-daemon", "--init-script"])
        .arg(script)
        .arg(format!("-Pwattline.program={WATTLINE}"))
        .arg(task)
        .env("GRADLE_USER_HOME", home)
        .current_dir(project)
        .output()
        .unwrap();
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    told
}

/// The library's classes have to be there before the application's sources are read, its generated
/// source before its own; one file isn't compiled, and another isn't UTF-8.
#[test]
#[ignore = "by day no Gradle is installed; scripts/nightly.sh runs it"]
fn modules_are_built_with_probes_and_count_by_themselves() {
    if !has_gradle() {
        return;
    }
    let project = Project::new();
    let library = "apply plugin: 'java'
compileJava.options.encoding = 'ISO-8859-1'
def made = file('build/made')
task tables {
    outputs.dir(made)
    doLast {
        new File(made, 'lib').mkdirs()
        new File(made, 'lib/Made.java').text = 'package lib; class Made { static int n() { return 3; } }'
    }
}
sourceSets.main.java.srcDir made
compileJava.dependsOn tables
";
    project.write("lib/build.gradle", library);
    let steps = LIBRARY.replace("n = (n & 1)", "String s = \"\u{e4}\"; n = (n & 1)");
    let steps =
        steps.replace("return steps;", "return steps + Made.n() - 3 + \"\u{e4}\".length() - 1;");
    let latin: Vec<u8> = steps.chars().map(|c| c as u8).collect();
    fs::write(project.path("lib/src/main/java/lib/Steps.java"), latin).unwrap();
    let home = project.folder.path().join("home");
    let told = built_with_probes(&project.path(""), ":app:classes", &home);
    let classes = |module: &str| project.path(&format!("{module}/build/classes/java/main"));
    let path = ["app", "lib"].map(|module| classes(module).display().to_string()).join(":");
    let run = Command::new("java")
        .args(["-cp", &path, "demo.Main"])
        .current_dir(project.folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success() && printed.contains("wattline: end"), "{told}{}", said(&run));
    for (module, kind, executions) in [("app", ",for_body,", 49), ("lib", ",entry,", 24)] {
        let blocks = project.path(&format!("{module}/build/wattline/sources/blocks.csv"));
        let blocks = fs::read_to_string(blocks).unwrap();
        let is_wanted = |row: &&str| row.contains(kind) && !row.contains("Made");
        let id = blocks.lines().find(is_wanted).unwrap().split(',').next().unwrap();
        let counts = project.folder.path().join(format!("wattline-{module}-counts-1.csv"));
        let counts = fs::read_to_string(counts).unwrap();
        let row = format!("{id},{executions}");
        assert!(counts.lines().any(|line| line == row), "{row}: {blocks}\n{counts}");
    }
}

/// A project of two modules: an application with a class of Groovy and a source that is left
/// out, and a library.
struct Project {
    folder: tempfile::TempDir,
}

const APPLICATION: &str = "package demo;

import lib.Steps;

public class Main {
    public static void main(String[] arguments) {
        long sum = 0;
        System.out.println(\"wattline: begin\");
        for (int i = 1; i < 50; i++) {
            if (i % 2 == 0) {
                sum += Steps.of(i);
            } else {
                sum -= i;
            }
        }
        System.out.println(sum);
        System.out.println(\"wattline: end\");
    }
}
";

const LIBRARY: &str = "package lib;

public final class Steps {
    public static long of(long n) {
        long steps = 0;
        while (n != 1) {
            n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
            steps++;
        }
        return steps;
    }
}
";

const APPLICATION_BUILD: &str = "apply plugin: 'groovy'
apply plugin: 'application'
if (gradle.gradleVersion.tokenize('.')[0].toInteger() < 7) {
    mainClassName = 'demo.Main'
} else {
    application.mainClass = 'demo.Main'
}
compileJava.sourceCompatibility = '1.8'
compileJava.targetCompatibility = '1.8'
sourceSets.main.java.exclude 'demo/Left.java'
dependencies {
    implementation project(':lib')
    implementation localGroovy()
}
";

const LIBRARY_BUILD: &str = "apply plugin: 'java'
compileJava.sourceCompatibility = '1.8'
compileJava.targetCompatibility = '1.8'
";

impl Project {
    fn new() -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        for (name, text) in [
            ("settings.gradle", "rootProject.name = 'demo'\ninclude 'app', 'lib'\n"),
            // No process of Gradle outlives a test.
            ("gradle.properties", "org.gradle.daemon=false\n"),
            ("app/build.gradle", APPLICATION_BUILD),
            ("app/src/main/java/demo/Main.java", APPLICATION),
            ("app/src/main/java/demo/Left.java", "package demo;\nclass Left { no Java }\n"),
            ("app/src/main/groovy/demo/More.groovy", "package demo\nclass More {}\n"),
            ("lib/build.gradle", LIBRARY_BUILD),
            ("lib/src/main/java/lib/Steps.java", LIBRARY),
        ] {
            project.write(name, text);
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// `wattline plan` of a task, with what it said.
    fn plan(&self, task: &str) -> (bool, String) {
        let output = Command::new(WATTLINE)
            .args(["plan", "--force", "--gradle", task, "--project"])
            .arg(self.path(""))
            .arg("--out")
            .arg(self.out())
            .env("GRADLE_USER_HOME", self.folder.path().join("home"))
            .output()
            .unwrap();
        (output.status.success(), said(&output))
    }
}

#[test]
#[ignore = "by day no Gradle is installed; scripts/nightly.sh runs it"]
fn a_project_is_planned_by_its_own_build_without_a_scenario() {
    if !has_gradle() {
        return;
    }
    let project = Project::new();
    let (done, said) = project.plan(":app:classes");
    assert!(done, "{said}");
    assert!(said.contains("2 Java files of :app, :lib, 0 of them generated"), "{said}");
    let read = |name: &str| fs::read_to_string(project.out().join(name)).unwrap();
    let blocks = read("blocks.csv");
    assert!(blocks.contains("demo/Main.java") && blocks.contains("lib/Steps.java"), "{blocks}");
    assert!(!blocks.contains("Left"), "what the build leaves out is left out: {blocks}");
    let plan = read("plan.csv");
    assert!(plan.lines().count() > 2, "variants ran on this machine: {plan}");
    let scenario = read("gradle/scenario.toml");
    for line in ["main = \"demo.Main\"", "java_release = 8", "language = \"groovy\""] {
        assert!(scenario.contains(line), "{line}: {scenario}");
    }
    assert!(!project.path("app/build/wattline").exists(), "nothing is put into the project");

    // A second time all is up to date, and told again.
    let (done, said) = project.plan(":app:classes");
    assert!(done && said.contains("2 Java files"), "{said}");
    assert_eq!(read("gradle/scenario.toml"), scenario);
}

#[test]
#[ignore = "by day no Gradle is installed; scripts/nightly.sh runs it"]
fn what_is_wrong_with_a_build_is_told() {
    if !has_gradle() {
        return;
    }
    let project = Project::new();
    let wrong = |task: &str, expected: &str| {
        let (done, said) = project.plan(task);
        assert!(!done && said.contains(expected), "{task}: {said}");
    };
    wrong(":app:clases", "'clases' not found in project ':app'");
    wrong("help", "compiles no Java of a module's main sources");
    wrong(":lib:classes", ":lib says no class with `main`");
    project.write("lib/src/main/java/lib/Steps.java", "package lib;\nclass Steps { int x = }\n");
    wrong("classes", "Steps.java:2: error: illegal start of expression");
    fs::remove_file(project.path("settings.gradle")).unwrap();
    wrong("classes", "is no folder of a Gradle project");
}

/// The same for the Android plugin, with an SDK put together by the script; it says what
/// isn't installed.
#[test]
#[ignore = "by day no Gradle is installed; scripts/nightly.sh runs it"]
fn an_android_module_is_packaged_with_probes() {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/android-module.sh");
    let output =
        Command::new("sh").arg(script).arg(folder.path()).env("WATTLINE", WATTLINE).output();
    let output = output.unwrap();
    let told = said(&output);
    if output.status.code() == Some(4) {
        return crate::skip::because(told.trim());
    }
    assert!(output.status.success(), "{told}");
    let sources = folder.path().join("module/build/wattline/sources");
    let operations = fs::read_to_string(sources.join("operations.csv")).unwrap();
    for call in ["lib:android.app.Activity.setTitle", "lib:greet.Greeter.greet"] {
        assert!(operations.contains(call), "{call} is resolved: {operations}");
    }
    packages_have_other_code_and_nothing_else(folder.path());
}

/// `wattline package --gradle` of the same module: the plugin's package with a variant's
/// classes.
fn packages_have_other_code_and_nothing_else(folder: &Path) {
    let module = folder.join("module");
    fs::write(module.join("gradle.properties"), "org.gradle.daemon=false\n").unwrap();
    let package = |task: &str, out: &str, more: &[&str]| {
        Command::new(WATTLINE)
            .args(["package", "--gradle", task, "--project"])
            .arg(&module)
            .arg("--out")
            .arg(folder.join(out))
            .args(more)
            .env("ANDROID_HOME", folder.join("sdk"))
            .env("ANDROID_SDK_HOME", folder.join("home"))
            .env("GRADLE_USER_HOME", folder.join("home"))
            .output()
            .unwrap()
    };
    let whole = package("assembleDebug", "whole", &[]);
    let told = said(&whole);
    if told.contains("Maven could not fetch") || told.contains("`mvn` is not on") {
        return crate::skip::because(&told);
    }
    assert!(whole.status.success(), "{told}");
    let blocks = fs::read_to_string(folder.join("whole/blocks.csv")).unwrap();
    let body = blocks.lines().find(|line| line.contains(",for_body,")).unwrap();
    let id = body.split(',').next().unwrap();
    let lean = package("assembleDebug", "lean", &["--remove", id]);
    assert!(lean.status.success(), "{}", said(&lean));
    let built = entries(&module.join("build/outputs/apk/demo-debug.apk"));
    let [whole, lean] =
        ["whole", "lean"].map(|out| entries(&folder.join(out).join("application.apk")));
    for package in [&whole, &lean] {
        let others = |entries: &[(String, Vec<u8>)]| -> Vec<(String, Vec<u8>)> {
            let is_other = |name: &str| !name.ends_with(".dex") && !name.starts_with("META-INF/");
            entries.iter().filter(|(name, _)| is_other(name)).cloned().collect()
        };
        assert_eq!(others(package), others(&built), "all else is as it was");
        let code = code_of(package);
        for class in ["Ldemo/Main;", "Lgreet/Greeter;"] {
            assert!(code.windows(class.len()).any(|at| at == class.as_bytes()), "{class}");
        }
    }
    assert!(code_of(&lean).len() < code_of(&whole).len(), "statements are left out");
    let counted = said(&package("assembleDebug", "counted", &["--probe", "count"]));
    assert!(counted.contains("blocks are counted"), "{counted}");
    assert!(counted.contains("demo.app.wattline/org.wattline.runner.Runner"), "{counted}");
}

fn entries(package: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(fs::File::open(package).unwrap()).unwrap();
    let count = archive.len();
    let entry = |index: usize| {
        let mut entry = archive.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(entry).collect()
}

fn code_of(package: &[(String, Vec<u8>)]) -> &[u8] {
    &package.iter().find(|(name, _)| name == "classes.dex").unwrap().1
}
