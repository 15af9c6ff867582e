//! Additive simulated energy model: a sum over bytecodes, each at its price.

use std::io;

use super::accounting::{Accounting, ReadingUsage};
use super::error::invalid_agent_output;
use super::ground_truth::{GroundTruthRow, GroundTruthRows};
use super::map::CounterMap;
use super::price::{DevicePrices, Price};
use super::share::{self, CallFrame, CodeOrigin, ExecutedCode, ReadingShare};

/// Additive model with the counts of one process.
pub(super) struct AdditiveModel {
    prices: DevicePrices,
    map: CounterMap,
    counts: Vec<u64>,
    counter_prices: Vec<Price>,
    pattern_prices: Vec<Price>,
}

impl AdditiveModel {
    pub fn new(prices: DevicePrices) -> Self {
        Self {
            prices,
            map: CounterMap::default(),
            counts: Vec::new(),
            counter_prices: Vec::new(),
            pattern_prices: Vec::new(),
        }
    }

    /// Prices the patterns and counters that are new in the map.
    fn price_new(&mut self) -> io::Result<()> {
        let map = &self.map;
        for text in &map.patterns[self.pattern_prices.len()..] {
            let price = self.prices.price(text);
            self.pattern_prices.push(price.ok_or_else(|| {
                invalid_agent_output(format!(
                    "the agent's pattern \"{text}\" has no cost in the cost file"
                ))
            })?);
        }
        for counter in &map.counters[self.counter_prices.len()..] {
            let mut sum = Price::default();
            for item in &counter.items {
                let price = self.pattern_prices[item.pattern];
                sum.energy = sum.energy.saturating_add(price.energy.saturating_mul(item.count));
                sum.bytes = sum.bytes.saturating_add(price.bytes.saturating_mul(item.count));
            }
            self.counter_prices.push(sum);
        }
        self.counts.resize(self.counter_prices.len(), 0);
        Ok(())
    }
}

impl Accounting for AdditiveModel {
    fn add_map_lines(&mut self, text: &str) -> io::Result<()> {
        self.map.feed(text).map_err(|error| invalid_agent_output(error.to_string()))?;
        self.price_new()
    }

    fn counter_count(&self) -> usize {
        self.counter_prices.len()
    }

    fn spend(&mut self, executed: &[(usize, u64)]) -> ReadingUsage {
        let mut used = ReadingUsage::default();
        for &(counter, executions) in executed {
            let price = self.counter_prices[counter];
            self.counts[counter] = self.counts[counter].saturating_add(executions);
            used.energy += u128::from(executions) * u128::from(price.energy);
            used.bytes = used.bytes.saturating_add(executions.saturating_mul(price.bytes));
        }
        used
    }

    fn shares(&self, executed: &[(usize, u64)]) -> Vec<ReadingShare> {
        let mut shares = Vec::new();
        for &(counter, executions) in executed {
            for item in &self.map.counters[counter].items {
                let pattern = item.pattern;
                let code = match share::library_function(&self.map.patterns[pattern]) {
                    Some(_) => ExecutedCode::Library { counter, pattern },
                    None => ExecutedCode::Own { counter },
                };
                let times = u128::from(executions) * u128::from(item.count);
                let each = u128::from(self.pattern_prices[pattern].energy);
                share::add_share(&mut shares, code, times * each);
            }
        }
        shares
    }

    /// Frames of executed code. The additive family has no method states: its methods count as
    /// compiled when they were installed.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame> {
        share::call_frames(code, &self.map, |counter| {
            (self.map.counters[counter].method, CodeOrigin::Ahead)
        })
    }

    fn ground_truth(&self) -> GroundTruthRows<'_> {
        let mut truth = GroundTruthRows::default();
        let counters = self.map.counters.iter().zip(&self.counts);
        for (counter, &count) in counters.filter(|(_, count)| **count > 0) {
            for item in &counter.items {
                let executions = count.saturating_mul(item.count);
                let price = self.pattern_prices[item.pattern];
                truth.add(GroundTruthRow {
                    method: &self.map.methods[counter.method],
                    line: item.line,
                    pattern: &self.map.patterns[item.pattern],
                    executions,
                    energy: u128::from(executions) * u128::from(price.energy),
                });
            }
        }
        truth
    }
}
