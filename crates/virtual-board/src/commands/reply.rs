//! Reply of a command.

/// Outputs and exit code of a command.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub output: String,
    pub error: String,
    pub code: u8,
}

impl Reply {
    /// Success with some output.
    pub(super) fn output(text: impl Into<String>) -> Self {
        Self { output: text.into(), ..Self::default() }
    }

    /// Failure with a message on standard error.
    pub(super) fn failure(message: impl Into<String>) -> Self {
        Self { error: format!("{}\n", message.into()), code: 1, ..Self::default() }
    }
}
