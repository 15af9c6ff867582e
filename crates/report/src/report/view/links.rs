//! Where the page shows a line, method, class or package of the source: what links point at.
//! A line that the page leaves out leads to the next one of its file that it shows; a file
//! that it leaves out has no link.

use std::collections::BTreeMap;

use crate::account::MethodKey;
use crate::report::data::ReportData;
use crate::report::view::source::SourceView;

/// What a file's links need.
struct LinkContext {
    /// Number of the file on the page.
    number: usize,
    /// The lines that are shown, ascending.
    lines: Vec<u32>,
}

/// All targets of links into the source.
#[derive(Default)]
pub struct Links<'a> {
    files: BTreeMap<&'a str, LinkContext>,
    packages: BTreeMap<&'a str, usize>,
    /// File and first line.
    methods: BTreeMap<(&'a str, &'a str), (&'a str, u32)>,
    classes: BTreeMap<&'a str, (&'a str, u32)>,
}

impl<'a> Links<'a> {
    /// The targets in the source that the page shows.
    pub fn new(data: &ReportData<'a>, source: &'a SourceView) -> Links<'a> {
        let mut links = Links::default();
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

    /// A line's link; empty where its file isn't shown.
    pub fn line(&self, file: &str, line: u32) -> String {
        let target = self.files.get(file).and_then(|shown| {
            let next = shown.lines.partition_point(|known| *known < line);
            let at = shown.lines.get(next).or(shown.lines.last())?;
            Some(anchor(shown.number, *at))
        });
        target.map_or(String::new(), |target| format!("#{target}"))
    }

    /// A method's link, likewise.
    pub fn method(&self, class: &str, method: &str) -> String {
        self.place(self.methods.get(&(class, method)))
    }

    /// The same of a key.
    pub fn method_of(&self, key: &MethodKey) -> String {
        self.method(&key.class, &key.method)
    }

    /// A class's link, likewise.
    pub fn class(&self, class: &str) -> String {
        self.place(self.classes.get(class))
    }

    /// A package's link, likewise.
    pub fn package(&self, package: &str) -> String {
        let number = self.packages.get(package);
        number.map_or(String::new(), |number| format!("#{}", package_anchor(*number)))
    }

    fn place(&self, place: Option<&(&str, u32)>) -> String {
        place.map_or(String::new(), |(file, line)| self.line(file, *line))
    }
}

/// The id of a line.
pub fn anchor(file: usize, line: u32) -> String {
    format!("s{file}-{line}")
}

/// The id of a package.
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
        let source = source::source(&data);
        let links = Links::new(&data, &source);
        let hottest = &sample.accounts.lines[0].key;
        let link = links.line(&hottest.file, hottest.line);
        assert!(link.ends_with(&format!("-{}", hottest.line)), "{link}");
        assert!(!links.line(&hottest.file, 100_000).is_empty(), "the last line of the file");
        assert_eq!(links.line("no/Such.java", 1), "");
        assert_eq!(links.method("no.Such", "method()"), "");
    }
}
