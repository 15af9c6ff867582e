//! Loops of the source, matched with their blocks in the dictionary.

use std::collections::HashMap;

use crate::account::OperationClass;
use crate::blocks::BlockId;
use crate::hint::context::HintContext;
use crate::hint::pattern::{self, LoopKind, LoopParts};
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Feature, LibraryFunction, Operation, OperationCount};

/// A loop of the source with its blocks in the dictionary.
pub struct LoopSite<'a> {
    /// File of the loop.
    pub file: &'a SourceFile,
    /// Parts of the loop statement.
    pub syntax: LoopParts<'a>,
    /// Initialisation block of a `for`.
    pub init: Option<&'a BlockEntry>,
    /// Test block.
    pub test: Option<&'a BlockEntry>,
    /// Update block of a `for`.
    pub update: Option<&'a BlockEntry>,
    /// Body block.
    pub body: &'a BlockEntry,
    /// Other blocks within the body, of one unit with the loop.
    pub inner: Vec<&'a BlockEntry>,
}

impl<'a> LoopSite<'a> {
    /// All blocks of the loop, header first.
    pub fn blocks(&self) -> Vec<&'a BlockEntry> {
        let own = [self.init, self.test, self.update, Some(self.body)];
        own.into_iter().flatten().chain(self.inner.iter().copied()).collect()
    }

    /// Blocks that run at most once per iteration: all but the initialisation.
    pub fn repeated_blocks(&self) -> Vec<&'a BlockEntry> {
        let init = self.init.map(|block| block.id);
        self.blocks().into_iter().filter(|block| Some(block.id) != init).collect()
    }

    /// Entries of the loop: runs of its initialisation; without one, the difference between the
    /// runs of a `while`'s test and body, at least one.
    pub fn entries(&self, context: &HintContext<'_>) -> u64 {
        let body = context.runs(self.body);
        let tests = self.test.map_or(0, |test| context.runs(test));
        let least = u64::from(body > 0);
        match self.init {
            Some(init) => context.runs(init),
            None => tests.saturating_sub(body).max(least),
        }
    }

    /// Whether unknown code may run in the loop: methods of the sources, of libraries other than
    /// the JDK, and of JDK interfaces that others implement.
    pub(crate) fn can_run_unknown_code(&self) -> bool {
        let calls =
            |block: &&BlockEntry| block.operations.iter().any(|o| is_unknown_call(&o.operation));
        self.blocks().iter().any(calls)
    }

    /// Whether the loop contains `node` directly, not in an inner loop or another unit.
    pub(crate) fn is_directly_in(&self, node: SyntaxNode<'_>) -> bool {
        pattern::innermost_loop(node) == Some(self.syntax.node)
            && !pattern::is_in_other_unit(node, self.syntax.node)
    }

    /// Whether another loop of the same unit contains this one.
    pub fn is_within(&self, outer: &LoopSite<'_>) -> bool {
        let (own, around) = (self.syntax.node.byte_range(), outer.syntax.node.byte_range());
        let same_unit =
            self.body.class == outer.body.class && self.body.method == outer.body.method;
        let same_file = self.file.path == outer.file.path;
        same_file
            && same_unit
            && own != around
            && around.start <= own.start
            && own.end <= around.end
    }

    /// The loop's block that contains the source at `node`.
    pub(crate) fn block_at(
        &self,
        context: &HintContext<'_>,
        node: SyntaxNode<'_>,
    ) -> &'a BlockEntry {
        let within = |part: &SyntaxNode<'_>| {
            part.start_byte() <= node.start_byte() && node.end_byte() <= part.end_byte()
        };
        if self.syntax.test.as_ref().is_some_and(within) {
            return self.test.unwrap_or(self.body);
        }
        if self.syntax.update.iter().any(within) {
            return self.update.unwrap_or(self.body);
        }
        let line = pattern::line(node);
        let on_line = |block: &&&BlockEntry| {
            (block.start_line..=block.end_line).contains(&line)
                && block.operations.iter().any(|operation| operation.line == line)
        };
        let inner = self.inner.iter().filter(on_line).min_by_key(|block| context.runs(block));
        inner.copied().unwrap_or(self.body)
    }

    /// First and last line of the loop.
    pub fn lines(&self) -> (u32, u32) {
        (pattern::line(self.syntax.node), self.file.last_line(self.syntax.node))
    }
}

