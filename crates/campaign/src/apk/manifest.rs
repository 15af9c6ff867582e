//! Manifest of a package with an instrumentation that starts an application, and with an activity.

use super::xml::{Element, Value};

/// Android's attributes with their resource ids (`android.R.attr`).
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

/// Resource id of Android's theme for a full-screen activity
/// (`android.R.style.Theme_NoTitleBar_Fullscreen`): the content's origin is then the same on all
/// releases, so that touches hit their targets.
const FULL_SCREEN: u32 = 0x0103_0007;

/// Contents of the manifest that wattline writes into a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest<'a> {
    /// The application's package name.
    pub package: &'a str,
    /// Name of the package as devices show it.
    pub label: &'a str,
    /// Oldest supported Android release, as an API level.
    pub min_sdk: u32,
    /// Target Android release, as an API level: newer ones behave like it.
    pub target_sdk: u32,
    /// Class of the instrumentation that starts the application.
    pub runner: &'a str,
    /// Package that the instrumentation starts: usually its own.
    pub target: &'a str,
    /// Class of the activity that users can start, too.
    pub activity: Option<&'a str>,
    /// Name and value of the instrumentation's meta-data, which the runner reads.
    pub facts: Vec<(&'a str, &'a str)>,
}

impl Manifest<'_> {
    /// `AndroidManifest.xml` in Android's binary form. The package is not debuggable, since Android
    /// compiles debuggable code without inlining; it is profileable by the shell, which releases
    /// before 10 ignore.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = |text: &str| Value::Text(text.to_string());
        let sdk = Element::new("uses-sdk")
            .with_android_attribute(attr::MIN_SDK, Value::Number(self.min_sdk))
            .with_android_attribute(attr::TARGET_SDK, Value::Number(self.target_sdk));
        let profileable =
            Element::new("profileable").with_android_attribute(attr::SHELL, Value::Flag(true));
        let application = Element::new("application")
            .with_android_attribute(attr::LABEL, text(self.label))
            .with_android_attribute(attr::DEBUGGABLE, Value::Flag(false))
            .with_android_attribute(attr::ALLOW_BACKUP, Value::Flag(false))
            .with_child(profileable);
        let application = match self.activity {
            Some(class) => application.with_child(activity(class)),
            None => application,
        };
        let runner = Element::new("instrumentation")
            .with_android_attribute(attr::NAME, text(self.runner))
            .with_android_attribute(attr::TARGET_PACKAGE, text(self.target));
        let runner = self.facts.iter().fold(runner, |runner, (name, value)| {
            let fact = Element::new("meta-data").with_android_attribute(attr::NAME, text(name));
            runner.with_child(fact.with_android_attribute(attr::VALUE, text(value)))
        });
        Element::new("manifest")
            .with_android_attribute(attr::VERSION_CODE, Value::Number(1))
            .with_android_attribute(attr::VERSION_NAME, text("1"))
            .with_attribute("package", self.package)
            .with_child(sdk)
            .with_child(application)
            .with_child(runner)
            .to_bytes()
    }
}

/// The element of an activity that launchers show.
fn activity(class: &str) -> Element {
    let named = |element: &'static str, name: &str| {
        Element::new(element).with_android_attribute(attr::NAME, Value::Text(name.to_string()))
    };
    let filter = Element::new("intent-filter")
        .with_child(named("action", "android.intent.action.MAIN"))
        .with_child(named("category", "android.intent.category.LAUNCHER"));
    Element::new("activity")
        .with_android_attribute(attr::THEME, Value::Reference(FULL_SCREEN))
        .with_android_attribute(attr::NAME, Value::Text(class.to_string()))
        .with_android_attribute(attr::EXPORTED, Value::Flag(true))
        .with_child(filter)
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
