//! Methods that were sampled: what samples and counts together say of each
//! (`model::areas`), and the leaves' energies made to fit. Within a method its lines share its
//! energy by samples where these name lines; all else shares by the costs.

mod blocks;
mod compiled;
mod count_based_costs;
mod intervals;
mod line_estimates;
mod line_samples;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::calls::CallTree;
use crate::account::cost::{CostIndex, IndexedModel};
use crate::account::entry::{Leaf, MethodKey, Portion};
use crate::account::matching::{MethodSignature, find, signature};
use crate::account::profile::Hits;
use crate::assumptions::ASSUMED;
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::model::areas::{
    AreaEstimate, AreaFit, CostEstimate, Direct, Repeats, RunSpread, SmallArea, Tails, benchmarked,
    estimate, run_spread, session_variances, share_of,
};
use crate::model::{CovarianceScope, Model};
use crate::units::Joules;

use compiled::{CallEdgeSamples, Inlined, Paths};
pub(super) use count_based_costs::CountBasedCosts;
use line_estimates::{LineEstimate, LineEstimates};
use line_samples::{LineSamples, LineSamplesByGroup};

/// The largest relative error with which samples know an area at all: of four samples it is half.
const LEAST_SURE: f64 = 0.5;

/// What a sampler saw of one unremoved case.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledCase {
    /// What a session of it spends above idle, without the runtime's own threads where their
    /// part is known: the mean over power runs and sampled ones.
    pub energy: Joules,
    /// How many sessions that is the mean of.
    pub sessions: usize,
    /// How far, relative, the energy of a session differs from the mean of its case; absent
    /// where no case has two.
    pub session_spread: Option<f64>,
    /// Which methods and lines the samples of all its runs fell into.
    pub hits: Hits,
    /// The same run by run.
    pub runs: Vec<Hits>,
}

impl SampledCase {
    /// A case with its runs; `None` without samples.
    pub fn of(energy: Joules, runs: Vec<Hits>) -> Option<Self> {
        let mut hits = Hits::default();
        runs.iter().for_each(|run| hits.merge(run));
        let case = Self { energy, sessions: 1, session_spread: None, hits, runs };
        (case.samples() > 0).then_some(case)
    }

    /// All its samples.
    fn samples(&self) -> u64 {
        self.hits.inside() + self.hits.outside
    }

    /// The same by methods alone.
    pub(super) fn by_method(&self) -> Self {
        let runs = self.runs.iter().map(Hits::by_method).collect();
        Self { hits: self.hits.by_method(), runs, ..*self }
    }

    /// The same with a part of its energy.
    pub(super) fn scaled(&self, part: f64) -> Self {
        Self { energy: self.energy * part, ..self.clone() }
    }
}

/// A method, or methods that samples don't tell apart (a class's constructors and field
/// initialisers; overloads, where a sampler names no parameters), with what compilers put into
/// it where the sampler shows no inlined frames, and what is known of its energy.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodGroup {
    /// The methods.
    pub methods: Vec<MethodKey>,
    /// Samples that fell into them.
    pub samples: u64,
    /// What samples alone say.
    pub sampled: Joules,
    /// What the costs alone say, before they learnt from the samples.
    pub counted: Joules,
    /// What both together say; areas add up to the energy of all that was sampled in them.
    pub energy: Femtojoules,
    /// Its 95 % interval.
    pub interval: Interval,
    /// How much of it is the samples' word, 0..1.
    pub weight: f64,
    /// How far, relative, its energy in a run differs from the mean over runs; absent where no
    /// case was sampled twice.
    pub run_spread: Option<f64>,
    /// The same because sessions of a case have more or less energy than its mean; absent
    /// without samples, too.
    pub session_spread: Option<f64>,
    /// Variance of its error in J^2.
    variance_j2: f64,
    /// Whether samples know it better than words do. Of one that they don't its energy may be a
    /// sample's, or its part of what was missing: nothing that an execution in other runs costs.
    is_told: bool,
}

