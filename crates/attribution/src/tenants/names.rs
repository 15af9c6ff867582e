//! Names of tenants and their numbers.

use std::collections::HashMap;

/// Number of a tenant, an index into [`TenantNames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub(super) u32);

impl TenantId {
    /// Idle CPUs, which are a tenant like any other.
    pub const IDLE: Self = Self(0);
    /// CPU time whose tenant is unknown, since records are missing.
    pub const NOBODY: Self = Self(1);
    /// All tenants beyond the limit of [`TenantNames`].
    pub const OTHERS: Self = Self(2);
    /// Energy metered before the log's first record.
    pub const BEFORE_LOG: Self = Self(3);
    /// Energy metered after the log's last record.
    pub const AFTER_LOG: Self = Self(4);

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of [`TenantId::IDLE`] and its like.
const RESERVED_NAMES: [&str; 5] =
    ["idle", "unattributed", "other tenants", "before the log", "after the log"];

/// Names of the tenants so far, up to a limit; later ones share a number.
#[derive(Debug)]
pub struct TenantNames {
    names: Vec<String>,
    ids: HashMap<String, TenantId>,
    limit: usize,
    beyond: u64,
}

impl Default for TenantNames {
    fn default() -> Self {
        Self::with_limit(4096)
    }
}

impl TenantNames {
    /// Creates an empty table with a limit on the number of tenants.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        let names = RESERVED_NAMES.map(str::to_owned).into();
        Self { names, ids: HashMap::new(), limit: limit + RESERVED_NAMES.len(), beyond: 0 }
    }

    /// Returns the number of a name; adds it if it is new.
    pub fn id(&mut self, name: &str) -> TenantId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        if self.names.len() >= self.limit {
            self.beyond += 1;
            return TenantId::OTHERS;
        }
        let id = TenantId(self.names.len() as u32);
        let is_taken = RESERVED_NAMES.contains(&name);
        self.names.push(if is_taken { format!("{name} (a tenant)") } else { name.to_owned() });
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// Gives a number another name.
    pub fn rename(&mut self, id: TenantId, name: &str) {
        if id.index() >= RESERVED_NAMES.len()
            && let Some(old) = self.names.get_mut(id.index())
        {
            *old = name.to_owned();
        }
    }

    /// Returns the name of a number.
    #[must_use]
    pub fn name(&self, id: TenantId) -> &str {
        self.names.get(id.index()).map_or(RESERVED_NAMES[TenantId::OTHERS.index()], String::as_str)
    }

    /// Returns how many times a name got no number of its own.
    #[must_use]
    pub fn times_beyond_limit(&self) -> u64 {
        self.beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_and_clash_with_none_of_ours() {
        let mut names = TenantNames::with_limit(2);
        let (a, idle) = (names.id("a"), names.id("idle"));
        assert_eq!(names.name(TenantId::BEFORE_LOG), "before the log");
        assert_eq!(names.name(TenantId::AFTER_LOG), "after the log");
        assert_eq!((names.id("a"), names.name(a)), (a, "a"));
        assert_ne!(idle, TenantId::IDLE);
        assert_eq!(names.name(idle), "idle (a tenant)");
        assert_eq!(names.name(TenantId::IDLE), "idle");
        assert_eq!((names.id("c"), names.times_beyond_limit()), (TenantId::OTHERS, 1));
    }
}
