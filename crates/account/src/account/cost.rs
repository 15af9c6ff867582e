//! Energy and variance of counts by a model. The energy of counts `c` is `c'm`, its variance
//! `c'Sc` with the model's covariance `S`; so a sum may have a small error although its parts
//! have large ones.

use std::collections::BTreeMap;

use crate::assumptions::{ASSUMED, Assumptions};
use crate::interval::Interval;
use crate::model::{ColumnIndex as Columns, ContextPrice, LIBRARY_OTHER, Model};
use crate::operations::{OperationCount, unmeasured_cost_ratio};
use crate::units::Joules;

pub use crate::model::table::GARBAGE_COLLECTION;

/// Index of a cost in [`Model::costs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CostIndex(pub usize);

/// How often each cost occurs, by cost index. Counts may be negative in a predicted saving.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CountVector(pub BTreeMap<CostIndex, f64>);

impl CountVector {
    /// Adds `count` occurrences of a cost.
    pub fn add(&mut self, cost: CostIndex, count: f64) {
        *self.0.entry(cost).or_default() += count;
    }
}

/// A model whose costs and context prices are indexed by operation name.
#[derive(Debug, Clone)]
pub struct IndexedModel<'m> {
    model: &'m Model,
    columns: Columns<'m>,
    contexts: BTreeMap<(&'m str, &'m str), &'m ContextPrice>,
    /// Standard deviation of the relative costs of an operation's contexts.
    spread: BTreeMap<&'m str, f64>,
    assumed: Assumptions,
}

impl<'m> IndexedModel<'m> {
    /// Indexes the model's costs.
    pub fn new(model: &'m Model) -> IndexedModel<'m> {
        let contexts = model
            .contexts
            .iter()
            .map(|price| ((price.operation.as_str(), price.context.as_str()), price))
            .collect();
        let spread = context_spreads(&model.contexts);
        IndexedModel { model, columns: model.index(), contexts, spread, assumed: ASSUMED }
    }

    /// Assumptions about errors of lines that the model was fitted with.
    pub fn assumed(&self) -> &Assumptions {
        &self.assumed
    }

    /// Index of the cost of an operation: its own; that of `lib:other` for a library function
    /// without one; `None` for an operation without a cost in the model. GC is no library call,
    /// and a cost that is not a finite number counts as none.
    pub fn of(&self, operation: &str) -> Option<CostIndex> {
        let column = self.columns.of(operation)?;
        let cost = &self.model.costs[column];
        let lumped = cost.operation == LIBRARY_OTHER && operation == GARBAGE_COLLECTION;
        (cost.cost_j.is_finite() && !lumped).then_some(CostIndex(column))
    }

    /// Cost of the operation in its context relative to the operation's mean cost; none where a
    /// compiler removes it.
    pub fn context_factor(&self, found: &OperationCount) -> f64 {
        let unpriced = || unmeasured_cost_ratio(found.operation.name(), &found.context);
        self.context(found).map_or_else(unpriced, |price| price.relative)
    }

    /// Standard error of [`IndexedModel::context_factor`]: the microbenchmarks'; without a
    /// microbenchmark of this context, the spread of the operation's other contexts.
    pub fn context_factor_se(&self, found: &OperationCount) -> f64 {
        match self.context(found) {
            Some(price) => price.relative_se.unwrap_or(0.0),
            None if found.is_compiled_away() => 0.0,
            None => self.spread.get(found.operation.name()).copied().unwrap_or(0.0),
        }
    }

    fn context(&self, found: &OperationCount) -> Option<&'m ContextPrice> {
        self.contexts.get(&(found.operation.name(), found.context.as_str())).copied()
    }

    /// Name of a cost in the model.
    pub fn name(&self, cost: CostIndex) -> &'m str {
        &self.model.costs[cost.0].operation
    }

    /// Energy of one execution.
    pub fn cost(&self, cost: CostIndex) -> Joules {
        Joules(self.model.costs[cost.0].cost_j)
    }

    /// Cost of one execution with its interval and estimability.
    pub fn fitted(&self, cost: CostIndex) -> &'m crate::model::Cost {
        &self.model.costs[cost.0]
    }

    /// Energy of counts: `c'm`.
    pub fn energy(&self, counts: &CountVector) -> Joules {
        counts.0.iter().map(|(&cost, &count)| self.cost(cost) * count).sum()
    }

    /// Variance of the energy of counts in J^2: `c'Sc`. Without a covariance, a single cost's
    /// standard error gives one; `None` where there is neither.
    pub fn variance(&self, counts: &CountVector) -> Option<f64> {
        let counts: Vec<(usize, f64)> =
            counts.0.iter().filter(|(_, n)| **n != 0.0).map(|(cost, n)| (cost.0, *n)).collect();
        let se = match counts.as_slice() {
            [] => Some(0.0),
            [(only, n)] if self.model.covariance.is_none() => {
                self.model.costs[*only].se_j.map(|se| se * n)
            }
            _ => self.model.predict(&counts).se_j,
        };
        se.map(|se| se * se).filter(|variance| variance.is_finite())
    }

    /// Whether the cases alone determine the energy of `counts`.
    pub(crate) fn are_determined(&self, counts: &CountVector) -> bool {
        let counts: Vec<(usize, f64)> = counts.0.iter().map(|(cost, n)| (cost.0, *n)).collect();
        self.model.is_estimable(&counts)
    }

    /// The 95 % interval of the energy of `counts`; `None` where the model has no errors. A
    /// single cost's own interval (which need not be symmetric) takes precedence over the
    /// covariance.
    pub fn interval(&self, counts: &CountVector) -> Option<Interval> {
        self.single_interval(counts).or_else(|| {
            self.variance(counts).map(|variance| Interval::around(self.energy(counts), variance))
        })
    }

    /// The fitted interval of counts of one cost only.
    fn single_interval(&self, counts: &CountVector) -> Option<Interval> {
        let mut occurring = counts.0.iter().filter(|(_, count)| **count != 0.0);
        let (&cost, &count) = occurring.next()?;
        if occurring.next().is_some() || count < 0.0 {
            return None;
        }
        let fitted = self.fitted(cost);
        let (lo, hi) = (fitted.lo_j?, fitted.hi_j?);
        let ordered = lo.is_finite() && hi.is_finite() && lo <= hi;
        ordered.then_some(Interval { lo: Joules(lo * count), hi: Joules(hi * count) })
    }
}

