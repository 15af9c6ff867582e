//! Two logs of one device against each other: how long, how often, at what power and for how
//! much energy, by state, component and activity, with differences and ratios.

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::units::{Joules, Seconds, Watts};

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::usage::Occupancy;
use super::optional_field;
use super::printed_table::{PrintedTable, figure_or_dash, interval_or_dash, percent_text};
use super::usage_rows::{UsageRow, UsageSubject, usage_rows};

/// Node in both logs, with its rows compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedNode {
    /// Its name in the new log.
    pub node: String,
    /// Its name in the base's.
    pub base: String,
    /// States, components and activities of either; the node itself.
    pub rows: Vec<ComparedRow>,
}

/// State, component or activity in both logs, with its figures in each.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRow {
    /// In the base.
    pub base: UsageRow,
    /// In the new log.
    pub new: UsageRow,
}

/// Quantity that is compared between the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComparedQuantity {
    Time,
    DutyCycle,
    Occurrences,
    Power,
    MeanPower,
    Energy,
}

/// All compared quantities, in the order of the table.
const QUANTITIES: [ComparedQuantity; 6] = [
    ComparedQuantity::Time,
    ComparedQuantity::DutyCycle,
    ComparedQuantity::Occurrences,
    ComparedQuantity::Power,
    ComparedQuantity::MeanPower,
    ComparedQuantity::Energy,
];

impl ComparedQuantity {
    /// Returns the name in the table, with the unit.
    fn column(self) -> &'static str {
        match self {
            Self::Time => "time_s",
            Self::DutyCycle => "duty_cycle",
            Self::Occurrences => "occurrences",
            Self::Power => "power_w",
            Self::MeanPower => "mean_power_w",
            Self::Energy => "energy_j",
        }
    }

    /// Returns the caption of the quantity's table.
    fn caption(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::DutyCycle => "duty cycle",
            Self::Occurrences => "occurrences",
            Self::Power => "power of each state above its baseline",
            Self::MeanPower => "mean power",
            Self::Energy => "energy",
        }
    }

    fn value_in(self, row: &UsageRow) -> Option<f64> {
        match self {
            Self::Time => row.occupancy.map(|of| of.time_s),
            Self::DutyCycle => row.duty_cycle(),
            Self::Occurrences => row.occupancy.map(|of| of.occurrences as f64),
            Self::Power => row.power.map(|power| power.w),
            Self::MeanPower => row.mean_power_w(),
            Self::Energy => row.energy_j,
        }
    }

    /// Returns the 95 % interval in a row, where the quantity has one.
    fn interval(self, row: &UsageRow) -> Option<(f64, f64)> {
        match self {
            Self::Power => row.power.and_then(|power| power.interval_w),
            Self::MeanPower => row.mean_power_interval_w(),
            Self::Energy => row.interval_j,
            Self::Time | Self::DutyCycle | Self::Occurrences => None,
        }
    }

    fn format_value(self, value: f64) -> String {
        match self {
            Self::Time => Seconds(value).to_string(),
            Self::DutyCycle => percent_text(value),
            Self::Occurrences => value.to_string(),
            Self::Power | Self::MeanPower => Watts(value).to_string(),
            Self::Energy => Joules(value).to_string(),
        }
    }
}

/// Values of a quantity in both logs, with the interval of their difference.
struct ComparedFigures {
    base: Option<f64>,
    new: Option<f64>,
    /// The 95 % interval of the difference, as if both logs erred independently.
    interval: Option<(f64, f64)>,
}

impl ComparedFigures {
    fn of(row: &ComparedRow, quantity: ComparedQuantity) -> Self {
        let (base, new) = (quantity.value_in(&row.base), quantity.value_in(&row.new));
        let half = |(lo, hi): (f64, f64)| (hi - lo) / 2.0;
        let intervals = quantity.interval(&row.base).zip(quantity.interval(&row.new));
        let error = intervals.map(|(base, new)| half(base).hypot(half(new)));
        let difference = base.zip(new).map(|(base, new)| new - base);
        let interval = difference.zip(error).map(|(of, error)| (of - error, of + error));
        Self { base, new, interval }
    }

    fn difference(&self) -> Option<f64> {
        self.base.zip(self.new).map(|(base, new)| new - base)
    }

    fn ratio(&self) -> Option<f64> {
        let both = self.base.zip(self.new);
        both.filter(|(base, _)| *base != 0.0).map(|(base, new)| new / base)
    }

    fn is_empty(&self) -> bool {
        self.base.is_none() && self.new.is_none()
    }
}

