//! Hints as SARIF 2.1.0, for editors and code review; the only file with SARIF's structure.
//!
//! URIs are relative to the repository's root where it is known, else to the source root;
//! `%SRCROOT%` is either. A result's fingerprint is made of pattern, file,
//! method and the code in question without white space, not of lines or the numbers of
//! blocks: it stays when other code comes, goes or moves, in the same method too. `rank`
//! is the certain saving of the hint ([`Hint::sure_share`]) in percent of the scenario.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, Location, LogicalLocation, Message, MultiformatMessageString,
    PhysicalLocation, PropertyBag, Region, ReportingDescriptor, Result as SarifResult, ResultLevel,
    Run, Sarif, Tool, ToolComponent,
};
use sha2::{Digest, Sha256};

use crate::format;
use crate::hint::{Hint, HintPattern, PATTERNS, PredictionBasis};
use crate::report::Repository;
use crate::report::view::hints;

/// URL of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Name of the fingerprint; its version changes with its content.
const FINGERPRINT: &str = "wattlinePatternCode/v2";

/// Base that URIs are relative to.
const ROOT: &str = "%SRCROOT%";

/// Writes the text of `hints.sarif`.
pub fn sarif(hints: &[Hint], repository: &Repository) -> String {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let results: Vec<SarifResult> =
        hints.iter().map(|hint| result(hint, repository, &mut seen)).collect();
    let rules: Vec<ReportingDescriptor> = PATTERNS.iter().map(|pattern| rule(pattern)).collect();
    let driver = ToolComponent::builder()
        .name("wattline")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .information_uri(information_uri())
        .rules(rules)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .results(results)
        .column_kind(json!("utf16CodeUnits"))
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_string(), root(repository))]))
        .build();
    let sarif = Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run]).build();
    let mut text =
        serde_json::to_string_pretty(&sarif).expect("SARIF values are plain strings and numbers");
    text.push('\n');
    text
}

/// URI of the program: its home page, or its package URL
/// (<https://github.com/package-url/purl-spec>) as long as it has none.
fn information_uri() -> String {
    match env!("CARGO_PKG_HOMEPAGE") {
        "" => format!("pkg:cargo/wattline@{}", env!("CARGO_PKG_VERSION")),
        page => page.into(),
    }
}

/// Location of the base of URIs; without a URI where only the reader knows it.
fn root(repository: &Repository) -> ArtifactLocation {
    let what = match repository.is_known() {
        true => "the repository's root",
        false => "the root of the sources",
    };
    let mut root = ArtifactLocation::builder().build();
    root.description = Some(Message::builder().text(what).build());
    root.uri = repository.root().filter(|_| repository.is_known()).map(str::to_string);
    root
}

/// The rule of a pattern.
fn rule(pattern: &HintPattern) -> ReportingDescriptor {
    let message = |text: &str| MultiformatMessageString::builder().text(text).build();
    ReportingDescriptor::builder()
        .id(pattern.name)
        .name(pascal_case(pattern.name))
        .short_description(message(pattern.title))
        .full_description(message(pattern.help))
        .help(message(&format!("{}\n\nSee: {}", pattern.help, pattern.reference)))
        .build()
}

/// Result for one hint.
fn result(hint: &Hint, repository: &Repository, seen: &mut HashMap<String, usize>) -> SarifResult {
    let index = PATTERNS.iter().position(|pattern| pattern.name == hint.pattern);
    let rank = hint.sure_share() * 100.0;
    let mut result = SarifResult::builder()
        .rule_id(hint.pattern)
        .level(ResultLevel::Note)
        .message(Message::builder().text(format::visible(&message(hint))).build())
        .locations(vec![location(hint, repository)])
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.into(), fingerprint(hint, seen))]))
        .rank(rank)
        .properties(properties(hint))
        .build();
    result.rule_index = index.map(|index| index as i64);
    result
}

/// Message of a hint for the reader.
fn message(hint: &Hint) -> String {
    let callers = hint.called_most_by().map_or(String::new(), |callers| callers + " ");
    format!(
        "{} {} {callers}{}{} {}",
        hint.sentence,
        hint.advice,
        predicted(hint),
        measured(hint),
        hint.condition
    )
}

fn predicted(hint: &Hint) -> String {
    let bound = format::percent_or_none(hint.bound.share);
    let Some(saving) = hint.predicted() else {
        return format!("The saving is not predicted (at most {bound} of the scenario).");
    };
    format!(
        "Predicted saving: {} of the scenario (95 % interval: {}; at most {bound}).",
        format::percent_or_none(saving.share),
        hints::share_interval(saving),
    )
}

