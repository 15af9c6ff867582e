//! Test that code in every package only uses API of old Android releases.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile_runner;
use crate::blocks::Granularity;
use crate::build::{AnalysedApplication, Sources, VariantBuilder};
use crate::instrument::Probe;
use crate::skip;
use crate::toolchain::artifact::{fetch, hash_of};
use crate::toolchain::{Jdk, android, asm, jar};

const SNIFFER: (&str, &str) = (
    "org.codehaus.mojo:animal-sniffer:1.23",
    "a175ba9f939bca4b7066961842507dd5d25ad4236249c13cfbd3407ae436dedd",
);
/// Signature of all classes and members of Android 4.4.
const API_19: (&str, &str) = (
    "net.sf.androidscents.signature:android-api-level-19:4.4.2_r4:signature",
    "e4648e1ce0dfe7eb88989d9024f3970c922c83c1dcca9dc07a820a51f4c7013a",
);

/// Java program that prints the uses, by classes in a folder, of API outside of a signature.
const CHECK: &str = r#"
import java.io.File;
import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.HashSet;
import org.codehaus.mojo.animal_sniffer.ClassListBuilder;
import org.codehaus.mojo.animal_sniffer.SignatureChecker;
import org.codehaus.mojo.animal_sniffer.logging.PrintWriterLogger;

public class Check {
    public static void main(String[] words) throws Exception {
        PrintWriterLogger log = new PrintWriterLogger(System.out);
        File classes = new File(words[1]);
        ClassListBuilder own = new ClassListBuilder(log);
        own.process(classes);
        SignatureChecker checker = new SignatureChecker(
                new FileInputStream(words[0]), new HashSet<>(own.getPackages()), log);
        checker.setSourcePath(new ArrayList<>());
        checker.process(classes);
        System.out.println(checker.isSignatureBroken() ? "BROKEN" : "KEPT");
    }
}
"#;

/// Path of the signature file, fetched by the user's Maven.
fn signature(folder: &Path) -> Option<PathBuf> {
    let copied = Command::new("mvn")
        .args(["-B", "-q", "dependency:copy"])
        .arg(format!("-Dartifact={}", API_19.0))
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .current_dir(folder)
        .output();
    let file = folder.join("android-api-level-19-4.4.2_r4.signature");
    let is_there = copied.is_ok_and(|output| output.status.success()) && file.is_file();
    if is_there {
        assert_eq!(hash_of(&file).unwrap(), API_19.1);
        return Some(file);
    }
    skip::because("Maven could not fetch the signature of Android 4.4");
    None
}

/// Output of the check of some classes.
fn check(jars: &[PathBuf], signature: &Path, folder: &Path) -> String {
    let source = folder.with_file_name("Check.java");
    fs::write(&source, CHECK).unwrap();
    let class_path = std::env::join_paths(jars).unwrap();
    let mut java = Command::new("java");
    java.arg("-cp").arg(class_path).arg(source).arg(signature).arg(folder);
    let output = java.output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn runner_and_probes_use_nothing_that_android_4_4_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let jdk = match Jdk::find() {
        Ok(jdk) => jdk,
        Err(error) => return skip::because(error),
    };
    let fetched = android::platform_jar().and_then(|platform| {
        let mut jars = asm::all_jars()?;
        jars.push(fetch(SNIFFER.0, SNIFFER.1)?);
        Ok((platform, jars))
    });
    let (platform, jars) = match fetched {
        Ok(fetched) => fetched,
        Err(error) => return skip::because(error),
    };
    let Some(signature) = signature(folder.path()) else { return };
    let runner = compile_runner(&jdk, &platform, &[], 8, &folder.path().join("runner")).unwrap();
    let text = |body: &str| {
        vec![(
            "a/A.java".to_owned(),
            format!("package a;\nclass A {{ void run() {{ {body} }} }}\n"),
        )]
    };
    let of = |body: &str, probe: Probe| {
        let sources = Sources::of_texts(text(body));
        let application = AnalysedApplication::analyse(sources, Granularity::Expression).unwrap();
        let mut builder = VariantBuilder::new(&application, &jdk, Some(8)).unwrap();
        builder.build(&BTreeSet::new(), probe).unwrap().classes
    };
    let ours = folder.path().join("ours");
    jar::write_folder(&ours, &runner).unwrap();
    for probe in [Probe::Count, Probe::Window, Probe::Calls] {
        jar::write_folder(&ours, &of("int i = 0; while (i < 3) i++;", probe)).unwrap();
        let said = check(&jars, &signature, &ours);
        assert!(said.ends_with("KEPT\n"), "{probe:?}: {said}");
    }
    // Streams came with Android 7.
    let newer = folder.path().join("newer");
    let streams = of("java.util.Arrays.asList(1).stream().count();", Probe::Plain);
    jar::write_folder(&newer, &streams).unwrap();
    let said = check(&jars, &signature, &newer);
    assert!(said.ends_with("BROKEN\n"), "{said}");
}
