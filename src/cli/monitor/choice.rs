//! What the user of the live view has chosen to see.

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Processes of the machine.
    Processes,
    /// Methods of the JVM.
    Methods,
    /// Its classes.
    Classes,
    /// Its threads, or those of watched processes.
    Threads,
}

impl Level {
    /// All of them, in the order of the key.
    pub const ALL: [Level; 4] = [Level::Processes, Level::Methods, Level::Classes, Level::Threads];

    pub(super) fn name(self) -> &'static str {
        match self {
            Level::Processes => "processes",
            Level::Methods => "methods",
            Level::Classes => "classes",
            Level::Threads => "threads",
        }
    }
}

/// What rows are sorted by, the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Power in the last cycle.
    Power,
    /// Energy since the begin.
    Energy,
    /// Calls since the begin.
    Calls,
    /// Energy of one call.
    PerCall,
    /// Name, the first first.
    Name,
}

impl Sort {
    /// The next one.
    pub fn next(self) -> Self {
        match self {
            Sort::Power => Sort::Energy,
            Sort::Energy => Sort::Calls,
            Sort::Calls => Sort::PerCall,
            Sort::PerCall => Sort::Name,
            Sort::Name => Sort::Power,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Power => "power",
            Sort::Energy => "energy",
            Sort::Calls => "calls",
            Sort::PerCall => "energy per call",
            Sort::Name => "name",
        }
    }
}

/// What the user has chosen.
#[derive(Debug, Clone)]
pub struct Choice {
    /// What is listed.
    pub level: Level,
    /// By what.
    pub sort: Sort,
    /// A part of the names.
    pub filter: String,
    /// Rows above the first one shown.
    pub skip: usize,
    /// What the counts are: `calls`, or `samples` where nothing is counted.
    pub calls: &'static str,
}

impl Choice {
    /// The state in a line.
    pub fn line(&self) -> String {
        let filter = if self.filter.is_empty() { "none" } else { &self.filter };
        format!("{} by {}, filter: {filter}", self.level.name(), self.sort.name())
    }
}
