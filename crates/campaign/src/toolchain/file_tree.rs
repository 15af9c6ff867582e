//! Listing of the files below a folder, with those behind symbolic links: source trees of Bazel and
//! of package managers consist of links. Each real folder is read once, so loops of links end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// All files below a folder.
#[derive(Debug, Default)]
pub(crate) struct FileTree {
    /// Wanted regular files and links to such files, in the order of their names, those behind
    /// links last.
    pub files: Vec<TreeFile>,
    /// Wanted special files, and links to nothing new, with the reason why they are not read.
    pub skipped: Vec<SkippedFile>,
    /// Folders and files without read permission or with other I/O errors.
    pub unreadable: Vec<UnreadableFile>,
}

/// A file of a tree: name and path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeFile {
    /// Path relative to the tree's folder, with `/`.
    pub name: String,
    /// Path in the file system.
    pub path: PathBuf,
}

/// A file, or a link to a file or folder, that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkippedFile {
    /// Path relative to the tree's folder.
    pub name: String,
    /// The reason, as the rest of a sentence.
    pub why: String,
    /// Whether it is a link, or behind a link.
    pub is_link: bool,
}

/// A folder or file that can't be read.
#[derive(Debug)]
pub struct UnreadableFile {
    /// Path relative to the tree's folder; empty for the folder itself.
    pub name: String,
    /// Path in the file system.
    pub path: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}

const BROKEN_LINK: &str = "is a link to what is not there";

/// Device and inode number of a file or folder.
type FileIdentity = (u64, u64);

/// State of a walk below a folder.
struct TreeWalk<'a> {
    folder: &'a Path,
    is_wanted: &'a dyn Fn(&str) -> bool,
    found: FileTree,
    /// Walked folders with their names.
    folders: BTreeMap<FileIdentity, String>,
    /// Real paths at which a walk began.
    roots: Vec<PathBuf>,
    /// Links still to follow.
    links: VecDeque<PathBuf>,
}

impl FileTree {
    /// Lists the files below a folder whose relative names `is_wanted` accepts.
    pub fn read(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> FileTree {
        let mut walk = TreeWalk {
            folder,
            is_wanted,
            found: FileTree::default(),
            folders: BTreeMap::new(),
            roots: Vec::new(),
            links: VecDeque::new(),
        };
        walk.walk(folder);
        walk.follow_links();
        walk.found
    }
}

impl TreeWalk<'_> {
    /// Reads a folder; links in it are queued, so that a file with a real path in the tree is read
    /// there.
    fn walk(&mut self, from: &Path) {
        self.roots.extend(from.canonicalize());
        let mut entries = WalkDir::new(from).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(from).to_path_buf();
                    self.note_unreadable(path, error.into());
                    continue;
                }
            };
            let kind = entry.file_type();
            if entry.path_is_symlink() && entry.depth() > 0 {
                self.links.push_back(entry.into_path());
            } else if kind.is_file() {
                let path = entry.into_path();
                let name = self.relative_name(&path);
                if (self.is_wanted)(&name) {
                    self.found.files.push(TreeFile { name, path });
                }
            } else if kind.is_dir() || entry.depth() == 0 {
                match entry.path().metadata() {
                    Ok(metadata) if self.has_walked(entry.path(), &metadata) => {
                        entries.skip_current_dir();
                    }
                    Ok(_) => {}
                    Err(error) => self.note_unreadable(entry.into_path(), error),
                }
            } else {
                self.note_skipped_if_wanted(entry.path(), "is a FIFO, a socket or a device");
            }
        }
    }

    /// Whether a folder was walked before; records it as walked.
    fn has_walked(&mut self, path: &Path, metadata: &Metadata) -> bool {
        let name = self.relative_name(path);
        let identity = identity(metadata);
        let has_walked = self.folders.contains_key(&identity);
        self.folders.entry(identity).or_insert(name);
        has_walked
    }

    fn follow_links(&mut self) {
        if self.links.is_empty() {
            return;
        }
        let real = self.found.files.iter().filter_map(|file| file.path.metadata().ok());
        let mut files: BTreeSet<FileIdentity> = real.map(|metadata| identity(&metadata)).collect();
        while let Some(link) = self.links.pop_front() {
            match link.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // One without an extension may have been to a folder.
                    if link.extension().is_none() {
                        self.note_skipped(&link, BROKEN_LINK);
                    } else {
                        self.note_skipped_if_wanted(&link, BROKEN_LINK);
                    }
                }
                Err(error) => self.note_unreadable(link, error),
                Ok(target) if target.is_dir() => self.follow_to_folder(&link, &target, &mut files),
                Ok(target) if target.is_file() => {
                    let name = self.relative_name(&link);
                    if (self.is_wanted)(&name) && files.insert(identity(&target)) {
                        self.found.files.push(TreeFile { name, path: link });
                    } else {
                        self.note_skipped_if_wanted(
                            &link,
                            "is a link to a file that is read already",
                        );
                    }
                }
                Ok(_) => {
                    self.note_skipped_if_wanted(&link, "is a link to a FIFO, a socket or a device")
                }
            }
        }
    }

    fn follow_to_folder(
        &mut self,
        link: &Path,
        target: &Metadata,
        files: &mut BTreeSet<FileIdentity>,
    ) {
        if let Some(known) = self.folders.get(&identity(target)) {
            let known = if known.is_empty() { "the tree's own folder" } else { known };
            let why = format!("is a link to a folder that is read already ({known})");
            return self.note_skipped(link, &why);
        }
        let real = link.canonicalize().unwrap_or_else(|_| link.to_path_buf());
        if self.roots.iter().any(|root| root.starts_with(&real)) {
            return self.note_skipped(link, "is a link to a folder around it");
        }
        let before = self.found.files.len();
        self.walk(link);
        let new = self.found.files.split_off(before);
        for file in new {
            match file.path.metadata() {
                Ok(metadata) if !files.insert(identity(&metadata)) => {
                    let why = "is a file that is read already".to_owned();
                    self.found.skipped.push(SkippedFile { name: file.name, why, is_link: true });
                }
                _ => self.found.files.push(file),
            }
        }
    }

    fn note_skipped(&mut self, path: &Path, why: &str) {
        let skipped = SkippedFile {
            name: self.relative_name(path),
            why: why.to_owned(),
            is_link: path.is_symlink(),
        };
        self.found.skipped.push(skipped);
    }

    fn note_skipped_if_wanted(&mut self, path: &Path, why: &str) {
        if (self.is_wanted)(&self.relative_name(path)) {
            self.note_skipped(path, why);
        }
    }

    fn note_unreadable(&mut self, path: PathBuf, source: io::Error) {
        let name = self.relative_name(&path);
        self.found.unreadable.push(UnreadableFile { name, path, source });
    }

    fn relative_name(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.folder).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

