//! Reading the manifest of a package of another build.

use super::manifest::attr;
use super::xml::{Element, Value};

const MAIN: &str = "android.intent.action.MAIN";
const LAUNCHER: &str = "android.intent.category.LAUNCHER";
/// Elements that a launcher may start.
const ACTIVITIES: [&str; 2] = ["activity", "activity-alias"];
/// Elements that may run in a process of their own.
const COMPONENTS: [&str; 5] = ["activity", "activity-alias", "service", "receiver", "provider"];

/// Properties of a package from its manifest, as far as a campaign needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageManifest {
    /// Package name.
    pub package: String,
    /// Oldest supported Android release, as an API level.
    pub min_sdk: u32,
    /// Target Android release, as an API level.
    pub target_sdk: u32,
    /// Whether Android compiles the package without inlining, for a debugger.
    pub is_debuggable: bool,
    /// Whether the shell may sample the package where it is not debuggable.
    pub is_profileable: bool,
    /// Whether the package is one of several files that are installed together.
    pub is_split: bool,
    /// Classes and aliases of the activities that can be started.
    pub activities: Vec<String>,
    /// Those activities that a launcher shows.
    pub launchers: Vec<String>,
    /// Components that run in another process than the application's.
    pub in_other_processes: Vec<String>,
}

impl PackageManifest {
    /// Parses `AndroidManifest.xml` in Android's binary form.
    ///
    /// # Errors
    /// The problem of the manifest.
    pub fn parse(bytes: &[u8]) -> Result<PackageManifest, String> {
        let root = Element::read(bytes)?;
        let package = root.text("package").unwrap_or_default().to_owned();
        if root.name != "manifest" || package.is_empty() {
            return Err("names no package".to_owned());
        }
        let sdk = root.children_named("uses-sdk").last();
        let level = |attribute| sdk.map_or(Ok(None), |sdk| sdk.api_level(attribute));
        let min_sdk = level(attr::MIN_SDK)?.unwrap_or(1);
        let mut manifest = PackageManifest {
            min_sdk,
            target_sdk: level(attr::TARGET_SDK)?.unwrap_or(min_sdk),
            is_split: root.text("split").is_some()
                || root.flag(attr::SPLIT_REQUIRED) == Some(true)
                || root.value(attr::SPLIT_TYPES).is_some(),
            package,
            ..PackageManifest::default()
        };
        for application in root.children_named("application") {
            manifest.add(application);
        }
        Ok(manifest)
    }

    fn add(&mut self, application: &Element) {
        self.is_debuggable |= application.flag(attr::DEBUGGABLE) == Some(true);
        let shell = |one: &Element| {
            one.flag(attr::SHELL) == Some(true) && one.flag(attr::ENABLED) != Some(false)
        };
        self.is_profileable |= application.children_named("profileable").any(shell);
        let own = application.value(attr::PROCESS);
        for component in &application.children {
            let kind = component.name.as_ref();
            let Some(Value::Text(name)) = component.value(attr::NAME) else { continue };
            let name = class_name(&self.package, name);
            let process = component.value(attr::PROCESS);
            if COMPONENTS.contains(&kind) && process.is_some() && process != own {
                self.in_other_processes.push(name.clone());
            }
            if !ACTIVITIES.contains(&kind) || component.flag(attr::ENABLED) == Some(false) {
                continue;
            }
            if component.children_named("intent-filter").any(is_of_launcher) {
                self.launchers.push(name.clone());
            }
            self.activities.push(name);
        }
    }
}

/// The full class name: a name that starts with a dot or has none is relative to the package.
fn class_name(package: &str, name: &str) -> String {
    match name.find('.') {
        Some(0) => format!("{package}{name}"),
        Some(_) => name.to_owned(),
        None => format!("{package}.{name}"),
    }
}

fn is_of_launcher(filter: &Element) -> bool {
    let names = |kind: &'static str, wanted: &'static str| {
        let wanted = Value::Text(wanted.to_owned());
        filter.children_named(kind).any(move |one| one.value(attr::NAME) == Some(&wanted))
    };
    names("action", MAIN) && names("category", LAUNCHER)
}

