//! Quantity and unit of a column, from its title.

use thiserror::Error;

use crate::shortened::shortened;

/// Physical quantity of a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Times, in nanoseconds.
    Time,
    /// Power, in watts.
    Power,
    /// Energy, in joules.
    Energy,
    /// Voltage, in volts.
    Voltage,
    /// Current, in amperes.
    Current,
}

/// Column of a table with the factor that converts its numbers to the base unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitColumn {
    /// Index of the column, from 0.
    pub at: usize,
    /// Nanoseconds, watts, joules, volts or amperes per unit of the column.
    pub factor: f64,
    /// Whether the title names a unit.
    pub has_unit: bool,
}

/// Titles that are ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TitleError {
    /// Several columns of one quantity.
    #[error("{} columns are of {quantity}: {columns}; leave one of them in the table", .count)]
    Several {
        /// The quantity.
        quantity: &'static str,
        /// Number of these columns.
        count: usize,
        /// Their titles.
        columns: String,
    },
    /// A unit that is milli or mega.
    #[error(
        "`{}`: the unit may be {milli} or {mega}; write it with a small or a capital `m` in a \
         title that has other small letters",
        shortened(title)
    )]
    MilliOrMega {
        /// The title.
        title: String,
        /// `mW`.
        milli: &'static str,
        /// `MW`.
        mega: &'static str,
    },
}

type Units = &'static [(&'static str, f64)];

const TIMES: Units = &[
    ("s", 1e9),
    ("sec", 1e9),
    ("secs", 1e9),
    ("second", 1e9),
    ("seconds", 1e9),
    ("ms", 1e6),
    ("msec", 1e6),
    ("millis", 1e6),
    ("milliseconds", 1e6),
    ("us", 1e3),
    ("µs", 1e3),
    ("usec", 1e3),
    ("microseconds", 1e3),
    ("ns", 1.0),
    ("nsec", 1.0),
    ("nanoseconds", 1.0),
    ("min", 60e9),
    ("minutes", 60e9),
    ("h", 3600e9),
    ("hours", 3600e9),
];
const WATTS: Units = &[
    ("W", 1.0),
    ("watt", 1.0),
    ("watts", 1.0),
    ("mW", 1e-3),
    ("milliwatts", 1e-3),
    ("uW", 1e-6),
    ("µW", 1e-6),
    ("kW", 1e3),
    ("MW", 1e6),
];
const JOULES: Units = &[
    ("J", 1.0),
    ("joule", 1.0),
    ("joules", 1.0),
    ("Ws", 1.0),
    ("mJ", 1e-3),
    ("millijoules", 1e-3),
    ("mWs", 1e-3),
    ("uJ", 1e-6),
    ("µJ", 1e-6),
    ("microjoules", 1e-6),
    ("uWs", 1e-6),
    ("nJ", 1e-9),
    ("kJ", 1e3),
    ("MJ", 1e6),
    ("Wh", 3600.0),
    ("mWh", 3.6),
    ("uWh", 3.6e-3),
    ("µWh", 3.6e-3),
    ("kWh", 3.6e6),
    ("MWh", 3.6e9),
];
const VOLTS: Units = &[("V", 1.0), ("volts", 1.0), ("mV", 1e-3), ("uV", 1e-6), ("µV", 1e-6)];
const AMPERES: Units = &[
    ("A", 1.0),
    ("amps", 1.0),
    ("amperes", 1.0),
    ("mA", 1e-3),
    ("uA", 1e-6),
    ("µA", 1e-6),
    ("nA", 1e-9),
];

impl Quantity {
    const ALL: [Self; 5] = [Self::Time, Self::Power, Self::Energy, Self::Voltage, Self::Current];

