//! What the package manager of an Android release lets in. Names and texts are those of
//! AOSP's `PackageManager` and `InstallPackageHelper`.

use super::facts::InstallerFacts;
use super::install_error::InstallError;

/// From this level on a package that targets it needs a signature of scheme 2 or later.
const NEEDS_SCHEME_2: u32 = 30;
/// From this level on a package that targets it says of each filtered activity whether it is
/// exported.
const NEEDS_EXPORTED: u32 = 31;
/// From this level on an installed package is replaced without being asked to.
const REPLACES: u32 = 28;

/// The options of `pm install`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `-r`: an installed package is replaced.
    pub replace: bool,
    /// `-t`: a package for tests is taken.
    pub test: bool,
    /// `-d`: an older version is taken.
    pub downgrade: bool,
    /// `--bypass-low-target-sdk-block`.
    pub low_target: bool,
}

/// Refuses what a release of Android refuses by the manifest alone, which it reads first.
pub(super) fn admit_manifest(
    new: &InstallerFacts,
    sdk: u32,
    flags: Flags,
) -> Result<(), InstallError> {
    match manifest_refusal(new, sdk, flags) {
        Some(said) => Err(InstallError::Refused(said)),
        None => Ok(()),
    }
}

/// Refuses what a release of Android refuses of a package with a manifest that it takes and a
/// signature that holds.
pub(super) fn admit(
    new: &InstallerFacts,
    sdk: u32,
    before: Option<&InstallerFacts>,
    flags: Flags,
) -> Result<(), InstallError> {
    match refusal(new, sdk, before, flags) {
        Some(said) => Err(InstallError::Refused(said)),
        None => Ok(()),
    }
}

fn manifest_refusal(new: &InstallerFacts, sdk: u32, flags: Flags) -> Option<String> {
    let InstallerFacts { min_sdk, target_sdk, .. } = new;
    if *min_sdk > sdk {
        return Some(format!(
            "INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{min_sdk} (current version is #{sdk})"
        ));
    }
    if let Some(class) = unsaid_activity(new).filter(|_| sdk >= NEEDS_EXPORTED) {
        return Some(format!(
            "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: {class}: Targeting S+ (version 31 and above) \
             requires that an explicit value for android:exported be defined when intent filters \
             are present"
        ));
    }
    if let Some(least) = least_target_sdk(sdk).filter(|least| target_sdk < least)
        && !flags.low_target
    {
        return Some(format!(
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version \
             {least}, but found {target_sdk}"
        ));
    }
    if new.test_only && !flags.test {
        return Some("INSTALL_FAILED_TEST_ONLY: installPackageLI".into());
    }
    None
}

fn refusal(
    new: &InstallerFacts,
    sdk: u32,
    before: Option<&InstallerFacts>,
    flags: Flags,
) -> Option<String> {
    let InstallerFacts { package, target_sdk, .. } = new;
    if sdk >= NEEDS_SCHEME_2 && *target_sdk >= NEEDS_SCHEME_2 && new.scheme < 2 {
        return Some(format!(
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES: No signature found in package of version 2 or \
             newer for package {package}"
        ));
    }
    if new.native {
        return Some("INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries".into());
    }
    before.and_then(|before| update_refusal(new, before, sdk, flags))
}

fn update_refusal(
    new: &InstallerFacts,
    before: &InstallerFacts,
    sdk: u32,
    flags: Flags,
) -> Option<String> {
    let package = &new.package;
    if sdk < REPLACES && !flags.replace {
        return Some(format!(
            "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {package} without first \
             uninstalling."
        ));
    }
    if new.signers != before.signers {
        return Some(format!(
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {package} signatures do not match \
             previously installed version; ignoring!"
        ));
    }
    let may_be_older = flags.downgrade && before.debuggable;
    if new.version_code < before.version_code && !may_be_older {
        return Some(format!(
            "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {} is older \
             than current {}",
            new.version_code, before.version_code
        ));
    }
    None
}

/// The least level that a package must target to be installed on Android of this one; Android 14
/// and 15 have one.
pub fn least_target_sdk(sdk: u32) -> Option<u32> {
    match sdk {
        ..34 => None,
        34 => Some(23),
        _ => Some(24),
    }
}

