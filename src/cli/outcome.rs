//! Outcome of a command without a failure: done, a verdict, or the exit code of a program that it
//! ran.

/// Outcome of a command without a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The command did its work.
    Done,
    /// Verdict of a check, which is printed with the result.
    Verdict {
        /// The verdict's exit code.
        code: u8,
    },
    /// A program that the command ran ended with an exit code other than 0, which is passed on.
    Program {
        /// Its exit code, not 0.
        code: u8,
    },
}

impl CommandOutcome {
    /// Outcome of a program that has ended with an exit code.
    pub fn of_program(code: u8) -> Self {
        if code == 0 { Self::Done } else { Self::Program { code } }
    }

    /// Exit code of the command.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Verdict { code } | Self::Program { code } => code,
        }
    }
}
