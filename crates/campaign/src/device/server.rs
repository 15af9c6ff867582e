//! The adb server's socket: requests with time limits. The protocol is four hex digits of
//! length and the service's name; the answer `OKAY`, or `FAIL` with a message of the same
//! form (`SERVICES.TXT` and `OVERVIEW.TXT` of the Android Debug Bridge).
//!
//! The shell and all small requests go through here, because `adb_client` has no time
//! limits and starts a process for every request; files go through `transfer`.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::call_limit::CallLimit;
use super::error::DeviceError;
use super::shortened::shortened;

/// The default port of an adb server.
const PORT: u16 = 5037;
/// The last port that is tried for a server of one's own.
const LAST_PORT: u16 = 5137;

/// The adb server at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    /// The server's address, by default `127.0.0.1:5037`.
    pub address: SocketAddrV4,
}

impl Server {
    /// The local server, on the port of `ANDROID_ADB_SERVER_PORT` where that is a port.
    pub fn from_environment() -> Self {
        Self::at(port_of_environment().unwrap_or(PORT))
    }

    /// The local server for virtual boards. These accept only the key of the user who started them,
    /// so that not even root's server reaches them: if another user's server listens at the usual
    /// port, the next port is used at which this user's server or none listens. A port that the
    /// environment names is used as it is.
    pub fn for_virtual_boards() -> Self {
        let own = || own_port(&listening_sockets(), rustix::process::geteuid().as_raw());
        Self::at(port_of_environment().unwrap_or_else(own))
    }

    fn at(port: u16) -> Self {
        Self { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, port) }
    }

    /// Sends a request whose answer is one text (`host:devices-l`). Each use of a board begins with
    /// such a request, so a server of another user is refused here.
    pub(crate) fn query(&self, service: &str, limit: CallLimit) -> Result<String, DeviceError> {
        self.check_owner()?;
        let mut stream = self.open(limit)?;
        stream.request(service)?;
        stream.read_text()
    }

    /// Fails if the server belongs to another user than root, who would see and could change all
    /// that goes to a board.
    fn check_owner(&self) -> Result<(), DeviceError> {
        let own = rustix::process::geteuid().as_raw();
        match listener_owner(&listening_sockets(), self.address) {
            Some(uid) if ![own, 0].contains(&uid) => {
                Err(DeviceError::ForeignServer { address: self.address, uid })
            }
            _ => Ok(()),
        }
    }

    /// Opens a connection to a board's own services.
    pub(crate) fn transport(
        &self,
        serial: &str,
        limit: CallLimit,
    ) -> Result<AdbStream, DeviceError> {
        let mut stream = self.open(limit)?;
        match stream.request(&format!("host:transport:{serial}")) {
            Err(DeviceError::Refused { serial, message, .. }) => {
                Err(DeviceError::NotReady { serial, state: message })
            }
            other => other.map(|()| stream),
        }
    }

    /// Connects, and starts the server first where none answers.
    fn open(&self, limit: CallLimit) -> Result<AdbStream, DeviceError> {
        let first = TcpStream::connect_timeout(&self.address.into(), Duration::from_secs(2));
        let tcp = match first {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.start(&limit)?;
                TcpStream::connect_timeout(&self.address.into(), Duration::from_secs(2))
            }
            other => other,
        };
        let tcp = tcp.and_then(|tcp| tcp.set_nodelay(true).map(|()| tcp));
        tcp.map(|tcp| AdbStream { tcp, limit }).map_err(|source| self.unreachable(source))
    }

    /// Runs `adb start-server`. Its output goes nowhere: the server keeps the descriptors
    /// open, so that a pipe would never end.
    fn start(&self, limit: &CallLimit) -> Result<(), DeviceError> {
        let adb = find_adb(std::env::var_os("PATH"))
            .ok_or(DeviceError::AdbMissing { address: self.address })?;
        let mut starter = Command::new(adb)
            .args(["-P", &self.address.port().to_string(), "start-server"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| self.unreachable(source))?;
        while starter.try_wait().map_err(|source| self.unreachable(source))?.is_none() {
            if let Err(end) = limit.slice() {
                // The starter may have ended by itself in the meantime.
                let _ = starter.kill();
                let _ = starter.wait();
                return Err(end);
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn unreachable(&self, source: io::Error) -> DeviceError {
        DeviceError::ServerUnreachable { address: self.address, source }
    }
}

/// The port that `ANDROID_ADB_SERVER_PORT` names.
fn port_of_environment() -> Option<u16> {
    std::env::var("ANDROID_ADB_SERVER_PORT").ok().and_then(|text| text.parse().ok())
}

/// The kernel's table of TCP sockets; empty where it can't be read.
fn listening_sockets() -> String {
    std::fs::read_to_string("/proc/net/tcp").unwrap_or_default()
}

/// The first port from the usual one on at which no other user's server listens.
fn own_port(table: &str, uid: u32) -> u16 {
    let is_own = |port: &u16| {
        listener_owner(table, Server::at(*port).address).is_none_or(|owner| owner == uid)
    };
    (PORT..=LAST_PORT).find(is_own).unwrap_or(PORT)
}

/// User number of the listener at a loopback address, from the kernel's table of sockets
/// (proc_net_tcp): local address in hexadecimal, remote address, state, and further on the user.
fn listener_owner(table: &str, address: SocketAddrV4) -> Option<u32> {
    const LISTENS: &str = "0A";
    let bytes = u32::from_ne_bytes(address.ip().octets());
    let wanted = [bytes, 0].map(|ip| format!("{ip:08X}:{:04X}", address.port()));
    table.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (local, _remote, state) = (words.next()?, words.next()?, words.next()?);
        let listens = wanted.iter().any(|address| address == local) && state == LISTENS;
        listens.then(|| words.nth(3)?.parse().ok())?
    })
}

/// The `adb` program in one of the folders of a PATH.
fn find_adb(path: Option<OsString>) -> Option<PathBuf> {
    std::env::split_paths(&path?).map(|folder| folder.join("adb")).find(|file| file.is_file())
}

/// A connection to the adb server whose reads and writes end by a time limit.
#[derive(Debug)]
pub(crate) struct AdbStream {
    tcp: TcpStream,
    pub(crate) limit: CallLimit,
}

impl AdbStream {
    /// Sends a request and reads the server's yes or no.
    pub(crate) fn request(&mut self, service: &str) -> Result<(), DeviceError> {
        self.write_all(format!("{:04x}{service}", service.len()).as_bytes())?;
        let mut status = [0; 4];
        self.read_exact(&mut status)?;
        match &status {
            b"OKAY" => Ok(()),
            b"FAIL" => {
                let (serial, message) = (self.limit.serial.clone(), self.read_text()?);
                Err(DeviceError::Refused { serial, service: shortened(service), message })
            }
            _ => Err(self.garbled("the adb server answered neither OKAY nor FAIL", &status)),
        }
    }

    /// A text behind four hex digits of length.
    pub(crate) fn read_text(&mut self) -> Result<String, DeviceError> {
        let mut digits = [0; 4];
        self.read_exact(&mut digits)?;
        let length = std::str::from_utf8(&digits).ok();
        let length = length.and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(length) = length else {
            return Err(self.garbled("the adb server gave no length", &digits));
        };
        let mut text = vec![0; length];
        self.read_exact(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Reads available bytes, waiting for at least one; 0 is the end of the connection.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, DeviceError> {
        loop {
            let slice = self.limit.slice()?;
            let read = self.tcp.set_read_timeout(Some(slice)).and_then(|()| self.tcp.read(buffer));
            match read {
                Ok(length) => return Ok(length),
                Err(error) if is_pause(&error) => {}
                // A server that died and one that closed are the same to the caller.
                Err(_) => return Ok(0),
            }
        }
    }

    /// Fills the buffer, or fails because the connection was lost.
    pub(crate) fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), DeviceError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read(&mut buffer[filled..])? {
                0 => return Err(self.limit.lost()),
                length => filled += length,
            }
        }
        Ok(())
    }

    /// Writes all bytes, or fails because the connection was lost.
    pub(crate) fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), DeviceError> {
        while !bytes.is_empty() {
            let slice = self.limit.slice()?;
            let wrote =
                self.tcp.set_write_timeout(Some(slice)).and_then(|()| self.tcp.write(bytes));
            match wrote {
                Ok(0) => return Err(self.limit.lost()),
                Ok(length) => bytes = &bytes[length..],
                Err(error) if is_pause(&error) => {}
                Err(_) => return Err(self.limit.lost()),
            }
        }
        Ok(())
    }

    /// The error of an answer that cannot be parsed, with its beginning.
    pub(crate) fn garbled(&self, what: &str, answer: &[u8]) -> DeviceError {
        let answer = shortened(&String::from_utf8_lossy(answer));
        DeviceError::Garbled { serial: self.limit.serial.clone(), what: what.into(), answer }
    }
}

