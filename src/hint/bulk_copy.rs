//! Element-by-element copies that one bulk call does: buffers, arrays, collections.
//!
//! Program 1 of Li & Gallagher is the model case: a loop that makes 80.9 % of a
//! scenario (the bound); with `put(FloatBuffer)` instead they measured 50.2 % less.
//! The prediction leaves the bulk call as much as the element moves cost now (its
//! library calls, element references and element assignments), and saves the rest.

use crate::java::Node;

use crate::hint::pattern::{self, Counter, LoopKind};
use crate::hint::{Confidence, Context, Finding, Hint, Pattern, Site, grouped, hint};
use crate::java::SourceFile;
use crate::operations::{BlockEntry, OperationCount};

/// The pattern.
pub const PATTERN: Pattern = Pattern {
    name: "bulk-copy",
    title: "Element-by-element copy: one bulk call does it",
    help: "The loop moves elements one by one from one buffer, array or collection to another. \
           The library has a call that moves all of them (put(FloatBuffer), System.arraycopy, \
           addAll): no loop header, no index arithmetic, and bounds are checked once. The \
           prediction saves all but what the moves themselves cost now; the bound is the whole \
           loop.",
    find,
};

/// How elements are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// `to.put(from.get(i))`.
    BufferToBuffer,
    /// `to.put(from[i])`.
    ArrayToBuffer,
    /// `to[i] = from.get(i)` with a buffer.
    BufferToArray,
    /// `to[i] = from[i]`.
    ArrayToArray,
    /// `to.add(from.get(i))`, or `to.add(x)` for each `x` of `from`.
    CollectionToCollection,
    /// `to.add(from[i])`.
    ArrayToCollection,
}

/// One statement of a copying body.
struct Step<'t> {
    how: Move,
    from: Node<'t>,
    to: Node<'t>,
    /// Offset of the source's index from the counter.
    read: i64,
    /// Offset of the target's index from the counter; 0 for relative puts.
    write: i64,
}

/// Finds copying loops.
fn find(context: &Context<'_>, sites: &[Site<'_>]) -> Vec<Hint> {
    sites
        .iter()
        .filter_map(|site| match site.syntax.kind {
            LoopKind::For => counted(context, site),
            LoopKind::Foreach => foreach(context, site),
            LoopKind::While | LoopKind::Do => None,
        })
        .collect()
}

/// A counting loop whose statements move consecutive elements.
fn counted(context: &Context<'_>, site: &Site<'_>) -> Option<Hint> {
    let counter = pattern::counter(site.file, &site.syntax)?;
    let statements = pattern::statements(site.syntax.body);
    let steps: Option<Vec<Step<'_>>> =
        statements.iter().map(|statement| step(site.file, *statement, &counter.name)).collect();
    let steps = steps.filter(|steps| moves_a_run(site.file, steps, counter.step))?;
    let first = steps.first()?;
    let buffer = library_class(site.body, first.how)?;
    let names = Names {
        from: site.file.text_of(first.from),
        to: site.file.text_of(first.to),
        buffer: &buffer,
    };
    let rewrite = rewrite(first, &counter, &names);
    Some(make(context, site, first.how, &names, rewrite, condition(first.how, &names, &counter)))
}

/// `for (T x : from) to.add(x);`
fn foreach(context: &Context<'_>, site: &Site<'_>) -> Option<Hint> {
    let statements = pattern::statements(site.syntax.body);
    let [only] = statements.as_slice() else { return None };
    let call = pattern::as_call(pattern::expression(*only)?)?;
    let [argument] = call.arguments.as_slice() else { return None };
    let (to, from) = (call.object?, site.syntax.iterated?);
    let file = site.file;
    let adds = file.text_of(call.name) == "add"
        && file.text_of(*argument) == file.text_of(site.syntax.variable?);
    let plain = pattern::is_place(to) && pattern::is_place(from);
    if !adds || !plain || file.text_of(to) == file.text_of(from) {
        return None;
    }
    let iterates = site.body.operations.iter().any(|o| o.operation.ends_with("Iterator.next"));
    let how = if iterates { Move::CollectionToCollection } else { Move::ArrayToCollection };
    let buffer = library_class(site.body, how)?;
    let names = Names { from: file.text_of(from), to: file.text_of(to), buffer: &buffer };
    let rewrite = add_all(how, &names);
    let condition = format!("`{}` and `{}` must be different collections.", names.to, names.from);
    Some(make(context, site, how, &names, rewrite, condition))
}

