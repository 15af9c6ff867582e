//! Pattern: fields read repeatedly in a loop that does not write them: a local copy reads the
//! field once per entry of the loop.

use std::collections::BTreeMap;

use crate::java::SyntaxNode;

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::PricedForm;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern::{self, ClassField};
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::{Edit, Rewrite, edits_before_loop, fresh_name};
use crate::hint::site::LoopSite;
use crate::operations::{BlockEntry, Operation, OperationCount};

/// The pattern `field-in-loop`.
pub const PATTERN: HintPattern = HintPattern {
    name: "field-in-loop",
    title: "Field read in every iteration: copy it to a local",
    help: "The loop reads a field that it doesn't write. A local variable that holds the field's \
           value is read for next to nothing. The prediction saves the field reads but one per \
           entry of the loop, and pays for the local variable. Not when another thread, or a \
           method that the loop calls, changes the field and the loop has to see it.",
    reference: "Android documentation, Performance tips: use enhanced for loop syntax (the lookup of a field in every iteration)",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds loops that read fields repeatedly.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    let mut loops: Vec<FieldLoop<'_>> =
        sites.iter().filter_map(|site| field_loop(context, site)).collect();
    give_each_field_to_one_loop(&mut loops);
    loops.iter().filter_map(|field_loop| hint_at(context, field_loop)).collect()
}

/// Reads of one field in a loop.
struct FieldReads<'s> {
    field: ClassField<'s>,
    nodes: Vec<SyntaxNode<'s>>,
    runs: u64,
    /// Price of the reads in the scenario.
    spent: PricedOperations,
    /// Operation and context of one read.
    form: Option<PricedForm>,
    /// Whether code that the loop calls may write the field.
    is_open: bool,
}

/// A loop with the fields that it reads repeatedly.
struct FieldLoop<'s> {
    site: &'s LoopSite<'s>,
    reads: Vec<FieldReads<'s>>,
}

/// The fields of one loop; `None` where it must see writes of other threads.
fn field_loop<'s>(context: &HintContext<'_>, site: &'s LoopSite<'s>) -> Option<FieldLoop<'s>> {
    let entries = site.entries(context).max(1);
    if must_see_other_threads(site) {
        return None;
    }
    let mut reads = field_reads(context, site);
    reads.retain(|reads| reads.runs >= 4 * entries);
    Some(FieldLoop { site, reads })
}

/// Assigns fields that nested loops share to one of them: the outer one, unless only that calls
/// code that may write the field.
fn give_each_field_to_one_loop(loops: &mut [FieldLoop<'_>]) {
    for inner in 0..loops.len() {
        for outer in 0..loops.len() {
            if !loops[inner].site.is_within(loops[outer].site) {
                continue;
            }
            let shared: Vec<(&str, bool)> = shared_fields(&loops[outer], &loops[inner]);
            for (name, inner_keeps_it) in shared {
                let loses = if inner_keeps_it { outer } else { inner };
                loops[loses].reads.retain(|reads| reads.field.name != name);
            }
        }
    }
}

/// Names of the fields that both loops read, each with whether the inner loop gets it.
fn shared_fields<'s>(outer: &FieldLoop<'s>, inner: &FieldLoop<'s>) -> Vec<(&'s str, bool)> {
    let of_outer = |name: &str| outer.reads.iter().find(|reads| reads.field.name == name);
    let shared = inner.reads.iter().filter_map(|reads| {
        let around = of_outer(reads.field.name)?;
        Some((reads.field.name, around.is_open && !reads.is_open))
    });
    shared.collect()
}

/// Hint for one loop, with all its fields.
fn hint_at(
    context: &HintContext<'_>,
    FieldLoop { site, reads: found }: &FieldLoop<'_>,
) -> Option<Hint> {
    found.first()?;
    let entries = site.entries(context).max(1);
    let runs = found.iter().map(|reads| reads.runs).sum();
    let names: Vec<String> = found.iter().map(|reads| format!("`{}`", reads.field.name)).collect();
    let names = names.join(", ");
    let open = found.iter().any(|reads| reads.is_open);
    let changed = rewrite(site, found);
    let starts_plainly = !site.syntax.init.iter().any(|part| has_call(*part));
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "The loop reads {names} {} and never writes {}.",
            counted(grouped(runs), "time"),
            if found.len() == 1 { "it" } else { "them" }
        ),
        advice: format!("Copy {names} to local variables before the loop."),
        rewrite: declarations(found, &changed).join("\n")
            + "\n// and the loop as before, on the locals",
        condition: match open {
            true => format!("No method that the loop calls may write {names}."),
            false => format!("No other thread writes {names} while the loop runs."),
        },
        saved: saved_operations(context, found, entries),
        confidence: if open { Confidence::Low } else { Confidence::High },
        automatic_fix: (!open && starts_plainly).then_some(changed),
    };
    Some(hint(context, site.body, &site.blocks(), site.lines(), finding))
}

