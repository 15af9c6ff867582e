//! A board as a host of the monitor: files and commands through its shell.

use std::collections::BTreeSet;
use std::time::Duration;

use super::board::{Board, ShellOutput};
use super::error::DeviceError;
use crate::attribution::monitor::host::{
    Host, HostError, HostSnapshot, parse_shell_answer, shell_question,
};

/// Time limit for an answer of the device.
const DEADLINE: Duration = Duration::from_secs(20);

/// A board that the monitor reads like a host, through its shell.
pub struct MonitoredDevice<'b> {
    /// The board behind the device.
    pub board: &'b dyn Board,
}

impl MonitoredDevice<'_> {
    fn shell(&self, question: &str) -> Result<ShellOutput, HostError> {
        let of_device = |error: DeviceError| HostError::Device(Box::new(error));
        self.board.shell(question, DEADLINE).map_err(of_device)
    }
}

impl Host for MonitoredDevice<'_> {
    fn name(&self) -> String {
        self.board.serial().to_string()
    }

    fn snapshot(&self, patterns: &BTreeSet<String>) -> Result<HostSnapshot, HostError> {
        let answer = self.shell(&shell_question(patterns))?;
        parse_shell_answer(&answer.stdout).ok_or_else(|| HostError::NoClock {
            host: self.name(),
            problem: answer.all_output().lines().next().unwrap_or("no answer").to_string(),
        })
    }

    fn ask(&self, question: &str) -> Result<String, HostError> {
        Ok(self.shell(question)?.all_output())
    }
}
