//! Made-up campaigns for the tests of reports: one that looks like a real one, one with
//! hostile names, one with nothing in it.

use std::collections::BTreeMap;

use crate::account::calls::{CallAccounts, CallTree, call_accounts};
use crate::account::evaluate::{AccountLevel, UnmatchedEntry};
use crate::account::{
    self, AccountEvaluation, Accounts, LevelEvaluation, LineKey, MeasuredEnergies, PredictedEnergy,
    UnseenInput, UnseenInputs,
};
use crate::blocks::BlockId;
use crate::facts::MeasuringOverheads;
use crate::folder::Artifact;
use crate::hint::{BoardRatios, FoundHints, Hint, HintInput, HintOptions, hints as find_hints};
use crate::java::SourceFile;
use crate::model::table::{Case, Table};
use crate::model::{CvRow, CvSet, Model, OperationEstimability};
use crate::operations::{Dictionary, LibraryFunction};
use crate::power::FigureBasis;
use crate::report::data::{CampaignFacts, ReportData, ReportSection, ReportedBoard};
use crate::sample_accounts;
use crate::units::Joules;

/// A campaign that owns its parts.
pub(crate) struct OwnedReportData {
    scenario: String,
    board: ReportedBoard,
    table: Table,
    model: Model,
    pub(crate) cv: Vec<CvRow>,
    estimability: Vec<OperationEstimability>,
    pub(crate) accounts: Accounts,
    pub(crate) calls: Option<CallAccounts>,
    pub(crate) evaluation: Option<AccountEvaluation>,
    pub(crate) unseen: Option<UnseenInputs>,
    hints: Vec<Hint>,
    findings: BTreeMap<String, usize>,
    pub(crate) sources: BTreeMap<String, String>,
    notes: Vec<String>,
    parts: Vec<ReportSection>,
}

impl OwnedReportData {
    pub fn data(&self) -> ReportData<'_> {
        ReportData {
            scenario: &self.scenario,
            board: &self.board,
            campaign: CampaignFacts {
                sequences: 4,
                cases: self.table.cases.len(),
                power_runs: 132,
                idle_runs: 132,
                traced_runs: 44,
                failed_runs: 2,
                microbenchmarks: 61,
            },
            overheads: MeasuringOverheads::default(),
            table: &self.table,
            model: &self.model,
            cv: &self.cv,
            estimability: &self.estimability,
            accounts: &self.accounts,
            calls: self.calls.as_ref(),
            no_calls: None,
            evaluation: self.evaluation.as_ref(),
            unseen: self.unseen.as_ref(),
            hints: &self.hints,
            no_hints: "no known pattern in a hot block",
            withheld: &[],
            joint: None,
            findings: &self.findings,
            sources: &self.sources,
            notes: &self.notes,
            parts: &self.parts,
        }
    }
}

/// The hints of [`report`].
pub(crate) fn hints() -> Vec<Hint> {
    report().hints
}

/// The same as a search finds them.
pub(crate) fn found() -> FoundHints {
    let mut found = FoundHints::default();
    found.hints = hints();
    found
}

