//! The patterns and levels of the full table that measurements lack.

use std::collections::BTreeSet;
use std::fmt;

use super::factors::FactorMeasurements;
use super::patterns::{FACTORS, FactorPattern, patterns};

/// Most levels without a measurement that a message names.
const LISTED_LEVELS: usize = 12;

/// The patterns of the full table without a measurement, and the levels without any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPatterns {
    /// Number of patterns in the full table.
    pub all: usize,
    /// Patterns without a measurement.
    pub patterns: Vec<FactorPattern>,
    /// Factors and names of levels without a measurement, which have no effect then.
    pub levels: Vec<(&'static str, &'static str)>,
}

impl MissingPatterns {
    /// What measurements lack; `None` if they are of no pattern of the table, but of something
    /// else, or without one of the factors that make a pattern.
    #[must_use]
    pub fn of(data: &FactorMeasurements) -> Option<Self> {
        // The last one is the device, which no pattern names.
        let factors = &FACTORS[..FACTORS.len() - 1];
        if !factors.iter().all(|factor| data.names.iter().any(|name| name == factor)) {
            return None;
        }
        let level = |row: &[usize], factor: &str| {
            let levels = row.iter().filter_map(|at| data.levels.get(*at));
            let mut named = levels.filter(|level| level.factor == factor);
            named.next().map_or("", |level| level.name.as_str())
        };
        let measured: BTreeSet<Vec<&str>> = data
            .rows
            .iter()
            .map(|row| factors.iter().map(|factor| level(row, factor)).collect())
            .collect();
        let key = |pattern: &FactorPattern| -> Vec<&str> {
            factors.iter().map(|factor| level_of(pattern, factor)).collect()
        };
        let all = patterns();
        let missing: Vec<FactorPattern> =
            all.iter().filter(|pattern| !measured.contains(&key(pattern))).copied().collect();
        if missing.len() == all.len() {
            return None;
        }
        let mut levels: Vec<(&str, &str)> = Vec::new();
        for factor in factors.iter().copied() {
            for pattern in &missing {
                let name = level_of(pattern, factor);
                let is_there = name.is_empty() || data.place(factor, name).is_some();
                if !is_there && !levels.contains(&(factor, name)) {
                    levels.push((factor, name));
                }
            }
        }
        Some(Self { all: all.len(), patterns: missing, levels })
    }
}

fn level_of(pattern: &FactorPattern, factor: &str) -> &'static str {
    match factor {
        "operation" => pattern.operation,
        "size" => pattern.size,
        _ => pattern.kind,
    }
}

impl fmt::Display for MissingPatterns {
    /// `172 of 174 patterns measured; not measured: ...; no effect of: ...`. A category without any
    /// measurement is named as one.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measured = self.all - self.patterns.len();
        write!(to, "{measured} of {} patterns measured", self.all)?;
        let all = patterns();
        let mut names: Vec<String> = Vec::new();
        for category in all.iter().map(|pattern| pattern.category).collect::<BTreeSet<_>>() {
            let is_of = |pattern: &&FactorPattern| pattern.category == category;
            let missing: Vec<&FactorPattern> = self.patterns.iter().filter(is_of).collect();
            if missing.len() > 1 && missing.len() == all.iter().filter(is_of).count() {
                names.push(format!("all {} of {category}", missing.len()));
            } else {
                names.extend(missing.into_iter().map(name_of));
            }
        }
        if !names.is_empty() {
            write!(to, "; not measured: {}", names.join("; "))?;
        }
        if !self.levels.is_empty() {
            let levels = self.levels.iter().take(LISTED_LEVELS);
            let levels: Vec<String> =
                levels.map(|(factor, name)| format!("{factor} {name}")).collect();
            write!(to, "; no effect of: {}", levels.join(", "))?;
            if let more @ 1.. = self.levels.len().saturating_sub(LISTED_LEVELS) {
                write!(to, " and {more} more")?;
            }
        }
        Ok(())
    }
}

/// The levels of a pattern: `Addition Load int`.
fn name_of(pattern: &FactorPattern) -> String {
    let levels = [pattern.operation, pattern.size, pattern.kind];
    levels.into_iter().filter(|level| !level.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurements(of: impl Fn(&FactorPattern) -> bool, factors: &[&str]) -> FactorMeasurements {
        let names: Vec<String> = factors.iter().map(|factor| (*factor).to_owned()).collect();
        let level = |pattern: &FactorPattern, factor: &str| match factor {
            "device" => "B1".to_owned(),
            _ => level_of(pattern, factor).to_owned(),
        };
        let rows: Vec<(Vec<String>, f64)> = patterns()
            .iter()
            .filter(|pattern| of(pattern))
            .map(|pattern| (factors.iter().map(|factor| level(pattern, factor)).collect(), 1e-8))
            .collect();
        FactorMeasurements::new(&names, &rows).unwrap()
    }

    const ALL: [&str; 4] = FACTORS;

    #[test]
    fn patterns_and_levels_without_a_measurement_are_named() {
        let is_measured = |pattern: &FactorPattern| {
            pattern.category != "Conversions"
                && pattern.operation != "Increase"
                && (pattern.operation, pattern.size, pattern.kind)
                    != ("Addition", "Constant", "float")
        };
        let missing = MissingPatterns::of(&measurements(is_measured, &ALL)).unwrap();
        let text = missing.to_string();
        assert!(text.starts_with("157 of 174 patterns measured; not measured: "), "{text}");
        assert!(
            text.contains("Addition Constant float; all 15 of Conversions; Increase"),
            "{text}"
        );
        assert!(text.contains("no effect of: operation Increase, operation i2l"), "{text}");
        assert!(!text.contains("size"), "every size is measured elsewhere: {text}");
        assert!(text.ends_with(" and 4 more"), "of 16 levels 12 are named: {text}");
    }

    #[test]
    fn a_full_table_lacks_nothing_and_another_table_is_not_compared() {
        let full = MissingPatterns::of(&measurements(|_| true, &ALL)).unwrap();
        assert_eq!(full.to_string(), "174 of 174 patterns measured");
        // One level of a factor would count as all patterns that have it.
        assert_eq!(MissingPatterns::of(&measurements(|_| true, &["operation", "device"])), None);
        let other = |names: &[&str], levels: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let (names, levels): (Vec<String>, Vec<String>) = (owned(names), owned(levels));
            MissingPatterns::of(&FactorMeasurements::new(&names, &[(levels, 1.0)]).unwrap())
        };
        assert_eq!(other(&FACTORS[..3], &["blend", "Load", "int"]), None);
        assert_eq!(other(&["instruction", "core"], &["add", "A76"]), None, "no factor in common");
    }
}
