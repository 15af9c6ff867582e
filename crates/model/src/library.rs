//! Library functions as predictors: the most executed keep a column of their own, the
//! rest sum up in one. Chosen from the cases at hand only, so that a fold of a
//! cross-validation chooses for itself.

use wattline_units::operation::FeatureColumn;

use super::options::LibraryColumns;
use crate::table::{GARBAGE_COLLECTION, Table};

pub use crate::table::LIBRARY_OTHER;

/// Whether an operation without a column of its own belongs to `lib:other`. A garbage
/// collection doesn't: it costs a million times what a call does.
pub(crate) fn is_lumped(operation: &str) -> bool {
    FeatureColumn::is_library(operation) && operation != GARBAGE_COLLECTION
}

/// Returns the table with the library columns that `columns` selects. The cases and all other
/// columns stay as they are, in their order; `lib:other` comes last when it is new.
pub(crate) fn lump_columns(table: &Table, columns: LibraryColumns) -> Table {
    match columns {
        LibraryColumns::AsGiven => table.clone(),
        LibraryColumns::Top(kept) => select_columns(table, &kept_columns(table, kept)),
    }
}

/// Returns the table with the columns `features` of a fitted model: a column that the model lacks
/// is added to `lib:other` if it is a library function, else dropped.
pub(crate) fn arrange_columns(table: &Table, features: &[String]) -> Table {
    let own = |name: &String| features.contains(name);
    let kept: Vec<bool> = table.features.iter().map(own).collect();
    let lumped = select_columns(table, &kept);
    let place: Vec<Option<usize>> =
        features.iter().map(|name| lumped.features.iter().position(|f| f == name)).collect();
    let counts = (0..table.cases.len())
        .flat_map(|i| place.iter().map(move |j| (i, *j)))
        .map(|(i, j)| j.map_or(0.0, |j| lumped.row(i)[j]))
        .collect();
    Table { cases: table.cases.clone(), features: features.to_vec(), counts }
}

/// Whether each column stays: all but the library functions beyond the `kept` most
/// executed; ties by name.
fn kept_columns(table: &Table, kept: usize) -> Vec<bool> {
    let mut totals = vec![0.0; table.features.len()];
    for i in 0..table.cases.len() {
        totals.iter_mut().zip(table.row(i)).for_each(|(total, count)| *total += count);
    }
    let special = |name: &str| name == GARBAGE_COLLECTION || name == LIBRARY_OTHER;
    let mut ranked: Vec<usize> =
        (0..totals.len()).filter(|j| FeatureColumn::is_library(&table.features[*j])).collect();
    ranked.sort_by(|a, b| {
        let (name_a, name_b) = (&table.features[*a], &table.features[*b]);
        special(name_b)
            .cmp(&special(name_a))
            .then(totals[*b].total_cmp(&totals[*a]))
            .then(name_a.cmp(name_b))
    });
    // `lib:other` is the sum of the lumped, not one of the kept.
    let specials = ranked.iter().filter(|j| table.features[**j] == LIBRARY_OTHER).count();
    let mut stays = vec![true; totals.len()];
    let lumped = ranked.into_iter().skip(kept + specials);
    lumped.filter(|j| is_lumped(&table.features[*j])).for_each(|j| stays[j] = false);
    stays
}

fn select_columns(table: &Table, stays: &[bool]) -> Table {
    let lumped: Vec<usize> =
        (0..stays.len()).filter(|j| !stays[*j] && is_lumped(&table.features[*j])).collect();
    let kept: Vec<usize> = (0..stays.len()).filter(|j| stays[*j]).collect();
    let mut features: Vec<String> = kept.iter().map(|j| table.features[*j].clone()).collect();
    let other = features.iter().position(|name| name == LIBRARY_OTHER);
    if !lumped.is_empty() && other.is_none() {
        features.push(LIBRARY_OTHER.to_owned());
    }
    let other = other.unwrap_or(kept.len());
    let mut counts = Vec::with_capacity(table.cases.len() * features.len());
    for i in 0..table.cases.len() {
        let row = table.row(i);
        let start = counts.len();
        counts.extend(kept.iter().map(|j| row[*j]));
        counts.resize(start + features.len(), 0.0);
        if !lumped.is_empty() {
            counts[start + other] += lumped.iter().map(|j| row[*j]).sum::<f64>();
        }
    }
    Table { cases: table.cases.clone(), features, counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::table;

    fn library_table() -> Table {
        let mut data = table(&[&[1.0, 5.0, 9.0, 2.0], &[1.0, 5.0, 9.0, 2.0]], &[1.0, 1.0]);
        data.features = ["Increment", "lib:a", "lib:b", "lib:GC"].map(str::to_owned).to_vec();
        data
    }

    #[test]
    fn the_most_executed_functions_keep_a_column() {
        let lumped = lump_columns(&library_table(), LibraryColumns::Top(2));
        assert_eq!(lumped.features, ["Increment", "lib:b", "lib:GC", "lib:other"]);
        assert_eq!(lumped.row(0), [1.0, 9.0, 2.0, 5.0]);
        assert_eq!(lump_columns(&library_table(), LibraryColumns::Top(3)), library_table());
        let none = lump_columns(&library_table(), LibraryColumns::Top(0));
        assert_eq!(none.features, ["Increment", "lib:GC", "lib:other"]);
    }

    #[test]
    fn held_out_cases_take_the_columns_of_the_model() {
        let features = ["lib:other", "Increment", "lib:GC", "Absent"].map(str::to_owned);
        let arranged = arrange_columns(&library_table(), &features);
        assert_eq!(arranged.row(1), [14.0, 1.0, 2.0, 0.0]);
    }
}
