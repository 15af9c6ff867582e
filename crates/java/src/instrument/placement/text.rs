//! Source text of probes.

use std::collections::{BTreeSet, HashMap};

use crate::instrument::derivation::WatchedLoop;

/// Source text before and behind a watched loop.
pub(crate) struct LoopWrapper {
    pub begin: String,
    pub end: String,
}

/// Source text around a body that notices its end.
pub(crate) struct BodyWrapper {
    /// Text before the probe.
    pub begin: String,
    /// Text from which on the body is watched.
    pub watch: &'static str,
    /// Text behind the body.
    pub end: String,
}

/// Generator of the source text of the probes of one file.
///
/// In a watched loop probes are direct: `b7[9]++` counts block 9 in the thread's counters,
/// which `b7` holds, and `p7 = 9` notes it as the running block. No call in the loop
/// can overflow the stack between two blocks.
pub struct ProbeTexts<'a> {
    /// The runtime's package.
    pub package: &'a str,
    /// The id of the file's first block.
    pub first: usize,
    /// Whether probes mark the begin and end of methods.
    pub frames: bool,
    /// First block of the watched loop of each block in one.
    pub watched: HashMap<usize, usize>,
    /// Blocks of watched loops whose probes note the running block.
    pub noted: BTreeSet<usize>,
    /// Blocks whose counts follow from others.
    pub derived: BTreeSet<usize>,
}

impl ProbeTexts<'_> {
    /// Returns the probe as a statement: `W.c(7);`.
    pub fn statement(&self, index: usize) -> String {
        self.expressions(index)
            .iter()
            .map(|probe| format!("{probe};"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the probe for a list of expressions: `W.c(7)`.
    pub fn list(&self, index: usize) -> String {
        self.expressions(index).join(", ")
    }

    /// Returns the expressions that run when block `index` is entered.
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

    /// Returns the probe as a boolean expression with the value `value`: `W.t(7)`.
    pub fn truth(&self, index: usize, value: bool) -> String {
        if !self.watched.contains_key(&index) {
            return self.call(if value { "t" } else { "f" }, index);
        }
        let (compares, joins) = if value { (">= 0", " & ") } else { ("< 0", " | ") };
        let probes = self.expressions(index);
        let truths: Vec<String> = probes.iter().map(|e| format!("({e}) {compares}")).collect();
        format!("({})", truths.join(joins))
    }

    /// Returns the call of a runtime function, `W.c(7)`: `c` is void, `t` is true, `f` is false.
    fn call(&self, function: &str, index: usize) -> String {
        format!("{}.W.{function}({})", self.package, self.first + index)
    }

    /// Returns the text around a watched loop, by which an exception that leaves it is counted for
    /// the block that it comes from.
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

    /// Returns the text around a body, by which its end is noticed however it comes:
    /// `int w7 = W.i(7);`, `try {` and `} finally { W.o(w7); }`. The variable has the name of the
    /// package, which occurs in no source, and the block's number.
    pub fn frame(&self, index: usize) -> BodyWrapper {
        let (package, number) = (self.package, self.first + index);
        let begin = format!("int {package}{number} = {package}.W.i({number});");
        let end = format!(" }} finally {{ {package}.W.o({package}{number}); }}");
        BodyWrapper { begin, watch: "try {", end }
    }

    /// Returns the begin of a probe with a value, `W.v(7, `, to which the value is appended.
    pub fn value(&self, index: usize) -> String {
        format!("{}.W.v({}, ", self.package, self.first + index)
    }
}
