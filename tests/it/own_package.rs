//! An application of the user's own build, with layouts, resources, two activities and a service:
//! its package is given the code of variants and nothing else, and measured on the virtual board.

#![allow(clippy::unwrap_used)]

#[path = "own_package/made.rs"]
mod made;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use wattline::run::{RunRecord, read_journal};
use wattline::virtual_board::{AdbdGeneration, BoardFile, BoardOptions};
use zip::{CompressionMethod, ZipArchive};

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, has};
use super::virtual_board::adb::{Adb, options};
use made::{Notes, PACKAGE, STEPS};

/// Bytes; what `zipalign` takes for anything but native libraries, its pages, and those of
/// Android 15.
const ALIGNMENT: u64 = 4;
const OLD_PAGE: u64 = 4096;
const PAGE: u64 = 16384;

/// One that the application is not too new for.
const BOARD: &str = "virtual:pixel";

/// A plan of the base case, which `run` takes as it is.
const PLAN: &str = "case,variant,input,removed,executions,executions_share,energy_share,rank\n\
    base-two,base,two,,10,1,1,1\n";

/// An entry of a package: its place in the order, how it is packed, and its bytes as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    method: CompressionMethod,
    time: Option<zip::DateTime>,
    packed: Vec<u8>,
}

/// The entries of a package in their order, but for code and signature; code has names alone.
/// Native libraries lie at multiples of `page`.
fn entries(apk: &Path, page: u64) -> (Vec<(String, Entry)>, Vec<String>) {
    let bytes = fs::read(apk).unwrap();
    let mut archive = ZipArchive::new(fs::File::open(apk).unwrap()).unwrap();
    let (mut others, mut code) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).unwrap();
        let (name, start) = (entry.name().unwrap().into_owned(), entry.data_start().unwrap());
        let method = entry.compression();
        let unit = if name.ends_with(".so") { page } else { ALIGNMENT };
        assert!(method != CompressionMethod::Stored || start % unit == 0, "{name} at {start}");
        let end = start + entry.compressed_size();
        let packed = bytes[start as usize..end as usize].to_vec();
        let ends = [".SF", ".RSA", ".MF"];
        if name.ends_with(".dex") {
            code.push(name);
        } else if !(name.starts_with("META-INF/") && ends.iter().any(|end| name.ends_with(end))) {
            others.push((name, Entry { method, time: entry.last_modified(), packed }));
        }
    }
    (others, code)
}

/// What real packages have that the application itself does not need to run.
fn mixed() -> Vec<(&'static str, &'static [u8])> {
    vec![
        ("lib/arm64-v8a/libstored.so", b"=\x7fELF mapped as it lies"),
        ("lib/arm64-v8a/libpacked.so", b"\x7fELF unpacked at installation, at installation"),
        ("assets/odd", b"=o"),
        ("assets/classes3.dex.txt", b"no code"),
        ("META-INF/services/a.B", b"a.C\n"),
        ("META-INF/app_release.kotlin_module", b"\0\0\0\x03"),
        ("kotlin/kotlin.kotlin_builtins", b"\0\0\0\x01"),
        ("res/raw/bell.ogg", b"=OggS and more"),
    ]
}