impl Element {
    /// The child elements of this name.
    fn children_named<'e>(&'e self, kind: &'static str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == kind)
    }

    /// Value of one of Android's attributes, by resource id, since shrinkers remove the names.
    fn value(&self, (_, id): (&'static str, u32)) -> Option<&Value> {
        let found = self.attributes.iter().find(|attribute| attribute.id == Some(id));
        found.map(|attribute| &attribute.value)
    }

    /// Text of an attribute without a namespace.
    fn text(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|a| a.id.is_none() && a.name == name)?;
        match &found.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Boolean value of an attribute; `None` where it is absent or a resource reference.
    fn flag(&self, attribute: (&'static str, u32)) -> Option<bool> {
        match self.value(attribute) {
            Some(Value::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    /// API level in an attribute; an error for a release before its publication, which has a name
    /// instead of a number.
    fn api_level(&self, attribute: (&'static str, u32)) -> Result<Option<u32>, String> {
        match self.value(attribute) {
            None => Ok(None),
            Some(Value::Number(level)) => Ok(Some(*level)),
            Some(Value::Text(text)) if text.parse::<u32>().is_ok() => Ok(text.parse().ok()),
            Some(other) => Err(format!(
                "has the {} {}, which is no API level: build it for a release of Android",
                attribute.0,
                match other {
                    Value::Text(name) => name.clone(),
                    other => format!("{other:?}"),
                }
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn filter() -> Element {
        let named =
            |kind, name: &str| Element::new(kind).with_android_attribute(attr::NAME, text(name));
        Element::new("intent-filter")
            .with_child(named("action", MAIN))
            .with_child(named("category", "android.intent.category.DEFAULT"))
            .with_child(named("category", LAUNCHER))
    }

    fn read(sdk: Element, application: Element) -> Result<PackageManifest, String> {
        let root = Element::new("manifest").with_attribute("package", "org.x");
        PackageManifest::parse(&root.with_child(sdk).with_child(application).to_bytes())
    }

    #[test]
    fn a_manifest_of_a_build_is_read() {
        let sdk = Element::new("uses-sdk")
            .with_android_attribute(attr::MIN_SDK, Value::Number(21))
            .with_android_attribute(attr::TARGET_SDK, text("34"));
        let named =
            |kind, name: &str| Element::new(kind).with_android_attribute(attr::NAME, text(name));
        let application = Element::new("application")
            .with_android_attribute(attr::DEBUGGABLE, Value::Flag(true))
            .with_child(named("activity", ".Main").with_child(filter()))
            .with_child(named("activity", "Second"))
            .with_child(
                named("activity-alias", "org.x.Old")
                    .with_android_attribute(attr::ENABLED, Value::Flag(false)),
            )
            .with_child(
                named("service", "org.y.Sync").with_android_attribute(attr::PROCESS, text(":sync")),
            )
            .with_child(
                Element::new("profileable").with_android_attribute(attr::SHELL, Value::Flag(true)),
            );
        let expected = PackageManifest {
            package: "org.x".into(),
            min_sdk: 21,
            target_sdk: 34,
            is_debuggable: true,
            is_profileable: true,
            is_split: false,
            activities: vec!["org.x.Main".into(), "org.x.Second".into()],
            launchers: vec!["org.x.Main".into()],
            in_other_processes: vec!["org.y.Sync".into()],
        };
        assert_eq!(read(sdk, application), Ok(expected));
    }

    #[test]
    fn what_is_not_said_is_as_android_has_it() {
        let read = read(Element::new("uses-sdk"), Element::new("application")).unwrap();
        assert_eq!((read.min_sdk, read.target_sdk, read.is_debuggable), (1, 1, false));
        let named = Element::new("uses-sdk").with_android_attribute(attr::MIN_SDK, text("Baklava"));
        let error = self::read(named, Element::new("application")).unwrap_err();
        assert!(error.contains("minSdkVersion Baklava"), "{error}");
        assert!(PackageManifest::parse(&Element::new("resources").to_bytes()).is_err());
        assert!(PackageManifest::parse(b"<manifest package='org.x'/>").is_err());
    }

    #[test]
    fn one_of_several_files_is_told() {
        let base = Element::new("manifest")
            .with_attribute("package", "org.x")
            .with_android_attribute(attr::SPLIT_REQUIRED, Value::Flag(true));
        assert!(PackageManifest::parse(&base.to_bytes()).unwrap().is_split);
        let part = Element::new("manifest")
            .with_attribute("package", "org.x")
            .with_attribute("split", "config.de");
        assert!(PackageManifest::parse(&part.to_bytes()).unwrap().is_split);
    }
}
