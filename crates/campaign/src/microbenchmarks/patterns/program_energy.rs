//! Measured energy of programs, above the empty loop of the same session.

use std::collections::BTreeMap;

use crate::dataset::energy::mean;
use crate::microbenchmarks::measure::MicrobenchmarkRun;

use super::programs::ValidationProgram;
use super::statement::BaselineLoop;

/// Energy of one execution of a program on a board, mean of its sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramEnergy {
    /// Number of the program.
    pub program: usize,
    /// The board.
    pub device: String,
    /// Joules of one execution.
    pub energy_j: f64,
}

/// Energies of programs on each board, program after program.
pub fn program_energies(
    programs: &[ValidationProgram],
    sessions: &[Vec<MicrobenchmarkRun>],
) -> Vec<ProgramEnergy> {
    let mut measured: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
    for runs in sessions {
        let find = |name: &str| runs.iter().find(|run| run.name == name);
        let each = |run: &MicrobenchmarkRun| run.energy_j / run.iterations as f64;
        let Some(empty) = find(BaselineLoop::Empty.name()).map(each) else { continue };
        for (at, program) in programs.iter().enumerate() {
            if let Some(run) = find(&program.microbenchmark.name) {
                measured.entry((at, run.device.as_str())).or_default().push(each(run) - empty);
            }
        }
    }
    let energy = |((program, device), energies): ((usize, &str), Vec<f64>)| {
        let energy_j = mean(&energies)?;
        Some(ProgramEnergy { program, device: device.to_owned(), energy_j })
    };
    measured.into_iter().filter_map(energy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microbenchmarks::patterns::validation_programs;

    #[test]
    fn energies_are_means_of_sessions_above_the_empty_loop() {
        let programs = validation_programs();
        let name = programs[1].microbenchmark.name.clone();
        let run = |name: &str, energy_j| MicrobenchmarkRun {
            name: name.to_owned(),
            device: "B1".to_owned(),
            iterations: 10,
            gc_runs: 0,
            energy_j,
            duration_s: 1.0,
        };
        let sessions = [
            vec![run("loop", 10.0), run(&name, 40.0)],
            vec![run("loop", 20.0), run(&name, 70.0)],
            vec![run(&name, 900.0)],
        ];
        let expected = ProgramEnergy { program: 1, device: "B1".to_owned(), energy_j: 4.0 };
        assert_eq!(program_energies(&programs, &sessions), [expected]);
    }
}