/// Whether the loop must see writes of other threads: it locks or waits.
fn must_see_other_threads(site: &LoopSite<'_>) -> bool {
    const WAITING: [&str; 9] = [
        "wait",
        "sleep",
        "yield",
        "onSpinWait",
        "await",
        "park",
        "interrupted",
        "isInterrupted",
        "lock",
    ];
    let mut nodes = pattern::descendants(site.syntax.node).into_iter();
    nodes.any(|node| {
        let waits = |call: pattern::MethodCall<'_>| WAITING.contains(&site.file.text_of(call.name));
        pattern::is_synchronized(node) || pattern::as_call(node).is_some_and(waits)
    })
}

fn has_call(part: SyntaxNode<'_>) -> bool {
    let runs = |node: &SyntaxNode<'_>| {
        pattern::as_call(*node).is_some() || pattern::as_creation(*node).is_some()
    };
    pattern::descendants(part).iter().any(runs)
}

/// Saving: reads that no longer happen, less those of the locals.
fn saved_operations(
    context: &HintContext<'_>,
    found: &[FieldReads<'_>],
    entries: u64,
) -> PricedOperations {
    let mut saved = PricedOperations::default();
    for reads in found {
        saved.add_all(&reads.spent);
        if let Some(form) = &reads.form {
            context.add(&mut saved, form.clone(), -(entries as f64));
        }
        for operation in [Operation::DECLARATION_OBJECT, Operation::ASSIGN_OBJECT_OBJECT] {
            context.add_known(&mut saved, operation, -(entries as f64));
        }
    }
    saved
}

/// The fields that the loop reads and does not write, with their reads.
fn field_reads<'s>(context: &HintContext<'_>, site: &LoopSite<'s>) -> Vec<FieldReads<'s>> {
    let file = site.file;
    let locals = pattern::local_names(file, site.syntax.node);
    let mut written = pattern::written_names(file, site.syntax.node);
    written.extend(pattern::fields_assigned_by_calls(file, site.syntax.node));
    let usable = |field: &ClassField<'_>| {
        let constant = field.is_static && field.is_final;
        let named = !field.is_static || field.owner != "this";
        !field.is_volatile && !constant && named && !written.contains(field.name)
    };
    let calls_others = site.can_run_unknown_code();
    let none_yet = |field: ClassField<'s>| {
        let is_open = calls_others && !field.is_final && !context.is_set_once(field.name);
        let (spent, form) = (PricedOperations::default(), None);
        FieldReads { field, nodes: Vec::new(), runs: 0, spent, form, is_open }
    };
    let mut found: BTreeMap<&str, FieldReads<'s>> = pattern::fields(file, site.syntax.node)
        .into_iter()
        .filter(usable)
        .map(|field| (field.name, none_yet(field)))
        .collect();
    for node in pattern::descendants(site.syntax.node) {
        let Some(name) = field_name(site, node) else { continue };
        let other = pattern::is_in_other_unit(node, site.syntax.node) || is_in_init(site, node);
        if other || (name.bare && locals.contains(name.text)) {
            continue;
        }
        let Some(reads) = found.get_mut(name.text) else { continue };
        let block = site.block_at(context, node);
        let line = pattern::line(name.node);
        let read = read_on(block, line, &reads.field);
        reads.nodes.push(node);
        if let Some(read) = read {
            reads.runs = reads.runs.saturating_add(context.runs(block));
            reads.form = Some(read.into());
            context.add_found(&mut reads.spent, block, read, context.runs(block) as f64);
        }
    }
    let is_flag = |reads: &FieldReads<'_>| {
        reads.field.type_text == "boolean"
            && reads.nodes.iter().any(|node| site.syntax.test.is_some_and(|t| is_within(*node, t)))
    };
    found.into_values().filter(|reads| reads.runs > 0 && !is_flag(reads)).collect()
}

/// The read of a field on a line, with the context that shows the moved type.
fn read_on<'b>(
    block: &'b BlockEntry,
    line: u32,
    field: &ClassField<'_>,
) -> Option<&'b OperationCount> {
    let moves = match field.type_text.as_str() {
        "boolean" | "byte" | "short" | "char" | "int" => "int",
        own @ ("long" | "float" | "double") => own,
        _ => "object",
    };
    let start = if field.is_static { "static read " } else { "read " };
    let form = format!("{start}{moves}");
    let is_read = |o: &&OperationCount| {
        o.line == line && o.operation == Operation::FIELD_REFERENCE && o.context != "length"
    };
    let mut found = block.operations.iter().filter(is_read);
    let exact = found.clone().find(|o| o.context.starts_with(&form));
    exact.or_else(|| found.find(|o| o.context.is_empty()))
}

fn is_in_init(site: &LoopSite<'_>, node: SyntaxNode<'_>) -> bool {
    site.syntax.init.iter().any(|part| is_within(node, *part))
        || site.syntax.iterated.is_some_and(|part| is_within(node, part))
}

fn is_within(node: SyntaxNode<'_>, part: SyntaxNode<'_>) -> bool {
    part.start_byte() <= node.start_byte() && node.end_byte() <= part.end_byte()
}