fn unsaid_activity(new: &InstallerFacts) -> Option<&str> {
    if new.target_sdk < NEEDS_EXPORTED {
        return None;
    }
    let mut activities = new.activities.iter();
    let unsaid = activities.find(|(_, activity)| activity.filtered && activity.exported.is_none());
    unsaid.map(|(class, _)| class.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::android::facts::Activity;

    fn good() -> InstallerFacts {
        InstallerFacts {
            package: "org.x".into(),
            version_code: 5,
            min_sdk: 14,
            target_sdk: 34,
            signers: vec!["key".into()],
            scheme: 2,
            ..InstallerFacts::default()
        }
    }

    /// The code with which a package is refused over another; empty if it is taken.
    fn code(
        new: &InstallerFacts,
        sdk: u32,
        before: Option<&InstallerFacts>,
        flags: Flags,
    ) -> String {
        let said = manifest_refusal(new, sdk, flags);
        let said = said.or_else(|| refusal(new, sdk, before, flags)).unwrap_or_default();
        said.split(':').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_release_refuses_what_is_too_new_or_too_old_for_it() {
        let none = Flags::default();
        assert_eq!(code(&good(), 13, None, none), "INSTALL_FAILED_OLDER_SDK");
        for sdk in [14, 17, 30, 34, 35] {
            assert_eq!(code(&good(), sdk, None, none), "", "{sdk}");
        }
        let old = InstallerFacts { target_sdk: 22, ..good() };
        assert_eq!(code(&old, 33, None, none), "");
        assert_eq!(code(&old, 34, None, none), "INSTALL_FAILED_DEPRECATED_SDK_VERSION");
        assert_eq!(code(&old, 34, None, Flags { low_target: true, ..none }), "");
    }

    /// A signature of a scheme that is too new for a release is no reason beside its level.
    #[test]
    fn the_level_is_refused_before_anything_is_known_of_the_signature() {
        let unsigned = InstallerFacts { min_sdk: 21, signers: Vec::new(), scheme: 0, ..good() };
        let said = admit_manifest(&unsigned, 17, Flags::default()).unwrap_err().to_string();
        assert!(
            said.starts_with("INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #21"),
            "{said}"
        );
        assert!(admit_manifest(&unsigned, 30, Flags::default()).is_ok());
    }

    #[test]
    fn what_a_target_promises_is_asked_for() {
        let none = Flags::default();
        let v1 = InstallerFacts { scheme: 1, ..good() };
        assert_eq!(code(&v1, 30, None, none), "INSTALL_PARSE_FAILED_NO_CERTIFICATES");
        assert_eq!(code(&v1, 29, None, none), "");
        let activity = Activity { exported: None, filtered: true, target: None };
        let unsaid = InstallerFacts { activities: [("org.x.A".into(), activity)].into(), ..good() };
        assert_eq!(code(&unsaid, 31, None, none), "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED");
        assert_eq!(code(&unsaid, 30, None, none), "");
        let test = InstallerFacts { test_only: true, ..good() };
        assert_eq!(code(&test, 17, None, none), "INSTALL_FAILED_TEST_ONLY");
        assert_eq!(code(&test, 17, None, Flags { test: true, ..none }), "");
        let native = InstallerFacts { native: true, ..good() };
        assert_eq!(code(&native, 17, None, none), "INSTALL_FAILED_NO_MATCHING_ABIS");
    }

    #[test]
    fn updates_have_the_same_key_and_no_older_version() {
        let replace = Flags { replace: true, ..Flags::default() };
        let before = good();
        assert_eq!(code(&good(), 17, Some(&before), replace), "");
        let unasked = code(&good(), 17, Some(&before), Flags::default());
        assert_eq!(unasked, "INSTALL_FAILED_ALREADY_EXISTS");
        assert_eq!(code(&good(), 28, Some(&before), Flags::default()), "");
        let other = InstallerFacts { signers: vec!["other".into()], ..good() };
        assert_eq!(code(&other, 17, Some(&before), replace), "INSTALL_FAILED_UPDATE_INCOMPATIBLE");
        let older = InstallerFacts { version_code: 4, ..good() };
        let down = Flags { downgrade: true, ..replace };
        assert_eq!(code(&older, 17, Some(&before), replace), "INSTALL_FAILED_VERSION_DOWNGRADE");
        assert_eq!(code(&older, 17, Some(&before), down), "INSTALL_FAILED_VERSION_DOWNGRADE");
        let debuggable = InstallerFacts { debuggable: true, ..good() };
        assert_eq!(code(&older, 17, Some(&debuggable), down), "");
    }
}
