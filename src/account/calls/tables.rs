//! Accounts by calls as CSV, in the columns of all accounts.

use super::{CallAccounts, Cumulative};
use crate::account::Accounts;
use crate::account::entry::share;
use crate::account::exact::Femtojoules;
use crate::account::table::{TableFile, UNATTRIBUTED};

const OWN: [&str; 5] = ["executions", "energy_j", "energy_lo_j", "energy_hi_j", "share"];
const CUMULATIVE: [&str; 4] =
    ["cumulative_j", "cumulative_lo_j", "cumulative_hi_j", "cumulative_share"];

/// `calltree.csv`, `cumulative.csv` and `threads.csv` of the `accounts` folder. Their
/// columns `energy_j` add up as those of all accounts do.
pub fn call_tables(calls: &CallAccounts, accounts: &Accounts) -> Vec<TableFile> {
    vec![
        TableFile { name: "calltree.csv", text: call_tree(calls, accounts) },
        TableFile { name: "cumulative.csv", text: cumulative(calls, accounts) },
        TableFile { name: "threads.csv", text: threads(calls, accounts) },
    ]
}

fn call_tree(calls: &CallAccounts, accounts: &Accounts) -> String {
    let key = ["thread", "node", "parent", "depth", "class", "method"];
    let rows = calls.nodes.iter().enumerate().map(|(number, node)| {
        let mut row = vec![
            node.thread.clone(),
            number.to_string(),
            node.parent.map_or_else(String::new, |parent| parent.to_string()),
            node.depth.to_string(),
            node.method.class.clone(),
            node.method.method.clone(),
            node.calls.to_string(),
        ];
        row.extend(figures(&node.own));
        row.extend(figures(&node.cumulative));
        row
    });
    table(&[&key[..], &OWN, &CUMULATIVE].concat(), rows, accounts, key.len())
}

fn cumulative(calls: &CallAccounts, accounts: &Accounts) -> String {
    let key = ["class", "method"];
    let rows = calls.methods.iter().map(|method| {
        let name = &method.method;
        let mut row = vec![name.class.clone(), name.method.clone(), method.calls.to_string()];
        row.extend(figures(&method.own));
        row.extend(figures(&method.cumulative));
        row
    });
    table(&[&key[..], &OWN, &CUMULATIVE].concat(), rows, accounts, key.len())
}

fn threads(calls: &CallAccounts, accounts: &Accounts) -> String {
    let key = ["thread"];
    let last = ["unknown_executions", "determined"];
    let rows = calls.threads.iter().map(|thread| {
        let (interval, share) = (thread.interval, thread.share);
        let mut row = vec![thread.key.clone(), thread.executions.to_string()];
        row.extend(figures(&Cumulative { energy: thread.energy, interval, share }));
        row.extend([thread.unknown.to_string(), thread.determined.to_string()]);
        row
    });
    table(&[&key[..], &OWN, &last].concat(), rows, accounts, key.len())
}

/// Energy, both ends of its interval, share.
fn figures(figure: &Cumulative) -> [String; 4] {
    let end = |end| Femtojoules::from_joules(end).to_string();
    let (lo, hi) = figure.interval.map_or_else(Default::default, |i| (end(i.lo), end(i.hi)));
    [figure.energy.to_string(), lo, hi, ratio(figure.share)]
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.9}"))
}

/// The rows, and the one that holds what none of them does: `key` fields, of which the
/// first names it, executions, energy.
fn table(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    accounts: &Accounts,
    key: usize,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(head).expect("memory takes a table");
    rows.for_each(|row| writer.write_record(row).expect("rows are as long as the head"));
    let energy = accounts.unattributed();
    let mut rest = vec![String::new(); head.len()];
    rest[0] = UNATTRIBUTED.to_string();
    rest[key + 1] = energy.to_string();
    rest[key + 4] = ratio(share(energy, accounts.ledger.above_idle()));
    writer.write_record(rest).expect("rows are as long as the head");
    let bytes = writer.into_inner().expect("memory takes a table");
    String::from_utf8(bytes).expect("names are text")
}