/// Sentence on the measured saving: ` Measured: ...`; empty without a measurement.
fn measured(hint: &Hint) -> String {
    let Some(measured) = hint.measured else { return String::new() };
    let interval = hints::share_interval(&measured.saving);
    let share = format::percent_or_none(measured.saving.share);
    format!(" Measured: {share} (95 % interval: {interval}).")
}

/// Location of a hint's code.
fn location(hint: &Hint, repository: &Repository) -> Location {
    let region = Region::builder()
        .start_line(i64::from(hint.start_line.max(1)))
        .end_line(i64::from(hint.end_line.max(hint.start_line).max(1)))
        .build();
    let path = uri(&repository.path(&hint.file));
    let file = ArtifactLocation::builder().uri(path).uri_base_id(ROOT).build();
    let physical = PhysicalLocation::builder().artifact_location(file).region(region).build();
    let logical = LogicalLocation::builder()
        .fully_qualified_name(hint.block_name.clone())
        .kind("function")
        .build();
    Location::builder().physical_location(physical).logical_locations(vec![logical]).build()
}

/// Figures of a hint in joules.
fn properties(hint: &Hint) -> PropertyBag {
    let predicted = hint.predicted();
    let interval = predicted.and_then(|saving| saving.interval);
    let by_costs = (hint.basis == PredictionBasis::Costs).then_some(hint.by_costs);
    let measured = hint.measured.map(|measured| measured.saving);
    let ends = measured.and_then(|saving| saving.interval);
    let properties = [
        ("saving_j", json!(predicted.map(|saving| saving.energy.0))),
        ("saving_lo_j", json!(interval.map(|interval| interval.lo.0))),
        ("saving_hi_j", json!(interval.map(|interval| interval.hi.0))),
        ("saving_by_costs_j", json!(by_costs.map(|saving| saving.energy.0))),
        ("board_ratio", json!(hint.on_board.map(|ratio| ratio.ratio))),
        ("measured_saving_j", json!(measured.map(|saving| saving.energy.0))),
        ("measured_saving_lo_j", json!(ends.map(|interval| interval.lo.0))),
        ("measured_saving_hi_j", json!(ends.map(|interval| interval.hi.0))),
        ("bound_j", json!(hint.bound.energy.0)),
        ("confidence", json!(hint.confidence.name())),
        ("automatic_fix", json!(hint.automatic_fix.is_some())),
        ("rewrite", json!(hint.rewrite)),
        ("condition", json!(hint.condition)),
    ];
    let properties = properties.map(|(name, value)| (name.to_string(), value));
    PropertyBag::builder().additional_properties(BTreeMap::from(properties)).build()
}

/// Fingerprint of 32 hexadecimal digits from pattern, file, method and rewritten code, with a
/// number where several hints share these.
fn fingerprint(hint: &Hint, seen: &mut HashMap<String, usize>) -> String {
    let method = hint.block_name.rsplit_once(").").map_or(&*hint.block_name, |(method, _)| method);
    let method = method.trim_end_matches(')');
    let code: String = hint.rewrite.split_whitespace().collect();
    let what = format!("{}\n{}\n{method}\n{code}", hint.pattern, hint.file);
    let digest = Sha256::digest(what.as_bytes());
    let digits: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let nth = seen.entry(digits.clone()).and_modify(|nth| *nth += 1).or_insert(1);
    format!("{digits}:{nth}")
}

/// A path as a relative URI reference: all but unreserved characters and slashes are encoded.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.trim_start_matches('/').bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(byte as char);
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// URI of a local folder by its absolute path.
pub fn file_uri(folder: &str) -> String {
    let path = folder.replace('\\', "/");
    format!("file:///{}/", uri(path.trim_matches('/')))
}

