//! How fast models are fitted, in seconds of CPU time. `benches/peers.py` does the same
//! work on the same numbers with the usual Python libraries; `benches/models.sh` runs both.
//!
//! Usage: models DIR make|nnls|ls|ridge|parquet|bootstrap|bayes|pattern

use std::io::{Read, Write};
use std::path::Path;

use wattline::model::bayes::patterns::{FACTORS, patterns};
use wattline::model::bayes::{ChainOptions, EffectSign, FactorMeasurements, diagnose, fit_effects};
use wattline::model::table::{Case, Table};
use wattline::model::{
    BootstrapOptions, FitOptions, FoldOptions, Solver, cross_validate, fit, fit_rows,
};

/// As released binaries allocate.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Rows and columns of the large problem.
const ROWS: usize = 1_000_000;
const COLUMNS: usize = 187;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [folder, work @ ..] = arguments.as_slice() else { return };
    let folder = Path::new(folder);
    for work in work {
        match work.as_str() {
            "make" => make(folder),
            "nnls" => large(folder, Solver::Nnls),
            "ls" => large(folder, Solver::Ls),
            "ridge" => large(folder, Solver::Ridge),
            #[cfg(feature = "parquet")]
            "parquet" => parquet(folder),
            "bootstrap" => repeated(),
            "bayes" => posterior(),
            "pattern" => pattern(folder),
            other => eprintln!("no work named {other}"),
        }
    }
}

/// A seeded stream of numbers in [0, 1).
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Writes `large.bin`: rows of counts and the energy, little-endian numbers. Counts are
/// whole, costs nJ, a third of them zero; energies have 5 % of noise.
fn make(folder: &Path) {
    let mut random = Uniform(20_261_121);
    let costs: Vec<f64> =
        (0..COLUMNS).map(|j| if j % 3 == 0 { 0.0 } else { 1e-9 * (0.2 + random.next()) }).collect();
    let file = std::fs::File::create(folder.join("large.bin")).expect("a folder to write to");
    let mut file = std::io::BufWriter::new(file);
    for _ in 0..ROWS {
        let size = 10f64.powf(3.0 + 2.0 * random.next());
        let counts: Vec<f64> =
            (0..COLUMNS).map(|_| (size * random.next().powi(3)).floor()).collect();
        let energy: f64 = counts.iter().zip(&costs).map(|(n, c)| n * c).sum();
        let noise = random.next() + random.next() + random.next() - 1.5;
        let row = counts.into_iter().chain([energy * (1.0 + 0.1 * noise)]);
        row.for_each(|value| file.write_all(&value.to_le_bytes()).expect("disk space"));
    }
}

fn read(folder: &Path) -> Table {
    let file = std::fs::File::open(folder.join("large.bin")).expect("run `make` first");
    let mut file = std::io::BufReader::with_capacity(1 << 20, file);
    let mut table =
        Table { features: (0..COLUMNS).map(|j| format!("op_{j}")).collect(), ..Table::default() };
    table.counts.reserve_exact(ROWS * COLUMNS);
    let mut row = vec![0; (COLUMNS + 1) * 8];
    while file.read_exact(&mut row).is_ok() {
        let number = |at: usize| f64::from_le_bytes(row[8 * at..8 * at + 8].try_into().expect("8"));
        table.counts.extend((0..COLUMNS).map(number));
        table.cases.push(Case {
            name: String::new(),
            group: String::new(),
            device: String::new(),
            duration_s: None,
            energy_j: number(COLUMNS),
            energy_se_j: None,
            weight: None,
            executions: None,
        });
    }
    table
}