/// Loops of all sources with blocks in the dictionary that ran.
pub fn loop_sites<'a>(context: &HintContext<'a>) -> Vec<LoopSite<'a>> {
    let sources = context.input.sources;
    sources.iter().flat_map(|file| loop_sites_of(context, file)).collect()
}

/// Loops of one file. A loop is matched by the line of its test (of the body, where it has no
/// test): the n-th loop of its kind there is the n-th such block there.
fn loop_sites_of<'a>(context: &HintContext<'a>, file: &'a SourceFile) -> Vec<LoopSite<'a>> {
    let blocks = context.blocks_of(&file.path);
    let by_name: HashMap<(&str, &str), &BlockEntry> =
        blocks.iter().map(|block| ((block.class.as_str(), block.name.as_str()), *block)).collect();
    let mut taken: HashMap<(&str, u32), usize> = HashMap::new();
    let mut found = Vec::new();
    for syntax in pattern::loops(file) {
        let (kind, lines) = anchor_block(&syntax);
        let at = |line: u32| {
            blocks.iter().filter(move |block| block.kind == kind && block.start_line == line)
        };
        let line = lines.into_iter().find(|line| at(*line).next().is_some());
        let Some(line) = line else { continue };
        let nth = taken.entry((kind, line)).or_default();
        let anchor = at(line).nth(*nth);
        *nth += 1;
        if let Some(anchor) = anchor
            && let Some(site) = match_loop(file, syntax, anchor, &by_name, blocks)
            && context.runs(site.body) > 0
        {
            found.push(site);
        }
    }
    found
}

/// Kind and possible lines of the block that a loop is matched by. A body that begins with a
/// block of its own has no operations before it, and begins at its brace.
fn anchor_block(syntax: &LoopParts<'_>) -> (&'static str, [u32; 2]) {
    let (of_test, of_body) = match syntax.kind {
        LoopKind::For => ("for_test", "for_body"),
        LoopKind::Foreach => ("", "foreach_body"),
        LoopKind::While => ("while_test", "while_body"),
        LoopKind::Do => ("do_test", "do_body"),
    };
    match syntax.test {
        Some(test) => {
            (of_test, [pattern::line(pattern::with_parentheses(test)), pattern::line(test)])
        }
        None => {
            let first = pattern::statements(syntax.body).first().copied();
            let brace = pattern::line(syntax.body);
            (of_body, [first.map_or(brace, pattern::line), brace])
        }
    }
}

/// Matches a loop with its blocks by name: `U.for_3.test` belongs to `U.for_3`.
fn match_loop<'a>(
    file: &'a SourceFile,
    syntax: LoopParts<'a>,
    anchor: &'a BlockEntry,
    by_name: &HashMap<(&str, &str), &'a BlockEntry>,
    blocks: &[&'a BlockEntry],
) -> Option<LoopSite<'a>> {
    let stem = anchor.name.strip_suffix(".test").unwrap_or(&anchor.name);
    let named = |suffix: &str| {
        by_name.get(&(anchor.class.as_str(), format!("{stem}{suffix}").as_str())).copied()
    };
    let (init, test, update) = (named(".init"), named(".test"), named(".update"));
    let body = named("")?;
    let own = [init, test, update, Some(body)];
    let own: Vec<BlockId> = own.into_iter().flatten().map(|block| block.id).collect();
    let lines = pattern::line(syntax.body)..=file.last_line(syntax.body);
    let inside = |block: &&&BlockEntry| {
        block.class == body.class
            && block.method == body.method
            && lines.contains(&block.start_line)
            && lines.contains(&block.end_line)
            && block.id > body.id
            && !own.contains(&block.id)
    };
    let straight = pattern::is_straight(syntax.body);
    let inner = if straight { Vec::new() } else { blocks.iter().filter(inside).copied().collect() };
    Some(LoopSite { file, syntax, init, test, update, body, inner })
}

