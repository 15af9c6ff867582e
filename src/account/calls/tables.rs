//! Accounts by calls as CSV, in the columns of all accounts.

use super::{CallAccounts, Spent};
use crate::account::Accounts;
use crate::account::table::{
    FIGURE_COLUMNS, TableFile, UNATTRIBUTED, field, line, named_csv, remainder, spent,
};

const CUMULATIVE: &str = "cumulative_j,cumulative_lo_j,cumulative_hi_j,cumulative_share";

/// `calltree.csv`, `cumulative.csv` and `threads.csv` of the `accounts` folder. Their
/// columns `energy_j` add up as those of all accounts do.
pub fn call_tables(calls: &CallAccounts, accounts: &Accounts) -> Vec<TableFile> {
    vec![
        TableFile { name: "calltree.csv", text: call_tree(calls, accounts) },
        TableFile { name: "cumulative.csv", text: cumulative(calls, accounts) },
        TableFile { name: "threads.csv", text: named_csv(accounts, "thread", &calls.threads) },
    ]
}

fn call_tree(calls: &CallAccounts, accounts: &Accounts) -> String {
    let mut text = format!("thread,node,parent,depth,class,method,{FIGURE_COLUMNS},{CUMULATIVE}\n");
    for (number, node) in calls.nodes.iter().enumerate() {
        let parent = node.parent.map_or_else(String::new, |parent| parent.to_string());
        let key = [
            field(&node.thread),
            number.to_string(),
            parent,
            node.depth.to_string(),
            field(&node.method.class),
            field(&node.method.method),
        ];
        let [own, cumulative] = [&node.own, &node.cumulative].map(figures);
        line(&mut text, &[key.join(","), node.calls.to_string(), own, cumulative]);
    }
    rest(&mut text, accounts, 6);
    text
}

fn cumulative(calls: &CallAccounts, accounts: &Accounts) -> String {
    let mut text = format!("class,method,{FIGURE_COLUMNS},{CUMULATIVE}\n");
    for method in &calls.methods {
        let key = [field(&method.method.class), field(&method.method.method)];
        let [own, cumulative] = [&method.own, &method.cumulative].map(figures);
        line(&mut text, &[key.join(","), method.calls.to_string(), own, cumulative]);
    }
    rest(&mut text, accounts, 2);
    text
}

fn figures(of: &Spent) -> String {
    spent(of.energy, of.interval, of.share)
}

/// The row that holds what no other does, in a table with so many key columns.
fn rest(text: &mut String, accounts: &Accounts, keys: usize) {
    let key = format!("{UNATTRIBUTED}{}", ",".repeat(keys - 1));
    line(text, &[key, remainder(accounts), ",".repeat(3)]);
}
