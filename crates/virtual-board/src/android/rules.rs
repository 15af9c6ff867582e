//! Rules by which the package manager of an Android release accepts or refuses a package. Names and
//! texts are those of AOSP's `PackageManager` and `InstallPackageHelper`.

use super::facts::PackageFacts;
use super::install_error::InstallError;

/// API level from which a package that targets it needs a signature of scheme 2 or later.
const NEEDS_SCHEME_2: u32 = 30;
/// API level from which a package that targets it must declare `exported` for each activity with an
/// intent filter.
const NEEDS_EXPORTED: u32 = 31;
/// API level from which an installed package is replaced without `-r`.
const REPLACES: u32 = 28;

/// Flags of `pm install`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct InstallFlags {
    /// `-r`: replace an installed package.
    pub replace: bool,
    /// `-t`: accept a package for tests.
    pub test: bool,
    /// `-d`: accept an older version.
    pub downgrade: bool,
    /// `--bypass-low-target-sdk-block`.
    pub low_target: bool,
}

/// Refuses a package by its manifest alone, as the release does before it reads the signature.
pub(super) fn check_manifest(
    new: &PackageFacts,
    sdk: u32,
    flags: InstallFlags,
) -> Result<(), InstallError> {
    match manifest_refusal(new, sdk, flags) {
        Some(said) => Err(InstallError::Refused(said)),
        None => Ok(()),
    }
}

/// Refuses a package with a valid manifest and signature by its signature scheme, its native code,
/// or the installed version `before`.
pub(super) fn check_signature_and_update(
    new: &PackageFacts,
    sdk: u32,
    before: Option<&PackageFacts>,
    flags: InstallFlags,
) -> Result<(), InstallError> {
    match signature_or_update_refusal(new, sdk, before, flags) {
        Some(said) => Err(InstallError::Refused(said)),
        None => Ok(()),
    }
}

/// Message of the package manager if it refuses the manifest.
fn manifest_refusal(new: &PackageFacts, sdk: u32, flags: InstallFlags) -> Option<String> {
    let PackageFacts { min_sdk, target_sdk, .. } = new;
    if *min_sdk > sdk {
        return Some(format!(
            "INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{min_sdk} (current version is #{sdk})"
        ));
    }
    if let Some(class) = activity_without_exported(new).filter(|_| sdk >= NEEDS_EXPORTED) {
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

/// Message of the package manager if it refuses the signature scheme, the native code or the
/// update.
fn signature_or_update_refusal(
    new: &PackageFacts,
    sdk: u32,
    before: Option<&PackageFacts>,
    flags: InstallFlags,
) -> Option<String> {
    let PackageFacts { package, target_sdk, .. } = new;
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

/// Message of the package manager if it refuses to replace the installed version `before`.
fn update_refusal(
    new: &PackageFacts,
    before: &PackageFacts,
    sdk: u32,
    flags: InstallFlags,
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

/// Least API level that a package must target to be installed on Android of the level `sdk`; only
/// Android 14 and later have one.
pub fn least_target_sdk(sdk: u32) -> Option<u32> {
    match sdk {
        ..34 => None,
        34 => Some(23),
        _ => Some(24),
    }
}

/// Class of an activity with an intent filter for which the manifest does not declare `exported`,
/// though the target level demands it.
fn activity_without_exported(new: &PackageFacts) -> Option<&str> {
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
    use crate::android::facts::DeclaredActivity;

    fn good() -> PackageFacts {
        PackageFacts {
            package: "org.x".into(),
            version_code: 5,
            min_sdk: 14,
            target_sdk: 34,
            signers: vec!["key".into()],
            scheme: 2,
            ..PackageFacts::default()
        }
    }

    /// The code with which a package is refused over another; empty if it is taken.
    fn code(
        new: &PackageFacts,
        sdk: u32,
        before: Option<&PackageFacts>,
        flags: InstallFlags,
    ) -> String {
        let said = manifest_refusal(new, sdk, flags);
        let said = said
            .or_else(|| signature_or_update_refusal(new, sdk, before, flags))
            .unwrap_or_default();
        said.split(':').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_release_refuses_what_is_too_new_or_too_old_for_it() {
        let none = InstallFlags::default();
        assert_eq!(code(&good(), 13, None, none), "INSTALL_FAILED_OLDER_SDK");
        for sdk in [14, 17, 30, 34, 35] {
            assert_eq!(code(&good(), sdk, None, none), "", "{sdk}");
        }
        let old = PackageFacts { target_sdk: 22, ..good() };
        assert_eq!(code(&old, 33, None, none), "");
        assert_eq!(code(&old, 34, None, none), "INSTALL_FAILED_DEPRECATED_SDK_VERSION");
        assert_eq!(code(&old, 34, None, InstallFlags { low_target: true, ..none }), "");
    }

    /// A signature of a scheme that is too new for a release is no reason beside its level.
    #[test]
    fn the_level_is_refused_before_anything_is_known_of_the_signature() {
        let unsigned = PackageFacts { min_sdk: 21, signers: Vec::new(), scheme: 0, ..good() };
        let said = check_manifest(&unsigned, 17, InstallFlags::default()).unwrap_err().to_string();
        assert!(
            said.starts_with("INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #21"),
            "{said}"
        );
        assert!(check_manifest(&unsigned, 30, InstallFlags::default()).is_ok());
    }

    #[test]
    fn what_a_target_promises_is_asked_for() {
        let none = InstallFlags::default();
        let v1 = PackageFacts { scheme: 1, ..good() };
        assert_eq!(code(&v1, 30, None, none), "INSTALL_PARSE_FAILED_NO_CERTIFICATES");
        assert_eq!(code(&v1, 29, None, none), "");
        let activity = DeclaredActivity { exported: None, filtered: true, target: None };
        let unsaid = PackageFacts { activities: [("org.x.A".into(), activity)].into(), ..good() };
        assert_eq!(code(&unsaid, 31, None, none), "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED");
        assert_eq!(code(&unsaid, 30, None, none), "");
        let test = PackageFacts { test_only: true, ..good() };
        assert_eq!(code(&test, 17, None, none), "INSTALL_FAILED_TEST_ONLY");
        assert_eq!(code(&test, 17, None, InstallFlags { test: true, ..none }), "");
        let native = PackageFacts { native: true, ..good() };
        assert_eq!(code(&native, 17, None, none), "INSTALL_FAILED_NO_MATCHING_ABIS");
    }

    #[test]
    fn updates_have_the_same_key_and_no_older_version() {
        let replace = InstallFlags { replace: true, ..InstallFlags::default() };
        let before = good();
        assert_eq!(code(&good(), 17, Some(&before), replace), "");
        let unasked = code(&good(), 17, Some(&before), InstallFlags::default());
        assert_eq!(unasked, "INSTALL_FAILED_ALREADY_EXISTS");
        assert_eq!(code(&good(), 28, Some(&before), InstallFlags::default()), "");
        let other = PackageFacts { signers: vec!["other".into()], ..good() };
        assert_eq!(code(&other, 17, Some(&before), replace), "INSTALL_FAILED_UPDATE_INCOMPATIBLE");
        let older = PackageFacts { version_code: 4, ..good() };
        let down = InstallFlags { downgrade: true, ..replace };
        assert_eq!(code(&older, 17, Some(&before), replace), "INSTALL_FAILED_VERSION_DOWNGRADE");
        assert_eq!(code(&older, 17, Some(&before), down), "INSTALL_FAILED_VERSION_DOWNGRADE");
        let debuggable = PackageFacts { debuggable: true, ..good() };
        assert_eq!(code(&older, 17, Some(&debuggable), down), "");
    }
}
