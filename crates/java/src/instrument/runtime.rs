//! Runtime file that the probes call, in a package whose name no name in the sources can hide.

use super::derivation::{CounterSum, DerivedCounter};
use super::instrumented_sources::GeneratedFile;
use super::options::{InstrumentOptions, Probe};
use crate::java::SourceFile;

const TEMPLATE: &str = include_str!("W.java");
/// Template of the runtime of [`Probe::Calls`], which counts by call path.
const CALLS: &str = include_str!("Calls.java");
/// Functions of probes with a value, for both runtimes.
const VALUES: &str = include_str!("Values.java");
/// Naming of the files of one process and class loader, for both runtimes.
const OWN_FILES: &str = include_str!("Own.java");
const SWITCHES: &str = include_str!("S.java");

/// Returns a package name that does not occur in any source: a variable or class of that name
/// would hide the package (JLS 6.4.2). Each part of a program has its own, since their block ids
/// overlap.
pub fn package(files: &[SourceFile], part: Option<&str>) -> String {
    let mut name = "wattline$rt".to_owned();
    while files.iter().any(|file| file.text.contains(&name)) {
        name.push('$');
    }
    match part {
        Some(part) => format!("{name}${part}"),
        None => name,
    }
}

/// Blocks without a probe, as tuples of the id of the file's first block, the index of the block
/// in the file, and its sum.
pub type Sums = Vec<(usize, usize, CounterSum)>;

/// Bytes of a string constant that all readers of classes accept: a class file has room for
/// 65 535, but dex2jar, by which a virtual board runs packages, breaks from 32 767 on.
const CONSTANT_MAX: usize = 30_000;

/// Returns the runtime file for `blocks` blocks; `None` for a build without probes.
pub fn runtime_file(
    package: &str,
    blocks: usize,
    options: &InstrumentOptions,
    sums: &Sums,
) -> Option<GeneratedFile> {
    let probe = options.probe;
    let part = options.part.as_ref().map_or(String::new(), |part| format!("{part}-"));
    let template = match probe {
        Probe::Plain => return None,
        Probe::Count | Probe::Log | Probe::Window => TEMPLATE,
        Probe::Calls => CALLS,
    };
    let text = template
        .replace("@VALUES@", VALUES)
        .replace("@OWN@", OWN_FILES)
        .replace("@PART@", &part)
        .replace("@PACKAGE@", package)
        .replace("@BLOCKS@", &blocks.to_string())
        .replace("@SUMS@", &constants(sums))
        .replace("@LOG@", &(probe == Probe::Log).to_string())
        .replace("@WINDOWS@", &(probe == Probe::Window).to_string());
    Some(GeneratedFile { path: format!("{package}/W.java"), text })
}

/// Returns the file that `switches` switches read; `None` without any.
pub fn switches_file(package: &str, switches: usize) -> Option<GeneratedFile> {
    let text = SWITCHES.replace("@PACKAGE@", package).replace("@SWITCHES@", &switches.to_string());
    (switches > 0).then(|| GeneratedFile { path: format!("{package}/S.java"), text })
}

/// Encodes each block and its summands as Java strings that fit: `"63 62 64,75 74 -76 x74"`.
fn constants(sums: &Sums) -> String {
    let mut strings = vec![String::new()];
    for (first, block, summands) in sums {
        let mut sum = (first + block).to_string();
        for (counter, times) in summands {
            let sign = if *times < 0 { "-" } else { "" };
            let word = match counter {
                DerivedCounter::Block(block) => format!(" {sign}{}", first + block),
                DerivedCounter::Thrown(block) => format!(" {sign}x{}", first + block),
            };
            (0..times.abs()).for_each(|_| sum.push_str(&word));
        }
        let last = strings.last_mut().expect("there is one");
        match last.len() + sum.len() < CONSTANT_MAX {
            true if last.is_empty() => *last = sum,
            true => last.push_str(&format!(",{sum}")),
            false => strings.push(sum),
        }
    }
    let quoted = strings.iter().map(|text| format!("\"{text}\""));
    quoted.collect::<Vec<_>>().join(",\n            ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_large_programs_are_cut_into_strings_that_all_readers_take() {
        let sum = |block: usize| (0, block, [(DerivedCounter::Block(block + 1), 1)].into());
        let sums: Sums = (0..20_000).map(sum).collect();
        let text = constants(&sums);
        let strings: Vec<&str> = text.split(",\n").map(str::trim).collect();
        assert!(strings.len() > 1 && strings.iter().all(|string| string.len() < 32_767));
        let words: Vec<&str> =
            strings.iter().flat_map(|string| string.trim_matches('"').split(',')).collect();
        assert_eq!((words.len(), words[0], words[19_999]), (20_000, "0 1", "19999 20000"));
    }
}
