//! The Java files of a folder, a jar or one file, as texts.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;
use wattline_units::input::{open_regular, read_regular};
use wattline_units::limits::SOURCE_FILE_BYTES;

use crate::finding::{Finding, FindingKind};
use crate::java::encoding::SourceEncoding;
use crate::java::source::has_letters_outside_comments;
use crate::scenario::{Role, UnanalysedLanguage};
use crate::toolchain::archive::{EntryFault, EntryFinding};
use crate::toolchain::entry_name::EscapedName;
use crate::toolchain::file_tree::{FileTree, TreeFile};
use crate::toolchain::jar;

use super::source_file::{
    ReadEncoding, ReadFile, as_text, check_file_name, source_text, unreadable,
};
use super::sources::{LoadedSource, Sources};
use super::{BuildError, ModuleInfo, OtherLanguageFiles, platform};

/// Where a source tree lies, what names it, which of its files are taken, and in which encoding
/// they are, where that is stated.
pub(super) struct Tree<'a> {
    pub place: &'a Path,
    pub named_in: &'a str,
    pub takes: &'a dyn Fn(&str) -> bool,
    pub encoding: Option<SourceEncoding>,
}

/// Adds the Java files of a place that are not there yet.
pub(super) fn add_tree(
    sources: &mut Sources,
    files: &mut BTreeMap<String, LoadedSource>,
    tree: &Tree<'_>,
    (role, analyse): (Role, bool),
) -> Result<(), BuildError> {
    for (path, text) in read_tree(tree, sources)? {
        if !files.contains_key(&path) {
            sources.places.insert(path.clone(), place_of(tree.place, &path));
            files.insert(path.clone(), LoadedSource { path, text, role, analyse });
        }
    }
    Ok(())
}

/// Where a file of a source tree lies.
fn place_of(tree: &Path, path: &str) -> String {
    match tree {
        folder if folder.is_dir() => folder.join(path).display().to_string(),
        jar if is_archive(jar) => format!("{}!/{path}", jar.display()),
        file => file.display().to_string(),
    }
}

pub(super) fn is_archive(place: &Path) -> bool {
    place.is_file() && place.extension().is_none_or(|extension| extension != "java")
}

/// The Java files of a folder, a jar, or one file, as path -> text.
fn read_tree(
    tree: &Tree<'_>,
    sources: &mut Sources,
) -> Result<BTreeMap<String, String>, BuildError> {
    let Tree { place, named_in, takes, encoding } = *tree;
    let (findings, others) = (&mut sources.findings, &mut sources.other_languages);
    let missing = || BuildError::Missing { path: place.into(), named_in: named_in.to_string() };
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => missing(),
        _ => BuildError::io(place)(error),
    };
    let read: Vec<ReadFile> = if place.is_dir() {
        read_folder(place, takes, encoding, (findings, others))
    } else if place.extension().is_some_and(|extension| extension == "java") {
        let name = place.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
        let bytes = read_regular(place, SOURCE_FILE_BYTES).map_err(unreadable)?;
        check_file_name(&name).map_err(|fault| unreadable(io::Error::other(fault)))?;
        vec![as_text(name, bytes, encoding)]
    } else {
        open_regular(place).map_err(unreadable)?;
        let content = jar::read(place, ".java", takes)?;
        let of_sources = content.findings.iter().filter(|finding| finding.name.ends_with(".java"));
        findings.extend(of_sources.map(entry_finding));
        let entries = content.entries.into_par_iter();
        entries.map(|(path, bytes)| source_text(path, bytes, encoding)).collect()
    };
    let is_module = |file: &ReadFile| {
        file.text.as_ref().is_some_and(|text| platform::is_jdk_module(&file.path, text))
    };
    let is_jdk = read.iter().any(is_module);
    let mut texts = BTreeMap::new();
    for file in read.into_iter().filter(|file| !file.path.ends_with("package-info.java")) {
        let is_undecoded = file.encoding == ReadEncoding::Wrong;
        sources.undecoded.extend(file.finding.clone().filter(|_| is_undecoded));
        findings.extend(file.finding);
        let Some(text) = file.text else { continue };
        if file.path.ends_with("module-info.java") {
            sources.modules.extend(ModuleInfo::parse(&file.path, &text));
            continue;
        }
        if file.encoding == ReadEncoding::Guessed && has_letters_outside_comments(&text) {
            sources.undeclared.push(file.path.clone());
        }
        match platform::left_out(&file.path, &text).filter(|_| !is_jdk) {
            Some(finding) => findings.push(finding),
            None => {
                texts.insert(file.path, text);
            }
        }
    }
    Ok(texts)
}

/// The Java files below a folder; what can't be read is a finding, and the rest goes on.
fn read_folder(
    folder: &Path,
    takes: impl Fn(&str) -> bool,
    encoding: Option<SourceEncoding>,
    (findings, other_languages): (&mut Vec<Finding>, &mut OtherLanguageFiles),
) -> Vec<ReadFile> {
    let is_wanted =
        |name: &str| name.ends_with(".java") || UnanalysedLanguage::of_file(name).is_some();
    let mut tree = FileTree::below(folder, &|name| is_wanted(name) && takes(name));
    let (java, others): (Vec<_>, Vec<_>) =
        tree.files.into_iter().partition(|file| file.name.ends_with(".java"));
    tree.files = java;
    let others = OtherLanguageFiles::of(others.into_iter().map(|file| file.name));
    findings.extend(others.findings());
    other_languages.add(others);
    findings.extend(
        tree.unreadable
            .into_iter()
            .map(|file| unreadable(EscapedName(&file.name).to_string(), &file.source.to_string())),
    );
    findings.extend(tree.skipped.into_iter().map(|skipped| {
        let kind = match skipped.is_link {
            true => FindingKind::LinkNotFollowed,
            false => FindingKind::UnreadableFile,
        };
        let message = format!("not read: it {}", skipped.why);
        Finding { file: EscapedName(&skipped.name).to_string(), line: 0, kind, message }
    }));
    let read = tree.files.into_par_iter().map(|TreeFile { name, path }| {
        let bytes = read_regular(&path, SOURCE_FILE_BYTES);
        let bytes = bytes.and_then(|bytes| match check_file_name(&name) {
            Ok(()) => Ok(bytes),
            Err(fault) => Err(io::Error::other(fault)),
        });
        match bytes {
            Ok(bytes) => as_text(name, bytes, encoding),
            Err(error) => ReadFile::unread(name, &error.to_string()),
        }
    });
    read.collect()
}

/// What is wrong with an entry of a source jar.
pub(super) fn entry_finding(finding: &EntryFinding) -> Finding {
    let EntryFinding { name, fault } = finding;
    match fault.is_refusal() {
        true => unreadable(name.clone(), &fault.to_string()),
        false => {
            let message = match fault {
                EntryFault::Duplicate => format!("{fault}; the last is read"),
                _ => format!("{fault}; both are read"),
            };
            Finding { file: name.clone(), line: 0, kind: FindingKind::NameClash, message }
        }
    }
}
