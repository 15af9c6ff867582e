//! How a command ends that did its work: with what it was asked for, with a verdict, or with
//! the code of a program that it ran.

/// The end of a command without a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It did what it was asked to.
    Done,
    /// A gate's verdict, which is printed with its result.
    Verdict {
        /// The verdict's exit code.
        code: u8,
    },
    /// A program that it ran ended with a code of its own, which is passed on.
    Program {
        /// Its exit code, not 0.
        code: u8,
    },
}

impl CommandOutcome {
    /// Of a program that it ran.
    pub fn of_program(code: u8) -> Self {
        if code == 0 { Self::Done } else { Self::Program { code } }
    }

    /// What the command ends with.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Verdict { code } | Self::Program { code } => code,
        }
    }
}
