//! Errors of starting an application.

use std::io;

use thiserror::Error;

use crate::simulated_model::SimulatedModelError;

/// Error of starting an application.
#[derive(Debug, Error)]
pub(crate) enum AppStartError {
    #[error("Activity class {{{package}/{class}}} does not exist.")]
    Unknown { package: String, class: String },
    #[error(
        "java.lang.SecurityException: Permission Denial: starting Intent {{ cmp={package}/{class} }} \
         from the shell: not exported"
    )]
    NotExported { package: String, class: String },
    #[error("Unable to find instrumentation info for: ComponentInfo{{{package}/{class}}}")]
    NoInstrumentation { package: String, class: String },
    #[error(
        "java.lang.SecurityException: Permission Denial: starting instrumentation \
         ComponentInfo{{{package}/{class}}} not allowed because package {package} does not have a \
         signature matching the target {target}"
    )]
    OtherKey { package: String, class: String, target: String },
    #[error("the simulated energy model's agent can't be used: {0}")]
    SimulatedModel(#[from] SimulatedModelError),
    #[error("the JVM can't be started: {0}")]
    Jvm(#[from] io::Error),
}
