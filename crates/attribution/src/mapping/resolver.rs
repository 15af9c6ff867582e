//! A recorded method -> its name in the sources.

use super::{LineSpan, MappedClass, Mapping, OriginalMethod};
use crate::descriptor::parameter_types_text;

/// Method by its names in the running application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeMethod<'a> {
    /// Binary class name with package.
    pub class: &'a str,
    /// Name with simple parameter types in parentheses; without them of samples, whose line
    /// is where they were taken.
    pub method: &'a str,
    /// Path of the source file by package; empty where unknown.
    pub file: &'a str,
    /// First and last line; zero where unknown.
    pub lines: (u32, u32),
}

/// Certainty of a method's name by the mapping: class alone, one method, several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameCertainty {
    /// The method.
    Method,
    /// Several that it may be, or that it is made of; all are named.
    Several,
    /// Its class alone.
    Class,
    /// Nothing: the name is as recorded.
    Nothing,
}

/// Method by its names in the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMethod {
    /// Binary class name with package.
    pub class: String,
    /// Name as recorded ones are; several with ` | ` between them.
    pub method: String,
    /// Path of the source file by package; empty where unknown.
    pub file: String,
    /// First and last line; zero where unknown.
    pub lines: (u32, u32),
    /// What is known of it.
    pub certainty: NameCertainty,
}

impl Mapping {
    /// Returns the names in the sources of a recorded method.
    pub fn source_method(&self, recorded: RuntimeMethod<'_>) -> SourceMethod {
        // What the JVM makes of a lambda has its class's name as a beginning.
        let (owner, suffix) = match recorded.class.find("$$Lambda") {
            Some(at) if !self.classes.contains_key(recorded.class) => recorded.class.split_at(at),
            _ => (recorded.class, ""),
        };
        let Some(class) = self.classes.get(owner) else { return unmapped_method(recorded) };
        let (name, types) = split_parameter_types(recorded.method);
        let found = match class.methods.get(name) {
            Some(originals) if suffix.is_empty() => {
                self.matching_originals(originals, types, recorded.lines)
            }
            _ => Vec::new(),
        };
        let host = match found.as_slice() {
            [one] if !class.is_synthesized || one.spans.is_empty() => {
                one.class.as_ref().unwrap_or(&class.original)
            }
            _ => &class.original,
        };
        let labels = method_labels(&found, types.is_some());
        SourceMethod {
            class: format!("{host}{suffix}"),
            method: match labels.is_empty() {
                true => recorded.method.to_string(),
                false => labels.join(" | "),
            },
            file: self.source_file(class, host, recorded.file),
            lines: match found.is_empty() {
                true => recorded.lines,
                false => source_lines(&found, types.is_none(), recorded.lines),
            },
            certainty: match labels.len() {
                0 => NameCertainty::Class,
                1 => NameCertainty::Method,
                _ => NameCertainty::Several,
            },
        }
    }

    /// Returns the original methods that a recorded method may be.
    fn matching_originals<'o>(
        &self,
        originals: &'o [OriginalMethod],
        types: Option<&str>,
        recorded: (u32, u32),
    ) -> Vec<&'o OriginalMethod> {
        let outermost = || originals.iter().filter(|one| !one.spans.is_empty());
        let holds = |span: &LineSpan| {
            let Some((first, last)) = span.minified else { return false };
            recorded.0 > 0 && first <= recorded.1 && recorded.0 <= last
        };
        let Some(types) = types else {
            let sampled = originals.iter().filter(|one| one.own.iter().any(holds)).collect();
            let all = [sampled, outermost().collect::<Vec<_>>()];
            return all.into_iter().find(|some| !some.is_empty()).unwrap_or_default();
        };
        let has_types = |one: &&OriginalMethod| self.recorded_types(one) == types;
        let narrowed = [
            outermost().filter(has_types).collect::<Vec<_>>(),
            // Overloads on one line look like one inlined into the other.
            originals.iter().filter(has_types).collect(),
            outermost().collect(),
        ];
        let fitting = narrowed.into_iter().find(|some| !some.is_empty()).unwrap_or_default();
        let touches = |one: &&OriginalMethod| one.spans.iter().any(holds);
        // Types that differ in what they return alone differ in their lines.
        let by_lines: Vec<&OriginalMethod> = fitting.iter().copied().filter(touches).collect();
        if by_lines.is_empty() { fitting } else { by_lines }
    }

    /// Returns a method's parameter types as a recording of the application has them.
    fn recorded_types(&self, one: &OriginalMethod) -> String {
        match &one.residual {
            Some(descriptor) => parameter_types_text(descriptor),
            None => simple_types(&one.arguments, |class| {
                self.obfuscated.get(class).map_or(class, String::as_str)
            }),
        }
    }

    /// Returns the source file's path: the name in R8's comments, else the recorded name unless it
    /// was removed, else, as retracing has it, that of the outermost class.
    fn source_file(&self, class: &MappedClass, host: &str, recorded: &str) -> String {
        if recorded.is_empty() {
            return String::new();
        }
        let folder = match host.rsplit_once('.') {
            Some((package, _)) => package.replace('.', "/") + "/",
            None => String::new(),
        };
        let name = recorded.rsplit('/').next().unwrap_or(recorded);
        let is_named = name.ends_with(".java") || name.ends_with(".kt");
        match self.source_files.get(host) {
            Some(file) => folder + file,
            _ if is_named && host == class.original => folder + name,
            _ => {
                let outermost = host.rsplit('.').next().unwrap_or(host).split('$').next();
                format!("{folder}{}.java", outermost.unwrap_or(host))
            }
        }
    }
}

