//! `wattline tenants watch`: a reader of the views that another process gives out.

use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;
use wattline_units::limits::{LINE_BYTES, VIEW_SECONDS};

use crate::cli::answer::FormatArgument;
use crate::cli::quantity::{PRINTED_ROWS_MAX, whole_number_between};
use crate::cli::{progress, standard_output};
use crate::failure::Failure;
use crate::format::visible_name;
use crate::toolchain::deadline_stream::{DeadlineStream, connect_unix_socket};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline tenants cgroups --for 0 --serve /tmp/views.sock &
  wattline tenants watch /tmp/views.sock

With --format json each view is a line with one JSON object, as it comes.")]
pub struct Arguments {
    /// The socket.
    socket: PathBuf,
    /// The view: 1 or 10 seconds.
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "10"]))]
    seconds: String,
    /// Tenants shown.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number_between(0, PRINTED_ROWS_MAX))]
    top: usize,
    #[command(flatten)]
    format: FormatArgument,
}

#[derive(Debug, Deserialize)]
struct WatchView {
    view_s: Option<u32>,
    start_s: f64,
    end_s: f64,
    power_w: Option<f64>,
    basis: String,
    tenants: Vec<WatchedTenant>,
}

#[derive(Debug, Deserialize)]
struct WatchedTenant {
    tenant: String,
    cpu_s: f64,
    power_w: Option<f64>,
    share: f64,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let socket = &arguments.socket;
    let stream =
        connect_unix_socket(socket, LINE_TIMEOUT).map_err(Failure::io("connect to", socket))?;
    let mut peer = BufReader::new(DeadlineStream::new(stream));
    while let Some(line) = next_line(&mut peer).map_err(Failure::io("read", socket))? {
        if standard_output::is_closed() {
            break;
        }
        if arguments.format.is_json() {
            progress::document(&line);
            continue;
        }
        let view: WatchView =
            serde_json::from_str(&line).map_err(|error| Failure::input(socket, error))?;
        if view.view_s.is_none_or(|seconds| seconds.to_string() == arguments.seconds) {
            progress::result(view_text(&view, arguments.top).trim_end());
        }
    }
    Ok(())
}

/// Longest time of a line once it has begun.
const LINE_TIMEOUT: Duration = Duration::from_secs(VIEW_SECONDS.most);

/// Reads the next line without its end. It is waited for as long as it takes, and then has to come
/// whole: whoever is behind the socket may be anybody.
fn next_line(peer: &mut BufReader<DeadlineStream>) -> io::Result<Option<String>> {
    peer.get_mut().set_deadline(None);
    if peer.fill_buf()?.is_empty() {
        return Ok(None);
    }
    peer.get_mut().set_deadline(Some(LINE_TIMEOUT));
    let line = LINE_BYTES.read_line(peer)?;
    let line = String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn view_text(view: &WatchView, top: usize) -> String {
    let watts = |watts: Option<f64>| watts.map_or("none".to_owned(), |w| format!("{w:.3} W"));
    let title = match view.view_s {
        Some(seconds) => format!("last {seconds} s"),
        None => "all".to_owned(),
    };
    let (start, end, basis) = (view.start_s, view.end_s, visible_name(&view.basis));
    let mut text = format!(
        "{title}: {start:.1} s to {end:.1} s, {}, shared by {basis}\n",
        watts(view.power_w)
    );
    // What is unattributed comes last and is always shown.
    let last = view.tenants.len().saturating_sub(1);
    let shown = view.tenants.iter().enumerate().filter(|(index, _)| *index < top || *index == last);
    for (_, row) in shown {
        let (name, cpu, share) = (visible_name(&row.tenant), row.cpu_s, row.share * 100.0);
        text += &format!("  {name:<28}{cpu:>10.3} s{:>12}{share:>8.2} %\n", watts(row.power_w));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;

    #[test]
    fn a_line_without_end_is_refused() {
        let (mine, mut theirs) = UnixStream::pair().unwrap();
        let sender = thread::spawn(move || {
            theirs.write_all(b"{}\n").unwrap();
            let part = vec![b'x'; 1 << 20];
            while theirs.write_all(&part).is_ok() {}
        });
        let mut peer = BufReader::new(DeadlineStream::new(mine));
        assert_eq!(next_line(&mut peer).unwrap().as_deref(), Some("{}"));
        let error = next_line(&mut peer).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        drop(peer);
        sender.join().unwrap();
    }

    #[test]
    fn the_last_row_is_always_shown() {
        let tenant = |tenant: &str| WatchedTenant {
            tenant: tenant.into(),
            cpu_s: 1.0,
            power_w: None,
            share: 0.5,
        };
        let tenants = vec![tenant("a"), tenant("b"), tenant("unattributed")];
        let basis = "cpu-time".to_owned();
        let view =
            WatchView { view_s: Some(1), start_s: 0.0, end_s: 1.0, power_w: None, basis, tenants };
        let text = view_text(&view, 1);
        assert!(text.contains("unattributed") && !text.contains("  b "), "{text}");
    }

    #[test]
    fn a_name_does_not_make_lines_of_its_own() {
        let tenant = "a\n  all: 1 W\u{1b}[2J".into();
        let tenants = vec![WatchedTenant { tenant, cpu_s: 1.0, power_w: None, share: 1.0 }];
        let basis = "cpu-time\nall".to_owned();
        let view =
            WatchView { view_s: Some(1), start_s: 0.0, end_s: 1.0, power_w: None, basis, tenants };
        let text = view_text(&view, 1);
        assert!(text.lines().count() == 2 && !text.contains('\u{1b}'), "{text}");
    }
}
