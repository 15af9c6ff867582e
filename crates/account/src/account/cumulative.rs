//! The cumulative curve of operations: what part of a scenario's energy the costliest
//! ones make (the paper: the first ten 71.3 %, the next twenty 26.1 %).

use crate::account::accounts::Accounts;
use crate::exact::Femtojoules;
use crate::exact::share;

/// One point of the curve per operation: the part of the energy above idle that it and all
/// before it hold. Empty where that energy isn't positive.
pub fn curve(accounts: &Accounts) -> Vec<f64> {
    let whole = accounts.ledger.above_idle();
    let mut sum = Femtojoules::ZERO;
    let up_to = |operation: &super::OperationAccount| {
        sum += operation.entry.energy;
        share(sum, whole)
    };
    accounts.operations.iter().map_while(up_to).collect()
}

/// The part that the first `count` operations hold; absent where there is no curve.
pub fn top_share(accounts: &Accounts, count: usize) -> Option<f64> {
    let curve = curve(accounts);
    if count == 0 {
        return curve.first().map(|_| 0.0);
    }
    curve.get(count - 1).or(curve.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    #[test]
    fn the_curve_rises_to_the_part_that_is_explained() {
        let scenario = sample::program_1();
        let accounts = account(&scenario.scenario());
        let curve = curve(&accounts);
        assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]));
        let explained = accounts.explained().0 as f64 / accounts.ledger.above_idle().0 as f64;
        assert!((curve.last().unwrap() - explained).abs() < 1e-12);
        assert_eq!(top_share(&accounts, 1), Some(curve[0]));
        assert_eq!(top_share(&accounts, 1000), curve.last().copied());
        let nothing = account(&crate::account::AccountInput {
            executions: &std::collections::BTreeMap::new(),
            ..scenario.scenario()
        });
        assert_eq!(top_share(&nothing, 10), None);
    }
}
