//! A program whose counts can't be written does what it does without probes.

use std::process::Command;

use super::java::{Build, has_jdk, jdk};
use super::{divided, with};
use crate::host::BRIEF_JAVA;
use wattline::blocks::Granularity;
use wattline::instrument::Probe;
use wattline::java::SourceFile;

/// Threads end before others begin, so that what they have counted is put away.
const PROGRAM: &str = "
class Threads {
    static int sum;
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20; i++) {
            Thread thread = new Thread(() -> { synchronized (Threads.class) { sum++; } });
            thread.start();
            thread.join();
        }
        System.out.println(\"sum \" + sum);
        System.exit(3);
    }
}
";

#[test]
fn a_program_goes_on_where_its_counts_cannot_be_written() {
    if !has_jdk() {
        return;
    }
    let files = [SourceFile::parse("Threads.java", PROGRAM)];
    let blocks = divided(&files, Granularity::Statement);
    for probe in [Probe::Count, Probe::Log, Probe::Window, Probe::Calls] {
        let build = Build::new(&with(&files, &blocks, probe), &[]).expect("it compiles");
        for folder in ["/dev/null/none", "/nowhere/at/all", "/proc"] {
            let mut java = Command::new(jdk().java);
            java.args(BRIEF_JAVA)
                .arg("-cp")
                .arg(build.class_folder())
                .arg("Threads")
                .env("WATTLINE_OUT", folder);
            let output = java.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "sum 20\n", "{folder}: {said}");
            assert_eq!(output.status.code(), Some(3), "{folder}: {said}");
            assert_eq!(said.matches("can't be written").count(), 1, "{folder}: {said}");
        }
    }
}
