//! Questions about a place whose answer stays as long as the place does: lengths, sizes,
//! limits; and whether a loop leaves the answer alone.

use crate::hint::counted::Context;
use crate::hint::pattern;
use crate::hint::site::Site;
use crate::java::SyntaxNode;
use crate::operations::{BlockEntry, Feature, LibraryFunction, Operation, OperationCount};

/// Queries whose value changes only when their object does: method, classes that declare
/// it, methods of the same object that leave the value as it is (`None`: all do).
struct Stable {
    method: &'static str,
    classes: &'static [&'static str],
    harmless: Option<&'static [&'static str]>,
}

/// All results are of type int.
const STABLE: &[Stable] = &[
    Stable {
        method: "limit",
        classes: &["java.nio.Buffer"],
        harmless: Some(&[
            "get",
            "put",
            "position",
            "remaining",
            "hasRemaining",
            "limit",
            "capacity",
            "rewind",
            "getInt",
            "getFloat",
            "getLong",
            "getDouble",
            "getShort",
            "getChar",
            "putInt",
            "putFloat",
            "putLong",
            "putDouble",
            "putShort",
            "putChar",
            "duplicate",
            "array",
        ]),
    },
    Stable { method: "capacity", classes: &["java.nio.Buffer"], harmless: None },
    Stable { method: "length", classes: &["java.lang.String"], harmless: None },
    Stable {
        method: "length",
        classes: &[
            "java.lang.AbstractStringBuilder",
            "java.lang.StringBuilder",
            "java.lang.StringBuffer",
            "java.lang.CharSequence",
        ],
        harmless: Some(&["charAt", "setCharAt", "indexOf", "lastIndexOf", "length", "substring"]),
    },
    Stable {
        method: "size",
        classes: &["java.util."],
        harmless: Some(&[
            "get",
            "getOrDefault",
            "set",
            "contains",
            "containsKey",
            "containsAll",
            "indexOf",
            "lastIndexOf",
            "isEmpty",
            "size",
            "equals",
            "hashCode",
            "toString",
        ]),
    },
];

/// A call or field read whose value the loop doesn't change.
pub(super) struct Query<'t> {
    /// What it is asked of.
    pub object: SyntaxNode<'t>,
    /// Name of the method or field.
    pub name: SyntaxNode<'t>,
    /// The name's text.
    pub method: &'t str,
    /// Whether it is a call.
    pub is_call: bool,
}

/// Whether an expression in a loop is made of numbers, places that the loop doesn't
/// write, and lengths of such places: the same in every iteration.
pub(in crate::hint) fn is_stable(
    context: &Context<'_>,
    site: &Site<'_>,
    node: SyntaxNode<'_>,
) -> bool {
    if pattern::is_literal(node) {
        return true;
    }
    if pattern::is_arithmetic(site.file, node) {
        return pattern::operands(node).into_iter().all(|part| is_stable(context, site, part));
    }
    if let Some(query) = query(site, node) {
        let operation = operation_of(site.block_at(context, node), &query);
        return operation.and_then(|o| stays(context, site, &query, &o.operation)).is_some();
    }
    let is_length = pattern::as_field(node).is_some_and(|(_, n)| site.file.text_of(n) == "length");
    pattern::is_place(node) && !is_length && place_stays(site, node)
}

/// Reads a node as a query without arguments of a place that the loop doesn't write.
pub(super) fn query<'t>(site: &Site<'t>, node: SyntaxNode<'t>) -> Option<Query<'t>> {
    let file = site.file;
    let query = if let Some((object, name)) = pattern::as_field(node) {
        let method = file.text_of(name);
        (method == "length").then_some(Query { object, name, method, is_call: false })?
    } else {
        let call = pattern::as_call(node)?;
        let plain = call.arguments.is_empty();
        let method = file.text_of(call.name);
        plain.then_some(Query { object: call.object?, name: call.name, method, is_call: true })?
    };
    (pattern::is_place(query.object) && place_stays(site, query.object)).then_some(query)
}

