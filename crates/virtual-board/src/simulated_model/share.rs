//! What a sampling profiler may ask of a chip: which code the energy of a reading went to,
//! and under which names a profiler finds that code. No lines, and no inlined methods: code
//! that was compiled into a caller is its outermost caller's, as in ART's symbols.

use super::map::{Map, TruthMethod};

/// A part of a reading's energy, and with it of its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadingShare {
    /// What was executed.
    pub code: ExecutedCode,
    /// Dynamic energy in joules, at the reference voltage.
    pub energy_j: f64,
}

/// A piece of code that is executed at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutedCode {
    /// The application's own, by the counter of its block.
    Own {
        /// Which counter.
        counter: usize,
    },
    /// A library function, called there.
    Library {
        /// The counter of the block with the call.
        counter: usize,
        /// The pattern of the call.
        pattern: usize,
    },
    /// The compiler of methods.
    Compiler,
}

/// A frame of a call chain, as a profiler finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    /// The name in the symbol table.
    pub symbol: String,
    /// The method, as its class file has it.
    pub method: MethodName,
    /// In which kind of file the code lies.
    pub origin: CodeOrigin,
    /// An address in that file: of the block, stable for a program on a chip, and inside a
    /// range that is its method's alone.
    pub address: u64,
}

/// What a class file says of a method.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    /// Binary name of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its erased type; empty of library functions, of which the chip's table does not say it.
    pub descriptor: String,
}

/// Where code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeOrigin {
    /// Compiled when the package was installed.
    Ahead,
    /// Compiled while the application runs.
    Jit,
    /// Not compiled: bytecode.
    Dex,
    /// The framework's library functions.
    Library,
}

/// Bits of an address that are its block's; those above are its method's.
const BLOCK_BITS: u32 = 26;
/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 4;

/// The address of a counter's block in the method with this index: methods lie one after
/// another from the first range on, a block at its counter's place in its method's range.
pub(super) fn address(method: usize, counter: usize) -> u64 {
    ((method as u64 + 1) << BLOCK_BITS) + counter as u64 * INSTRUCTION_BYTES
}

/// The frames of code, the innermost first; `place` is the method of a counter's block, and
/// where its code comes from. None for the compiler.
pub(super) fn frames(
    code: ExecutedCode,
    map: &Map,
    place: impl Fn(usize) -> (usize, CodeOrigin),
) -> Vec<CallFrame> {
    let own = |counter: usize| {
        let (method, origin) = place(counter);
        own_frame(&map.methods[method], origin, address(method, counter))
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

/// The frame of an application's method.
fn own_frame(method: &TruthMethod, origin: CodeOrigin, address: u64) -> CallFrame {
    let symbol = match origin {
        CodeOrigin::Dex => format!("{}.{}", method.class, method.jvm_name),
        _ => super::symbols::pretty(&method.class, &method.jvm_name, &method.descriptor),
    };
    let method = MethodName {
        class: method.class.clone(),
        name: method.jvm_name.clone(),
        descriptor: method.descriptor.clone(),
    };
    CallFrame { symbol, method, origin, address }
}

/// The library function of a pattern, without its parameters; none if it is no library's.
pub(super) fn library_function(pattern: &str) -> Option<&str> {
    let function = pattern.strip_prefix("call:").or_else(|| pattern.strip_prefix("units:"))?;
    Some(super::library::without_parameters(function))
}

/// The frame of a library function.
pub(super) fn library_frame(pattern: usize, text: &str) -> Option<CallFrame> {
    let symbol = library_function(text)?.to_owned();
    let (class, name) = symbol.rsplit_once('.').unwrap_or(("", &symbol));
    let method = MethodName { class: class.into(), name: name.into(), descriptor: String::new() };
    Some(CallFrame { symbol, method, origin: CodeOrigin::Library, address: address(pattern, 0) })
}

/// Adds a part in attojoules, to the last one if that is of the same code.
pub(super) fn add(shares: &mut Vec<ReadingShare>, code: ExecutedCode, attojoules: u128) {
    if attojoules == 0 {
        return;
    }
    let energy_j = super::cost::joules(attojoules);
    match shares.last_mut() {
        Some(last) if last.code == code => last.energy_j += energy_j,
        _ => shares.push(ReadingShare { code, energy_j }),
    }
}