    /// Returns its name in messages: `power`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Power => "power",
            Self::Energy => "energy",
            Self::Voltage => "voltage",
            Self::Current => "current",
        }
    }

    /// Returns the words that titles of this quantity begin with, in small letters.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Time => &["time", "timestamp", "t", "elapsed", "seconds", "zeit", "temps"],
            Self::Power => &["power", "p", "watts", "leistung", "puissance"],
            Self::Energy => &["energy", "e", "joules", "energie"],
            Self::Voltage => &["voltage", "volts", "volt", "v", "u", "spannung", "tension"],
            Self::Current => &["current", "amperes", "amps", "i", "a", "strom", "courant"],
        }
    }

    /// Returns the units with their factors; the first is that of titles without one.
    pub fn units(self) -> Units {
        match self {
            Self::Time => TIMES,
            Self::Power => WATTS,
            Self::Energy => JOULES,
            Self::Voltage => VOLTS,
            Self::Current => AMPERES,
        }
    }
}

/// Removes the brackets around a unit.
fn bare_unit(cell: &str) -> &str {
    cell.trim_matches(['[', ']', '(', ')', ' '])
}

/// Whether a cell is a unit and nothing else, in brackets or not.
fn is_unit(cell: &str) -> bool {
    let cell = plain_micro(bare_unit(cell));
    Quantity::ALL.iter().any(|quantity| quantity.units().iter().any(|(unit, _)| *unit == cell))
}

/// Whether cells are the units of as many titles: a second line of titles, `s;mW`.
pub(crate) fn is_units_row(cells: &[String], titles: usize) -> bool {
    let is = |cell: &String| cell.is_empty() || is_unit(cell);
    cells.len() == titles && cells.iter().all(is) && cells.iter().any(|cell| is_unit(cell))
}

/// Appends the units of the line below to the titles: `power` above `mW` is `power [mW]`.
pub(crate) fn with_units(titles: Vec<String>, units: &[String]) -> Vec<String> {
    let unit = |at: usize| units.get(at).filter(|unit| !unit.is_empty());
    let with_unit = |(at, title): (usize, String)| match unit(at) {
        Some(unit) => format!("{title} [{}]", bare_unit(unit)),
        None => title,
    };
    titles.into_iter().enumerate().map(with_unit).collect()
}

/// Replaces Greek mu by the micro sign, which looks alike.
fn plain_micro(text: &str) -> String {
    text.replace('\u{3bc}', "\u{b5}")
}