/// Compares the nodes with one name in both logs, or the only nodes of both.
#[must_use]
pub fn compare_nodes(new: &[Analysis], base: &[Analysis], labels: &Labels) -> Vec<ComparedNode> {
    let pairs: Vec<(&Analysis, &Analysis)> = match (new, base) {
        ([new], [base]) => vec![(new, base)],
        _ => {
            let other = |new: &Analysis| base.iter().find(|base| base.log.node == new.log.node);
            new.iter().filter_map(|new| other(new).map(|base| (new, base))).collect()
        }
    };
    let node = |(new, base): (&Analysis, &Analysis)| ComparedNode {
        node: new.log.node.clone(),
        base: base.log.node.clone(),
        rows: compared_rows(new, base, labels),
    };
    pairs.into_iter().map(node).collect()
}

/// Returns the rows that either log has.
fn compared_rows(new: &Analysis, base: &Analysis, labels: &Labels) -> Vec<ComparedRow> {
    let (news, mut bases) = (usage_rows(new, labels), usage_rows(base, labels));
    let mut rows = Vec::new();
    for row in news {
        let at = bases.iter().position(|other| other.of == row.of && other.name == row.name);
        let other = at.map_or_else(|| absent_row(base, &row), |at| bases.remove(at));
        rows.push(ComparedRow { base: other, new: row });
    }
    let only_base = bases.into_iter();
    rows.extend(only_base.map(|row| ComparedRow { new: absent_row(new, &row), base: row }));
    rows.sort_by_key(|row| row.new.of);
    rows
}

/// Returns the row of a state or an activity that never occurs in a log: no time, and no energy
/// where energies are known.
fn absent_row(analysis: &Analysis, other: &UsageRow) -> UsageRow {
    let is_metered = analysis.account.is_some() && other.energy_j.is_some();
    UsageRow {
        of: other.of,
        name: other.name.clone(),
        occupancy: other.occupancy.map(|_| Occupancy::default()),
        watched_s: super::super::usage::NodeUsage::of(analysis).watched_s,
        power: None,
        energy_j: is_metered.then_some(0.0),
        interval_j: is_metered.then_some((0.0, 0.0)),
    }
}

/// Columns of `comparison.csv`.
pub(super) const COMPARISON_COLUMNS: [DeclaredColumn; 11] = [
    DeclaredColumn::text("node", "Node of the new log"),
    DeclaredColumn::text("base_node", "Node of the old log"),
    DeclaredColumn::text("of", "Kind of the row: state, component, activity or node"),
    DeclaredColumn::text("name", "State, component, activity or node"),
    DeclaredColumn::text("quantity", "Quantity, with its unit"),
    DeclaredColumn::number("base", "Value of the old log"),
    DeclaredColumn::number("new", "Value of the new log"),
    DeclaredColumn::number("difference", "New less old"),
    DeclaredColumn::number("difference_lo", "Lower end of its 95 % interval"),
    DeclaredColumn::number("difference_hi", "Upper end of its 95 % interval"),
    DeclaredColumn::number("ratio", "New over old"),
];

/// Returns `comparison.csv`: a row for each quantity of each state, component, activity and node.
#[must_use]
pub fn comparison_csv(nodes: &[ComparedNode]) -> String {
    let mut lines = CsvText::new(COMPARISON_COLUMNS);
    for node in nodes {
        for row in &node.rows {
            for quantity in QUANTITIES {
                let figures = ComparedFigures::of(row, quantity);
                if figures.is_empty() {
                    continue;
                }
                let names =
                    [node.node.as_str(), &node.base, row.new.of.subject_word(), &row.new.name];
                let names = names.into_iter().chain([quantity.column()]).map(String::from);
                let (lo, hi) = figures.interval.unzip();
                let (difference, ratio) = (figures.difference(), figures.ratio());
                let values = [figures.base, figures.new, difference, lo, hi, ratio];
                lines.row(names.chain(values.map(optional_field)));
            }
        }
    }
    lines.text()
}

/// Returns a printed table for each quantity of a node.
#[must_use]
pub fn comparison_tables(node: &ComparedNode) -> Vec<PrintedTable> {
    QUANTITIES.into_iter().filter_map(|quantity| quantity_table(node, quantity)).collect()
}