/// The areas of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodGroups {
    /// In the order of their classes and names.
    pub areas: Vec<MethodGroup>,
    /// How far, relative, blocks are from what their words say.
    pub block_effect_sd: f64,
    /// Half the width of a 95 % interval of a place, relative, by normal standard deviations:
    /// the place factor where effects are normal, more where they have long tails.
    block_effect_spread: f64,
    /// The same of lines within areas; absent where samples name no lines.
    pub line_block_effect_sd: Option<f64>,
    /// How far, relative, samples of areas differ between runs beyond what counting makes of
    /// them, all areas together; absent where no case was sampled twice.
    pub run_spread: Option<f64>,
    /// How far, relative, the energy of a session differs from the mean of its case.
    pub session_spread: Option<f64>,
    /// How far lines' parts of their areas differ; absent where samples name no lines, too.
    pub line_run_spread: Option<f64>,
    /// Each sampled line's, by area and line.
    pub(super) line_run_spreads: BTreeMap<(usize, u32), f64>,
    /// What samples tell apart.
    spots: Vec<LineEstimate>,
}

impl MethodGroups {
    /// Estimates the areas of all leaves, which are priced by the words, numbers the leaves by
    /// them, and makes their energies add up to them; gives the model with what the words
    /// learnt. `None` where no case was sampled, or no sample is in a method that ran.
    pub(super) fn price<'m>(
        leaves: &mut Vec<Leaf<'_>>,
        cases: &[SampledCase],
        calls: Option<&CallTree>,
        words: CountBasedCosts<'m>,
    ) -> Option<(MethodGroups, Cow<'m, Model>)> {
        let mut grouped = Grouped::of(leaves, SampledNames::of(cases));
        if let Some(calls) = calls.filter(|_| cases.iter().any(|case| case.hits.hides_inlined)) {
            let seen = SampleEstimates::of(&grouped, cases)?;
            let (areas, expected) = grouped.expected(leaves, seen.samples.iter().sum());
            let paths = Paths::of(calls, &areas, &expected);
            let inlined = Inlined::of(&paths, &grouped.met(cases, &seen.samples), &ASSUMED);
            grouped = grouped.divided(leaves, &inlined, &paths);
        }
        let seen = SampleEstimates::of(&grouped, cases)?;
        let counts = grouped.counts(leaves, words.model().costs.len());
        let counted = counted(&counts, &IndexedModel::new(words.model()));
        let of_methods = IndexedModel::new(words.of_methods());
        let level = seen.level(&counted);
        let places: Vec<f64> = grouped.scales(leaves).iter().map(|scale| scale * level).collect();
        let (fit, model) = fitted(&counts, level, &places, &seen, words)?;
        let areas = accounts(&grouped, &seen, &counted, &places, &fit);
        // Costs that learnt are at the samples' level.
        let level = match &model {
            Cow::Borrowed(_) => level,
            Cow::Owned(learnt) => {
                let costs = IndexedModel::new(learnt);
                leaves.iter_mut().for_each(|leaf| leaf.reprice(&costs));
                1.0
            }
        };
        let lined = LineSamplesByGroup::of(leaves, &grouped, cases);
        share_out(leaves, &grouped, &areas, &lined.areas, &of_methods, level);
        let LineEstimates { spots, block_effect_sd } =
            LineEstimates::divide(leaves, &grouped, &areas, &lined.areas, &ASSUMED);
        let areas = MethodGroups {
            areas,
            block_effect_sd: fit.block_effect_sd?,
            block_effect_spread: fit.block_effect_spread()?,
            line_block_effect_sd: block_effect_sd,
            run_spread: seen.run_spread.map(|spread| spread.common),
            session_spread: cases.iter().find_map(|case| case.session_spread),
            line_run_spread: lined.run_spread,
            line_run_spreads: lined.run_spreads(),
            spots,
        };
        Some((areas, model))
    }

    /// Whether samples tell what an execution of the leaf spends.
    pub(super) fn tell(&self, leaf: &Leaf<'_>) -> bool {
        leaf.spot.is_none_or(|spot| self.areas[self.spots[spot].area].is_told)
    }
}

fn root_sum_of_squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// What the place effects of leaves are relative to, in joules, where an execution of any
/// operation spends so much on average: their blocks are off one by one.
fn place_scale<'l>(leaves: impl Iterator<Item = &'l Leaf<'l>>, once_j: f64) -> f64 {
    let mut blocks = BTreeMap::<BlockId, Portion>::new();
    for leaf in leaves {
        *blocks.entry(leaf.block.id).or_default() += Portion::from(leaf);
    }
    root_sum_of_squares(blocks.values().map(|block| block.usual_j(once_j)))
}

