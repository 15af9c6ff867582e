//! Source text of the bulk call that replaces a copying loop, with the user's own names.

use crate::hint::pattern::LoopCounter;

use super::step::{CopyStep, MoveKind};

/// Names that a bulk-copy rewrite is written with.
pub(super) struct RewriteNames<'s> {
    pub from: &'s str,
    pub to: &'s str,
    /// Simple name of the library class whose method moves the elements.
    pub class: &'s str,
    /// Local for the view of a copied buffer.
    pub view: String,
    /// `java.util.`, where the file lacks the import.
    pub package: &'static str,
}

/// Name of the bulk method for a kind of move, with its arguments where overloads exist:
/// `System.arraycopy`.
pub(super) fn bulk_call_name(how: MoveKind, names: &RewriteNames<'_>) -> String {
    match how {
        MoveKind::BufferToBuffer => format!("{0}.put({0})", names.class),
        MoveKind::ArrayToBuffer => format!("{}.put(array, offset, length)", names.class),
        MoveKind::BufferToArray => format!("{}.get(array, offset, length)", names.class),
        MoveKind::ArrayToArray => "System.arraycopy".into(),
        MoveKind::CollectionToCollection => format!("{}.addAll", names.class),
        MoveKind::ArrayToCollection => "Collections.addAll".into(),
    }
}

/// Source text in parentheses, unless it is a name, a number or a call.
fn operand(text: &str) -> String {
    let simple = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '(' | ')');
    if text.chars().all(simple) { text.to_string() } else { format!("({text})") }
}

/// Source text of `text + offset`.
fn plus(text: &str, offset: i64) -> String {
    match (text.parse::<i64>(), offset) {
        (Ok(number), _) => (number + offset).to_string(),
        (Err(_), 0) => text.to_string(),
        (Err(_), _) => format!("{} + {offset}", operand(text)),
    }
}

/// Source text of the number of elements.
fn length(counter: &LoopCounter) -> String {
    let bound = if counter.inclusive { plus(&counter.bound, 1) } else { counter.bound.clone() };
    match counter.start.as_str() {
        "0" => bound,
        start => format!("{bound} - {}", operand(start)),
    }
}

/// Whether the source shows that the number of elements is not negative.
fn is_never_negative(counter: &LoopCounter) -> bool {
    let bound = counter.bound.as_str();
    let sizes = [".length", ".length()", ".size()", ".limit()", ".capacity()"];
    counter.start == "0"
        && (sizes.iter().any(|size| bound.ends_with(size)) || bound.parse::<u32>().is_ok())
}

/// Statements that replace the loop.
pub(super) fn rewrite(
    first: &CopyStep<'_>,
    counter: &LoopCounter,
    names: &RewriteNames<'_>,
) -> String {
    let RewriteNames { from, to, package, .. } = names;
    let (read, write) = (plus(&counter.start, first.read), plus(&counter.start, first.write));
    let length = length(counter);
    let text = match first.how {
        MoveKind::BufferToBuffer => buffer_copy(first, counter, names, &read),
        MoveKind::ArrayToBuffer => format!("{to}.put({from}, {read}, {length});"),
        MoveKind::BufferToArray => {
            let RewriteNames { class, view, .. } = names;
            format!(
                "{class} {view} = {from}.duplicate();\n{view}.position({read});\n\
                 {view}.get({to}, {write}, {length});"
            )
        }
        MoveKind::ArrayToArray => {
            format!("System.arraycopy({from}, {read}, {to}, {write}, {length});")
        }
        MoveKind::CollectionToCollection | MoveKind::ArrayToCollection => {
            let sizes = [format!("{from}.length"), format!("{from}.size()")];
            if read == "0" && sizes.contains(&length) {
                add_all(first.how, names)
            } else {
                let list = match first.how {
                    MoveKind::ArrayToCollection => format!("{package}Arrays.asList({from})"),
                    _ => (*from).to_string(),
                };
                let end = if counter.inclusive { first.read + 1 } else { first.read };
                format!("{to}.addAll({list}.subList({read}, {}));", plus(&counter.bound, end))
            }
        }
    };
    with_guard(&text, counter)
}

