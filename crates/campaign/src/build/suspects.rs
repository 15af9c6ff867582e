//! Removed blocks that a crash points at. The JVM's message names what was null and where; blocks
//! that would have assigned it, else those of the methods on the stack, are tried first. A guess
//! only saves dry runs: a wrong one costs some, and blames no block.

use crate::blocks::BlockId;
use crate::operations::{BlockEntry, Dictionary};

use super::Sources;
use super::data_dependence::assigned_names;
use super::stack_frame::stack_frames;

/// Greatest number of stack frames that are searched for a method with removed blocks.
const FRAMES: usize = 3;

/// The blocks of `removed` that a program's error output points at; empty if none.
pub(crate) fn suspects(
    stderr: &str,
    sources: &Sources,
    dictionary: &Dictionary,
    removed: &[BlockId],
) -> Vec<BlockId> {
    let entry = |id: &BlockId| dictionary.blocks.get(id.0 as usize);
    let of = |wanted: &dyn Fn(&BlockEntry) -> bool| -> Vec<BlockId> {
        removed.iter().copied().filter(|id| entry(id).is_some_and(wanted)).collect()
    };
    let named = match null_name(stderr) {
        Some(NullName::Variable(name)) => {
            of(&|block| assigned_names(&text_of(sources, block)).contains(name))
        }
        Some(NullName::Result(method)) => of(&|block| method_name(block) == method),
        None => Vec::new(),
    };
    if !named.is_empty() {
        return named;
    }
    let on_stack = stack_frames(stderr)
        .take(FRAMES)
        .map(|frame| of(&|block| block.class == frame.class && method_name(block) == frame.method));
    on_stack.into_iter().find(|blocks| !blocks.is_empty()).unwrap_or_default()
}

/// Name in the message of a NullPointerException.
#[derive(Debug, PartialEq, Eq)]
enum NullName<'s> {
    /// A field, a local variable or an array that was null.
    Variable(&'s str),
    /// A method whose result was null.
    Result(&'s str),
}

fn null_name(stderr: &str) -> Option<NullName<'_>> {
    let (_, because) = stderr.split_once("because ")?;
    let (before, rest) = because.split_once('"')?;
    let (expression, after) = rest.split_once('"')?;
    if !after.starts_with(" is null") {
        return None;
    }
    if before.starts_with("the return value") {
        let name = expression.split('(').next()?.rsplit('.').next()?;
        return Some(NullName::Result(name));
    }
    let name = expression.split('[').next()?.rsplit('.').next()?;
    (!name.is_empty() && !name.starts_with('<')).then_some(NullName::Variable(name))
}

/// The method name of a block, without parameters.
fn method_name(block: &BlockEntry) -> &str {
    block.method.split('(').next().unwrap_or_default()
}

/// The source lines of a block.
pub(super) fn text_of(sources: &Sources, block: &BlockEntry) -> String {
    let Some(file) = sources.files.iter().find(|file| file.path == block.file) else {
        return String::new();
    };
    let (start, end) = (block.start_line as usize, block.end_line as usize);
    let lines = file.text.lines().skip(start.saturating_sub(1));
    lines.take((end + 1).saturating_sub(start)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_null_has_a_name() {
        let npe = |because: &str| format!("Exception: Cannot invoke \"A.b()\" because {because}");
        let variable = |name| Some(NullName::Variable(name));
        assert_eq!(null_name(&npe("\"this.world.list\" is null")), variable("list"));
        assert_eq!(null_name(&npe("\"this.stack[2]\" is null")), variable("stack"));
        assert_eq!(null_name(&npe("\"<local4>\" is null")), None);
        let result = npe("the return value of \"p.A.get(int)\" is null");
        assert_eq!(null_name(&result), Some(NullName::Result("get")));
        assert_eq!(null_name("ArithmeticException: / by zero"), None);
    }
}
