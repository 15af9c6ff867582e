//! Paths of calls with figures that can be solved on paper.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::account::{Femtojoules, account, sample};
use crate::folder::Artifact;

/// `main` calls `step`, which calls itself and `draw`; a worker calls `draw` and runs an
/// initialiser. Every block costs 1 uJ an execution.
const LOG: &str = "wattline-calls 2
thread main
node -1 -1
node 0 0
0 1
node 1 1
1 6
2 30
node 2 3
3 10
thread worker\\u000a\\ud83d\\ude00
node -1 -1
4 1
node 0 3
3 30
lost 0
end
";

fn program() -> sample::OwnedScenario {
    let mut sample = sample::block_of_30_6_microjoules();
    let unit = |method| ("a.A", method);
    let increment = [("Increment", 1, 1)];
    sample.dictionary.blocks = vec![
        sample::block(0, unit("main()"), ("", "entry"), (1, 1), &increment),
        sample::block(1, unit("step(int)"), ("", "entry"), (2, 2), &increment),
        sample::block(2, unit("step(int)"), ("for_1", "for_body"), (3, 3), &increment),
        sample::block(3, unit("draw()"), ("", "entry"), (4, 4), &increment),
        sample::block(4, unit("clinit"), ("", "entry"), (5, 5), &increment),
    ];
    let runs = [1, 6, 30, 40, 1].into_iter().enumerate();
    sample.executions = runs.map(|(id, runs)| (BlockId(id as u32), runs)).collect();
    sample.model = sample::with_relative_error(sample::model(&[("Increment", 1e-6)]), 0.1);
    sample
}

fn tree(sample: &sample::OwnedScenario) -> CallTree {
    let mut tree = CallTree::default();
    add_log(&mut tree, LOG, &sample.dictionary).unwrap();
    tree
}

fn microjoules(energy: Femtojoules) -> i128 {
    energy.0 / 1_000_000_000
}

#[test]
fn own_and_cumulative_energies_by_hand() {
    let sample = program();
    let accounts = account(&sample.scenario());
    let calls = call_accounts(&sample.scenario(), &accounts, &tree(&sample));
    let all = CountAgreement { same: 5, blocks: 5, differing: 0.0, length: 1.0, elsewhere: 0.0 };
    assert_eq!(calls.agreement, all);
    let found: Vec<_> = calls
        .nodes
        .iter()
        .map(|node| {
            let name = node.method.method.as_str();
            (
                name,
                node.depth,
                node.calls,
                microjoules(node.own.energy),
                microjoules(node.cumulative.energy),
            )
        })
        .collect();
    let main = [("main()", 0, 1, 1, 47), ("step(int)", 1, 6, 36, 46), ("draw()", 2, 10, 10, 10)];
    assert_eq!(found[..3], main);
    assert_eq!(found[3..], [("clinit", 0, 1, 1, 1), ("draw()", 0, 30, 30, 30)]);
    let methods: Vec<_> = calls
        .methods
        .iter()
        .map(|one| {
            (
                one.method.method.as_str(),
                microjoules(one.own.energy),
                microjoules(one.cumulative.energy),
            )
        })
        .collect();
    let expected = [("main()", 1, 47), ("step(int)", 36, 46), ("draw()", 40, 40), ("clinit", 1, 1)];
    assert_eq!(methods, expected);
    let threads: Vec<_> =
        calls.threads.iter().map(|one| (one.key.as_str(), microjoules(one.energy))).collect();
    assert_eq!(threads, [("main", 47), ("worker\n\u{1f600}", 31)]);
    let interval = calls.methods[0].cumulative.interval.unwrap();
    assert!(interval.lo.0 < 47e-6 && interval.hi.0 > 47e-6);
    let whole = calls.methods[1].own.interval.unwrap();
    let own = accounts.methods.iter().find(|one| one.key.method == "step(int)").unwrap();
    assert!((whole.hi.0 - own.interval.unwrap().hi.0).abs() < 1e-12, "as in methods.csv");
}

