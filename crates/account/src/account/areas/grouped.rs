//! Leaves of the accounts by what samples call the code that they are in.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::{Leaf, MethodKey, Portion};
use crate::account::matching::{MethodSignature, find, signature};
use crate::account::profile::Hits;
use crate::blocks::BlockId;
use crate::model::areas::{Repeats, RunSpread, run_spread};

use super::compiled::{CallEdgeSamples, Inlined, Paths};
use super::place_scale::place_scale;
use super::sampled_case::SampledCase;

/// What samples can call a method.
pub(super) struct SampledNames {
    /// Class and method of those that are named without parameters: their overloads are one.
    bare: BTreeSet<(String, String)>,
}

impl SampledNames {
    pub fn of(cases: &[SampledCase]) -> Self {
        let names = cases.iter().flat_map(|case| case.hits.methods.keys());
        let bare = names.filter(|(_, method)| !method.contains('('));
        let name = |(class, method): &(String, String)| {
            let signature = signature(class, method);
            (signature.class, signature.name)
        };
        Self { bare: bare.map(name).collect() }
    }

    fn signature(&self, method: &MethodKey) -> MethodSignature {
        let mut signature = signature(&method.class, &method.method);
        if self.bare.contains(&(signature.class.clone(), signature.name.clone())) {
            signature.parameters = None;
        }
        signature
    }
}

/// Leaves by what samples call the code that they are in.
pub(super) struct Grouped {
    /// Signatures, with the methods behind them.
    pub areas: Vec<(MethodSignature, Vec<MethodKey>)>,
    /// The area of each leaf.
    pub of_leaf: Vec<usize>,
}

impl Grouped {
    pub fn of(leaves: &[Leaf<'_>], names: SampledNames) -> Self {
        let of_leaf: Vec<MethodKey> = leaves.iter().map(|leaf| MethodKey::of(leaf.block)).collect();
        let methods: BTreeSet<&MethodKey> = of_leaf.iter().collect();
        let signatures: BTreeMap<&MethodKey, MethodSignature> =
            methods.into_iter().map(|method| (method, names.signature(method))).collect();
        let mut by: BTreeMap<&MethodSignature, Vec<MethodKey>> = BTreeMap::new();
        for (method, signature) in &signatures {
            by.entry(signature).or_default().push((*method).clone());
        }
        let places: BTreeMap<&MethodSignature, usize> = by.keys().copied().zip(0..).collect();
        let places = of_leaf.iter().map(|method| places[&signatures[method]]).collect();
        let areas = by.into_iter().map(|(signature, methods)| (signature.clone(), methods));
        let areas = areas.collect();
        Self { areas, of_leaf: places }
    }

    /// The area of each block, and how many of so many samples the costs let one expect of it.
    pub fn expected(
        &self,
        leaves: &[Leaf<'_>],
        samples: u64,
    ) -> (BTreeMap<BlockId, usize>, BTreeMap<BlockId, f64>) {
        let (mut areas, mut expected): (_, BTreeMap<BlockId, f64>) = Default::default();
        let joules = |leaf: &Leaf<'_>| leaf.energy.joules().0.max(0.0);
        let energy: f64 = leaves.iter().map(joules).sum();
        let of_a_joule = if energy > 0.0 { samples as f64 / energy } else { 0.0 };
        for (leaf, area) in leaves.iter().zip(&self.of_leaf) {
            BTreeMap::insert(&mut areas, leaf.block.id, *area);
            *expected.entry(leaf.block.id).or_default() += joules(leaf) * of_a_joule;
        }
        (areas, expected)
    }

    /// Samples by area and by who called.
    pub fn met(&self, cases: &[SampledCase], samples: &[u64]) -> CallEdgeSamples {
        let alone = samples.iter().map(|samples| *samples as f64).collect();
        let mut met = CallEdgeSamples { called: BTreeMap::new(), alone };
        for ((caller, callee), count) in cases.iter().flat_map(|case| &case.hits.calls) {
            let place = |(class, method): &(String, String)| self.find(class, method);
            if let (Some(caller), Some(callee)) = (place(caller), place(callee)) {
                *met.called.entry((caller, callee)).or_default() += *count as f64;
                met.alone[callee] -= *count as f64;
            }
        }
        met
    }

    /// The same with what was inlined where it was inlined; its leaves are divided.
    pub fn divided(self, leaves: &mut Vec<Leaf<'_>>, inlined: &Inlined, paths: &Paths<'_>) -> Self {
        let (divided, of_leaf) = inlined.divide(std::mem::take(leaves), &self.of_leaf, paths);
        *leaves = divided;
        let used: BTreeSet<usize> = of_leaf.iter().copied().collect();
        let places: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
        let of_leaf = of_leaf.iter().map(|area| places[area]).collect();
        let areas = self.areas.into_iter().enumerate().filter(|(area, _)| used.contains(area));
        let areas = areas.map(|(_, area)| area).collect();
        Self { areas, of_leaf }
    }

    /// Places of each area's leaves.
    pub(crate) fn leaves_of_areas(&self) -> Vec<Vec<usize>> {
        let mut leaves = vec![Vec::new(); self.areas.len()];
        for (leaf, area) in self.of_leaf.iter().enumerate() {
            leaves[*area].push(leaf);
        }
        leaves
    }

    /// How often each cost occurs in each area.
    pub fn counts(&self, leaves: &[Leaf<'_>], costs: usize) -> Vec<Vec<f64>> {
        let mut counts = vec![vec![0.0; costs]; self.areas.len()];
        for (leaf, area) in leaves.iter().zip(&self.of_leaf) {
            if let Some(cost) = leaf.cost {
                counts[*area][cost.0] += leaf.weighted;
            }
        }
        counts
    }

    /// What the place effect of each area is relative to, in joules: its blocks are off one by
    /// one, so that an area of many is off by less than one of them.
    pub fn scales(&self, leaves: &[Leaf<'_>]) -> Vec<f64> {
        let once_j = leaves.iter().map(Portion::from).sum::<Portion>().once_j();
        let scale = |own: &Vec<usize>| place_scale(own.iter().map(|leaf| &leaves[*leaf]), once_j);
        self.leaves_of_areas().iter().map(scale).collect()
    }

    /// Samples of each area.
    pub fn samples(&self, hits: &Hits) -> Vec<u64> {
        let mut samples = vec![0; self.areas.len()];
        for ((class, method), count) in &hits.methods {
            if let Some(area) = self.find(class, method) {
                samples[area] += count;
            }
        }
        samples
    }

    /// How far samples of an area differ between the runs of a case.
    pub fn run_spread(&self, cases: &[SampledCase]) -> Option<RunSpread> {
        let of_case = |case: &SampledCase| {
            Repeats::of_all(case.runs.iter().map(|run| self.samples(run)).collect())
        };
        run_spread(&cases.iter().map(of_case).collect::<Vec<Repeats>>())
    }

    /// The area of a method of a profile.
    pub fn find(&self, class: &str, method: &str) -> Option<usize> {
        find(&self.areas, |(own, _)| own, &signature(class, method))
    }
}
