//! Which board measures which case, when a campaign is spread over several.
//!
//! Cases without removed blocks are measured on every board: equal work on all of them shows how
//! the boards differ, and gives each board accounts of its own. Every other case is measured on one
//! board, all its runs there, so that its idle power is that board's.
//! The cases of one input sequence are taken by size, so many at a time as there are
//! boards, and each of those goes to another board, by a seeded shuffle: every board sees
//! cases of every input sequence and of every size.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::order::PlannedRun;
use super::plan_contents::PlannedCase;
use crate::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;

/// The boards of each case, by its name, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Assignment(pub BTreeMap<String, Vec<String>>);

/// Assigns each case without removed blocks to all boards and each other case to one board, by a
/// shuffle with this seed. The order in which the boards are named makes no difference.
pub fn assign(cases: &[PlannedCase], boards: &[String], seed: u64) -> Assignment {
    let mut boards = boards.to_vec();
    boards.sort();
    boards.dedup();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut assigned = BTreeMap::new();
    let mut inputs: BTreeMap<&str, Vec<&PlannedCase>> = BTreeMap::new();
    for case in cases {
        match case.removed.is_empty() {
            true => drop(assigned.insert(case.name.clone(), boards.clone())),
            false => inputs.entry(&case.input).or_default().push(case),
        }
    }
    let mut load: BTreeMap<String, usize> = boards.iter().map(|b| (b.clone(), 0)).collect();
    for cases in inputs.values_mut() {
        cases.sort_by(|a, b| b.executions.cmp(&a.executions).then_with(|| a.name.cmp(&b.name)));
        for few in cases.chunks(boards.len().max(1)) {
            let mut turn = boards.clone();
            turn.shuffle(&mut rng);
            // Where fewer cases than boards are left, those with the least to do get them.
            turn.sort_by_key(|board| load[board]);
            turn.truncate(few.len());
            turn.shuffle(&mut rng);
            for (case, board) in few.iter().zip(turn) {
                *load.entry(board.clone()).or_default() += 1;
                assigned.insert(case.name.clone(), vec![board]);
            }
        }
    }
    Assignment(assigned)
}

/// Columns of `assignment.csv`.
pub(crate) const ASSIGNMENT_COLUMNS: [DeclaredColumn; 2] = [
    DeclaredColumn::text("case", "Case"),
    DeclaredColumn::text("device", "Board that measures the case"),
];

impl Assignment {
    /// All boards that some case is assigned to, sorted.
    pub fn boards(&self) -> Vec<String> {
        let mut boards: Vec<String> = self.0.values().flatten().cloned().collect();
        boards.sort();
        boards.dedup();
        boards
    }

    /// Whether a board measures a case.
    pub fn has(&self, case: &str, board: &str) -> bool {
        self.0.get(case).is_some_and(|boards| boards.iter().any(|b| b == board))
    }

    /// The runs of a board's cases, a part of the campaign's `order`, in that order.
    pub fn queue(&self, order: &[PlannedRun], board: &str) -> Vec<PlannedRun> {
        order.iter().filter(|run| self.has(&run.case, board)).cloned().collect()
    }

    /// The assignment without the boards `gone`: their cases that are not `done` go, with all their
    /// runs, to the board with the fewest open cases; a case that other boards measure too stays on
    /// those alone. None when no board is left.
    pub fn without_boards(
        &self,
        gone: &[String],
        done: impl Fn(&str, &str) -> bool,
    ) -> Option<Self> {
        let is_gone = |board: &String| gone.contains(board);
        let left: Vec<String> = self.boards().into_iter().filter(|b| !is_gone(b)).collect();
        let mut load: BTreeMap<&String, usize> = left.iter().map(|board| (board, 0)).collect();
        for (case, boards) in &self.0 {
            for board in boards.iter().filter(|board| !done(case, board)) {
                load.entry(board).and_modify(|load| *load += 1);
            }
        }
        let mut moved = self.clone();
        for (case, boards) in &mut moved.0 {
            boards.retain(|board| !is_gone(board) || done(case, board));
            if boards.is_empty() {
                let (board, load) =
                    load.iter_mut().min_by_key(|(board, load)| (**load, **board))?;
                *load += 1;
                boards.push((*board).clone());
            }
        }
        Some(moved)
    }

