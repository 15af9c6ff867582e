//! Listener for Maven builds, compiled against the jars of the installed Maven and kept in the
//! cache.
//!
//! Of the ways to find what a build compiles, this one needs neither a network nor the wording of
//! the log. `help:effective-pom` and `dependency:build-classpath` are goals of plugins that a local
//! repository may lack, and show a model without the plugin's defaults and without generated
//! sources; `-X` prints javac's command line in a form that differs between plugin versions, and
//! none where all is up to date. Maven itself gives a listener each goal with all of its
//! parameters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::private_files::{built_folder, cache_folder};

use super::artifact::hash_of_bytes;
use super::compiled_jar::{JarBuildRequest, compile_jar};
use super::{Jdk, ToolchainError, UTF8_LOCALE, jar};

const SOURCES: [(&str, &str); 6] = [
    ("ClassFolder.java", include_str!("maven/ClassFolder.java")),
    ("DependencyFiles.java", include_str!("maven/DependencyFiles.java")),
    ("Json.java", include_str!("maven/Json.java")),
    ("MavenExport.java", include_str!("maven/MavenExport.java")),
    ("MojoFields.java", include_str!("maven/MojoFields.java")),
    ("SourceFiles.java", include_str!("maven/SourceFiles.java")),
];
/// Entry name and text of the index from which Maven's container loads the jar's components.
const INDEX: (&str, &str) = (
    "META-INF/sisu/javax.inject.Named",
    "wattline.maven.DependencyFiles\nwattline.maven.MavenExport\n",
);
const JAR: &str = "maven-export.jar";

/// An installed Maven, or one that a project's wrapper fetches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MavenInstallation {
    /// Its version: `3.9.9`.
    pub version: String,
    /// Folder whose `lib` has Maven's jars.
    pub home: PathBuf,
}

impl MavenInstallation {
    /// Runs `mvn -version` or `mvnw -version`; the inner error is the output of a program that is
    /// no Maven.
    ///
    /// # Errors
    /// The program can't be started.
    pub fn of(program: &Path, project: &Path) -> Result<Result<Self, String>, ToolchainError> {
        let output = Command::new(program)
            .arg("-version")
            .current_dir(project)
            .envs(UTF8_LOCALE)
            .stdin(Stdio::null())
            .output()
            .map_err(ToolchainError::io("start", program))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Self::parse(&said).ok_or_else(|| said + String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// Parses `Apache Maven 3.8.7` and `Maven home: /usr/share/maven`, with or without colours.
    fn parse(said: &str) -> Option<Self> {
        let after = |begin: &str| said.split_once(begin).map(|(_, rest)| rest);
        let version = after("Apache Maven ")?;
        let is_version = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
        let version = version.split(|c: char| !is_version(c)).next()?.to_owned();
        let home = after("Maven home: ")?.lines().next()?.trim();
        Some(Self { version, home: home.into() })
    }
}

/// The path of the listener's jar in the cache, compiled if absent.
///
/// # Errors
/// The cache can't be used; the classes of the installed Maven are not those of Maven 3.
pub(crate) fn listener_jar(
    jdk: &Jdk,
    maven: &MavenInstallation,
) -> Result<PathBuf, ToolchainError> {
    let java = fs::canonicalize(&jdk.javac).map_err(ToolchainError::io("find", &jdk.javac))?;
    let texts = SOURCES.map(|(_, text)| text).concat();
    let (home, version) = (maven.home.display(), &maven.version);
    let key = format!("{}\n{home}\n{version}\n{texts}", java.display());
    let name = format!("maven-export-{}", &hash_of_bytes(key.as_bytes())[..16]);
    let folder = built_folder(&cache_folder()?, &name, |work| build(jdk, maven, work))?;
    Ok(folder.join(JAR))
}

fn build(jdk: &Jdk, maven: &MavenInstallation, work: &Path) -> Result<(), ToolchainError> {
    let texts = SOURCES.map(|(name, text)| (format!("src/{name}"), text.as_bytes().to_vec()));
    let files = jar::write_folder(work, &texts.into())?;
    let classes = work.join("classes");
    let index = [(INDEX.0.to_owned(), INDEX.1.as_bytes().to_vec())];
    jar::write_folder(&classes, &index.into())?;
    let sources = JarBuildRequest {
        files: &files,
        class_path: &[maven.home.join("lib").join("*")],
        // The oldest Java that a Maven of these versions runs on.
        options: &["--release", "8", "-Xlint:-options", "-proc:none"],
        manifest: &[],
    };
    compile_jar(jdk, &sources, &classes, &work.join(JAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maven_tells_its_version_and_its_folder() {
        let of = |said| MavenInstallation::parse(said).map(|m| (m.version, m.home));
        let expected = |version: &str, home: &str| Some((version.to_owned(), PathBuf::from(home)));
        let debian = "\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: /usr/share/maven\nJava \
                      version: 17\n";
        assert_eq!(of(debian), expected("3.8.7", "/usr/share/maven"));
        let plain = "Apache Maven 3.6.3 (cecedd3430)\r\nMaven home: /opt/a b\r\n";
        assert_eq!(of(plain), expected("3.6.3", "/opt/a b"));
        assert_eq!(of("Error: JAVA_HOME is not defined correctly"), None);
    }

    #[test]
    fn the_listener_is_built_against_the_maven_that_is_there() {
        let Ok(jdk) = Jdk::find() else { return crate::skip::because("no JDK") };
        let Some(program) = crate::toolchain::jdk::find_on_path("mvn") else {
            return crate::skip::because("no mvn");
        };
        let maven = MavenInstallation::of(&program, Path::new(".")).unwrap().unwrap();
        let built = listener_jar(&jdk, &maven).unwrap();
        let entries = jar::read(&built, "", |_| true).unwrap().entries;
        assert!(entries.contains_key(INDEX.0));
        assert_eq!(entries["wattline/maven/MavenExport.class"][7], 52, "Java 8 loads it");
    }
}
