//! What ARCHITECTURE.md says of the crates and modules, checked on their text: each uses only
//! those above it, few files use each other, files and functions are short, nothing is left to do,
//! and every file says what it owns.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

mod file_graph;
pub(super) mod source_file;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rayon::prelude::*;
use wattline::operations::{LibraryFunction, Operation};

use file_graph::{CrateModules, Files, circles};
use source_file::SourceFile;

/// The crates from the bottom up, and which of ours each may know. What Cargo is not told of,
/// the compiler refuses.
const CRATES: [(&str, &[&str]); 10] = [
    ("crates/private-files", &[]),
    ("crates/units", &[]),
    ("crates/java", &["units"]),
    ("crates/model", &["units"]),
    ("crates/virtual-board", &["private-files"]),
    ("crates/attribution", &["model", "units"]),
    (
        "crates/campaign",
        &["attribution", "java", "model", "private-files", "units", "virtual-board"],
    ),
    ("crates/account", &["campaign", "java", "model", "private-files", "units"]),
    ("crates/report", &["account", "attribution", "campaign", "java", "model", "units"]),
    (
        ".",
        &[
            "account",
            "attribution",
            "campaign",
            "java",
            "model",
            "private-files",
            "report",
            "units",
            "virtual-board",
        ],
    ),
];

fn text_of(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Every file of `src` in the folder of a crate: its path below `src`, its text.
fn sources(of: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(of).join("src");
    let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap().into_path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "rs"));
    files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.strip_prefix(&root).unwrap().to_owned(), text)
        })
        .collect()
}

/// The files of all crates, their paths below the project's folder.
fn all_sources() -> Vec<(PathBuf, String)> {
    let of = |(folder, _): (&'static str, _)| {
        let files = sources(folder).into_iter();
        files.map(move |(path, text)| (Path::new(folder).join("src").join(path), text))
    };
    CRATES.into_iter().flat_map(of).collect()
}

/// An item without its visibility.
fn without_visibility(line: &str) -> &str {
    let restricted = line.strip_prefix("pub(").and_then(|rest| rest.split_once(") "));
    match restricted {
        Some((_, item)) => item,
        None => line.strip_prefix("pub ").unwrap_or(line),
    }
}

/// The module that a line declares.
fn declared(line: &str) -> Option<&str> {
    without_visibility(line).strip_prefix("mod ")?.strip_suffix(';')
}

/// The modules in the order of `lib.rs`, those of tests left out.
fn modules(lib: &str) -> Vec<&str> {
    let product = lib.split("\n\n").filter(|item| !item.contains("#[cfg(test)]"));
    product.flat_map(str::lines).filter_map(declared).collect()
}

/// The names that `lib.rs` has from crates of ours: above all modules.
fn from_crates(lib: &str) -> BTreeSet<String> {
    // A list of several lines is one of one line.
    let lib = lib.replace("{\n    ", "{").replace(",\n    ", ", ").replace(",\n}", "}");
    let uses =
        lib.lines().filter_map(|line| without_visibility(line).strip_prefix("use wattline_"));
    let names = uses.flat_map(|rest| match rest.split_once(" as ") {
        Some((_, name)) => vec![name.trim_end_matches(';')],
        None => {
            let list = rest.split_once("::").unwrap().1.trim_matches(['{', '}', ';']);
            list.split(", ").collect()
        }
    });
    names.map(String::from).collect()
}

/// The text without comments and without what only tests use.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that follow `crate::`, also in `crate::{a, b::c}`.
fn used(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => {
                names.insert(word(rest));
            }
            Some(list) => names.extend(top_level(list).iter().map(|item| word(item))),
        }
    }
    names.remove("");
    names.retain(|name| !OF_TESTS.contains(&name.as_str()));
    names
}

/// The items of a list up to its closing brace, split at the commas that belong to it.
fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// The modules that `text`, of the module at `own` in the list, may not use.
fn forbidden(text: &str, own: usize, modules: &[&str]) -> Vec<String> {
    let below = |name: &String| modules.iter().position(|m| m == name).is_none_or(|at| at > own);
    used(&code(text)).into_iter().filter(below).collect()
}

