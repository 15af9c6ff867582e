//! Compiled simulated energy model: energy of compiled and interpreted code with caches, by code
//! location.
//!
//! The agent counts each method in copies, one for each state it is in: interpreted,
//! compiled, or compiled into one of its callers. A copy's counters have prices of their
//! own: the costs of the patterns times a factor that is drawn from the model's seed and the bytes
//! of the code location (`datasets/simulated-models/README.md`). Only what an access to memory costs depends
//! on more than counts, and is settled at each reading (`caches`).

mod caches;
mod constants;
mod price;
mod random_draws;

use std::collections::BTreeMap;
use std::io;

use super::accounting::{Accounting, ReadingUsage};
use super::error::invalid_agent_output;
use super::ground_truth::{GroundTruthRow, GroundTruthRows};
use super::library::LibraryTable;
use super::map::{CounterCopy, CounterMap, MethodState, PatternSite};
use super::share::{self, CallFrame, CodeOrigin, ExecutedCode, ReadingShare};
use caches::Caches;
pub(super) use constants::CompilerThresholds;
use constants::ModelConstants;
use price::{MemoryAccess, PricedItem, is_executed};
use random_draws::ModelSeed;

/// Thresholds of the imitated compiler for the agent's runtime, drawn from a model's seed.
pub(super) fn compiler_thresholds(seed: u64) -> CompilerThresholds {
    ModelConstants::draw(ModelSeed::new(seed)).compiler_thresholds()
}

/// Compiled model with the counts of one process.
pub(super) struct CompiledModel {
    draw: ModelSeed,
    constants: ModelConstants,
    library: LibraryTable,
    multiplier: f64,
    map: CounterMap,
    /// Number of copies that have prices.
    priced: usize,
    counters: Vec<CopyCounter>,
    cells: Vec<CellLedger>,
    cell_ids: BTreeMap<CellKey, usize>,
    caches: Caches,
    /// Attojoules of an access to each region, as of the last reading.
    accesses: Vec<u64>,
    compilation: CompilationTotal,
    /// Whether code was compiled before it was started.
    ahead: bool,
}

/// Method, line and pattern whose energy is summed: indices into the map's methods, the line, and
/// into the map's patterns.
type CellKey = (usize, u32, usize);

/// Executions and energy (attojoules) of a pattern on a line of a method.
#[derive(Debug)]
struct CellLedger {
    key: CellKey,
    executions: u64,
    energy: u128,
}

/// Counter of a copy, with the prices of its items.
#[derive(Debug, Default)]
struct CopyCounter {
    /// Hash of the code location and of the location where it was inlined.
    context: u64,
    /// Method that contains the code: the outermost caller, where it was inlined.
    method: usize,
    /// Whether the code is interpreted bytecode.
    interpreted: bool,
    items: Vec<PricedItem>,
}

/// Compilations so far and their energy in attojoules.
#[derive(Debug, Default, Clone, Copy)]
struct CompilationTotal {
    methods: u64,
    energy: u128,
    /// Energy that no reading has included yet.
    unreported: u128,
    /// Energy that the last reading included.
    reported: u128,
}

