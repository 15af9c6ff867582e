//! How fast tables are read and fitted, in seconds of CPU time. `benches/reference_reading.py`
//! makes the tables and does the same with pyarrow, pandas and scikit-learn;
//! `benches/reading.sh` runs both, one after the other.
//!
//! Usage: reading FILE read|fit [TIMES]

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

use wattline::model::table::{
    ColumnChoice, CsvPart, PassColumns, RowSource, TableError, TablePart, TableRows, UnopenedPart,
};
use wattline::model::{FitOptions, FoldOptions, Solver, fit_rows};

/// As released binaries allocate.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [path, work, times @ ..] = arguments.as_slice() else { return };
    let times: usize = times.first().and_then(|times| times.parse().ok()).unwrap_or(5);
    let path = PathBuf::from(path);
    for _ in 0..times {
        let before = cpu_s();
        let found = match work.as_str() {
            "read" => read(&path),
            "fit" => fit(&path),
            other => format!("no work named {other}"),
        };
        println!("{work} {}: {:.3} s CPU; {found}", path.display(), cpu_s() - before);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
}

fn table(path: &std::path::Path) -> TableRows<'static> {
    let path = path.to_owned();
    let open = move || -> Result<Box<dyn TablePart>, TableError> {
        let path = path.clone();
        #[cfg(feature = "parquet")]
        if path.extension().is_some_and(|ending| ending == "parquet") {
            let open = Box::new(move || File::open(&path));
            return Ok(Box::new(wattline::model::table::ParquetPart::new(open)?));
        }
        let open = move || -> std::io::Result<Box<dyn Read>> { Ok(Box::new(File::open(&path)?)) };
        Ok(Box::new(CsvPart::new(Box::new(open))))
    };
    TableRows::new(vec![UnopenedPart::new("table", open)], &ColumnChoice::default())
        .expect("a table")
}

/// All rows once.
fn read(path: &std::path::Path) -> String {
    let (mut rows, mut sum) = (0, 0.0);
    let mut take = |block: &wattline::model::table::RowBlock| {
        rows += block.rows();
        sum += block.counts.iter().sum::<f64>();
        ControlFlow::Continue(())
    };
    table(path).for_each_block(PassColumns::Counts, &mut take).expect("rows");
    format!("{rows} rows, sum {sum:.9e}")
}

/// nnls with four folds.
fn fit(path: &std::path::Path) -> String {
    let folds = Some(FoldOptions::default());
    let found = fit_rows(&table(path), &FitOptions::new(Solver::Nnls), folds).expect("a fit");
    let sum: f64 = found.model.costs.iter().map(|cost| cost.cost_j).sum();
    format!("rank {}, sum of costs {sum:.9e} J", found.model.rank)
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
