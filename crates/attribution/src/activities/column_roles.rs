//! Which powers the equations determine, and what the others can't be told from: columns
//! that are the same in all equations become one, and columns that are sums of others are
//! left to those.

use super::equations::Equation;

/// Relative length of a column's part outside of the other columns' span below which the part is
/// rounding.
const ROUNDING: f64 = 1e-9;

/// Role of a column in the fit: fitted, twin of another, sum of others, or without data.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnRole {
    /// It has a power of its own.
    Fitted,
    /// It is always active together with this other column, as often: one power for both.
    SameAs(usize),
    /// It is a sum of others (columns with factors, and how much of the constant), so its
    /// draw is part of theirs.
    PartOf {
        /// The other columns with their factors.
        columns: Vec<(usize, f64)>,
        /// Factor of the constant term.
        constant: f64,
    },
    /// It never occurs in a usable equation.
    Unseen,
}

/// Returns the role of each of `count` columns. The constant term comes first, then the columns in
/// their order: later ones give way to earlier ones.
#[must_use]
pub(crate) fn find_column_roles(rows: &[Equation], count: usize) -> Vec<ColumnRole> {
    let mut columns = vec![vec![0.0; rows.len()]; count];
    for (i, row) in rows.iter().enumerate() {
        for (column, active) in &row.active {
            columns[*column][i] = *active;
        }
    }
    let mut basis = OrthonormalBasis::default();
    basis.add(None, &vec![1.0; rows.len()]);
    let mut roles: Vec<ColumnRole> = Vec::with_capacity(count);
    for (at, column) in columns.iter().enumerate() {
        let role = if column.iter().all(|active| *active == 0.0) {
            ColumnRole::Unseen
        } else if let Some(twin) =
            (0..at).find(|k| roles[*k] == ColumnRole::Fitted && columns[*k] == *column)
        {
            ColumnRole::SameAs(twin)
        } else {
            basis.add(Some(at), column)
        };
        roles.push(role);
    }
    roles
}

/// Orthonormal basis, with the combination of columns that gives each vector.
#[derive(Default)]
struct OrthonormalBasis {
    vectors: Vec<Vec<f64>>,
    /// Of each vector: factors of the members (the constant is none).
    made_of: Vec<Vec<f64>>,
    members: Vec<Option<usize>>,
}

impl OrthonormalBasis {
    /// Adds a column to the basis, or returns the columns of which it is the sum.
    fn add(&mut self, member: Option<usize>, column: &[f64]) -> ColumnRole {
        let size = norm(column);
        let mut rest = column.to_vec();
        let mut factors = vec![0.0; self.members.len()];
        // Twice is enough for the rest to be orthogonal to rounding (Kahan, Parlett).
        for _ in 0..2 {
            for (vector, made_of) in self.vectors.iter().zip(&self.made_of) {
                let along: f64 = vector.iter().zip(&rest).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(vector).for_each(|(r, v)| *r -= along * v);
                factors.iter_mut().zip(made_of).for_each(|(f, m)| *f += along * m);
            }
        }
        let left = norm(&rest);
        if left <= ROUNDING * size {
            return self.sum_role(&factors);
        }
        self.vectors.push(rest.iter().map(|r| r / left).collect());
        let mut made_of: Vec<f64> = factors.iter().map(|f| -f / left).collect();
        made_of.push(1.0 / left);
        self.made_of.push(made_of);
        self.members.push(member);
        ColumnRole::Fitted
    }

    fn sum_role(&self, factors: &[f64]) -> ColumnRole {
        let (mut columns, mut constant) = (Vec::new(), 0.0);
        for (member, factor) in self.members.iter().zip(factors) {
            match member {
                _ if factor.abs() < 1e-6 => {}
                Some(column) => columns.push((*column, *factor)),
                None => constant = *factor,
            }
        }
        ColumnRole::PartOf { columns, constant }
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(table: &[&[f64]]) -> Vec<Equation> {
        let row = |row: &&[f64]| Equation {
            active: row.iter().copied().enumerate().filter(|(_, a)| *a != 0.0).collect(),
            time_s: 1.0,
            energy_j: 1.0,
        };
        table.iter().map(row).collect()
    }

    #[test]
    fn what_always_goes_together_is_one() {
        let found =
            find_column_roles(&rows(&[&[1.0, 1.0, 0.0], &[0.0, 0.0, 0.0], &[1.0, 1.0, 1.0]]), 4);
        assert_eq!(
            found,
            [ColumnRole::Fitted, ColumnRole::SameAs(0), ColumnRole::Fitted, ColumnRole::Unseen]
        );
    }

    #[test]
    fn states_without_their_baseline_are_part_of_the_constant() {
        let found = find_column_roles(&rows(&[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 0.0]]), 2);
        let ColumnRole::PartOf { columns, constant } = &found[1] else { panic!("{found:?}") };
        assert!((constant - 1.0).abs() < 1e-9 && columns.len() == 1);
        assert!((columns[0].1 + 1.0).abs() < 1e-9 && columns[0].0 == 0);
        let always = find_column_roles(&rows(&[&[1.0], &[1.0]]), 1);
        assert!(matches!(&always[0], ColumnRole::PartOf { columns, constant }
            if columns.is_empty() && (constant - 1.0).abs() < 1e-9));
    }

    proptest! {
        #[test]
        fn sums_are_what_they_say(
            table in proptest::collection::vec(proptest::collection::vec(0..2u8, 5), 1..12),
        ) {
            let table: Vec<Vec<f64>> =
                table.iter().map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect();
            let borrowed: Vec<&[f64]> = table.iter().map(Vec::as_slice).collect();
            for (at, role) in find_column_roles(&rows(&borrowed), 5).iter().enumerate() {
                for row in &table {
                    let value = match role {
                        ColumnRole::SameAs(other) => row[*other],
                        ColumnRole::PartOf { columns, constant } => {
                            constant + columns.iter().map(|(k, f)| f * row[*k]).sum::<f64>()
                        }
                        ColumnRole::Fitted => continue,
                        ColumnRole::Unseen => 0.0,
                    };
                    prop_assert!((value - row[at]).abs() < 1e-6);
                }
            }
        }
    }
}
