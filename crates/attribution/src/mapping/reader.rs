//! Reading a mapping file, line by line: real ones have some ten megabytes. Members are kept
//! of the classes that are asked for alone.

use std::io::BufRead;

use proguard::{LineMapping, ProguardRecord};
use serde::Deserialize;
use wattline_units::foreign::catch_foreign_panic;
use wattline_units::limits::LINE_BYTES;
use wattline_units::shortened::shortened;

use super::{LineSpan, MappedClass, Mapping, OriginalMethod};

/// Error of reading a mapping file.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// The file's bytes can't be had.
    #[error("line {line}: {source}")]
    Io {
        /// Line, from 1.
        line: u64,
        /// Why.
        source: std::io::Error,
    },
    /// A line that is none of a mapping.
    #[error("line {line}: {problem}: `{text}`")]
    Line {
        /// Line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: &'static str,
        /// Its begin.
        text: String,
    },
    /// Two originals for one class.
    #[error(
        "line {line}: {} stands for {} here and for {} above",
        shortened(obfuscated),
        shortened(second),
        shortened(first)
    )]
    TwoClasses {
        /// Line, from 1.
        line: u64,
        /// The class in the application.
        obfuscated: String,
        /// What it was first.
        first: String,
        /// What it is here.
        second: String,
    },
    /// No class in it.
    #[error("it names no class; a mapping has lines such as `com.example.Game -> a.b:`")]
    Empty,
}

/// Comment of R8 in a mapping file, with the fields that are needed.
#[derive(Deserialize)]
struct R8Comment {
    id: String,
    #[serde(rename = "fileName")]
    file_name: Option<String>,
    signature: Option<String>,
}

/// Key of a member: obfuscated name, minified line range, index in its list.
type MappedMember = (String, Option<(u32, u32)>, usize);

/// Reader of a mapping file, line by line.
struct MappingReader<'w> {
    mapping: Mapping,
    wanted: &'w dyn Fn(&str) -> bool,
    /// Obfuscated and original name of the class whose members follow.
    class: Option<(String, String)>,
    keeps_members: bool,
    /// The last member that was read.
    last: Option<MappedMember>,
}

impl Mapping {
    /// Reads a mapping file. `wanted` is true for the classes (by obfuscated name) whose methods
    /// are kept.
    ///
    /// # Errors
    /// A line that is none of a mapping, with its number; a file without classes.
    pub fn read(
        mut from: impl BufRead,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Mapping, MappingError> {
        let mapping = Mapping::default();
        let mut reader =
            MappingReader { mapping, wanted, class: None, keeps_members: false, last: None };
        let mut bytes = Vec::new();
        for line in 1.. {
            let read = LINE_BYTES.read_line_into(&mut from, &mut bytes);
            if read.map_err(|source| MappingError::Io { line, source })? == 0 {
                break;
            }
            let text = std::str::from_utf8(&bytes);
            let text = text.map_err(|_| mapping_error(line, "it is no UTF-8", "\u{fffd}"))?;
            reader.read_line(line, text.trim_start_matches('\u{feff}').trim_end())?;
        }
        if reader.mapping.is_empty() {
            return Err(MappingError::Empty);
        }
        Ok(reader.mapping)
    }
}

fn mapping_error(line: u64, problem: &'static str, text: &str) -> MappingError {
    MappingError::Line { line, problem, text: text.chars().take(80).collect() }
}

impl MappingReader<'_> {
    fn read_line(&mut self, line: u64, text: &str) -> Result<(), MappingError> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(comment) = text.trim_start().strip_prefix('#') {
            self.read_comment(comment, text.starts_with('#'));
            return Ok(());
        }
        let record = catch_foreign_panic(|| ProguardRecord::try_parse(text.as_bytes()));
        let record = record
            .ok()
            .and_then(Result::ok)
            .ok_or_else(|| mapping_error(line, "neither a class, a member nor a comment", text))?;
        match record {
            ProguardRecord::Class { original, obfuscated } => {
                self.begin_class(line, original, obfuscated)
            }
            ProguardRecord::Method { .. } | ProguardRecord::Field { .. }
                if self.class.is_none() =>
            {
                Err(mapping_error(line, "a member before any class", text))
            }
            ProguardRecord::Method {
                original,
                obfuscated,
                arguments,
                original_class,
                line_mapping,
                ..
            } => {
                self.read_method(obfuscated, (original_class, original, arguments), line_mapping);
                Ok(())
            }
            _ => {
                self.last = None;
                Ok(())
            }
        }
    }

    fn begin_class(
        &mut self,
        line: u64,
        original: &str,
        obfuscated: &str,
    ) -> Result<(), MappingError> {
        self.last = None;
        self.class = Some((obfuscated.to_string(), original.to_string()));
        self.keeps_members = (self.wanted)(obfuscated);
        let (first, second) = (original.to_string(), obfuscated.to_string());
        self.mapping.obfuscated.insert(first.clone(), second);
        if !self.keeps_members {
            return Ok(());
        }
        let new = || MappedClass { original: first, ..MappedClass::default() };
        let class = self.mapping.classes.entry(obfuscated.to_string()).or_insert_with(new);
        if class.original != original {
            return Err(MappingError::TwoClasses {
                line,
                obfuscated: obfuscated.to_string(),
                first: class.original.clone(),
                second: original.to_string(),
            });
        }
        Ok(())
    }

    /// Reads a comment; skips kinds that are unknown. Comments of members are indented.
    fn read_comment(&mut self, text: &str, is_of_class: bool) {
        let Some((obfuscated, original)) = &self.class else { return };
        if !self.keeps_members && !text.contains("\"sourceFile\"") {
            return;
        }
        let Ok(comment) = serde_json::from_str::<R8Comment>(text.trim()) else { return };
        if let ("sourceFile", Some(file)) = (comment.id.as_str(), &comment.file_name) {
            self.mapping.source_files.insert(original.clone(), file.clone());
        }
        let kept = self.mapping.classes.get_mut(obfuscated).filter(|_| self.keeps_members);
        let Some(class) = kept else { return };
        match comment.id.as_str() {
            "com.android.tools.r8.synthesized" if is_of_class => class.is_synthesized = true,
            "com.android.tools.r8.residualsignature" => {
                let last = self.last.as_ref();
                let method =
                    last.and_then(|(name, _, at)| class.methods.get_mut(name)?.get_mut(*at));
                if let Some(method) = method {
                    method.residual = comment.signature;
                }
            }
            _ => {}
        }
    }

    fn read_method(
        &mut self,
        obfuscated: &str,
        (class, name, arguments): (Option<&str>, &str, &str),
        lines: Option<LineMapping>,
    ) {
        let Some((owner, _)) = self.class.as_ref().filter(|_| self.keeps_members) else { return };
        let Some(owner) = self.mapping.classes.get_mut(owner) else { return };
        let class = class.filter(|class| *class != owner.original);
        let methods = owner.methods.entry(obfuscated.to_string()).or_default();
        let minified = lines.and_then(|lines| line_range(lines.startline, lines.endline));
        // A frame around the one before: that was inlined into it.
        let around = self
            .last
            .take()
            .filter(|(last, range, _)| last == obfuscated && range.is_some() && *range == minified);
        if let Some((_, _, inner)) = &around {
            methods[*inner].spans.pop();
        }
        let same = |one: &OriginalMethod| {
            one.name == name && one.arguments == arguments && one.class.as_deref() == class
        };
        let at = methods.iter().position(same).unwrap_or(methods.len());
        if at == methods.len() {
            methods.push(OriginalMethod {
                class: class.map(str::to_string),
                name: name.to_string(),
                arguments: arguments.to_string(),
                ..OriginalMethod::default()
            });
        }
        let span = line_span(minified, lines);
        methods[at].spans.push(span);
        if around.is_none() {
            methods[at].own.push(span);
        }
        self.last = Some((obfuscated.to_string(), minified, at));
    }
}

