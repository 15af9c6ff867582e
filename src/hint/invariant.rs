//! Calls and length reads in a loop that give the same value every time: in the test
//! (`i < vertices.limit()`) or in the body. Hoisting evaluates them once per entry.

use std::collections::BTreeMap;

use crate::java::Node;

use crate::hint::pattern;
use crate::hint::site::Counted;
use crate::hint::{Confidence, Context, Finding, Hint, Pattern, Site, grouped, hint};

/// The pattern.
pub const PATTERN: Pattern = Pattern {
    name: "loop-invariant",
    title: "The same value computed in every iteration",
    help: "A call or a length read in a loop's test or body gives the same value in every \
           iteration, for nothing in the loop changes what it is taken from. Evaluate it once \
           before the loop and use a local variable. The prediction saves its executions but one \
           per entry of the loop, and pays for the local variable. An optimising compiler may \
           hoist some of these by itself.",
    find,
};

/// Library methods without arguments whose value changes only when their object does,
/// and the methods that change it.
const QUERIES: &[(&str, &[&str])] = &[
    ("limit", &["limit", "flip", "clear", "slice", "compact"]),
    ("capacity", &[]),
    ("length", &["append", "insert", "delete", "deleteCharAt", "setLength", "replace"]),
    (
        "size",
        &[
            "add",
            "addAll",
            "remove",
            "removeAll",
            "removeIf",
            "removeFirst",
            "removeLast",
            "retainAll",
            "clear",
            "put",
            "putAll",
            "putIfAbsent",
            "computeIfAbsent",
            "push",
            "pop",
            "poll",
            "offer",
            "addFirst",
            "addLast",
        ],
    ),
];

/// One invariant expression of a loop.
struct Invariant<'s> {
    /// Its source text.
    text: &'s str,
    /// Operations it takes per evaluation, with how often they ran in the loop.
    evaluations: Counted,
    /// Operations of one evaluation.
    once: Vec<String>,
    /// How often it was evaluated.
    runs: u64,
    /// Whether some evaluation is in the loop's test: then it happens for every entry.
    in_test: bool,
    /// Whether some evaluation happens in every iteration.
    always: bool,
}

/// Finds loops with invariant expressions.
fn find(context: &Context<'_>, sites: &[Site<'_>]) -> Vec<Hint> {
    sites.iter().filter_map(|site| at(context, site)).collect()
}

/// The hint for one loop: all its invariants together.
fn at(context: &Context<'_>, site: &Site<'_>) -> Option<Hint> {
    let found = invariants(context, site);
    let entries = site.entries(context).max(1);
    let found: Vec<Invariant<'_>> =
        found.into_iter().filter(|found| found.always && found.runs >= 2 * entries).collect();
    found.first()?;
    let names: Vec<String> =
        found.iter().map(|invariant| format!("`{}`", invariant.text)).collect();
    let names = names.join(", ");
    let open = site.calls_source_methods();
    let in_test = found.iter().all(|invariant| invariant.in_test);
    let finding = Finding {
        pattern: PATTERN.name,
        sentence: format!(
            "{names} {} the same in every iteration and evaluated {} times for {} {} of the loop.",
            if found.len() == 1 { "is" } else { "are" },
            grouped(found.iter().map(|invariant| invariant.runs).sum()),
            grouped(entries),
            if entries == 1 { "entry" } else { "entries" },
        ),
        advice: format!("Evaluate {names} once before the loop."),
        rewrite: rewrite(site, &found),
        condition: condition(&names, open, in_test),
        saved: saved(context, &found, entries),
        confidence: if in_test && !open { Confidence::High } else { Confidence::Medium },
    };
    Some(hint(context, site.test.unwrap_or(site.body), &site.blocks(), site.lines(), finding))
}

/// When hoisting does the same.
fn condition(names: &str, open: bool, in_test: bool) -> String {
    let mut text = match open {
        true => format!("No method that the loop calls may change what {names} gives."),
        false => format!("No other thread changes what {names} gives while the loop runs."),
    };
    if !in_test {
        text += " It is evaluated even if the loop has no iteration: its object must not be null.";
    }
    text
}