/// Every block a hundred times as often in the campaign, and one of two with another part.
#[test]
fn short_runs_are_compared_by_where_they_went() {
    let tree = tree(&program());
    let times = |n: u64| tree.executions().into_iter().map(move |(block, runs)| (block, n * runs));
    let mut executions: BTreeMap<BlockId, u64> = times(100).collect();
    let said = tree.agreement(&executions).to_string();
    assert!(said.contains("1.00 % as often") && said.contains("0.00 % of that"), "{said}");
    let all: u64 = executions.values().sum();
    *executions.values_mut().next().unwrap() += all;
    assert!(tree.agreement(&executions).elsewhere > 0.2);
}

#[test]
fn the_tables_add_up_and_read_back() {
    let sample = program();
    let accounts = account(&sample.scenario());
    let mut other = tree(&sample);
    other.threads.get_mut("main").unwrap().nodes[2].executions.clear();
    other.threads.remove("worker\n\u{1f600}");
    assert_eq!(CallTree::parse(&other.render().unwrap()).unwrap(), other);
    let calls = call_accounts(&sample.scenario(), &accounts, &other);
    assert_eq!((calls.agreement.same, calls.agreement.blocks), (3, 5));
    assert!((calls.agreement.differing - 41.0 / 78.0).abs() < 1e-12);
    assert!(
        calls.threads.iter().any(|one| one.key == UNSEEN_THREAD && microjoules(one.energy) == 41)
    );
    for file in call_tables(&calls, &accounts) {
        let mut reader = csv::Reader::from_reader(file.text.as_bytes());
        let at = reader.headers().unwrap().iter().position(|name| name == "energy_j").unwrap();
        let sum: Femtojoules =
            reader.records().map(|row| Femtojoules::parse(&row.unwrap()[at]).unwrap()).sum();
        assert_eq!(sum, accounts.ledger.above_idle(), "{}", file.name);
    }
}

/// Half of the executions of `step` in `main` are on a path of samples that stand for 10 each.
#[test]
fn sampled_paths_widen_intervals_of_energies_that_depend_on_them() {
    let sample = program();
    let accounts = account(&sample.scenario());
    let wider = |log: &str| {
        let mut tree = CallTree::default();
        add_log(&mut tree, log, &sample.dictionary).unwrap();
        assert_eq!(CallTree::parse(&tree.render().unwrap()).unwrap(), tree);
        let calls = call_accounts(&sample.scenario(), &accounts, &tree);
        let width = |of: &SpentEnergy| of.interval.map(|at| at.hi.0 - at.lo.0).unwrap();
        let draw = calls.nodes.iter().find(|node| node.method.method == "draw()").unwrap();
        let method = calls.methods.iter().find(|one| one.method.method == "draw()").unwrap();
        let root = calls.nodes.iter().find(|node| node.method.method == "main()").unwrap();
        (width(&draw.own), width(&method.own), width(&root.cumulative), tree.sampling())
    };
    // In one thread: 10 calls below `step`, 30 beside it.
    let both = LOG.replace("thread worker\\u000a\\ud83d\\ude00\nnode -1 -1\n4 1\n", "");
    let both = both.replace("node 0 3\n3 30", "node 0 3\n3 30\n4 1");
    let (counted, method, root, sampling) = wider(&both);
    assert_eq!(sampling, PathSampling { sampled: 0, blocks: 5, error: 0.0 });
    let sampled = both.replace("3 10\n", "3 10 90\n").replace("3 30\n", "3 30 270\n");
    let (wide, same_method, wide_root, sampling) = wider(&sampled);
    assert!(wide > 1.5 * counted, "{wide} {counted}");
    assert_eq!(same_method, method, "all of a method's own work is on some path of it");
    assert!(wide_root > root, "{wide_root} {root}");
    assert_eq!((sampling.sampled, sampling.blocks), (1, 5));
    // (3/4)^2 x 90 + (1/4)^2 x 270 executions of 40.
    let expected = 1.959_963_984_540_054 * (50.625f64 + 16.875).sqrt() / 40.0;
    assert!((sampling.error - expected).abs() < 1e-12, "{sampling:?}");
    assert!(sampling.to_string().starts_with("1 of 5 blocks"), "{sampling}");
}

