//! Small scenarios with figures that can be solved on paper, for tests of accounts,
//! hints and reports.

use std::collections::BTreeMap;

use crate::account::{AccountInput, MeasuredEnergies};
use crate::blocks::BlockId;
use crate::model::{Cost, Model};
use crate::operations::{BlockEntry, Dictionary, OperationCount};
use crate::units::Joules;

/// A scenario that owns its parts.
pub(crate) struct OwnedScenario {
    pub dictionary: Dictionary,
    pub executions: BTreeMap<BlockId, u64>,
    pub model: Model,
    pub measured: MeasuredEnergies,
}

impl OwnedScenario {
    pub fn scenario(&self) -> AccountInput<'_> {
        AccountInput {
            dictionary: &self.dictionary,
            executions: &self.executions,
            model: &self.model,
            measured: &self.measured,
            samples: &[],
            calls: None,
        }
    }
}

/// A model with these costs in joules and no intervals.
pub(crate) fn model(costs: &[(&str, f64)]) -> Model {
    let mut model = Model::of_prices("shrink", costs.iter().copied());
    model.costs.iter_mut().for_each(|cost| cost.estimable = true);
    model
}

/// Gives a model independent costs with this relative standard error.
pub(crate) fn with_relative_error(mut model: Model, relative: f64) -> Model {
    let l = model.costs.len();
    let mut covariance = vec![0.0; l * l];
    for (i, cost) in model.costs.iter_mut().enumerate() {
        let se = cost.cost_j * relative;
        covariance[i * l + i] = se * se;
        cost.se_j = Some(se);
        cost.lo_j = Some((cost.cost_j - 1.96 * se).max(0.0));
        cost.hi_j = Some(cost.cost_j + 1.96 * se);
    }
    model.covariance = Some(covariance);
    model
}

/// A block: name, kind, first line, last line, operations as (name, line, count).
pub(crate) fn block(
    id: u32,
    unit: (&str, &str),
    (name, kind): (&str, &str),
    lines: (u32, u32),
    operations: &[(&str, u32, u32)],
) -> BlockEntry {
    let (class, method) = unit;
    let simple = class.rsplit('.').next().unwrap_or(class);
    let unit_name = format!("{simple}.{method}");
    let operations = operations.iter().map(|&(operation, line, count)| OperationCount {
        context: Default::default(),
        operation: operation.parse().unwrap(),
        line,
        count,
    });
    BlockEntry {
        id: BlockId(id),
        name: if name.is_empty() { unit_name } else { format!("{unit_name}.{name}") },
        kind: kind.into(),
        file: format!("{}.java", class.split('$').next().unwrap_or(class).replace('.', "/")),
        start_line: lines.0,
        end_line: lines.1,
        class: class.into(),
        method: method.into(),
        removable: true,
        operations: operations.collect(),
    }
}

