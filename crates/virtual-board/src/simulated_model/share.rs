//! Parts of a reading's energy by executed code, and the names under which a profiler finds that
//! code. No lines, and no inlined methods: code that was compiled into a caller is its outermost
//! caller's, as in ART's symbols.

use super::map::{CounterMap, GroundTruthMethod};

/// Part of a reading's energy, and so of its time, of one piece of code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingShare {
    /// Executed code.
    pub code: ExecutedCode,
    /// Dynamic energy in joules, at the reference voltage.
    pub energy_j: f64,
}

/// Piece of code that is executed at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutedCode {
    /// Code of the application, by the counter of its block.
    Own {
        /// Number of the counter.
        counter: usize,
    },
    /// Library function, with the place of the call.
    Library {
        /// Counter of the block with the call.
        counter: usize,
        /// Pattern of the call.
        pattern: usize,
    },
    /// Compiler of methods.
    Compiler,
}

/// Frame of a call chain, as a profiler finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    /// Name in the symbol table.
    pub symbol: String,
    /// Method, as its class file has it.
    pub method: MethodName,
    /// Kind of file that contains the code.
    pub origin: CodeOrigin,
    /// Address in that file: of the block, the same in every run with a model, and inside a range
    /// that is its method's alone.
    pub address: u64,
}

/// Class, name and type of a method in its class file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    /// Binary name of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Erased type; empty for library functions, whose type the cost tables lack.
    pub descriptor: String,
}

/// Kind of file that executed code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeOrigin {
    /// Code compiled when the package was installed.
    Ahead,
    /// Code compiled while the application runs.
    Jit,
    /// Interpreted bytecode.
    Dex,
    /// Library functions of the framework.
    Library,
}

/// Bits of an address that number its block; those above number its method.
const BLOCK_BITS: u32 = 26;
/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 4;

/// Address of a counter's block in the method with this index: methods lie one after another from
/// the first range on, a block at its counter's offset in its method's range.
pub(super) fn block_address(method: usize, counter: usize) -> u64 {
    ((method as u64 + 1) << BLOCK_BITS) + counter as u64 * INSTRUCTION_BYTES
}

/// Frames of executed code, the innermost first; `place` gives the method of a counter's block and
/// the origin of its code. None for the compiler.
pub(super) fn call_frames(
    code: ExecutedCode,
    map: &CounterMap,
    place: impl Fn(usize) -> (usize, CodeOrigin),
) -> Vec<CallFrame> {
    let own = |counter: usize| {
        let (method, origin) = place(counter);
        own_frame(&map.methods[method], origin, block_address(method, counter))
    };
    match code {
        ExecutedCode::Own { counter } => vec![own(counter)],
        ExecutedCode::Library { counter, pattern } => {
            let library = library_frame(pattern, &map.patterns[pattern]);
            library.into_iter().chain([own(counter)]).collect()
        }
        ExecutedCode::Compiler => Vec::new(),
    }
}

/// Frame of an application's method.
fn own_frame(method: &GroundTruthMethod, origin: CodeOrigin, address: u64) -> CallFrame {
    let symbol = match origin {
        CodeOrigin::Dex => format!("{}.{}", method.class, method.jvm_name),
        _ => super::symbols::pretty_method(&method.class, &method.jvm_name, &method.descriptor),
    };
    let method = MethodName {
        class: method.class.clone(),
        name: method.jvm_name.clone(),
        descriptor: method.descriptor.clone(),
    };
    CallFrame { symbol, method, origin, address }
}

/// Library function of a pattern, without its parameters; `None` if it is no library's.
pub(super) fn library_function(pattern: &str) -> Option<&str> {
    let function = pattern.strip_prefix("call:").or_else(|| pattern.strip_prefix("units:"))?;
    Some(super::library::without_parameters(function))
}

/// Frame of a library function.
pub(super) fn library_frame(pattern: usize, text: &str) -> Option<CallFrame> {
    let symbol = library_function(text)?.to_owned();
    let (class, name) = symbol.rsplit_once('.').unwrap_or(("", &symbol));
    let method = MethodName { class: class.into(), name: name.into(), descriptor: String::new() };
    Some(CallFrame {
        symbol,
        method,
        origin: CodeOrigin::Library,
        address: block_address(pattern, 0),
    })
}

/// Adds an energy in attojoules, to the last part if that is of the same code.
pub(super) fn add_share(shares: &mut Vec<ReadingShare>, code: ExecutedCode, attojoules: u128) {
    if attojoules == 0 {
        return;
    }
    let energy_j = super::cost::joules(attojoules);
    match shares.last_mut() {
        Some(last) if last.code == code => last.energy_j += energy_j,
        _ => shares.push(ReadingShare { code, energy_j }),
    }
}