fn large(folder: &Path, solver: Solver) {
    let table = read(folder);
    let before = cpu_s();
    let folds = (solver != Solver::Ls).then(FoldOptions::default);
    let found = fit_rows(&table, &FitOptions::new(solver), folds).expect("a fit");
    let spent = cpu_s() - before;
    let sum: f64 = found.model.costs.iter().map(|cost| cost.cost_j).sum();
    let nmae = found.validation.map(|v| v.rows.iter().take(8).map(|row| row.nmae).sum::<f64>());
    println!(
        "{} {ROWS} x {COLUMNS}, folds {}: {spent:.2} s CPU; rank {}, sum of costs {sum:.9e} J, \
         NMAE summed {nmae:?}",
        solver.name(),
        folds.map_or(0, |folds| folds.folds),
        found.model.rank
    );
}

/// nnls with four folds from `large.parquet` (which `peers.py` writes), never held whole.
#[cfg(feature = "parquet")]
fn parquet(folder: &Path) {
    use wattline::model::table::{ParquetPart, TableRows, UnopenedPart};
    let path = folder.join("large.parquet");
    let before = cpu_s();
    let open = || {
        let open = Box::new(|| std::fs::File::open(&path));
        Ok(Box::new(ParquetPart::new(open)?) as _)
    };
    let sources = vec![UnopenedPart::new("run peers.py parquet", open)];
    let rows = TableRows::new(sources, &Default::default()).expect("a table");
    let found = fit_rows(&rows, &FitOptions::new(Solver::Nnls), Some(FoldOptions::default()));
    let spent = cpu_s() - before;
    let sum: f64 = found.expect("a fit").model.costs.iter().map(|cost| cost.cost_j).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
    println!("nnls {ROWS} x {COLUMNS} from Parquet: {spent:.2} s CPU; {peak}; sum {sum:.9e} J");
}

/// CPU time of this process's threads in seconds, to the nanosecond (Linux).
fn cpu_s() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0)
    };
    threads.map(spent).sum::<f64>() / 1e9
}

/// A campaign of 200 cases and 187 operations, of rank 100, noise 2 %.
fn campaign() -> Table {
    let mut random = Uniform(77);
    let (cases, blocks) = (200, 100);
    let block: Vec<Vec<f64>> = (0..blocks)
        .map(|_| {
            let few = |random: &mut Uniform| (random.next() < 0.08).then(|| random.next() * 5.0);
            (0..COLUMNS).map(|_| few(&mut random).unwrap_or(0.0).ceil()).collect()
        })
        .collect();
    let cost: Vec<f64> = (0..COLUMNS).map(|_| 1e-9 * (3.0 * random.next() - 1.5).exp()).collect();
    let mut table = Table {
        features: (0..COLUMNS).map(|j| format!("op{}_{j}", j % 20)).collect(),
        ..Table::default()
    };
    for i in 0..cases {
        let runs: Vec<f64> = (0..blocks).map(|_| (1e6 * random.next().powi(3)).floor()).collect();
        let count = |j: usize| runs.iter().zip(&block).map(|(runs, block)| runs * block[j]).sum();
        let counts: Vec<f64> = (0..COLUMNS).map(count).collect();
        let energy: f64 = counts.iter().zip(&cost).map(|(n, c)| n * c).sum();
        let noise = random.next() + random.next() + random.next() - 1.5;
        table.cases.push(case(format!("case {i}"), energy * (1.0 + 0.04 * noise)));
        table.counts.extend(counts);
    }
    table
}

fn case(name: String, energy_j: f64) -> Case {
    let (group, device) = (String::new(), String::new());
    Case {
        name,
        group,
        device,
        duration_s: None,
        energy_j,
        energy_se_j: None,
        weight: None,
        executions: None,
    }
}

/// nnls on a campaign, with four folds and 1000 repetitions.
fn repeated() {
    let table = campaign();
    let (before, start) = (cpu_s(), std::time::Instant::now());
    let draws = BootstrapOptions { replicates: 1000, ..Default::default() };
    let options = FitOptions { bootstrap: Some(draws), ..FitOptions::new(Solver::Nnls) };
    let model = fit(&table, &options).expect("a fit");
    let plain = FitOptions::new(Solver::Nnls);
    let folds = cross_validate(&table, &plain, FoldOptions::default(), None).expect("folds");
    println!(
        "nnls 200 x 187, 4 folds, bootstrap 1000: {:.2} s CPU, {:.2} s; rank {}, {} intervals, {}",
        cpu_s() - before,
        start.elapsed().as_secs_f64(),
        model.rank,
        model.costs.iter().filter(|cost| cost.se_j.is_some()).count(),
        folds.verdict().expect("folds")
    );
}