    /// The text of `assignment.csv`: a line per case and board.
    pub fn to_csv(&self) -> String {
        let mut table = CsvText::new(ASSIGNMENT_COLUMNS);
        for (case, boards) in &self.0 {
            for board in boards {
                table.row([case, board]);
            }
        }
        table.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockId;
    use crate::campaign::RunPhase;

    fn case(name: &str, input: &str, removed: u32, executions: u64) -> PlannedCase {
        PlannedCase {
            name: format!("{name}-{input}"),
            variant: name.into(),
            input: input.into(),
            removed: (0..removed).map(BlockId).collect(),
            executions,
            executions_share: 1.0,
            energy_share: 1.0,
            rank: 1,
        }
    }

    /// Two inputs, each with its base case and seven others.
    pub(crate) fn cases() -> Vec<PlannedCase> {
        let of = |input: &str| {
            let removed = (1..=7).map(|n| case(&format!("r0{n}"), input, n, 100 - u64::from(n)));
            let base = std::iter::once(case("base", input, 0, 100));
            base.chain(removed).collect::<Vec<_>>()
        };
        [of("north"), of("south")].concat()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn base_cases_lie_on_every_board_and_others_on_one() {
        let boards = names(&["b", "a", "c"]);
        for seed in 0..20 {
            let assignment = assign(&cases(), &boards, seed);
            assert_eq!(assignment, assign(&cases(), &names(&["c", "a", "b"]), seed));
            assert_eq!(assignment.boards(), ["a", "b", "c"]);
            for case in cases() {
                let expected = if case.removed.is_empty() { 3 } else { 1 };
                assert_eq!(assignment.0[&case.name].len(), expected);
            }
            for board in &boards {
                let of = |input: &str| {
                    let all = cases().into_iter().filter(|case| case.input == input);
                    all.filter(|c| !c.removed.is_empty() && assignment.has(&c.name, board)).count()
                };
                let (north, south) = (of("north"), of("south"));
                assert!((2..=3).contains(&north) && (2..=3).contains(&south), "{board}");
                assert!((4..=5).contains(&(north + south)), "{board}: {}", north + south);
                // One of the three largest of each input.
                let largest = ["r01-north", "r02-north", "r03-north"];
                assert!(largest.iter().any(|case| assignment.has(case, board)));
            }
        }
        assert_ne!(assign(&cases(), &boards, 1), assign(&cases(), &boards, 2));
    }

    #[test]
    fn the_text_has_a_line_per_case_and_board() {
        let boards = vec!["B1".to_string(), "10.0.0.7:5555, left".to_string()];
        let text = Assignment([("base-north".to_string(), boards)].into()).to_csv();
        let expected = "case,device\nbase-north,B1\nbase-north,\"10.0.0.7:5555, left\"\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn one_board_has_them_all() {
        let assignment = assign(&cases(), &names(&["a", "a"]), 1);
        assert!(assignment.0.values().all(|boards| boards == &["a"]));
        assert_eq!(assignment.0.len(), cases().len());
    }

    #[test]
    fn a_boards_runs_keep_the_campaigns_order() {
        let run = |case: &str, phase| PlannedRun { case: case.into(), phase, repeat: 1 };
        let order =
            [run("x", RunPhase::Power), run("y", RunPhase::Power), run("x", RunPhase::Idle)];
        let of = |boards: &[&str]| names(boards);
        let assignment =
            Assignment(BTreeMap::from([("x".into(), of(&["a"])), ("y".into(), of(&["a", "b"]))]));
        assert_eq!(assignment.queue(&order, "a"), order);
        assert_eq!(assignment.queue(&order, "b"), order[1..2]);
        assert_eq!(assignment.to_csv(), "case,device\nx,a\ny,a\ny,b\n");
    }

    #[test]
    fn what_a_lost_board_has_not_done_goes_to_the_others() {
        let assignment = assign(&cases(), &names(&["a", "b", "c"]), 3);
        let lost = names(&["b"]);
        let of_b: Vec<&String> =
            assignment.0.iter().filter(|(_, boards)| *boards == &["b"]).map(|(c, _)| c).collect();
        let done = of_b[0].clone();
        let is_done = |case: &str, board: &str| board == "b" && case == done;
        let moved = assignment.without_boards(&lost, is_done).unwrap();
        assert_eq!(moved.0[&done], ["b"], "what is done stays");
        assert_eq!(moved.0["base-north"], ["a", "c"]);
        for case in &of_b[1..] {
            assert!(moved.0[*case] == ["a"] || moved.0[*case] == ["c"]);
        }
        let load = |board: &str| moved.0.values().filter(|b| b.contains(&board.into())).count();
        assert!(load("a").abs_diff(load("c")) <= 1, "{moved:?}");
        assert_eq!(assignment.without_boards(&names(&["a", "b", "c"]), |_, _| false), None);
    }
}