#[test]
fn a_crate_knows_only_those_it_may() {
    for (folder, may) in CRATES {
        let manifest: toml::Table = text_of(&format!("{folder}/Cargo.toml")).parse().unwrap();
        let of = |section: &str| manifest.get(section).and_then(toml::Value::as_table);
        let names = ["dependencies", "dev-dependencies"].into_iter().filter_map(of);
        let ours = names.flat_map(|table| table.keys().filter_map(|k| k.strip_prefix("wattline-")));
        assert_eq!(ours.collect::<BTreeSet<_>>(), BTreeSet::from_iter(may.iter().copied()));
    }
}

#[test]
fn a_module_uses_only_those_above_it() {
    for folder in [".", "crates/java", "crates/campaign", "crates/account", "crates/report"] {
        let files = sources(folder);
        let lib = &files.iter().find(|(path, _)| path == Path::new("lib.rs")).unwrap().1;
        let (modules, given) = (modules(lib), from_crates(lib));
        assert!(modules.len() > 2, "{modules:?}");
        let mut problems = Vec::new();
        for (path, text) in &files {
            let top = path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
            let Some(own) = modules.iter().position(|module| *module == top) else {
                let known = ROOTS.contains(&top) || OF_TESTS.contains(&top);
                assert!(known, "{} is in no module", path.display());
                continue;
            };
            let found = forbidden(text, own, &modules).into_iter();
            let found = found.filter(|name| !given.contains(name));
            problems.extend(found.map(|name| format!("{}: crate::{name}", path.display())));
        }
        assert!(problems.is_empty(), "a module uses one below it:\n{}", problems.join("\n"));
    }
}

/// The crate's root and its programs.
const ROOTS: [&str; 3] = ["lib", "main", "bin"];

/// Modules that only tests use.
const OF_TESTS: [&str; 5] = ["schema", "python", "skip", "run_record", "sample_accounts"];

#[test]
fn a_use_of_a_module_below_is_seen() {
    let modules = ["units", "java", "blocks", "cli"];
    let text = "use crate::{java::{Type, cli}, blocks};\nfn f() { crate::cli::g() }\n// crate::x\n";
    assert_eq!(forbidden(text, 1, &modules), ["blocks", "cli"]);
    assert_eq!(forbidden(text, 2, &modules), ["cli"]);
    assert!(forbidden(text, 3, &modules).is_empty());
    assert_eq!(forbidden("crate::nowhere::f()", 3, &modules), ["nowhere"]);
}

#[test]
fn a_library_has_its_modules_in_order() {
    let lib = "pub mod a;\n\n/// Of b.\nmod b;\n\n#[cfg(test)]\n#[path = \"x\"]\nmod skip;\n";
    assert_eq!(modules(lib), ["a", "b"]);
    let lib = "pub use wattline_java::{java, blocks};\npub use wattline_model as model;\n\
               pub(crate) use wattline_units::{\n    exact, units,\n};\n";
    let given = ["blocks", "exact", "java", "model", "units"];
    assert_eq!(from_crates(lib), given.map(String::from).into());
}

/// Parts without input and output, and the files in them that have some.
const PURE: [(&str, &[&str]); 13] = [
    ("crates/units/src", &["crates/units/src/input.rs"]),
    ("crates/java/src", &["crates/java/src/java/classpath"]),
    ("crates/model/src", &[]),
    ("crates/attribution/src", &["crates/attribution/src/monitor/machine.rs"]),
    ("crates/campaign/src/apk", &[]),
    ("crates/campaign/src/campaign", &[]),
    ("crates/campaign/src/dataset", &[]),
    ("crates/account/src/account", &[]),
    ("crates/account/src/hint", &[]),
    ("crates/report/src/report", &[]),
    ("crates/report/src/export", &[]),
    ("crates/report/src/energies", &[]),
    ("crates/account/src/compare", &[]),
];