/// What the costs say of each area, in joules.
fn counted(counts: &[Vec<f64>], costs: &IndexedModel<'_>) -> Vec<f64> {
    let price = |(cost, n): (usize, &f64)| match *n == 0.0 {
        true => 0.0,
        false => costs.cost(CostIndex(cost)).0 * n,
    };
    counts.iter().map(|counts| counts.iter().enumerate().map(price).sum()).collect()
}

/// What samples can call a method.
struct SampledNames {
    /// Class and method of those that are named without parameters: their overloads are one.
    bare: BTreeSet<(String, String)>,
}

impl SampledNames {
    fn of(cases: &[SampledCase]) -> Self {
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
struct Grouped {
    /// Signatures, with the methods behind them.
    areas: Vec<(MethodSignature, Vec<MethodKey>)>,
    /// The area of each leaf.
    of_leaf: Vec<usize>,
}

impl Grouped {
    fn of(leaves: &[Leaf<'_>], names: SampledNames) -> Self {
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
    fn expected(
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
    fn met(&self, cases: &[SampledCase], samples: &[u64]) -> CallEdgeSamples {
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
    fn divided(self, leaves: &mut Vec<Leaf<'_>>, inlined: &Inlined, paths: &Paths<'_>) -> Self {
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
    fn leaves_of_areas(&self) -> Vec<Vec<usize>> {
        let mut leaves = vec![Vec::new(); self.areas.len()];
        for (leaf, area) in self.of_leaf.iter().enumerate() {
            leaves[*area].push(leaf);
        }
        leaves
    }

    /// How often each cost occurs in each area.
    fn counts(&self, leaves: &[Leaf<'_>], costs: usize) -> Vec<Vec<f64>> {
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
    fn scales(&self, leaves: &[Leaf<'_>]) -> Vec<f64> {
        let once_j = leaves.iter().map(Portion::from).sum::<Portion>().once_j();
        let scale = |own: &Vec<usize>| place_scale(own.iter().map(|leaf| &leaves[*leaf]), once_j);
        self.leaves_of_areas().iter().map(scale).collect()
    }

    /// Samples of each area.
    fn samples(&self, hits: &Hits) -> Vec<u64> {
        let mut samples = vec![0; self.areas.len()];
        for ((class, method), count) in &hits.methods {
            if let Some(area) = self.find(class, method) {
                samples[area] += count;
            }
        }
        samples
    }

    /// How far samples of an area differ between the runs of a case.
    fn run_spread(&self, cases: &[SampledCase]) -> Option<RunSpread> {
        let of_case = |case: &SampledCase| {
            Repeats::of_all(case.runs.iter().map(|run| self.samples(run)).collect())
        };
        run_spread(&cases.iter().map(of_case).collect::<Vec<Repeats>>())
    }

    /// The area of a method of a profile.
    fn find(&self, class: &str, method: &str) -> Option<usize> {
        find(&self.areas, |(own, _)| own, &signature(class, method))
    }
}

/// What samples say of each area.
struct SampleEstimates {
    samples: Vec<u64>,
    direct: Vec<Direct>,
    /// Energy of all samples that fell into areas, in joules.
    inside_j: f64,
    /// Energy of one sample, in joules: finer than that, samples don't see.
    grain_j: f64,
    /// How far, relative, samples of areas differ between runs.
    run_spread: Option<RunSpread>,
    /// How far, relative, areas' energies differ because sessions of a case do.
    session_spreads: Option<Vec<Option<f64>>>,
}

impl SampleEstimates {
    /// `None` where no sample fell into an area.
    fn of(grouped: &Grouped, cases: &[SampledCase]) -> Option<Self> {
        let areas = grouped.areas.len();
        let none = Direct { energy_j: 0.0, variance_j2: 0.0 };
        let mut seen = Self {
            samples: vec![0; areas],
            direct: vec![none; areas],
            inside_j: 0.0,
            grain_j: 0.0,
            run_spread: grouped.run_spread(cases),
            session_spreads: None,
        };
        let by_case = cases.iter().map(|case| seen.add(grouped, case));
        let by_case: Vec<Vec<f64>> = by_case.collect::<Option<_>>()?;
        let spreads: Option<Vec<f64>> = cases.iter().map(|case| case.session_spread).collect();
        seen.session_spreads = spreads.map(|spreads| seen.add_sessions(cases, &by_case, &spreads));
        (seen.inside_j > 0.0).then_some(seen)
    }

    /// Adds that sessions differ, by cases and what areas have of them; gives how far areas'
    /// energies differ, relative, in one session of each case.
    fn add_sessions(
        &mut self,
        cases: &[SampledCase],
        by_case: &[Vec<f64>],
        spreads: &[f64],
    ) -> Vec<Option<f64>> {
        let error = |(case, spread): (&SampledCase, &f64)| spread / (case.sessions as f64).sqrt();
        let errors: Vec<f64> = cases.iter().zip(spreads).map(error).collect();
        let of_one = session_variances(by_case, spreads);
        for (direct, variance_j2) in self.direct.iter_mut().zip(session_variances(by_case, &errors))
        {
            direct.variance_j2 += variance_j2;
        }
        let relative = |(direct, variance_j2): (&Direct, f64)| {
            (direct.energy_j > 0.0).then(|| variance_j2.sqrt() / direct.energy_j)
        };
        self.direct.iter().zip(of_one).map(relative).collect()
    }

    /// Adds a case and gives what each area has of it, in joules; `None` where it has no samples
    /// or no energy.
    fn add(&mut self, grouped: &Grouped, case: &SampledCase) -> Option<Vec<f64>> {
        let all = case.samples();
        let mut of_areas = Vec::with_capacity(self.direct.len());
        let runs = case.runs.len().max(1) as f64;
        for (area, hits) in grouped.samples(&case.hits).into_iter().enumerate() {
            let direct = share_of(hits, all, case.energy.0, ASSUMED.sampled_power_spread)?;
            let between_runs = self.spread_of(area).unwrap_or(0.0) * direct.energy_j;
            self.samples[area] += hits;
            self.direct[area].energy_j += direct.energy_j;
            self.direct[area].variance_j2 += direct.variance_j2 + between_runs.powi(2) / runs;
            self.inside_j += direct.energy_j;
            of_areas.push(direct.energy_j);
        }
        self.grain_j = self.grain_j.max(case.energy.0 / all as f64);
        Some(of_areas)
    }

    /// What samples say of a joule of the costs.
    fn level(&self, counted: &[f64]) -> f64 {
        let sum: f64 = counted.iter().sum();
        if sum > 0.0 { self.inside_j / sum } else { 1.0 }
    }

    fn spread_of(&self, area: usize) -> Option<f64> {
        self.run_spread.as_ref().map(|spread| spread.areas[area])
    }
}

/// The estimator's answer. `places` are what the areas' place effects are relative to, in joules,
/// and `level` what samples say of a joule of the costs. The costs' own level is left to the
/// samples: it is their ratios that counts know something about.
fn fitted<'m>(
    counts: &[Vec<f64>],
    level: f64,
    places: &[f64],
    seen: &SampleEstimates,
    words: CountBasedCosts<'m>,
) -> Option<(AreaFit, Cow<'m, Model>)> {
    let area = |(a, counts): (usize, &Vec<f64>)| SmallArea {
        counts: counts.clone(),
        scale: places[a].max(seen.grain_j),
        direct: Some(seen.direct[a]),
    };
    let areas: Vec<SmallArea> = counts.iter().enumerate().map(area).collect();
    let l = words.model().costs.len();
    let occurs: Vec<bool> = (0..l).map(|j| counts.iter().any(|of| of[j] != 0.0)).collect();
    // What is put in is finite and of one length, so that only a decomposition that does not
    // converge is left to fail.
    words.learn(level, &occurs, &ASSUMED, |belief| estimate(&areas, belief, Tails::Estimated).ok())
}

/// The model's costs with their covariance; without one, each by its own error, or known
/// to its own size where it has none. Each has `further` times its square as variance, more.
fn belief(model: &Model, level: f64, further: f64) -> CostEstimate {
    let l = model.costs.len();
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let mean: Vec<f64> = model.costs.iter().map(|cost| finite(cost.cost_j) * level).collect();
    let own = |j: usize| {
        let se = model.costs[j].se_j.filter(|se| se.is_finite());
        se.map_or(mean[j], |se| se * level).powi(2)
    };
    let all = model.covariance_scope == CovarianceScope::All;
    let whole = model.covariance.as_ref().filter(|s| all && s.iter().all(|v| v.is_finite()));
    let mut covariance: Vec<f64> = match whole {
        Some(covariance) => covariance.iter().map(|entry| entry * level * level).collect(),
        None => (0..l * l).map(|k| if k / l == k % l { own(k / l) } else { 0.0 }).collect(),
    };
    (0..l).for_each(|j| covariance[j * l + j] += further * mean[j].powi(2));
    CostEstimate::Normal { mean, covariance }
}

/// What is known of each area; `places` as for [`fitted`].
fn accounts(
    grouped: &Grouped,
    seen: &SampleEstimates,
    counted: &[f64],
    places: &[f64],
    fit: &AreaFit,
) -> Vec<MethodGroup> {
    // Relative to what samples say where that is more: then it is words that are far off.
    let is_told = |a: usize| {
        let block_effect_sd = fit.block_effect_sd.unwrap_or(0.0);
        let of_samples = block_effect_sd.min(LEAST_SURE) * seen.direct[a].energy_j;
        f64::max(block_effect_sd * places[a], of_samples).powi(2) >= seen.direct[a].variance_j2
    };
    let energies: Vec<f64> = fit.estimates.iter().map(|e| e.energy_j).collect();
    let errors: Vec<f64> = fit.estimates.iter().map(|e| e.mse_j2).collect();
    let energies = whole(&benchmarked(&energies, &errors, seen.inside_j));
    let account = |(a, (_, methods)): (usize, &(MethodSignature, Vec<MethodKey>))| {
        let (energy, estimate) = (energies[a], &fit.estimates[a]);
        MethodGroup {
            methods: methods.clone(),
            samples: seen.samples[a],
            sampled: Joules(seen.direct[a].energy_j),
            counted: Joules(counted[a]),
            energy,
            interval: around(energy.joules().0, estimate),
            weight: estimate.weight,
            run_spread: seen.spread_of(a),
            session_spread: seen.session_spreads.as_ref().and_then(|spreads| spreads[a]),
            variance_j2: estimate.mse_j2,
            is_told: is_told(a),
        }
    };
    grouped.areas.iter().enumerate().map(account).collect()
}

/// The estimate's interval, moved with it when areas were made to add up.
fn around(energy_j: f64, estimate: &AreaEstimate) -> Interval {
    let moved = energy_j - estimate.energy_j;
    let lo = (estimate.lo_j + moved).clamp(0.0, energy_j.max(0.0));
    Interval { lo: Joules(lo), hi: Joules((estimate.hi_j + moved).max(energy_j)) }
}

/// Whole femtojoules that add up to the whole of the sum: each is the step between
/// neighbouring sums, rounded.
fn whole(energies_j: &[f64]) -> Vec<Femtojoules> {
    let mut sum = 0.0;
    let mut before = Femtojoules::ZERO;
    let step = |energy: &f64| {
        sum += energy;
        let now = Femtojoules::from_joules(Joules(sum));
        let step = now - before;
        before = now;
        step
    };
    energies_j.iter().map(step).collect()
}

/// Gives each leaf its part of its area's energy. An area with several methods (compiled into
/// it, or not told apart) is divided among them by the costs that fit the cases, for methods are
/// what totals of cases are made of; a method among its [`blocks`], and these by their leaves'
/// own energies. Where samples name lines they say what places are off by: there its leaves
/// share a method's energy by their own. All leaves' energies are off by `level`.
fn share_out(
    leaves: &mut [Leaf<'_>],
    grouped: &Grouped,
    areas: &[MethodGroup],
    lined: &[LineSamples],
    of_methods: &IndexedModel<'_>,
    level: f64,
) {
    for ((account, lined), own) in areas.iter().zip(lined).zip(grouped.leaves_of_areas()) {
        let methods = by_method(leaves, own);
        let said = shares_of_methods(leaves, &methods, of_methods);
        for (own, energy) in methods.iter().zip(parts(account.energy, &said)) {
            match lined.is_empty() {
                true => blocks::divide(leaves, own, energy, level),
                false => move_to(leaves, own, energy),
            }
        }
    }
}

/// Leaves share an energy by their own.
fn move_to(leaves: &mut [Leaf<'_>], own: &[usize], energy: Femtojoules) {
    let parts = parts(energy, &weights(leaves, own));
    own.iter().zip(parts).for_each(|(leaf, energy)| leaves[*leaf].move_to(energy));
}

/// By what methods share an area's energy: what they spend by these costs, or as their leaves
/// do where that is nothing.
fn shares_of_methods(
    leaves: &[Leaf<'_>],
    methods: &[Vec<usize>],
    costs: &IndexedModel<'_>,
) -> Vec<f64> {
    let by = |of_leaf: &dyn Fn(&Leaf<'_>) -> f64| -> Vec<f64> {
        let sum = |own: &Vec<usize>| own.iter().map(|leaf| of_leaf(&leaves[*leaf])).sum();
        methods.iter().map(sum).collect()
    };
    let by_costs = |leaf: &Leaf<'_>| {
        leaf.cost.map_or(0.0, |cost| (costs.cost(cost).0 * leaf.weighted).max(0.0))
    };
    let own = |leaf: &Leaf<'_>| leaf.energy.joules().0.max(0.0);
    let is_some = |shares: &Vec<f64>| shares.iter().sum::<f64>() > 0.0;
    let said = [by(&by_costs), by(&own)].into_iter().find(is_some);
    said.unwrap_or_else(|| by(&|leaf| leaf.executions as f64))
}

/// Leaves of an area by their methods.
fn by_method(leaves: &[Leaf<'_>], own: Vec<usize>) -> Vec<Vec<usize>> {
    let mut methods: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for leaf in own {
        let block = leaves[leaf].block;
        methods.entry((&block.class, &block.method)).or_default().push(leaf);
    }
    methods.into_values().collect()
}

/// By what leaves share an energy: their own, or executions where they have none.
fn weights(leaves: &[Leaf<'_>], of: &[usize]) -> Vec<f64> {
    let by_costs: Vec<f64> =
        of.iter().map(|leaf| leaves[*leaf].energy.joules().0.max(0.0)).collect();
    let by_runs = || of.iter().map(|leaf| leaves[*leaf].executions as f64).collect();
    if by_costs.iter().sum::<f64>() > 0.0 { by_costs } else { by_runs() }
}

/// Parts of an energy by weights, which add up to it exactly.
fn parts(energy: Femtojoules, weights: &[f64]) -> Vec<Femtojoules> {
    let all: f64 = weights.iter().sum();
    let (mut sum, mut before) = (0.0, Femtojoules::ZERO);
    let last = weights.len().saturating_sub(1);
    let part = |(at, weight): (usize, &f64)| {
        sum += weight;
        let share = if at == last || all <= 0.0 { 1.0 } else { sum / all };
        let now = match share == 1.0 {
            true => energy,
            false => Femtojoules((energy.0 as f64 * share).round() as i128),
        };
        let step = now - before;
        before = now;
        step
    };
    weights.iter().enumerate().map(part).collect()
}

impl Leaf<'_> {
    /// Prices its counts by other costs.
    fn reprice(&mut self, costs: &IndexedModel<'_>) {
        let Some(cost) = self.cost else { return };
        let (before, now) = (self.energy.joules().0, costs.cost(cost).0 * self.weighted);
        self.context_error_j *= if before > 0.0 { now / before } else { 1.0 };
        self.energy = Femtojoules::from_joules(Joules(now));
    }

    /// Gives the leaf another energy; its counts follow, so that they stay what the energy is
    /// made of.
    fn move_to(&mut self, energy: Femtojoules) {
        let before = self.energy.joules().0;
        let factor = if before > 0.0 { energy.joules().0 / before } else { 1.0 };
        self.weighted *= factor;
        self.context_error_j *= factor;
        self.energy = energy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Accounts, account, sample};

    fn hits(of: &[(&str, &str, u64)], outside: u64) -> Hits {
        let key = |&(class, method, n): &(&str, &str, u64)| ((class.into(), method.into()), n);
        Hits { methods: of.iter().map(key).collect(), outside, ..Hits::default() }
    }

    fn with(cases: &[SampledCase]) -> (Accounts, Accounts) {
        let sample = sample::awkward();
        let plain = sample.scenario();
        let sampled = crate::account::AccountInput { samples: cases, ..plain };
        (account(&plain), account(&sampled))
    }

    /// Samples by method in proportion to `energy`, `n` of them.
    fn case_of(accounts: &Accounts, n: f64, energy: impl Fn(usize) -> f64) -> SampledCase {
        let all: f64 = (0..accounts.methods.len()).map(&energy).sum();
        let entries = accounts.methods.iter().enumerate();
        let rows: Vec<(&str, &str, u64)> = entries
            .map(|(i, entry)| {
                let count = (n * energy(i) / all).round() as u64;
                (entry.key.class.as_str(), entry.key.method.as_str(), count)
            })
            .collect();
        let energy = Joules(accounts.ledger.above_idle().joules().0);
        SampledCase::of(energy, vec![hits(&rows, 0)]).unwrap()
    }

    /// What is left for the methods: collections have a row of their own.
    fn beside_collections(accounts: &Accounts) -> f64 {
        let gc = accounts.ledger.energy(crate::account::LedgerEntry::Gc);
        assert!(gc > Femtojoules::ZERO);
        (accounts.ledger.above_idle() - gc).joules().0
    }

    #[test]
    fn without_samples_accounts_are_what_they_were() {
        let (plain, sampled) = with(&[]);
        assert_eq!(plain, sampled);
        let elsewhere = SampledCase::of(Joules(1.0), vec![hits(&[], 50)]).unwrap();
        assert_eq!(with(&[elsewhere]).1, plain, "no sample is in a method");
    }

    /// Ten million samples: methods are what the samples say, to the last digit of the sum.
    #[test]
    fn many_samples_make_methods_what_they_say() {
        let (plain, _) = with(&[]);
        let said = |i: usize| 1.0 + (i as f64 * 1.7) % 3.0;
        let (_, sampled) = with(&[case_of(&plain, 1e7, said)]);
        let all: f64 = (0..plain.methods.len()).map(said).sum();
        let inside = sampled.explained().joules().0;
        let whole = beside_collections(&sampled);
        assert!((inside / whole - 1.0).abs() < 1e-5, "all samples are inside: {inside} {whole}");
        for entry in &sampled.methods {
            let place = plain.methods.iter().position(|other| other.key == entry.key).unwrap();
            let expected = said(place) / all * inside;
            // Power may differ by 5 %, so even so many samples leave that much to the words.
            assert!((entry.joules().0 / expected - 1.0).abs() < 0.06, "{entry:?} {expected}");
            let interval = entry.interval.unwrap();
            assert!(interval.contains(entry.joules()) && interval.hi.0 < 1.5 * expected);
        }
    }

    /// The same samples in all, of two runs that are alike and of two that are not.
    #[test]
    fn runs_that_differ_widen_intervals() {
        let (plain, _) = with(&[]);
        let runs = |differ: f64| {
            let run = |sign: f64| {
                let tilted = move |i: usize| if i == 0 { 1.0 + sign * differ } else { 1.0 };
                case_of(&plain, 20_000.0, tilted).hits
            };
            let (_, sampled) = with(&[SampledCase::of(
                plain.ledger.above_idle().joules(),
                vec![run(1.0), run(-1.0)],
            )
            .unwrap()]);
            let widths = sampled.methods.iter().map(|entry| {
                let Interval { lo, hi } = entry.interval.unwrap();
                hi.0 - lo.0
            });
            let width = widths.sum::<f64>();
            let areas = sampled.areas.unwrap();
            assert!(areas.areas.iter().all(|area| area.run_spread.is_some()));
            (areas.run_spread.unwrap(), width)
        };
        let ((alike, narrow), (differing, wide)) = (runs(0.0), runs(0.4));
        assert_eq!(alike, 0.0);
        assert!(differing > 0.1 && wide > 1.5 * narrow, "{differing} {wide} {narrow}");
        let areas = with(&[case_of(&plain, 20_000.0, |_| 1.0)]).1.areas.unwrap();
        assert!(areas.run_spread.is_none() && areas.areas.iter().all(|a| a.run_spread.is_none()));
    }

    /// Two cases of the same energy, of which one has all of a method: in one session of each
    /// it is off by a root of two less than the case.
    #[test]
    fn sessions_that_differ_widen_what_a_case_has_alone() {
        let (plain, sampled) = with(&[case_of(&with(&[]).0, 100.0, |_| 1.0)]);
        let areas = sampled.areas.unwrap().areas;
        let area = areas.iter().position(|area| area.methods.len() == 1).unwrap();
        let key = &areas[area].methods[0];
        let place = plain.methods.iter().position(|entry| entry.key == *key).unwrap();
        let accounts = |session_spread| {
            let alone = case_of(&plain, 20_000.0, |i| if i == place { 3.0 } else { 1.0 });
            let shared = case_of(&plain, 20_000.0, |i| if i == place { 0.0 } else { 1.0 });
            let of = |case| SampledCase { sessions: 4, session_spread, ..case };
            with(&[of(alone), of(shared)]).1
        };
        let width = |accounts: &Accounts| {
            let Interval { lo, hi } = accounts.areas.as_ref().unwrap().areas[area].interval;
            hi.0 - lo.0
        };
        let (alike, differing) = (accounts(None), accounts(Some(0.4)));
        let wider = width(&differing) / width(&alike);
        assert!(wider > 1.5, "{wider}");
        let spread = |accounts: Accounts| accounts.areas.unwrap().areas[area].session_spread;
        let found = spread(differing).unwrap();
        assert!((found / (0.4 / 2f64.sqrt()) - 1.0).abs() < 0.01, "{found}");
        assert_eq!(spread(alike), None);
    }

    #[test]
    fn every_level_adds_up_to_the_last_digit() {
        let (plain, _) = with(&[]);
        for n in [10.0, 333.0, 1e5] {
            let (_, sampled) = with(&[case_of(&plain, n, |i| (i + 1) as f64)]);
            assert!(sampled.ledger.adds_up());
            let explained = sampled.explained();
            let sums = [
                sampled.methods.iter().map(|e| e.energy).sum::<Femtojoules>(),
                sampled.lines.iter().map(|e| e.energy).sum(),
                sampled.operations.iter().map(|e| e.entry.energy).sum(),
                sampled.blocks.iter().map(|e| e.entry.energy).sum(),
                sampled.classes.iter().map(|e| e.energy).sum(),
            ];
            assert_eq!(sums, [explained; 5], "{n} samples");
        }
    }

    /// Blocks are off one by one: of two methods that spend the same, that of sixteen blocks is
    /// off by a quarter of what that of one is.
    #[test]
    fn a_method_of_many_blocks_is_off_by_less() {
        let addition = "Addition_int_int";
        let of = |id, method: &str, n| {
            sample::block(id, ("d.A", method), ("", "entry"), (1, 1), &[(addition, 1, n)])
        };
        let many = (1..17).map(|id| of(id, "many()", 1));
        let blocks = [of(0, "one()", 16)].into_iter().chain(many).collect();
        let dictionary = crate::operations::Dictionary { blocks };
        let executions = (0..17).map(|id| (BlockId(id), 100)).collect();
        let model = sample::model(&[(addition, 1e-9)]);
        let leaves =
            crate::account::entry::leaves(&dictionary, &executions, &IndexedModel::new(&model));
        let grouped = Grouped::of(&leaves, SampledNames::of(&[]));
        let scales = grouped.scales(&leaves);
        let of = |method: &str| {
            let is_it = |(_, methods): &(_, Vec<MethodKey>)| methods[0].method == method;
            scales[grouped.areas.iter().position(is_it).unwrap()]
        };
        assert!((of("one()") / 1.6e-6 - 1.0).abs() < 1e-9, "{scales:?}");
        assert!((of("many()") / 0.4e-6 - 1.0).abs() < 1e-9, "{scales:?}");
    }

    #[test]
    fn samples_elsewhere_are_not_the_applications() {
        let (plain, _) = with(&[]);
        let mut case = case_of(&plain, 1000.0, |_| 1.0);
        case.hits.outside = case.hits.inside();
        let (_, sampled) = with(&[case]);
        let half = sampled.explained().joules().0 / beside_collections(&sampled);
        assert!((half - 0.5).abs() < 1e-9, "{half}");
    }

    #[test]
    fn parts_are_exact() {
        let energy = Femtojoules(1_000_003);
        for weights in [vec![1.0, 1.0, 1.0], vec![0.0, 0.0], vec![1e-30, 1e30, 3.0]] {
            assert_eq!(parts(energy, &weights).into_iter().sum::<Femtojoules>(), energy);
        }
    }
}