/// For each operation, the SD of its contexts' relative costs.
fn context_spreads(prices: &[ContextPrice]) -> BTreeMap<&str, f64> {
    let mut relative: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for price in prices {
        relative.entry(&price.operation).or_default().push(price.relative);
    }
    let sd = |values: Vec<f64>| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt()
    };
    relative.into_iter().map(|(operation, values)| (operation, sd(values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::sample;

    #[test]
    fn library_functions_without_a_cost_take_that_of_the_rest() {
        let model = sample::model(&[("Increment", 1e-9), ("lib:other", 5e-9)]);
        let costs = IndexedModel::new(&model);
        assert_eq!(costs.of("lib:java.util.List.size").map(|c| costs.name(c)), Some("lib:other"));
        assert_eq!(costs.of("Negation_int"), None);
        assert_eq!(costs.of("lib:GC"), None, "a collection is not an ordinary library call");
    }

    #[test]
    fn a_part_is_at_most_the_whole() {
        let part = Interval::of_difference(Joules(3.0), 4.0);
        assert!(part.hi > Joules(5.0) && part.at_most(Joules(9.0)) == part);
        assert_eq!(part.at_most(Joules(5.0)), Interval { hi: Joules(5.0), ..part });
    }

    #[test]
    fn a_conversion_that_a_compiler_does_costs_nothing() {
        let found = |context: &str| OperationCount {
            operation: "Cast_numeric".parse().unwrap(),
            context: context.into(),
            line: 1,
            count: 1,
        };
        let price = |context: &str, relative| ContextPrice {
            operation: "Cast_numeric".into(),
            context: context.into(),
            relative,
            relative_se: Some(0.1),
        };
        let mut model = sample::model(&[("Cast_numeric", 1e-7)]);
        let of = |model: &Model, context: &str| {
            let costs = IndexedModel::new(model);
            (costs.context_factor(&found(context)), costs.context_factor_se(&found(context)))
        };
        assert_eq!(of(&model, "constant"), (0.0, 0.0));
        assert_eq!(of(&model, "int to double"), (1.0, 0.0));
        model.contexts = vec![price("int to float", 0.5), price("long to int", 1.5)];
        assert_eq!(of(&model, "constant"), (0.0, 0.0));
        assert_eq!(of(&model, "int to double"), (1.0, 0.5));
        model.contexts.push(price("constant", 0.25));
        assert_eq!(of(&model, "constant"), (0.25, 0.1), "a price of its own is what it costs");
    }

    /// Two costs of 1 J with variances 4 and correlation -1: each is unsure, 2 J either
    /// way; their sum is certain.
    #[test]
    fn a_sum_can_be_sure_where_its_parts_are_not() {
        let mut model = sample::model(&[("Increment", 1.0), ("Decrement", 1.0)]);
        model.covariance = Some(vec![4.0, -4.0, -4.0, 4.0]);
        let costs = IndexedModel::new(&model);
        let (a, b) = (costs.of("Increment").unwrap(), costs.of("Decrement").unwrap());
        let mut both = CountVector::default();
        both.add(a, 3.0);
        assert_eq!(costs.variance(&both), Some(36.0));
        both.add(b, 3.0);
        assert_eq!(costs.interval(&both), Some(Interval { lo: Joules(6.0), hi: Joules(6.0) }));
    }

    #[test]
    fn without_a_covariance_only_single_costs_have_intervals() {
        let mut model = sample::model(&[("Increment", 1.0), ("Decrement", 1.0)]);
        model.costs[0].lo_j = Some(0.5);
        model.costs[0].hi_j = Some(2.0);
        let costs = IndexedModel::new(&model);
        let mut counts = CountVector::default();
        counts.add(costs.of("Increment").unwrap(), 2.0);
        assert_eq!(costs.interval(&counts), Some(Interval { lo: Joules(1.0), hi: Joules(4.0) }));
        counts.add(costs.of("Decrement").unwrap(), 1.0);
        assert_eq!(costs.interval(&counts), None);
    }
}