/// Returns the lines of one frame; original lines that are missing are those of the application.
fn line_span(minified: Option<(u32, u32)>, lines: Option<LineMapping>) -> LineSpan {
    let original = lines.and_then(|lines| {
        let first = lines.original_startline;
        line_range(first, lines.original_endline.or(first))
    });
    LineSpan { minified, original: original.or(minified).unwrap_or((0, 0)) }
}

fn line_range(first: Option<usize>, last: Option<usize>) -> Option<(u32, u32)> {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let (first, last) = (line(first?), line(last?));
    Some((first.min(last), first.max(last)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn problem(text: &str) -> String {
        Mapping::read(text.as_bytes(), &|_| true).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let torn = problem("# compiler: R8\na.A -> a:\n    void x( -> b\n");
        assert!(torn.starts_with("line 3: ") && torn.contains("void x("), "{torn}");
        let early = problem("    void x() -> b\n");
        assert!(early.starts_with("line 1: a member before"), "{early}");
        let two = problem("a.A -> a:\n\na.B -> a:\n");
        assert!(two.starts_with("line 3: a stands for a.B here and for a.A"), "{two}");
        let bytes = Mapping::read(&b"a.A -> a:\n\xff\n"[..], &|_| true).unwrap_err();
        assert!(bytes.to_string().starts_with("line 2: it is no UTF-8"), "{bytes}");
        assert!(problem("# nothing\n").contains("names no class"));
    }

    #[test]
    fn members_are_kept_of_the_classes_asked_for_and_names_of_all() {
        let text =
            "a.A -> a:\r\n    int x -> b\r\n    void y() -> c\r\na.B -> b:\n    void z() -> a";
        let mapping = Mapping::read(text.as_bytes(), &|class| class == "b").unwrap();
        assert_eq!((mapping.len(), mapping.classes.len()), (2, 1));
        assert_eq!(mapping.classes["b"].methods["a"][0].name, "z");
    }

    #[test]
    fn comments_of_all_kinds_are_read_over() {
        let text = "# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}\n# {torn\n\
            a.A$$Lambda -> a:\n# {\"id\":\"sourceFile\",\"fileName\":\"A \\u0041.kt\"}\n\
            # {\"id\":\"com.android.tools.r8.synthesized\"}\n    1:1:void x():0:0 -> b\n\
            # {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4}}\n\
            \u{20}     # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(I)V\"}\n";
        let mapping = Mapping::read(text.as_bytes(), &|_| true).unwrap();
        let class = &mapping.classes["a"];
        assert_eq!(mapping.source_files["a.A$$Lambda"], "A A.kt");
        assert_eq!(class.methods["b"][0].residual.as_deref(), Some("(I)V"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([a-c]\\.A -> [ab]:\n|    [0-9:]{0,6}[a-z]{1,4} [a-c.]{1,4}\\([a-c,]{0,3}\\)[0-9:]{0,5} -> a\n|[ -~]{0,9}\n){0,9}") {
            let _ = Mapping::read(text.as_bytes(), &|_| true);
        }
    }
}
