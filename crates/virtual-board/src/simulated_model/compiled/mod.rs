//! The compiled chip: what a program spends as compilers and caches leave it, by place.
//!
//! The agent counts each method in copies, one for each state it is in: interpreted,
//! compiled, or compiled into one of its callers. A copy's counters have prices of their
//! own: the words' costs times a factor that is drawn from the chip's seed and the bytes of
//! the place (`datasets/simulated-models/README.md`). Only what an access to memory costs depends
//! on more than counts, and is settled at each reading (`caches`).

mod caches;
mod constants;
mod draw;
mod price;

use std::collections::BTreeMap;
use std::io;

use super::accounting::{Accounting, ReadingUse};
use super::error::invalid;
use super::library::LibraryTable;
use super::map::{CounterCopy, Map, MethodState, PatternSite};
use super::share::{self, CallFrame, CodeOrigin, ExecutedCode, ReadingShare};
use super::truth::{TruthRow, TruthRows};
use caches::Caches;
use constants::ChipConstants;
pub(super) use constants::RuntimeFigures;
use draw::ChipSeed;
use price::{MemoryAccess, PricedItem, happens};

/// What the runtime of a chip's agent needs to know.
pub(super) fn runtime_figures(seed: u64) -> RuntimeFigures {
    ChipConstants::of(ChipSeed::new(seed)).runtime()
}

/// A compiled chip that counts one process.
pub(super) struct CompiledChip {
    draw: ChipSeed,
    constants: ChipConstants,
    library: LibraryTable,
    multiplier: f64,
    map: Map,
    /// How many copies have prices.
    priced: usize,
    counters: Vec<CopyCounter>,
    cells: Vec<CellLedger>,
    cell_ids: BTreeMap<CellKey, usize>,
    caches: Caches,
    /// Attojoules of an access to each region, as the last reading settled them.
    accesses: Vec<u64>,
    compilation: Compilation,
    /// Whether code was compiled before it was started.
    ahead: bool,
}

/// What a line of a method spends on a pattern: the method, the line, the pattern.
type CellKey = (usize, u32, usize);

/// The ledger of one of these.
#[derive(Debug)]
struct CellLedger {
    key: CellKey,
    executions: u64,
    energy: u128,
}

/// One counter of a copy.
#[derive(Debug, Default)]
struct CopyCounter {
    /// Which words it is about, among others where it was compiled into.
    context: u64,
    /// The method in whose code it lies: the outermost one, where it was compiled into.
    method: usize,
    /// Whether that code is bytecode.
    interpreted: bool,
    items: Vec<PricedItem>,
}

/// Compilations so far.
#[derive(Debug, Default, Clone, Copy)]
struct Compilation {
    methods: u64,
    energy: u128,
    /// What no reading has told yet.
    untold: u128,
    /// What the last reading told.
    told: u128,
}

impl CompiledChip {
    /// The chip of a seed, whose every cost is multiplied; code that is compiled ahead costs no
    /// compilation while it runs.
    pub fn new(seed: u64, multiplier: f64, ahead: bool) -> Self {
        let draw = ChipSeed::new(seed);
        let constants = ChipConstants::of(draw);
        let caches = Caches::new(constants.levels(), constants.alive_bytes());
        Self {
            draw,
            constants,
            library: LibraryTable::built_in(),
            multiplier,
            map: Map::default(),
            priced: 0,
            counters: Vec::new(),
            cells: Vec::new(),
            cell_ids: BTreeMap::new(),
            caches,
            accesses: Vec::new(),
            compilation: Compilation::default(),
            ahead,
        }
    }

    /// Prices the copies that are new in the map.
    fn price_new(&mut self) -> io::Result<()> {
        while let Some(&copy) = self.map.copies.get(self.priced) {
            let body = &self.map.bodies[copy.body];
            let (places, method) = (body.places.clone(), body.method);
            let instructions = body.instructions;
            let end = copy.base + places.len();
            if self.counters.len() < end {
                self.counters.resize_with(end, CopyCounter::default);
            }
            for (at, place) in places.enumerate() {
                self.counters[copy.base + at] = self.counter(copy, method, place)?;
            }
            if copy.state != MethodState::Interpreted && !self.ahead {
                self.compile(instructions);
            }
            self.priced += 1;
        }
        Ok(())
    }

    fn compile(&mut self, instructions: u64) {
        let energy = self.attojoules(self.constants.compile_j());
        let energy = u128::from(energy) * u128::from(instructions);
        self.compilation.methods += 1;
        self.compilation.energy += energy;
        self.compilation.untold += energy;
    }

