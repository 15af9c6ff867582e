//! Accounts by calls as CSV, in the columns of all accounts.

use std::iter::once;

use super::{CallAccounts, SpentEnergy};
use crate::account::accounts::Accounts;
use wattline_units::file_schema::DeclaredColumn;

use crate::account::table::{
    AccountTable, UNATTRIBUTED_KEY, add_unattributed_row, energy_fields, named_csv,
};
use crate::account::table_columns::{
    CALL_NODE_KEY, CUMULATIVE_COLUMNS, FIGURE_COLUMNS, METHOD_KEY, THREAD_KEY,
};
use crate::csv_text::CsvText;

/// `calltree.csv`, `cumulative.csv` and `threads.csv` of the `accounts` folder. Their
/// columns `energy_j` add up as those of all accounts do.
pub fn call_tables(calls: &CallAccounts, accounts: &Accounts) -> Vec<AccountTable> {
    vec![
        AccountTable { name: "calltree.csv", text: call_tree_csv(calls, accounts) },
        AccountTable { name: "cumulative.csv", text: cumulative_csv(calls, accounts) },
        AccountTable { name: "threads.csv", text: named_csv(accounts, THREAD_KEY, &calls.threads) },
    ]
}

fn call_tree_csv(calls: &CallAccounts, accounts: &Accounts) -> String {
    let mut table = empty_table(&CALL_NODE_KEY);
    for (number, node) in calls.nodes.iter().enumerate() {
        let key = [
            node.thread.clone(),
            number.to_string(),
            node.parent.map_or_else(String::new, |parent| parent.to_string()),
            node.depth.to_string(),
            node.method.class.clone(),
            node.method.method.clone(),
        ];
        table.row(key.into_iter().chain(figure_fields(node.calls, &node.own, &node.cumulative)));
    }
    add_unattributed_row(
        &mut table,
        accounts,
        &[UNATTRIBUTED_KEY, "", "", "", "", ""],
        CUMULATIVE_COLUMNS.len(),
    );
    table.text()
}

fn cumulative_csv(calls: &CallAccounts, accounts: &Accounts) -> String {
    let mut table = empty_table(&METHOD_KEY);
    for method in &calls.methods {
        let key = [method.method.class.clone(), method.method.method.clone()];
        table.row(key.into_iter().chain(figure_fields(
            method.calls,
            &method.own,
            &method.cumulative,
        )));
    }
    add_unattributed_row(&mut table, accounts, &[UNATTRIBUTED_KEY, ""], CUMULATIVE_COLUMNS.len());
    table.text()
}

fn empty_table(key: &[DeclaredColumn]) -> CsvText {
    CsvText::new([key, &FIGURE_COLUMNS, &CUMULATIVE_COLUMNS].concat())
}

fn figure_fields(
    calls: u64,
    own: &SpentEnergy,
    cumulative: &SpentEnergy,
) -> impl Iterator<Item = String> {
    let [own, cumulative] =
        [own, cumulative].map(|of| energy_fields(of.energy, of.interval, of.share));
    once(calls.to_string()).chain(own).chain(cumulative)
}
