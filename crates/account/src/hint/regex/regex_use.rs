//! Uses of regular expressions in literals, and their rewrites with a Pattern.

use crate::hint::pattern::{self, MethodCall};
use crate::hint::rewrite::Edit;
use crate::java::{SourceFile, SyntaxNode};

use super::{literal, syntax};

/// Kind of use of a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternUse {
    /// `s.replaceAll(regex, x)` or `s.replaceFirst(regex, x)`.
    Replace,
    /// `s.matches(regex)` or `Pattern.matches(regex, s)`.
    Match,
    /// `s.split(regex)`, with or without a limit.
    Split,
    /// `Pattern.compile(regex)`, with or without flags.
    Compile,
}

/// A call with a regular expression in a literal.
pub(super) struct RegexUse<'t> {
    pub how: PatternUse,
    /// The call.
    pub node: SyntaxNode<'t>,
    pub call: MethodCall<'t>,
    /// Literal with the expression.
    pub regex: SyntaxNode<'t>,
    /// Whether the call is on Pattern, not on a String.
    pub on_pattern: bool,
}

/// Parses such a call; `None` for other nodes, and where the expression may be invalid.
pub(super) fn as_regex_use<'t>(file: &SourceFile, node: SyntaxNode<'t>) -> Option<RegexUse<'t>> {
    let call = pattern::as_call(node)?;
    let object = call.object.filter(|object| !pattern::is_super(*object))?;
    let regex =
        call.arguments.first().copied().filter(|first| pattern::is_string_literal(*first))?;
    let text = literal::literal_value(file.text_of(regex)).filter(|text| syntax::is_regex(text))?;
    let on_pattern = ["Pattern", "java.util.regex.Pattern"].contains(&file.text_of(object));
    let how = match (on_pattern, file.text_of(call.name), call.arguments.len()) {
        (false, "replaceAll" | "replaceFirst", 2) => PatternUse::Replace,
        (false, "matches", 1) | (true, "matches", 2) => PatternUse::Match,
        (false, "split", 1 | 2) if !syntax::is_quick_split(&text) => PatternUse::Split,
        (true, "compile", 1) => PatternUse::Compile,
        (true, "compile", 2) if is_flags(file, call.arguments[1]) => PatternUse::Compile,
        _ => return None,
    };
    Some(RegexUse { how, node, call, regex, on_pattern })
}

/// Whether an expression consists of constants of Pattern that leave the syntax unchanged.
fn is_flags(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let text = file.text_of(node);
    let is_flag = |word: &str| {
        let name = word.trim().strip_prefix("java.util.regex.").unwrap_or(word.trim());
        name.strip_prefix("Pattern.").is_some_and(|name| {
            ["CASE_INSENSITIVE", "DOTALL", "MULTILINE", "UNICODE_CASE"].contains(&name)
        })
    };
    text.split('|').all(is_flag)
}

impl RegexUse<'_> {
    /// Source text of the arguments of `Pattern.compile`: the expression, and flags if there are
    /// any.
    pub fn compile_arguments(&self, file: &SourceFile) -> String {
        let regex = file.text_of(self.regex);
        let flags = self.call.arguments.get(1).filter(|_| self.how == PatternUse::Compile);
        let Some(flags) = flags else { return regex.to_string() };
        let flags = file.text_of(*flags).split('|').map(|flag| {
            let flag = flag.trim();
            let name = flag.rsplit('.').next().unwrap_or(flag);
            format!("java.util.regex.Pattern.{name}")
        });
        format!("{regex}, {}", flags.collect::<Vec<_>>().join(" | "))
    }

    /// Whether other arguments contain calls.
    pub(crate) fn evaluates_more(&self) -> bool {
        let others = self.call.arguments.iter().skip(1).filter(|_| !self.on_pattern);
        let mut nodes = others.flat_map(|argument| pattern::descendants(*argument));
        nodes.any(|node| pattern::as_call(node).is_some())
    }

    /// Edits that make the call use the field `field`.
    pub fn edits(&self, file: &SourceFile, field: &str) -> Vec<Edit> {
        let edit = |range, text: &str| Edit { range, text: text.to_string() };
        let Some(object) = self.call.object else { return Vec::new() };
        let (start, end) = (self.node.start_byte(), self.node.end_byte());
        let method = file.text_of(self.call.name);
        let second = self.call.arguments.get(1);
        match (self.how, second) {
            (PatternUse::Compile, _) => vec![edit(start..end, field)],
            (PatternUse::Match, Some(text)) => vec![
                edit(start..text.start_byte(), &format!("{field}.matcher(")),
                edit(text.end_byte()..end, ").matches()"),
            ],
            (PatternUse::Match, None) => vec![
                edit(start..start, &format!("{field}.matcher(")),
                edit(object.end_byte()..end, ").matches()"),
            ],
            (PatternUse::Replace, Some(by)) => vec![
                edit(start..start, &format!("{field}.matcher(")),
                edit(object.end_byte()..by.start_byte(), &format!(").{method}(")),
            ],
            (PatternUse::Split, Some(limit)) => vec![
                edit(start..start, &format!("{field}.split(")),
                edit(object.end_byte()..limit.start_byte(), ", "),
            ],
            (PatternUse::Split, None) => vec![
                edit(start..start, &format!("{field}.split(")),
                edit(object.end_byte()..end, ")"),
            ],
            (PatternUse::Replace, None) => Vec::new(),
        }
    }
}
