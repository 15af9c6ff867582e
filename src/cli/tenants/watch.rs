//! `wattline tenants watch`: a reader of the views that another process gives out.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;

use crate::cli::progress;
use crate::cli::quantity::{PRINTED, whole};
use crate::stage::Failure;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline tenants cgroups --for 0 --serve /tmp/views.sock &
  wattline tenants watch /tmp/views.sock")]
pub struct Arguments {
    /// The socket.
    socket: PathBuf,
    /// The view: 1 or 10 seconds.
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "10"]))]
    seconds: String,
    /// Tenants shown.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(0, PRINTED))]
    top: usize,
    /// Print the lines as they come.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct View {
    view_s: Option<u32>,
    start_s: f64,
    end_s: f64,
    power_w: Option<f64>,
    basis: String,
    tenants: Vec<Tenant>,
}

#[derive(Debug, Deserialize)]
struct Tenant {
    tenant: String,
    cpu_s: f64,
    power_w: Option<f64>,
    share: f64,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let socket = &arguments.socket;
    let stream = UnixStream::connect(socket).map_err(Failure::io("connect to", socket))?;
    for line in BufReader::new(stream).lines() {
        let line = line.map_err(Failure::io("read", socket))?;
        if arguments.json {
            progress::result(&line);
            continue;
        }
        let view: View =
            serde_json::from_str(&line).map_err(|error| Failure::input(socket, error))?;
        if view.view_s.is_none_or(|seconds| seconds.to_string() == arguments.seconds) {
            progress::result(shown(&view, arguments.top).trim_end());
        }
    }
    Ok(())
}

fn shown(view: &View, top: usize) -> String {
    let watts = |watts: Option<f64>| watts.map_or("none".to_owned(), |w| format!("{w:.3} W"));
    let title = match view.view_s {
        Some(seconds) => format!("last {seconds} s"),
        None => "all".to_owned(),
    };
    let (start, end, basis) = (view.start_s, view.end_s, &view.basis);
    let mut text = format!(
        "{title}: {start:.1} s to {end:.1} s, {}, shared by {basis}\n",
        watts(view.power_w)
    );
    // What is unattributed comes last and is always shown.
    let last = view.tenants.len().saturating_sub(1);
    let shown = view.tenants.iter().enumerate().filter(|(index, _)| *index < top || *index == last);
    for (_, row) in shown {
        let (name, cpu, share) = (&row.tenant, row.cpu_s, row.share * 100.0);
        text += &format!("  {name:<28}{cpu:>10.3} s{:>12}{share:>8.2} %\n", watts(row.power_w));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_is_always_shown() {
        let tenant =
            |tenant: &str| Tenant { tenant: tenant.into(), cpu_s: 1.0, power_w: None, share: 0.5 };
        let tenants = vec![tenant("a"), tenant("b"), tenant("unattributed")];
        let basis = "cpu-time".to_owned();
        let view =
            View { view_s: Some(1), start_s: 0.0, end_s: 1.0, power_w: None, basis, tenants };
        let text = shown(&view, 1);
        assert!(text.contains("unattributed") && !text.contains("  b "), "{text}");
    }
}
