//! JaCoCo's XML (report.dtd 1.1), for tools that read nothing else: "covered instructions" of a
//! line, method and class are microjoules, nothing is missed. Where the location of the sources
//! in the repository is known, each source root is a group of that name, so that group, package
//! and source file are the path.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::data::ExportData;
use super::frames::frames;
use super::lcov::lines_by_file;
use super::microjoules::microjoules;

/// Methods by source root, package, class and name.
type Roots<'a> = BTreeMap<String, Packages<'a>>;
type Packages<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<&'a str, JacocoMethod<'a>>>>;

/// Energy in microjoules by file and line.
type Lines<'a> = BTreeMap<&'a str, BTreeMap<u32, u64>>;

/// Group of files outside the repository.
const ELSEWHERE: &str = "(elsewhere)";

/// A method's file, first line and energy.
struct JacocoMethod<'a> {
    file: &'a str,
    line: u32,
    microjoules: u64,
}

/// The text of the report.
pub(super) fn jacoco(data: &ExportData<'_>) -> Vec<u8> {
    let (files, roots) = (lines_by_file(data), roots(data));
    let mut report = JacocoReport::default();
    report.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    report.put("<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">");
    let name = format!("<report name=\"{} (microjoules)\">", escaped(data.scenario));
    let is_grouped = roots.keys().any(|root| !root.is_empty());
    report.element(&name, "report", |report| {
        let of_root = |(root, packages): (&String, &Packages<'_>)| {
            let root = if root.is_empty() { ELSEWHERE } else { root };
            let head = format!("<group name=\"{}\">", escaped(root));
            match is_grouped {
                true => report.element(&head, "group", |report| report.packages(packages, &files)),
                false => report.packages(packages, &files),
            }
        };
        roots.iter().map(of_root).sum()
    });
    report.xml.into_bytes()
}

/// The XML text under construction.
#[derive(Default)]
struct JacocoReport {
    xml: String,
}

impl JacocoReport {
    fn put(&mut self, line: &str) {
        writeln!(self.xml, "{line}").expect("memory has no errors");
    }

    /// Adds an element that ends with a counter of its content's energy; returns that energy.
    fn element(&mut self, head: &str, name: &str, content: impl FnOnce(&mut Self) -> u64) -> u64 {
        self.put(head);
        let microjoules = content(self);
        self.put(&format!("{}</{name}>", counter(microjoules)));
        microjoules
    }

    fn packages(&mut self, packages: &Packages<'_>, files: &Lines<'_>) -> u64 {
        let mut sum = 0;
        for (package, classes) in packages {
            let path = package.replace('.', "/");
            let head = format!("<package name=\"{}\">", escaped(&path));
            sum += self.element(&head, "package", |report| {
                let of_classes = classes
                    .iter()
                    .map(|(class, methods)| report.class(&path, class, methods))
                    .sum();
                let names = classes.values().flat_map(BTreeMap::values).map(|method| method.file);
                names.collect::<BTreeSet<_>>().iter().for_each(|file| report.file(file, files));
                of_classes
            });
        }
        sum
    }

    fn class(
        &mut self,
        package: &str,
        class: &str,
        methods: &BTreeMap<&str, JacocoMethod<'_>>,
    ) -> u64 {
        let file = methods.values().next().map_or("", |method| method.file);
        let name = if package.is_empty() { class.into() } else { format!("{package}/{class}") };
        let (name, file) = (escaped(&name), escaped(last_segment(file)));
        let head = format!("<class name=\"{name}\" sourcefilename=\"{file}\">");
        self.element(&head, "class", |report| {
            for (method, found) in methods {
                let (name, line) = (escaped(method), found.line);
                let head = format!("<method name=\"{name}\" desc=\"()V\" line=\"{line}\">");
                report.put(&(head + &counter(found.microjoules) + "</method>"));
            }
            methods.values().map(|method| method.microjoules).sum()
        })
    }

    fn file(&mut self, file: &str, files: &Lines<'_>) {
        self.put(&format!("<sourcefile name=\"{}\">", escaped(last_segment(file))));
        for (line, hits) in files.get(file).into_iter().flatten() {
            self.put(&format!("<line nr=\"{line}\" mi=\"0\" ci=\"{hits}\" mb=\"0\" cb=\"0\"/>"));
        }
        self.put("</sourcefile>");
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn counter(microjoules: u64) -> String {
    format!("<counter type=\"INSTRUCTION\" missed=\"0\" covered=\"{microjoules}\"/>")
}

fn roots<'a>(data: &ExportData<'a>) -> Roots<'a> {
    let mut all = Roots::new();
    for block in &data.accounts.blocks {
        let [package, class, ..] = frames(block);
        let package = if block.class.contains('.') { package } else { "" };
        let packages = all.entry(data.repository.source_root(&block.file)).or_default();
        let methods = packages.entry(package).or_default().entry(class).or_default();
        let first = JacocoMethod { file: &block.file, line: block.start_line, microjoules: 0 };
        let method = methods.entry(&block.method).or_insert(first);
        method.line = method.line.min(block.start_line);
        method.microjoules += microjoules(block.entry.energy);
    }
    all
}

/// Text escaped for XML, without characters that XML does not allow.
fn escaped(text: &str) -> String {
    let is_held = |c: char| !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'));
    let held: String = text.chars().map(|c| if is_held(c) { c } else { '\u{fffd}' }).collect();
    crate::format::escape_markup(&held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;
    use crate::report::Repository;

    #[test]
    fn counters_add_up_and_elements_close() {
        let sample = sample::sample();
        let xml = String::from_utf8(jacoco(&sample.data())).unwrap();
        for element in ["report", "package", "class", "method", "sourcefile"] {
            let (open, close) = (format!("<{element} "), format!("</{element}>"));
            assert_eq!(xml.matches(&open).count(), xml.matches(&close).count(), "{element}");
        }
        assert!(xml.contains("<class name=\"demo/Grid\" sourcefilename=\"Grid.java\">"), "{xml}");
        assert!(xml.contains("<line nr=\"5\" mi=\"0\" ci=\""), "{xml}");
        let covered = xml.rsplit_once("covered=\"").unwrap().1.split_once('"').unwrap().0;
        assert!(covered.parse::<u64>().unwrap().abs_diff(1_250_000) < 5, "{covered}");
        assert!(!xml.contains("<group"), "{xml}");
    }

    #[test]
    fn source_roots_of_a_repository_are_groups() {
        let mut sample = sample::sample();
        sample.repository = Repository::with_prefix("core/src");
        let xml = String::from_utf8(jacoco(&sample.data())).unwrap();
        let group = xml.split_once("<group name=\"core/src\">\n").unwrap().1;
        assert!(group.starts_with("<package name=\"demo\">"), "{xml}");
        let counters: Vec<&str> = xml.lines().rev().take(2).collect();
        let [report, group] = counters[..] else { panic!("{xml}") };
        assert_eq!(report.replace("report>", "group>"), group);
    }

    #[test]
    fn hostile_names_are_inert() {
        let mut sample = sample::sample();
        sample.accounts.blocks[0].method = "a<b>(\"&\u{1}\")".into();
        let xml = String::from_utf8(jacoco(&sample.data())).unwrap();
        assert!(xml.contains("a&lt;b&gt;(&quot;&amp;\u{fffd}&quot;)"), "{xml}");
    }
}
