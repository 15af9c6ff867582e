//! Classes that an Android build generates, and that the sources only refer to (`R`,
//! `BuildConfig`).

use crate::toolchain::Diagnostic;

/// A remedy where javac misses a class that an Android build generates; `None` for other errors.
pub(super) fn remedy(errors: &[Diagnostic]) -> Option<&'static str> {
    let misses = |class: &str| errors.iter().any(|error| is_about_class(error, class));
    if misses("R") {
        return Some(
            "class R has the numbers of an Android application's resources, and its build makes it: \
             name the R.jar that is below build/intermediates (Android's Gradle plugin 3.6 and later) \
             as a `[[library]]`, or the folder with R.java as a [[source]] with `role = \"harness\"` \
             (docs/how-to/own-application.md; of `trace`: --classpath)",
        );
    }
    misses("BuildConfig").then_some(
        "class BuildConfig is made by the build of an Android application: name the folder with its \
         source, below build/generated, as a [[source]] with `role = \"harness\"` \
         (docs/how-to/own-application.md)",
    )
}

/// Whether an error is about a missing class of this name: as the package of its nested classes
/// (`R.layout.main`), as a symbol, or as an import.
fn is_about_class(error: &Diagnostic, class: &str) -> bool {
    let package = error.missing_package().and_then(|package| package.rsplit('.').next());
    package == Some(class) || error.missing_classes().any(|missing| missing == class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, symbol: &str) -> Vec<Diagnostic> {
        let details =
            vec!["  setContentView(R.layout.main);".into(), format!("  symbol:   {symbol}")];
        vec![Diagnostic { file: "a/A.java".into(), line: 3, message: message.into(), details }]
    }

    #[test]
    fn what_the_build_makes_is_not_looked_for_in_libraries() {
        let symbol = "error: cannot find symbol";
        for (message, missing) in [
            ("error: package R does not exist", ""),
            ("error: package org.example.R does not exist", ""),
            (symbol, "variable R"),
            (symbol, "class R"),
        ] {
            let said = remedy(&error(message, missing)).unwrap_or_default();
            assert!(said.contains("R.jar that is below build/intermediates"), "{message}: {said}");
        }
        let said = remedy(&error(symbol, "variable BuildConfig")).unwrap_or_default();
        assert!(said.starts_with("class BuildConfig is made by the build"), "{said}");
        for (message, missing) in [
            ("error: package org.example does not exist", ""),
            ("error: package XR does not exist", ""),
            (symbol, "variable Record"),
            (symbol, "method R()"),
            ("error: incompatible types", "class R"),
        ] {
            assert_eq!(remedy(&error(message, missing)), None, "{message} {missing}");
        }
    }
}