/// The posterior of 187 costs from 200 cases.
fn posterior() {
    let table = campaign();
    let (before, start) = (cpu_s(), std::time::Instant::now());
    match fit(&table, &FitOptions::new(Solver::Bayes)) {
        Ok(model) => println!("bayes 200 x 187: {:?}", model.diagnostics),
        Err(error) => println!("bayes 200 x 187: {error}"),
    }
    let (cpu, wall) = (cpu_s() - before, start.elapsed().as_secs_f64());
    println!("bayes 200 x 187: {cpu:.2} s CPU, {wall:.2} s");
}

/// Measurements of the 174 patterns on two devices ten times, 3480 in all: effects as
/// wide as the published ones, by factor (a rank of levels stands for a draw), and their
/// residual.
fn measurements() -> Vec<(Vec<String>, f64)> {
    let mut random = Uniform(31);
    let mut effects: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    let mut measured = Vec::new();
    for pattern in patterns() {
        for device in ["Device 1", "Device 2"] {
            let levels = [pattern.operation, pattern.size, pattern.kind, device];
            let mut mean = 0.0;
            for (level, width) in levels.iter().zip([6e-8, 1e-9, 3e-9, 1e-8]) {
                if !level.is_empty() {
                    let drawn = width * random.next() * random.next();
                    mean += *effects.entry((*level).to_owned()).or_insert(drawn);
                }
            }
            for _ in 0..10 {
                let noise = random.next() + random.next() + random.next() - 1.5;
                measured.push((levels.map(str::to_owned).to_vec(), mean + 2e-8 * noise));
            }
        }
    }
    measured
}

/// The pattern model: free effects, and effects not below zero.
fn pattern(folder: &Path) {
    let measured = measurements();
    let row = |(levels, energy): &(Vec<String>, f64)| format!("{},{energy:e}\n", levels.join(","));
    let text: String = measured.iter().map(row).collect();
    let text = format!("{},energy_j\n{text}", FACTORS.join(","));
    std::fs::write(folder.join("patterns.csv"), text).expect("disk space");
    let data = FactorMeasurements::new(&FACTORS.map(str::to_owned), &measured).expect("factors");
    let works = [("free, NUTS", EffectSign::Free), ("positive, Gibbs", EffectSign::Positive)];
    for (name, sign) in works {
        (1..=5).for_each(|seed| drawn(&data, name, sign, seed));
    }
}

/// One seed's draws; the time of the diagnostics, which samplers leave to others, apart.
fn drawn(data: &FactorMeasurements, name: &str, sign: EffectSign, seed: u64) {
    let before = cpu_s();
    let options = ChainOptions { seed, draws: 4000, thin: 1, ..Default::default() };
    let found = fit_effects(data, sign, &options).expect("chains that mix");
    let spent = cpu_s() - before;
    let before = cpu_s();
    let known = found.draws.values.iter().filter_map(|chains| diagnose(chains)).count();
    let diagnosing = cpu_s() - before;
    let (bulk, tail) = found.draws.ess_min();
    println!(
        "pattern {name} {} x {}, seed {seed}: R-hat {:.4}, divergences {}, min ESS of {known} {:.0}, \
         {spent:.2} s CPU, {diagnosing:.2} s of it diagnostics; {:.0} min-ESS/s without",
        data.rows.len(),
        data.levels.len(),
        found.draws.rhat_max(),
        found.draws.divergences,
        bulk.min(tail),
        bulk.min(tail) / (spent - diagnosing)
    );
}