/// Whether no part of a plain place (`a`, `this.a`, `a.b`) is written in the loop.
fn place_stays(site: &Site<'_>, place: SyntaxNode<'_>) -> bool {
    let mut written = pattern::written_names(site.file, site.syntax.node);
    let by_calls = pattern::fields_assigned_by_calls(site.file, site.syntax.node);
    let is_field = |found: pattern::Declaration<'_>| found.place == pattern::NameKind::Field;
    if pattern::declared(site.file, place).is_none_or(is_field) {
        written.extend(by_calls);
    }
    let names = pattern::descendants(place).into_iter().filter(|node| !pattern::is_this(*node));
    names
        .filter(|node| node.named_children().next().is_none())
        .all(|node| !written.contains(site.file.text_of(node)))
}

/// Why a query's value stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stays {
    /// Nothing can change it but an assignment, which the loop doesn't have.
    Always,
    /// The loop doesn't change it; methods that it calls may.
    UnlessOthersChangeIt,
}

/// Whether code elsewhere may give a place another value: not a local variable, nor a
/// field of the class that only constructors assign.
fn place_stays_for_others(context: &Context<'_>, site: &Site<'_>, place: SyntaxNode<'_>) -> Stays {
    let name = pattern::as_field(place).map_or(place, |(_, name)| name);
    match pattern::declared(site.file, place) {
        Some(found) if found.place != pattern::NameKind::Field => Stays::Always,
        Some(_) if context.is_set_once(site.file.text_of(name)) => Stays::Always,
        _ => Stays::UnlessOthersChangeIt,
    }
}

/// Whether a query's value stays as long as its object's place does; `None` if the loop
/// changes it, or hands the object to others, or the query isn't one of the known ones.
pub(super) fn stays(
    context: &Context<'_>,
    site: &Site<'_>,
    query: &Query<'_>,
    operation: &Feature,
) -> Option<Stays> {
    let of_place = place_stays_for_others(context, site, query.object);
    if !query.is_call {
        return Some(of_place);
    }
    let class = operation.library().filter(|call| call.method() == query.method)?.owner();
    let is_of = |known: &&&str| match known.strip_suffix('.') {
        Some(package) => class.strip_prefix(package).is_some_and(|rest| rest.starts_with('.')),
        None => class == **known,
    };
    let known =
        STABLE.iter().find(|s| s.method == query.method && s.classes.iter().any(|k| is_of(&k)))?;
    let Some(harmless) = known.harmless else { return Some(of_place) };
    let object = site.file.text_of(query.object);
    let changes = |call: pattern::MethodCall<'_>| {
        let same = call.object.is_some_and(|other| site.file.text_of(other) == object);
        let method = site.file.text_of(call.name);
        let sets_limit = method == "limit" && !call.arguments.is_empty();
        let handed = call.arguments.iter().any(|argument| site.file.text_of(*argument) == object);
        handed
            || (same && (sets_limit || !harmless.contains(&method)))
            || (method == "remove" && call.arguments.is_empty())
    };
    let reached = pattern::methods_called(site.file, site.syntax.node).into_iter();
    let mut calls = reached
        .chain([site.syntax.node])
        .flat_map(pattern::descendants)
        .filter_map(pattern::as_call);
    (!calls.any(changes)).then_some(Stays::UnlessOthersChangeIt)
}

/// The operation of one evaluation, as the dictionary has it on this line. `None` when the
/// dictionary has no such call there: then it isn't the library's, or no array's length.
pub(super) fn operation_of<'b>(
    block: &'b BlockEntry,
    query: &Query<'_>,
) -> Option<&'b OperationCount> {
    let line = pattern::line(query.name);
    let is_call =
        |call: &LibraryFunction| call.owner().starts_with("java.") && call.method() == query.method;
    block.operations.iter().filter(|found| found.line == line).find(|found| {
        if query.is_call {
            found.operation.library().is_some_and(is_call)
        } else {
            found.operation == Operation::FIELD_REFERENCE
                && matches!(&*found.context, "length" | "")
        }
    })
}
