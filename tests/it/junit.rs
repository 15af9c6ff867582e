//! The extension for JUnit 5 (`integrations/junit5`): a project with tests of known work, built by
//! Maven, measured by this build of the program.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use walkdir::WalkDir;
use wattline::account::Femtojoules;

use super::host::{has, said};

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");
const EXTENSION: &str = "integrations/junit5";

/// A Maven that starts sooner than it would pay to compile it well.
const BRIEF_JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto";

const ROOT: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>demo</artifactId><version>1</version>
  <packaging>pom</packaging>
  <modules><module>extension</module><module>application</module></modules>
</project>
"#;

const APPLICATION: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.example</groupId><artifactId>demo</artifactId><version>1</version></parent>
  <artifactId>application</artifactId>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version><scope>test</scope></dependency>
    <dependency><groupId>org.wattline</groupId><artifactId>wattline-junit5</artifactId>
      <version>VERSION</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins>
    <plugin><groupId>org.apache.maven.plugins</groupId>
      <artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
    <plugin><groupId>org.apache.maven.plugins</groupId>
      <artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
  </plugins></build>
</project>
"#;

/// `heavy` does four times the work of `light`.
const TESTS: &str = "package demo;

import org.junit.jupiter.api.Test;
import org.wattline.junit.Energy;

class WorkTest {
    static volatile long sink;

    static void work(int parts) {
        long sum = sink;
        for (long i = 0; i < parts * 60_000_000L; i++) {
            sum += Long.numberOfTrailingZeros(i ^ sum);
        }
        sink = sum;
    }

    @Test
    @Energy(repeats = 3, warmUps = 2)
    void light() {
        work(1);
    }

    @Test
    @Energy(repeats = 3, warmUps = 2)
    void heavy() {
        work(4);
    }

    @Test
    @Energy(repeats = 6, warmUps = 1, budgetJoules = 1e-9)
    void over() {
        work(1);
    }

    @Test
    @Energy(budgetJoules = 1e-9)
    void undecided() {
        work(1);
    }
}
";

