//! JaCoCo's XML (report.dtd 1.1), for tools that read nothing else: "covered
//! instructions" of a line, method and class are microjoules, nothing is missed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::lcov::lines_by_file;
use super::{ExportData, escaped, frames, microjoules};

/// By package, class and method: file, first line, microjoules.
type Classes<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeMap<&'a str, Method<'a>>>>;

struct Method<'a> {
    file: &'a str,
    line: u32,
    microjoules: u64,
}

/// The text of the report.
pub(super) fn jacoco(data: &ExportData<'_>) -> Vec<u8> {
    let mut xml = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
        "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">\n"
    ));
    let mut put = |line: String| writeln!(xml, "{line}").expect("memory has no errors");
    put(format!("<report name=\"{} (microjoules)\">", escaped(data.scenario)));
    let files = lines_by_file(data);
    let mut total = 0;
    for (package, classes) in classes(data) {
        let path = package.replace('.', "/");
        let mut of_package = 0;
        put(format!("<package name=\"{}\">", escaped(&path)));
        let mut names: Vec<&str> = Vec::new();
        for (class, methods) in classes {
            let file = methods.values().next().map_or("", |method| method.file);
            let name = file.rsplit('/').next().unwrap_or(file);
            put(format!(
                "<class name=\"{}/{}\" sourcefilename=\"{}\">",
                escaped(&path),
                escaped(class),
                escaped(name)
            ));
            let mut of_class = 0;
            for (method, found) in &methods {
                let (name, line) = (escaped(method), found.line);
                put(format!("<method name=\"{name}\" desc=\"()V\" line=\"{line}\">"));
                put(counter(found.microjoules) + "</method>");
                of_class += found.microjoules;
            }
            put(counter(of_class) + "</class>");
            of_package += of_class;
            names.push(file);
        }
        names.sort_unstable();
        names.dedup();
        for file in names {
            let name = file.rsplit('/').next().unwrap_or(file);
            put(format!("<sourcefile name=\"{}\">", escaped(name)));
            for (line, hits) in files.get(file).into_iter().flatten() {
                put(format!("<line nr=\"{line}\" mi=\"0\" ci=\"{hits}\" mb=\"0\" cb=\"0\"/>"));
            }
            put("</sourcefile>".into());
        }
        put(counter(of_package) + "</package>");
        total += of_package;
    }
    put(counter(total) + "</report>");
    xml.into_bytes()
}

fn counter(microjoules: u64) -> String {
    format!("<counter type=\"INSTRUCTION\" missed=\"0\" covered=\"{microjoules}\"/>")
}

fn classes<'a>(data: &ExportData<'a>) -> Classes<'a> {
    let mut all = Classes::new();
    for block in &data.accounts.blocks {
        let [package, class, ..] = frames(block);
        let package = if block.class.contains('.') { package } else { "" };
        let methods = all.entry(package).or_default().entry(class).or_default();
        let first = Method { file: &block.file, line: block.start_line, microjoules: 0 };
        let method = methods.entry(&block.method).or_insert(first);
        method.line = method.line.min(block.start_line);
        method.microjoules += microjoules(block.entry.energy);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

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
    }

    #[test]
    fn hostile_names_are_inert() {
        let mut sample = sample::sample();
        sample.accounts.blocks[0].method = "a<b>(\"&\u{1}\")".into();
        let xml = String::from_utf8(jacoco(&sample.data())).unwrap();
        assert!(xml.contains("a&lt;b&gt;(&quot;&amp;\u{fffd}&quot;)"), "{xml}");
    }
}
