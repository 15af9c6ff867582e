//! A key of a scenario that does not fit a board: one check for whoever lists all of them and for
//! a campaign, which fails at the first.

use std::fmt::{self, Display, Formatter};

use crate::build::OWN_PACKAGE_NEEDS_ANDROID;
use crate::scenario::{Scenario, StartKind};

use super::Failure;

/// A key of a scenario that does not fit a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitKey {
    /// `board.rails`.
    pub key: &'static str,
    /// What the board has instead, and what to do.
    pub problem: String,
}

impl UnfitKey {
    /// The failure of a campaign that cannot do without.
    pub(super) fn failure(&self, scenario: &Scenario) -> Failure {
        Failure::input(&scenario.file, self)
    }
}

impl Display for UnfitKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.problem)
    }
}

/// What of an application needs Android, which this machine's JVM is not.
pub(super) fn needs_android(scenario: &Scenario) -> Option<UnfitKey> {
    let application = &scenario.application;
    let (key, problem) = if application.apk.is_some() {
        ("application.apk", OWN_PACKAGE_NEEDS_ANDROID)
    } else if application.start == StartKind::Activity {
        let problem = "is \"activity\": an application with a window needs Android, which \
                       `--board jvm` is not; use `--board virtual` or a device";
        ("application.start", problem)
    } else {
        return None;
    };
    Some(UnfitKey { key, problem: problem.into() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse_scenario;

    #[test]
    fn what_needs_android_is_named_by_its_key() {
        let unfit = |application: &str| {
            let text = format!(
                "name = 'a'\n[application]\npackage = 'a.b'\n{application}\n[[source]]\n\
                 path = 's'\n[[input]]\nname = 'one'\n"
            );
            needs_android(&parse_scenario(&text, Path::new("s.toml")).unwrap())
        };
        assert_eq!(unfit("main = 'A'"), None);
        let activity = unfit("start = 'activity'\nactivity = 'a.b.Screen'").unwrap();
        assert_eq!(activity.key, "application.start");
        assert!(activity.to_string().starts_with("`application.start` is \"activity\""));
        assert_eq!(unfit("apk = 'a.apk'").unwrap().key, "application.apk");
    }
}
