//! Queries of objects, such as lengths, sizes and limits, whose value changes only with the
//! object; and whether a loop leaves it unchanged.

use crate::hint::context::HintContext;
use crate::hint::pattern;
use crate::hint::site::LoopSite;
use crate::java::SyntaxNode;
use crate::operations::{BlockEntry, Feature, LibraryFunction, Operation, OperationCount};

/// A query whose value changes only when its object does: the method, classes that declare it,
/// and methods of the object that leave the value unchanged (`None`: all).
struct StableQuery {
    method: &'static str,
    classes: &'static [&'static str],
    harmless: Option<&'static [&'static str]>,
}

/// Known queries; all results are of type int.
const STABLE: &[StableQuery] = &[
    StableQuery {
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
    StableQuery { method: "capacity", classes: &["java.nio.Buffer"], harmless: None },
    StableQuery { method: "length", classes: &["java.lang.String"], harmless: None },
    StableQuery {
        method: "length",
        classes: &[
            "java.lang.AbstractStringBuilder",
            "java.lang.StringBuilder",
            "java.lang.StringBuffer",
            "java.lang.CharSequence",
        ],
        harmless: Some(&["charAt", "setCharAt", "indexOf", "lastIndexOf", "length", "substring"]),
    },
    StableQuery {
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

/// A call or field read whose value the loop does not change.
pub(super) struct Query<'t> {
    /// The object that is queried.
    pub object: SyntaxNode<'t>,
    /// Name of the method or field.
    pub name: SyntaxNode<'t>,
    /// Text of the name.
    pub method: &'t str,
    /// Whether it is a call.
    pub is_call: bool,
}

/// Whether an expression in a loop consists of numbers, variables that the loop does not write,
/// and lengths of these, and so has the same value in every iteration.
pub(in crate::hint) fn is_stable(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    node: SyntaxNode<'_>,
) -> bool {
    if pattern::is_literal(node) {
        return true;
    }
    if pattern::is_arithmetic(site.file, node) {
        return pattern::operands(node).into_iter().all(|part| is_stable(context, site, part));
    }
    if let Some(query) = as_query(site, node) {
        let operation = operation_of(site.block_at(context, node), &query);
        return operation
            .and_then(|o| query_stability(context, site, &query, &o.operation))
            .is_some();
    }
    let is_length = pattern::as_field(node).is_some_and(|(_, n)| site.file.text_of(n) == "length");
    pattern::is_place(node) && !is_length && is_place_unwritten(site, node)
}

/// Parses a node as a query without arguments, of a variable that the loop does not write.
pub(super) fn as_query<'t>(site: &LoopSite<'t>, node: SyntaxNode<'t>) -> Option<Query<'t>> {
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
    (pattern::is_place(query.object) && is_place_unwritten(site, query.object)).then_some(query)
}

/// Whether no part of a variable or field (`a`, `this.a`, `a.b`) is written in the loop.
fn is_place_unwritten(site: &LoopSite<'_>, place: SyntaxNode<'_>) -> bool {
    let mut written = pattern::written_names(site.file, site.syntax.node);
    let by_calls = pattern::fields_assigned_by_calls(site.file, site.syntax.node);
    let is_field = |found: pattern::Declaration<'_>| found.place == pattern::NameKind::Field;
    if pattern::declaration_of(site.file, place).is_none_or(is_field) {
        written.extend(by_calls);
    }
    let names = pattern::descendants(place).into_iter().filter(|node| !pattern::is_this(*node));
    names
        .filter(|node| node.named_children().next().is_none())
        .all(|node| !written.contains(site.file.text_of(node)))
}

/// Why the value of a query does not change in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryStability {
    /// Only an assignment can change it, which the loop does not contain.
    Always,
    /// The loop does not change it, but methods that it calls may.
    UnlessOthersChangeIt,
}

/// Why a variable that the loop does not write keeps its value: always for local variables and for
/// fields that only constructors assign; else unless code outside the loop assigns it.
fn place_stability(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    place: SyntaxNode<'_>,
) -> QueryStability {
    let name = pattern::as_field(place).map_or(place, |(_, name)| name);
    match pattern::declaration_of(site.file, place) {
        Some(found) if found.place != pattern::NameKind::Field => QueryStability::Always,
        Some(_) if context.is_set_once(site.file.text_of(name)) => QueryStability::Always,
        _ => QueryStability::UnlessOthersChangeIt,
    }
}

/// Why a query's value does not change as long as its object's variable does not; `None` if the
/// loop changes it or passes the object on, or the query is unknown.
pub(super) fn query_stability(
    context: &HintContext<'_>,
    site: &LoopSite<'_>,
    query: &Query<'_>,
    operation: &Feature,
) -> Option<QueryStability> {
    let of_place = place_stability(context, site, query.object);
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
    let reached = pattern::called_methods(site.file, site.syntax.node).into_iter();
    let mut calls = reached
        .chain([site.syntax.node])
        .flat_map(pattern::descendants)
        .filter_map(pattern::as_call);
    (!calls.any(changes)).then_some(QueryStability::UnlessOthersChangeIt)
}

/// The dictionary's operation of one evaluation on this line; `None` where there is none: then
/// the query is neither of the library nor an array's length.
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