/// Rule name in Pascal case: `BulkCopy` for `bulk-copy`.
fn pascal_case(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('-').map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::python_with;
    use crate::report::sample;

    #[test]
    fn results_have_rules_ranks_and_fingerprints_that_stay() {
        let mut hints = sample::hints();
        let text = sarif(&hints, &Repository::default());
        let read: Sarif = serde_json::from_str(&text).unwrap();
        let run = &read.runs[0];
        let results = run.results.as_ref().unwrap();
        let rules = run.tool.driver.rules.as_ref().unwrap();
        for result in results {
            let rule = &rules[result.rule_index.unwrap() as usize];
            assert_eq!(Some(&rule.id), result.rule_id.as_ref());
        }
        assert!(results.windows(2).all(|pair| pair[0].rank >= pair[1].rank));
        for hint in &mut hints {
            hint.start_line += 7;
            hint.end_line += 7;
            hint.rewrite = hint.rewrite.replace('\n', "\n    ");
            hint.block_name = hint.block_name.replace("for_1", "for_2");
        }
        let moved: Sarif =
            serde_json::from_str(&sarif(&hints, &Repository::with_prefix("src"))).unwrap();
        let prints = |sarif: &Sarif| -> Vec<_> {
            let results = sarif.runs[0].results.as_ref().unwrap();
            results.iter().map(|result| result.partial_fingerprints.clone().unwrap()).collect()
        };
        assert_eq!(prints(&read), prints(&moved));
    }

    /// GitHub shows a result beside the code if its path is one of the repository.
    #[test]
    fn paths_are_those_of_the_repository() {
        let read = |repository: &Repository| -> serde_json::Value {
            serde_json::from_str(&sarif(&sample::hints(), repository)).unwrap()
        };
        let uri = |value: &serde_json::Value| {
            value["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
                .clone()
        };
        let tracked = ["core/src/demo/Grid.java"];
        let root = file_uri("/home/a b");
        let found = read(&Repository::of_work_tree(root, &tracked, ["demo/Grid.java"]));
        let expected = json!({"uri": "core/src/demo/Grid.java", "uriBaseId": "%SRCROOT%"});
        assert_eq!(uri(&found), expected);
        let base = &found["runs"][0]["originalUriBaseIds"]["%SRCROOT%"];
        assert_eq!(base["uri"], "file:///home/a%20b/");
        let unknown = read(&Repository::default());
        assert_eq!(uri(&unknown)["uri"], "demo/Grid.java");
        let base = &unknown["runs"][0]["originalUriBaseIds"]["%SRCROOT%"];
        assert!(base["uri"].is_null() && base["description"]["text"].is_string(), "{base}");
        let about = found["runs"][0]["tool"]["driver"]["informationUri"].as_str().unwrap();
        assert!(about.contains(':'), "an absolute URI: {about}");
    }

    #[test]
    fn messages_reorder_nothing_around_them() {
        let mut hints = sample::hints();
        hints[0].sentence = "a\u{202e}\u{9b}2J".into();
        let read: serde_json::Value =
            serde_json::from_str(&sarif(&hints, &Repository::default())).unwrap();
        let text = read["runs"][0]["results"][0]["message"]["text"].as_str().unwrap();
        assert!(text.starts_with("a\\u202E\\u009B2J "), "{text}");
    }

    #[test]
    fn other_code_has_another_fingerprint() {
        let hint = &sample::hints()[0];
        let mut other = hint.clone();
        other.rewrite.push_str("x();");
        let print = |hint| fingerprint(hint, &mut HashMap::new());
        assert_ne!(print(hint), print(&other));
        let (mut seen, again) = (HashMap::new(), hint.clone());
        assert_ne!(fingerprint(hint, &mut seen), fingerprint(&again, &mut seen), "two of a kind");
    }

    /// The schema comes with the crate that the types are made from; the validator is
    /// Python's `jsonschema`.
    #[test]
    fn the_official_schema_takes_it() {
        let Some((schema, python)) = sarif_schema().zip(python_with("jsonschema")) else {
            return crate::skip::because(
                "no SARIF schema in cargo's registry, or no Python with jsonschema",
            );
        };
        let folder = tempfile::tempdir().unwrap();
        let check = "import json, sys, jsonschema\n\
                     schema, *files = [json.load(open(path)) for path in sys.argv[1:]]\n\
                     for value in files: jsonschema.validate(value, schema)\n\
                     files[0]['runs'][0]['results'][0]['level'] = 'shout'\n\
                     wrong = jsonschema.Draft7Validator(schema).is_valid(files[0])\n\
                     sys.exit('the schema takes everything' if wrong else 0)";
        let (full, empty) = (folder.path().join("full.sarif"), folder.path().join("empty.sarif"));
        let tracked = ["core/src/demo/Grid.java"];
        let root = file_uri("/home/a b");
        let repository = Repository::of_work_tree(root, &tracked, ["demo/Grid.java"]);
        std::fs::write(&full, sarif(&sample::hints(), &repository)).unwrap();
        std::fs::write(&empty, sarif(&[], &Repository::default())).unwrap();
        let mut command = std::process::Command::new(python);
        let output = command.args(["-c", check]).args([&schema, &full, &empty]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn sarif_schema() -> Option<std::path::PathBuf> {
        let home = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
        let home =
            home.or_else(|| Some(std::path::Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
        let folders = walkdir::WalkDir::new(home.join("registry/src")).max_depth(2).into_iter();
        let names = |entry: &walkdir::DirEntry| {
            entry.file_name().to_string_lossy().starts_with("serde-sarif-")
        };
        let found = folders.filter_map(Result::ok).find(names)?;
        Some(found.path().join("src/schema.json")).filter(|path| path.is_file())
    }

    #[test]
    fn paths_are_relative_uris() {
        assert_eq!(uri("/a b/Ünï.java"), "a%20b/%C3%9Cn%C3%AF.java");
        assert_eq!(pascal_case("bulk-copy"), "BulkCopy");
    }
}