/// Guards a bulk call against a negative number of elements, for which the loop would not run.
fn with_guard(text: &str, counter: &LoopCounter) -> String {
    if is_never_negative(counter) {
        return text.to_string();
    }
    let more = if counter.inclusive { ">=" } else { ">" };
    let test = format!("if ({} {more} {})", operand(&counter.bound), operand(&counter.start));
    match text.contains('\n') {
        true => format!("{test} {{\n    {}\n}}", text.replace('\n', "\n    ")),
        false => format!("{test} {text}"),
    }
}

/// Copy between buffers. `put(Buffer)` moves from position to limit, so a duplicate gets both as
/// in the loop; the limit needs no change when the loop runs to it.
fn buffer_copy(
    first: &CopyStep<'_>,
    counter: &LoopCounter,
    names: &RewriteNames<'_>,
    read: &str,
) -> String {
    let RewriteNames { from, to, class, view, .. } = names;
    let to_limit = first.read == 0 && counter.bound == format!("{from}.limit()");
    let end = if counter.inclusive { first.read + 1 } else { first.read };
    let limit = match to_limit && !counter.inclusive {
        true => String::new(),
        false => format!("{view}.limit({});\n", plus(&counter.bound, end)),
    };
    format!(
        "{class} {view} = {from}.duplicate();\n{limit}{view}.position({read});\n{to}.put({view});"
    )
}

/// Call of `addAll` for all elements.
pub(super) fn add_all(how: MoveKind, names: &RewriteNames<'_>) -> String {
    let RewriteNames { from, to, package, .. } = names;
    match how {
        MoveKind::ArrayToCollection => format!("{package}Collections.addAll({to}, {from});"),
        _ => format!("{to}.addAll({from});"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::{as_copy_step, is_consecutive_move};
    use super::*;
    use crate::hint::pattern;
    use crate::java::SourceFile;

    fn rewrite_of(loop_text: &str) -> Option<String> {
        let text = format!("class A {{ void m() {{ {loop_text} }} }}");
        let file = SourceFile::parse("A.java", text);
        let site = pattern::loops(&file).into_iter().next()?;
        let counter = pattern::counter(&file, &site)?;
        let statements = pattern::statements(site.body);
        let steps: Vec<CopyStep<'_>> = statements
            .iter()
            .map(|s| as_copy_step(&file, *s, &counter.name))
            .collect::<Option<_>>()?;
        if !is_consecutive_move(&file, &steps, counter.step) {
            return None;
        }
        let (from, to) = (file.text_of(steps[0].from), file.text_of(steps[0].to));
        let class = "FloatBuffer";
        let names = RewriteNames { from, to, class, view: "source".into(), package: "" };
        Some(rewrite(&steps[0], &counter, &names))
    }

    #[test]
    fn copies_become_bulk_calls_on_the_same_names() {
        let check = |source: &str, expected: &str| {
            assert_eq!(rewrite_of(source).as_deref(), Some(expected), "{source}");
        };
        check(
            "for (int i = 0; i < n; i++) b[i] = a[i];",
            "if (n > 0) System.arraycopy(a, 0, b, 0, n);",
        );
        check(
            "for (int i = s; i <= n; i++) { b[i + 2] = a[i + 1]; }",
            "if (n >= s) System.arraycopy(a, s + 1, b, s + 2, n + 1 - s);",
        );
        check(
            "for (int i = 0; i < a.length; i += 2) { out.put(a[i]); out.put(a[i + 1]); }",
            "out.put(a, 0, a.length);",
        );
        check(
            "for (int i = 0; i < n; i++) this.out.put(in.get(i));",
            "if (n > 0) {\n    FloatBuffer source = in.duplicate();\n    source.limit(n);\n    \
             source.position(0);\n    this.out.put(source);\n}",
        );
        check("for (int i = 0; i < a.length; i++) list.add(a[i]);", "Collections.addAll(list, a);");
        check(
            "for (int i = x - 1; i < n; i++) list.add(a[i]);",
            "if (n > (x - 1)) list.addAll(Arrays.asList(a).subList(x - 1, n));",
        );
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
}
