//! The socket at which a running monitor takes orders: in a folder that only its user can enter,
//! with a mode that lets only its user connect, and asked once more whose process it is that has
//! connected. Orders wait until a cycle has ended, and come one at a time.

use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use wattline_units::limits::{CONTROL_ORDER_BYTES, CONTROL_SECONDS};

use crate::cli::own_socket::listen_at;
use crate::failure::Failure;
use crate::private_files::runtime_folder;
use crate::toolchain::deadline_stream::DeadlineStream;

use super::order::Order;

/// How long a listener that can't accept (no free descriptor) is left alone.
const PAUSE: Duration = Duration::from_millis(50);

/// What comes before and after the number of the process in the name of a socket.
const NAME: (&str, &str) = ("monitor-", ".control");

/// Answer of a monitor to an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderAnswer {
    /// It was done.
    Done(String),
    /// Nothing was.
    Refused(String),
}

/// Order that waits, with the connection for its answer.
pub struct OrderRequest {
    /// What to do.
    pub order: Order,
    answer: SyncSender<OrderAnswer>,
}

/// Control socket of this process, removed when it is dropped.
pub struct ControlSocket {
    path: PathBuf,
    orders: Receiver<OrderRequest>,
    /// An order that was seen and waits for the end of a cycle.
    seen: Option<OrderRequest>,
}

/// Returns the file name of a process's socket.
pub fn name(pid: u32) -> String {
    format!("{}{pid}{}", NAME.0, NAME.1)
}

/// Parses the process id in a socket's file name.
pub fn pid(name: &str) -> Option<u32> {
    name.strip_prefix(NAME.0)?.strip_suffix(NAME.1)?.parse().ok()
}

impl OrderRequest {
    /// Sends the outcome of the order.
    pub fn answer(self, said: Result<String, Failure>) {
        let answer = match said {
            Ok(said) => OrderAnswer::Done(said),
            Err(why) => OrderAnswer::Refused(why.to_string()),
        };
        // Whoever asked may have gone.
        let _ = self.answer.send(answer);
    }
}

impl ControlSocket {
    /// Opens a socket in the folder of this user's sockets.
    pub fn open() -> Result<Self, Failure> {
        let folder = runtime_folder().map_err(|error| Failure::Usage(error.to_string()))?;
        let path = folder.join(name(std::process::id()));
        let listener = listen_at(&path).map_err(Failure::io("listen at", &path))?;
        let (sender, orders) = sync_channel(1);
        let accepting = thread::Builder::new().spawn(move || accept(&listener, &sender));
        accepting.map_err(Failure::io("start a thread that listens at", &path))?;
        Ok(Self { path, orders, seen: None })
    }

    /// Whether an order waits for an answer.
    pub fn is_asked(&mut self) -> bool {
        if self.seen.is_none() {
            self.seen = self.orders.try_recv().ok();
        }
        self.seen.is_some()
    }

    /// Takes the waiting order, if `fits` is true for it.
    pub fn take(&mut self, fits: impl Fn(&Order) -> bool) -> Option<OrderRequest> {
        self.is_asked();
        self.seen.take_if(|request| fits(&request.order))
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn accept(listener: &UnixListener, orders: &SyncSender<OrderRequest>) {
    for stream in listener.incoming() {
        match stream {
            // Whoever does not wait for the answer does not want it.
            Ok(stream) => drop(serve(stream, orders)),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

/// One order and its answer.
fn serve(stream: UnixStream, orders: &SyncSender<OrderRequest>) -> io::Result<()> {
    // The mode of the socket keeps others out; root may connect to any.
    let user = socket_peercred(&stream)?.uid;
    let is_own = user == geteuid();
    let time = Duration::from_secs(CONTROL_SECONDS.most);
    let mut lines = BufReader::new(DeadlineStream::new(stream));
    lines.get_mut().set_deadline(Some(time));
    let answer = match is_own {
        false => OrderAnswer::Refused("this monitor is of another user".into()),
        true => asked(&mut lines, orders, time)?,
    };
    let text = serde_json::to_string(&answer)?;
    lines.get_mut().set_deadline(Some(time));
    lines.get_mut().write_all(format!("{text}\n").as_bytes())
}

fn asked(
    lines: &mut BufReader<DeadlineStream>,
    orders: &SyncSender<OrderRequest>,
    time: Duration,
) -> io::Result<OrderAnswer> {
    let line = CONTROL_ORDER_BYTES.read_line(lines)?;
    let order = match serde_json::from_slice(&line) {
        Ok(order) => order,
        Err(error) => return Ok(OrderAnswer::Refused(format!("this is no order: {error}"))),
    };
    let (answer, answered) = sync_channel(1);
    let gone = |_| io::Error::from(ErrorKind::BrokenPipe);
    orders.send(OrderRequest { order, answer }).map_err(gone)?;
    let late = OrderAnswer::Refused("the monitor is busy; ask what it did with `list`".into());
    Ok(answered.recv_timeout(time).unwrap_or(late))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, Read};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A server beside a listener of its own, at a path that its test has.
    fn served(path: &std::path::Path) -> Receiver<OrderRequest> {
        let listener = listen_at(path).unwrap();
        let (sender, orders) = sync_channel(1);
        thread::spawn(move || accept(&listener, &sender));
        orders
    }

    fn ask(path: &std::path::Path, line: &str) -> String {
        let mut stream = UnixStream::connect(path).unwrap();
        stream.write_all(line.as_bytes()).unwrap();
        let mut text = String::new();
        BufReader::new(stream).read_line(&mut text).unwrap();
        text
    }

    #[test]
    fn orders_come_in_and_their_answers_go_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name(7));
        let orders = served(&path);
        assert_eq!(fs_mode(&path), 0o600);
        let monitor = thread::spawn(move || {
            let request: OrderRequest = orders.recv().unwrap();
            assert_eq!(request.order, Order::Stop { name: "x".into() });
            request.answer(Ok("done \u{e9}".into()));
            orders.recv().unwrap().answer(Err(Failure::Usage("no".into())));
        });
        let line = "{\"order\":\"stop\",\"name\":\"x\"}\n";
        assert_eq!(ask(&path, line), "{\"done\":\"done \u{e9}\"}\n");
        assert!(ask(&path, "{\"order\":\"list\"}\n").starts_with("{\"refused\":"));
        monitor.join().unwrap();
    }

    #[test]
    fn what_is_no_order_reaches_no_monitor() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name(8));
        let orders = served(&path);
        for line in ["\n", "{}\n", "{\"order\":\"format-disk\"}\n", "[[[[\n"] {
            assert!(ask(&path, line).contains("this is no order"), "{line}");
        }
        // A line without an end is cut at the limit.
        let mut stream = UnixStream::connect(&path).unwrap();
        let many = vec![b'x'; usize::try_from(CONTROL_ORDER_BYTES.most).unwrap() + 4096];
        let _ = stream.write_all(&many);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
        assert!(orders.try_recv().is_err());
    }

    #[test]
    fn names_tell_processes() {
        assert_eq!(pid(&name(4711)), Some(4711));
        assert_eq!((pid("monitor-x.control"), pid("7.control")), (None, None));
    }

    fn fs_mode(path: &std::path::Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }
}
