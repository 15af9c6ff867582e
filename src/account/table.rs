//! Accounts as CSV text, with the columns of the command-line contract. Energies have
//! all 15 decimals, so that the columns add up exactly in decimal arithmetic. What is
//! absent (an interval without a covariance, a share of nothing) is an empty field.
//!
//! Every table but the ledger ends with a row `(unattributed)`: energy above idle that
//! no entry holds (GC and what the model doesn't explain). With it a table's energies
//! add up to measured - idle.

use std::fmt::Write as _;

use crate::account::class::{CLASSES, name_of};
use crate::account::cost::Interval;
use crate::account::entry::{Entry, share};
use crate::account::exact::Femtojoules;
use crate::account::{Accounts, Areas, BlockAccount, OperationAccount};
use crate::units::Joules;

/// The key of the row that holds what no entry does.
pub const UNATTRIBUTED: &str = "(unattributed)";
/// The columns that every table shares, after its key.
pub(super) const FIGURE_COLUMNS: &str = "executions,energy_j,energy_lo_j,energy_hi_j,share";

/// One file of the `accounts` folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// File name: `blocks.csv`.
    pub name: &'static str,
    /// The whole text.
    pub text: String,
}

/// The files of the `accounts` folder: one per level, and `areas.csv` where methods were
/// sampled.
pub fn tables(accounts: &Accounts) -> Vec<TableFile> {
    let areas = accounts.areas.as_ref();
    let areas = areas.map(|areas| TableFile { name: "areas.csv", text: areas_csv(areas) });
    levels(accounts).into_iter().chain(areas).collect()
}

/// The six levels.
fn levels(accounts: &Accounts) -> Vec<TableFile> {
    [
        ("operations.csv", operations_csv(accounts)),
        ("blocks.csv", blocks_csv(accounts)),
        ("lines.csv", lines_csv(accounts)),
        ("methods.csv", methods_csv(accounts)),
        ("classes.csv", classes_csv(accounts)),
        ("packages.csv", packages_csv(accounts)),
    ]
    .map(|(name, text)| TableFile { name, text })
    .into()
}

/// `class, method, samples, sampled_j, counted_j, energy_j, energy_lo_j, energy_hi_j, weight,
/// place_factor`: a method (or those that bytecode doesn't tell apart, joined by `+`), what
/// samples and what counts alone say of it, both together, and how much of that is the
/// samples' word. The place factor is the same in every row.
pub fn areas_csv(areas: &Areas) -> String {
    let mut text = String::from(
        "class,method,samples,sampled_j,counted_j,energy_j,energy_lo_j,energy_hi_j,weight,\
         place_factor\n",
    );
    for area in &areas.areas {
        let names: Vec<&str> = area.methods.iter().map(|key| key.method.as_str()).collect();
        let (lo, hi) = ends(Some(area.interval));
        let fields = [
            area.methods.first().map_or(String::new(), |key| field(&key.class)),
            field(&names.join(" + ")),
            area.samples.to_string(),
            number(area.sampled.0),
            number(area.counted.0),
            area.energy.to_string(),
            lo,
            hi,
            optional(Some(area.weight)),
            optional(Some(areas.place_factor)),
        ];
        line(&mut text, &fields);
    }
    text
}

/// `operation, FIGURE, class, cost_j, estimable, costed_as, unknown`.
pub fn operations_csv(accounts: &Accounts) -> String {
    let mut text =
        format!("operation,{FIGURE_COLUMNS},class,cost_j,estimable,costed_as,unknown_executions\n");
    for operation in &accounts.operations {
        let OperationAccount { entry, class, cost, estimable, costed_as } = operation;
        let fields = [
            field(&entry.key),
            figure(entry),
            class.map_or(String::new(), |class| name_of(class).to_string()),
            cost.map_or(String::new(), |cost| number(cost.0)),
            estimable.map_or(String::new(), |yes| yes.to_string()),
            costed_as.as_deref().map_or(String::new(), field),
            entry.unknown.to_string(),
        ];
        line(&mut text, &fields);
    }
    line(&mut text, &[UNATTRIBUTED.into(), remainder(accounts), ",,,,".into()]);
    text
}

/// `file, line, FIGURE, unknown, determined`.
pub fn lines_csv(accounts: &Accounts) -> String {
    let mut text = format!("file,line,{FIGURE_COLUMNS},unknown_executions,determined\n");
    for entry in &accounts.lines {
        let key = [field(&entry.key.file), entry.key.line.to_string()];
        line(&mut text, &[key.join(","), figure(entry), last(entry)]);
    }
    line(&mut text, &[UNATTRIBUTED.into(), String::new(), remainder(accounts), ",".into()]);
    text
}

/// `class, method, FIGURE, unknown, determined`.
pub fn methods_csv(accounts: &Accounts) -> String {
    let mut text = format!("class,method,{FIGURE_COLUMNS},unknown_executions,determined\n");
    for entry in &accounts.methods {
        let key = [field(&entry.key.class), field(&entry.key.method)];
        line(&mut text, &[key.join(","), figure(entry), last(entry)]);
    }
    line(&mut text, &[UNATTRIBUTED.into(), String::new(), remainder(accounts), ",".into()]);
    text
}

/// `class, FIGURE, unknown, determined`.
pub fn classes_csv(accounts: &Accounts) -> String {
    named_csv(accounts, "class", &accounts.classes)
}

/// `package, FIGURE, unknown, determined`.
pub fn packages_csv(accounts: &Accounts) -> String {
    named_csv(accounts, "package", &accounts.packages)
}