/// Whether an error is only a slice of waiting that passed without a byte.
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adb_is_found_on_the_path_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = |folders: &[&std::path::Path]| std::env::join_paths(folders).ok();
        assert_eq!(find_adb(path(&[folder.path()])), None);
        assert_eq!(find_adb(None), None);
        let adb = folder.path().join("adb");
        std::fs::write(&adb, "").unwrap();
        let empty = std::path::Path::new("/nonexistent");
        assert_eq!(find_adb(path(&[empty, folder.path()])), Some(adb));
    }

    #[test]
    fn the_owner_of_a_port_is_read_from_the_kernels_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   \
                     uid  timeout inode\n   \
                     0: 0100007F:13AD 00000000:0000 01 00000000:00000000 00:00000000 00000000  \
                     7        0 1 1 0 100 0 0 10 0\n   \
                     1: 0100007F:13AD 00000000:0000 0A 00000000:00000000 00:00000000 00000000  \
                     1000        0 2 1 0 100 0 0 10 0\n";
        let at = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        assert_eq!(listener_owner(table, at(5037)), Some(1000));
        assert_eq!(listener_owner(table, at(5038)), None);
        assert_eq!(listener_owner("nonsense\n\n", at(5037)), None);
        assert_eq!(own_port(table, 1000), 5037);
        assert_eq!(own_port(table, 0), 5038, "root's board takes root's key only, too");
        assert_eq!(own_port("", 1001), 5037);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return };
        let owner = listener_owner(&table, at(listener.local_addr().unwrap().port()));
        assert_eq!(owner, Some(rustix::process::geteuid().as_raw()));
    }
}
