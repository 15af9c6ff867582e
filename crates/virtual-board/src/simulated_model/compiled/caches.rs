//! Two levels of caches, modelled for each class or type of arrays.
//!
//! Between two questions of the application to the clock, a class is touched `n` times while
//! all together touch `b` bytes. So `b / n` bytes are touched between two touches of the
//! class, and between two of the same line of memory as many times more as the class has
//! lines alive; never more than all that is alive. An access goes beyond a level of `c` bytes
//! with probability `d^2 / (d^2 + c^2)` of that distance `d`: a step, smoothed as distances
//! around their mean would.

use std::collections::BTreeMap;

/// Bytes of a cache line.
const LINE: f64 = 64.0;

/// Allocations and touches of a class or a type of arrays.
#[derive(Debug, Default, Clone, Copy)]
struct CacheRegion {
    /// Bytes that were allocated so far.
    grown: u64,
    /// Touches since the last settlement.
    touches: u64,
}

/// Index of a region: a class or a type of arrays.
pub(super) type RegionId = usize;

/// Cache model with all regions of a process.
#[derive(Debug)]
pub(super) struct Caches {
    levels: [(f64, f64); 2],
    alive_most: f64,
    names: BTreeMap<String, RegionId>,
    regions: Vec<CacheRegion>,
    /// Bytes touched since the last settlement.
    bytes: u64,
}

impl Caches {
    /// Caches of two levels: the bytes of each, and the joules of an access beyond it; `alive_most`
    /// bounds the live bytes of a region.
    pub fn new(levels: [(f64, f64); 2], alive_most: f64) -> Self {
        let (names, regions) = (BTreeMap::new(), Vec::new());
        Self { levels, alive_most, names, regions, bytes: 0 }
    }

    /// Region of a class or type of arrays, by its name.
    pub fn region(&mut self, name: &str) -> RegionId {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        self.regions.push(CacheRegion::default());
        self.names.insert(name.to_owned(), self.regions.len() - 1);
        self.regions.len() - 1
    }

    /// Adds allocated bytes to a region.
    pub fn grow(&mut self, region: RegionId, bytes: u64) {
        let grown = &mut self.regions[region].grown;
        *grown = grown.saturating_add(bytes);
    }

    /// Adds touches of some bytes each to a region.
    pub fn touch(&mut self, region: RegionId, touches: u64, bytes: u64) {
        self.regions[region].touches += touches;
        self.bytes = self.bytes.saturating_add(touches.saturating_mul(bytes));
    }

    /// Joules per touch of each region since the last settlement, beyond the first hit; resets the
    /// touches.
    pub fn settle(&mut self) -> Vec<f64> {
        let alive = |region: &CacheRegion| (region.grown as f64).clamp(LINE, self.alive_most);
        let touched = self.regions.iter().filter(|region| region.touches > 0);
        let all: f64 = touched.map(alive).sum();
        let prices = self.regions.iter().map(|region| {
            let between = self.bytes as f64 / region.touches.max(1) as f64;
            self.beyond((alive(region) / LINE * between).min(all))
        });
        let prices = prices.collect();
        self.regions.iter_mut().for_each(|region| region.touches = 0);
        self.bytes = 0;
        prices
    }

    /// Joules of an access after so many other bytes were touched.
    fn beyond(&self, distance: f64) -> f64 {
        let share = |bytes: f64| distance * distance / (distance * distance + bytes * bytes);
        self.levels.iter().map(|(bytes, joules)| joules * share(*bytes)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caches() -> Caches {
        Caches::new([(1000.0, 1.0), (100_000.0, 10.0)], 1e6)
    }

    #[test]
    fn what_is_small_or_touched_all_the_time_is_near() {
        let mut caches = caches();
        let [small, large] = ["small", "large"].map(|name| caches.region(name));
        caches.grow(large, 640_000);
        caches.touch(small, 10, 8);
        assert!(caches.settle()[small] < 0.01, "64 bytes alive");
        // 10 000 lines, a touch each 8 bytes: 80 000 bytes until the same line again
        caches.touch(large, 1000, 8);
        let price = caches.settle()[large];
        let expected = 6.4e9 / (6.4e9 + 1e6) + 10.0 * 6.4e9 / (6.4e9 + 1e10);
        assert!((price - expected).abs() < 1e-12, "{price}");
    }

    #[test]
    fn a_distance_is_never_more_than_all_that_is_alive() {
        let mut caches = caches();
        let [one, other] = ["one", "other"].map(|name| caches.region(name));
        caches.grow(one, 3200);
        caches.touch(one, 1, 8);
        caches.touch(other, 1_000_000, 8);
        let alive = 3200.0 + 64.0;
        assert_eq!(caches.settle()[one], caches.beyond(alive));
        assert_eq!(caches.region("one"), one);
    }
}
