//! Reading of the Java files of a folder, a jar or one file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;
use wattline_units::input::{open_regular, read_regular};
use wattline_units::limits::SOURCE_FILE_BYTES;

use crate::finding::{Finding, FindingKind};
use crate::java::encoding::SourceEncoding;
use crate::java::source::has_letters_outside_comments;
use crate::scenario::{SourceRole, UnanalysedLanguage};
use crate::toolchain::archive::{EntryFault, EntryFinding};
use crate::toolchain::entry_name::EscapedName;
use crate::toolchain::file_tree::{FileTree, TreeFile};
use crate::toolchain::jar;

use super::source_file::{
    DecodedFile, EncodingStatus, check_file_name, decode_text, source_text, unreadable_finding,
};
use super::sources::{LoadedSource, Sources};
use super::{BuildError, ModuleInfo, OtherLanguageFiles, platform_sources};

/// A source tree on disk: path, the file or command that names it, filter of its files, and stated
/// encoding.
pub(super) struct LocatedTree<'a> {
    pub place: &'a Path,
    pub named_in: &'a str,
    pub takes: &'a dyn Fn(&str) -> bool,
    pub encoding: Option<SourceEncoding>,
}

/// Adds the Java files of a tree whose paths are new.
pub(super) fn add_tree(
    sources: &mut Sources,
    files: &mut BTreeMap<String, LoadedSource>,
    tree: &LocatedTree<'_>,
    (role, analyse): (SourceRole, bool),
) -> Result<(), BuildError> {
    for (path, text) in read_tree(tree, sources)? {
        if !files.contains_key(&path) {
            sources.places.insert(path.clone(), place_of(tree.place, &path));
            files.insert(path.clone(), LoadedSource { path, text, role, analyse });
        }
    }
    Ok(())
}

/// The path of a file of a source tree, for messages; `JAR!/PATH` in a jar.
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

/// Reads the Java files of a folder, a jar, or one file, as path -> text.
fn read_tree(
    tree: &LocatedTree<'_>,
    sources: &mut Sources,
) -> Result<BTreeMap<String, String>, BuildError> {
    let LocatedTree { place, named_in, takes, encoding } = *tree;
    let (findings, others) = (&mut sources.findings, &mut sources.other_languages);
    let missing = || BuildError::Missing { path: place.into(), named_in: named_in.to_string() };
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => missing(),
        _ => BuildError::io(place)(error),
    };
    let read: Vec<DecodedFile> = if place.is_dir() {
        read_folder(place, takes, encoding, (findings, others))
    } else if place.extension().is_some_and(|extension| extension == "java") {
        let name = place.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
        let bytes = read_regular(place, SOURCE_FILE_BYTES).map_err(unreadable)?;
        check_file_name(&name).map_err(|fault| unreadable(io::Error::other(fault)))?;
        vec![decode_text(name, bytes, encoding)]
    } else {
        open_regular(place).map_err(unreadable)?;
        let content = jar::read(place, ".java", takes)?;
        let of_sources = content.findings.iter().filter(|finding| finding.name.ends_with(".java"));
        findings.extend(of_sources.map(entry_finding));
        let entries = content.entries.into_par_iter();
        entries.map(|(path, bytes)| source_text(path, bytes, encoding)).collect()
    };
    let is_module = |file: &DecodedFile| {
        file.text.as_ref().is_some_and(|text| platform_sources::is_jdk_module(&file.path, text))
    };
    let is_jdk = read.iter().any(is_module);
    let mut texts = BTreeMap::new();
    for file in read.into_iter().filter(|file| !file.path.ends_with("package-info.java")) {
        let is_undecoded = file.encoding == EncodingStatus::Wrong;
        sources.wrongly_decoded.extend(file.finding.clone().filter(|_| is_undecoded));
        findings.extend(file.finding);
        let Some(text) = file.text else { continue };
        if file.path.ends_with("module-info.java") {
            sources.modules.extend(ModuleInfo::parse(&file.path, &text));
            continue;
        }
        if file.encoding == EncodingStatus::Guessed && has_letters_outside_comments(&text) {
            sources.unknown_encoding.push(file.path.clone());
        }
        match platform_sources::platform_class_finding(&file.path, &text).filter(|_| !is_jdk) {
            Some(finding) => findings.push(finding),
            None => {
                texts.insert(file.path, text);
            }
        }
    }
    Ok(texts)
}

/// Reads the Java files below a folder; an unreadable file becomes a finding, and the others are
/// read.
fn read_folder(
    folder: &Path,
    takes: impl Fn(&str) -> bool,
    encoding: Option<SourceEncoding>,
    (findings, other_languages): (&mut Vec<Finding>, &mut OtherLanguageFiles),
) -> Vec<DecodedFile> {
    let is_wanted =
        |name: &str| name.ends_with(".java") || UnanalysedLanguage::of_file(name).is_some();
    let mut tree = FileTree::read(folder, &|name| is_wanted(name) && takes(name));
    let (java, others): (Vec<_>, Vec<_>) =
        tree.files.into_iter().partition(|file| file.name.ends_with(".java"));
    tree.files = java;
    let others = OtherLanguageFiles::of(others.into_iter().map(|file| file.name));
    findings.extend(others.findings());
    other_languages.add(others);
    findings.extend(tree.unreadable.into_iter().map(|file| {
        unreadable_finding(EscapedName(&file.name).to_string(), &file.source.to_string())
    }));
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
            Ok(bytes) => decode_text(name, bytes, encoding),
            Err(error) => DecodedFile::unread(name, &error.to_string()),
        }
    });
    read.collect()
}

/// The finding for a problematic entry of a source jar.
pub(super) fn entry_finding(finding: &EntryFinding) -> Finding {
    let EntryFinding { name, fault } = finding;
    match fault.is_refusal() {
        true => unreadable_finding(name.clone(), &fault.to_string()),
        false => {
            let message = match fault {
                EntryFault::Duplicate => format!("{fault}; the last is read"),
                _ => format!("{fault}; both are read"),
            };
            Finding { file: name.clone(), line: 0, kind: FindingKind::NameClash, message }
        }
    }
}
