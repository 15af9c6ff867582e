//! The device side of ADB over loopback TCP: what adbd is on a real board. The
//! stock adb server and `adb_client` drive it. It asks for no authentication and
//! offers only the features it has. References: AOSP `protocol.txt`, `SYNC.TXT`,
//! `shell_protocol.h`.
//!
//! To add a service: one function that takes the opened stream, one line in
//! [`service::serve`].

mod connection;
mod packet;
mod service;
mod shell;
mod stream;
mod sync;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::shells::Shells;

/// Which generation of adbd the board imitates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
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
    connections: Arc<Connections>,
}

/// The connections of hosts.
#[derive(Default)]
pub(super) struct Connections {
    open: Mutex<Vec<TcpStream>>,
    /// Nobody is let in before.
    closed_until: Mutex<Option<Instant>>,
}

impl Connections {
    /// Closes every connection, as a pulled cable does; new ones are accepted.
    pub(super) fn drop_all(&self) {
        let mut open = self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for connection in open.drain(..) {
            connection.shutdown(std::net::Shutdown::Both).ok();
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
}

/// What connections need to serve the host.
pub(super) struct Device {
    pub mode: Mode,
    pub shells: Arc<Shells>,
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
        connections: Arc<Connections>,
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

fn accept(socket: TcpStream, device: &Arc<Device>, connections: &Connections) {
    let Ok(copy) = socket.try_clone() else { return };
    let device = device.clone();
    let served = std::thread::Builder::new()
        .name("adb connection".into())
        .spawn(move || connection::serve(socket, &device));
    if served.is_ok() {
        let mut open = connections.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        open.push(copy);
    }
}
