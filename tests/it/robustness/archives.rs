//! The fuzz target of archives: jars made of good and of hostile ones by cutting, doubling,
//! overwriting and joining. Whatever is read stays below a folder and within its limits.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Component, Path};
use std::sync::OnceLock;

use bolero::TypeGenerator;
use wattline::java::ClassPath;
use wattline::toolchain::archive::EntryFault;
use wattline::toolchain::jar;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::fuzz::{Edit, duration};

/// What is done to a seed.
#[derive(Debug, TypeGenerator)]
struct ArchiveMutation {
    seed: u8,
    #[generator(bolero::produce::<Vec<Edit>>().with().len(0usize..6))]
    edits: Vec<Edit>,
}

type Writer = ZipWriter<Cursor<Vec<u8>>>;

fn archive(fill: impl Fn(&mut Writer)) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    fill(&mut writer);
    writer.finish().unwrap().into_inner()
}

fn add(writer: &mut Writer, name: &str, method: CompressionMethod, bytes: &[u8]) {
    let options = SimpleFileOptions::default().compression_method(method);
    writer.start_file(name, options).unwrap();
    writer.write_all(bytes).unwrap();
}

/// Good archives, and those that ask for too much or for what is not theirs.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let (stored, packed) = (CompressionMethod::Stored, CompressionMethod::Deflated);
        let good = archive(|writer| {
            add(writer, "a/B.class", packed, &[0xca; 300]);
            add(writer, "a/B.java", stored, b"package a; class B {}");
            writer.add_directory("a/c", SimpleFileOptions::default()).unwrap();
        });
        let names = archive(|writer| {
            for name in ["/abs", "../up", "a/../../b", "a\nb.java", "C:x", "a\\b", "A", "a"] {
                add(writer, name, stored, name.as_bytes());
            }
            writer.add_symlink("link", "/etc", SimpleFileOptions::default()).unwrap();
        });
        let bomb = archive(|writer| add(writer, "a/Zeros.java", packed, &[0; 1 << 20]));
        let overlap = archive(|writer| {
            add(writer, "a", packed, &[0; 1 << 16]);
            (0..20).for_each(|n| writer.shallow_copy_file("a", &format!("b{n}")).unwrap());
        });
        let large = archive(|writer| {
            let options = SimpleFileOptions::default().large_file(true);
            writer.start_file("a/Large.class", options).unwrap();
            writer.write_all(b"class").unwrap();
        });
        vec![good, names, bomb, overlap, large]
    })
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

#[test]
fn archives_are_read_whatever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jar");
    let target = bolero::check!().with_type::<ArchiveMutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let seeds = seeds();
        let mut bytes = seeds[usize::from(mutation.seed) % seeds.len()].clone();
        mutation.edits.iter().for_each(|edit| edit.apply(&mut bytes, seeds));
        if let Ok(content) = jar::read_content(Cursor::new(&bytes), |_| true) {
            for name in content.entries.keys() {
                assert!(is_inside(name) && !name.contains('\n'), "{name:?}");
            }
            let refused = |fault: &EntryFault| fault.is_refusal();
            for finding in content.findings.iter().filter(|finding| refused(&finding.fault)) {
                assert!(!finding.name.contains('\n'), "{finding}");
            }
        }
        fs::write(&file, &bytes).unwrap();
        if let Ok(classes) = ClassPath::open(std::slice::from_ref(&file)) {
            classes.find("a.B");
            classes.find("a.Large");
        }
    });
}
