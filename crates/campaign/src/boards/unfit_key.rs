//! A key of a scenario that does not fit a board, for checks that list all such keys and for a
//! campaign, which fails at the first.

use std::fmt::{self, Display, Formatter};

use crate::build::OWN_PACKAGE_NEEDS_ANDROID;
use crate::device::BoardFacts;
use crate::failure::Failure;
use crate::scenario::{Application, Scenario, StartKind};
use crate::virtual_board::least_target_sdk;

/// A key of a scenario that does not fit a board, with the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitKey {
    /// Name of the key, such as `board.rails`.
    pub key: &'static str,
    /// Description of what the board has instead, and what to do.
    pub problem: String,
}

impl UnfitKey {
    /// The failure of a campaign that needs the key.
    pub(super) fn failure(&self, scenario: &Scenario) -> Failure {
        Failure::input(&scenario.file, self)
    }
}

impl Display for UnfitKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.problem)
    }
}

/// A key that needs Android, which this machine's JVM does not have; none if there is none.
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

/// The API levels of an application that the board's Android release would refuse at installation.
/// For a package of the application's own build they are those of its manifest.
pub(super) fn refused_levels(application: &Application, facts: &BoardFacts) -> Vec<UnfitKey> {
    let Some(level) = facts.level.filter(|_| !is_jar(application, facts)) else {
        return Vec::new();
    };
    let Application { min_sdk, target_sdk, apk, .. } = application;
    let android = match &facts.android_release {
        Some(release) => format!("Android {release} (API level {level})"),
        None => format!("Android of API level {level}"),
    };
    let refused = |own_key: &'static str, name: &str, value: u32, rule: String, remedy: &str| {
        let (key, has) = match apk {
            Some(_) => ("application.apk", format!("has {name} {value}")),
            None => (own_key, format!("is {value}")),
        };
        let problem = format!("{has}, and the board has {android}, which {rule}: {remedy}");
        UnfitKey { key, problem }
    };
    let too_new = (*min_sdk > level).then(|| {
        let rule = "refuses what is for later ones".to_owned();
        let remedy = "lower it, or take a board with a later Android";
        refused("application.min_sdk", "minSdkVersion", *min_sdk, rule, remedy)
    });
    let too_old = least_target_sdk(level).filter(|least| target_sdk < least).map(|least| {
        let rule = format!("refuses what targets less than {least}");
        refused("application.target_sdk", "targetSdkVersion", *target_sdk, rule, "raise it")
    });
    too_new.into_iter().chain(too_old).collect()
}

/// Whether the application goes to the board as a jar, which has no API levels and which virtual
/// boards take.
pub(super) fn is_jar(application: &Application, facts: &BoardFacts) -> bool {
    application.start == StartKind::Main && facts.is_virtual()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::device::HardwareKind;
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

    #[test]
    fn a_release_refuses_an_application_by_the_level_that_it_says() {
        let refused = |application: &str, level: Option<u32>, hardware| {
            let text = format!(
                "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n{application}\n\
                 [[source]]\npath = 's'\n[[input]]\nname = 'one'\n"
            );
            let scenario = parse_scenario(&text, Path::new("s.toml")).unwrap();
            let facts = BoardFacts { level, hardware, ..BoardFacts::default() };
            let unfit = refused_levels(&scenario.application, &facts);
            unfit.iter().map(UnfitKey::to_string).collect::<Vec<_>>()
        };
        let real = HardwareKind::Real;
        assert_eq!(
            refused("min_sdk = 21", Some(17), real),
            [
                "`application.min_sdk` is 21, and the board has Android of API level 17, which refuses \
              what is for later ones: lower it, or take a board with a later Android"
            ]
        );
        for (application, level) in [
            ("min_sdk = 21", Some(21)),
            ("min_sdk = 21", None),
            ("", Some(17)),
            ("target_sdk = 22", Some(33)),
            ("target_sdk = 23", Some(34)),
        ] {
            assert_eq!(refused(application, level, real), [""; 0], "{application} {level:?}");
        }
        let old = refused("target_sdk = 22", Some(34), HardwareKind::Virtual);
        assert!(old[0].starts_with("`application.target_sdk` is 22"), "{old:?}");
        assert!(old[0].ends_with("refuses what targets less than 23: raise it"), "{old:?}");
        let jar = "start = 'main'\nmin_sdk = 21";
        assert_eq!(refused(jar, Some(17), HardwareKind::Virtual), [""; 0], "a jar has no levels");
        assert_eq!(refused(jar, Some(17), real).len(), 1, "a real board takes packages alone");
    }

    #[test]
    fn the_package_of_the_own_build_has_the_levels_of_its_manifest() {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\napk = 'a.apk'\n[[source]]\n\
                    path = 's'\n[[input]]\nname = 'one'\n";
        let scenario = parse_scenario(text, Path::new("s.toml")).unwrap();
        let application = Application { min_sdk: 24, target_sdk: 34, ..scenario.application };
        let release = Some("4.4".to_owned());
        let facts =
            BoardFacts { level: Some(19), android_release: release, ..BoardFacts::default() };
        let refused = refused_levels(&application, &facts);
        let [UnfitKey { key: "application.apk", problem }] = &refused[..] else {
            panic!("{refused:?}")
        };
        assert!(problem.starts_with("has minSdkVersion 24, and the board has Android 4.4 (API"));
    }
}
