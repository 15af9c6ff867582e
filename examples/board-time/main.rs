//! How wrong lines, methods and cases are for how much time on the board, by protocol:
//! the paper's, random cases, planned cases, planned cases with micro-kernels.
//!
//! ```sh
//! cargo run --release --example board-time -- OUT PAPER RANDOM LINES PLANNED
//! ```
//!
//! The last four are folders of campaigns on the virtual board, as `scripts/board-time.sh`
//! makes them: PLANNED by `wattline pipeline`, with kernels and truth; the others by
//! `wattline run`. A point of a curve is a fit to a part of one campaign's sessions (its
//! first cases, its first repeats), its board time the length of just these sessions.
//! Every model is held against the same truth, that of PLANNED's unremoved cases, and
//! against cases that it was not fitted to. Writes OUT/board-time.csv and
//! OUT/board-time.svg, and prints the table.

mod campaign;
mod judge;
mod picture;
mod protocol;

use std::path::Path;

use campaign::Campaign;
use judge::Judge;
use protocol::{Curve, curves};

/// Whatever goes wrong ends the study.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [out, paper, random, lines, planned] = arguments.as_slice() else {
        return Err("usage: board-time OUT PAPER RANDOM LINES PLANNED".into());
    };
    let read = |folder: &str| Campaign::read(Path::new(folder));
    let campaigns = protocol::Campaigns {
        paper: read(paper)?,
        random: read(random)?,
        lines: read(lines)?,
        planned: read(planned)?,
    };
    let judge = Judge::new(&campaigns)?;
    let curves: Vec<Curve> = curves(&campaigns, &judge)?;
    std::fs::create_dir_all(out)?;
    std::fs::write(Path::new(out).join("board-time.csv"), csv(&curves))?;
    std::fs::write(Path::new(out).join("board-time.svg"), picture::svg(&curves))?;
    print!("{}", markdown(&curves));
    Ok(())
}

fn csv(curves: &[Curve]) -> String {
    let mut text = "protocol,cases,power,idle,kernel_repeats,board_s,line_median,line_p90,\
                    method_median,method_p90,case_nmae\n"
        .to_string();
    for curve in curves {
        for point in &curve.points {
            let s = &point.sessions;
            let e = &point.errors;
            text += &format!(
                "\"{}\",{},{},{},{},{:.0},{:.4},{:.4},{:.4},{:.4},{:.4}\n",
                curve.name,
                s.cases,
                s.power,
                s.idle,
                s.kernels,
                point.board_s,
                e.line.0,
                e.line.1,
                e.method.0,
                e.method.1,
                e.nmae
            );
        }
    }
    text
}

fn markdown(curves: &[Curve]) -> String {
    let mut text =
        "| protocol | cases | power + idle runs each | kernel sessions | board time, h | \
                    lines, median / p90, % | methods, % | cases, NMAE, % |\n\
                    |---|--:|---|--:|--:|--:|--:|--:|\n"
            .to_string();
    let percent = |part: f64| format!("{:.1}", 100.0 * part);
    for curve in curves {
        for point in &curve.points {
            let s = &point.sessions;
            let e = &point.errors;
            text += &format!(
                "| {} | {} | {} + {} | {} | {:.2} | {} / {} | {} / {} | {} |\n",
                curve.name,
                s.cases,
                s.power,
                s.idle,
                s.kernels,
                point.board_s / 3600.0,
                percent(e.line.0),
                percent(e.line.1),
                percent(e.method.0),
                percent(e.method.1),
                percent(e.nmae)
            );
        }
    }
    text
}
