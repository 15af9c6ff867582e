//! Device side of ADB over loopback TCP: what adbd is on a real board. The stock adb server and
//! `adb_client` drive it. It authenticates hosts by the keys of their adb and offers only the
//! features it has. References: AOSP `protocol.txt`, `SYNC.TXT`, `shell_protocol.h`.
//!
//! To add a service: one function that takes the opened stream, one line in
//! [`service::serve`].

mod connection;
mod keys;
mod packet;
mod service;
mod shell;
mod stream;
mod sync;

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::folder::BoardFolder;
use super::shells::Shells;
use super::unauthenticated::UnauthenticatedConnections;
pub use keys::AdbKeyError;
pub(super) use keys::AuthorizedKeys;

/// Generation of adbd that the board imitates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdbdGeneration {
    /// Exit codes, separate standard error, large payloads (`shell_v2`, `cmd`).
    #[default]
    Modern,
    /// Android 4.x, as on the Odroid-XU+E: no features, `\r\n` line ends, standard
    /// error merged, no exit code, payloads of 4096 bytes.
    Legacy,
}

/// Listening socket of the ADB device side, with the connections made through it.
pub(super) struct AdbServer {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    connections: Arc<HostConnections>,
}

/// Open connections of adb hosts: authenticated ones and those still authenticating.
#[derive(Default)]
pub(super) struct HostConnections {
    /// Authenticated connections with their numbers.
    open: Mutex<Vec<(u64, TcpStream)>>,
    /// Connections that have not authenticated yet.
    strangers: UnauthenticatedConnections,
    /// Real time until which all connections are refused.
    closed_until: Mutex<Option<Instant>>,
}

impl HostConnections {
    /// Closes every connection, as a pulled cable does; new connections are accepted.
    pub(super) fn drop_all(&self) {
        self.strangers.close_all();
        for (_, connection) in self.lock_open().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
    }

    /// Closes every connection and refuses new ones for some real time, as a restart does.
    pub(super) fn close_for(&self, time: Duration) {
        *self.closed_until.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
            Some(Instant::now() + time);
        self.drop_all();
    }

    /// Whether new connections are refused now.
    fn is_closed(&self) -> bool {
        let until = self.closed_until.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        until.is_some_and(|until| Instant::now() < until)
    }

    /// Moves a connection to the authenticated ones; false if it was cut off meanwhile.
    fn admit(&self, number: u64) -> bool {
        let known = self.strangers.remove(number).map(|connection| (number, connection));
        let is_wanted = known.is_some();
        self.lock_open().extend(known);
        is_wanted
    }

    /// Removes a connection that has ended.
    fn forget(&self, number: u64) {
        self.strangers.remove(number);
        self.lock_open().retain(|(own, _)| *own != number);
    }

    fn lock_open(&self) -> MutexGuard<'_, Vec<(u64, TcpStream)>> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Parts of the board that serving an adb connection needs.
pub(super) struct AdbDevice {
    pub mode: AdbdGeneration,
    pub shells: Arc<Shells>,
    /// Keys of the hosts that may connect.
    pub keys: AuthorizedKeys,
    /// The board's files.
    pub folder: Arc<BoardFolder>,
    /// Model name of the banner.
    pub model: String,
    /// Called for each stream that a host opens, before the stream is served.
    pub on_stream_opened: Box<dyn Fn() + Send + Sync>,
    /// Whether writes to the board's disk fail.
    pub is_disk_full: Box<dyn Fn() -> bool + Send + Sync>,
}

impl AdbServer {
    /// Listens on a loopback port (0: any free one) and serves every connection on threads of its
    /// own.
    pub(super) fn start(
        port: u16,
        device: AdbDevice,
        connections: Arc<HostConnections>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let server = Self { address, stopped: Arc::default(), connections };
        let (stopped, connections) = (server.stopped.clone(), server.connections.clone());
        let device = Arc::new(device);
        std::thread::Builder::new().name("adbd".into()).spawn(move || {
            for connection in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                // One that comes during a restart is closed by its end here.
                let Some(connection) = connection.ok().filter(|_| !connections.is_closed()) else {
                    continue;
                };
                serve_host(connection, &device, &connections);
            }
        })?;
        Ok(server)
    }

    /// Loopback port that the server listens on.
    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Closes the listening socket and every connection.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, which then sees that it is over.
        TcpStream::connect(self.address).ok();
        self.connections.drop_all();
    }
}

/// Authenticates and serves a connection on a thread of its own.
fn serve_host(mut socket: TcpStream, device: &Arc<AdbDevice>, connections: &Arc<HostConnections>) {
    let Ok(copy) = socket.try_clone() else { return };
    let number = connections.strangers.add(copy);
    let (device, known) = (device.clone(), connections.clone());
    let served = std::thread::Builder::new().name("adb connection".into()).spawn(move || {
        match connection::authenticate_host(&mut socket, &device) {
            Ok(Some(banner)) if known.admit(number) => {
                connection::serve(&mut socket, &device, &banner);
            }
            _ => {}
        }
        known.forget(number);
        // Copies of the socket may be open.
        socket.shutdown(Shutdown::Both).ok();
    });
    if served.is_err() {
        connections.forget(number);
    }
}
