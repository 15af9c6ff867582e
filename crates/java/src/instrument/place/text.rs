//! The text of probes.

use std::collections::{BTreeSet, HashMap};

use crate::instrument::derive::WatchedLoop;

/// What stands before a watched loop and behind it.
pub(crate) struct LoopWrapper {
    pub begin: String,
    pub end: String,
}

/// What notices the end of a body.
pub(crate) struct BodyWrapper {
    /// Before the probe.
    pub begin: String,
    /// From where on the body is watched.
    pub watch: &'static str,
    /// Behind the body.
    pub end: String,
}

/// What a block's probe is in the source.
///
/// In a watched loop they are direct: `b7[9]++` counts block 9 in the thread's counters,
/// which `b7` holds, and `p7 = 9` says that it is the one that runs. No call in the loop
/// can overflow the stack between two blocks.
pub struct Probes<'a> {
    /// The runtime's package.
    pub package: &'a str,
    /// The id of the file's first block.
    pub first: usize,
    /// Whether methods say when they begin and end.
    pub frames: bool,
    /// Block of a watched loop -> the loop's first block.
    pub watched: HashMap<usize, usize>,
    /// Blocks of watched loops that say that they run.
    pub noted: BTreeSet<usize>,
    /// Blocks that are counted by others.
    pub derived: BTreeSet<usize>,
}

impl Probes<'_> {
    /// `W.c(7);`
    pub fn statement(&self, index: usize) -> String {
        self.expressions(index)
            .iter()
            .map(|probe| format!("{probe};"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// `W.c(7)`, for a list of expressions.
    pub fn list(&self, index: usize) -> String {
        self.expressions(index).join(", ")
    }

    /// What is done when block `index` is entered.
    fn expressions(&self, index: usize) -> Vec<String> {
        let id = self.first + index;
        let Some(watched) = self.watched.get(&index).map(|first| self.first + first) else {
            return vec![self.call("c", index)];
        };
        let package = self.package;
        let count =
            (!self.derived.contains(&index)).then(|| format!("{package}b{watched}[{id}]++"));
        let note = self.noted.contains(&index).then(|| format!("{package}p{watched} = {id}"));
        count.into_iter().chain(note).collect()
    }

    /// `W.t(7)`, which is `value`.
    pub fn truth(&self, index: usize, value: bool) -> String {
        if !self.watched.contains_key(&index) {
            return self.call(if value { "t" } else { "f" }, index);
        }
        let (compares, joins) = if value { (">= 0", " & ") } else { ("< 0", " | ") };
        let probes = self.expressions(index);
        let truths: Vec<String> = probes.iter().map(|e| format!("({e}) {compares}")).collect();
        format!("({})", truths.join(joins))
    }

    /// `W.c(7)`, with `c` for nothing, `t` for true, `f` for false.
    fn call(&self, function: &str, index: usize) -> String {
        format!("{}.W.{function}({})", self.package, self.first + index)
    }

    /// What stands around a watched loop, so that an exception that leaves it is counted
    /// for the block that it comes from.
    pub fn watch(&self, watched: &WatchedLoop<'_>) -> LoopWrapper {
        let (package, number) = (self.package, self.first + watched.first);
        let begin = format!(
            "{{ long[] {package}b{number} = {package}.W.a(); int {package}p{number} = -1; try {{ "
        );
        let end = format!(
            " }} catch (java.lang.Throwable {package}e{number}) \
             {{ {package}.W.x({package}p{number}); throw {package}e{number}; }} }}"
        );
        LoopWrapper { begin, end }
    }

    /// What stands around a body so that its end is noticed, however it comes:
    /// `int w7 = W.i(7);`, `try {` and `} finally { W.o(w7); }`. The variable has the name
    /// of the package, which occurs in no source, and the block's number.
    pub fn frame(&self, index: usize) -> BodyWrapper {
        let (package, number) = (self.package, self.first + index);
        let begin = format!("int {package}{number} = {package}.W.i({number});");
        let end = format!(" }} finally {{ {package}.W.o({package}{number}); }}");
        BodyWrapper { begin, watch: "try {", end }
    }

    /// `W.v(7, `: the value follows.
    pub fn value(&self, index: usize) -> String {
        format!("{}.W.v({}, ", self.package, self.first + index)
    }
}