fn unmapped_method(recorded: RuntimeMethod<'_>) -> SourceMethod {
    SourceMethod {
        class: recorded.class.to_string(),
        method: recorded.method.to_string(),
        file: recorded.file.to_string(),
        lines: recorded.lines,
        certainty: NameCertainty::Nothing,
    }
}

/// Splits a recorded method into its name and its parameter types with parentheses.
fn split_parameter_types(method: &str) -> (&str, Option<&str>) {
    match method.find('(') {
        Some(at) => (&method[..at], Some(&method[at..])),
        None => (method, None),
    }
}

fn simple_types<'c>(arguments: &'c str, renamed: impl Fn(&'c str) -> &'c str) -> String {
    let simple = |argument: &'c str| {
        let argument = argument.trim();
        let element = argument.trim_end_matches("[]");
        let name = renamed(element);
        let name = name.rsplit(['.', '$']).next().unwrap_or(name);
        format!("{name}{}", &argument[element.len()..])
    };
    let types: Vec<String> = match arguments {
        "" => Vec::new(),
        some => some.split(',').map(simple).collect(),
    };
    format!("({})", types.join(","))
}

/// Returns a method's name as recordings have it, with its class where that differs from the
/// recorded one.
fn method_label(one: &OriginalMethod, is_alone: bool, with_types: bool) -> String {
    let types =
        if with_types { simple_types(&one.arguments, |class| class) } else { String::new() };
    match &one.class {
        Some(class) if !is_alone => format!("{class}.{}{types}", one.name),
        _ => format!("{}{types}", one.name),
    }
}

fn method_labels(found: &[&OriginalMethod], with_types: bool) -> Vec<String> {
    let one = |one: &&OriginalMethod| method_label(one, found.len() == 1, with_types);
    let mut labels: Vec<String> = found.iter().map(one).collect();
    labels.sort();
    labels.dedup();
    labels
}

