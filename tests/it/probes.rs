//! Probes and removal against the local javac and JVM: annotated targets run before
//! and after, and a whole source tree, if one is named.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use wattline::blocks::{BlockId, FileBlocks, Granularity, divide};
use wattline::instrument::{GeneratedFile, Instrumented, Options, Probe, instrument, removable};
use wattline::java::SourceFile;

fn has_jdk() -> bool {
    let found = Command::new("javac").arg("-version").output().is_ok_and(|o| o.status.success());
    if !found {
        println!("skipped: there is no javac on the path");
    }
    found
}

/// Writes `files` and `runtime` below `folder` and compiles them.
fn compile(folder: &Path, instrumented: &Instrumented, options: &[&str]) -> Output {
    let write = |file: &GeneratedFile| {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &file.text).unwrap();
        path
    };
    let paths: Vec<PathBuf> =
        instrumented.files.iter().chain(&instrumented.runtime).map(write).collect();
    let classes = folder.join("classes");
    let mut javac = Command::new("javac");
    javac.args(["-proc:none", "-Xmaxerrs", "100000", "-encoding", "UTF-8", "-d"]).arg(&classes);
    javac.args(options).args(&paths).output().unwrap()
}

fn java_files(root: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "java") {
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            // Code for another platform: classes that stand in for others of the tree.
            if relative.contains("gwtemul") || relative.contains("emu/") {
                continue;
            }
            files.push(SourceFile::parse(relative, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files
}

/// The whole tree named by WATTLINE_CORPUS: instrumented, it compiles as before, and
/// so do single and manifold removals.
#[test]
fn a_corpus_compiles_with_probes_and_without_blocks() {
    let Some(root) = std::env::var_os("WATTLINE_CORPUS").filter(|_| has_jdk()) else {
        println!("skipped: WATTLINE_CORPUS names no source tree");
        return;
    };
    let granularity = match std::env::var("WATTLINE_GRANULARITY").as_deref() {
        Ok("expression") => Granularity::Expression,
        _ => Granularity::Statement,
    };
    let time = std::time::Instant::now();
    let files = java_files(Path::new(&root));
    println!("parsed {} files in {:?}", files.len(), time.elapsed());
    let time = std::time::Instant::now();
    let blocks: Vec<FileBlocks<'_>> = files.iter().map(|f| divide(f, granularity)).collect();
    let total: usize = blocks.iter().map(|b| b.blocks.len()).sum();
    println!("{total} blocks in {:?}", time.elapsed());
    for finding in blocks.iter().flat_map(|b| &b.findings) {
        println!("  {}:{} {}", finding.file, finding.line, finding.message);
    }
    let classpath = std::env::var("WATTLINE_CORPUS_CLASSPATH").unwrap_or_default();
    let whole = tempfile::tempdir().unwrap();
    let classpath = format!("{}:{classpath}", whole.path().join("classes").display());
    let options: Vec<&str> = vec!["-nowarn", "-implicit:none", "-cp", &classpath];
    let check = |what: &str, out: &Instrumented| {
        let scratch = tempfile::tempdir().unwrap();
        let folder = if what == "probes" { whole.path() } else { scratch.path() };
        let output = compile(folder, out, &options);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let first: Vec<&str> = errors.lines().filter(|l| l.contains("error")).take(12).collect();
        println!("{what}: {} {}", output.status.success(), first.join("\n    "));
        output.status.success()
    };
    let plain = Options { probe: Probe::Plain, ..Options::default() };
    let plain_compiles = check("plain", &instrument(&files, &blocks, &plain));
    for probe in [Probe::Count, Probe::Log] {
        let time = std::time::Instant::now();
        let out = instrument(&files, &blocks, &Options { probe, ..Options::default() });
        println!("instrumented in {:?}, {} findings", time.elapsed(), out.findings.len());
        for finding in out.findings.iter().take(20) {
            println!("  {}:{} {}", finding.file, finding.line, finding.message);
        }
        let compiles = check("probes", &out);
        assert!(compiles || !plain_compiles);
        for (file, generated) in files.iter().zip(&out.files) {
            assert_eq!(file.text.lines().count(), generated.text.lines().count(), "{}", file.path);
        }
    }
    let time = std::time::Instant::now();
    let mut candidates = Vec::new();
    let mut first = 0;
    let mut reasons = std::collections::BTreeMap::<&str, usize>::new();
    for (file, blocks) in files.iter().zip(&blocks) {
        for (index, result) in removable(file, blocks).into_iter().enumerate() {
            match result {
                Ok(()) => candidates.push(BlockId((first + index) as u32)),
                Err(why) => *reasons.entry(why).or_default() += 1,
            }
        }
        first += blocks.blocks.len();
    }
    println!("{} removable in {:?}, others {reasons:#?}", candidates.len(), time.elapsed());
    if !plain_compiles {
        return;
    }
    let count = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (singles, sets): (usize, usize) = (count("WATTLINE_SINGLES"), count("WATTLINE_SETS"));
    let mut seed = 88_172_645_463_325_252_u64;
    let mut pick = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        candidates[(seed % candidates.len() as u64) as usize]
    };
    let mut failed = Vec::new();
    for round in 0..singles + sets {
        let n = if round < singles { 1 } else { 50 };
        let removed: BTreeSet<BlockId> = (0..n).map(|_| pick()).collect();
        let options = Options { removed: removed.clone(), ..Options::default() };
        let mut out = instrument(&files, &blocks, &options);
        let full = instrument(&files, &blocks, &Options::default());
        out.files.retain(|file| !full.files.contains(file));
        out.runtime = None;
        let plain = Options { probe: Probe::Plain, removed: removed.clone(), ..Options::default() };
        let plain = instrument(&files, &blocks, &plain);
        for ((file, before), original) in plain.files.iter().zip(&blocks).zip(&files) {
            if file.text != original.text {
                let variant = SourceFile::parse(&file.path, &file.text);
                let after = divide(&variant, granularity);
                assert!(names(before).eq(names(&after)), "{removed:?} in {}", file.path);
            }
        }
        if !check(&format!("{removed:?}"), &out) {
            failed.push(removed);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

fn names<'b>(blocks: &'b FileBlocks<'_>) -> impl Iterator<Item = &'b str> {
    blocks.blocks.iter().map(|b| b.name.as_str())
}
