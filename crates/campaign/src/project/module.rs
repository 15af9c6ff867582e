//! Modules of a build: the JSON that `gradle/export.init.gradle` writes, which a Maven build's
//! export is converted to.

use std::path::PathBuf;

use serde::Deserialize;

use crate::scenario::UnanalysedLanguage;
use crate::scenario::javac_option::{self, JavacOptionUse};

/// A module of which Java was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Module {
    /// Version of Gradle or Maven.
    pub tool_version: String,
    /// Path within the build: `:app`, or `:` of the root, or `org.example:app`.
    pub project: String,
    /// Name of the module.
    pub name: String,
    /// Folder of the module.
    pub folder: PathBuf,
    /// Output folder of the build.
    pub build: PathBuf,
    /// Main classes that the build or the jar's manifest names.
    pub mains: Vec<String>,
    /// Whether the build runs processors on the class path.
    pub runs_offered_processors: bool,
    /// Compilations: one of a Java module, one of each built variant of an Android module.
    pub variants: Vec<ModuleVariant>,
}

/// Compilation of one variant, with its run-time files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModuleVariant {
    /// Name: `main`, or `BenchmarkRelease`.
    pub name: String,
    /// Java files given to javac, generated ones included.
    pub sources: Vec<PathBuf>,
    /// Folders to which annotation processors write sources.
    pub generated: Vec<PathBuf>,
    /// Existing entries of the compiler's class path.
    pub classpath: Vec<PathBuf>,
    /// Run-time class path without the variant's own classes; empty for Android, whose package
    /// contains it.
    pub runtime: Vec<PathBuf>,
    /// Platform classes, `android.jar`; empty for the JDK.
    pub boot: Vec<PathBuf>,
    /// Value of `--release`, if given.
    pub release: Option<u32>,
    /// Value of `-source`: `1.8`, `17`.
    pub source: Option<String>,
    /// Value of `-target`.
    pub target: Option<String>,
    /// Value of `-encoding`.
    pub encoding: Option<String>,
    /// Jars with annotation processors, where they are configured apart from the class path.
    #[serde(default)]
    pub processors: Vec<PathBuf>,
    /// All other options of javac.
    pub arguments: Vec<String>,
    /// Output folder of javac.
    pub classes: PathBuf,
    /// Folders of files that are packed without change.
    pub resources: Vec<PathBuf>,
    /// Classes from compilers of other languages.
    pub others: Vec<OtherLanguageClasses>,
    /// Settings of Android's plugin.
    pub android: Option<AndroidVariant>,
    /// Reasons why javac compiles the sources to another program than the build does.
    #[serde(default)]
    pub obstacles: Vec<String>,
    /// Remarks for the user.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// Classes of a language that is not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OtherLanguageClasses {
    /// `Kotlin`, `Groovy`, `Scala`.
    pub language: String,
    /// Folder of the classes.
    pub classes: PathBuf,
    /// Source files of the classes.
    pub files: Vec<PathBuf>,
}

/// Settings of a variant in Android's plugin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AndroidVariant {
    /// Application id; `None` for a library.
    pub application_id: Option<String>,
    /// Oldest supported Android release, as an API level.
    pub min_sdk: Option<u32>,
    /// Target Android release, as an API level.
    pub target_sdk: Option<u32>,
    /// Built packages; several where they are split by screen or processor.
    pub packages: Vec<PathBuf>,
}

impl OtherLanguageClasses {
    /// The language, if accounts name it.
    pub fn unanalysed(&self) -> Option<UnanalysedLanguage> {
        UnanalysedLanguage::ALL.into_iter().find(|language| language.name() == self.language)
    }
}

impl Module {
    /// The main class, if the build names exactly one.
    pub(crate) fn only_main(&self) -> Option<&String> {
        match &self.mains[..] {
            [main] => Some(main),
            _ => None,
        }
    }
}

/// javac options with fields of their own, and the number of words that follow each.
const OPTIONS_READ_APART: [(&str, usize); 12] = [
    ("-parameters", 0),
    ("--enable-preview", 0),
    ("-proc", 0),
    ("-s", 1),
    ("-h", 1),
    ("--release", 1),
    ("-source", 1),
    ("--source", 1),
    ("-target", 1),
    ("--target", 1),
    ("-encoding", 1),
    ("-processor", 1),
];

impl ModuleVariant {
    /// Java release of the classes, if the build gives a number.
    pub fn java_release(&self) -> Option<u32> {
        let among = |names: [&str; 2]| self.argument(&names).map(String::as_str);
        let of = |level: &str| level.strip_prefix("1.").unwrap_or(level).parse().ok();
        // javac takes the last of what it is told twice, and has its arguments last.
        let release = among(["--release", "--release"]).and_then(of).or(self.release);
        let target = among(["-target", "--target"]).or(self.target.as_deref());
        let source = among(["-source", "--source"]).or(self.source.as_deref());
        release.or_else(|| target.or(source).and_then(of))
    }

    /// Encoding of the sources, if the build declares one.
    pub fn encoding(&self) -> Option<&String> {
        self.argument(&["-encoding"]).or(self.encoding.as_ref())
    }

    /// The value of a javac option with these spellings.
    fn argument(&self, names: &[&str]) -> Option<&String> {
        let at = self.arguments.iter().rposition(|word| names.contains(&word.as_str()))?;
        self.arguments.get(at + 1)
    }

    /// Whether preview features were enabled.
    pub(crate) fn has_previews(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--enable-preview")
    }

