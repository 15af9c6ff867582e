//! Fields read again and again in a loop that doesn't write them: a local copy reads
//! the field once per entry of the loop.

use std::collections::BTreeMap;

use crate::java::Node;

use crate::hint::pattern::{self, Field};
use crate::hint::site::Counted;
use crate::hint::{Confidence, Context, Finding, Hint, Pattern, Site, grouped, hint};

/// The pattern.
pub const PATTERN: Pattern = Pattern {
    name: "field-in-loop",
    title: "Field read in every iteration: copy it to a local",
    help: "The loop reads a field that it doesn't write. A local variable that holds the field's \
           value is read for next to nothing. The prediction saves the field reads but one per \
           entry of the loop, and pays for the local variable. Not when another thread, or a \
           method that the loop calls, changes the field and the loop has to see it.",
    find,
};

/// Finds loops that read fields.
fn find(context: &Context<'_>, sites: &[Site<'_>]) -> Vec<Hint> {
    let mut found: Vec<Hint> = sites.iter().filter_map(|site| at(context, site)).collect();
    let all = found.clone();
    found.retain(|hint| !all.iter().any(|outer| covers(outer, hint)));
    found
}

/// Whether the same copies before a loop around this one save more.
fn covers(outer: &Hint, inner: &Hint) -> bool {
    let around = outer.start_line <= inner.start_line && inner.end_line <= outer.end_line;
    let same = outer.file == inner.file && outer.block != inner.block;
    same && around && outer.rewrite == inner.rewrite
}

/// Reads of one field in a loop.
struct Reads<'s> {
    field: Field<'s>,
    runs: u64,
}

/// The hint for one loop: all its fields together.
fn at(context: &Context<'_>, site: &Site<'_>) -> Option<Hint> {
    let entries = site.entries(context).max(1);
    let mut found = reads(context, site);
    found.retain(|reads| reads.runs >= 4 * entries);
    if found.is_empty() {
        return None;
    }
    let runs = found.iter().map(|reads| reads.runs).sum();
    let names: Vec<String> = found.iter().map(|reads| format!("`{}`", reads.field.name)).collect();
    let names = names.join(", ");
    let open = site.calls_source_methods() && found.iter().any(|reads| !reads.field.is_final);
    let finding = Finding {
        pattern: PATTERN.name,
        sentence: format!(
            "The loop reads {names} {} times and never writes {}.",
            grouped(runs),
            if found.len() == 1 { "it" } else { "them" }
        ),
        advice: format!("Copy {names} to local variables before the loop."),
        rewrite: rewrite(&found),
        condition: match open {
            true => format!("No method that the loop calls may write {names}."),
            false => format!("No other thread writes {names} while the loop runs."),
        },
        saved: saved(context, found.len(), runs, entries),
        confidence: if open { Confidence::Low } else { Confidence::High },
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

/// Reads that no longer happen, less the locals'.
fn saved(context: &Context<'_>, fields: usize, runs: u64, entries: u64) -> Counted {
    let mut saved = Counted::default();
    let locals = entries as f64 * fields as f64;
    context.add(&mut saved, "Field_Reference", runs as f64 - locals);
    for operation in ["Declaration_Object", "Assign_Object_Object"] {
        context.add_known(&mut saved, operation, -locals);
    }
    saved
}

/// The fields that the loop reads and doesn't write, with how often.
fn reads<'s>(context: &Context<'_>, site: &Site<'s>) -> Vec<Reads<'s>> {
    let file = site.file;
    let locals = pattern::local_names(file, site.syntax.node);
    let written = pattern::written_names(file, site.syntax.node);
    let usable = |field: &Field<'_>| {
        let constant = field.is_static && field.is_final;
        !field.is_volatile && !constant && !written.contains(field.name)
    };
    let fields = pattern::fields(file, site.syntax.node);
    let mut runs: BTreeMap<&str, u64> = BTreeMap::new();
    let init = &site.syntax.init;
    let in_init =
        |node: &Node<'_>| init.iter().any(|part| part.byte_range().contains(&node.start_byte()));
    for node in pattern::descendants(site.syntax.node) {
        let other = pattern::in_other_unit(node, site.syntax.node) || in_init(&node);
        let Some(name) = field_name(site, node).filter(|_| !other) else { continue };
        if name.bare && locals.contains(name.text) {
            continue;
        }
        let block = site.block_at(context, node);
        let line = pattern::line(node);
        let counted =
            block.operations.iter().any(|o| o.line == line && o.operation == "Field_Reference");
        let sum = runs.entry(name.text).or_default();
        *sum = sum.saturating_add(if counted { context.runs(block) } else { 0 });
    }
    let of = |field: Field<'s>| runs.get(field.name).map(|&runs| Reads { field, runs });
    fields.into_iter().filter(usable).filter_map(of).collect()
}

/// A name that may be a field's.
struct Name<'s> {
    text: &'s str,
    /// Without `this.` before it: a local of this name hides the field.
    bare: bool,
}

