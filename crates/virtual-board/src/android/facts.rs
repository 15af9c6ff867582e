//! What a package's manifest and its signature say.

use std::collections::{BTreeMap, BTreeSet};

use super::install_error::InstallError;
use super::package_name::package_name_fault;

/// What the installer found; see `installer/Manifest.java`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InstallerFacts {
    pub package: String,
    pub version_code: i64,
    pub min_sdk: u32,
    pub target_sdk: u32,
    /// Class of the application.
    pub application: String,
    pub debuggable: bool,
    /// Whether it lets the shell profile it.
    pub profileable: bool,
    pub test_only: bool,
    /// Whether it has code for a processor, which a JVM does not run.
    pub native: bool,
    /// SHA-256 of the certificates that signed it.
    pub signers: Vec<String>,
    /// The newest signature scheme that holds: 1, or 2 for that and later.
    pub scheme: u32,
    pub activities: BTreeMap<String, Activity>,
    pub services: BTreeSet<String>,
    pub instrumentations: BTreeMap<String, Instrumentation>,
}

/// An activity of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Whether others may start it; absent if the manifest does not say.
    pub exported: Option<bool>,
    /// Whether it has a filter of intents.
    pub filtered: bool,
    /// The activity that it is another name of.
    pub target: Option<String>,
}

impl Activity {
    /// Whether others may start it: without a word of the manifest, one with a filter.
    pub(crate) fn is_exported(&self) -> bool {
        self.exported.unwrap_or(self.filtered)
    }
}

/// An instrumentation of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Instrumentation {
    /// The package that it runs in.
    pub target: String,
    /// Its meta-data.
    pub meta: Vec<(String, String)>,
}

impl InstallerFacts {
    /// Reads the installer's lines: a word, then fields between tabs.
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

    /// Reads further lines of the installer.
    pub(super) fn add(&mut self, text: &str) -> Result<(), InstallError> {
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            self.take(&fields).ok_or_else(|| bad(&fields.join(" ")))?;
        }
        Ok(())
    }

    /// None if a field is not what it should be.
    fn take(&mut self, fields: &[&str]) -> Option<()> {
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
                let activity = Activity { exported, filtered: filtered.parse().ok()?, target };
                self.activities.insert(class.into(), activity);
            }
            ["instrumentation", class, target] => {
                let target = Instrumentation { target: target.into(), meta: Vec::new() };
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

fn bad(what: &str) -> InstallError {
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
        let facts = InstallerFacts::parse(text).unwrap();
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
            let said = InstallerFacts::parse(wrong).unwrap_err().to_string();
            assert!(said.starts_with(&format!("INSTALL_PARSE_FAILED_{code}")), "{said}");
        }
    }
}
