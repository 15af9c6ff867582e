//! Location of the sources in their repository: tools that show figures beside code need paths
//! from its root, not from the source root.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Maps source paths to paths in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repository {
    prefix: String,
    paths: BTreeMap<String, String>,
    root: Option<String>,
}

impl Repository {
    /// A repository in which all source roots are this folder: `src/main/java`.
    pub fn with_prefix(prefix: &str) -> Repository {
        let prefix = prefix.replace('\\', "/");
        let prefix = prefix.trim_start_matches("./").trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Repository { prefix, ..Repository::default() }
    }

    /// A work tree with the URI `root` and the files `tracked`. Of `files`, paths below source
    /// roots, those are mapped that match exactly one tracked file.
    pub(crate) fn of_work_tree<'a>(
        root: String,
        tracked: &[&str],
        files: impl IntoIterator<Item = &'a str>,
    ) -> Repository {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for path in tracked {
            by_name.entry(name(path)).or_default().push(path);
        }
        let below = |path: &&&str, file: &str| Path::new(path).ends_with(file);
        let paths = files.into_iter().filter_map(|file| {
            let mut found = by_name.get(name(file))?.iter().filter(|path| below(path, file));
            let only = found.next().filter(|_| found.next().is_none())?;
            Some((file.to_string(), (*only).to_string()))
        });
        Repository { prefix: String::new(), paths: paths.collect(), root: Some(root) }
    }

    /// Path from the repository's root for a path below a source root; unchanged where unknown.
    pub fn path<'a>(&'a self, file: &'a str) -> Cow<'a, str> {
        match self.paths.get(file) {
            Some(path) => Cow::Borrowed(path),
            None if self.prefix.is_empty() => Cow::Borrowed(file),
            None => Cow::Owned(format!("{}{file}", self.prefix)),
        }
    }

    /// Source root of a file, from the repository's root; empty where unknown.
    pub(crate) fn source_root(&self, file: &str) -> String {
        let path = self.path(file);
        path.strip_suffix(file).unwrap_or_default().trim_end_matches('/').to_string()
    }

    /// URI of the repository's root, where known.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Whether paths are relative to the repository's root.
    pub fn is_known(&self) -> bool {
        !self.prefix.is_empty() || !self.paths.is_empty()
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_stands_before_every_path() {
        for prefix in ["src/main/java", "./src/main/java/", "src\\main\\java"] {
            let repository = Repository::with_prefix(prefix);
            assert_eq!(repository.path("a/B.java"), "src/main/java/a/B.java");
            assert_eq!(repository.source_root("a/B.java"), "src/main/java");
        }
        let nothing = Repository::default();
        assert_eq!((nothing.path("a/B.java").as_ref(), nothing.is_known()), ("a/B.java", false));
    }

    #[test]
    fn files_are_found_in_a_work_tree_that_holds_them_once() {
        let tracked = [
            "core/src/a/B.java",
            "x/a/B.java",
            "core/src/a/C.java",
            "core/src/ba/D.java",
            "E.java",
        ];
        let files = ["a/B.java", "a/C.java", "a/D.java", "E.java"];
        let root = "file:///home/me/project/".to_string();
        let repository = Repository::of_work_tree(root, &tracked, files);
        let paths = files.map(|file| repository.path(file).into_owned());
        assert_eq!(paths, ["a/B.java", "core/src/a/C.java", "a/D.java", "E.java"]);
        assert_eq!(repository.source_root("a/C.java"), "core/src");
    }
}
