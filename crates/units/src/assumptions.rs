//! Numbers about programs, boards and machines that are assumed because no campaign measures
//! them: one struct, so that a test can vary each number, and a reader finds all of them on one
//! page.
//!
//! Tolerances of algorithms (when to stop, what counts as rounding) are not among them; they
//! stand where they are used. **No number whose name begins with `simulated_chip_` was ever
//! seen on hardware**: it describes the virtual board, whose chip adds up prices of bytecode
//! patterns, and is taken for real boards for want of better.

use serde::{Deserialize, Serialize};

/// Assumed constants of fits, estimates and probes; [`ASSUMED`] has the program's values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assumptions {
    /// Relative misfit of a case's energy under the best costs (one standard deviation).
    /// Costs fitted on a known ground truth of the additive virtual chip left an NMAE of 1.6 %,
    /// rounded up; not measured on hardware. Plans, weights of cases and factors of boards
    /// use it.
    pub simulated_chip_case_misfit: f64,
    /// Spread of the costs of single operations, relative to their mean, before anything is
    /// measured; for plans. That of half-normal costs, 0.756, which the published table of
    /// a Bayesian profiler has as well; of no board of ours.
    pub cost_spread: f64,
    /// Relative error of all costs by a common factor where no microbenchmark was measured, for
    /// plans. Chosen: large enough to mean that nothing is known.
    pub level_unknown: f64,
    /// Relative distance of a cost in an application from a good microbenchmark's: caches and the
    /// compiler treat a loop around one operation better. Supposed; not measured on hardware.
    pub microbenchmark_misfit: f64,
    /// Relative error of all microbenchmarks by a common factor. Supposed, as
    /// [`microbenchmark_misfit`](Self::microbenchmark_misfit).
    pub microbenchmark_level: f64,
    /// Relative distance of a cost from its family's mean or the common cost, in `shrink`.
    /// Supposed: costs of operations differ by about their size.
    pub family_spread: f64,
    /// Relative distance of the cost of a body of unknown length (a library function or an
    /// allocation) from the common cost, in `shrink`. On microbenchmarks of four campaigns on the
    /// additive virtual chip 62 of these cost 3 to 9 times the mean operation more or less than it
    /// (the scale of a t distribution of 3 degrees of freedom), all other operations 0.7 to 0.8
    /// times; not measured on hardware.
    pub simulated_chip_body_spread: f64,
    /// Part of a case's energy, 0..1, that GC runs may take whatever their cost: one is worth a
    /// million operations, so the common cost is no estimate of it. Supposed.
    pub collection_share: f64,
    /// Upper limit of the common cost, in multiples of the mean of the microbenchmarks.
    /// Where only rare operations are left without a microbenchmark, what explains best is whatever
    /// all cases have in common, and not their cost. Chosen.
    pub common_cost_max: f64,
    /// Degrees of freedom of the t distribution of costs that are guessed: costs differ by
    /// orders of magnitude now and then, which a Gaussian all but excludes. Chosen.
    pub guess_freedom: f64,
    /// Upper limit of the distance of a guessed cost from its prior mean, in standard deviations;
    /// without one, what runs once in each case takes whatever all cases have in common. Chosen.
    pub guess_reach: f64,
    /// Least variance of a cost by its own prior's (a pure number) in `shrink`: microbenchmarks
    /// state their errors, and costs of operations differ by 100 % on every machine with a
    /// published table. The cases may find them to be larger; that totals fit well with costs all
    /// alike doesn't make them smaller.
    pub cost_variance_least: f64,
    /// Part, 0..1, that the noise supposed by the weights has in the variance, where it is
    /// larger than what the residuals show. Chosen.
    pub supposed_noise_share: f64,
    /// Strength of the prior of `shrink`, a pure number, where there are too few cases to
    /// choose one: noise of 3 % against a prior taken at its word. Supposed.
    pub untuned_strength: f64,
    /// Relative noise of a case without a standard error (one standard deviation). Supposed.
    pub case_noise_unknown: f64,
    /// Least relative noise of a case: errors of few repeats may be far too small by chance.
    /// Supposed.
    pub case_noise_least: f64,
    /// Degrees of freedom of the noise variance that the weights suppose, in `bayes`, and in
    /// `shrink` beside microbenchmarks. Chosen: worth as much as four cases.
    pub noise_freedom: f64,
    /// Residual of a microbenchmark that its operations leave unexplained, relative to its energy:
    /// the noise that the fit finds in microbenchmarks measured without any on the additive virtual
    /// chip; not measured on hardware.
    pub simulated_chip_microbenchmark_residual: f64,
    /// Relative spread of the costs of operations around their mean in the fit of microbenchmarks.
    /// Seen on the additive virtual chip; not measured on hardware.
    pub simulated_chip_microbenchmark_cost_spread: f64,
    /// Relative distance of a line's energy from its count-based estimate when all costs are right:
    /// a compiler makes more or less of the same operations from one code location to another.
    /// Costs fitted to the true energies of lines of three applications on the virtual chip
    /// left median errors of 2-5 % and 13-18 % at the 90th percentile (`docs/internals/models.md`); not
    /// measured on hardware.
    pub simulated_chip_vocabulary_error: f64,
    /// Relative distance of the power of running code from the session's mean: a processor's
    /// power differs by a few percent between instruction mixes while it is busy. Supposed
    /// (`docs/internals/method-estimates.md`); it widens intervals and shifts nothing.
    pub sampled_power_spread: f64,
    /// Relative distance of a line's part of its method's samples from its part of the energy:
    /// a sample falls on what comes after the slow instruction, and a compiler keeps lines for
    /// some instructions only. So far are Flight Recorder and async-profiler from each other on
    /// JBox2D, beyond what runs differ by (`docs/experiments/2026-11-jvm.md`); what both have
    /// wrong is not in it. It widens intervals and leaves some weight to the count-based estimate.
    pub sampled_line_spread: f64,
    /// Weight, 0..1, of the mean cost of all operations beside the microbenchmark of each, where
    /// the cases contradict microbenchmarks of one code location each and code is sampled: a
    /// location is off by much, and of some a compiler leaves nothing. With P locations the odds of
    /// it are a P-th. Both count alike, which did better for lines of the compiled chips 1 to 3
    /// than microbenchmarks alone; not measured on hardware.
    pub simulated_chip_costs_alike: f64,
    /// Least number of samples expected from counts whose absence shows that a method was compiled
    /// into its callers. Chosen: chance leaves out one of ten in 22 000.
    pub samples_missed: f64,
    /// Part, 0..1, of the samples expected from its counts below which a method was compiled into
    /// its callers; the samples it has are from before. Chosen: counts alone are hardly ever off by
    /// a factor of ten (`docs/internals/method-estimates.md`).
    pub inlined_remainder: f64,
    /// Part of its thermal design power, 0..1, that a fully loaded processor draws, as
    /// PowerAPI takes it (after Rivoire et al.).
    pub load_share: f64,
    /// Thermal design power in watts of a machine that doesn't report one: a small laptop's.
    pub design_power_w: f64,
    /// Overhead of the monitor's probe per call that is counted and not timed, in nanoseconds.
    /// This and the next two are such that together they give what a server of 2.6 GHz took
    /// for some 600 calls of a request, and for 4800 (`scripts/monitor/overhead.py`); in a
    /// loop of its own a probe takes a third. They choose probes, no energy follows from them.
    pub probe_counted_ns: f64,
    /// Overhead of the monitor's probe per call that is timed, in nanoseconds: two readings of the
    /// clock, and the bookkeeping.
    pub probe_timed_ns: f64,
    /// Overhead of a monitor's probe that is not live, in nanoseconds per call: the optimisations
    /// that it prevents.
    pub probe_idle_ns: f64,
    /// Upper limit of the duration of a traced run, in multiples of a power run's:
    /// probes cost a program that is never idle two to three times its own time.
    pub traced_slowdown: f64,
    /// Time to write an entry of a power state's log, in seconds: 102 cycles at 1 MHz, of
    /// which 24 us read the meter and 19 us the timer (Fonseca et al., OSDI 2008).
    pub log_entry_s: f64,
    /// Power that no single rail of a board or package reaches, in watts. Chosen.
    pub rail_power_max_w: f64,
    /// Refreshes without a new value on any rail after which sensors count as stuck. Real INA231
    /// logs of an Odroid-XU3 hold at most 11, on a board with nothing to do.
    pub still_refreshes: f64,
}

