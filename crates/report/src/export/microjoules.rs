//! Energies in whole microjoules, as many formats require.

use crate::account::{BlockAccount, Femtojoules};

/// Energy in whole microjoules; zero for a negative one.
pub(super) fn microjoules(energy: Femtojoules) -> u64 {
    (energy.joules().0 * 1e6).round().max(0.0) as u64
}

/// An energy of a block, or a part of it, by line in whole microjoules, in proportion to its
/// lines. They add up; all is on the block's first line where its lines are unknown.
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
