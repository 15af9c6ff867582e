//! Remedies for refusals of the package manager.

/// Remedy for each error code of the package manager (AOSP's `PackageManager`).
const REMEDIES: [(&str, &str); 14] = [
    (
        "INSTALL_PARSE_FAILED_NOT_APK",
        "it takes Android packages alone: leave `start = \"main\"` out of the scenario",
    ),
    (
        "INSTALL_FAILED_OLDER_SDK",
        "lower `min_sdk` in [application], or in the build of an `apk`, to its level (getprop \
         ro.build.version.sdk)",
    ),
    (
        "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        "raise `target_sdk` in [application], or in the build of an `apk`",
    ),
    (
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        "it has the package with another key, and not one of wattline's making: `adb uninstall` it \
         there, with its data, first",
    ),
    (
        "INSTALL_FAILED_VERSION_DOWNGRADE",
        "it has a newer version: `adb uninstall` that, with its data, first",
    ),
    (
        "INSTALL_FAILED_INSUFFICIENT_STORAGE",
        "free space on it (`adb shell df /data` says how much there is)",
    ),
    (
        "INSTALL_FAILED_MISSING_SHARED_LIBRARY",
        "the application uses what this Android has not; on a real one it may run \
         (docs/how-to/own-application.md)",
    ),
    (
        "INSTALL_FAILED_NO_MATCHING_ABIS",
        "its libraries (lib/*.so) are for other processors: leave them out or add this one's (a \
         virtual board runs none)",
    ),
    (
        "INSTALL_FAILED_USER_RESTRICTED",
        "allow `Install via USB` in its developer options, and say yes on its screen",
    ),
    (
        "INSTALL_FAILED_VERIFICATION",
        "say yes to Play Protect on its screen, or switch `Verify apps over USB` off in its \
         developer options",
    ),
    ("INSTALL_FAILED_ABORTED", "say yes on its screen"),
    (
        "INSTALL_FAILED_DEXOPT",
        "its code can't be made ready to run; of a virtual board docs/internals/virtual-board-packages.md \
         says why",
    ),
    (
        "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME",
        "Android takes names of two parts or more, each a letter with letters, digits and `_` after \
         it: give it another `package` in [application]",
    ),
    (
        "NO_CERTIFICATES",
        "its signature does not hold there: sign it anew, by scheme 2 or later for Android 7.0 and \
         later, by scheme 1 too for older ones (before 4.3 with SHA-1)",
    ),
];

/// The remedy for a message of the package manager.
pub(super) fn install_remedy(said: &str) -> &'static str {
    let known = REMEDIES.iter().find(|(word, _)| said.contains(word));
    known.map_or("`adb logcat -d -s PackageManager` may say more", |(_, remedy)| remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_with_what_to_do() {
        let said = "Failure [INSTALL_FAILED_VERIFICATION_FAILURE]";
        assert!(install_remedy(said).starts_with("say yes to Play Protect"));
        let said = "Failure [INSTALL_PARSE_FAILED_NO_CERTIFICATES: x]";
        assert!(install_remedy(said).contains("sign it anew"));
        assert!(
            install_remedy(said).contains("before 4.3 with SHA-1"),
            "Android 4.2 has no scheme 2"
        );
        assert!(install_remedy("Error: what is this?").contains("logcat"));
    }
}
