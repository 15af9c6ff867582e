//! The runtime file that the probes call, and a package name for it that no name in
//! the sources can hide.

use super::{GeneratedFile, Probe};
use crate::java::SourceFile;

const TEMPLATE: &str = include_str!("W.java");

/// A package name that does not occur in any source: a variable or class of that name
/// would hide the package (JLS 6.4.2).
pub fn package(files: &[SourceFile]) -> String {
    let mut name = "wattline$rt".to_owned();
    while files.iter().any(|file| file.text.contains(&name)) {
        name.push('$');
    }
    name
}

/// The runtime for `blocks` blocks; none for a build without probes.
pub fn runtime(package: &str, blocks: usize, probe: Probe) -> Option<GeneratedFile> {
    let log = match probe {
        Probe::Plain => return None,
        Probe::Count => "false",
        Probe::Log => "true",
    };
    let text = TEMPLATE
        .replace("@PACKAGE@", package)
        .replace("@BLOCKS@", &blocks.to_string())
        .replace("@LOG@", log);
    Some(GeneratedFile { path: format!("{package}/W.java"), text })
}
