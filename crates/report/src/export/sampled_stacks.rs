//! Sampled profile under construction, in speedscope's form: frames, and stacks of frames with
//! weights.

use std::collections::BTreeMap;

use serde_json::Value;

/// Frames, and stacks of frames with their weights in microjoules.
#[derive(Debug, Default)]
pub(super) struct SampledStacks {
    /// The distinct frames.
    pub frames: Vec<Value>,
    known: BTreeMap<String, usize>,
    /// Stacks as indices of frames.
    pub samples: Vec<Vec<usize>>,
    /// Weight of each stack in microjoules.
    pub weights: Vec<u64>,
}

impl SampledStacks {
    /// Index of a frame, which is added if its key is new.
    pub fn frame_index(&mut self, key: String, frame: Value) -> usize {
        *self.known.entry(key).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() - 1
        })
    }

    /// Adds a stack of frame indices.
    pub fn add(&mut self, stack: Vec<usize>, weight: u64) {
        self.samples.push(stack);
        self.weights.push(weight);
    }

    /// Sorts stacks by their frames' indices, so that common prefixes are adjacent, and adds up the
    /// weights of equal ones.
    pub(crate) fn sorted_and_merged(mut self) -> SampledStacks {
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
    fn samples_are_sorted_and_merged() {
        let mut sampled = SampledStacks::default();
        for (stack, weight) in [(vec![0, 1], 5), (vec![2], 4), (vec![0, 3], 3), (vec![0, 1], 2)] {
            sampled.add(stack, weight);
        }
        let SampledStacks { samples, weights, .. } = sampled.sorted_and_merged();
        assert_eq!(samples, [vec![0, 1], vec![0, 3], vec![2]]);
        assert_eq!(weights, [7, 3, 4]);
    }
}
