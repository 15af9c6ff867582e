//! The Java program that runs microbenchmarks: one class per microbenchmark, and a main class that
//! runs those named by its arguments, in that order.

use std::fmt::Write;

use super::Microbenchmark;
use super::places::{self, SurroundingCode};

/// The main class, with its package.
pub const MAIN_CLASS: &str = "wattline.microbenchmarks.MicrobenchmarkMain";

/// The package name under which the program is installed on a board.
pub const PACKAGE_NAME: &str = "org.wattline.microbenchmarks";

/// The sources as pairs of path relative to the source root and text.
pub fn sources(microbenchmarks: &[Microbenchmark]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = microbenchmarks
        .iter()
        .map(|microbenchmark| {
            (
                format!("wattline/microbenchmarks/{}.java", class_name(microbenchmark)),
                class(microbenchmark),
            )
        })
        .collect();
    files.push((
        "wattline/microbenchmarks/MicrobenchmarkList.java".to_string(),
        list(microbenchmarks),
    ));
    files.push((
        "wattline/microbenchmarks/MicrobenchmarkMain.java".to_string(),
        include_str!("java/MicrobenchmarkMain.java").to_string(),
    ));
    files.push((
        "wattline/microbenchmarks/MicrobenchmarkValues.java".to_string(),
        include_str!("java/MicrobenchmarkValues.java").to_string(),
    ));
    files
}

/// The class that holds a microbenchmark: `Microbenchmark_add_int`.
pub fn class_name(microbenchmark: &Microbenchmark) -> String {
    format!("Microbenchmark_{}", microbenchmark.name)
}

/// The binary name of the class that holds the microbenchmark of this name.
pub(super) fn class_of(name: &str) -> String {
    format!("wattline.microbenchmarks.Microbenchmark_{name}")
}

fn class(microbenchmark: &Microbenchmark) -> String {
    let methods = match microbenchmark.places {
        1 => method(microbenchmark, "run", places::PLAIN_PLACE),
        _ => methods_in_places(microbenchmark),
    };
    format!(
        "package wattline.microbenchmarks;

/** Measures {measures}. */
final class {name} extends MicrobenchmarkValues {{
    {helper}
{methods}}}
",
        measures = microbenchmark.measures.join(", "),
        name = class_name(microbenchmark),
        helper = microbenchmark.helper,
    )
}

/// A method for each code location, and `run`, which divides the iterations equally over them; the
/// remainder goes to the first.
fn methods_in_places(microbenchmark: &Microbenchmark) -> String {
    let name = |index: usize| format!("place{index}");
    let of = microbenchmark.places;
    let calls: String = (0..of)
        .map(|index| match index {
            0 => format!("        {}(n / {of} + n % {of});\n", name(index)),
            _ => format!("        {}(n / {of});\n", name(index)),
        })
        .collect();
    let run = format!("\n    static void run(int n) throws Exception {{\n{calls}    }}\n");
    let methods = places::first_places(of).enumerate();
    methods.fold(run, |text, (index, place)| text + &method(microbenchmark, &name(index), place))
}

/// The method with the loop around a microbenchmark's body in one code location.
fn method(microbenchmark: &Microbenchmark, name: &str, place: SurroundingCode) -> String {
    let body = vec![microbenchmark.body.as_str(); microbenchmark.copies].join("\n            ");
    format!(
        "
    static void {name}(int n) throws Exception {{
        {locals} {around}
        {head} {{
            {neighbour}
            {body}
        }}
        kept = ({keep}) ^ ({of_neighbour});
    }}
",
        locals = microbenchmark.locals,
        around = place.locals,
        head = place.head,
        neighbour = place.neighbour,
        keep = microbenchmark.keep,
        of_neighbour = place.keep,
    )
}

fn list(microbenchmarks: &[Microbenchmark]) -> String {
    let mut cases = String::new();
    for microbenchmark in microbenchmarks {
        let class = class_name(microbenchmark);
        writeln!(cases, "            case \"{}\": {class}.run(n); break;", microbenchmark.name)
            .expect("a string takes text");
    }
    format!(
        "package wattline.microbenchmarks;

/** Runs a microbenchmark by its name. */
final class MicrobenchmarkList {{
    static void run(String name, int n) throws Exception {{
        switch (name) {{
{cases}            default: throw new IllegalArgumentException(name);
        }}
    }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microbenchmarks::{
        baselines, catalogue, pairs, pattern_microbenchmarks, protect_from_compilers,
    };
    use crate::toolchain::compiler::CompileRequest;
    use crate::toolchain::{Compiler, Jdk};

    #[test]
    fn every_microbenchmark_of_the_catalogue_compiles() {
        compiles(&catalogue());
    }

    #[test]
    fn every_microbenchmark_for_compilers_compiles() {
        let in_places =
            |microbenchmark| protect_from_compilers(microbenchmark, places::PLACES_AHEAD);
        compiles(&catalogue().into_iter().map(in_places).collect::<Vec<_>>());
    }

    #[test]
    fn every_microbenchmark_of_a_pattern_compiles() {
        let of_patterns =
            pattern_microbenchmarks().into_iter().map(|pattern| pattern.microbenchmark);
        compiles(&of_patterns.chain(baselines()).collect::<Vec<_>>());
    }

    #[test]
    fn every_microbenchmark_of_a_pair_compiles() {
        compiles(&pairs::microbenchmarks_of(&pairs::before_after_pairs()));
    }

    fn compiles(microbenchmarks: &[Microbenchmark]) {
        let Ok(jdk) = Jdk::find() else {
            return crate::skip::because("no JDK");
        };
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (path, text) in sources(microbenchmarks) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            paths.push(path);
        }
        let request = CompileRequest {
            sources: paths,
            release: Some(11),
            output: folder.path().join("classes"),
            ..CompileRequest::default()
        };
        let answer = Compiler::start(&jdk).unwrap().compile(&request).unwrap();
        assert_eq!(answer, Ok(()));
    }
}
