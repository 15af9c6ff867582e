//! Classes of an application that are compiled and not analysed, but to which analysed code may
//! refer.

use std::path::Path;

use crate::finding::Finding;
use crate::unresolved_name::UnresolvedName;

use super::Sources;

/// Paths of the files that are not analysed, relative to their source roots.
pub(super) struct UnanalysedClasses(Vec<String>);

impl UnanalysedClasses {
    pub fn of(sources: &Sources) -> Self {
        let files = sources.files.iter().filter(|file| !file.analyse);
        Self(files.map(|file| file.path.clone()).collect())
    }

    /// Whether a finding is not about the name of one of these classes.
    pub fn is_unexplained(&self, finding: &Finding) -> bool {
        let Some(UnresolvedName { name, .. }) = UnresolvedName::of(finding) else { return true };
        let file = format!("{}.java", name.replace('.', "/"));
        !self.0.iter().any(|path| Path::new(path).ends_with(&file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Granularity;
    use crate::build::AnalysedApplication;

    #[test]
    fn classes_that_are_not_analysed_are_no_missing_names() {
        let mut sources = Sources::of_texts([
            ("a/B.java", "package a; class B { C c; D d; a.b.E e; }"),
            ("a/C.java", "package a; class C {}"),
            ("a/b/E.java", "package a.b; public class E {}"),
        ]);
        sources.files[1..].iter_mut().for_each(|file| file.analyse = false);
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        if !application.classes.has_jdk() {
            return crate::skip::because("no JDK");
        }
        let missing = application.findings.iter().filter_map(UnresolvedName::of);
        assert_eq!(missing.map(|missing| missing.name).collect::<Vec<_>>(), ["D"]);
    }
}
