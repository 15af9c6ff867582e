//! Facts of an Android package from its manifest and its signature.

use std::collections::{BTreeMap, BTreeSet};

use super::install_error::InstallError;
use super::package_name::package_name_fault;

/// Facts of an Android package that the installer found; see `installer/Manifest.java`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PackageFacts {
    pub package: String,
    pub version_code: i64,
    pub min_sdk: u32,
    pub target_sdk: u32,
    /// Class of the application.
    pub application: String,
    pub debuggable: bool,
    /// Whether the shell may profile the package.
    pub profileable: bool,
    pub test_only: bool,
    /// Whether the package has native code, which a JVM does not run.
    pub native: bool,
    /// SHA-256 of the certificates that signed the package.
    pub signers: Vec<String>,
    /// Newest valid signature scheme: 1, or 2 for that and later.
    pub scheme: u32,
    pub activities: BTreeMap<String, DeclaredActivity>,
    pub services: BTreeSet<String>,
    pub instrumentations: BTreeMap<String, DeclaredInstrumentation>,
}

/// Activity that a package's manifest declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeclaredActivity {
    /// Whether other packages may start the activity; `None` if the manifest does not declare it.
    pub exported: Option<bool>,
    /// Whether the activity has an intent filter.
    pub filtered: bool,
    /// Activity that this one is an alias of.
    pub target: Option<String>,
}

impl DeclaredActivity {
    /// Whether other packages may start the activity; where the manifest does not declare it, an
    /// activity with an intent filter.
    pub(crate) fn is_exported(&self) -> bool {
        self.exported.unwrap_or(self.filtered)
    }
}

/// Instrumentation that a package's manifest declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeclaredInstrumentation {
    /// Package that the instrumentation runs in.
    pub target: String,
    /// Keys and values of the meta-data.
    pub meta: Vec<(String, String)>,
}

impl PackageFacts {
    /// Parses the installer's lines: a word, then fields separated by tabs.
    pub(super) fn parse(text: &str) -> Result<Self, InstallError> {
        let mut facts = Self { min_sdk: 1, target_sdk: 1, ..Self::default() };
        facts.add(text)?;
        match package_name_fault(&facts.package) {
            Some(fault) => Err(InstallError::Refused(format!(
                "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME: Invalid manifest package: {fault}"
            ))),
            None => Ok(facts),
        }
    }

    /// Adds the facts of further lines of the installer.
    pub(super) fn add(&mut self, text: &str) -> Result<(), InstallError> {
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            self.add_line(&fields).ok_or_else(|| malformed_manifest(&fields.join(" ")))?;
        }
        Ok(())
    }

    /// Adds the fact of one line; `None` if a field is malformed.
    fn add_line(&mut self, fields: &[&str]) -> Option<()> {
        match *fields {
            ["package", name] => self.package = name.into(),
            ["version_code", code] => self.version_code = code.parse().ok()?,
            ["min_sdk", level] => self.min_sdk = level.parse().ok()?,
            ["target_sdk", level] => self.target_sdk = level.parse().ok()?,
            ["application", class] => self.application = class.into(),
            ["debuggable", word] => self.debuggable = word.parse().ok()?,
            ["profileable", word] => self.profileable = word.parse().ok()?,
            ["test_only", word] => self.test_only = word.parse().ok()?,
            ["native", _] => self.native = true,
            ["signer", hash] => self.signers.push(hash.into()),
            ["scheme", number] => self.scheme = number.parse().ok()?,
            ["service", class] => drop(self.services.insert(class.into())),
            ["activity", class, exported, filtered, target] => {
                let exported = (exported != "unsaid").then(|| exported.parse().ok());
                let exported = match exported {
                    Some(word) => Some(word?),
                    None => None,
                };
                let target = Some(target.to_owned()).filter(|target| !target.is_empty());
                let activity =
                    DeclaredActivity { exported, filtered: filtered.parse().ok()?, target };
                self.activities.insert(class.into(), activity);
            }
            ["instrumentation", class, target] => {
                let target = DeclaredInstrumentation { target: target.into(), meta: Vec::new() };
                self.instrumentations.insert(class.into(), target);
            }
            ["meta", class, key, value] => {
                let owner = self.instrumentations.get_mut(class)?;
                owner.meta.push((key.into(), value.into()));
            }
            _ => return None,
        }
        Some(())
    }
}

/// Error of a malformed manifest.
fn malformed_manifest(what: &str) -> InstallError {
    InstallError::Refused(format!("INSTALL_PARSE_FAILED_BAD_MANIFEST: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_and_others_are_refused() {
        let text = "package\torg.x\nversion_code\t3\nmin_sdk\t14\ndebuggable\ttrue\n\
                    activity\torg.x.A\tunsaid\ttrue\t\nactivity\torg.x.B\tfalse\ttrue\torg.x.A\n\
                    instrumentation\torg.x.R\torg.x\nmeta\torg.x.R\tmain\torg.x.Main\n\
                    signer\tab\nscheme\t2\nnative\tlib/x86/a.so\n";
        let facts = PackageFacts::parse(text).unwrap();
        assert_eq!((facts.version_code, facts.min_sdk, facts.target_sdk), (3, 14, 1));
        assert!(facts.debuggable && facts.native && !facts.test_only);
        let exported = |class| facts.activities[class].is_exported();
        assert!(exported("org.x.A") && !exported("org.x.B"));
        let meta = [("main".to_string(), "org.x.Main".to_string())];
        assert_eq!(facts.instrumentations["org.x.R"].meta, meta);
        for (wrong, code) in [
            ("", "BAD_PACKAGE_NAME"),
            ("package\t../x", "BAD_PACKAGE_NAME"),
            ("package\tsudoku", "BAD_PACKAGE_NAME: Invalid manifest package: must have at least"),
            ("package\torg.1st", "BAD_PACKAGE_NAME: Invalid manifest package: bad character '1'"),
            ("package\torg.x\nmin_sdk\tKitKat", "BAD_MANIFEST"),
            ("package\ta\nwhat\t1", "BAD_MANIFEST"),
        ] {
            let said = PackageFacts::parse(wrong).unwrap_err().to_string();
            assert!(said.starts_with(&format!("INSTALL_PARSE_FAILED_{code}")), "{said}");
        }
    }
}
