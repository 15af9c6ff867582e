//! A sampled profile in the making: frames, and stacks of them with their weights.

use std::collections::BTreeMap;

use serde_json::Value;

/// A sampled profile in the making.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    /// Each frame once.
    pub frames: Vec<Value>,
    known: BTreeMap<String, usize>,
    /// Stacks of numbers of frames.
    pub samples: Vec<Vec<usize>>,
    /// Microjoules of each stack.
    pub weights: Vec<u64>,
}

impl Sampled {
    /// The number of a frame, which a key of its own tells from others.
    pub fn number(&mut self, key: String, frame: Value) -> usize {
        *self.known.entry(key).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() - 1
        })
    }

    /// A stack of frames.
    pub fn add(&mut self, stack: Vec<usize>, weight: u64) {
        self.samples.push(stack);
        self.weights.push(weight);
    }

    /// The same with stacks that begin alike beside each other, and equal ones as one.
    /// Frames have numbers in the order in which they came first.
    pub(crate) fn depth_first(mut self) -> Sampled {
        let mut sums: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (stack, weight) in self.samples.drain(..).zip(self.weights.drain(..)) {
            *sums.entry(stack).or_default() += weight;
        }
        (self.samples, self.weights) = sums.into_iter().unzip();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame that ended does not come again below the same frames: a reader would draw
    /// it as two boxes.
    #[test]
    fn samples_are_depth_first() {
        let mut sampled = Sampled::default();
        for (stack, weight) in [(vec![0, 1], 5), (vec![2], 4), (vec![0, 3], 3), (vec![0, 1], 2)] {
            sampled.add(stack, weight);
        }
        let Sampled { samples, weights, .. } = sampled.depth_first();
        assert_eq!(samples, [vec![0, 1], vec![0, 3], vec![2]]);
        assert_eq!(weights, [7, 3, 4]);
    }
}
