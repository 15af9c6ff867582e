//! The idle runs that a case's idle power comes from.

use crate::campaign::RunPhase;
use crate::run::RunRecord;
use crate::scenario::IdlePolicy;

/// The good idle runs, among the records of one board, that the idle power of a case comes from.
pub fn idle_runs_of<'r>(
    records: impl IntoIterator<Item = &'r RunRecord>,
    case: &str,
    policy: IdlePolicy,
) -> impl Iterator<Item = &'r RunRecord> {
    let is_wanted = move |record: &&RunRecord| {
        let is_idle = record.is_good() && record.run.phase == RunPhase::Idle;
        is_idle && (policy == IdlePolicy::Campaign || record.run.case == case)
    };
    records.into_iter().filter(is_wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::assemble::tests::records;

    #[test]
    fn a_case_has_its_own_idle_runs_or_all_of_them() {
        let records = records();
        let of = |case: &str, policy| idle_runs_of(&records, case, policy).count();
        assert_eq!((of("a", IdlePolicy::Paired), of("b", IdlePolicy::Paired)), (2, 1));
        assert_eq!(of("b", IdlePolicy::Campaign), 3);
    }
}