/// A level whose key is one name.
pub(super) fn named_csv(accounts: &Accounts, key: &str, entries: &[Entry<String>]) -> String {
    let mut text = format!("{key},{FIGURE_COLUMNS},unknown_executions,determined\n");
    for entry in entries {
        line(&mut text, &[field(&entry.key), figure(entry), last(entry)]);
    }
    line(&mut text, &[UNATTRIBUTED.into(), remainder(accounts), ",".into()]);
    text
}

/// `block, name, kind, class, method, file, start_line, end_line, FIGURE, cost_j,
/// cost_lo_j, cost_hi_j, energy_3000_j`, the eight class shares, `unknown`,
/// `determined`.
pub fn blocks_csv(accounts: &Accounts) -> String {
    let shares = CLASSES.map(|class| format!("{}_share", name_of(class))).join(",");
    let mut text = format!(
        "block,name,kind,class,method,file,start_line,end_line,{FIGURE_COLUMNS},\
         cost_j,cost_lo_j,cost_hi_j,energy_3000_j,{shares},unknown_executions,determined\n"
    );
    for block in &accounts.blocks {
        line(&mut text, &block_fields(block));
    }
    let empty = ",".repeat(3 + CLASSES.len() + 2);
    let key = format!(",{UNATTRIBUTED},,,,,,");
    line(&mut text, &[key, remainder(accounts), empty]);
    text
}

/// Executions of unknown cost, and whether the cases alone determine the energy.
fn last<K>(entry: &Entry<K>) -> String {
    format!("{},{}", entry.unknown, entry.determined)
}

/// The fields of one block.
fn block_fields(block: &BlockAccount) -> Vec<String> {
    let (lo, hi) = ends(block.cost_interval);
    let mut fields = vec![
        block.entry.key.0.to_string(),
        field(&block.name),
        field(&block.kind),
        field(&block.class),
        field(&block.method),
        field(&block.file),
        block.start_line.to_string(),
        block.end_line.to_string(),
        figure(&block.entry),
        number(block.cost.0),
        lo,
        hi,
        number(block.energy_of_3000().0),
    ];
    let shares = CLASSES.map(|class| optional(block.class_share(class)));
    fields.extend(shares);
    fields.push(last(&block.entry));
    fields
}

/// `ledger.csv`: `entry, energy_j, energy_lo_j, energy_hi_j, share, remark`; the first row,
/// `measured`, is the sum of the others.
pub fn ledger_csv(accounts: &Accounts) -> String {
    let mut text = String::from("entry,energy_j,energy_lo_j,energy_hi_j,share,remark\n");
    for row in &accounts.ledger.rows {
        let (lo, hi) = ends(row.interval);
        let (name, share) = (row.entry.name().into(), optional(row.share));
        let fields = [name, row.energy.to_string(), lo, hi, share, row.remark.into()];
        line(&mut text, &fields);
    }
    text
}

/// The shared columns of an entry.
fn figure<K>(entry: &Entry<K>) -> String {
    let Entry { executions, energy, interval, share, .. } = entry;
    format!("{executions},{}", spent(*energy, *interval, *share))
}

/// An energy, both ends of its interval, its share.
pub(super) fn spent(energy: Femtojoules, interval: Option<Interval>, share: Option<f64>) -> String {
    let (lo, hi) = ends(interval);
    [energy.to_string(), lo, hi, optional(share)].join(",")
}

/// The shared columns of the row that holds what no entry does.
pub(super) fn remainder(accounts: &Accounts) -> String {
    let energy = accounts.unattributed();
    let share = optional(share(energy, accounts.ledger.above_idle()));
    ["", &energy.to_string(), "", "", &share].join(",")
}

/// Ends of an interval with an energy's decimals; empty where there is none.
fn ends(interval: Option<Interval>) -> (String, String) {
    let text = |end: Joules| Femtojoules::from_joules(end).to_string();
    interval.map_or((String::new(), String::new()), |i| (text(i.lo), text(i.hi)))
}

/// The shortest decimal text that reads back to the same number.
fn number(value: f64) -> String {
    format!("{value}")
}

/// A ratio with nine decimals; empty where there is none.
fn optional(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.9}"))
}

/// A text field, quoted where CSV asks for it.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

/// Appends one line.
pub(super) fn line(text: &mut String, fields: &[String]) {
    writeln!(text, "{}", fields.join(",")).expect("writing to a String can't fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    /// Sum of the column `energy_j` over all rows, exactly, and how many fields differ
    /// from the header's number (the reader would say so).
    fn sum(text: &str) -> Femtojoules {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let column = reader.headers().unwrap().iter().position(|name| name == "energy_j").unwrap();
        reader.records().map(|row| Femtojoules::parse(&row.unwrap()[column]).unwrap()).sum()
    }

    #[test]
    fn printed_decimals_of_every_level_add_up_exactly() {
        let accounts = account(&sample::awkward().scenario());
        let expected = accounts.ledger.above_idle();
        for table in tables(&accounts) {
            assert_eq!(sum(&table.text), expected, "{}", table.name);
        }
        let measured = accounts.ledger.energy(crate::account::LedgerEntry::Measured);
        assert_eq!(sum(&ledger_csv(&accounts)), measured + measured, "the whole and its parts");
    }

    #[test]
    fn the_second_view_of_a_block_is_3000_times_its_cost() {
        let accounts = account(&sample::block_of_30_6_microjoules().scenario());
        let block = &accounts.blocks[0];
        assert_eq!(block.cost.to_string(), "30.6 uJ");
        assert_eq!(block.energy_of_3000().to_string(), "91.8 mJ");
    }

    #[test]
    fn names_that_csv_must_quote_read_back() {
        let accounts = account(&sample::awkward().scenario());
        let text = blocks_csv(&accounts);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = reader.records().map(|row| row.unwrap()[1].to_string()).collect();
        assert!(names.contains(&"A.mix(int,String[])".to_string()), "{names:?}");
    }
}