fn identity(metadata: &Metadata) -> FileIdentity {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn links_are_followed_and_loops_are_cut() {
        let around = tempfile::tempdir().unwrap();
        let tree = around.path().join("tree");
        for folder in ["tree/real", "tree/z", "other/deep"] {
            fs::create_dir_all(around.path().join(folder)).unwrap();
        }
        for file in ["tree/real/A", "other/B", "other/deep/C", "single"] {
            fs::write(around.path().join(file), file).unwrap();
        }
        let link = |target: &str, name: &str| symlink(target, tree.join(name)).unwrap();
        link("../single", "file");
        link("real/A", "a-again");
        link("../other", "folder");
        link("real", "a-folder-again");
        link("..", "around");
        link(".", "real/loop");
        link("self", "self");
        link("nothing", "gone");
        symlink("deep/..", around.path().join("other/loop")).unwrap();
        let _listener = UnixListener::bind(tree.join("socket")).unwrap();
        let found = FileTree::read(&tree, &|_| true);
        let names: Vec<&str> = found.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["real/A", "file", "folder/B", "folder/deep/C"]);
        let mut skipped: Vec<String> = found
            .skipped
            .iter()
            .map(|skipped| format!("{} {}", skipped.name, skipped.why))
            .collect();
        skipped.sort();
        let expected = [
            "a-again is a link to a file that is read already",
            "a-folder-again is a link to a folder that is read already (real)",
            "around is a link to a folder around it",
            "folder/loop is a link to a folder that is read already (folder)",
            "gone is a link to what is not there",
            "real/loop is a link to a folder that is read already (real)",
            "socket is a FIFO, a socket or a device",
        ];
        assert_eq!(skipped, expected);
        let unreadable: Vec<&str> =
            found.unreadable.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(unreadable, ["self"], "a link to itself");
    }

    #[test]
    fn many_links_to_one_folder_do_not_multiply() {
        let folder = tempfile::tempdir().unwrap();
        for level in 0..30 {
            let here = folder.path().join(level.to_string());
            fs::create_dir(&here).unwrap();
            fs::write(here.join("F"), "").unwrap();
            for name in ["a", "b"] {
                symlink(format!("../{}", level + 1), here.join(name)).unwrap();
            }
        }
        let found = FileTree::read(&folder.path().join("0"), &|_| true);
        assert_eq!(found.files.len(), 30);
    }
}