/// A name that may refer to a field.
struct FieldName<'s> {
    text: &'s str,
    /// Syntax node of the name itself.
    node: SyntaxNode<'s>,
    /// Whether it has no `this.` before it: a local of this name would hide the field.
    bare: bool,
}

/// Parses `x` or `this.x`.
fn field_name<'s>(site: &LoopSite<'s>, node: SyntaxNode<'s>) -> Option<FieldName<'s>> {
    if pattern::is_variable(node) {
        return Some(FieldName { text: site.file.text_of(node), node, bare: true });
    }
    let (object, field) = pattern::as_field(node)?;
    let text = site.file.text_of(field);
    pattern::is_this(object).then_some(FieldName { text, node: field, bare: false })
}

/// Edits: a local per field before the loop, and its name in place of the field.
fn rewrite(site: &LoopSite<'_>, found: &[FieldReads<'_>]) -> Rewrite {
    let mut rewrite = Rewrite::default();
    for reads in found {
        let mut letters = reads.field.name.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        let wanted: String = "local".chars().chain(first).chain(letters).collect();
        let name = fresh_name(site.file, &wanted);
        rewrite.edits.extend(
            reads.nodes.iter().map(|node| Edit { range: node.byte_range(), text: name.clone() }),
        );
        rewrite.names.push(name);
    }
    let declarations = declarations(found, &rewrite);
    rewrite.edits.extend(edits_before_loop(site, &declarations));
    rewrite
}

/// Source text of the declarations before the loop.
fn declarations(found: &[FieldReads<'_>], rewrite: &Rewrite) -> Vec<String> {
    let of = |(FieldReads { field, .. }, local): (&FieldReads<'_>, &String)| {
        let ClassField { type_text, name, owner, .. } = field;
        format!("final {type_text} {local} = {owner}.{name};")
    };
    found.iter().zip(&rewrite.names).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::account::{AccountInput, MeasuredEnergies, account, sample};
    use crate::blocks::BlockId;
    use crate::hint::{BoardRatios, HintInput, HintOptions, hints};
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

    fn found(text: &str) -> Vec<(u32, String, Confidence)> {
        let (hints, _) = crate::hint::found_in(PATTERN.name, text);
        let mut found: Vec<_> =
            hints.into_iter().map(|h| (h.start_line, h.advice, h.confidence)).collect();
        found.sort_by_key(|(line, ..)| *line);
        found
    }

    /// Fields of loops within each other are told once: where most is saved, or where it is sure
    /// that nothing else writes them.
    #[test]
    fn a_field_is_the_hint_of_one_loop() {
        let text = "class A {
    int a, b, c, d; int[] e;
    int sum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                sum += a * j + b + c + d;
            }
            for (int j = 0; j < n; j++) {
                sum -= a * e[j];
            }
        }
        return sum;
    }
    void set(int x) { a = x; b = x; }
}
";
        let all = found(text);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].0, 5);
        assert_eq!(all[0].1, "Copy `a`, `b`, `c`, `d`, `e` to local variables before the loop.");
        let calling = text.replace("sum -= a * e[j];", "sum -= System.identityHashCode(B.x());");
        let all = found(&(calling + "class B { static Object x() { return null; } }"));
        let lines: Vec<_> = all.iter().map(|(line, _, sure)| (*line, *sure)).collect();
        assert_eq!(lines, [(5, Confidence::High), (6, Confidence::High)], "{all:?}");
        assert!(all[1].1.starts_with("Copy `a`, `b`"), "{all:?}");
    }

    /// The loop's own call writes it, directly or through another method of the class.
    #[test]
    fn a_field_that_a_called_method_writes_is_none() {
        let text = |body: &str| {
            format!(
                "class A {{ int a, b; int sum(int n) {{ int sum = 0; \
                 for (int i = 0; i < n; i++) {{ sum += a; {body} }} return sum; }} \
                 void step() {{ more(); }} void more() {{ a++; }} void other() {{ b++; }} }}"
            )
        };
        assert_eq!(found(&text("step();")), []);
        assert_eq!(found(&text("other();")).len(), 1);
    }

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
        let measured = MeasuredEnergies { total: Joules(1.0), ..MeasuredEnergies::default() };
        let scenario = AccountInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            measured: &measured,
            samples: &[],
            calls: None,
        };
        let accounts = account(&scenario);
        let sources = [SourceFile::parse("demo/Sum.java", SUM)];
        let input = HintInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            accounts: &accounts,
            calls: None,
            sources: &sources,
        };
        let hints = hints(input, BoardRatios::default(), &HintOptions::default()).hints;
        assert_eq!(hints[0].pattern, PATTERN.name);
        assert!(hints[0].sentence.contains("`data`, `scale` 200 times"), "{}", hints[0].sentence);
        assert!((hints[0].saving.energy.0 - 198.0 / 300.0).abs() < 1e-12);
        assert!(hints[0].rewrite.starts_with(
            "final float[] localData = this.data;\nfinal float localScale = Sum.scale;"
        ));
    }
}