/// Whether an operation calls unknown code.
fn is_unknown_call(operation: &Feature) -> bool {
    match operation {
        Feature::Operation(operation) => *operation == Operation::METHOD_INVOCATION,
        Feature::Library(function) => may_call_others(function),
    }
}

/// Whether a library function runs other code: it is not of the JDK, is of an interface that
/// others implement, or takes a function.
fn may_call_others(function: &LibraryFunction) -> bool {
    const IMPLEMENTED_BY_OTHERS: [&str; 5] = [
        "java.util.function.",
        "java.lang.Runnable",
        "java.util.concurrent.",
        "java.lang.reflect.",
        "java.lang.invoke.",
    ];
    const HANDED_A_FUNCTION: [&str; 6] =
        ["forEach", "computeIfAbsent", "compute", "merge", "removeIf", "replaceAll"];
    let owner = function.owner();
    !owner.starts_with("java.")
        || HANDED_A_FUNCTION.contains(&function.method())
        || IMPLEMENTED_BY_OTHERS.iter().any(|prefix| owner.starts_with(prefix))
}

/// Whether an operation belongs to one of these classes.
pub fn has_class(operation: &OperationCount, classes: &[OperationClass]) -> bool {
    classes.contains(&operation.operation.class())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountInput, MeasuredEnergies, account, sample};
    use crate::blocks::{Granularity, divide};
    use crate::hint::HintInput;
    use crate::operations::Dictionary;

    /// The dictionary of a file as far as sites need it: no operations.
    fn blocks(file: &SourceFile) -> Dictionary {
        let divided = divide(file, Granularity::Statement);
        let entry = |(i, block): (usize, &crate::blocks::Block)| {
            let unit = divided.unit_of(block);
            BlockEntry {
                id: BlockId(i as u32),
                name: block.name.clone(),
                kind: block.kind.name().into(),
                file: file.path.clone(),
                start_line: block.start_line,
                end_line: block.end_line,
                class: unit.class.clone(),
                method: unit.name.split_once('.').unwrap().1.into(),
                removable: true,
                operations: Vec::new(),
            }
        };
        Dictionary { blocks: divided.blocks.iter().enumerate().map(entry).collect() }
    }

    #[test]
    fn every_loop_finds_its_own_blocks() {
        let text = "class A {
            void m(int[] a) {
                for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { x(); }
                for (int v : a) { for (;;) { y(); } }
                Runnable r = () -> { for (int k = 0; k < 9; k++) z(); };
                do { while (t()) { u(); } } while (
                    v());
                for (String s : b()) {
                    if (s == null) { w(); }
                }
                for (int i = 0; i < 1; i++) ;
            }
        }";
        let file = SourceFile::parse("A.java", text);
        let dictionary = blocks(&file);
        let executions = dictionary.blocks.iter().map(|block| (block.id, 1)).collect();
        let (model, measured) = (sample::model(&[]), MeasuredEnergies::default());
        let scenario = AccountInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            measured: &measured,
            samples: &[],
            calls: None,
        };
        let accounts = account(&scenario);
        let sources = [file];
        let context = HintContext::new(HintInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            accounts: &accounts,
            calls: None,
            sources: &sources,
        });
        let found = loop_sites(&context);
        let names: Vec<(u32, &str)> = found
            .iter()
            .map(|site| (pattern::line(site.syntax.node), site.body.name.as_str()))
            .collect();
        let expected = [
            (3, "A.m(int[]).for_1"),
            (3, "A.m(int[]).for_2"),
            (4, "A.m(int[]).foreach_1"),
            (4, "A.m(int[]).for_3"),
            (5, "A.m(int[]).lambda_1.for_1"),
            (6, "A.m(int[]).do_1"),
            (6, "A.m(int[]).while_1"),
            (8, "A.m(int[]).foreach_2"),
            (11, "A.m(int[]).for_4"),
        ];
        assert_eq!(names, expected);
        assert_eq!(found[7].inner.len(), 1, "the then-block");
    }
}