/// What hoisting saves: all evaluations but one per entry, less the local's declaration
/// and assignment.
fn saved(context: &Context<'_>, found: &[Invariant<'_>], entries: u64) -> Counted {
    let mut saved = Counted::default();
    for invariant in found {
        for (&cost, &count) in &invariant.evaluations.counts.0 {
            saved.counts.add(cost, count);
        }
        saved.incomplete |= invariant.evaluations.incomplete;
        for operation in &invariant.once {
            context.add(&mut saved, operation, -(entries as f64));
        }
        for operation in ["Declaration_int", "Assign_int_int"] {
            context.add_known(&mut saved, operation, -(entries as f64));
        }
    }
    saved
}

/// The invariant expressions of a loop, by their text.
fn invariants<'s>(context: &Context<'_>, site: &Site<'s>) -> Vec<Invariant<'s>> {
    let file = site.file;
    let mut found: BTreeMap<&str, Invariant<'s>> = BTreeMap::new();
    let test = site.syntax.test.into_iter();
    let parts = test.chain(site.syntax.update.iter().copied()).chain([site.syntax.body]);
    for node in parts.flat_map(pattern::descendants) {
        if pattern::in_other_unit(node, site.syntax.node) {
            continue;
        }
        let Some(query) = query(site, node) else { continue };
        let block = site.block_at(context, node);
        let Some(once) = operations_of(block, &query, pattern::line(query.name)) else { continue };
        let runs = context.runs(block);
        let text = file.text_of(node);
        let invariant = found.entry(text).or_insert_with(|| Invariant {
            text,
            evaluations: Counted::default(),
            once: once.clone(),
            runs: 0,
            in_test: false,
            always: false,
        });
        let always = !pattern::is_guarded(node, site.syntax.node);
        invariant.always |= always;
        invariant.in_test |= always
            && site.syntax.test.is_some_and(|test| {
                test.start_byte() <= node.start_byte() && node.end_byte() <= test.end_byte()
            });
        invariant.runs = invariant.runs.saturating_add(runs);
        for operation in &once {
            context.add(&mut invariant.evaluations, operation, runs as f64);
        }
    }
    found.into_values().collect()
}

/// A call or field read whose value the loop doesn't change.
struct Query<'t> {
    /// What it is asked of.
    object: Node<'t>,
    /// Name of the method or field.
    name: Node<'t>,
    /// The name's text.
    method: &'t str,
    /// Whether it is a call.
    is_call: bool,
}

/// Reads a node as a query that is invariant in the loop.
fn query<'t>(site: &Site<'t>, node: Node<'t>) -> Option<Query<'t>> {
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
    let stays = pattern::is_place(query.object) && place_stays(site, query.object);
    (stays && !is_changed(site, &query)).then_some(query)
}

/// Whether no part of a plain place (`a`, `this.a`, `a.b`) is written in the loop.
fn place_stays(site: &Site<'_>, place: Node<'_>) -> bool {
    let written = pattern::written_names(site.file, site.syntax.node);
    let names = pattern::descendants(place).into_iter().filter(|node| !pattern::is_this(*node));
    names
        .filter(|node| node.named_children().next().is_none())
        .all(|node| !written.contains(site.file.text_of(node)))
}

/// Whether the loop calls a method on the same place that changes the query's value, or
/// the query isn't one of the known ones.
fn is_changed(site: &Site<'_>, query: &Query<'_>) -> bool {
    if !query.is_call {
        return false;
    }
    let known = QUERIES.iter().find(|(name, _)| *name == query.method);
    let Some((_, changing)) = known else { return true };
    let object = site.file.text_of(query.object);
    pattern::descendants(site.syntax.node).into_iter().filter_map(pattern::as_call).any(|call| {
        let same = call.object.is_some_and(|other| site.file.text_of(other) == object);
        let method = site.file.text_of(call.name);
        let sets_limit = method == "limit" && call.arguments.is_empty();
        same && changing.contains(&method) && !sets_limit
    })
}