#[test]
fn runs_that_were_ended_at_their_limit_are_counted() {
    let sample = program();
    let mut tree = tree(&sample);
    assert_eq!(tree.over_time, 0);
    let log = LOG.replace("wattline-calls 2\n", "wattline-calls 2\nover time\n");
    add_log(&mut tree, &log, &sample.dictionary).unwrap();
    assert_eq!(tree.over_time, 1);
}

#[test]
fn two_runs_are_one_tree() {
    let sample = program();
    let mut twice = tree(&sample);
    add_log(&mut twice, LOG, &sample.dictionary).unwrap();
    assert_eq!((twice.paths(), twice.threads.len()), (tree(&sample).paths(), 2));
    let doubled = tree(&sample).executions().into_iter().map(|(block, n)| (block, 2 * n));
    assert_eq!(twice.executions(), doubled.collect::<BTreeMap<_, _>>());
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let sample = program();
    let problem = |text: &str| {
        add_log(&mut CallTree::default(), text, &sample.dictionary).unwrap_err().to_string()
    };
    assert!(problem("").contains("cut off"));
    assert!(problem("wattline-calls 2\nthread x\nnode -1 -1\n").contains("cut off"));
    let missing = problem("wattline-calls 2\nthread x\nnode -1 -1\n9 1\nend\n");
    assert!(missing.starts_with("line 4: `9 1`"), "{missing}");
    assert!(
        CallTree::parse("thread,node,parent,class,method,block,executions\na,3,,b,c,,0\n").is_err()
    );
    assert!(
        CallTree::parse("thread,node\na,x\n").unwrap_err().to_string().contains("wattline calls")
    );
}

proptest! {
    /// Whatever the counts are, nothing is lost or counted twice.
    #[test]
    fn sums_are_exact(counts in proptest::collection::vec((0..5_u32, 0..4_usize, 1..u64::MAX / 64), 1..30)) {
        let sample = sample::awkward();
        let blocks = sample.dictionary.blocks.len() as u32;
        let mut log = String::from("wattline-calls 2\n");
        for (thread, (block, parent, n)) in counts.iter().enumerate() {
            let block = block % blocks;
            log += &format!("thread t{}\nnode -1 -1\nnode 0 {}\n{block} {n}\n", thread % 3, (block + *parent as u32) % blocks);
        }
        log += "lost 0\nend\n";
        let mut tree = CallTree::default();
        add_log(&mut tree, &log, &sample.dictionary).unwrap();
        let accounts = account(&sample.scenario());
        let calls = call_accounts(&sample.scenario(), &accounts, &tree);
        let explained = accounts.explained_energy();
        prop_assert_eq!(calls.nodes.iter().map(|node| node.own.energy).sum::<Femtojoules>(), explained);
        prop_assert_eq!(calls.threads.iter().map(|thread| thread.energy).sum::<Femtojoules>(), explained);
        let roots = calls.nodes.iter().filter(|node| node.parent.is_none());
        prop_assert_eq!(roots.map(|node| node.cumulative.energy).sum::<Femtojoules>(), explained);
        for method in &calls.methods {
            let own = accounts.methods.iter().find(|one| one.key == method.method);
            prop_assert_eq!(own.map_or(Femtojoules::ZERO, |own| own.energy), method.own.energy);
        }
        for node in &calls.nodes {
            let blocks: Femtojoules = node.blocks.iter().map(|(.., energy)| *energy).sum();
            prop_assert_eq!(blocks, node.own.energy);
        }
    }

    #[test]
    fn no_text_panics(text in "(thread [a\\\\u0]{0,6}\n|node [-0-9]{1,2} [-0-9]{1,2}\n|[0-9]{1,2} [0-9]{1,3}\n|[ -~]{0,8}\n){0,9}") {
        let sample = program();
        let text = format!("wattline-calls 2\n{text}end\n");
        let _ = add_log(&mut CallTree::default(), &text, &sample.dictionary);
        let _ = CallTree::parse(&text);
    }
}