/// The names that a rewrite is written with.
struct Names<'s> {
    from: &'s str,
    to: &'s str,
    /// Simple name of the library class whose method moves the elements.
    buffer: &'s str,
}

/// The hint for one loop.
fn make(
    context: &Context<'_>,
    site: &Site<'_>,
    how: Move,
    names: &Names<'_>,
    rewrite: String,
    condition: String,
) -> Hint {
    let blocks = site.blocks();
    let moved = context.runs(site.body);
    let finding = Finding {
        pattern: PATTERN.name,
        sentence: format!(
            "The loop copies `{}` to `{}` element by element: {} iterations.",
            names.from,
            names.to,
            grouped(moved)
        ),
        advice: format!("Replace the loop by one call of {}.", bulk_call(how, names)),
        rewrite,
        condition,
        saved: context.counted(&blocks, |operation| !moves(operation, how)),
        confidence: confidence(how),
    };
    hint(context, site.body, &blocks, site.lines(), finding)
}

/// Whether an operation is the move of an element itself, which the bulk call still does.
fn moves(operation: &OperationCount, how: Move) -> bool {
    let name = operation.operation.as_str();
    match how {
        Move::ArrayToArray => name == "Array_Reference",
        Move::CollectionToCollection | Move::ArrayToCollection => name.ends_with(".add"),
        _ => name.ends_with("Buffer.get") || name.ends_with("Buffer.put"),
    }
}

/// Reads one statement of the body as a move.
fn step<'t>(file: &SourceFile, statement: Node<'t>, counter: &str) -> Option<Step<'t>> {
    let expression = pattern::expression(statement)?;
    if let Some((left, right)) = pattern::as_assignment(file, expression) {
        let (to, index) = pattern::as_element(left)?;
        let (how, from, read) = element(file, right, counter)?;
        let how = if how == Move::ArrayToArray { how } else { Move::BufferToArray };
        return Some(Step {
            how,
            from,
            to,
            read,
            write: pattern::index_offset(file, index, counter)?,
        });
    }
    let call = pattern::as_call(expression)?;
    let [argument] = call.arguments.as_slice() else { return None };
    let (kind, from, read) = element(file, *argument, counter)?;
    let array = kind == Move::ArrayToArray;
    let how = match (file.text_of(call.name), array) {
        ("put", true) => Move::ArrayToBuffer,
        ("put", false) => Move::BufferToBuffer,
        ("add", true) => Move::ArrayToCollection,
        ("add", false) => Move::CollectionToCollection,
        _ => return None,
    };
    Some(Step { how, from, to: call.object?, read, write: read })
}

/// Reads `from[i + c]` or `from.get(i + c)`.
fn element<'t>(file: &SourceFile, node: Node<'t>, counter: &str) -> Option<(Move, Node<'t>, i64)> {
    let node = pattern::without_parentheses(node);
    if let Some((array, index)) = pattern::as_element(node) {
        return Some((Move::ArrayToArray, array, pattern::index_offset(file, index, counter)?));
    }
    let call = pattern::as_call(node)?;
    let [index] = call.arguments.as_slice() else { return None };
    let offset = pattern::index_offset(file, *index, counter)?;
    (file.text_of(call.name) == "get").then_some((Move::BufferToBuffer, call.object?, offset))
}

