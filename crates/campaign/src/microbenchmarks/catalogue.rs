//! The catalogue of microbenchmarks: data (`catalogue.toml`), expanded over types and
//! functions.

use std::collections::BTreeSet;

use serde::Deserialize;

/// A microbenchmark: the parts of its Java code, and the operations that it measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Microbenchmark {
    /// Unique name, a Java identifier.
    pub name: String,
    /// Operations and library functions that the microbenchmark measures.
    pub measures: Vec<String>,
    /// Java declarations before the loop.
    pub locals: String,
    /// Java statements in the loop, repeated.
    pub body: String,
    /// Members of the microbenchmark's own class.
    pub helper: String,
    /// A Java boolean expression kept after the loop.
    pub keep: String,
    /// Java statements that make results of the body its next inputs; none without such results.
    pub feed: Option<String>,
    /// Copies of the body in the loop.
    pub copies: usize,
    /// Number of [code locations](super::places) in which it is measured; 1 is a plain loop alone.
    pub places: usize,
    /// Number of elements (of an array, characters of a text) that each call of the measured
    /// library functions processes, if their cost depends on it.
    pub elements: Option<u32>,
}

/// Copies of a body in the loop of a catalogue's microbenchmark.
const COPIES: usize = 4;

/// Error in a catalogue; only a developer of wattline sees it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CatalogueError {
    /// Not TOML, or a key is unknown or missing.
    #[error("microbenchmark catalogue: {0}")]
    Syntax(#[from] toml::de::Error),
    /// Two microbenchmarks have one name.
    #[error("microbenchmark catalogue: the name {0:?} is given twice")]
    Twice(String),
}

/// The built-in microbenchmarks.
pub fn catalogue() -> Vec<Microbenchmark> {
    parse(include_str!("catalogue.toml")).expect("the built-in catalogue is checked by a test")
}

/// Parses a catalogue and expands `types`, `functions` and `sizes`.
pub fn parse(text: &str) -> Result<Vec<Microbenchmark>, CatalogueError> {
    let file: CatalogueFile = toml::from_str(text)?;
    let microbenchmarks: Vec<Microbenchmark> =
        file.microbenchmark.iter().flat_map(CatalogueEntry::expand).collect();
    let mut names = BTreeSet::new();
    match microbenchmarks.iter().find(|microbenchmark| !names.insert(&microbenchmark.name)) {
        Some(twice) => Err(CatalogueError::Twice(twice.name.clone())),
        None => Ok(microbenchmarks),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    microbenchmark: Vec<CatalogueEntry>,
}

/// An entry of the catalogue, before expansion.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueEntry {
    name: String,
    measures: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    sizes: Vec<u32>,
    #[serde(default)]
    locals: String,
    body: String,
    feed: Option<String>,
    #[serde(default)]
    helper: String,
    #[serde(default = "always")]
    keep: String,
}

fn always() -> String {
    "yes".to_string()
}

impl CatalogueEntry {
    fn expand(&self) -> Vec<Microbenchmark> {
        let types = self.types.iter().map(|name| self.with(&[("$T", name)]));
        let functions = self.functions.iter().map(|name| self.with(&[("$F", name)]));
        let sizes = self.sizes.iter().map(|size| Microbenchmark {
            elements: Some(*size),
            ..self.with(&[("$N", &size.to_string())])
        });
        let expanded: Vec<Microbenchmark> = types.chain(functions).chain(sizes).collect();
        if expanded.is_empty() { vec![self.with(&[])] } else { expanded }
    }

