//! Annotation processors in jars, found by their service entries.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::{ToolchainError, jar};

/// Entry of a jar that lists its processors.
const SERVICE: &str = "META-INF/services/javax.annotation.processing.Processor";

/// Name prefixes of processors that change the classes of compiled sources.
const CLASS_WRITERS: [&str; 1] = ["lombok."];

/// The class names of the processors that the jars and folders of a path offer.
///
/// # Errors
/// A jar that can't be read.
pub fn processors_on(path: &[PathBuf]) -> Result<Vec<String>, ToolchainError> {
    let mut names = BTreeSet::new();
    for entry in path.iter().filter(|entry| entry.exists()) {
        let list = match entry.is_dir() {
            true => fs::read(entry.join(SERVICE)).unwrap_or_default(),
            false => {
                let content = jar::read(entry, "", |name| name == SERVICE)?;
                content.entries.into_values().next().unwrap_or_default()
            }
        };
        let list = String::from_utf8_lossy(&list).into_owned();
        // What Gradle is told of a processor stands behind a comma.
        let name = |line: &str| line.split(['#', ',']).next().unwrap_or("").trim().to_owned();
        names.extend(list.lines().map(name).filter(|name| !name.is_empty()));
    }
    Ok(names.into_iter().collect())
}

/// Whether a processor changes the classes of sources, so that it must run in every compilation of
/// them.
pub(crate) fn is_class_writer(processor: &str) -> bool {
    CLASS_WRITERS.iter().any(|begin| processor.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn processors_are_those_that_jars_and_folders_name() {
        let folder = tempfile::tempdir().unwrap();
        let jar_path = folder.path().join("p.jar");
        let list = b"# ours\na.B\nlombok.launch.X,isolating\n".to_vec();
        fs::write(&jar_path, jar::pack(&[], &BTreeMap::from([(SERVICE.to_owned(), list)])))
            .unwrap();
        let classes = folder.path().join("classes");
        jar::write_folder(&classes, &BTreeMap::from([(SERVICE.to_owned(), b"c.D".to_vec())]))
            .unwrap();
        let gone = folder.path().join("gone");
        let names = processors_on(&[jar_path, classes, gone]).unwrap();
        assert_eq!(names, ["a.B", "c.D", "lombok.launch.X"]);
        assert!(is_class_writer(&names[2]) && !is_class_writer("a.lombok.B"));
    }
}
