//! Projects of Maven as they are, by `--maven`: what their builds say, in several modules, with
//! encodings, processors and generated sources; and what is wrong with them.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use super::host::said;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

/// A Maven that starts sooner than it would pay to compile it well.
const BRIEF_JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto";

const ROOT: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>demo</artifactId><version>1</version>
  <packaging>pom</packaging>
  <modules><module>marks</module><module>lib</module><module>app</module></modules>
  <properties>
    <maven.compiler.source>1.8</maven.compiler.source>
    <maven.compiler.target>1.8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <build><pluginManagement><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId>
    <version>3.13.0</version>
  </plugin></plugins></pluginManagement></build>
</project>
"#;

/// A module's file: its dependencies and its own configuration of the build.
fn pom(name: &str, dependencies: &[(&str, &str)], build: &str) -> String {
    let dependencies: String = dependencies
        .iter()
        .map(|(name, scope)| {
            format!(
                "<dependency><groupId>org.example</groupId><artifactId>{name}</artifactId>\
                 <version>1</version><scope>{scope}</scope></dependency>"
            )
        })
        .collect();
    format!(
        r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.example</groupId><artifactId>demo</artifactId><version>1</version></parent>
  <artifactId>{name}</artifactId>
  <dependencies>{dependencies}</dependencies>
  <build><plugins>{build}</plugins></build>
</project>
"#
    )
}

fn compiler(configuration: &str) -> String {
    format!(
        "<plugin><groupId>org.apache.maven.plugins</groupId>\
         <artifactId>maven-compiler-plugin</artifactId>\
         <configuration>{configuration}</configuration></plugin>"
    )
}

const APP_COMPILER: &str = "<release>11</release><parameters>true</parameters>\
     <excludes><exclude>demo/Left.java</exclude></excludes>\
     <compilerArgs><arg>-Aof=Maven</arg><arg>-Xlint:all</arg></compilerArgs>";
/// The end of the library's file: its encoding, and another one by a profile.
const LETTERS: &str = "<properties><letters>windows-1252</letters></properties>
  <profiles><profile><id>other-letters</id>
    <properties><letters>ISO-8859-1</letters></properties></profile></profiles>
</project>";
const STARTS: &str = "<plugin><groupId>org.apache.maven.plugins</groupId>\
     <artifactId>maven-jar-plugin</artifactId><configuration><archive><manifest>\
     <mainClass>demo.Main</mainClass></manifest></archive></configuration></plugin>";

const APPLICATION: &str = "package demo;

import lib.Steps;
import marks.Mark;

