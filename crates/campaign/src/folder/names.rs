//! The names of a campaign folder's files, below it. What stands in a run's own folder is
//! named in `run::store`, the tables of accounts in `account::table`.

pub use crate::run::journal::JOURNAL_FILE as JOURNAL;
pub use crate::run::store::RUNS_FOLDER as RUNS;

/// The scenario, copied.
pub const SCENARIO: &str = "scenario.toml";
/// The analysed sources, copied.
pub const SOURCES: &str = "sources";

/// Basic blocks.
pub const BLOCKS: &str = "blocks.csv";
/// Operations of blocks.
pub const OPERATIONS: &str = "operations.csv";
/// Operations of lines.
pub const LINES: &str = "lines.csv";
/// What was noticed in the sources.
pub const FINDINGS: &str = "findings.csv";

/// Cases.
pub const PLAN: &str = "plan.csv";
/// Blocks that no case removes.
pub const DROPPED: &str = "dropped.csv";
/// What dry runs on a board did.
pub const DRY_RUNS: &str = "dry-runs.jsonl";
/// What removed blocks still hold.
pub(crate) const REMAINS: &str = "residual-counts.csv";

/// Inputs whose sessions are longer than the scenario asks for.
pub const SESSION_LENGTHS: &str = "session-lengths.csv";
/// Which board has which case.
pub(crate) const ASSIGNMENT: &str = "assignment.csv";
/// Who calls whom.
pub const CALLS: &str = "calls.csv";

/// Energies and counts of cases.
pub const DATASET: &str = "dataset.csv";
/// Where they come from.
pub(crate) const DATASET_FACTS: &str = "dataset.toml";
/// Counts by context.
pub(crate) const CONTEXTS: &str = "contexts.csv";
/// Total and idle energy of cases.
pub(crate) const ENERGIES: &str = "energies.csv";

/// Sessions of microbenchmarks.
pub const MICROBENCHMARK_RUNS: &str = "microbenchmark-runs";
/// Sessions of pairs of microbenchmarks.
pub const PAIR_RUNS: &str = "before-after-runs";
/// What rewrites save on the board, by pairs of microbenchmarks.
pub const PAIRS: &str = "hint-microbenchmarks.json";
/// Sessions of the sources with hints applied, with a journal of their own.
pub const VERIFY_RUNS: &str = "hint-runs";
/// What they measured.
pub const VERIFIED: &str = "hint-savings.csv";
/// Every microbenchmark's runs.
pub const MICROBENCHMARK_WINDOWS: &str = "microbenchmark-windows.csv";
/// Energy and counts of microbenchmarks.
pub const MICROBENCHMARK_CASES: &str = "microbenchmark-cases.csv";
/// Costs by microbenchmarks.
pub const MICROBENCHMARKS: &str = "microbenchmarks.csv";
/// Their covariance.
pub const MICROBENCHMARKS_COVARIANCE: &str = "microbenchmarks-covariance.csv";
/// What boards spend by the first, where there were several.
pub const MICROBENCHMARKS_DEVICES: &str = "microbenchmarks-devices.csv";

/// Costs.
pub const MODEL: &str = "model.json";
/// Cross-validation of the costs.
pub const CV: &str = "cv.csv";
/// What the cases can tell.
pub const ESTIMABILITY: &str = "estimability.csv";
/// Other solvers beside.
pub const SOLVERS: &str = "solvers.csv";
/// Held-out error against the number of cases.
pub const LEARNING: &str = "learning.csv";

/// Tables of accounts.
pub const ACCOUNTS: &str = "accounts";
/// Of which board they are, where there are several.
pub const ACCOUNTS_DEVICE: &str = "accounts/device.toml";
/// What adds up to the measured energy.
pub const LEDGER: &str = "ledger.csv";

/// The truth of a virtual board's scenario.
pub const TRUTH: &str = "ground-truth";
/// That of each session, while it is measured.
pub const BOARD_TRUTH: &str = "board-ground-truth";
/// Accounts against the ground truth.
pub const EVALUATION: &str = "evaluation.csv";

/// Input sequences by the accounts of the others.
pub const UNSEEN: &str = "unseen.csv";

/// What to change, for tools.
pub const HINTS: &str = "hints.sarif";
/// The page.
pub const REPORT: &str = "report.html";
