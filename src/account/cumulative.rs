//! The cumulative curve of operations: what part of a scenario's energy the costliest
//! ones make (the paper: the first ten 71.3 %, the next twenty 26.1 %).

use crate::account::OperationAccount;
use crate::account::exact::Femtojoules;

/// One point of the curve per operation: the part of the explained energy that it and
/// all before it hold, 0..1. Empty where nothing is explained.
pub fn curve(operations: &[OperationAccount]) -> Vec<f64> {
    let total: Femtojoules = operations.iter().map(|operation| operation.entry.energy).sum();
    if total.0 <= 0 {
        return Vec::new();
    }
    let mut sum = Femtojoules::ZERO;
    operations
        .iter()
        .map(|operation| {
            sum += operation.entry.energy;
            sum.0 as f64 / total.0 as f64
        })
        .collect()
}

/// The part that the first `count` operations hold, 0..1; absent where nothing is
/// explained.
pub fn top_share(operations: &[OperationAccount], count: usize) -> Option<f64> {
    let curve = curve(operations);
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
    fn the_curve_rises_to_one() {
        let scenario = sample::program_1();
        let operations = account(&scenario.scenario()).operations;
        let curve = curve(&operations);
        assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!((curve.last().unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(top_share(&operations, 1), Some(curve[0]));
        assert_eq!(top_share(&operations, 1000), Some(1.0));
        assert_eq!(top_share(&[], 10), None);
    }
}
