//! What ARCHITECTURE.md says of the modules, checked on their text: each uses only those
//! above it, nothing is left to do, and every file says what it owns.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file of `src`: its path below, its text.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
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

/// The modules in the order of `lib.rs`.
fn modules(lib: &str) -> Vec<&str> {
    let names = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
    names.map(|name| name.trim_end_matches(';')).collect()
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
fn a_module_uses_only_those_above_it() {
    let files = sources();
    let lib = &files.iter().find(|(path, _)| path == Path::new("lib.rs")).unwrap().1;
    let modules = modules(lib);
    assert_eq!(modules.last(), Some(&"cli"));
    let mut problems = Vec::new();
    for (path, text) in &files {
        let top = path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if ["lib", "main"].contains(&top) {
            continue;
        }
        let own = modules.iter().position(|module| *module == top);
        let own = own.unwrap_or_else(|| panic!("{} is in no module of lib.rs", path.display()));
        let found = forbidden(text, own, &modules);
        problems.extend(found.iter().map(|name| format!("{}: crate::{name}", path.display())));
    }
    assert!(problems.is_empty(), "a module uses one below it:\n{}", problems.join("\n"));
}

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
fn modules_without_input_and_output_have_none() {
    let pure = [
        "blocks",
        "operations",
        "instrument",
        "apk",
        "campaign",
        "power",
        "dataset",
        "model",
        "account",
        "hint",
        "report",
        "export",
        "compare",
    ];
    let words = ["std::fs", "std::net", "std::process", "std::thread::sleep", "File::open"];
    let mut problems = Vec::new();
    for (path, text) in sources() {
        let top = path.iter().next().unwrap().to_str().unwrap();
        let code = code(&text);
        let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs")
            || path.to_str().unwrap().ends_with("_tests.rs");
        if pure.contains(&top) && !is_test {
            let found = words.iter().filter(|word| code.contains(*word));
            problems.extend(found.map(|word| format!("{}: {word}", path.display())));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn only_the_device_knows_adb_and_only_the_program_knows_clap() {
    let owners = [("adb_client", "device"), ("clap", "cli"), ("indicatif", "cli")];
    let mut problems = Vec::new();
    for (path, text) in sources() {
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
    for (path, text) in sources() {
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