/// The paper's loop among the methods of a small engine.
pub(crate) fn report() -> OwnedReportData {
    let program = sample_accounts::program_1();
    let (blocks, executions) = engine(program.dictionary.blocks, program.executions);
    let dictionary = Dictionary { blocks };
    let mut model = program.model;
    for (name, cost) in [
        ("Field_Reference", 0.9e-9),
        ("Multi_float_float", 1.3e-9),
        ("Addition_float_float", 1.1e-9),
        ("Assign_float_float", 0.8e-9),
        ("Method_Invocation", 6.2e-9),
        ("Parameter_float", 0.7e-9),
        ("Return_float", 0.5e-9),
        ("Equal_Object_null", 0.9e-9),
        ("New_Object", 38.0e-9),
        ("BlockGoto_foreach", 0.8e-9),
        ("lib:java.lang.Math.sqrt", 21.0e-9),
        ("lib:other", 9.0e-9),
    ] {
        // Costs in the scale of the sample's loop.
        let cost = sample_accounts::model(&[(name, cost * 2.0e3)]).costs.remove(0);
        model.costs.push(cost);
    }
    let entry = model.costs.iter_mut().find(|cost| cost.operation == "Negation_int");
    entry.expect("the sample has it").cost_j = 1e-6;
    model = sample_accounts::with_relative_error(model, 0.06);
    model.costs[3].estimable = false;
    model.rank = 17;
    model.condition = Some(3.4e5);
    model.provenance.tool_version = "0.1.0".into();
    model.provenance.data_sha256 = "9f2c".repeat(16);
    let table = table(&model);
    let measured = MeasuredEnergies {
        total: Joules(5.6),
        total_se: Some(Joules(0.012)),
        idle: Joules(3.9),
        idle_se: Some(Joules(0.009)),
        ..MeasuredEnergies::default()
    };
    let scenario = account::AccountInput {
        dictionary: &dictionary,
        executions: &executions,
        model: &model,
        measured: &measured,
        samples: &[],
        calls: None,
    };
    let accounts = account::account(&scenario);
    let calls = call_tree(&dictionary, &executions);
    let text = sample_accounts::PROGRAM_1;
    let files = [SourceFile::parse("demo/Grid.java", text)];
    let input = HintInput {
        dictionary: &dictionary,
        executions: &executions,
        model: &model,
        accounts: &accounts,
        calls: Some(&calls),
        sources: &files,
    };
    let mut hints = find_hints(input, BoardRatios::default(), &HintOptions::default()).hints;
    hints.extend(vec![hints[hints.len() - 1].clone(); 3]);
    OwnedReportData {
        scenario: "orbit".into(),
        board: ReportedBoard {
            name: "raspberry-pi-5, seed 7".into(),
            basis: FigureBasis::Simulated,
            simulated_model: Some("additive".into()),
            meter: "INA231 (arm, mem, g3d, kfc), 3.8 Hz".into(),
            frequency: Some("1.1 GHz".into()),
        },
        cv: cross_validation(),
        estimability: estimability(&model),
        table,
        calls: Some(call_accounts(&scenario, &accounts, &calls)),
        evaluation: Some(evaluation(&accounts)),
        unseen: Some(unseen()),
        model,
        accounts,
        hints,
        findings: BTreeMap::from([("unresolved-call".into(), 12), ("unknown-type".into(), 31)]),
        sources: BTreeMap::from([("demo/Grid.java".into(), text.into())]),
        notes: vec!["3 repeats per case; a real board needs 10.".into()],
        parts: vec![ReportSection {
            id: "phases",
            title: "Phases",
            sentence: "What another module shows.",
            style: ".phase { color: var(--ink); }",
            html: "<p class=\"phase\">load, parse</p>".into(),
        }],
    }
}

/// Adds the methods of an engine to the blocks of Program 1.
fn engine(
    mut blocks: Vec<crate::operations::BlockEntry>,
    mut executions: BTreeMap<BlockId, u64>,
) -> (Vec<crate::operations::BlockEntry>, BTreeMap<BlockId, u64>) {
    const METHODS: [(&str, &str); 9] = [
        ("engine.math.Vec2", "mulLocal(float)"),
        ("engine.math.Vec2", "normalize()"),
        ("engine.dynamics.ContactSolver", "solveVelocityConstraints()"),
        ("engine.dynamics.World", "step(float,int,int)"),
        (
            "engine.collision.Tree",
            "collide(Manifold,PolygonShape,Transform,PolygonShape,Transform)",
        ),
        ("engine.dynamics.Body", "synchronizeFixtures()"),
        ("engine.stage.Stage", "act(float)"),
        ("engine.stage.Group$Children", "drawChildren(Batch,float)"),
        ("engine.stage.Actor", "localToParent(Vector2)"),
    ];
    for (i, unit) in METHODS.into_iter().enumerate() {
        let n = i as u32;
        for (part, kind) in [("", "entry"), ("foreach_1", "foreach_body"), ("if_1", "then")] {
            let id = blocks.len() as u32;
            let line = 20 + 10 * n + id % 3;
            let operations = [
                ("Field_Reference", line, 2 + n % 3),
                ("Multi_float_float", line, 1 + n % 4),
                ("Assign_float_float", line + 1, 1),
                ("Method_Invocation", line + 1, n % 2 + 1),
                ("lib:java.lang.Math.sqrt", line + 1, 1 + n % 2),
                ("Parameter_float", line + 1, 1),
            ];
            blocks.push(sample_accounts::block(
                id,
                unit,
                (part, kind),
                (line, line + 1),
                &operations,
            ));
            executions.insert(BlockId(id), u64::from(900 / (n + 1) + 40 * (id % 5)));
        }
    }
    (blocks, executions)
}