type Row = BTreeMap<String, String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The extension as it is, and an application that uses it.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        project.copy_extension();
        project.write("pom.xml", ROOT);
        project.write("application/pom.xml", &APPLICATION.replace("VERSION", version().trim()));
        project.write("application/src/test/java/demo/WorkTest.java", TESTS);
        project
    }

    fn copy_extension(&self) {
        let from = root().join(EXTENSION);
        let files = WalkDir::new(&from).into_iter().filter_entry(|e| e.file_name() != "target");
        for file in files.map(Result::unwrap).filter(|entry| entry.file_type().is_file()) {
            let name = Path::new("extension").join(file.path().strip_prefix(&from).unwrap());
            let to = self.path(name.to_str().unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file.path(), to).unwrap();
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn mvn(&self, arguments: &[&str]) -> Output {
        let mut maven = Command::new("mvn");
        maven.args(["-B"]).args(arguments).env("MAVEN_OPTS", BRIEF_JVM);
        maven.current_dir(self.0.path()).output().unwrap()
    }

    fn out(&self, name: &str) -> PathBuf {
        self.path("application/target/wattline-junit").join(name)
    }

    /// Rows of the results by test.
    fn rows(&self) -> BTreeMap<String, Row> {
        let rows = csv::Reader::from_path(self.out("energy-tests.csv")).unwrap().into_deserialize();
        rows.map(|row| row.unwrap()).map(|row: Row| (row["test"].clone(), row)).collect()
    }
}

/// The version in the extension's `pom.xml`.
fn version() -> String {
    let pom = fs::read_to_string(root().join(EXTENSION).join("pom.xml")).unwrap();
    let after = pom.split("<artifactId>wattline-junit5</artifactId>").nth(1).unwrap();
    let (_, from) = after.split_once("<version>").unwrap();
    from.split('<').next().unwrap().to_owned()
}

#[test]
fn the_extension_has_the_version_of_the_program() {
    assert_eq!(version(), env!("CARGO_PKG_VERSION"));
}

#[test]
#[ignore = "it builds two projects by Maven; scripts/nightly.sh runs it"]
fn tests_of_a_project_are_measured() {
    if !has(&["mvn", "javac"]) {
        return;
    }
    let project = Project::new();
    let built = project.mvn(&["test-compile"]);
    if !built.status.success() {
        return crate::skip::because(said(&built));
    }
    own_tests_of_the_extension_pass(&project);
    energy_follows_work_and_a_breach_fails_the_build(&project);
    a_missing_program_is_told(&project);
}

fn own_tests_of_the_extension_pass(project: &Project) {
    let tested = project.mvn(&["test", "-pl", "extension"]);
    assert!(tested.status.success(), "{}", said(&tested));
}

fn energy_follows_work_and_a_breach_fails_the_build(project: &Project) {
    let program = format!("-Dwattline.program={WATTLINE}");
    let only = ["test", "-am", "-pl", "application", "-Dtest=WorkTest", "-Dwattline.tdp=65"];
    let more = ["-Dsurefire.failIfNoSpecifiedTests=false", &program];
    let tested = project.mvn(&[&only[..], &more[..]].concat());
    let told = said(&tested);
    assert!(!tested.status.success() && told.contains("BUILD FAILURE"), "{told}");
    assert!(told.contains("lies above the budget of 1 nJ, estimated by"), "{told}");
    assert!(told.contains("Tests run: 4, Failures: 1, Errors: 0"), "one is over: {told}");
    assert!(told.contains("wattline: energy of an invocation of each test"), "{told}");
    let rows = project.rows();
    let joules = |test: &str| rows[test]["energy_j"].parse::<f64>().unwrap();
    let ratio = joules("demo.WorkTest.heavy") / joules("demo.WorkTest.light");
    assert!((2.5..6.5).contains(&ratio), "four times the work: {ratio}, {rows:?}");
    assert_eq!(rows["demo.WorkTest.over"]["verdict"], "over");
    assert_eq!(rows["demo.WorkTest.undecided"]["verdict"], "undecided");
    assert_eq!(rows["demo.WorkTest.undecided"]["low_j"], "", "one run has no interval");
    for row in rows.values() {
        assert!(["measured", "estimated"].contains(&row["basis"].as_str()), "{row:?}");
        assert_ne!(row["meter"], "", "{row:?}");
    }
    rows_add_up_to_the_recording(project, &rows);
    let xml = fs::read_to_string(project.out("TEST-energy.xml")).unwrap();
    assert!(xml.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{xml}");
}

/// Tests and remainders add up to the process, and the process is that of the recording.
fn rows_add_up_to_the_recording(project: &Project, rows: &BTreeMap<String, Row>) {
    let total = |row: &Row| Femtojoules::parse(&row["total_j"]).unwrap();
    let process = total(&rows["(process)"]);
    let parts = rows.values().filter(|row| row["test"] != "(process)");
    assert_eq!(parts.map(total).sum::<Femtojoules>(), process, "{rows:?}");
    let mut recorded = csv::Reader::from_path(project.out("recording/processes.csv")).unwrap();
    let recorded: Vec<Row> = recorded.deserialize().map(Result::unwrap).collect();
    let mut by_process: BTreeMap<&str, Femtojoules> = BTreeMap::new();
    for row in &recorded {
        let energy = Femtojoules::parse(&row["cpu_j"]).unwrap();
        let sum = by_process.entry(&row["pid"]).or_default();
        *sum += energy;
    }
    assert!(by_process.values().any(|sum| *sum == process), "{process:?}: {by_process:?}");
}

fn a_missing_program_is_told(project: &Project) {
    let program = ["-Dwattline.program=/nowhere", "-Dwattline.missing=fail"];
    let only = ["test", "-am", "-pl", "application", "-Dtest=WorkTest"];
    let more = ["-Dsurefire.failIfNoSpecifiedTests=false"];
    let tested = project.mvn(&[&only[..], &more[..], &program[..]].concat());
    let told = said(&tested);
    assert!(!tested.status.success(), "{told}");
    let message = "the parameter wattline.program names /nowhere, which is no program that you \
                   can execute: correct it";
    assert!(told.contains(message), "{told}");
    assert_eq!(project.rows()["demo.WorkTest.light"]["energy_j"], "", "no figure");
}
