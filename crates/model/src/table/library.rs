//! Library functions as columns: the most executed have one of their own, the rest sum
//! up in one.

use std::collections::BTreeMap;

use wattline_units::operation::FeatureColumn;

pub use wattline_units::operation::{GARBAGE_COLLECTION, LIBRARY_OTHER};

/// Number of library functions that get a column of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryTop {
    /// All of them: a fit may lump them inside each fold.
    All,
    /// The most executed over the campaign, GC among them whenever there
    /// was one; ties by name.
    Most(usize),
}

impl Default for LibraryTop {
    /// The paper's 67.
    fn default() -> Self {
        LibraryTop::Most(67)
    }
}

/// Lumps library functions in rows of counts by name. Returns the functions that went
/// into `lib:other` with their counts over all rows, most executed first.
pub fn lump_library_functions(
    rows: &mut [BTreeMap<String, u128>],
    top: LibraryTop,
) -> Vec<(String, u128)> {
    let LibraryTop::Most(kept) = top else { return Vec::new() };
    let mut totals: BTreeMap<&str, u128> = BTreeMap::new();
    for (name, count) in rows.iter().flatten().filter(|(name, _)| FeatureColumn::is_library(name)) {
        *totals.entry(name).or_default() += count;
    }
    let mut ranked: Vec<(String, u128)> =
        totals.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
    let is_gc = |name: &str| name == GARBAGE_COLLECTION;
    ranked.sort_by(|a, b| {
        is_gc(&b.0).cmp(&is_gc(&a.0)).then(b.1.cmp(&a.1)).then_with(|| a.0.cmp(&b.0))
    });
    let lumped = ranked.split_off(kept.min(ranked.len()));
    for row in rows {
        let other: u128 = lumped.iter().filter_map(|(name, _)| row.remove(name)).sum();
        if other > 0 {
            row.insert(LIBRARY_OTHER.into(), other);
        }
    }
    lumped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(counts: &[(&str, u128)]) -> BTreeMap<String, u128> {
        counts.iter().map(|(name, count)| (name.to_string(), *count)).collect()
    }

    #[test]
    fn the_most_executed_keep_their_columns() {
        let mut rows = vec![
            row(&[("Add", 1), ("lib:a", 5), ("lib:b", 3), ("lib:GC", 1)]),
            row(&[("lib:b", 4), ("lib:c", 6)]),
        ];
        let lumped = lump_library_functions(&mut rows, LibraryTop::Most(2));
        assert_eq!(lumped, [("lib:c".to_string(), 6), ("lib:a".to_string(), 5)]);
        assert_eq!(rows[0], row(&[("Add", 1), ("lib:GC", 1), ("lib:b", 3), ("lib:other", 5)]));
        assert_eq!(rows[1], row(&[("lib:b", 4), ("lib:other", 6)]));
    }

    #[test]
    fn nothing_is_lumped_when_all_fit() {
        let mut rows = vec![row(&[("lib:a", 5)])];
        assert!(lump_library_functions(&mut rows, LibraryTop::default()).is_empty());
        assert!(lump_library_functions(&mut rows, LibraryTop::All).is_empty());
        assert_eq!(rows[0], row(&[("lib:a", 5)]));
    }
}
