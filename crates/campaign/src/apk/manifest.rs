//! The manifest of a package that is started by its instrumentation, and of its activity.

use super::xml::{Element, Value};

/// Android's attributes that are used, with their resource ids (`android.R.attr`).
pub(super) mod attr {
    pub(crate) const THEME: (&str, u32) = ("theme", 0x0101_0000);
    pub const LABEL: (&str, u32) = ("label", 0x0101_0001);
    pub const NAME: (&str, u32) = ("name", 0x0101_0003);
    pub(crate) const ENABLED: (&str, u32) = ("enabled", 0x0101_000e);
    pub const DEBUGGABLE: (&str, u32) = ("debuggable", 0x0101_000f);
    pub(crate) const EXPORTED: (&str, u32) = ("exported", 0x0101_0010);
    pub(crate) const PROCESS: (&str, u32) = ("process", 0x0101_0011);
    pub(crate) const TARGET_PACKAGE: (&str, u32) = ("targetPackage", 0x0101_0021);
    pub const VALUE: (&str, u32) = ("value", 0x0101_0024);
    pub const MIN_SDK: (&str, u32) = ("minSdkVersion", 0x0101_020c);
    pub(crate) const VERSION_CODE: (&str, u32) = ("versionCode", 0x0101_021b);
    pub(crate) const VERSION_NAME: (&str, u32) = ("versionName", 0x0101_021c);
    pub(crate) const TARGET_SDK: (&str, u32) = ("targetSdkVersion", 0x0101_0270);
    pub(crate) const ALLOW_BACKUP: (&str, u32) = ("allowBackup", 0x0101_0280);
    pub(crate) const SPLIT_REQUIRED: (&str, u32) = ("isSplitRequired", 0x0101_0591);
    pub(crate) const SHELL: (&str, u32) = ("shell", 0x0101_0594);
    pub(crate) const SPLIT_TYPES: (&str, u32) = ("requiredSplitTypes", 0x0101_064e);
}

/// Android's theme of an activity that has all of the screen for itself
/// (`android.R.style.Theme_NoTitleBar_Fullscreen`): where its content begins is then the same on
/// all releases, and touches hit what they are meant for.
const FULL_SCREEN: u32 = 0x0103_0007;

/// What a device has to know of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest<'a> {
    /// The application's package name.
    pub package: &'a str,
    /// What the device shows.
    pub label: &'a str,
    /// The oldest release of Android it runs on, as an API level.
    pub min_sdk: u32,
    /// The one it was made for: newer ones behave as that did.
    pub target_sdk: u32,
    /// The class of the instrumentation that starts it.
    pub runner: &'a str,
    /// The package that the instrumentation starts: mostly its own.
    pub target: &'a str,
    /// The class of the activity that people can start, too.
    pub activity: Option<&'a str>,
    /// Facts for the runner, which it reads from its own entry: name and value.
    pub facts: Vec<(&'a str, &'a str)>,
}

impl Manifest<'_> {
    /// `AndroidManifest.xml` in Android's binary form. Not debuggable, since that is compiled
    /// without inlining; profileable by the shell, which releases before 10 overlook.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = |text: &str| Value::Text(text.to_string());
        let sdk = Element::new("uses-sdk")
            .android(attr::MIN_SDK, Value::Number(self.min_sdk))
            .android(attr::TARGET_SDK, Value::Number(self.target_sdk));
        let profileable = Element::new("profileable").android(attr::SHELL, Value::Flag(true));
        let application = Element::new("application")
            .android(attr::LABEL, text(self.label))
            .android(attr::DEBUGGABLE, Value::Flag(false))
            .android(attr::ALLOW_BACKUP, Value::Flag(false))
            .child(profileable);
        let application = match self.activity {
            Some(class) => application.child(activity(class)),
            None => application,
        };
        let runner = Element::new("instrumentation")
            .android(attr::NAME, text(self.runner))
            .android(attr::TARGET_PACKAGE, text(self.target));
        let runner = self.facts.iter().fold(runner, |runner, (name, value)| {
            let fact = Element::new("meta-data").android(attr::NAME, text(name));
            runner.child(fact.android(attr::VALUE, text(value)))
        });
        Element::new("manifest")
            .android(attr::VERSION_CODE, Value::Number(1))
            .android(attr::VERSION_NAME, text("1"))
            .plain("package", self.package)
            .child(sdk)
            .child(application)
            .child(runner)
            .to_bytes()
    }
}

/// An activity as a launcher shows it.
fn activity(class: &str) -> Element {
    let named = |element: &'static str, name: &str| {
        Element::new(element).android(attr::NAME, Value::Text(name.to_string()))
    };
    let filter = Element::new("intent-filter")
        .child(named("action", "android.intent.action.MAIN"))
        .child(named("category", "android.intent.category.LAUNCHER"));
    Element::new("activity")
        .android(attr::THEME, Value::Reference(FULL_SCREEN))
        .android(attr::NAME, Value::Text(class.to_string()))
        .android(attr::EXPORTED, Value::Flag(true))
        .child(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apk::xml::ANDROID;

    #[test]
    fn the_manifest_holds_its_names_and_is_the_same_each_time() {
        let manifest = Manifest {
            package: "org.example.app",
            label: "app",
            min_sdk: 14,
            target_sdk: 34,
            runner: "org.wattline.runner.Runner",
            target: "org.example.app",
            activity: Some("org.example.Screen"),
            facts: vec![("wattline.main", "org.example.Main")],
        };
        let bytes = manifest.to_bytes();
        let holds = |text: &str| {
            let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes.windows(units.len()).any(|window| window == units)
        };
        for text in
            ["org.example.app", "org.example.Main", "org.example.Screen", "minSdkVersion", ANDROID]
        {
            assert!(holds(text), "{text}");
        }
        assert_eq!(bytes, manifest.to_bytes());
    }
}