impl CompiledModel {
    /// Model with a seed, whose costs are all multiplied by `multiplier`; code compiled `ahead`
    /// costs no compilation while it runs.
    pub fn new(seed: u64, multiplier: f64, ahead: bool) -> Self {
        let draw = ModelSeed::new(seed);
        let constants = ModelConstants::draw(draw);
        let caches = Caches::new(constants.cache_levels(), constants.alive_bytes());
        Self {
            draw,
            constants,
            library: LibraryTable::built_in(),
            multiplier,
            map: CounterMap::default(),
            priced: 0,
            counters: Vec::new(),
            cells: Vec::new(),
            cell_ids: BTreeMap::new(),
            caches,
            accesses: Vec::new(),
            compilation: CompilationTotal::default(),
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
                self.counters[copy.base + at] = self.new_counter(copy, method, place)?;
            }
            if copy.state != MethodState::Interpreted && !self.ahead {
                self.add_compilation(instructions);
            }
            self.priced += 1;
        }
        Ok(())
    }

    /// Adds the energy of compiling a method of so many instructions.
    fn add_compilation(&mut self, instructions: u64) {
        let energy = self.attojoules(self.constants.compile_j());
        let energy = u128::from(energy) * u128::from(instructions);
        self.compilation.methods += 1;
        self.compilation.energy += energy;
        self.compilation.unreported += energy;
    }

    /// Counter of a copy at an index of the map's code locations, with priced items.
    fn new_counter(
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
        let context = mix_hashes(hash, around);
        let factor = match copy.state {
            MethodState::Interpreted => 1.0,
            _ => self.draw.log_normal_factor(self.constants.place_sigma, &context.to_le_bytes()),
        };
        let mut priced = Vec::new();
        for item in items.iter().filter(|item| is_executed(item.when, copy.state)) {
            let cell = self.cell_index((method, item.line, item.pattern));
            let price = self.price(item.pattern, copy.state, factor)?;
            priced.push(PricedItem { cell, count: item.count, ..price });
        }
        let interpreted = copy.state == MethodState::Interpreted;
        Ok(CopyCounter { context, method: outermost, interpreted, items: priced })
    }

    /// Index of a ledger by its key, added if it is new.
    fn cell_index(&mut self, key: CellKey) -> usize {
        let cells = &mut self.cells;
        *self.cell_ids.entry(key).or_insert_with(|| {
            cells.push(CellLedger { key, executions: 0, energy: 0 });
            cells.len() - 1
        })
    }

    /// Spends the energy of counters that does not depend on what else was executed.
    fn spend_executions(&mut self, executed: &[(usize, u64)], used: &mut ReadingUsage) {
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

    /// Spends the energy of memory accesses, which depends on all of a reading's.
    fn spend_memory_accesses(&mut self, executed: &[(usize, u64)], used: &mut ReadingUsage) {
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

/// Hash of a code location and of the location where it was inlined (the finisher of SplitMix64).
fn mix_hashes(hash: u64, around: u64) -> u64 {
    let mut mixed = hash.wrapping_add(around.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Accounting for CompiledModel {
    fn add_map_lines(&mut self, text: &str) -> io::Result<()> {
        self.map.feed(text).map_err(|error| invalid_agent_output(error.to_string()))?;
        self.price_new()
    }

    fn counter_count(&self) -> usize {
        self.counters.len()
    }

    fn spend(&mut self, executed: &[(usize, u64)]) -> ReadingUsage {
        self.compilation.reported = std::mem::take(&mut self.compilation.unreported);
        let mut used = ReadingUsage { energy: self.compilation.reported, bytes: 0 };
        self.spend_executions(executed, &mut used);
        self.spend_memory_accesses(executed, &mut used);
        used
    }

    fn shares(&self, executed: &[(usize, u64)]) -> Vec<ReadingShare> {
        let mut shares = Vec::new();
        share::add_share(&mut shares, ExecutedCode::Compiler, self.compilation.reported);
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
                share::add_share(&mut shares, code, times * each);
            }
        }
        shares
    }

    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame> {
        share::call_frames(code, &self.map, |counter| {
            let CopyCounter { method, interpreted, .. } = &self.counters[counter];
            let origin = match (*interpreted, self.ahead) {
                (true, _) => CodeOrigin::Dex,
                (false, true) => CodeOrigin::Ahead,
                (false, false) => CodeOrigin::Jit,
            };
            (*method, origin)
        })
    }

    fn ground_truth(&self) -> GroundTruthRows<'_> {
        let mut truth = GroundTruthRows::default();
        for CellLedger { key: (method, line, pattern), executions, energy } in &self.cells {
            truth.add(GroundTruthRow {
                method: &self.map.methods[*method],
                line: *line,
                pattern: &self.map.patterns[*pattern],
                executions: *executions,
                energy: *energy,
            });
        }
        truth.add_compilations(
            self.compilation.methods,
            self.compilation.energy - self.compilation.unreported,
        );
        truth
    }
}

#[cfg(test)]
mod tests;