    fn with(&self, values: &[(&str, &str)]) -> Microbenchmark {
        let fill = |text: &str| {
            values.iter().fold(text.to_string(), |text, (key, value)| text.replace(key, value))
        };
        Microbenchmark {
            name: fill(&self.name),
            measures: self.measures.iter().map(|text| fill(text)).collect(),
            locals: fill(&self.locals),
            body: fill(&self.body),
            helper: fill(&self.helper),
            keep: fill(&self.keep),
            feed: self.feed.as_deref().map(fill),
            copies: COPIES,
            places: 1,
            elements: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::table::GARBAGE_COLLECTION;
    use crate::operations::{Feature, split_form};

    #[test]
    fn entries_expand_over_types_functions_and_sizes() {
        let text = r#"
            [[microbenchmark]]
            name = "add_$T"
            measures = ["Addition_$T_$T"]
            types = ["int", "long"]
            body = "c = a + $TTwo;"
            [[microbenchmark]]
            name = "math_$F"
            measures = ["lib:java.lang.Math.$F"]
            functions = ["sqrt"]
            body = "c = Math.$F(a);"
            [[microbenchmark]]
            name = "copy_$N"
            measures = ["lib:java.lang.System.arraycopy"]
            sizes = [4, 64]
            body = "System.arraycopy(a, 0, b, 0, $N);"
        "#;
        let microbenchmarks = parse(text).unwrap();
        let names: Vec<_> =
            microbenchmarks.iter().map(|microbenchmark| microbenchmark.name.as_str()).collect();
        assert_eq!(names, ["add_int", "add_long", "math_sqrt", "copy_4", "copy_64"]);
        let elements: Vec<_> =
            microbenchmarks.iter().map(|microbenchmark| microbenchmark.elements).collect();
        assert_eq!(elements, [None, None, None, Some(4), Some(64)]);
        assert_eq!(microbenchmarks[4].body, "System.arraycopy(a, 0, b, 0, 64);");
        assert_eq!(microbenchmarks[1].body, "c = a + longTwo;");
        assert_eq!(microbenchmarks[2].measures, ["lib:java.lang.Math.sqrt"]);
    }

    #[test]
    fn an_unknown_key_and_a_name_given_twice_are_refused() {
        assert!(parse("[[microbenchmark]]\nname='a'\nmeasures=[]\nbody=''\nbdy=''").is_err());
        let twice = "[[microbenchmark]]\nname='a'\nmeasures=[]\nbody=''\n".repeat(2);
        assert!(matches!(parse(&twice), Err(CatalogueError::Twice(_))));
    }

    #[test]
    fn the_built_in_catalogue_measures_only_known_operations() {
        for microbenchmark in parse(include_str!("catalogue.toml")).unwrap() {
            for form in &microbenchmark.measures {
                let is_known = split_form(form).0.parse::<Feature>().is_ok();
                assert!(is_known || form == GARBAGE_COLLECTION, "{}: {form}", microbenchmark.name);
            }
        }
    }

    /// What is overwritten before it is read, and a condition that was asked already, a compiler
    /// leaves out: the microbenchmark would count more than is there.
    #[test]
    fn compilers_find_nothing_in_a_body_that_is_of_no_use() {
        for microbenchmark in parse(include_str!("catalogue.toml")).unwrap() {
            assert_eq!(
                overwritten(&microbenchmark),
                None,
                "{}: {}",
                microbenchmark.name,
                microbenchmark.body
            );
            let conditions: Vec<_> = conditions(&microbenchmark.body).collect();
            let distinct: BTreeSet<_> = conditions.iter().collect();
            assert_eq!(
                distinct.len(),
                conditions.len(),
                "{}: {}",
                microbenchmark.name,
                microbenchmark.body
            );
        }
        let with = |body: &str| Microbenchmark { body: body.into(), ..entry("keep = 'c == d'") };
        assert_eq!(overwritten(&with("c = a.x; d = a.y; c = a.y;")), Some("c = a.x"));
        assert_eq!(overwritten(&with("c = a.x; d = c + a.y; c = a.z;")), None);
        assert_eq!(overwritten(&with("c = f(a); d = c; c = f(a);")), None);
        let handed_on =
            Microbenchmark { feed: Some("a = c;".into()), ..with("c = a; d = a.x; d = c;") };
        assert_eq!(overwritten(&handed_on), Some("d = a.x"));
        assert_eq!(conditions("if (a < b) { } if (f(a) < b) { }").last(), Some("f(a) < b"));
    }

    fn entry(keys: &str) -> Microbenchmark {
        let text = format!("[[microbenchmark]]\nname = 'k'\nmeasures = []\nbody = ''\n{keys}");
        parse(&text).unwrap().remove(0)
    }

    /// The first statement of a body without branches whose value nothing reads; moves between
    /// locals cost nothing anyway.
    fn overwritten(microbenchmark: &Microbenchmark) -> Option<&str> {
        let is_branched = microbenchmark.body.contains(['{', '?']);
        let statements: Vec<&str> =
            microbenchmark.body.split("; ").map(|s| s.trim_end_matches(';')).collect();
        let again =
            microbenchmark.feed.iter().flat_map(|feed| [feed.as_str(), &microbenchmark.body]);
        let after = again.chain([microbenchmark.keep.as_str()]).collect::<Vec<_>>().join(" ");
        let of_no_use = |at: &usize| {
            let Some((name, value)) = statements[*at].split_once(" = ") else { return false };
            let mut follows = statements[at + 1..].iter().copied().chain(after.split("; "));
            is_name(name)
                && !is_name(value)
                && !calls(value)
                && follows.find_map(|s| reads(s, name)) != Some(true)
        };
        (0..statements.len()).filter(|_| !is_branched).find(of_no_use).map(|at| statements[at])
    }

    /// Whether a statement reads a variable; nothing where it does not mention it.
    fn reads(statement: &str, name: &str) -> Option<bool> {
        let mentions = |text: &str| text.split(|c| !is_of_name(c)).any(|word| word == name);
        match statement.split_once(" = ") {
            Some((left, value)) if left == name => Some(mentions(value)),
            _ => mentions(statement).then_some(true),
        }
    }

    fn calls(value: &str) -> bool {
        let mut characters = value.chars().zip(value.chars().skip(1));
        characters.any(|(before, c)| c == '(' && is_of_name(before))
    }

    fn is_name(text: &str) -> bool {
        text.chars().all(is_of_name)
    }

    fn is_of_name(c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_'
    }

    /// What the `if`s of a body ask.
    fn conditions(body: &str) -> impl Iterator<Item = &str> {
        body.split("if (").skip(1).filter_map(|text| text.split_once(") {")).map(|(asked, _)| asked)
    }
}