/// Each method of the program calls the next one.
fn call_tree(dictionary: &Dictionary, executions: &BTreeMap<BlockId, u64>) -> CallTree {
    let mut text = String::from("thread,node,parent,class,method,block,executions\n");
    let mut last = (String::new(), None);
    for block in &dictionary.blocks {
        let method = format!("{},\"{}\"", block.class, block.method);
        if method != last.0 {
            last = (method, Some(last.1.map_or(0, |number: usize| number + 1)));
        }
        let number = last.1.expect("set above");
        let parent = number.checked_sub(1).map_or(String::new(), |parent| parent.to_string());
        let runs = executions.get(&block.id).copied().unwrap_or(0);
        text += &format!("main,{number},{parent},{},{},{runs}\n", last.0, block.id.0);
    }
    CallTree::parse(&text).expect("rows in order")
}

/// Cases whose measured energies scatter a little around the model's.
fn table(model: &Model) -> Table {
    let features: Vec<String> = model.costs.iter().map(|cost| cost.operation.clone()).collect();
    let mut table = Table { features, ..Table::default() };
    for i in 0..44_u32 {
        let counts: Vec<f64> = (0..model.costs.len() as u32)
            .map(|j| f64::from(200 + 37 * i + (i * 7919 + j * 104_729) % 400))
            .collect();
        let energy: f64 = counts.iter().zip(&model.costs).map(|(n, cost)| n * cost.cost_j).sum();
        let noise = 1.0 + 0.04 * (f64::from(i) * 2.4).sin();
        table.counts.extend(counts);
        table.cases.push(Case {
            name: format!("case-{i:02}"),
            group: ["north", "south", "spiral", "idle drift"][i as usize % 4].into(),
            device: "virtual".into(),
            duration_s: Some(100.0),
            energy_j: energy * noise,
            energy_se_j: Some(0.003),
            weight: None,
            executions: None,
        });
    }
    table
}

/// Four rounds of the model and its baselines.
fn cross_validation() -> Vec<CvRow> {
    let models =
        [("shrink", 0.011), ("flat", 0.029), ("mean", 0.61), ("duration", 0.18), ("blocks", 0.024)];
    let mut rows = Vec::new();
    for (model, nmae) in models {
        for round in 1..=4 {
            for (set, factor, cases) in [(CvSet::Training, 0.8, 33), (CvSet::Validation, 1.0, 11)] {
                let nmae = nmae * factor * (1.0 + 0.1 * (round % 3) as f64);
                rows.push(CvRow {
                    model: model.into(),
                    round,
                    set,
                    cases,
                    r: (model != "mean").then_some(1.0 - nmae / 20.0),
                    nmae,
                    bias: 0.0,
                });
            }
        }
    }
    rows
}

/// A row per cost.
fn estimability(model: &Model) -> Vec<OperationEstimability> {
    let row = |(i, cost): (usize, &crate::model::Cost)| OperationEstimability {
        operation: cost.operation.clone(),
        cases: 44,
        executions: 12_345.0 * (i + 1) as f64,
        estimable: cost.estimable,
        group: (i % 4 == 0).then_some(i / 4),
        vif: (i % 5 != 0).then_some(3.5 + i as f64),
        proportional_to: None,
        largest_share: 0.1,
    };
    model.costs.iter().enumerate().map(row).collect()
}

/// Two inputs, each by the other.
fn unseen() -> UnseenInputs {
    let input = |input: &str, measured: f64, factor: f64| UnseenInput {
        input: input.into(),
        measured: Joules(measured),
        predicted: PredictedEnergy {
            energy: Joules(measured * factor),
            se: Some(Joules(0.02)),
            of_new_blocks: Joules(0.01),
        },
        flat: Joules(measured * 1.2),
        duration: Joules(2.0),
    };
    UnseenInputs(vec![input("north", 1.4, 1.02), input("south", 2.3, 0.97)])
}

/// Errors as good microbenchmarks give them.
fn evaluation(accounts: &Accounts) -> AccountEvaluation {
    let level = |level, entries, median_error, p90_error| LevelEvaluation {
        level,
        entries,
        share: 0.951,
        median_error,
        p90_error,
        coverage: Some(0.93),
        bias: -0.004,
        unmatched: 1,
        unmatched_share: 0.002,
    };
    AccountEvaluation {
        levels: vec![
            level(AccountLevel::Line, 214, 0.043, 0.182),
            level(AccountLevel::Block, 96, 0.039, 0.171),
            level(AccountLevel::Method, 58, 0.029, 0.087),
        ],
        lines: accounts.lines.iter().map(|e| (e.key.clone(), e.joules() * 1.04)).collect(),
        unmatched: vec![UnmatchedEntry {
            level: AccountLevel::Method,
            label: "engine.stage.Stage.access$000(Lengine/stage/Stage;)F".into(),
            energy: Joules(3.1e-4),
        }],
    }
}