#[test]
fn all_but_code_and_signature_stays_and_is_aligned() {
    if !has(&["aapt", "dexdump"]) {
        return;
    }
    let Some(notes) = Notes::new(&mixed()) else { return };
    let wattline = env!("CARGO_BIN_EXE_wattline");
    let whole = notes.run(wattline, &["package", "notes.toml", "--out", "whole"]);
    let (had, had_code) = entries(&notes.path("notes.apk"), OLD_PAGE);
    let (has, has_code) = entries(&notes.path("whole/application.apk"), PAGE);
    assert_eq!((had_code.len(), has_code.first().map(String::as_str)), (2, Some("classes.dex")));
    let (had_names, has_names): (Vec<_>, Vec<_>) =
        (had.iter().map(|(name, _)| name).collect(), has.iter().map(|(name, _)| name).collect());
    assert_eq!(has_names, had_names, "in their order");
    assert_eq!(has, had, "byte for byte");
    let beside_manifest = format!("{} other files as before", had.len() - 1);
    assert!(whole.contains(&beside_manifest), "{whole}");

    // Android's own tools find the same application, its new signature, and all of its classes.
    let badging = |apk: &str| notes.run("aapt", &["dump", "badging", apk]);
    assert_eq!(badging("whole/application.apk"), badging("notes.apk"));
    notes.run("zipalign", &["-c", "-p", "4", "whole/application.apk"]);
    let signer = |apk: &str| {
        let said = notes.run("apksigner", &["verify", "-v", "--print-certs", apk]);
        assert!(said.contains("v2 scheme (APK Signature Scheme v2): true"), "{said}");
        assert!(said.contains("v3 scheme (APK Signature Scheme v3): true"), "{said}");
        let line = said.lines().find(|line| line.contains("certificate SHA-256")).unwrap();
        line.to_owned()
    };
    assert_eq!(signer("whole/application.apk"), signer("whole/runner.apk"), "one key for both");
    assert_ne!(signer("whole/application.apk"), signer("notes.apk"));
    let package = fs::File::open(notes.path("whole/application.apk")).unwrap();
    let mut package = ZipArchive::new(package).unwrap();
    let mut dex = Vec::new();
    package.by_name("classes.dex").unwrap().read_to_end(&mut dex).unwrap();
    fs::write(notes.path("classes.dex"), dex).unwrap();
    let code = notes.run("dexdump", &["classes.dex"]);
    for class in ["Lorg/example/notes/ListActivity;", "Lkeep/Untouched;", "Lnotes/RowView;"] {
        assert!(code.contains(class), "{class}");
    }
    assert!(!code.contains("Lorg/wattline/"), "the runner is in a package of its own");

    // Probes, and a second time the same bytes.
    let counted = notes.run(wattline, &["package", "notes.toml", "--probe", "count", "--out", "p"]);
    assert!(counted.contains("blocks are counted"), "{counted}");
    assert!(
        counted.contains(&format!("{PACKAGE}.wattline/org.wattline.runner.Runner")),
        "{counted}"
    );
    assert_eq!(entries(&notes.path("p/application.apk"), PAGE).0, had);
    notes.run(wattline, &["package", "notes.toml", "--probe", "count", "--out", "p", "--force"]);
    let again = notes.run(wattline, &["package", "notes.toml", "--out", "again"]);
    assert!(!again.is_empty());
    let bytes = |file: &str| fs::read(notes.path(file)).unwrap();
    assert!(bytes("again/application.apk") == bytes("whole/application.apk"));
}

/// Energy of the lines of a file, in joules.
fn spent(out: &Path, file: &str) -> f64 {
    let lines = fs::read_to_string(out.join("accounts/lines.csv")).unwrap();
    let of_file = lines.lines().filter(|line| line.contains(&format!("/{file}.java,")));
    of_file.map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap()).sum()
}

#[test]
#[ignore = "by day a command starts the same application; scripts/nightly.sh runs it"]
fn two_activities_a_view_and_a_service_are_measured_line_by_line() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let Some(notes) = Notes::new(&[]) else { return };
    let (adb, out) = (AdbServer::new(), notes.path("out"));
    let [scenario, folder] = [&notes.path("notes.toml"), &out].map(|p| p.display().to_string());
    let words = ["pipeline", &scenario, "--board", BOARD, "--out", &folder];
    let (code, said) = answer(adb.wattline(&words));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("notes.apk is not profileable"), "{said}");
    let names = ["EditActivity", "IndexService", "ListActivity", "NotesApplication"];
    let energies: BTreeMap<&str, f64> =
        names.iter().map(|name| (*name, spent(&out, name))).collect();
    assert!(names.iter().all(|name| energies[name] > 0.0), "{energies:?}");
    assert!(energies["EditActivity"] > energies["ListActivity"], "{energies:?}");
    assert!(energies["IndexService"] > energies["ListActivity"], "{energies:?}");
    let log = log_of(&out);
    for line in [
        "list Notes 12",
        "index 3",
        "edit note 1 of Notes",
        "edit note 2 of Notes",
        "back 3 -1 sum",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    let evaluation = fs::read_to_string(out.join("evaluation.csv")).unwrap();
    let of_lines = evaluation.lines().find(|line| line.starts_with("line,")).unwrap();
    let median: f64 = of_lines.split(',').nth(3).unwrap().parse().unwrap();
    assert!(median < 0.5, "{evaluation}");
}

