//! The device side of ADB over loopback TCP: what adbd is on a real board. The
//! stock adb server and `adb_client` drive it. It lets in who has the key of its owner's adb,
//! and offers only the features it has. References: AOSP `protocol.txt`, `SYNC.TXT`,
//! `shell_protocol.h`.
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
use super::strangers::Strangers;
pub(super) use keys::AuthorizedKeys;
pub use keys::KeyError;

/// Which generation of adbd the board imitates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdbdGeneration {
    /// Exit codes, separate standard error, large payloads (`shell_v2`, `cmd`).
    #[default]
    Modern,
    /// Android 4.x, as on the Odroid-XU+E: no features, `\r\n` line ends, standard
    /// error merged, no exit code, payloads of 4096 bytes.
    Legacy,
}

/// The listening socket and the connections made through it.
pub(super) struct AdbServer {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    connections: Arc<HostConnections>,
}

/// The connections of hosts.
#[derive(Default)]
pub(super) struct HostConnections {
    /// Those that were let in, by their numbers.
    open: Mutex<Vec<(u64, TcpStream)>>,
    /// Those that were not yet.
    strangers: Strangers,
    /// Nobody is let in before.
    closed_until: Mutex<Option<Instant>>,
}

impl HostConnections {
    /// Closes every connection, as a pulled cable does; new ones are accepted.
    pub(super) fn drop_all(&self) {
        self.strangers.cut_off();
        for (_, connection) in self.open().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
    }

    /// Closes every connection and lets nobody in for some real time, as a restart does.
    pub(super) fn close_for(&self, time: Duration) {
        *self.closed_until.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
            Some(Instant::now() + time);
        self.drop_all();
    }

    fn is_closed(&self) -> bool {
        let until = self.closed_until.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        until.is_some_and(|until| Instant::now() < until)
    }

    /// A connection has shown whose it is; whether it is still wanted.
    fn let_in(&self, number: u64) -> bool {
        let known = self.strangers.remove(number).map(|connection| (number, connection));
        let is_wanted = known.is_some();
        self.open().extend(known);
        is_wanted
    }

    /// A connection is over.
    fn forget(&self, number: u64) {
        self.strangers.remove(number);
        self.open().retain(|(own, _)| *own != number);
    }

    fn open(&self) -> MutexGuard<'_, Vec<(u64, TcpStream)>> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// What connections need to serve the host.
pub(super) struct Device {
    pub mode: AdbdGeneration,
    pub shells: Arc<Shells>,
    /// Whose hosts are let in.
    pub keys: AuthorizedKeys,
    /// The board's files.
    pub folder: Arc<BoardFolder>,
    /// Model name of the banner.
    pub model: String,
    /// Is told of each stream that a host opens, before it is served.
    pub opened: Box<dyn Fn() + Send + Sync>,
    /// Whether the disk takes no more bytes.
    pub is_disk_full: Box<dyn Fn() -> bool + Send + Sync>,
}

impl AdbServer {
    /// Listens on a loopback port (0: any free one) and serves every connection on
    /// threads of its own.
    pub(super) fn start(
        port: u16,
        device: Device,
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
                accept(connection, &device, &connections);
            }
        })?;
        Ok(server)
    }

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

fn accept(mut socket: TcpStream, device: &Arc<Device>, connections: &Arc<HostConnections>) {
    let Ok(copy) = socket.try_clone() else { return };
    let number = connections.strangers.add(copy);
    let (device, known) = (device.clone(), connections.clone());
    let served = std::thread::Builder::new().name("adb connection".into()).spawn(move || {
        match connection::let_in(&mut socket, &device) {
            Ok(Some(banner)) if known.let_in(number) => {
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
