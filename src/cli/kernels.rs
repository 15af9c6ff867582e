//! `wattline kernels`: micro-kernels for what an application executes most, run on the
//! board, fitted to costs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::blocks::Granularity;
use crate::build::dry_run::parse_counts;
use crate::build::{Application, LoadedSource, Sources, VariantBuilder};
use crate::dataset::kernel_rows;
use crate::device::{Pinning, SessionEnd, SessionKind, SessionPlan, run_session};
use crate::instrument::{COUNTS_FILE, Probe};
use crate::kernels::measure::{self, CountedRun, KernelRun};
use crate::kernels::{Kernel, catalogue, program, select};
use crate::power::{MarkTexts, parse_session_log, parse_trace};
use crate::scenario::{Role, Scenario, read_scenario};
use crate::toolchain::jvm::{self, JvmEnd, JvmRun};
use crate::toolchain::{Jdk, jar};

use super::Failure;
use super::folder;
use super::output::Output;
use super::progress;
use super::sessions::{self, BoardChoice, OpenBoard, VirtualSettings};

/// Operations below this share of all executions get no kernel.
const LEAST_SHARE: f64 = 1e-6;
