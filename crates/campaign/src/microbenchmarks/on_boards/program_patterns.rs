//! The patterns that one execution of a validation program has, counted on the local JVM.

use std::time::Duration;

use crate::failure::Failure;
use crate::microbenchmarks::patterns::{BaselineLoop, ValidationProgram};
use crate::microbenchmarks::{Microbenchmark, program};
use crate::pattern_counts::ExecutedPatterns;
use crate::private_files::TemporaryFolder;
use crate::toolchain::Jdk;
use crate::toolchain::bytecode_counter::{BytecodeCounter, BytecodeCounts, read_bytecode_counts};
use crate::toolchain::jvm::{self, JvmEnd, JvmRun};

use super::{BuiltPrograms, names_argument};

/// Iterations of the two counted runs, which differ by nothing else.
const COUNTED: [u64; 2] = [10, 30];

/// Counts the patterns of one execution of each program, without those of the loop around it.
///
/// # Errors
/// The agent can't be built; a program that fails.
pub fn count_programs(
    programs: &[ValidationProgram],
    built: &BuiltPrograms,
    jdk: &Jdk,
) -> Result<Vec<ExecutedPatterns>, Failure> {
    let mut run: Vec<Microbenchmark> =
        programs.iter().map(|program| program.microbenchmark.clone()).collect();
    run.push(BaselineLoop::Empty.microbenchmark());
    let counter = BytecodeCounter::get(jdk)?;
    let [short, long] =
        COUNTED.map(|iterations| counted_run(&run, iterations, (built, &counter), jdk));
    let (short, long) = (short?, long?);
    check_counted(&run, &long)?;
    let each = |name: &str| {
        let class = program::class_of(name);
        let of = |counts: &BytecodeCounts| {
            ExecutedPatterns::of(&counts.methods, |method| method.class == class)
        };
        ExecutedPatterns::per_iteration(&of(&short), &of(&long), COUNTED[1] - COUNTED[0])
    };
    let empty = each(BaselineLoop::Empty.name());
    let of = |program: &ValidationProgram| each(&program.microbenchmark.name).without(&empty);
    Ok(programs.iter().map(of).collect())
}

/// Refuses counts that lack code of these programs.
fn check_counted(run: &[Microbenchmark], counts: &BytecodeCounts) -> Result<(), Failure> {
    let class_names = run.iter().map(|of| program::class_of(&of.name));
    class_names.into_iter().try_for_each(|class| match counts.uncounted_within(&class) {
        Some((uncounted, reason)) => {
            Err(Failure::input("programs", format!("{uncounted} was not counted: {reason}")))
        }
        None => Ok(()),
    })
}

fn counted_run(
    run: &[Microbenchmark],
    iterations: u64,
    (built, counter): (&BuiltPrograms, &BytecodeCounter),
    jdk: &Jdk,
) -> Result<BytecodeCounts, Failure> {
    let folder =
        TemporaryFolder::new("programs").map_err(Failure::io("create", std::env::temp_dir()))?;
    let file = folder.path().join("counts.txt");
    let plan = JvmRun {
        options: counter.options(&file),
        classpath: vec![built.classes()?],
        main: program::MAIN_CLASS.to_owned(),
        arguments: vec![names_argument(run), format!("iterations={iterations}")],
        directory: folder.path().to_path_buf(),
        input: String::new(),
        limit: Duration::from_secs(120),
    };
    let outcome = jvm::run_program(jdk, &plan)?;
    match outcome.end {
        JvmEnd::Exited(0) => Ok(read_bytecode_counts(&file)?),
        end => {
            let message = format!("the programs end with {end:?}: {}", outcome.stderr);
            Err(Failure::input("programs", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_code_that_was_not_counted_is_refused() {
        let run = [BaselineLoop::Empty.microbenchmark()];
        let class = program::class_of(&run[0].name);
        let counts = |uncounted: &str| BytecodeCounts {
            methods: Vec::new(),
            uncounted: vec![(uncounted.to_owned(), "it is too large".to_owned())],
        };
        assert!(check_counted(&run, &counts("Other.run()")).is_ok());
        for uncounted in [class.clone(), format!("{class}.run()")] {
            let error = check_counted(&run, &counts(&uncounted)).unwrap_err().to_string();
            let expected = format!("{uncounted} was not counted: it is too large");
            assert!(error.contains(&expected), "{error}");
        }
    }
}