/// A program of 400 files and 100 000 lines that all spend.
pub(crate) fn large() -> OwnedReportData {
    let mut sample = report();
    let (line, part) = (sample.accounts.lines[0].clone(), sample.accounts.parts[0].clone());
    for i in 0..400 {
        let path = format!("big/p{}/C{i}.java", i % 20);
        for number in 1..=250u32 {
            let (mut line, mut part) = (line.clone(), part.clone());
            line.key = LineKey { file: path.clone(), line: number };
            part.key.line = line.key.clone();
            sample.accounts.lines.push(line);
            sample.accounts.parts.push(part);
        }
        sample.sources.insert(path, "        float x = a[i] * b[i] + c[i];\n".repeat(250));
    }
    sample
}

/// Names and sources that try to break the page.
pub(crate) fn hostile() -> OwnedReportData {
    const EVIL: &str = "<script>alert(window.hacked = 1)</script>\"'><img src=x onerror=\"x\">\u{202e}\u{1b}[31m&amp;";
    let mut sample = report();
    sample.scenario = EVIL.into();
    sample.board.name = EVIL.into();
    sample.board.meter = EVIL.into();
    sample.notes.push(EVIL.into());
    sample.model.solver = EVIL.into();
    for case in &mut sample.table.cases {
        case.name = EVIL.into();
        case.group = EVIL.into();
    }
    for row in &mut sample.cv {
        row.model = format!("{EVIL}{}", row.model);
    }
    for row in &mut sample.estimability {
        row.operation = EVIL.into();
    }
    for operation in &mut sample.accounts.operations {
        operation.entry.key = LibraryFunction::new(operation.entry.key.name(), EVIL).into();
    }
    for block in &mut sample.accounts.blocks {
        block.name += EVIL;
        block.file += EVIL;
    }
    for line in &mut sample.accounts.lines {
        line.key.file = EVIL.into();
    }
    for method in &mut sample.accounts.methods {
        method.key.method += EVIL;
    }
    for class in &mut sample.accounts.classes {
        class.key += EVIL;
    }
    for part in &mut sample.accounts.parts {
        part.key.method.method += EVIL;
        part.key.line.file = EVIL.into();
    }
    let calls = sample.calls.as_mut().expect("the report has calls");
    for method in &mut calls.methods {
        method.method.class += EVIL;
    }
    for node in &mut calls.nodes {
        node.method.method += EVIL;
    }
    for hint in &mut sample.hints {
        hint.block_name += EVIL;
        hint.sentence += EVIL;
        hint.rewrite += EVIL;
        hint.diff = Some(EVIL.into());
    }
    sample.findings.insert(EVIL.into(), 1);
    for text in sample.sources.values_mut() {
        *text = text.replace("for (", &format!("{EVIL} for ("));
    }
    sample.sources.insert(EVIL.into(), format!("{EVIL}\n").repeat(200));
    sample
}

/// No case, no cost, no block.
pub(crate) fn empty() -> OwnedReportData {
    let (dictionary, executions) = (Dictionary::default(), BTreeMap::new());
    let (model, measured) = (sample_accounts::model(&[]), MeasuredEnergies::default());
    let scenario = account::AccountInput {
        dictionary: &dictionary,
        executions: &executions,
        model: &model,
        measured: &measured,
        samples: &[],
        calls: None,
    };
    OwnedReportData {
        scenario: "empty".into(),
        board: ReportedBoard {
            name: String::new(),
            basis: FigureBasis::Measured,
            simulated_model: None,
            meter: String::new(),
            frequency: None,
        },
        table: Table::default(),
        cv: Vec::new(),
        estimability: Vec::new(),
        accounts: account::account(&scenario),
        calls: None,
        evaluation: None,
        unseen: None,
        hints: Vec::new(),
        findings: BTreeMap::new(),
        sources: BTreeMap::new(),
        notes: Vec::new(),
        parts: Vec::new(),
        model,
    }
}
