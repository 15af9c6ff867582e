//! Choice of the blocks with a probe: blocks are the edges of a graph whose vertices are
//! junctions. Those of a spanning tree follow from the rest, as at each junction as many
//! arrive as leave (Knuth and Stevenson, BIT 13 (1973), 313-322). The tree is one of
//! greatest weight, so that blocks that run most often have no probe.

use std::collections::BTreeMap;

use super::junctions::{Junctions, Point};
use super::sums::{CounterSum, DerivedCounter, DerivedSums};

/// Most counters in the sum of one block.
const SUMMANDS_MAX: usize = 100;

/// Block as an edge from the junction where it starts to the one where it ends.
#[derive(Debug, Clone, Copy)]
pub struct Edge<W> {
    /// Index of the block in its file.
    pub block: usize,
    /// Point where it starts.
    pub start: Point,
    /// Point where it ends, at which executions that left it by an exception do not arrive.
    pub end: Point,
    /// Whether an exception may leave it before its end, which a counter of its own counts.
    pub throws: bool,
    /// Value of leaving it without a probe; none if it must have one.
    pub weight: Option<W>,
}

/// Derives the blocks that need no probe, as sums of others.
pub fn derive<W: Ord + Copy>(mut edges: Vec<Edge<W>>, junctions: &mut Junctions) -> DerivedSums {
    for edge in &mut edges {
        (edge.start, edge.end) = (junctions.of(edge.start), junctions.of(edge.end));
    }
    let tree = SpanningForest::of_greatest_weight(&edges, junctions.clone());
    tree.sums(&edges)
}

/// Spanning forest of the blocks that need no probe.
struct SpanningForest {
    /// Tree edges of each junction.
    edges: BTreeMap<Point, Vec<usize>>,
    /// All edges that start or end at each junction.
    all: BTreeMap<Point, Vec<usize>>,
}

impl SpanningForest {
    /// Builds the forest of greatest weight by Kruskal: edges by falling weight, each that closes
    /// no cycle.
    fn of_greatest_weight<W: Ord + Copy>(
        edges: &[Edge<W>],
        mut joined: Junctions,
    ) -> SpanningForest {
        let mut by_weight: Vec<usize> =
            (0..edges.len()).filter(|edge| edges[*edge].weight.is_some()).collect();
        by_weight.sort_by_key(|edge| std::cmp::Reverse(edges[*edge].weight));
        let mut tree = SpanningForest { edges: BTreeMap::new(), all: BTreeMap::new() };
        for number in by_weight {
            let edge = &edges[number];
            if joined.join(edge.start, edge.end) {
                tree.edges.entry(edge.start).or_default().push(number);
                tree.edges.entry(edge.end).or_default().push(number);
            }
        }
        for (number, edge) in edges.iter().enumerate() {
            tree.all.entry(edge.start).or_default().push(number);
            if edge.end != edge.start {
                tree.all.entry(edge.end).or_default().push(number);
            }
        }
        tree
    }

    /// Returns each edge of the forest as a sum of edges outside of it, from the leaves towards a
    /// root whose own balance isn't needed.
    fn sums<W>(&self, edges: &[Edge<W>]) -> DerivedSums {
        let mut derived = DerivedSums::new();
        for (junction, parent) in self.leaves_first(edges) {
            let towards = edges[parent].end == junction;
            let mut sum = CounterSum::new();
            for number in &self.all[&junction] {
                let edge = &edges[*number];
                let arrives = if towards { -1 } else { 1 };
                if edge.end == junction && edge.throws {
                    add(&mut sum, DerivedCounter::Thrown(edge.block), -arrives);
                }
                if *number == parent {
                    continue;
                }
                let ways = i64::from(edge.end == junction) - i64::from(edge.start == junction);
                match derived.get(&edge.block) {
                    Some(parts) => {
                        parts.iter().for_each(|(c, n)| add(&mut sum, *c, n * ways * arrives));
                    }
                    None => add(&mut sum, DerivedCounter::Block(edge.block), ways * arrives),
                }
            }
            // One that is too long to write down gets a probe, and the rest goes by that.
            if sum.len() <= SUMMANDS_MAX {
                derived.insert(edges[parent].block, sum);
            }
        }
        derived
    }

    /// Returns each junction but the roots, with its edge towards the root, children before
    /// parents. The outside is the root of its tree.
    fn leaves_first<W>(&self, edges: &[Edge<W>]) -> Vec<(Point, usize)> {
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for root in self.edges.keys() {
            let mut todo = vec![*root];
            if !seen.insert(*root) {
                continue;
            }
            while let Some(here) = todo.pop() {
                for number in &self.edges[&here] {
                    let edge = &edges[*number];
                    let there = if edge.start == here { edge.end } else { edge.start };
                    if seen.insert(there) {
                        found.push((there, *number));
                        todo.push(there);
                    }
                }
            }
        }
        found.reverse();
        found
    }
}

fn add(sum: &mut CounterSum, counter: DerivedCounter, times: i64) {
    let all = sum.entry(counter).or_default();
    *all += times;
    if *all == 0 {
        sum.remove(&counter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(block: usize, start: Point, end: Point, weight: u32) -> Edge<u32> {
        Edge { block, start, end, throws: false, weight: (weight > 0).then_some(weight) }
    }

    #[test]
    fn the_heaviest_edges_follow_from_the_rest() {
        // Out -a-> 1 -b-> 2, 2 -c-> 1, 2 -d-> out: a loop with its test b and its body c.
        let edges = vec![
            edge(0, 0, 1, 0),
            Edge { throws: true, ..edge(1, 1, 2, 9) },
            edge(2, 2, 1, 8),
            edge(3, 2, 0, 1),
        ];
        let derived = derive(edges, &mut Junctions::new(2));
        let (entry, test, body, after) = (
            DerivedCounter::Block(0),
            DerivedCounter::Thrown(1),
            DerivedCounter::Block(2),
            DerivedCounter::Block(3),
        );
        // test = entry + body; after = test - thrown in the test - body.
        assert_eq!(derived[&1], CounterSum::from([(entry, 1), (body, 1)]));
        assert_eq!(derived[&3], CounterSum::from([(entry, 1), (test, -1)]));
        assert!(!derived.contains_key(&2) && !derived.contains_key(&0) && after != body);
    }
}
