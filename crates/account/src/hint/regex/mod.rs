//! Patterns: regular expressions in literals that are compiled anew at every use.

mod literal;
mod regex_use;
mod syntax;

use std::collections::BTreeMap;

use crate::format::{counted, grouped, listed};
use crate::hint::confidence::Confidence;
use crate::hint::context::HintContext;
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch};
use crate::hint::pattern::{self, MethodCall};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::regex::regex_use::{PatternUse, RegexUse, as_regex_use};
use crate::hint::replaced_lines::{ReplacedLines, unknown_saving};
use crate::hint::rewrite::{Edit, Rewrite, fresh_name, member_indent};
use crate::hint::site::LoopSite;
use crate::java::SourceFile;
use crate::operations::LibraryFunction;

/// The pattern `pattern-in-method`.
pub const PATTERN: HintPattern = HintPattern {
    name: "pattern-in-method",
    title: "A regular expression is compiled at every use: keep it in a field",
    help: "`s.replaceAll`, `replaceFirst`, `matches` and `split` compile their expression at each \
           call, and so does `Pattern.matches`. A Pattern in a static final field is compiled \
           once, and may be used by all threads. Splitting at a single character doesn't compile, \
           and is left out. How much is saved depends on how long the text is; pairs of microbenchmarks \
           tell.",
    reference: "Bloch, Effective Java, 3rd edition, item 6: avoid creating unnecessary objects",
    basis: PredictionBasis::Lines,
    find: find_uses,
};

/// The pattern `compile-in-method`.
pub const COMPILED: HintPattern = HintPattern {
    name: "compile-in-method",
    title: "Pattern.compile in a method: keep the Pattern in a field",
    help: "The expression is written out, so the Pattern is the same every time, and it can't \
           change. In a static final field it is compiled once, and may be used by all threads.",
    reference: "Java SE API, Pattern: instances of this class are immutable and are safe for use by \
                multiple concurrent threads",
    basis: PredictionBasis::Lines,
    find: find_compilations,
};

fn find_uses(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    find_in_all_files(context, PATTERN.name, |how| how != PatternUse::Compile)
}

fn find_compilations(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    find_in_all_files(context, COMPILED.name, |how| how == PatternUse::Compile)
}

/// Hints for all files, one for the uses in a method.
fn find_in_all_files(
    context: &HintContext<'_>,
    name: &'static str,
    is_own: fn(PatternUse) -> bool,
) -> Vec<Hint> {
    let sources = context.input.sources;
    sources.iter().flat_map(|file| hints_of_file(context, file, name, is_own)).collect()
}

fn hints_of_file(
    context: &HintContext<'_>,
    file: &SourceFile,
    name: &'static str,
    is_own: fn(PatternUse) -> bool,
) -> Vec<Hint> {
    let nodes = pattern::descendants(file.tree.root_node());
    let mut by_line: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    for call in nodes.iter().copied().filter_map(pattern::as_call) {
        *by_line.entry(line_and_name(file, &call)).or_default() += 1;
    }
    let mut by_method: BTreeMap<(usize, usize), Vec<RegexUse<'_>>> = BTreeMap::new();
    for node in nodes {
        let Some(found) = as_regex_use(file, node).filter(|found| is_own(found.how)) else {
            continue;
        };
        let place = pattern::method_around(node).zip(pattern::class_for_statics(file, node));
        if let Some((method, class)) = place
            && is_of_library(context, file, &found, by_line[&line_and_name(file, &found.call)])
        {
            by_method.entry((method.start_byte(), class)).or_default().push(found);
        }
    }
    let hints = by_method.into_iter();
    hints.filter_map(|((_, class), found)| hint_at(context, file, name, class, &found)).collect()
}

/// Line and text of a call's name.
fn line_and_name<'s>(file: &'s SourceFile, call: &MethodCall<'_>) -> (u32, &'s str) {
    (pattern::line(call.name), file.text_of(call.name))
}

