//! Source folders of Java files: a build lists files, a scenario folders. The folder of a file
//! follows from the package that it declares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use wattline_units::input::read_regular;
use wattline_units::limits::SOURCE_FILE_BYTES;

use super::ProjectError;
use crate::toolchain::file_tree::FileTree;

/// A source folder with the patterns of its compiled files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceRoot {
    pub folder: PathBuf,
    /// Include patterns; empty for all files.
    pub include: Vec<String>,
    /// Exclude patterns.
    pub exclude: Vec<String>,
    /// Number of compiled files.
    pub files: usize,
}

/// The source folders of `files`, in the order of their names.
pub(super) fn source_roots(files: &BTreeSet<PathBuf>) -> Result<Vec<SourceRoot>, ProjectError> {
    let mut folders: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let bytes = read_regular(file, SOURCE_FILE_BYTES).map_err(ProjectError::io(file))?;
        let folder = folder_of(file, &String::from_utf8_lossy(&bytes));
        let below = file.strip_prefix(&folder).unwrap_or(file).to_string_lossy().into_owned();
        folders.entry(folder).or_default().insert(below);
    }
    Ok(folders.into_iter().map(|(folder, compiled)| root(folder, &compiled)).collect())
}

/// The Java files below a folder, as sources are read from it; none where the folder does not
/// exist.
pub(super) fn java_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let tree = FileTree::read(folder, &|name| name.ends_with(".java"));
    tree.files.into_iter().map(|file| file.path)
}

/// The source folder with the shorter of two lists: include or exclude patterns.
fn root(folder: PathBuf, compiled: &BTreeSet<String>) -> SourceRoot {
    let there = java_files(&folder).filter_map(|file| {
        file.strip_prefix(&folder).ok().map(|below| below.to_string_lossy().into_owned())
    });
    let others: BTreeSet<String> = there.filter(|below| !compiled.contains(below)).collect();
    let patterns = |names: &BTreeSet<String>| names.iter().map(|n| globset::escape(n)).collect();
    let (include, exclude) = match others.len() < compiled.len() {
        true => (Vec::new(), patterns(&others)),
        false => (patterns(compiled), Vec::new()),
    };
    SourceRoot { folder, include, exclude, files: compiled.len() }
}

/// The folder of the file's package; the file's own folder where its path does not end with the
/// package.
fn folder_of(file: &Path, text: &str) -> PathBuf {
    let own = file.parent().unwrap_or(Path::new(""));
    let package = package_of(text).replace('.', "/");
    let mut folder = own.to_path_buf();
    if own.ends_with(&package) {
        (0..Path::new(&package).components().count()).for_each(|_| {
            folder.pop();
        });
    }
    folder
}

/// The package that a file declares, which only comments and annotations may precede.
fn package_of(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            comment if comment.starts_with("//") => comment.find('\n'),
            comment if comment.starts_with("/*") => comment.find("*/").map(|at| at + 2),
            _ => break,
        };
        rest = end.map_or("", |end| rest[end..].trim_start());
    }
    let named = rest.strip_prefix("package").filter(|name| name.starts_with(char::is_whitespace));
    let name = named.and_then(|name| name.split(';').next()).unwrap_or_default();
    name.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn packages_are_found_behind_comments() {
        assert_eq!(package_of("/* package x; */ // y\n package a . b;\nclass C {}"), "a.b");
        assert_eq!(package_of("\u{feff}package a;"), "a");
        for without in ["class C {}", "", "/* never closed", "// package a;", "packaged a;"] {
            assert_eq!(package_of(without), "", "{without}");
        }
    }

    #[test]
    fn a_folder_is_named_with_what_is_not_compiled_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            file
        };
        let a = write("main/java/a/b/A.java", "package a.b; class A {}");
        let top = write("main/java/Top.java", "class Top {}");
        let _left_out = write("main/java/a/Left[1].java", "package a; class Left {}");
        let astray = write("other/Astray.java", "package q; class Astray {}");
        let one = write("few/r/One.java", "package r; class One {}");
        for n in 0..3 {
            write(&format!("few/r/No{n}.java"), "package r;");
        }
        let found = source_roots(&[a, top, astray, one].into()).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|root| {
                let name = root.folder.strip_prefix(folder.path()).unwrap().display().to_string();
                (name, root.include.join(" "), root.exclude.join(" "), root.files)
            })
            .collect();
        let root = |name: &str, include: &str, exclude: &str, files| {
            (name.to_string(), include.to_string(), exclude.to_string(), files)
        };
        let expected = [
            root("few", "r/One.java", "", 1),
            root("main/java", "", "a/Left[[]1[]].java", 2),
            root("other", "", "", 1),
        ];
        assert_eq!(told, expected);
    }
}
