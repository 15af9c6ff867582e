//! Megabytes a second of Java source: parsed, divided into blocks, and all of a typed
//! scan; and names a second that a class path as large as Android's lacks, which are most
//! of the names that it is asked for. The folder is named by WATTLINE_BENCH_SOURCES, the class path by
//! WATTLINE_BENCH_CLASSPATH; without them it is the test targets' few files.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;
use wattline::blocks::{Granularity, divide};
use wattline::java::{ClassPath, SourceFile};
use wattline::operations;

/// Path and text of all Java files below the folder.
fn texts() -> Vec<(String, String)> {
    let folder = std::env::var_os("WATTLINE_BENCH_SOURCES")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests"), PathBuf::from);
    let entries = walkdir::WalkDir::new(&folder).sort_by_file_name().into_iter().flatten();
    let files = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "java"));
    let text = |entry: walkdir::DirEntry| {
        let text = std::fs::read_to_string(entry.path()).ok()?;
        let path = entry.path().strip_prefix(&folder).ok()?.to_str()?.to_owned();
        Some((path, text))
    };
    files.filter_map(text).collect()
}

fn parsed(texts: &[(String, String)]) -> Vec<SourceFile> {
    texts.par_iter().map(|(path, text)| SourceFile::parse(path, text)).collect()
}

fn scan(criterion: &mut Criterion) {
    let texts = texts();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let entries = std::env::var_os("WATTLINE_BENCH_CLASSPATH").unwrap_or_default();
    let classes = || {
        let entries: Vec<PathBuf> = std::env::split_paths(&entries).collect();
        ClassPath::open(&entries).expect("WATTLINE_BENCH_CLASSPATH can be read")
    };
    let divided = |files: &[SourceFile]| {
        let blocks = files.par_iter().map(|file| divide(file, Granularity::Statement));
        black_box(blocks.map(|blocks| blocks.blocks.len()).sum::<usize>())
    };
    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(10);
    group.bench_function("parse", |bench| bench.iter(|| black_box(parsed(&texts))));
    let files = parsed(&texts);
    group.bench_function("divide", |bench| bench.iter(|| divided(&files)));
    group.bench_function("all", |bench| {
        bench.iter(|| {
            let files = parsed(&texts);
            let blocks: Vec<_> =
                files.par_iter().map(|file| divide(file, Granularity::Statement)).collect();
            black_box(operations::count(&files, &blocks, &classes()))
        });
    });
    group.finish();
}

/// As many entries as the jar of all classes of Android 14 has.
const ENTRIES: usize = 65_307;

/// Names that are looked up at a time.
const NAMES: usize = 1000;

fn missing_names(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jar = folder.path().join("large.jar");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&jar).expect("a new file"));
    for entry in 0..ENTRIES {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(format!("p/C{entry}.class"), options).expect("an entry");
    }
    writer.finish().expect("a jar");
    let names: Vec<String> = (0..NAMES).map(|name| format!("q.C{name}")).collect();
    let open = || ClassPath::open(std::slice::from_ref(&jar)).expect("a jar");
    let find =
        |classes: ClassPath| names.iter().filter(|name| classes.find(name).is_some()).count();
    let mut group = criterion.benchmark_group("class path");
    group.throughput(Throughput::Elements(NAMES as u64)).sample_size(10);
    group.bench_function("missing names", |bench| {
        bench.iter_batched(open, |classes| black_box(find(classes)), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, scan, missing_names);
criterion_main!(benches);