    fn counter(
        &mut self,
        copy: CounterCopy,
        method: usize,
        place: usize,
    ) -> io::Result<CopyCounter> {
        let PatternSite { hash, items } = self.map.places[place].clone();
        let caller = match copy.state {
            MethodState::Inlined => self.counters.get(copy.call),
            MethodState::Interpreted | MethodState::Compiled => None,
        };
        let around = caller.map_or(0, |caller| caller.context);
        let outermost = caller.map_or(method, |caller| caller.method);
        let context = mixed(hash, around);
        let factor = match copy.state {
            MethodState::Interpreted => 1.0,
            _ => self.draw.factor(self.constants.place_sigma, &context.to_le_bytes()),
        };
        let mut priced = Vec::new();
        for item in items.iter().filter(|item| happens(item.when, copy.state)) {
            let cell = self.cell((method, item.line, item.pattern));
            let price = self.price(item.pattern, copy.state, factor)?;
            priced.push(PricedItem { cell, count: item.count, ..price });
        }
        let interpreted = copy.state == MethodState::Interpreted;
        Ok(CopyCounter { context, method: outermost, interpreted, items: priced })
    }

    fn cell(&mut self, key: CellKey) -> usize {
        let cells = &mut self.cells;
        *self.cell_ids.entry(key).or_insert_with(|| {
            cells.push(CellLedger { key, executions: 0, energy: 0 });
            cells.len() - 1
        })
    }

    /// What does not depend on what else was executed.
    fn execute(&mut self, executed: &[(usize, u64)], used: &mut ReadingUse) {
        for &(counter, executions) in executed {
            for item in &self.counters[counter].items {
                let times = executions.saturating_mul(item.count);
                let cell = &mut self.cells[item.cell];
                cell.executions = cell.executions.saturating_add(times);
                let energy = u128::from(times) * u128::from(item.energy);
                cell.energy += energy;
                used.energy += energy;
                used.bytes = used.bytes.saturating_add(times.saturating_mul(item.bytes));
                match item.memory {
                    MemoryAccess::Nothing => {}
                    MemoryAccess::Touch(region, bytes) => self.caches.touch(region, times, bytes),
                    MemoryAccess::Grow(region) => self.caches.grow(region, times),
                }
            }
        }
    }

    /// What accesses to memory cost, given all of them.
    fn settle(&mut self, executed: &[(usize, u64)], used: &mut ReadingUse) {
        let prices = self.caches.settle();
        self.accesses = prices.into_iter().map(|joules| self.attojoules(joules)).collect();
        for &(counter, executions) in executed {
            for item in &self.counters[counter].items {
                if let MemoryAccess::Touch(region, _) = item.memory {
                    let times = executions.saturating_mul(item.count);
                    let energy = u128::from(times) * u128::from(self.accesses[region]);
                    self.cells[item.cell].energy += energy;
                    used.energy += energy;
                }
            }
        }
    }
}

/// A place, and the place where it was compiled into, as one (the finisher of SplitMix64).
fn mixed(hash: u64, around: u64) -> u64 {
    let mut mixed = hash.wrapping_add(around.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Accounting for CompiledChip {
    fn feed(&mut self, text: &str) -> io::Result<()> {
        self.map.feed(text).map_err(|error| invalid(error.to_string()))?;
        self.price_new()
    }

    fn counters(&self) -> usize {
        self.counters.len()
    }

    fn spend(&mut self, executed: &[(usize, u64)]) -> ReadingUse {
        self.compilation.told = std::mem::take(&mut self.compilation.untold);
        let mut used = ReadingUse { energy: self.compilation.told, bytes: 0 };
        self.execute(executed, &mut used);
        self.settle(executed, &mut used);
        used
    }

    fn shares(&self, executed: &[(usize, u64)]) -> Vec<ReadingShare> {
        let mut shares = Vec::new();
        share::add(&mut shares, ExecutedCode::Compiler, self.compilation.told);
        for &(counter, executions) in executed {
            for item in &self.counters[counter].items {
                let (_, _, pattern) = self.cells[item.cell].key;
                let code = match share::library_function(&self.map.patterns[pattern]) {
                    Some(_) => ExecutedCode::Library { counter, pattern },
                    None => ExecutedCode::Own { counter },
                };
                let memory = match item.memory {
                    MemoryAccess::Touch(region, _) => self.accesses[region],
                    MemoryAccess::Nothing | MemoryAccess::Grow(_) => 0,
                };
                let each = u128::from(item.energy) + u128::from(memory);
                let times = u128::from(executions) * u128::from(item.count);
                share::add(&mut shares, code, times * each);
            }
        }
        shares
    }

    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame> {
        share::frames(code, &self.map, |counter| {
            let CopyCounter { method, interpreted, .. } = &self.counters[counter];
            let origin = match (*interpreted, self.ahead) {
                (true, _) => CodeOrigin::Dex,
                (false, true) => CodeOrigin::Ahead,
                (false, false) => CodeOrigin::Jit,
            };
            (*method, origin)
        })
    }

    fn truth(&self) -> TruthRows<'_> {
        let mut truth = TruthRows::default();
        for CellLedger { key: (method, line, pattern), executions, energy } in &self.cells {
            truth.add(TruthRow {
                method: &self.map.methods[*method],
                line: *line,
                pattern: &self.map.patterns[*pattern],
                executions: *executions,
                energy: *energy,
            });
        }
        truth.compile(self.compilation.methods, self.compilation.energy - self.compilation.untold);
        truth
    }
}

#[cfg(test)]
mod tests;
