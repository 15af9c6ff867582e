//! Pattern: calls and length reads in a loop with the same value in every iteration: in the test
//! (`i < vertices.limit()`) or in the body. Hoisting evaluates them once per entry.

mod query;
mod receiver;

use std::collections::BTreeMap;

use crate::java::SyntaxNode;

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::PricedForm;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::invariant::query::{QueryStability, as_query, operation_of, query_stability};
use crate::hint::invariant::receiver::{ReceiverReads, receiver_reads};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::{Edit, Rewrite, edits_before_loop, fresh_name};
use crate::hint::site::LoopSite;
use crate::operations::Operation;

pub(super) use query::is_stable;

/// The pattern `loop-invariant`.
pub const PATTERN: HintPattern = HintPattern {
    name: "loop-invariant",
    title: "The same value computed in every iteration",
    help: "A call or a length read in a loop's test or body gives the same value in every \
           iteration, for nothing in the loop changes what it is taken from. Evaluate it once \
           before the loop and use a local variable. The prediction saves its executions but one \
           per entry of the loop, with the reads of fields that lead to its object, and pays for \
           the local variable. An optimising compiler may \
           hoist some of these by itself.",
    reference: "Li & Gallagher, Program 1: limit() in the test of the loop",
    basis: PredictionBasis::Costs,
    find,
};

/// An invariant expression of a loop, with all its occurrences.
struct Invariant<'s> {
    /// Source text.
    text: &'s str,
    /// Its occurrences in the loop.
    nodes: Vec<SyntaxNode<'s>>,
    /// Price of its evaluations in the scenario.
    evaluations: PricedOperations,
    /// Operation and context of one evaluation.
    once: PricedForm,
    /// Reads of fields that one evaluation needs to reach its object.
    receiver: Option<ReceiverReads>,
    /// Number of evaluations.
    runs: u64,
    /// Whether the loop's test contains it: then every entry evaluates it.
    in_test: bool,
    /// Whether every iteration evaluates it.
    always: bool,
    /// Whether it is a size that other code may change.
    may_grow: bool,
}

/// Finds loops with invariant expressions.
fn find(context: &HintContext<'_>, sites: &[LoopSite<'_>]) -> Vec<Hint> {
    sites.iter().filter_map(|site| hint_at(context, site)).collect()
}

/// Hint for one loop, with all its invariants.
fn hint_at(context: &HintContext<'_>, site: &LoopSite<'_>) -> Option<Hint> {
    let found = invariants(context, site);
    let entries = site.entries(context).max(1);
    let found: Vec<Invariant<'_>> =
        found.into_iter().filter(|found| found.always && found.runs >= 2 * entries).collect();
    found.first()?;
    let names: Vec<String> =
        found.iter().map(|invariant| format!("`{}`", invariant.text)).collect();
    let names = names.join(", ");
    let open = site.can_run_unknown_code() && found.iter().any(|invariant| invariant.may_grow);
    let in_test = found.iter().all(|invariant| invariant.in_test);
    let changed = rewrite(site, &found);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "{names} {} the same in every iteration and evaluated {} for {} of the loop.",
            if found.len() == 1 { "is" } else { "are" },
            counted(grouped(found.iter().map(|invariant| invariant.runs).sum()), "time"),
            counted(grouped(entries), "entry"),
        ),
        advice: format!("Evaluate {names} once before the loop."),
        rewrite: header(site, &found, &changed),
        condition: condition(&names, open, in_test),
        saved: saved_operations(context, &found, entries),
        confidence: match (open, in_test) {
            (true, _) => Confidence::Low,
            (false, false) => Confidence::Medium,
            (false, true) => Confidence::High,
        },
        automatic_fix: (in_test && !open).then_some(changed),
    };
    Some(hint(context, site.test.unwrap_or(site.body), &site.blocks(), site.lines(), finding))
}

/// Condition under which hoisting is equivalent.
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

