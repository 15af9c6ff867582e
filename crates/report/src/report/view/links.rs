//! Anchors of lines, methods, classes and packages of the source on the page. A line that the
//! page leaves out leads to the next shown line of its file; a file that it leaves out has no
//! link.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::report::data::ReportData;
use crate::report::view::source::SourceView;

/// Anchors of one file: its number and shown lines.
struct LinkContext {
    /// Number of the file on the page.
    number: usize,
    /// Shown lines, ascending.
    lines: Vec<u32>,
}

/// Look-up of links into the source.
#[derive(Default)]
pub struct SourceLinks<'a> {
    files: BTreeMap<&'a str, LinkContext>,
    packages: BTreeMap<&'a str, usize>,
    /// File and first line by class and method.
    methods: BTreeMap<(&'a str, &'a str), (&'a str, u32)>,
    classes: BTreeMap<&'a str, (&'a str, u32)>,
}

impl<'a> SourceLinks<'a> {
    /// Collects the anchors of the source that the page shows.
    pub fn new(data: &ReportData<'a>, source: &'a SourceView) -> SourceLinks<'a> {
        let mut links = SourceLinks::default();
        for package in &source.packages {
            links.packages.insert(&package.name, package.number);
            for file in &package.files {
                let lines = file.lines.iter().map(|line| line.number).collect();
                links.files.insert(&file.path, LinkContext { number: file.number, lines });
            }
        }
        for block in &data.accounts.blocks {
            let place = (block.file.as_str(), block.start_line);
            let first = |known: &mut (&'a str, u32)| known.1 = known.1.min(place.1);
            links.methods.entry((&block.class, &block.method)).and_modify(first).or_insert(place);
            links.classes.entry(&block.class).and_modify(first).or_insert(place);
        }
        links
    }

    /// Link to a line; empty where its file is not shown.
    pub fn line(&self, file: &str, line: u32) -> String {
        let target = self.files.get(file).and_then(|shown| {
            let next = shown.lines.partition_point(|known| *known < line);
            let at = shown.lines.get(next).or(shown.lines.last())?;
            Some(anchor(shown.number, *at))
        });
        target.map_or(String::new(), |target| format!("#{target}"))
    }

    /// Link to a method; empty where its file is not shown.
    pub fn method(&self, class: &str, method: &str) -> String {
        self.place(self.methods.get(&(class, method)))
    }

    /// Link to the method with this key.
    pub fn method_of(&self, key: &MethodKey) -> String {
        self.method(&key.class, &key.method)
    }

    /// Link to a class; empty where its file is not shown.
    pub fn class(&self, class: &str) -> String {
        self.place(self.classes.get(class))
    }

    /// Link to a package; empty where it is not shown.
    pub fn package(&self, package: &str) -> String {
        let number = self.packages.get(package);
        number.map_or(String::new(), |number| format!("#{}", package_anchor(*number)))
    }

    fn place(&self, place: Option<&(&str, u32)>) -> String {
        place.map_or(String::new(), |(file, line)| self.line(file, *line))
    }
}

/// Anchor of a line.
pub fn anchor(file: usize, line: u32) -> String {
    format!("s{file}-{line}")
}

/// Anchor of a package.
pub(crate) fn package_anchor(number: usize) -> String {
    format!("package-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::view::source;

    #[test]
    fn what_the_page_shows_has_a_link_and_the_rest_has_none() {
        let sample = sample::report();
        let data = sample.data();
        let source = source::source_views(&data);
        let links = SourceLinks::new(&data, &source);
        let hottest = &sample.accounts.lines[0].key;
        let link = links.line(&hottest.file, hottest.line);
        assert!(link.ends_with(&format!("-{}", hottest.line)), "{link}");
        assert!(!links.line(&hottest.file, 100_000).is_empty(), "the last line of the file");
        assert_eq!(links.line("no/Such.java", 1), "");
        assert_eq!(links.method("no.Such", "method()"), "");
    }
}