/// Whether all calls of this name on the line are of the JDK's class, by the types of the whole
/// program.
fn is_of_library(
    context: &HintContext<'_>,
    file: &SourceFile,
    found: &RegexUse<'_>,
    calls: usize,
) -> bool {
    let name = file.text_of(found.call.name);
    let owner = if found.on_pattern { "java.util.regex.Pattern" } else { "java.lang.String" };
    let is_one = |f: &LibraryFunction| f.owner() == owner && f.method() == name;
    ReplacedLines::at(file, &[found.call.name]).calls(context, is_one) as usize >= calls
}

/// Hint for one method.
fn hint_at(
    context: &HintContext<'_>,
    file: &SourceFile,
    pattern_name: &'static str,
    class: usize,
    found: &[RegexUse<'_>],
) -> Option<Hint> {
    let names: Vec<_> = found.iter().map(|one| one.call.name).collect();
    let replaced = ReplacedLines::at(file, &names);
    let (fields, rewrite) = rewrite(file, class, found)?;
    let finding = PatternMatch {
        pattern: pattern_name,
        sentence: sentence(file, found, replaced.runs(context)),
        advice: match fields.len() {
            1 => "Keep the Pattern in a static final field.".into(),
            _ => "Keep the Patterns in static final fields.".into(),
        },
        rewrite: fields.join("\n"),
        condition: condition(found),
        saved: unknown_saving(),
        confidence: Confidence::High,
        automatic_fix: Some(rewrite),
    };
    replaced.hint(context, finding)
}

/// Declarations of the fields, one for each expression, and the edits.
fn rewrite(
    file: &SourceFile,
    class: usize,
    found: &[RegexUse<'_>],
) -> Option<(Vec<String>, Rewrite)> {
    let method = pattern::method_around(found.first()?.node)?;
    let stem =
        constant_name(method.child_by_field_name("name").map_or("", |name| file.text_of(name)));
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut edits = Vec::new();
    for one in found {
        let made = format!("java.util.regex.Pattern.compile({})", one.compile_arguments(file));
        let known = fields.iter().find(|(_, text)| *text == made).map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| {
            let letter = letter_of(fields.len());
            let name = fresh_name(file, &format!("{stem}_PATTERN{letter}"));
            fields.push((name.clone(), made));
            name
        });
        edits.extend(one.edits(file, &name));
    }
    let declared = |(name, made): &(String, String)| {
        format!("private static final java.util.regex.Pattern {name} = {made};")
    };
    let declarations: Vec<String> = fields.iter().map(declared).collect();
    let indent = member_indent(file, class);
    let line_end = if file.text[class..].starts_with("\r\n") { "\r\n" } else { "\n" };
    let member = |line: &String| {
        let text = format!("{line_end}{indent}{line}");
        Edit { range: class..class, text }
    };
    let members = declarations.iter().map(member).collect();
    let names = fields.into_iter().map(|(name, _)| name).collect();
    Some((declarations, Rewrite { edits, members, names }))
}

/// Sentence on the first expressions and how often they are compiled.
fn sentence(file: &SourceFile, found: &[RegexUse<'_>], runs: u64) -> String {
    const SHOWN: usize = 3;
    let mut texts: Vec<&str> = Vec::new();
    for one in found {
        let text = file.text_of(one.regex);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let verb = if texts.len() == 1 { "is" } else { "are" };
    let shown = listed(&texts, SHOWN);
    let times = counted(grouped(runs), "time");
    format!("{shown} {verb} compiled at every use, up to {times}.")
}

fn condition(found: &[RegexUse<'_>]) -> String {
    let mut text = String::from(
        "A serializable class without a serialVersionUID gets another default one, if it had no \
         static initialiser.",
    );
    if found.iter().any(RegexUse::evaluates_more) {
        text += " Where the text is null, the calls in the other arguments aren't made before it \
                 fails.";
    }
    text
}

/// Suffix of the n-th field of a method: B for the second.
fn letter_of(fields: usize) -> String {
    match fields {
        0 => String::new(),
        n if n < 26 => format!("_{}", char::from(b'A' + n as u8)),
        n => format!("_N{n}"),
    }
}

/// Name of a constant for a method: `TRIM_ALL` for `trimAll`.
fn constant_name(name: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            text.push('_');
        }
        text.extend(c.to_uppercase());
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::hint::text_with_fixes;

    fn changed_by(pattern: &str, statements: &str) -> Option<String> {
        let text = format!(
            "import java.util.regex.*;\nclass A {{\n    static class B {{\n        Object cleanUp(String s, Mine t) {{ {statements} }}\n    }}\n    static class Mine {{ String replaceAll(String a, String b) {{ return a; }} }}\n}}\n"
        );
        text_with_fixes(pattern, &text)
    }

    fn changed(statements: &str) -> Option<String> {
        changed_by("pattern-in-method", statements)
    }

    #[test]
    fn uses_go_through_a_field() {
        const FIELD: &str = "private static final java.util.regex.Pattern CLEAN_UP_PATTERN = java.util.regex.Pattern.compile(";
        for (before, regex, after) in [
            (
                "return s.replaceAll(\"a+\", \"b\");",
                "\"a+\"",
                "CLEAN_UP_PATTERN.matcher(s).replaceAll(\"b\");",
            ),
            (
                "return s.trim().replaceFirst(\"a+\", s);",
                "\"a+\"",
                "CLEAN_UP_PATTERN.matcher(s.trim()).replaceFirst(s);",
            ),
            (
                "return s.matches(\"\\\\d+\");",
                "\"\\\\d+\"",
                "CLEAN_UP_PATTERN.matcher(s).matches();",
            ),
            ("return s.split(\", *\");", "\", *\"", "CLEAN_UP_PATTERN.split(s);"),
            ("return s.split(\", *\", 3);", "\", *\"", "CLEAN_UP_PATTERN.split(s, 3);"),
            (
                "return Pattern.matches(\"a*\", s);",
                "\"a*\"",
                "CLEAN_UP_PATTERN.matcher(s).matches();",
            ),
            (
                "return (s + 1).replaceAll(\"x\", \"\");",
                "\"x\"",
                "CLEAN_UP_PATTERN.matcher((s + 1)).replaceAll(\"\");",
            ),
        ] {
            let text = changed(before).unwrap_or_else(|| panic!("{before}"));
            assert!(
                text.contains(&format!("static class B {{\n        {FIELD}{regex});\n")),
                "{text}"
            );
            assert!(text.contains(&format!("return {after}")), "{before}\n{text}");
        }
        let text =
            changed("return s.replaceAll(\"a\", \"b\").replaceAll(\"[c]\", \"d\");").unwrap();
        let expected = "return CLEAN_UP_PATTERN.matcher(CLEAN_UP_PATTERN_B.matcher(s).replaceAll(\"b\")).replaceAll(\"d\");";
        assert!(text.contains(expected), "{text}");
        let text = changed_by(
            "compile-in-method",
            "return Pattern.compile(\"a\", Pattern.DOTALL).matcher(s);",
        )
        .unwrap();
        assert!(text.contains("Pattern.compile(\"a\", java.util.regex.Pattern.DOTALL);"), "{text}");
        assert!(text.contains("return CLEAN_UP_PATTERN.matcher(s);"), "{text}");
    }

    #[test]
    fn what_is_no_constant_expression_stays() {
        for statement in [
            "return s.split(\",\");",
            "return s.replaceAll(s, \"\");",
            "return s.replaceAll(\"(\", \"\");",
            "return t.replaceAll(\"a\", \"\");",
            "return s.replace(\"a\", \"\");",
            "return s.matches(\"a\" + s);",
            "return s.replaceAll(\"a\", \"\") + t.replaceAll(\"a\", \"\");",
        ] {
            assert_eq!(changed(statement), None, "{statement}");
        }
        for statement in
            ["return Pattern.compile(s);", "return Pattern.compile(\"a\", 1 + s.length());"]
        {
            assert_eq!(changed_by("compile-in-method", statement), None, "{statement}");
        }
        let initialiser = "class A { static final String[] X = \"a b\".split(\" +\"); }";
        assert_eq!(text_with_fixes("pattern-in-method", initialiser), None);
        let interface = "interface A { default Object m(String s) { return s.split(\" +\"); } }";
        assert_eq!(text_with_fixes("pattern-in-method", interface), None);
    }
}