/// Splits a title into words, case kept: `Power (mW)`, `current_mA`, `time[s]`, `Energy in kWh`.
fn words(title: &str) -> Vec<String> {
    let title = plain_micro(title);
    let parts = title.split(|c: char| !c.is_alphanumeric() && c != 'µ');
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Returns the factor of the unit that a title ends with; `None` where its last word is no unit
/// of the quantity.
///
/// # Errors
/// Letters that leave milli and mega open.
pub fn title_unit(title: &str, quantity: Quantity) -> Result<Option<f64>, TitleError> {
    let words = words(title);
    let Some(unit) = words.get(1..).and_then(<[String]>::last) else { return Ok(None) };
    let alike = |unit: &str| {
        let units = quantity.units().iter().copied();
        units.filter(|(name, _)| name.to_lowercase() == unit.to_lowercase()).collect::<Vec<_>>()
    };
    match alike(unit)[..] {
        [] => Ok(None),
        [(_, factor)] => Ok(Some(factor)),
        [(milli, factor), (mega, larger), ..] => {
            let is_shouted = !title.chars().any(char::is_lowercase);
            if unit.starts_with('m') {
                Ok(Some(factor))
            } else if is_shouted {
                Err(TitleError::MilliOrMega { title: title.to_owned(), milli, mega })
            } else {
                Ok(Some(larger))
            }
        }
    }
}

/// Finds the column of a quantity: its title begins with a word for it and ends with a unit, or
/// has no other word. A title that has no further words goes before others, one with a unit
/// before one without.
///
/// # Errors
/// Several columns that fit alike, a unit that is not clear.
pub fn quantity_column(
    titles: &[&str],
    quantity: Quantity,
) -> Result<Option<UnitColumn>, TitleError> {
    let mut found: Vec<(u8, UnitColumn)> = Vec::new();
    for (at, title) in titles.iter().enumerate() {
        let words = words(title);
        let Some(first) = words.first().map(|word| word.to_lowercase()) else { continue };
        if !quantity.words().contains(&first.as_str()) {
            continue;
        }
        let unit = title_unit(title, quantity)?;
        let (_, default) = quantity.units()[0];
        let column = |factor, has_unit| UnitColumn { at, factor, has_unit };
        match (unit, words.len()) {
            (Some(factor), 2) => found.push((0, column(factor, true))),
            (None, 1) => found.push((1, column(default, false))),
            (Some(factor), _) => found.push((2, column(factor, true))),
            (None, _) => {}
        }
    }
    let Some(best) = found.iter().map(|(rank, _)| *rank).min() else { return Ok(None) };
    let best: Vec<UnitColumn> =
        found.into_iter().filter(|(rank, _)| *rank == best).map(|(_, column)| column).collect();
    match best[..] {
        [column] => Ok(Some(column)),
        _ => Err(TitleError::Several {
            quantity: quantity.name(),
            count: best.len(),
            columns: best
                .iter()
                .map(|c| format!("`{}`", shortened(titles[c.at])))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(titles: &[&str], quantity: Quantity) -> Option<(usize, f64)> {
        quantity_column(titles, quantity).unwrap().map(|column| (column.at, column.factor))
    }

    #[test]
    fn titles_name_quantity_and_unit() {
        for (title, quantity, factor) in [
            ("power_w", Quantity::Power, 1.0),
            ("Power (mW)", Quantity::Power, 1e-3),
            ("Power [kW]", Quantity::Power, 1e3),
            ("power_mw", Quantity::Power, 1e-3),
            ("Power (MW)", Quantity::Power, 1e6),
            ("P/W", Quantity::Power, 1.0),
            ("time", Quantity::Time, 1e9),
            ("timestamp[us]", Quantity::Time, 1e3),
            ("Time (μs)", Quantity::Time, 1e3),
            ("seconds", Quantity::Time, 1e9),
            ("Energy in kWh", Quantity::Energy, 3.6e6),
            ("energy_mj", Quantity::Energy, 1e-3),
            ("Energie (Wh)", Quantity::Energy, 3600.0),
            ("Spannung in V", Quantity::Voltage, 1.0),
            ("current-mA", Quantity::Current, 1e-3),
        ] {
            assert_eq!(column(&["x", title], quantity), Some((1, factor)), "{title}");
        }
        assert_eq!(column(&["power_hp", "powerful", "state"], Quantity::Power), None);
    }

    #[test]
    fn of_several_columns_the_plainest_is_taken_or_none() {
        let titles = ["time_s", "Power CPU (W)", "power_w"];
        assert_eq!(column(&titles, Quantity::Power), Some((2, 1.0)));
        assert_eq!(column(&["Time", "Time (ms)"], Quantity::Time), Some((1, 1e6)));
        let titles = ["Power CPU (W)", "Power GPU (W)"];
        let error = quantity_column(&titles, Quantity::Power).unwrap_err().to_string();
        assert!(error.starts_with("2 columns are of power: `Power CPU (W)`, `Power"), "{error}");
    }

    #[test]
    fn milli_and_mega_are_told_apart_or_refused() {
        let error = quantity_column(&["POWER_MW"], Quantity::Power).unwrap_err().to_string();
        assert!(error.contains("may be mW or MW"), "{error}");
        assert_eq!(title_unit("ENERGY (mJ)", Quantity::Energy), Ok(Some(1e-3)));
        assert_eq!(title_unit("POWER_W", Quantity::Power), Ok(Some(1.0)));
        assert_eq!(title_unit("energy", Quantity::Energy), Ok(None));
    }

    #[test]
    fn units_alone() {
        assert!(is_unit("[mW]") && is_unit("µs") && is_unit("s"));
        assert!(!is_unit("state") && !is_unit("") && !is_unit("5"));
    }
}