    /// Whether javac ran without annotation processors.
    pub(crate) fn is_without_processors(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "-proc:none")
    }

    /// The javac options without a field of their own, with their uses.
    pub fn javac_options(&self) -> Vec<(JavacOptionUse, Vec<String>)> {
        let mut words = self.arguments.iter();
        let mut others = Vec::new();
        while let Some(word) = words.next() {
            let name = word.split(':').next().unwrap_or_default();
            match OPTIONS_READ_APART.iter().find(|(told, _)| *told == name) {
                Some((_, values)) => words.by_ref().take(*values).for_each(drop),
                None => others.push(word.clone()),
            }
        }
        javac_option::sort_options(&others)
    }

    /// Whether javac kept the names of parameters, which programs may look up.
    pub(crate) fn keeps_parameters(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "-parameters")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::project::tool_run::parse_export;

    pub(crate) const DEMO: &str = r#"{"format":1,"toolVersion":"4.4.1","project":":","name":"demo",
        "folder":"/p","build":"/p/build","mains":["demo.Main"],"runsOfferedProcessors":true,"variants":[{
        "sources":["/p/src/main/java/demo/Main.java"],"generated":[],"classpath":["/p/a.jar"],
        "boot":[],"release":null,"source":"1.7","target":"1.8","encoding":"UTF-8",
        "arguments":["-parameters"],"classes":"/p/build/classes/java/main","name":"main",
        "runtime":["/p/a.jar"],"resources":[],"others":[{"language":"Kotlin",
        "classes":"/p/build/classes/kotlin/main","files":["/p/src/main/kotlin/demo/More.kt"]}],
        "android":null}]}"#;

    #[test]
    fn a_module_is_read() {
        let module = parse_export::<Module>(DEMO).unwrap();
        let variant = &module.variants[0];
        assert_eq!(module.only_main().map(String::as_str), Some("demo.Main"));
        assert_eq!(variant.java_release(), Some(8));
        assert!(variant.keeps_parameters());
        assert_eq!(variant.others[0].language, "Kotlin");
        let android = r#""android":{"applicationId":"a.b","minSdk":21,"targetSdk":null,
            "packages":["/p/a.apk"]}"#;
        let module = parse_export::<Module>(&DEMO.replace("\"android\":null", android)).unwrap();
        assert_eq!(module.variants[0].android.as_ref().unwrap().min_sdk, Some(21));
    }

    #[test]
    fn options_are_sorted_by_what_is_done_with_them() {
        let mut variant = parse_export::<Module>(DEMO).unwrap().variants.remove(0);
        let arguments = ["-parameters", "-s", "/gen", "--enable-preview", "-Aa=b", "-Xlint", "-q"];
        variant.arguments = arguments.map(String::from).into();
        assert!(variant.has_previews() && !variant.is_without_processors());
        let options = variant.javac_options();
        let expected = [
            (JavacOptionUse::Taken, vec!["-Aa=b".to_owned()]),
            (JavacOptionUse::WithoutEffect, vec!["-Xlint".to_owned()]),
            (JavacOptionUse::Refused, vec!["-q".to_owned()]),
        ];
        assert_eq!(options, expected);
    }

    #[test]
    fn releases_are_those_of_all_spellings() {
        let mut variant = parse_export::<Module>(DEMO).unwrap().variants.remove(0);
        let mut release = |release, target: Option<&str>, source: Option<&str>| {
            variant.release = release;
            variant.target = target.map(String::from);
            variant.source = source.map(String::from);
            variant.java_release()
        };
        assert_eq!(release(Some(11), Some("17"), None), Some(11));
        assert_eq!(release(None, Some("17"), Some("11")), Some(17));
        assert_eq!(release(None, None, Some("1.7")), Some(7));
        assert_eq!(release(None, Some("newest"), None), None);
        assert_eq!(release(None, None, None), None);
    }

    #[test]
    fn what_javac_is_told_in_its_arguments_is_read_there() {
        let mut variant = parse_export::<Module>(DEMO).unwrap().variants.remove(0);
        let arguments = ["--release", "11", "-encoding", "EUC-JP", "-Aa=b", "-processor", "a.B"];
        variant.arguments = arguments.map(String::from).into();
        assert_eq!(variant.java_release(), Some(11), "as older builds say it");
        assert_eq!(variant.encoding().map(String::as_str), Some("EUC-JP"));
        assert_eq!(variant.javac_options(), [(JavacOptionUse::Taken, vec!["-Aa=b".to_owned()])]);
        variant.arguments = vec!["-source".into(), "1.7".into(), "--release".into()];
        assert_eq!(variant.java_release(), Some(8), "a target goes before a source");
        variant.target = None;
        assert_eq!(variant.java_release(), Some(7));
    }

    #[test]
    fn what_is_no_export_says_why() {
        assert!(parse_export::<Module>("").unwrap_err().contains("EOF"));
        let other = DEMO.replace("\"format\":1", "\"format\":2");
        assert_eq!(
            parse_export::<Module>(&other).unwrap_err(),
            "has form 2; this version of wattline reads form 1"
        );
        let without = DEMO.replace("\"classes\":\"/p/build/classes/java/main\",", "");
        assert!(parse_export::<Module>(&without).unwrap_err().contains("missing field `classes`"));
    }

    proptest::proptest! {
        /// No text makes the reader panic, and no part of an export is taken for a whole one.
        #[test]
        fn cut_and_changed_exports_are_refused(at in 0..DEMO.len(), with in "\\PC{0,3}") {
            let mut changed = DEMO.to_string();
            changed.truncate(at);
            proptest::prop_assert!(parse_export::<Module>(&changed).is_err());
            let _ = parse_export::<Module>(&(changed + &with + &DEMO[at..]));
        }
    }
}