/// What is in the log of the base case's power run, which is a good one.
fn log_of(out: &Path) -> String {
    let records = read_journal(out).unwrap();
    let is_base = |record: &&RunRecord| record.run.id() == "base-two-power-1";
    let power = records.iter().find(is_base).unwrap();
    assert!(power.is_good(), "{:?}", power.verdict);
    let file = out.join("runs").join(&power.folder).join("logcat.txt.zst");
    String::from_utf8(zstd::decode_all(fs::File::open(file).unwrap()).unwrap()).unwrap()
}

#[test]
fn a_command_starts_and_drives_it() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let Some(notes) = Notes::new(&[]) else { return };
    let start = "adb shell am start -n $WATTLINE_PACKAGE/.ListActivity --es size 7; \
                 adb shell sleep 1; adb shell input tap 640 690; adb shell sleep 2";
    notes.write_scenario("start = 'command'\n", &format!("input_command = '{start}'\n"), "");
    let (adb, out) = (AdbServer::new(), notes.path("out"));
    let [scenario, folder] = [&notes.path("notes.toml"), &out].map(|p| p.display().to_string());
    fs::create_dir(&out).unwrap();
    fs::write(out.join("plan.csv"), PLAN).unwrap();
    let words = ["run", &scenario, "--board", BOARD, "--out", &folder];
    let (code, said) = answer(adb.wattline(&words));
    assert_eq!(code, Some(0), "{said}");
    let log = log_of(&out);
    for line in ["list Notes 7", "edit note 1 of Notes", "back 3 -1 sum"] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

/// What its own context and that of the application find under the same names.
const WATCHER: &str = "package org.example.watcher;
import android.content.Context;
import android.os.Bundle;
public class Watcher extends android.app.Instrumentation {
  @Override
  public void onCreate(Bundle arguments) {
    Bundle found = new Bundle();
    found.putString(\"own\", label(getContext()));
    found.putString(\"target\", label(getTargetContext()));
    finish(-1, found);
  }

  private static String label(Context of) {
    int id = of.getResources().getIdentifier(\"label\", \"string\", of.getPackageName());
    return of.getPackageName() + \" \" + of.getString(id);
  }
}
";

#[test]
fn each_of_two_packages_has_its_own_resources() {
    let Some(notes) = Notes::new(&[]) else { return };
    let values = "<resources><string name=\"label\">Watcher</string></resources>";
    notes.add_watcher(values, WATCHER);
    let board = BoardFile::built_in("pixel").unwrap();
    let adb = Adb::of(BoardOptions { board, ..options(AdbdGeneration::Modern) });
    for apk in ["notes.apk", "watcher.apk"] {
        let installed = adb.run(&["install", notes.path(apk).to_str().unwrap()]);
        assert_eq!(installed.code, 0, "{}{}", installed.stdout, installed.stderr);
    }
    let said = adb.shell("am instrument -w -r org.example.watcher/.Watcher");
    for line in ["own=org.example.watcher Watcher", "target=org.example.notes Notes"] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn what_cannot_be_measured_so_is_refused_before_anything_is_built() {
    let Some(notes) = Notes::new(&[]) else { return };
    let refused = |start: &str, board: &str, expected: &str| {
        notes.write_scenario(start, "", STEPS);
        let words = ["run", "notes.toml", "--out", "out", "--board", board];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wattline"));
        let output = command.args(words).current_dir(notes.folder.path()).output().unwrap();
        let (code, said) = answer(output);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains(expected), "{expected}: {said}");
    };
    refused("", "jvm", "runs on a board with Android alone");
    refused("activity = '.Lost'\n", "virtual", "\"org.example.notes.Lost\", which its manifest");
    refused("main = 'a.B'\n", "virtual", "`application.main` goes without `apk`");
    fs::copy(notes.path("base.apk"), notes.path("notes.apk")).unwrap();
    let text = fs::read_to_string(notes.path("notes.toml")).unwrap();
    fs::write(notes.path("notes.toml"), text.replace("main = 'a.B'\n", "")).unwrap();
    fs::write(notes.path("notes.apk"), "no archive").unwrap();
    refused("", "virtual", "notes.apk");
}