/// The operations of one evaluation, as the dictionary has them on this line: the
/// library call or the field read, and a field read for each field before the dot.
/// `None` when the dictionary has no such call there: then it isn't the library's.
fn operations_of(
    block: &crate::operations::BlockEntry,
    query: &Query<'_>,
    line: u32,
) -> Option<Vec<String>> {
    let on_line = |wanted: &dyn Fn(&str) -> bool| {
        let mut found = block.operations.iter().filter(|o| o.line == line && wanted(&o.operation));
        found.next().map(|operation| operation.operation.clone())
    };
    if !query.is_call {
        return on_line(&|name| name == "Field_Reference").map(|operation| vec![operation]);
    }
    let suffix = format!(".{}", query.method);
    let call = on_line(&|name| name.starts_with("lib:java.") && name.ends_with(&suffix))?;
    Some(vec![call])
}

/// Locals before the loop, and the loop's header with them.
fn rewrite(site: &Site<'_>, found: &[Invariant<'_>]) -> String {
    let file = site.file;
    let start = site.syntax.node.start_byte();
    let end = site.syntax.body.start_byte();
    let mut header = file.text[start..end].trim_end().to_string();
    let mut text = String::new();
    for invariant in found {
        let local = local_name(invariant.text);
        text += &format!("final int {local} = {};\n", invariant.text);
        header = header.replace(invariant.text, &local);
    }
    let inside = found.iter().any(|invariant| !file.text[start..end].contains(invariant.text));
    let note = if inside { " // use the local inside, too" } else { "" };
    format!("{text}{header} {{ ... }}{note}")
}

/// A name for the local: `vertices.limit()` -> `verticesLimit`.
fn local_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut name = String::new();
    for word in words.filter(|word| !word.is_empty() && *word != "this") {
        let mut letters = word.chars();
        let first = letters.next().into_iter();
        if name.is_empty() {
            name.extend(first);
        } else {
            name.extend(first.flat_map(char::to_uppercase));
        }
        name.extend(letters);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};
    use crate::hint::{HintInput, HintOptions, hints};
    use crate::java::SourceFile;

    fn invariant_in(source: &str) -> Option<Hint> {
        let sample = sample::program_1();
        let accounts = account(&sample.scenario());
        let sources = [SourceFile::parse("demo/Grid.java", source)];
        let input = HintInput {
            dictionary: &sample.dictionary,
            executions: &sample.executions,
            model: &sample.model,
            accounts: &accounts,
            sources: &sources,
        };
        let found = hints(input, &HintOptions::default());
        found.into_iter().find(|hint| hint.pattern == PATTERN.name)
    }

    #[test]
    fn limit_in_the_test_is_evaluated_once() {
        let hint = invariant_in(sample::PROGRAM_1).unwrap();
        assert_eq!(
            hint.rewrite,
            "final int verticesLimit = vertices.limit();\n\
             for (int i = 0; i < verticesLimit; i = i + 3) { ... }"
        );
        assert!(hint.sentence.contains("705 times for 1 entry"), "{}", hint.sentence);
        // 704 of 4929 library calls, less one assignment.
        let expected = 0.809 / 100.1 * (13.3 * 704.0 / 4929.0 - 16.7 / 705.0);
        assert!((hint.saving.share.unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn what_the_loop_changes_is_no_invariant() {
        for (from, to) in [
            ("out.put(vertices.get(i));", "out.put(vertices.get(i)); vertices.limit(3);"),
            ("out.put(vertices.get(i));", "out.put(vertices.get(i)); vertices = out;"),
            ("vertices.limit()", "next().limit()"),
        ] {
            let hint = invariant_in(&sample::PROGRAM_1.replacen(from, to, 1));
            assert_eq!(hint.map(|hint| hint.sentence), None, "{to}");
        }
    }

    #[test]
    fn locals_are_named_after_what_they_hold() {
        assert_eq!(local_name("vertices.limit()"), "verticesLimit");
        assert_eq!(local_name("this.data.length"), "dataLength");
    }
}
