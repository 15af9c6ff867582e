//! Check that the class started by a scenario exists, before anything is built or run.

use std::path::Path;

use crate::build::AnalysedApplication;
use crate::failure::Failure;
use crate::scenario::{Scenario, StartKind, nearest_of};

/// Fails if neither the sources nor the libraries declare the scenario's main class.
pub(super) fn check(scenario: &Scenario, application: &AnalysedApplication) -> Result<(), Failure> {
    let Some(class) = &scenario.application.main else { return Ok(()) };
    // The package that the application's own build made may hold more than its sources.
    if scenario.application.apk.is_some() || is_declared(application, class) {
        return Ok(());
    }
    let key = match scenario.application.start {
        StartKind::Activity => "activity",
        StartKind::Instrument | StartKind::Main | StartKind::Command => "main",
    };
    let classes = application.dictionary.blocks.iter().map(|block| block.class.as_str());
    let nearest = nearest_of(class, classes)
        .map_or_else(String::new, |nearest| format!("; did you mean \"{nearest}\"?"));
    let message = format!(
        "`application.{key}` is \"{class}\", and no source and no library declares that \
         class{nearest}"
    );
    Err(Failure::input(&scenario.file, message))
}

fn is_declared(application: &AnalysedApplication, class: &str) -> bool {
    let outer = class.split('$').next().unwrap_or(class);
    let path = format!("{}.java", outer.replace('.', "/"));
    let has_its_file = |file: &str| Path::new(file).ends_with(&path);
    let simple = outer.rsplit('.').next().unwrap_or(outer);
    let declaration = format!("class {simple}");
    application.sources.files.iter().any(|file| has_its_file(&file.path))
        || application.dictionary.blocks.iter().any(|block| block.class == class)
        || application.classes.find(class).is_some()
        // A file may declare further classes.
        || application.sources.files.iter().any(|file| file.text.contains(&declaration))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Granularity;
    use crate::build::Sources;
    use crate::scenario::parse_scenario;

    #[test]
    fn a_class_that_nothing_declares_is_refused_with_the_nearest() {
        let sources = Sources::of_texts([
            ("a/Main.java", "package a; class Main { static void f() {} static class In {} }"),
            ("a/Two.java", "package a; class Two {} class Three {}"),
        ]);
        let application = AnalysedApplication::analyse(sources, Granularity::Statement).unwrap();
        let checked = |main: &str| {
            let text = format!(
                "name = 's'\n[application]\npackage = 'a.b'\nmain = '{main}'\n[[source]]\npath = \
                 'a'\n[[input]]\nname = 'i'\n"
            );
            check(&parse_scenario(&text, Path::new("s.toml")).unwrap(), &application)
        };
        for class in ["a.Main", "a.Main$In", "a.Two", "a.Three"] {
            assert!(checked(class).is_ok(), "{class}");
        }
        let error = checked("a.Mian").unwrap_err().to_string();
        assert!(
            error.contains("`application.main` is \"a.Mian\"")
                && error.contains("mean \"a.Main\"?"),
            "{error}"
        );
    }
}
