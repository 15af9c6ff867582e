//! What the user of the live view has chosen to see.

/// Level of the list: processes, methods, classes or threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListLevel {
    /// Processes of the machine.
    Processes,
    /// Methods of the JVM.
    Methods,
    /// Its classes.
    Classes,
    /// Its threads, or those of watched processes.
    Threads,
}

impl ListLevel {
    /// All levels, in the order of the key that changes them.
    pub const ALL: [ListLevel; 4] =
        [ListLevel::Processes, ListLevel::Methods, ListLevel::Classes, ListLevel::Threads];

    pub(super) fn name(self) -> &'static str {
        match self {
            ListLevel::Processes => "processes",
            ListLevel::Methods => "methods",
            ListLevel::Classes => "classes",
            ListLevel::Threads => "threads",
        }
    }
}

/// Key by which rows are sorted, the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
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

impl SortKey {
    /// Returns the next key.
    pub fn next(self) -> Self {
        match self {
            SortKey::Power => SortKey::Energy,
            SortKey::Energy => SortKey::Calls,
            SortKey::Calls => SortKey::PerCall,
            SortKey::PerCall => SortKey::Name,
            SortKey::Name => SortKey::Power,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            SortKey::Power => "power",
            SortKey::Energy => "energy",
            SortKey::Calls => "calls",
            SortKey::PerCall => "energy per call",
            SortKey::Name => "name",
        }
    }
}

/// Choices of the user: level, sort key, filter and position.
#[derive(Debug, Clone)]
pub struct ListOptions {
    /// What is listed.
    pub level: ListLevel,
    /// By what.
    pub sort: SortKey,
    /// A part of the names.
    pub filter: String,
    /// Rows above the first one shown.
    pub skip: usize,
    /// What the counts are: `calls`, or `samples` where nothing is counted.
    pub calls: &'static str,
}

impl ListOptions {
    /// Returns the choices as a line of text.
    pub fn line(&self) -> String {
        let filter = if self.filter.is_empty() { "none" } else { &self.filter };
        format!("{} by {}, filter: {filter}", self.level.name(), self.sort.name())
    }
}