/// Saving: all evaluations but one per entry, with the reads of fields that lead to their objects,
/// less declaration and assignment of the local.
fn saved_operations(
    context: &HintContext<'_>,
    found: &[Invariant<'_>],
    entries: u64,
) -> PricedOperations {
    let mut saved = PricedOperations::default();
    for invariant in found {
        saved.add_all(&invariant.evaluations);
        context.add(&mut saved, invariant.once.clone(), -(entries as f64));
        if let Some(ReceiverReads { form, count }) = &invariant.receiver {
            context.add(&mut saved, form.clone(), -(entries as f64) * count);
        }
        for operation in [Operation::DECLARATION_INT, Operation::ASSIGN_INT_INT] {
            context.add_known(&mut saved, operation, -(entries as f64));
        }
    }
    saved
}

/// Invariant expressions of a loop, merged by their text.
fn invariants<'s>(context: &HintContext<'_>, site: &LoopSite<'s>) -> Vec<Invariant<'s>> {
    let file = site.file;
    let mut found: BTreeMap<&str, Invariant<'s>> = BTreeMap::new();
    let test = site.syntax.test.into_iter();
    let parts = test.chain(site.syntax.update.iter().copied()).chain([site.syntax.body]);
    for node in parts.flat_map(pattern::descendants) {
        if pattern::is_in_other_unit(node, site.syntax.node) {
            continue;
        }
        let Some(query) = as_query(site, node) else { continue };
        let block = site.block_at(context, node);
        let Some(once) = operation_of(block, &query) else { continue };
        let Some(stays) = query_stability(context, site, &query, &once.operation) else { continue };
        let runs = context.runs(block);
        let receiver = receiver_reads(file, block, query.object);
        let text = file.text_of(node);
        let invariant = found.entry(text).or_insert_with(|| Invariant {
            text,
            nodes: Vec::new(),
            evaluations: PricedOperations::default(),
            once: once.into(),
            receiver: receiver.as_ref().map(|(_, reads)| reads.clone()),
            runs: 0,
            in_test: false,
            always: false,
            may_grow: stays == QueryStability::UnlessOthersChangeIt,
        });
        let always = !pattern::is_guarded(node, site.syntax.node);
        invariant.nodes.push(node);
        invariant.always |= always;
        invariant.in_test |= always
            && site.syntax.test.is_some_and(|test| {
                test.start_byte() <= node.start_byte() && node.end_byte() <= test.end_byte()
            });
        invariant.runs = invariant.runs.saturating_add(runs);
        context.add_found(&mut invariant.evaluations, block, once, runs as f64);
        if let Some((read, ReceiverReads { count, .. })) = receiver {
            context.add_found(&mut invariant.evaluations, block, read, runs as f64 * count);
        }
    }
    found.into_values().collect()
}

/// Edits: a local per invariant before the loop, and its name in place of the expressions.
fn rewrite(site: &LoopSite<'_>, found: &[Invariant<'_>]) -> Rewrite {
    let mut rewrite = Rewrite::default();
    let mut declarations = Vec::new();
    for invariant in found {
        let name = fresh_name(site.file, &local_name(invariant.text));
        declarations.push(format!("final int {name} = {};", invariant.text));
        rewrite.edits.extend(
            invariant
                .nodes
                .iter()
                .map(|node| Edit { range: node.byte_range(), text: name.clone() }),
        );
        rewrite.names.push(name);
    }
    rewrite.edits.extend(edits_before_loop(site, &declarations));
    rewrite
}

/// Source text of the declarations and the loop's header for the hint.
fn header(site: &LoopSite<'_>, found: &[Invariant<'_>], rewrite: &Rewrite) -> String {
    let file = site.file;
    let header = &file.text[site.syntax.node.start_byte()..site.syntax.body.start_byte()];
    let mut text = String::new();
    let mut new = header.trim_end().to_string();
    for (invariant, name) in found.iter().zip(&rewrite.names) {
        text += &format!("final int {name} = {};\n", invariant.text);
        new = new.replace(invariant.text, name);
    }
    let inside = found.iter().any(|invariant| !header.contains(invariant.text));
    let note = if inside { " // use the local inside, too" } else { "" };
    format!("{text}{new} {{ ... }}{note}")
}

/// Name for the local: `verticesLimit` for `vertices.limit()`.
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
    use crate::account::sample;
    use crate::hint::hints_of_program_1;

    fn invariant_in(source: &str) -> Option<Hint> {
        hints_of_program_1(source).into_iter().find(|hint| hint.pattern == PATTERN.name)
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

    /// A loop over an array of which the header reads the length 1001 times, from a local variable
    /// or from a field, with a cost of 1 nJ for every operation: saved joules.
    fn saved_by_length(declaration: &str, array: &str) -> f64 {
        use crate::account::{AccountInput, MeasuredEnergies, account};
        use crate::blocks::{Granularity, divide};
        use crate::hint::{BoardRatios, HintInput, HintOptions, hints};
        let text = format!(
            "class A {{ int[] data; A next; int sum;
                void run(int[] given) {{
                    {declaration}
                    for (int i = 0; i < {array}.length; i++) {{ sum += i; }}
                }}
            }}"
        );
        let files = [crate::java::SourceFile::parse("A.java", text)];
        let blocks = [divide(&files[0], Granularity::Expression)];
        let classes = crate::java::ClassPath::open(&[]).unwrap();
        let dictionary = crate::operations::count(&files, &blocks, &classes).dictionary;
        let runs = |name: &str| match name.rsplit('.').next() {
            Some("test") => 1001,
            Some("update" | "for_1") => 1000,
            _ => 1,
        };
        let executions = dictionary.blocks.iter().map(|b| (b.id, runs(&b.name))).collect();
        let costs = ["Field_Reference", "Increment", "Less_int_int", "BlockGoto_for"];
        let model = sample::model(&costs.map(|name| (name, 1e-9)));
        let measured =
            MeasuredEnergies { total: crate::units::Joules(1e-5), ..MeasuredEnergies::default() };
        let input = AccountInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            measured: &measured,
            samples: &[],
            calls: None,
        };
        let accounts = account(&input);
        let input = HintInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            accounts: &accounts,
            calls: None,
            sources: &files,
        };
        let found = hints(input, BoardRatios::default(), &HintOptions::default());
        let hint = found.hints.iter().find(|hint| hint.pattern == PATTERN.name).unwrap();
        hint.saving.energy.0
    }

    /// The length alone is read from a local array; that of a field costs its read as well, that of
    /// a field of a field two of them. Each is read once per entry afterwards.
    #[test]
    fn reads_of_fields_that_lead_to_the_object_are_saved_too() {
        for (declaration, array, reads) in [
            ("", "given", 1.0),
            ("int[] data = this.data;", "data", 1.0),
            ("", "data", 2.0),
            ("", "this.data", 2.0),
            ("", "next.data", 3.0),
        ] {
            let saved_j = saved_by_length(declaration, array);
            assert!((saved_j - reads * 1e-6).abs() < 1e-12, "{array}: {saved_j}");
        }
    }

    #[test]
    fn locals_are_named_after_what_they_hold() {
        assert_eq!(local_name("vertices.limit()"), "verticesLimit");
        assert_eq!(local_name("this.data.length"), "dataLength");
    }
}
