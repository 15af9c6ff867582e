//! Unresolved names of a file: classes and constants of libraries that were not given, classes
//! that a build generates, typing errors.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use wattline_units::format::listed;

use crate::finding::{Finding, FindingKind};

/// Name that nothing declares, with its package if known, and its number of uses in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedName {
    /// `androidx.core.app.NotificationCompat`; `R` where the package is not known.
    pub name: String,
    /// Number of uses in the file.
    pub uses: u64,
}

const BEFORE_USES: &str = "` cannot be resolved (uses: ";

/// The message of a finding.
impl Display for UnresolvedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, uses } = self;
        write!(f, "`{name}{BEFORE_USES}{uses}); give the class path or source that declares it")
    }
}

impl UnresolvedName {
    /// Parses the message of a finding of kind `UnresolvedName`; `None` for other kinds.
    pub fn of(finding: &Finding) -> Option<Self> {
        if finding.kind != FindingKind::UnresolvedName {
            return None;
        }
        let (name, rest) = finding.message.strip_prefix('`')?.split_once(BEFORE_USES)?;
        let (uses, _) = rest.split_once(')')?;
        Some(Self { name: name.to_owned(), uses: uses.parse().ok()? })
    }

    /// Returns the package, or the name itself where it has none.
    fn package(&self) -> &str {
        match self.name.split('.').position(starts_upper) {
            None | Some(0) => &self.name,
            Some(parts) => {
                let ends = self.name.match_indices('.').map(|(at, _)| at);
                ends.clone().nth(parts - 1).map_or(&self.name, |end| &self.name[..end])
            }
        }
    }

    /// Returns the name up to its first class, by Java's convention of capitals.
    pub(crate) fn up_to_class(name: &str) -> &str {
        let parts = name.split('.').position(starts_upper);
        let ends = name.match_indices('.').map(|(at, _)| at);
        let end = parts.and_then(|parts| ends.clone().nth(parts));
        end.map_or(name, |end| &name[..end])
    }
}

fn starts_upper(part: &str) -> bool {
    part.starts_with(char::is_uppercase)
}

/// Most packages that a message names.
const NAMED: usize = 4;

/// Returns a list of the packages of unresolved names, those with the most uses first; `None`
/// without unresolved names.
pub fn unresolved_packages(findings: &[Finding]) -> Option<String> {
    let mut uses: BTreeMap<String, u64> = BTreeMap::new();
    for name in findings.iter().filter_map(UnresolvedName::of) {
        *uses.entry(name.package().to_owned()).or_default() += name.uses;
    }
    let mut packages: Vec<(String, u64)> = uses.into_iter().collect();
    packages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let texts = packages.iter().map(|(package, uses)| format!("{package} ({uses} uses)"));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| listed(&texts, NAMED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(name: &str, uses: u64) -> Finding {
        let message = UnresolvedName { name: name.into(), uses }.to_string();
        Finding { file: "A.java".into(), line: 1, kind: FindingKind::UnresolvedName, message }
    }

    #[test]
    fn a_finding_says_what_it_was_made_of() {
        let name = UnresolvedName { name: "a.b.C".into(), uses: 12 };
        assert_eq!(UnresolvedName::of(&finding("a.b.C", 12)), Some(name));
        let other = Finding { kind: FindingKind::UnknownType, ..finding("a.b.C", 12) };
        assert_eq!(UnresolvedName::of(&other), None);
        let full = UnresolvedName::up_to_class;
        assert_eq!(
            [full("a.b.C.D.e"), full("R.id.x"), full("a.b"), full("x")],
            ["a.b.C", "R", "a.b", "x"]
        );
    }

    #[test]
    fn packages_are_those_with_the_most_uses() {
        let findings = ["a.b.C", "a.b.D", "R", "c.E", "d.F", "e.G.H"]
            .map(|name| finding(name, if name == "R" { 9 } else { 2 }));
        let text = unresolved_packages(&findings).unwrap();
        assert_eq!(text, "R (9 uses), a.b (4 uses), c (2 uses), d (2 uses) and 1 more");
        assert_eq!(unresolved_packages(&[]), None);
    }
}