/// The values that the program uses.
pub const ASSUMED: Assumptions = Assumptions {
    simulated_chip_case_misfit: 0.02,
    cost_spread: 0.75,
    level_unknown: 10.0,
    microbenchmark_misfit: 0.1,
    microbenchmark_level: 0.2,
    family_spread: 1.0,
    simulated_chip_body_spread: 5.0,
    collection_share: 0.1,
    common_cost_max: 10.0,
    guess_freedom: 3.0,
    guess_reach: 1000.0,
    cost_variance_least: 1.0,
    supposed_noise_share: 0.25,
    untuned_strength: 1e-3,
    case_noise_unknown: 0.02,
    case_noise_least: 1e-3,
    noise_freedom: 4.0,
    simulated_chip_microbenchmark_residual: 0.012,
    simulated_chip_microbenchmark_cost_spread: 1.5,
    simulated_chip_vocabulary_error: 0.05,
    sampled_power_spread: 0.05,
    sampled_line_spread: 0.1,
    simulated_chip_costs_alike: 0.5,
    samples_missed: 10.0,
    inlined_remainder: 0.1,
    load_share: 0.7,
    design_power_w: 15.0,
    probe_counted_ns: 40.0,
    probe_timed_ns: 300.0,
    probe_idle_ns: 15.0,
    traced_slowdown: 4.0,
    log_entry_s: 101.7e-6,
    rail_power_max_w: 1000.0,
    still_refreshes: 30.0,
};

impl Default for Assumptions {
    fn default() -> Self {
        ASSUMED
    }
}
