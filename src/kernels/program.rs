//! The Java program that runs kernels: one class per kernel, and a main class that
//! runs those it is asked to, in the order it is asked to.

use std::fmt::Write;

use super::Kernel;
use super::places::{self, SurroundingCode};

/// The main class, with its package.
pub const MAIN: &str = "wattline.kernels.KernelMain";

/// The package name under which the program is installed on a board.
pub const PACKAGE: &str = "org.wattline.kernels";

/// The sources: path relative to the source root, text.
pub fn sources(kernels: &[Kernel]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = kernels
        .iter()
        .map(|kernel| (format!("wattline/kernels/{}.java", class_name(kernel)), class(kernel)))
        .collect();
    files.push(("wattline/kernels/KernelList.java".to_string(), list(kernels)));
    files.push((
        "wattline/kernels/KernelMain.java".to_string(),
        include_str!("java/KernelMain.java").to_string(),
    ));
    files.push((
        "wattline/kernels/KernelValues.java".to_string(),
        include_str!("java/KernelValues.java").to_string(),
    ));
    files
}

/// The class that holds a kernel: `Kernel_add_int`.
pub fn class_name(kernel: &Kernel) -> String {
    format!("Kernel_{}", kernel.name)
}

fn class(kernel: &Kernel) -> String {
    let methods = match kernel.places {
        1 => method(kernel, "run", places::PLAIN),
        _ => methods_in_places(kernel),
    };
    format!(
        "package wattline.kernels;

/** Measures {measures}. */
final class {name} extends KernelValues {{
    {helper}
{methods}}}
",
        measures = kernel.measures.join(", "),
        name = class_name(kernel),
        helper = kernel.helper,
    )
}

/// A method for each place, and `run`, which runs each as often; the first for what remains.
fn methods_in_places(kernel: &Kernel) -> String {
    let name = |index: usize| format!("place{index}");
    let of = kernel.places;
    let calls: String = (0..of)
        .map(|index| match index {
            0 => format!("        {}(n / {of} + n % {of});\n", name(index)),
            _ => format!("        {}(n / {of});\n", name(index)),
        })
        .collect();
    let run = format!("\n    static void run(int n) throws Exception {{\n{calls}    }}\n");
    let methods = places::places(of).enumerate();
    methods.fold(run, |text, (index, place)| text + &method(kernel, &name(index), place))
}

/// The loop around a kernel's body in one place.
fn method(kernel: &Kernel, name: &str, place: SurroundingCode) -> String {
    let body = vec![kernel.body.as_str(); kernel.copies].join("\n            ");
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
        locals = kernel.locals,
        around = place.locals,
        head = place.head,
        neighbour = place.neighbour,
        keep = kernel.keep,
        of_neighbour = place.keep,
    )
}

fn list(kernels: &[Kernel]) -> String {
    let mut cases = String::new();
    for kernel in kernels {
        let class = class_name(kernel);
        writeln!(cases, "            case \"{}\": {class}.run(n); break;", kernel.name)
            .expect("a string takes text");
    }
    format!(
        "package wattline.kernels;

/** Runs a kernel by its name. */
final class KernelList {{
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
    use crate::kernels::{baselines, catalogue, for_compilers, pairs, pattern_kernels};
    use crate::toolchain::compiler::CompileRequest;
    use crate::toolchain::{Compiler, Jdk};

    #[test]
    fn every_kernel_of_the_catalogue_compiles() {
        compiles(&catalogue());
    }

    #[test]
    fn every_kernel_for_compilers_compiles() {
        let in_places = |kernel| for_compilers(kernel, places::PLACES_AHEAD);
        compiles(&catalogue().into_iter().map(in_places).collect::<Vec<_>>());
    }

    #[test]
    fn every_kernel_of_a_pattern_compiles() {
        let of_patterns = pattern_kernels().into_iter().map(|pattern| pattern.kernel);
        compiles(&of_patterns.chain(baselines()).collect::<Vec<_>>());
    }

    #[test]
    fn every_kernel_of_a_pair_compiles() {
        compiles(&pairs::kernels(&pairs::pairs()));
    }

    fn compiles(kernels: &[Kernel]) {
        let Ok(jdk) = Jdk::find() else {
            return crate::skip::because("no JDK");
        };
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (path, text) in sources(kernels) {
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
