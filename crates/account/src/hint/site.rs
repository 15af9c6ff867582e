//! Loops of the source joined with their blocks in the dictionary.

use std::collections::HashMap;

use crate::account::OperationClass;
use crate::blocks::BlockId;
use crate::hint::counted::Context;
use crate::hint::pattern::{self, LoopKind, LoopParts};
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Feature, LibraryFunction, Operation, OperationCount};

/// A loop with its blocks.
pub struct Site<'a> {
    /// The file that it stands in.
    pub file: &'a SourceFile,
    /// The syntax.
    pub syntax: LoopParts<'a>,
    /// Initialisation block of a `for`.
    pub init: Option<&'a BlockEntry>,
    /// Test block.
    pub test: Option<&'a BlockEntry>,
    /// Update block of a `for`.
    pub update: Option<&'a BlockEntry>,
    /// Body block.
    pub body: &'a BlockEntry,
    /// Other blocks within the body, of the same unit.
    pub inner: Vec<&'a BlockEntry>,
}

impl<'a> Site<'a> {
    /// All blocks of the loop, header first.
    pub fn blocks(&self) -> Vec<&'a BlockEntry> {
        let own = [self.init, self.test, self.update, Some(self.body)];
        own.into_iter().flatten().chain(self.inner.iter().copied()).collect()
    }

    /// The blocks that run once per iteration or more seldom: all but the initialisation.
    pub fn repeated(&self) -> Vec<&'a BlockEntry> {
        let init = self.init.map(|block| block.id);
        self.blocks().into_iter().filter(|block| Some(block.id) != init).collect()
    }

    /// How often the loop was entered: runs of its initialisation; without one, the runs
    /// that a `while`'s test has more than its body, at least one.
    pub fn entries(&self, context: &Context<'_>) -> u64 {
        let body = context.runs(self.body);
        let tests = self.test.map_or(0, |test| context.runs(test));
        let least = u64::from(body > 0);
        match self.init {
            Some(init) => context.runs(init),
            None => tests.saturating_sub(body).max(least),
        }
    }

    /// Whether code that isn't known here may run in the loop: methods of the sources, of
    /// libraries other than the JDK, and interfaces of the JDK that others implement.
    pub(crate) fn calls_source_methods(&self) -> bool {
        let calls = |block: &&BlockEntry| block.operations.iter().any(|o| is_open(&o.operation));
        self.blocks().iter().any(calls)
    }

    /// Whether `node` stands in this loop, not in a loop or another unit within it.
    pub(crate) fn is_directly_in(&self, node: SyntaxNode<'_>) -> bool {
        pattern::innermost_loop(node) == Some(self.syntax.node)
            && !pattern::in_other_unit(node, self.syntax.node)
    }

    /// Whether this loop stands in another one, of the same unit.
    pub fn is_within(&self, outer: &Site<'_>) -> bool {
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

    /// The block among the loop's that holds the source at `node`.
    pub(crate) fn block_at(&self, context: &Context<'_>, node: SyntaxNode<'_>) -> &'a BlockEntry {
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

/// All loops of all sources whose blocks the dictionary has and that ran.
pub fn sites<'a>(context: &Context<'a>) -> Vec<Site<'a>> {
    let sources = context.input.sources;
    sources.iter().flat_map(|file| sites_of(context, file)).collect()
}

/// The loops of one file. A loop is found by the line of its test (the body's, where a
/// loop has no test): the n-th loop of its sort there is the n-th such block there.
fn sites_of<'a>(context: &Context<'a>, file: &'a SourceFile) -> Vec<Site<'a>> {
    let blocks = context.blocks_of(&file.path);
    let by_name: HashMap<(&str, &str), &BlockEntry> =
        blocks.iter().map(|block| ((block.class.as_str(), block.name.as_str()), *block)).collect();
    let mut taken: HashMap<(&str, u32), usize> = HashMap::new();
    let mut found = Vec::new();
    for syntax in pattern::loops(file) {
        let (kind, lines) = anchor(&syntax);
        let at = |line: u32| {
            blocks.iter().filter(move |block| block.kind == kind && block.start_line == line)
        };
        let line = lines.into_iter().find(|line| at(*line).next().is_some());
        let Some(line) = line else { continue };
        let nth = taken.entry((kind, line)).or_default();
        let anchor = at(line).nth(*nth);
        *nth += 1;
        if let Some(anchor) = anchor
            && let Some(site) = site(file, syntax, anchor, &by_name, blocks)
            && context.runs(site.body) > 0
        {
            found.push(site);
        }
    }
    found
}

/// Kind and possible lines of the block that a loop is found by. A body that begins with
/// a block of its own holds nothing before it, and begins at its brace.
fn anchor(syntax: &LoopParts<'_>) -> (&'static str, [u32; 2]) {
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

/// Joins a loop with its blocks by their names: `U.for_3.test` is of `U.for_3`.
fn site<'a>(
    file: &'a SourceFile,
    syntax: LoopParts<'a>,
    anchor: &'a BlockEntry,
    by_name: &HashMap<(&str, &str), &'a BlockEntry>,
    blocks: &[&'a BlockEntry],
) -> Option<Site<'a>> {
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
    Some(Site { file, syntax, init, test, update, body, inner })
}

/// Whether an operation calls code that isn't known here.
fn is_open(operation: &Feature) -> bool {
    match operation {
        Feature::Operation(operation) => *operation == Operation::METHOD_INVOCATION,
        Feature::Library(function) => may_call_others(function),
    }
}

/// Whether a library function runs code that others wrote: it isn't of the JDK, is of an
/// interface that others implement, or is handed a function.
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

/// Whether an operation is of a class.
pub fn is_of(operation: &OperationCount, classes: &[OperationClass]) -> bool {
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
        let context = Context::new(HintInput {
            dictionary: &dictionary,
            executions: &executions,
            model: &model,
            accounts: &accounts,
            calls: None,
            sources: &sources,
        });
        let found = sites(&context);
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