fn quantity_table(node: &ComparedNode, quantity: ComparedQuantity) -> Option<PrintedTable> {
    let columns = ["", "base", "new", "difference", "95 % interval", "ratio"];
    let caption = format!("node {} against {}: {}", node.node, node.base, quantity.caption());
    let mut table = PrintedTable::new(caption, &columns);
    for row in &node.rows {
        let figures = ComparedFigures::of(row, quantity);
        // A component of two states has the figures of its only state that is not its baseline.
        if figures.is_empty()
            || (row.new.of == UsageSubject::Component && has_single_state(node, row))
        {
            continue;
        }
        let shown =
            |value: Option<f64>| figure_or_dash(value.map(|value| quantity.format_value(value)));
        let cells = vec![
            shown(figures.base),
            shown(figures.new),
            shown(figures.difference()),
            interval_or_dash(figures.interval, |value| quantity.format_value(value)),
            figure_or_dash(figures.ratio().map(|ratio| format!("{ratio:.3}"))),
        ];
        table.rows.push((row.new.name.clone(), cells));
    }
    if quantity.never_has_interval() {
        table.columns.retain(|column| column != "95 % interval");
        table.rows.iter_mut().for_each(|(_, cells)| {
            cells.remove(3);
        });
    }
    (!table.rows.is_empty()).then_some(table)
}

impl ComparedQuantity {
    /// Whether the quantity never has an interval.
    fn never_has_interval(self) -> bool {
        matches!(self, Self::Time | Self::DutyCycle | Self::Occurrences)
    }
}

/// Whether a component has only one state beside its baseline.
fn has_single_state(node: &ComparedNode, component: &ComparedRow) -> bool {
    let of = format!("{}:", component.new.name);
    let states = node.rows.iter().filter(|row| row.new.of == UsageSubject::State);
    states.filter(|row| row.new.name.starts_with(&of)).count() <= 2
}

#[cfg(test)]
mod tests {
    use super::super::super::{AnalysisOptions, analyse, read_csv};
    use super::*;

    fn analysed(lines: &str, labels: &mut Labels) -> Analysis {
        let log = read_csv(&format!("time_s,component,event,value\n{lines}"), "1", labels);
        analyse(log, labels, &AnalysisOptions::default()).unwrap()
    }

    #[test]
    fn both_logs_stand_beside_each_other() {
        let mut labels = Labels::default();
        // 1 W constant; the radio draws 2 W more: for 1 of 10 s, then for 2 of 5 s.
        let base = analysed(
            "0,R,state,off\n0,,energy,0\n4,R,state,on\n4,R,set,a\n4,,energy,4\n5,R,state,off\n\
             5,R,clear,\n5,,energy,7\n10,,energy,12\n",
            &mut labels,
        );
        let new = analysed(
            "0,R,state,off\n0,,energy,0\n1,R,state,on\n1,R,set,b\n1,,energy,1\n3,R,state,off\n\
             3,R,clear,\n3,,energy,7\n5,,energy,9\n",
            &mut labels,
        );
        let nodes = compare_nodes(&[new], &[base], &labels);
        let text = comparison_csv(&nodes);
        let figures = |start: &str| -> Vec<f64> {
            let line = text.lines().find(|line| line.starts_with(start));
            let line = line.unwrap_or_else(|| panic!("{start}: {text}"));
            line[start.len()..].split(',').map(|f| f.parse().unwrap_or(f64::NAN)).collect()
        };
        let near = |start: &str, wanted: [f64; 3]| {
            let found = figures(start);
            let all = found[..3].iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(all, "{start}: {found:?}");
        };
        near("1,1,state,R:on,duty_cycle,", [0.1, 0.4, 0.3]);
        near("1,1,state,R:on,power_w,", [2.0, 2.0, 0.0]);
        near("1,1,component,R,mean_power_w,", [0.2, 0.8, 0.6]);
        near("1,1,activity,1:a,energy_j,", [2.0, 0.0, -2.0]);
        near("1,1,activity,1:b,time_s,", [0.0, 2.0, 2.0]);
        near("1,1,node,(total),energy_j,", [12.0, 9.0, -3.0]);
        assert!((figures("1,1,node,(total),energy_j,")[5] - 0.75).abs() < 1e-9);
        assert!(figures("1,1,activity,1:b,time_s,")[5].is_nan(), "no ratio to nothing");
        let tables = comparison_tables(&nodes[0]);
        assert_eq!(tables[1].caption, "node 1 against 1: duty cycle");
        let row = tables[1].rows.iter().find(|(name, _)| name == "R:on").unwrap();
        assert_eq!(row.1, ["10.00 %", "40.00 %", "30.00 %", "4.000"]);
    }

    #[test]
    fn nodes_of_several_are_matched_by_name() {
        let mut labels = Labels::default();
        let lines = "0,R,state,off\n0,,energy,0\n1,,energy,1\n";
        let mut all: Vec<Analysis> = (0..2).map(|_| analysed(lines, &mut labels)).collect();
        all[1].log.node = "2".into();
        let one = vec![all[1].clone()];
        let pairs = compare_nodes(&all, &one, &labels);
        assert_eq!((pairs.len(), pairs[0].node.as_str()), (1, "2"));
        all[1].log.node = "3".into();
        assert!(compare_nodes(&all, &one, &labels).is_empty());
    }
}
