//! The names of a campaign folder's files, relative to the folder. The files of a run's own folder
//! are named in `run::store`, the tables of accounts in `account::table`.

pub use crate::run::journal::JOURNAL_FILE as JOURNAL;
pub use crate::run::store::RUNS_FOLDER as RUNS;

/// Copy of the scenario.
pub const SCENARIO: &str = "scenario.toml";
/// Folder with copies of the analysed sources.
pub const SOURCES: &str = "sources";

/// Table of basic blocks.
pub const BLOCKS: &str = "blocks.csv";
/// Table of the operations of each block.
pub const OPERATIONS: &str = "operations.csv";
/// Table of the operations of each line.
pub const LINES: &str = "lines.csv";
/// Findings of the analysis of the sources.
pub const FINDINGS: &str = "findings.csv";

/// Cases of the plan.
pub const PLAN: &str = "plan.csv";
/// Blocks that no case removes.
pub const DROPPED: &str = "dropped.csv";
/// Number of cases that remove each removable block, with its partners.
pub const COVERAGE: &str = "coverage.csv";
/// Outcomes of dry runs on a board.
pub const DRY_RUNS: &str = "dry-runs.jsonl";
/// Operations that removed blocks still execute.
pub(crate) const RESIDUAL_COUNTS: &str = "residual-counts.csv";

/// Inputs whose sessions were made longer than in the scenario.
pub const SESSION_LENGTHS: &str = "session-lengths.csv";
/// Assignment of cases to boards.
pub(crate) const ASSIGNMENT: &str = "assignment.csv";
/// Calls between methods.
pub const CALLS: &str = "calls.csv";

/// Energies and counts of cases.
pub const DATASET: &str = "dataset.csv";
/// Provenance and quality of the data set.
pub(crate) const DATASET_FACTS: &str = "dataset.toml";
/// Executions of each case by operation and context.
pub(crate) const CONTEXTS: &str = "contexts.csv";
/// Total and idle energy of cases.
pub(crate) const ENERGIES: &str = "energies.csv";

/// Folder of the sessions of microbenchmarks.
pub const MICROBENCHMARK_RUNS: &str = "microbenchmark-runs";
/// Folder of the sessions of before/after microbenchmarks.
pub const PAIR_RUNS: &str = "before-after-runs";
/// Savings of rewrites on the board, by before/after microbenchmarks.
pub const PAIRS: &str = "hint-microbenchmarks.json";
/// Folder of the sessions of the sources with hints applied, with a journal of its own.
pub const VERIFY_RUNS: &str = "hint-runs";
/// Measured savings of applied hints.
pub const VERIFIED: &str = "hint-savings.csv";
/// Measured saving of applied hints together.
pub const JOINT_SAVING: &str = "joint-saving.csv";
/// Every microbenchmark's runs.
pub const MICROBENCHMARK_WINDOWS: &str = "microbenchmark-windows.csv";
/// Energy and counts of microbenchmarks.
pub const MICROBENCHMARK_CASES: &str = "microbenchmark-cases.csv";
/// Costs by microbenchmarks.
pub const MICROBENCHMARKS: &str = "microbenchmarks.csv";
/// Covariance of the costs by microbenchmarks.
pub const MICROBENCHMARKS_COVARIANCE: &str = "microbenchmarks-covariance.csv";
/// Energy of each board relative to the first, if there were several.
pub const MICROBENCHMARKS_DEVICES: &str = "microbenchmarks-devices.csv";

/// Cost model.
pub const MODEL: &str = "model.json";
/// Cross-validation of the costs.
pub const CROSS_VALIDATION: &str = "cv.csv";
/// Which operations' costs the cases determine.
pub const ESTIMABILITY: &str = "estimability.csv";
/// Comparison with other solvers.
pub const SOLVERS: &str = "solvers.csv";
/// Held-out error against the number of cases.
pub const LEARNING: &str = "learning.csv";

/// Folder of the tables of accounts.
pub const ACCOUNTS: &str = "accounts";
/// Board of the accounts, if there are several boards.
pub const ACCOUNTS_DEVICE: &str = "accounts/device.toml";
/// Ledger of the measured energy.
pub const LEDGER: &str = "ledger.csv";

/// Folder with the ground truth of a scenario on a virtual board.
pub const TRUTH: &str = "ground-truth";
/// Folder with the ground truth of each session, while the campaign runs.
pub const BOARD_TRUTH: &str = "board-ground-truth";
/// Comparison of the accounts with the ground truth.
pub const EVALUATION: &str = "evaluation.csv";

/// Unseen inputs: each input predicted from the others (leave-one-input-out).
pub const UNSEEN_INPUTS: &str = "unseen.csv";

/// Hints in SARIF, for tools.
pub const HINTS: &str = "hints.sarif";
/// Report page.
pub const REPORT: &str = "report.html";