/// Program 1 of the paper in a scenario of its own: 704 iterations of the loop, which
/// makes 80.9 % of 1.25 J; shares of the loop: control 35.6, Boolean 20.5, assignments
/// 16.7, arithmetic 14.0, library 13.3 % (they add up to 100.1).
pub(crate) fn program_1() -> OwnedScenario {
    let unit = ("demo.Grid", "blit(FloatBuffer,FloatBuffer)");
    let blocks = vec![
        block(0, unit, ("", "entry"), (4, 4), &[("Negation_int", 4, 1)]),
        block(
            1,
            unit,
            ("for_1.init", "for_init"),
            (5, 5),
            &[("Assign_int_int", 5, 1), ("Declaration_int", 5, 1)],
        ),
        block(
            2,
            unit,
            ("for_1.test", "for_test"),
            (5, 5),
            &[("BlockGoto_for", 5, 1), ("Less_int_int", 5, 1), ("lib:java.nio.Buffer.limit", 5, 1)],
        ),
        block(
            3,
            unit,
            ("for_1.update", "for_update"),
            (5, 5),
            &[("Addition_int_int", 5, 1), ("Assign_int_int", 5, 1), ("BlockGoto_for", 5, 1)],
        ),
        block(
            4,
            unit,
            ("for_1", "for_body"),
            (6, 8),
            &[
                ("Addition_int_int", 7, 1),
                ("Addition_int_int", 8, 1),
                ("BlockGoto_for", 6, 1),
                ("lib:java.nio.FloatBuffer.get", 6, 1),
                ("lib:java.nio.FloatBuffer.get", 7, 1),
                ("lib:java.nio.FloatBuffer.get", 8, 1),
                ("lib:java.nio.FloatBuffer.put", 6, 1),
                ("lib:java.nio.FloatBuffer.put", 7, 1),
                ("lib:java.nio.FloatBuffer.put", 8, 1),
            ],
        ),
    ];
    let runs = [1, 1, 705, 704, 704];
    let (total, loop_j) = (1.25, 1.25 * 0.809);
    let per = |share: f64, times: f64| loop_j * share / 100.1 / times;
    let library = per(13.3, 705.0 + 6.0 * 704.0);
    let costs = model(&[
        ("BlockGoto_for", per(35.6, 2113.0)),
        ("Less_int_int", per(20.5, 705.0)),
        ("Assign_int_int", per(16.7, 705.0)),
        ("Addition_int_int", per(14.0, 2112.0)),
        ("lib:java.nio.Buffer.limit", library),
        ("lib:java.nio.FloatBuffer.get", library),
        ("lib:java.nio.FloatBuffer.put", library),
        ("Declaration_int", 0.0),
        ("Negation_int", total - loop_j),
    ]);
    OwnedScenario {
        dictionary: Dictionary { blocks },
        executions: runs.iter().enumerate().map(|(i, &n)| (BlockId(i as u32), n)).collect(),
        model: with_relative_error(costs, 0.05),
        measured: MeasuredEnergies {
            total: Joules(3.25),
            total_se: Some(Joules(0.01)),
            idle: Joules(2.0),
            idle_se: Some(Joules(0.01)),
            ..MeasuredEnergies::default()
        },
    }
}

/// The source text of [`program_1`].
pub(crate) const PROGRAM_1: &str = "package demo;
import java.nio.FloatBuffer;
class Grid {
    void blit(FloatBuffer vertices, FloatBuffer out) {
        for (int i = 0; i < vertices.limit(); i = i + 3) {
            out.put(vertices.get(i));
            out.put(vertices.get(i + 1));
            out.put(vertices.get(i + 2));
        }
    }
}
";

/// Costs that don't end in decimals, two methods, an operation without a cost, a block that
/// didn't run, GC runs.
pub(crate) fn awkward() -> OwnedScenario {
    let mix = ("a.A", "mix(int,String[])");
    let blocks = vec![
        block(0, mix, ("", "entry"), (3, 4), &[("Increment", 3, 3), ("lib:x.Y.z", 4, 1)]),
        block(1, mix, ("if_1", "then"), (4, 5), &[("Increment", 4, 1), ("Not", 5, 7)]),
        block(2, ("a.A$B", "run()"), ("", "entry"), (9, 9), &[("Throw", 9, 2)]),
        block(3, ("a.A$B", "run()"), ("if_1", "then"), (10, 10), &[("Not", 10, 1)]),
    ];
    let costs = [("Increment", 1.0 / 3e9), ("Not", 2.0 / 7e9), ("lib:other", 1.0 / 1.1e7)];
    let mut model = model(&costs);
    model.costs.push(Cost {
        operation: "lib:GC".into(),
        cost_j: 1.0 / 7.0,
        ..model.costs[0].clone()
    });
    OwnedScenario {
        dictionary: Dictionary { blocks },
        executions: BTreeMap::from([(BlockId(0), 999_983), (BlockId(1), 31), (BlockId(2), 5)]),
        model,
        measured: MeasuredEnergies {
            total: Joules(10.0 / 3.0),
            idle: Joules(8.0 / 3.0),
            collections: 2,
            ..MeasuredEnergies::default()
        },
    }
}

/// One block that costs 30.6 uJ, run twice.
pub(crate) fn block_of_30_6_microjoules() -> OwnedScenario {
    let unit = ("a.A", "run()");
    OwnedScenario {
        dictionary: Dictionary {
            blocks: vec![block(0, unit, ("", "entry"), (1, 1), &[("Increment", 1, 3)])],
        },
        executions: BTreeMap::from([(BlockId(0), 2)]),
        model: model(&[("Increment", 10.2e-6)]),
        measured: MeasuredEnergies {
            total: Joules(1.0),
            idle: Joules(0.5),
            ..MeasuredEnergies::default()
        },
    }
}