/// Whether the statements move, in order, as many consecutive elements as the counter
/// steps, always from one plain place to another.
fn moves_a_run(file: &SourceFile, steps: &[Step<'_>], counter_step: u32) -> bool {
    let Some(first) = steps.first() else { return false };
    let (from, to) = (file.text_of(first.from), file.text_of(first.to));
    let plain = pattern::is_place(first.from) && pattern::is_place(first.to) && from != to;
    let alike = steps.iter().enumerate().all(|(i, step)| {
        step.how == first.how
            && file.text_of(step.from) == from
            && file.text_of(step.to) == to
            && step.read == first.read + i as i64
            && step.write == first.write + i as i64
    });
    plain && alike && steps.len() == counter_step as usize
}

/// Simple name of the library class that moves elements in this body; `None` when the
/// calls aren't those of the library that have a bulk form.
fn library_class(body: &BlockEntry, how: Move) -> Option<String> {
    let of = |suffix: &str, package: &str| {
        body.operations.iter().find_map(|operation| {
            let class = operation.operation.strip_prefix("lib:")?.strip_suffix(suffix)?;
            let simple = class.strip_prefix(package)?;
            Some(simple.rsplit(['.', '$']).next().unwrap_or(simple).to_string())
        })
    };
    match how {
        Move::BufferToBuffer | Move::ArrayToBuffer => of(".put", "java.nio."),
        Move::BufferToArray => of(".get", "java.nio."),
        Move::CollectionToCollection | Move::ArrayToCollection => of(".add", "java.util."),
        Move::ArrayToArray => {
            let converts = body.operations.iter().any(|o| o.operation == "Cast_numeric");
            (!converts).then(|| "System".into())
        }
    }
}

/// What the rewrite calls.
fn bulk_call(how: Move, names: &Names<'_>) -> String {
    match how {
        Move::BufferToBuffer => format!("{0}.put({0})", names.buffer),
        Move::ArrayToBuffer => format!("{}.put(array, offset, length)", names.buffer),
        Move::BufferToArray => format!("{}.get(array, offset, length)", names.buffer),
        Move::ArrayToArray => "System.arraycopy".into(),
        Move::CollectionToCollection => format!("{}.addAll", names.buffer),
        Move::ArrayToCollection => "Collections.addAll".into(),
    }
}

/// How sure it is that the rewrite does the same.
fn confidence(how: Move) -> Confidence {
    match how {
        Move::BufferToBuffer | Move::ArrayToBuffer => Confidence::High,
        _ => Confidence::Medium,
    }
}

/// Source text of `text + offset`.
fn plus(text: &str, offset: i64) -> String {
    match (text.parse::<i64>(), offset) {
        (Ok(number), _) => (number + offset).to_string(),
        (Err(_), 0) => text.to_string(),
        (Err(_), _) => format!("{text} + {offset}"),
    }
}

/// Source text of the number of elements.
fn length(counter: &Counter) -> String {
    let bound = if counter.inclusive { plus(&counter.bound, 1) } else { counter.bound.clone() };
    match counter.start.as_str() {
        "0" => bound,
        start => format!("{bound} - {start}"),
    }
}

/// The bulk call on the user's own names.
fn rewrite(first: &Step<'_>, counter: &Counter, names: &Names<'_>) -> String {
    let Names { from, to, buffer } = names;
    let (read, write) = (plus(&counter.start, first.read), plus(&counter.start, first.write));
    let length = length(counter);
    match first.how {
        Move::BufferToBuffer => buffer_copy(first, counter, names, &read),
        Move::ArrayToBuffer => format!("{to}.put({from}, {read}, {length});"),
        Move::BufferToArray => format!(
            "{buffer} source = {from}.duplicate();\nsource.position({read});\n\
             source.get({to}, {write}, {length});"
        ),
        Move::ArrayToArray => format!("System.arraycopy({from}, {read}, {to}, {write}, {length});"),
        Move::CollectionToCollection | Move::ArrayToCollection => {
            let whole = read == "0";
            if whole {
                add_all(first.how, names)
            } else {
                let list = if first.how == Move::ArrayToCollection {
                    format!("Arrays.asList({from})")
                } else {
                    (*from).to_string()
                };
                format!("{to}.addAll({list}.subList({read}, {read} + {length}));")
            }
        }
    }
}

/// `put(Buffer)` moves from position to limit, so a duplicate gets both as the loop has
/// them; the limit is already right when the loop runs to it.
fn buffer_copy(first: &Step<'_>, counter: &Counter, names: &Names<'_>, read: &str) -> String {
    let Names { from, to, buffer } = names;
    let to_limit = first.read == 0 && counter.bound == format!("{from}.limit()");
    let end = if counter.inclusive { first.read + 1 } else { first.read };
    let limit = match to_limit {
        true => String::new(),
        false => format!("source.limit({});\n", plus(&counter.bound, end)),
    };
    format!(
        "{buffer} source = {from}.duplicate();\n{limit}source.position({read});\n{to}.put(source);"
    )
}

/// `addAll` of everything.
fn add_all(how: Move, names: &Names<'_>) -> String {
    match how {
        Move::ArrayToCollection => format!("Collections.addAll({}, {});", names.to, names.from),
        _ => format!("{}.addAll({});", names.to, names.from),
    }
}

/// When the bulk call does the same as the loop.
fn condition(how: Move, names: &Names<'_>, counter: &Counter) -> String {
    let Names { from, to, .. } = names;
    let whole = match counter.step {
        1 => String::new(),
        step => {
            format!(" The number of elements is a multiple of {step}, as the loop needs it too.")
        }
    };
    let same = match how {
        Move::BufferToBuffer | Move::ArrayToBuffer | Move::BufferToArray => {
            format!("`{from}` and `{to}` must not share memory, and have the same element type.")
        }
        Move::ArrayToArray => format!(
            "`{from}` and `{to}` must have the same element type; if they are one array whose \
             ranges overlap, arraycopy moves as if through a copy, the loop doesn't."
        ),
        Move::CollectionToCollection | Move::ArrayToCollection => {
            format!("`{from}` and `{to}` must be different, and the loop cover all of `{from}`.")
        }
    };
    same + &whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};
    use crate::hint::{HintInput, HintOptions, hints};

    fn rewrite_of(loop_text: &str) -> Option<String> {
        let text = format!("class A {{ void m() {{ {loop_text} }} }}");
        let file = SourceFile::parse("A.java", text);
        let site = pattern::loops(&file).into_iter().next()?;
        let counter = pattern::counter(&file, &site)?;
        let statements = pattern::statements(site.body);
        let steps: Vec<Step<'_>> =
            statements.iter().map(|s| step(&file, *s, &counter.name)).collect::<Option<_>>()?;
        if !moves_a_run(&file, &steps, counter.step) {
            return None;
        }
        let (from, to) = (file.text_of(steps[0].from), file.text_of(steps[0].to));
        Some(rewrite(&steps[0], &counter, &Names { from, to, buffer: "FloatBuffer" }))
    }

    #[test]
    fn copies_become_bulk_calls_on_the_same_names() {
        let check = |source: &str, expected: &str| {
            assert_eq!(rewrite_of(source).as_deref(), Some(expected), "{source}");
        };
        check("for (int i = 0; i < n; i++) b[i] = a[i];", "System.arraycopy(a, 0, b, 0, n);");
        check(
            "for (int i = s; i <= n; i++) { b[i + 2] = a[i + 1]; }",
            "System.arraycopy(a, s + 1, b, s + 2, n + 1 - s);",
        );
        check(
            "for (int i = 0; i < a.length; i += 2) { out.put(a[i]); out.put(a[i + 1]); }",
            "out.put(a, 0, a.length);",
        );
        check(
            "for (int i = 0; i < n; i++) this.out.put(in.get(i));",
            "FloatBuffer source = in.duplicate();\nsource.limit(n);\nsource.position(0);\nthis.out.put(source);",
        );
        check("for (int i = 0; i < n; i++) list.add(a[i]);", "Collections.addAll(list, a);");
    }

    #[test]
    fn loops_that_do_more_or_less_than_copying_are_left_alone() {
        for source in [
            "for (int i = 0; i < n; i++) b[i] = a[i] + 1;",
            "for (int i = 0; i < n; i++) a[i + 1] = a[i];",
            "for (int i = 0; i < n; i += 2) b[i] = a[i];",
            "for (int i = 0; i < n; i++) { b[i] = a[i]; c++; }",
            "for (int i = 0; i < n; i++) b[i] = a[n - i];",
            "for (int i = 0; i < n; i++) next().put(a[i]);",
            "for (int i = 0; i < n; i += 2) { o.put(a[i + 1]); o.put(a[i]); }",
        ] {
            assert_eq!(rewrite_of(source), None, "{source}");
        }
    }

    /// The paper's Program 1 comes first, bounded by 80.9 % of the scenario.
    #[test]
    fn program_1_is_the_first_hint() {
        let sample = sample::program_1();
        let accounts = account(&sample.scenario());
        let sources = [SourceFile::parse("demo/Grid.java", sample::PROGRAM_1)];
        let input = HintInput {
            dictionary: &sample.dictionary,
            executions: &sample.executions,
            model: &sample.model,
            accounts: &accounts,
            sources: &sources,
        };
        let hints = hints(input, &HintOptions::default());
        let first = &hints[0];
        assert_eq!((first.pattern, first.confidence), (PATTERN.name, Confidence::High));
        assert_eq!((first.start_line, first.end_line), (5, 9));
        assert_eq!(
            first.rewrite,
            "FloatBuffer source = vertices.duplicate();\nsource.position(0);\nout.put(source);"
        );
        assert_eq!(format!("{:.1}", first.bound.share.unwrap() * 100.0), "80.9");
        // All but the library's put and get, 4224 of its 4929 calls: 80.9 x (1 - 0.133 x 0.857).
        let kept = 13.3 / 100.1 * 4224.0 / 4929.0;
        assert!((first.saving.share.unwrap() - 0.809 * (1.0 - kept)).abs() < 1e-9);
        assert!(hints.iter().any(|hint| hint.pattern == "loop-invariant"), "limit() in the test");
    }
}