#[test]
fn modules_without_input_and_output_have_none() {
    let words = ["std::fs", "std::net", "std::process", "std::thread::sleep", "File::open"];
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let code = code(&text);
        let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs")
            || path.to_str().unwrap().ends_with("_tests.rs");
        let is_pure = PURE.iter().any(|(part, but)| {
            path.starts_with(part) && !but.iter().any(|exception| path.starts_with(exception))
        });
        if is_pure && !is_test {
            let found = words.iter().filter(|word| code.contains(*word));
            problems.extend(found.map(|word| format!("{}: {word}", path.display())));
        }
    }
    for (part, _) in PURE {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(part).exists(), "{part} is not there");
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn only_the_device_knows_adb_and_only_the_program_knows_clap() {
    let owners = [
        ("adb_client", "crates/campaign/src/device"),
        ("clap", "./src/cli"),
        ("indicatif", "./src/cli"),
    ];
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let code = code(&text);
        for (name, owner) in owners {
            if code.contains(&format!("use {name}::")) && !path.starts_with(owner) {
                problems.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_owns_and_leaves_nothing_to_do() {
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let path = path.display();
        if !text.starts_with("//! ") {
            problems.push(format!("{path}: does not begin with a //! comment"));
        }
        let code = code(&text);
        let macros = ["todo!(", "unimplemented!(", "dbg!("];
        let found = macros.iter().filter(|name| code.contains(*name));
        problems.extend(found.map(|name| format!("{path}: {name}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What makes temporary folders that others can enter.
#[test]
fn temporary_folders_are_made_in_one_place() {
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let shown = path.to_str().unwrap();
        let of_tests = shown.contains("/tests/") || shown.ends_with("tests.rs");
        let owner = path.starts_with("crates/private-files");
        let words = ["tempfile::tempdir()", "TempDir::new()"];
        let found = words.iter().filter(|word| code(&text).contains(*word));
        if !of_tests && !owner {
            problems.extend(found.map(|word| format!("{shown}: {word}")));
        }
    }
    assert!(problems.is_empty(), "TemporaryFolder makes them:\n{}", problems.join("\n"));
}

/// Scenarios that only tests use.
const SAMPLES: [&str; 2] =
    ["crates/account/src/account/sample.rs", "crates/report/src/report/sample.rs"];

#[test]
fn operations_and_library_functions_are_spelled_in_one_place() {
    let mut literals: Vec<String> =
        Operation::all().map(|operation| format!("\"{operation}\"")).collect();
    literals.push(format!("\"{}", LibraryFunction::PREFIX));
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let shown = path.to_str().unwrap();
        let of_tests = shown.contains("/tests/") || shown.ends_with("tests.rs");
        if of_tests || SAMPLES.contains(&shown) || path.starts_with("crates/units/src/operation") {
            continue;
        }
        let code = code(&text);
        let found = literals.iter().filter(|literal| code.contains(*literal));
        problems.extend(found.map(|literal| format!("{shown}: {literal}")));
    }
    assert!(problems.is_empty(), "units::operation has a name for it:\n{}", problems.join("\n"));
}

/// What names a ground truth folder, or reads one.
const TRUTH: [&str; 6] = [
    "names::TRUTH",
    "BOARD_TRUTH",
    "\"truth\"",
    "\"board-ground-truth\"",
    "Truth::parse",
    "truth::read",
];

#[test]
fn ground_truth_folders_are_opened_in_one_place() {
    let owners = [
        "crates/account/src/ground_truth.rs",
        "crates/campaign/src/folder/names.rs",
        "crates/campaign/src/truth_folder.rs",
    ];
    let owners = owners.map(PathBuf::from);
    let mut problems = Vec::new();
    for (path, text) in all_sources() {
        let code = code(&text);
        let found: Vec<&str> = TRUTH.into_iter().filter(|word| code.contains(word)).collect();
        if owners.contains(&path) {
            assert!(!found.is_empty(), "{} is no owner any more", path.display());
        } else {
            problems.extend(found.iter().map(|word| format!("{}: {word}", path.display())));
        }
    }
    assert!(
        problems.is_empty(),
        "a ground truth folder is opened elsewhere:\n{}",
        problems.join("\n")
    );
}

/// A spreadsheet takes no name for a formula, whichever file writes the table.
#[test]
fn every_table_is_written_with_formulas_as_text() {
    let writes = |text: &str| ["csv::Writer", "WriterBuilder"].iter().any(|way| text.contains(way));
    let guards =
        |text: &str| ["guard_formulas(", "text_of(writer)"].iter().any(|way| text.contains(way));
    let files = all_sources().into_iter().map(|(path, text)| (path, code(&text)));
    // The board's truth is what it executed: names of Java, of which none begins so.
    let files = files.filter(|(path, _)| !path.starts_with("crates/virtual-board"));
    let bare: Vec<PathBuf> =
        files.filter(|(_, code)| writes(code) && !guards(code)).map(|(path, _)| path).collect();
    assert!(bare.is_empty(), "csv_text::guard_formulas is missing: {bare:?}");
}

/// The struct, enum or trait that a line declares.
fn declared_type(line: &str) -> Option<&str> {
    let item = without_visibility(line.trim_start());
    let name = ["struct ", "enum ", "trait "].iter().find_map(|kind| item.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric()).next()
}

#[test]
fn types_of_a_crate_have_different_names() {
    // Each command has its own.
    const FREE: [&str; 1] = ["Arguments"];
    for (folder, _) in CRATES {
        let mut names = BTreeMap::<String, PathBuf>::new();
        for (path, text) in sources(folder) {
            if path.components().any(|part| part.as_os_str().to_string_lossy().contains("test")) {
                continue;
            }
            let code = code(&text);
            for name in code.lines().filter_map(declared_type) {
                if let Some(other) = names.insert(name.into(), path.clone())
                    && !FREE.contains(&name)
                {
                    panic!("{folder}: {name} is in {} and in {}", other.display(), path.display());
                }
            }
        }
        assert!(names.len() > 4, "{folder}: {names:?}");
    }
}

/// Files that may use each other: more of them are only understood all at once.
const CIRCLE_FILES: usize = 6;

/// Lines of a file without its tests.
const FILE_LINES: usize = 500;

/// Lines of a function.
const FUNCTION_LINES: usize = 60;

/// The sources of each crate, by its folder.
static PARSED: LazyLock<Vec<(&str, Files)>> = LazyLock::new(|| {
    let parse = |(path, text): (PathBuf, String)| {
        let file = SourceFile::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, file)
    };
    let of = |(folder, _)| (folder, sources(folder).into_par_iter().map(parse).collect());
    CRATES.into_iter().map(of).collect()
});

#[test]
fn few_files_use_each_other() {
    let of = |(folder, files): &(&str, Files)| -> Vec<String> {
        let modules = CrateModules::link(files, Path::new("lib.rs"));
        assert!(modules.paths().len() > 4, "{folder}: {:?}", modules.paths());
        let circles = circles(&modules.arrows(), CIRCLE_FILES);
        circles.into_iter().map(|circle| format!("{folder}/src: {circle}")).collect()
    };
    let found: Vec<String> = PARSED.par_iter().flat_map_iter(of).collect();
    assert!(
        found.is_empty(),
        "a circle of more than {CIRCLE_FILES} files; move what several of them need into a file \
         that needs none of them:\n{}",
        found.join("\n")
    );
}

/// The files that are compiled without tests: their paths below the project's folder.
pub(super) fn production() -> Vec<(PathBuf, &'static SourceFile)> {
    let of = |(folder, files): &'static (&str, Files)| {
        let is_root = |path: &&PathBuf| {
            path.starts_with("bin")
                || ["lib.rs", "main.rs"].map(Path::new).contains(&path.as_path())
        };
        let roots = files.keys().filter(is_root);
        let paths: BTreeSet<&Path> =
            roots.flat_map(|root| CrateModules::link(files, root).paths()).collect();
        let source = Path::new(folder).join("src");
        paths.into_iter().map(move |path| (source.join(path), &files[path]))
    };
    PARSED.iter().flat_map(of).collect()
}

#[test]
fn files_are_short() {
    let long = production().into_iter().filter(|(_, file)| file.lines > FILE_LINES);
    let long: Vec<String> =
        long.map(|(path, file)| format!("{}: {} lines", path.display(), file.lines)).collect();
    assert!(long.is_empty(), "more than {FILE_LINES} lines without tests:\n{}", long.join("\n"));
}

#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for (path, file) in production() {
        let long = file.functions.iter().filter(|function| function.lines > FUNCTION_LINES);
        found.extend(long.map(|f| format!("{}: {}, {} lines", path.display(), f.name, f.lines)));
    }
    assert!(found.is_empty(), "more than {FUNCTION_LINES} lines:\n{}", found.join("\n"));
}