/// Reads `x` or `this.x`.
fn field_name<'s>(site: &Site<'s>, node: Node<'_>) -> Option<Name<'s>> {
    if pattern::is_variable(node) {
        return Some(Name { text: site.file.text_of(node), bare: true });
    }
    let (object, field) = pattern::as_field(node)?;
    pattern::is_this(object).then(|| Name { text: site.file.text_of(field), bare: false })
}

/// The declarations before the loop.
fn rewrite(found: &[Reads<'_>]) -> String {
    let lines: Vec<String> = found
        .iter()
        .map(|Reads { field, .. }| {
            let Field { type_text, name, owner, .. } = field;
            format!("final {type_text} {name} = {owner}.{name};")
        })
        .collect();
    format!("{}\n// and the loop as before, on the locals", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::account::{Measured, Scenario, account, sample};
    use crate::blocks::BlockId;
    use crate::hint::{HintInput, HintOptions, hints};
    use crate::java::SourceFile;
    use crate::operations::Dictionary;
    use crate::units::Joules;

    const SUM: &str = "package demo;
class Sum {
    float data[]; static float scale; int sum;
    void run(int n) {
        for (int i = 0; i < n; i++) {
            sum += (int) (data[i] * scale);
        }
    }
}
";

    #[test]
    fn fields_that_the_loop_only_reads_are_found() {
        let unit = ("demo.Sum", "run(int)");
        let blocks = vec![
            sample::block(0, unit, ("for_1.init", "for_init"), (5, 5), &[("Assign_int_int", 5, 1)]),
            sample::block(1, unit, ("for_1.test", "for_test"), (5, 5), &[("Less_int_int", 5, 1)]),
            sample::block(2, unit, ("for_1.update", "for_update"), (5, 5), &[("Increment", 5, 1)]),
            sample::block(3, unit, ("for_1", "for_body"), (6, 6), &[("Field_Reference", 6, 3)]),
        ];
        let dictionary = Dictionary { blocks };
        let executions: BTreeMap<BlockId, u64> =
            [(0, 1), (1, 101), (2, 100), (3, 100)].map(|(id, n)| (BlockId(id), n)).into();
        let model = sample::model(&[("Field_Reference", 1.0 / 300.0)]);
        let measured = Measured { total: Joules(1.0), ..Measured::default() };
        let scenario = Scenario {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            measured: &measured,
        };
        let accounts = account(&scenario);
        let sources = [SourceFile::parse("demo/Sum.java", SUM)];
        let input = HintInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            accounts: &accounts,
            sources: &sources,
        };
        let hints = hints(input, &HintOptions::default());
        assert_eq!(hints[0].pattern, PATTERN.name);
        assert!(hints[0].sentence.contains("`data`, `scale` 200 times"), "{}", hints[0].sentence);
        assert!((hints[0].saving.energy.0 - 198.0 / 300.0).abs() < 1e-12);
        assert!(
            hints[0]
                .rewrite
                .starts_with("final float[] data = this.data;\nfinal float scale = Sum.scale;")
        );
    }
}
