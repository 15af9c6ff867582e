//! Pattern: StringBuffers that no other thread can reach, whose locks are needless.

use crate::format::{counted, grouped};
use crate::hint::builder::{self, LocalBuilder};
use crate::hint::confidence::Confidence;
use crate::hint::context::HintContext;
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch};
use crate::hint::pattern::{self, simple_type};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::replaced_lines::{ReplacedLines, unknown_saving};
use crate::hint::rewrite::{Edit, Rewrite};
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};

/// The pattern `string-buffer`.
pub const PATTERN: HintPattern = HintPattern {
    name: "string-buffer",
    title: "A StringBuffer that never leaves its method: use a StringBuilder",
    help: "Every call of a StringBuffer takes and releases its lock, so that several threads may \
           use it. One that is made in a method and never handed on is seen by one thread alone. \
           StringBuilder (Java 5) has the same methods without the lock. A compiler leaves some of \
           these locks out by itself, where it sees the object's whole life; how much is left to \
           save, pairs of microbenchmarks tell.",
    reference: "Java SE API, StringBuffer: the StringBuilder class should generally be used in \
                preference to this one",
    basis: PredictionBasis::Lines,
    find,
};

const OLD: &str = "StringBuffer";
const NEW: &str = "StringBuilder";

/// Finds local StringBuffers in all code.
fn find(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    let sources = context.input.sources;
    let has_own = |name: &str| {
        let file_name = format!("{name}.java");
        sources.iter().any(|file| file.path.rsplit('/').next() == Some(&file_name))
    };
    if has_own(OLD) || has_own(NEW) {
        return Vec::new();
    }
    sources.iter().flat_map(|file| hints_of_file(context, file)).collect()
}

fn hints_of_file(context: &HintContext<'_>, file: &SourceFile) -> Vec<Hint> {
    if !file.text.contains(OLD) || has_class_named(file, NEW) || has_class_named(file, OLD) {
        return Vec::new();
    }
    let nodes = pattern::descendants(file.tree.root_node()).into_iter();
    let locals = nodes.filter_map(|node| builder::local_builder(file, node));
    let own = locals.filter(|local| {
        let stays = !local.is_shared && !local.is_returned && !local.created.is_empty();
        let stays = stays && !local.calls.is_empty();
        stays && simple_type(file.text_of(local.ty)) == OLD
    });
    own.filter_map(|local| hint_at(context, file, &local)).collect()
}

/// Whether a file declares or imports a class of this name.
fn has_class_named(file: &SourceFile, name: &str) -> bool {
    [format!("class {name} "), format!("class {name}{{"), format!("class {name}<")]
        .iter()
        .any(|text| file.text.contains(text.as_str()))
        || file.text.lines().any(|line| {
            let imported = line.trim().strip_prefix("import ");
            imported.is_some_and(|rest| rest.trim_end().ends_with(&format!(".{name};")))
        })
}

/// Hint for one variable.
fn hint_at(context: &HintContext<'_>, file: &SourceFile, local: &LocalBuilder<'_>) -> Option<Hint> {
    let name = file.text_of(local.name);
    let nodes: Vec<SyntaxNode<'_>> = local.calls.iter().chain(&local.created).copied().collect();
    let replaced = ReplacedLines::at(file, &nodes);
    let is_call = |function: &crate::operations::LibraryFunction| {
        ["java.lang.StringBuffer", "java.lang.AbstractStringBuilder"].contains(&function.owner())
    };
    if replaced.calls(context, is_call) == 0 {
        return None;
    }
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{name}` is a StringBuffer that never leaves its method, and its {} run up to {}: \
             each takes and releases a lock that nobody else can want.",
            match local.calls.len() {
                1 => "call".to_string(),
                calls => format!("{calls} calls"),
            },
            counted(grouped(replaced.runs(context)), "time"),
        ),
        advice: "Use a StringBuilder.".into(),
        rewrite: format!("{NEW} {name} = new {NEW}(...);"),
        condition: "The program needs Java 5 or later. No other thread can tell.".into(),
        saved: unknown_saving(),
        confidence: Confidence::High,
        automatic_fix: Some(rewrite(file, local)?),
    };
    replaced.hint(context, finding)
}

/// Edits that change the class in the declaration and the creations.
fn rewrite(file: &SourceFile, local: &LocalBuilder<'_>) -> Option<Rewrite> {
    let types = [&[local.ty], local.created.as_slice()].concat();
    let edit = |ty: SyntaxNode<'_>| {
        let is_last = file.text_of(ty).ends_with(OLD);
        let range = ty.end_byte().checked_sub(OLD.len())?..ty.end_byte();
        is_last.then(|| Edit { range, text: NEW.into() })
    };
    let edits: Option<Vec<Edit>> = types.into_iter().map(edit).collect();
    Some(Rewrite { edits: edits?, ..Rewrite::default() })
}

#[cfg(test)]
mod tests {
    use crate::hint::text_with_fixes;

    fn changed(body: &str) -> Option<String> {
        text_with_fixes(
            "string-buffer",
            &format!("class A {{ StringBuffer f; Object m(String x) {{ {body} }} }}"),
        )
    }

    #[test]
    fn declaration_and_creations_become_those_of_a_builder() {
        let text = changed(
            "java.lang.StringBuffer b = new java.lang.StringBuffer(3); b.append(x); \
             b = new StringBuffer(x); return b.toString();",
        );
        let text = text.unwrap();
        assert!(
            text.contains("java.lang.StringBuilder b = new java.lang.StringBuilder(3);"),
            "{text}"
        );
        assert!(text.contains("b = new StringBuilder(x);") && text.contains("StringBuffer f;"));
    }

    #[test]
    fn what_is_handed_on_or_never_made_stays() {
        for body in [
            "StringBuffer b = new StringBuffer(); b.append(x); return b;",
            "StringBuffer b = f; b.append(x); return null;",
            "StringBuffer b = new StringBuffer(), c = new StringBuffer(); b.append(x); return null;",
            "StringBuilder b = new StringBuilder(); b.append(x); return null;",
            "StringBuffer b = new StringBuffer(); return null;",
        ] {
            assert_eq!(changed(body), None, "{body}");
        }
        let own = "class A { void m() { StringBuffer b = new StringBuffer(); b.append(1); } }
            class StringBuilder { }";
        assert_eq!(text_with_fixes("string-buffer", own), None);
    }
}
