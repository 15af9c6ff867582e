//! Pattern: private methods that do not use their object: a static call needs none.

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site::LoopSite;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::Operation;

/// The pattern `could-be-static`.
pub const PATTERN: HintPattern = HintPattern {
    name: "could-be-static",
    title: "A private method that doesn't use its object: make it static",
    help: "The method is private and touches neither a field nor another method of its object. A \
           static call hands over one argument less, and needs no check that the object is there. \
           The prediction is the difference of the model's prices for virtual and static calls. \
           Nothing else changes, for nobody can override a private method. A compiler that \
           inlines the call saves this by itself.",
    reference: "Android documentation, Performance tips: prefer static over virtual (15 to 20 % \
                faster invocations)",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds private methods of all classes.
fn find(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    let sources = context.input.sources;
    sources.iter().flat_map(|file| hints_of_file(context, file)).collect()
}

fn hints_of_file(context: &HintContext<'_>, file: &SourceFile) -> Vec<Hint> {
    let methods = pattern::methods_with_body(file).into_iter();
    methods
        .filter(|(method, body)| could_be_static(file, *method, *body))
        .filter_map(|(method, _)| hint_at(context, file, method))
        .collect()
}

/// Whether a method is private, not static, in a class that may have static methods, and does not
/// depend on its object: no type parameter of the class, and no method reference to it on an
/// object.
fn could_be_static(file: &SourceFile, method: SyntaxNode<'_>, body: SyntaxNode<'_>) -> bool {
    let modifiers = pattern::modifiers(file, method);
    let has = |word: &str| modifiers.contains(&word);
    if !has("private") || has("static") || has("native") || has("synchronized") {
        return false;
    }
    let Some(class) = pattern::class_around(file, method).filter(|class| class.may_have_statics)
    else {
        return false;
    };
    let serial = ["writeObject", "readObject", "readObjectNoData", "readResolve", "writeReplace"];
    let name = method.child_by_field_name("name").map_or("", |name| file.text_of(name));
    let own_only = |node: SyntaxNode<'_>| uses_object(file, node, &class.static_names);
    !serial.contains(&name)
        && !pattern::uses_type(file, method, &class.type_parameters)
        && !pattern::is_referred_to(file, name)
        && !pattern::descendants(body).into_iter().any(own_only)
}

/// Whether a node uses the object: `this`, `super`, or a name that is neither declared in the
/// method nor a static member of its class nor styled as a class.
fn uses_object(file: &SourceFile, node: SyntaxNode<'_>, statics: &[&str]) -> bool {
    if pattern::is_this(node) || pattern::is_super(node) {
        return true;
    }
    if let Some(call) = pattern::as_call(node) {
        return call.object.is_none() && !statics.contains(&file.text_of(call.name));
    }
    if let Some(made) = pattern::as_creation(node) {
        return made.is_anonymous || !(made.is_array || is_nested_free(file, node));
    }
    if !pattern::is_variable(node) {
        return false;
    }
    let name = file.text_of(node);
    let is_class = name.starts_with(|c: char| c.is_uppercase())
        && node.parent().is_some_and(|parent| {
            pattern::as_field(parent).is_some_and(|(object, _)| object == node)
                || pattern::as_call(parent).is_some_and(|call| call.object == Some(node))
        });
    let local =
        pattern::declaration_of(file, node).is_some_and(|d| d.place != pattern::NameKind::Field);
    !local && !is_class && !statics.contains(&name)
}

/// Whether a created class is no inner class of this file, which would need its outer object.
fn is_nested_free(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let Some(made) = pattern::as_creation(node) else { return false };
    let name = pattern::created_class(file, &made);
    !pattern::inner_classes(file).contains(&name)
}

/// Hint for one method.
fn hint_at(context: &HintContext<'_>, file: &SourceFile, method: SyntaxNode<'_>) -> Option<Hint> {
    let line = pattern::line(method);
    let name = file.text_of(method.child_by_field_name("name")?);
    let lines = line..=file.last_line(method);
    let entry = context.blocks_of(&file.path).iter().find(|block| {
        block.kind == "entry"
            && lines.contains(&block.start_line)
            && block.method.split('(').next() == Some(name)
    })?;
    let runs = context.runs(entry);
    let mut saved = PricedOperations::default();
    context.add(&mut saved, (Operation::METHOD_INVOCATION, "virtual"), runs as f64);
    context.add(&mut saved, (Operation::METHOD_INVOCATION, "static"), -(runs as f64));
    let mut bound = PricedOperations::default();
    context.add(&mut bound, (Operation::METHOD_INVOCATION, "virtual"), runs as f64);
    let head = &file.text[method.start_byte()..method.child_by_field_name("body")?.start_byte()];
    let head = pattern::after_annotations(method)
        .map_or(head, |from| &file.text[from..method.start_byte() + head.len()]);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{name}` doesn't use its object, and is called {}.",
            counted(grouped(runs), "time")
        ),
        advice: "Make it static.".into(),
        rewrite: format!("{} {{ ... }}", head.trim_end().replacen("private", "private static", 1)),
        condition: "No class calls it by reflection.".into(),
        saved,
        confidence: Confidence::Medium,
        automatic_fix: None,
    };
    let all: Vec<_> = context
        .blocks_of(&file.path)
        .iter()
        .filter(|block| block.class == entry.class && block.method == entry.method)
        .copied()
        .collect();
    Some(hint(context, entry, &all, (line, file.last_line(method)), finding))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A static method knows neither its class's type parameters nor an object to refer to.
    #[test]
    fn what_would_not_compile_is_no_hint() {
        let names = |text: &str| -> Vec<String> {
            let (found, _) = crate::hint::found_in(PATTERN.name, text);
            found.into_iter().map(|hint| hint.block_name).collect()
        };
        let class = |head: &str, method: &str| {
            format!("class A{head} {{ {method} int run(int n) {{ return n; }} }}")
        };
        let twice = "private int twice(int x) { return 2 * x; }";
        assert_eq!(names(&class("", twice)), ["A.twice(int)"]);
        assert_eq!(names(&class("<T>", twice)), ["A.twice(int)"]);
        assert!(names(&class("<T>", "private int of(T x) { return 2; }")).is_empty());
        let own = "private <T> int of(T x) { return 2; }";
        assert_eq!(names(&class("<T>", own)).len(), 1, "its own parameter hides the class's");
        let referred = "java.util.function.IntUnaryOperator f = this::twice; ";
        assert!(names(&class("", &format!("{referred}{twice}"))).is_empty());
    }
}