@Mark
public class Main {
    public static void main(String[] arguments) throws Exception {
        long sum = 0;
        System.out.println(\"wattline: begin\");
        for (int i = 1; i < 50; i++) {
            if (i % 2 == 0) {
                sum += Steps.of(i);
            } else {
                sum -= i;
            }
        }
        System.out.println(sum + Steps.UNIT.length() + MainMade.of());
        System.out.println(Main.class.getMethods()[0].getParameters()[0].getName());
        System.out.println(new String(Main.class.getResourceAsStream(\"/text\").readAllBytes()));
        System.out.println(\"wattline: end\");
    }
}
";

/// In windows-1252, where the sign for micro and that for the euro are a byte each.
const LIBRARY: &[u8] = b"package lib;

public final class Steps {
    public static final String UNIT = \"\xb5J \x80\";

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

const MARK: &str = "package marks;\npublic @interface Mark {}\n";
const PROCESSOR: &str = "package marks;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.element.*;

@SupportedAnnotationTypes(\"marks.Mark\")
public class MarkProcessor extends AbstractProcessor {
    @Override
    public boolean process(Set<? extends TypeElement> found, RoundEnvironment round) {
        for (Element element : round.getElementsAnnotatedWith(Mark.class)) {
            String name = element.getSimpleName() + \"Made\";
            try (Writer to = processingEnv.getFiler().createSourceFile(\"demo.\" + name).openWriter()) {
                to.write(\"package demo; class \" + name + \" { static int of() { return 7; } }\");
            } catch (IOException error) {
                throw new RuntimeException(error);
            }
        }
        return true;
    }
}
";

/// A root, an application, a library in another encoding, and a processor of annotations.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// The project, built once with a network, since wattline builds without. None where what
    /// its build needs can't be had.
    fn new() -> Option<Project> {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        let app = compiler(APP_COMPILER) + STARTS;
        let app = pom("app", &[("lib", "compile"), ("marks", "provided")], &app);
        let lib = compiler("<encoding>${letters}</encoding>");
        let lib = pom("lib", &[], &lib).replace("</project>", LETTERS);
        let service = "META-INF/services/javax.annotation.processing.Processor";
        for (name, text) in [
            ("pom.xml", ROOT),
            ("app/pom.xml", &app),
            ("app/src/main/java/demo/Main.java", APPLICATION),
            ("app/src/main/java/demo/Left.java", "package demo;\nclass Left { no Java }\n"),
            ("app/src/main/resources/text", "text of resources"),
            ("lib/pom.xml", &lib),
            ("marks/pom.xml", &pom("marks", &[], &compiler("<proc>none</proc>"))),
            ("marks/src/main/java/marks/Mark.java", MARK),
            ("marks/src/main/java/marks/MarkProcessor.java", PROCESSOR),
            (&format!("marks/src/main/resources/{service}"), "marks.MarkProcessor\n"),
        ] {
            project.write(name, text);
        }
        project.write("lib/src/main/java/lib/Steps.java", LIBRARY);
        // Plugins are fetched into a folder that takes one Maven at a time.
        static FETCHES: Mutex<()> = Mutex::new(());
        let alone = FETCHES.lock().unwrap_or_else(PoisonError::into_inner);
        let built = project.mvn(&["process-classes"]);
        drop(alone);
        match built.as_ref().map(|built| built.status.success()) {
            Ok(true) => Some(project),
            Ok(false) => {
                crate::skip::because(said(&built.unwrap()));
                None
            }
            Err(error) => {
                crate::skip::because(format!("mvn: {error}"));
                None
            }
        }
    }

    fn mvn(&self, arguments: &[&str]) -> std::io::Result<Output> {
        let mut maven = Command::new("mvn");
        maven.args(["-B", "-q"]).args(arguments).env("MAVEN_OPTS", BRIEF_JVM);
        maven.current_dir(self.path("")).output()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn out(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("out").join(name)).unwrap()
    }

    /// A command on a module, with what it said.
    fn wattline(&self, command: &str, module: &str, more: &[&str]) -> (bool, String) {
        let output = Command::new(WATTLINE)
            .args([command, "--force", "--maven", module, "--project"])
            .arg(self.path(""))
            .arg("--out")
            .arg(self.folder.path().join("out"))
            .args(more)
            .env("MAVEN_OPTS", BRIEF_JVM)
            .output()
            .unwrap();
        (output.status.success(), said(&output))
    }
}

#[test]
fn a_project_is_read_by_its_own_build() {
    let Some(project) = Project::new() else { return };
    a_module_is_planned_without_a_scenario(&project);
    the_same_program_runs_with_probes(&project);
    a_scan_is_that_of_the_sources_with_their_encoding_and_class_path(&project);
    what_the_own_file_says_wrong_is_told_of_it(&project);
}

fn a_module_is_planned_without_a_scenario(project: &Project) {
    let (done, said) = project.wattline("plan", "app", &[]);
    assert!(done, "{said}");
    let files = "3 Java files of org.example:app, org.example:lib, 1 of them generated";
    assert!(said.contains(files), "{said}");
    let blocks = project.out("blocks.csv");
    for file in ["demo/Main.java", "demo/MainMade.java", "lib/Steps.java"] {
        assert!(blocks.contains(file), "{file}: {blocks}");
    }
    assert!(!blocks.contains("Left") && !blocks.contains("MarkProcessor"), "{blocks}");
    assert!(project.out("plan.csv").lines().count() > 2, "variants ran on this machine");
    let scenario = project.out("maven/scenario.toml");
    for line in [
        "main = \"demo.Main\"",
        "java_release = 11",
        "parameters = true",
        "javac_options = [\"-Aof=Maven\"]",
        "encoding = \"windows-1252\"",
    ] {
        assert!(scenario.contains(line), "{line}: {scenario}");
    }
    // A second time all is up to date, and told again; `./app` is the same module.
    let (done, said) = project.wattline("plan", "./app", &[]);
    assert!(done && said.contains(files), "{said}");
    assert_eq!(project.out("maven/scenario.toml").replace("./app", "app"), scenario);
}

fn the_same_program_runs_with_probes(project: &Project) {
    let path = ["app", "lib"].map(|name| project.path(&format!("{name}/target/classes")));
    let path = path.map(|path| path.display().to_string()).join(":");
    let plain = Command::new("java").args(["-cp", &path, "demo.Main"]).output().unwrap();
    let plain = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(plain.contains("arguments\ntext of resources\n"), "{plain}");
    let (done, said) = project.wattline("trace", "app", &[]);
    assert!(done && said.contains(&plain), "its main is the build's: {plain}: {said}");
    let blocks = project.out("blocks.csv");
    let body = blocks.lines().find(|line| line.contains(",for_body,")).unwrap();
    let id = body.split(',').next().unwrap();
    let counts = project.out("counts.csv");
    let counted =
        counts.lines().any(|line| line.starts_with(&format!("{id},")) && line.ends_with(",49"));
    assert!(counted, "{blocks}\n{counts}");
}

fn a_scan_is_that_of_the_sources_with_their_encoding_and_class_path(project: &Project) {
    let (done, told) = project.wattline("scan", "org.example:lib", &[]);
    assert!(done, "{told}");
    let of_build = project.out("operations.csv");
    let output = Command::new(WATTLINE)
        .args(["scan", "--force", "--encoding", "windows-1252"])
        .arg(project.path("lib/src/main/java"))
        .arg("--out")
        .arg(project.folder.path().join("out"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(project.out("operations.csv"), of_build);
    let (done, told) = project.wattline("instrument", "app", &[]);
    assert!(done, "{told}");
    assert!(project.out("demo/Main.java").contains("wattline"), "probes are in");
    assert!(
        project.out("lib/Steps.java").contains("\u{b5}J \u{20ac}"),
        "letters are those of the file"
    );
    let findings = project.out("findings.csv");
    assert!(!findings.contains("unresolved"), "the class path is that of the build: {findings}");
    let profile = ["--build-option=-Pother-letters"];
    let (done, told) = project.wattline("instrument", "lib", &profile);
    assert!(done, "{told}");
    let steps = project.out("lib/Steps.java");
    assert!(steps.contains("\u{b5}J \u{80}"), "the profile reads them otherwise: {steps}");
}

/// Also after the build: the scenario that it gives is made anew each time.
fn what_the_own_file_says_wrong_is_told_of_it(project: &Project) {
    let own = project.folder.path().join("energy.toml");
    fs::write(&own, "[campaign]\ncases = 3\n").unwrap();
    let own = own.display().to_string();
    let (done, told) = project.wattline("pipeline", "app", &[&own]);
    let few = format!("error: {own}: 3 cases are too few");
    assert!(!done && told.contains(&few), "{few}: {told}");
}

#[test]
#[ignore = "by day builds are read that work; scripts/nightly.sh runs it"]
fn what_is_wrong_with_a_build_is_told() {
    let Some(project) = Project::new() else { return };
    let wrong = |module: &str, expected: &str| {
        let (done, said) = project.wattline("plan", module, &[]);
        assert!(!done && said.contains(expected), "{module}: {said}");
    };
    wrong("ap", "has no module ap; name it as `mvn -pl` does");
    wrong(".", "name a module of it (marks, lib, app), as `--maven marks`");
    wrong("lib", "no plugin of org.example:lib says a class with `main`");
    let (done, said) = project.wattline("trace", "lib", &[]);
    let none = "Maven's build of lib says no class with `main`: name one with --main";
    assert!(!done && said.contains(none), "{said}");
    let app = fs::read_to_string(project.path("app/pom.xml")).unwrap();
    let needs = "<dependency><groupId>org.example</groupId><artifactId>gone</artifactId>\
                 <version>9</version></dependency></dependencies>";
    project.write("app/pom.xml", app.replace("</dependencies>", needs));
    wrong("app", "needs artifacts that are not in the local repository");
    wrong("app", "org.example:gone:jar:9");
    wrong("app", "\n  mvn -pl app -am process-classes");
    let late = needs.replace("<version>", "<scope>runtime</scope><version>");
    project.write("app/pom.xml", app.replace("</dependencies>", &late));
    wrong("app", "what it needs at run time is not in the local repository");
    project.write("app/pom.xml", app);
    project.write("lib/src/main/java/lib/Steps.java", "package lib;\nclass Steps { int x = }\n");
    wrong("app", "Steps.java:[2,23] illegal start of expression");
    fs::remove_file(project.path("pom.xml")).unwrap();
    wrong("app", "is no folder of a Maven project: it has no pom.xml");
}

#[test]
#[ignore = "by day builds are read that change nothing; scripts/nightly.sh runs it"]
fn what_changes_classes_after_javac_is_refused_and_warned_of() {
    let Some(project) = Project::new() else { return };
    let weaver = "<plugin><groupId>org.apache.maven.plugins</groupId>\
        <artifactId>maven-antrun-plugin</artifactId><version>3.1.0</version><executions><execution>\
        <id>weave</id><phase>process-classes</phase><goals><goal>run</goal></goals><configuration>\
        <target><echo file=\"target/classes/lib/Steps.class\" append=\"true\">more</echo></target>\
        </configuration></execution></executions></plugin></plugins>";
    let lib = fs::read_to_string(project.path("lib/pom.xml")).unwrap();
    project.write("lib/pom.xml", lib.replace("</plugins>", weaver));
    match project.mvn(&["process-classes"]) {
        Ok(built) if built.status.success() => {}
        built => return crate::skip::because(format!("{:?}", built.map(|built| said(&built)))),
    }
    let why = "maven-antrun-plugin:run (weave) writes classes of Java sources (1 of them, as \
               lib/Steps.class)";
    let (done, said) = project.wattline("plan", "app", &[]);
    assert!(!done && said.contains("another program") && said.contains(why), "{said}");
    let (done, said) = project.wattline("scan", "app", &[]);
    assert!(done && said.contains(why), "{said}");
}