/// Returns the first and last line in the sources of the spans that the recorded lines touch.
fn source_lines(found: &[&OriginalMethod], is_sample: bool, recorded: (u32, u32)) -> (u32, u32) {
    let spans = |one: &&OriginalMethod| if is_sample { one.own.clone() } else { one.spans.clone() };
    let mut all = (u32::MAX, 0);
    for span in found.iter().flat_map(spans) {
        let Some(minified) = span.minified else { continue };
        let (first, last) = (recorded.0.max(minified.0), recorded.1.min(minified.1));
        if recorded.0 == 0 || first > last || span.original.0 == 0 {
            continue;
        }
        let same_length = minified.1 - minified.0 == span.original.1 - span.original.0;
        let (first, last) = match same_length {
            true => (span.original.0 + (first - minified.0), span.original.0 + (last - minified.0)),
            false => span.original,
        };
        all = (all.0.min(first), all.1.max(last));
    }
    if all.1 == 0 { recorded } else { all }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines such as ProGuard and R8 write.
    const TEXT: &str = "# compiler: R8
com.example.Game -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Game.kt\"}
    com.example.World world -> b
    1:4:void <init>(com.example.World):10:13 -> <init>
    1:1:int add(int,int):40:40 -> a
    1:1:void step(com.example.World,float[]):20 -> a
    2:3:void step(com.example.World,float[]):21:22 -> a
    4:4:void com.example.Math.half():5:5 -> a
    4:4:void draw(java.lang.String):30 -> a
    5:9:long big():50:54 -> c
    10:12:int small():60:62 -> c
    void bare(int) -> d
    void bare(com.example.World$Cell) -> d
    13:14:void com.example.Other.moved():7:8 -> e
    15:15:void changed(com.example.World):70:70 -> f
      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"()V\"}
    16:16:void changed(int):71:71 -> f
com.example.World -> a.b:
com.example.World$Cell -> a.b$a:
com.example.Late -> a.c:
    int field -> a
      # {\"id\":\"com.android.tools.r8.synthesized\"}
    7:8:void com.example.Early.merged():3:4 -> b
com.example.Math -> R8$$REMOVED$$CLASS$$0:
# {\"id\":\"sourceFile\",\"fileName\":\"Numbers.kt\"}
";

    fn named(class: &str, method: &str, lines: (u32, u32)) -> SourceMethod {
        let mapping = Mapping::read(TEXT.as_bytes(), &|_| true).unwrap();
        mapping.source_method(RuntimeMethod { class, method, file: "a/SourceFile", lines })
    }

    fn is(named: SourceMethod, method: &str, lines: (u32, u32), certainty: NameCertainty) {
        assert_eq!(
            (named.method.as_str(), named.lines, named.certainty),
            (method, lines, certainty)
        );
    }

    #[test]
    fn the_outermost_frame_names_a_method_and_types_tell_overloads_apart() {
        let step = named("a.a", "a(b,float[])", (1, 3));
        assert_eq!(
            (step.class.as_str(), step.file.as_str()),
            ("com.example.Game", "com/example/Game.kt")
        );
        is(step, "step(World,float[])", (20, 22), NameCertainty::Method);
        is(named("a.a", "a(String)", (4, 4)), "draw(String)", (30, 30), NameCertainty::Method);
        is(named("a.a", "<init>(b)", (2, 4)), "<init>(World)", (11, 13), NameCertainty::Method);
        is(named("a.a", "d(a)", (0, 0)), "bare(Cell)", (0, 0), NameCertainty::Method);
    }

    #[test]
    fn methods_that_differ_in_what_they_return_are_told_apart_by_lines() {
        is(named("a.a", "c()", (6, 9)), "big()", (51, 54), NameCertainty::Method);
        is(named("a.a", "c()", (10, 10)), "small()", (60, 60), NameCertainty::Method);
        is(named("a.a", "c()", (0, 0)), "big() | small()", (0, 0), NameCertainty::Several);
    }

    #[test]
    fn what_can_not_be_told_apart_is_named_in_full() {
        is(named("a.a", "a", (0, 0)), "draw | step", (0, 0), NameCertainty::Several);
        is(named("a.a", "d", (0, 0)), "bare", (0, 0), NameCertainty::Method);
        is(named("a.a", "f()", (15, 15)), "changed(World)", (70, 70), NameCertainty::Method);
        is(named("a.a", "f(int)", (16, 16)), "changed(int)", (71, 71), NameCertainty::Method);
    }

    /// A sample's line is in one frame's own code, inlined or not.
    #[test]
    fn the_innermost_frame_names_a_sample() {
        is(named("a.a", "a", (1, 1)), "add", (40, 40), NameCertainty::Method);
        is(named("a.a", "a", (2, 2)), "step", (21, 21), NameCertainty::Method);
        is(named("a.a", "c", (11, 11)), "small", (61, 61), NameCertainty::Method);
        let half = named("a.a", "a", (4, 4));
        assert_eq!(
            (half.class.as_str(), half.file.as_str()),
            ("com.example.Math", "com/example/Numbers.kt")
        );
        is(half, "half", (5, 5), NameCertainty::Method);
    }

    #[test]
    fn another_class_s_method_is_that_class_s() {
        let moved = named("a.a", "e()", (13, 14));
        assert_eq!(
            (moved.class.as_str(), moved.file.as_str()),
            ("com.example.Other", "com/example/Other.java")
        );
        is(moved, "moved()", (7, 8), NameCertainty::Method);
        // A field that R8 made says nothing of its class.
        assert_eq!(named("a.c", "b()", (7, 8)).class, "com.example.Early");
    }

    #[test]
    fn unknown_names_stay() {
        is(named("a.a", "zz(int)", (3, 3)), "zz(int)", (3, 3), NameCertainty::Class);
        let other = named("b.b", "a()", (3, 3));
        assert_eq!((other.class.as_str(), other.file.as_str()), ("b.b", "a/SourceFile"));
        assert_eq!(other.certainty, NameCertainty::Nothing);
        let lambda = named("a.a$$Lambda", "run", (0, 0));
        assert_eq!(
            (lambda.class.as_str(), lambda.certainty),
            ("com.example.Game$$Lambda", NameCertainty::Class)
        );
    }

    proptest! {
        #[test]
        fn no_method_panics(method in "[a-f(),\\[\\]$.]{0,12}", first in 0..20_u32, last in 0..20_u32) {
            named("a.a", &method, (first, last));
        }
    }
}
