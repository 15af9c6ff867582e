//! What others read of the monitor while it runs: OpenMetrics in a file or over HTTP.

use std::path::PathBuf;

use crate::attribution::monitor::jvm::JvmState;
use crate::attribution::monitor::metrics::{Counters, openmetrics};
use crate::failure::Failure;
use crate::folder::replace_file;

use super::super::progress;
use super::arguments::Arguments;
use super::endpoint::Endpoint;
use super::frame::MonitorInterval;

/// Outputs of the figures while the monitor runs: a file and a server, where wanted.
pub struct Published {
    counters: Counters,
    file: Option<PathBuf>,
    endpoint: Option<Endpoint>,
}

impl Published {
    /// Opens the outputs that the flags name.
    pub fn open(arguments: &Arguments) -> Result<Published, Failure> {
        let endpoint = arguments.prometheus.as_deref().map(Endpoint::open).transpose()?;
        if let Some(address) = endpoint.as_ref().map(Endpoint::address) {
            progress::say(format!("metrics: http://{address}/metrics"));
        }
        let (counters, file) = (Counters::default(), arguments.openmetrics.clone());
        Ok(Published { counters, file, endpoint })
    }

    /// Publishes a cycle.
    pub fn tell(
        &mut self,
        frame: &MonitorInterval,
        state: Option<&JvmState>,
    ) -> Result<(), Failure> {
        if self.file.is_none() && self.endpoint.is_none() {
            return Ok(());
        }
        let jvm = state.zip(frame.jvm.as_ref().map(|jvm| &jvm.power));
        self.counters.add(&frame.cycle, jvm);
        let text = openmetrics(&self.counters, &frame.cycle, jvm);
        if let Some(endpoint) = &self.endpoint {
            endpoint.tell(text.clone());
        }
        match &self.file {
            Some(path) => replace_file(path, text).map(drop),
            None => Ok(()),
        }
    }
}
