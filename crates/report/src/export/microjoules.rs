//! Energies in whole microjoules, which many formats take.

use crate::account::{BlockAccount, Femtojoules};

/// An energy in whole microjoules; negative ones are zero.
pub(super) fn microjoules(energy: Femtojoules) -> u64 {
    (energy.joules().0 * 1e6).round().max(0.0) as u64
}

/// A block's whole microjoules by line: of an energy that is its own or a part of it, in
/// the proportions of its lines. They add up; all stand on the block's first line where
/// its lines are not known.
pub(super) fn microjoules_by_line(block: &BlockAccount, energy: Femtojoules) -> Vec<(u32, u64)> {
    let whole = microjoules(energy);
    let positive = || block.lines.iter().filter(|(_, energy)| energy.0 > 0);
    let total: i128 = positive().map(|(_, energy)| energy.0).sum();
    if total == 0 {
        return vec![(block.start_line, whole)];
    }
    let (mut sum, mut given) = (0, 0);
    let of_line = |(line, energy): (&u32, &Femtojoules)| {
        sum += energy.0;
        let until = (sum as f64 / total as f64 * whole as f64).round() as u64;
        let own = until - given;
        given = until;
        (*line, own)
    };
    positive().map(of_line).collect()
}
