//! Boards behind the adb server: finding, connecting, and the [`Board`] trait over them.

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::board::{Board, ShellOutput};
use super::call_limit::{CallLimit, CancelFlag};
use super::error::DeviceError;
use super::lock::BoardLock;
use super::server::Server;
use super::shell::{self, ShellMode, quoted};
use super::{install, transfer};

/// Time limit of requests that the adb server answers by itself.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// Time limit for a TCP connection to a board, and for the board to become ready after it.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// Time to wait for a lost board to come back; a restart takes a minute.
pub const RECONNECT_LIMIT: Duration = Duration::from_secs(120);
/// Time limit for a new connection to become ready.
const READY_LIMIT: Duration = Duration::from_secs(5);
/// Time limit for a small file; USB 2 moves about 5 MB/s, `TRANSFER_RATE` is a tenth of it.
const TRANSFER_LIMIT: Duration = Duration::from_secs(30);
const TRANSFER_RATE: u64 = 500_000;

/// A board as the adb server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBoard {
    /// The serial; for a board over TCP `HOST:PORT`.
    pub serial: String,
    /// `device` if the board is ready, else the problem (`offline`, `unauthorized`, `no permissions
    /// ...`).
    pub state: String,
    /// The model, if the server lists it.
    pub model: Option<String>,
}

/// All boards that the adb server lists. One board without permissions does not hide the others.
pub fn list_boards(server: Server) -> Result<Vec<ListedBoard>, DeviceError> {
    let limit = server_limit("listing the boards", REQUEST_LIMIT);
    let text = server.query("host:devices-l", limit)?;
    Ok(text.lines().filter_map(listed).collect())
}

/// Parses a line `SERIAL  STATE key:value ...`, where a state may be a sentence.
fn listed(line: &str) -> Option<ListedBoard> {
    let (serial, rest) = line.trim().split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let state = match rest.split_whitespace().next()? {
        "no" => rest,
        word => word,
    };
    let model = rest.split_whitespace().find_map(|word| word.strip_prefix("model:"));
    Some(ListedBoard { serial: serial.into(), state: state.into(), model: model.map(Into::into) })
}

/// Connects a board over TCP (`HOST:PORT`) and waits until it is ready. A board that was
/// restarted is disconnected first: the server would keep the dead connection.
pub fn connect(server: Server, address: &str) -> Result<(), DeviceError> {
    let limit = CallLimit::new(address, "connecting", CONNECT_LIMIT, &CancelFlag::default());
    let before = state(server, address, limit.clone());
    if !matches!(before.as_deref(), Ok("device") | Err(DeviceError::NotReady { .. })) {
        disconnect(server, address)?;
    }
    connect_within(server, address, &limit, ConnectRetry::Once)
}

/// Whether to retry a connection when nothing answers at an address.
#[derive(Clone, Copy, PartialEq)]
enum ConnectRetry {
    /// Fail at once.
    Once,
    /// Retry until the time limit: the board may be starting.
    UntilLimit,
}

fn connect_within(
    server: Server,
    address: &str,
    limit: &CallLimit,
    patience: ConnectRetry,
) -> Result<(), DeviceError> {
    loop {
        let answer = server.query(&format!("host:connect:{address}"), limit.clone())?;
        if answer.contains("connected to") {
            match wait_until_ready(server, address, limit, READY_LIMIT) {
                Err(DeviceError::NotReady { .. }) if patience == ConnectRetry::UntilLimit => {
                    // The server may hold on to a connection that died as it was made.
                    disconnect(server, address)?;
                }
                end => return end,
            }
        } else if patience == ConnectRetry::Once {
            return Err(DeviceError::NotReady { serial: address.into(), state: answer });
        }
        limit.slice()?;
        thread::sleep(Duration::from_millis(100));
    }
}

fn wait_until_ready(
    server: Server,
    serial: &str,
    limit: &CallLimit,
    patience: Duration,
) -> Result<(), DeviceError> {
    let own = CallLimit::new(serial, "waiting for the board", patience, &CancelFlag::default());
    loop {
        let last = state(server, serial, limit.clone());
        if matches!(last.as_deref(), Ok("device")) {
            return Ok(());
        }
        if let Err(end) = limit.slice().and_then(|_| own.slice()) {
            // What the server said last tells more than that time is up.
            let unready = |state| DeviceError::NotReady { serial: serial.into(), state };
            return Err(last.map_or(end, unready));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Reconnects a lost board: over TCP by disconnecting and connecting, else by waiting until it is
/// ready again, for at most `patience`.
pub fn reconnect(server: Server, serial: &str, patience: Duration) -> Result<(), DeviceError> {
    let doing = "waiting for the board";
    let limit = CallLimit::new(serial, doing, patience, &CancelFlag::default());
    if serial.contains(':') {
        disconnect(server, serial)?;
        return connect_within(server, serial, &limit, ConnectRetry::UntilLimit);
    }
    wait_until_ready(server, serial, &limit, patience)
}

/// Ends the server's connection to a board over TCP; no error if there is none.
pub fn disconnect(server: Server, address: &str) -> Result<(), DeviceError> {
    let limit = CallLimit::new(address, "disconnecting", REQUEST_LIMIT, &CancelFlag::default());
    match server.query(&format!("host:disconnect:{address}"), limit) {
        Ok(_) | Err(DeviceError::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The state of a board (`device`, `offline`), or [`DeviceError::NotReady`].
fn state(server: Server, serial: &str, limit: CallLimit) -> Result<String, DeviceError> {
    not_ready_where_refused(server.query(&format!("host-serial:{serial}:get-state"), limit))
}

fn not_ready_where_refused<T>(answer: Result<T, DeviceError>) -> Result<T, DeviceError> {
    answer.map_err(|error| match error {
        DeviceError::Refused { serial, message, .. } => {
            DeviceError::NotReady { serial, state: message }
        }
        other => other,
    })
}

/// The time limit of a request to the server itself.
fn server_limit(doing: &str, span: Duration) -> CallLimit {
    CallLimit::new("adb server", doing, span, &CancelFlag::default())
}

/// A board reached through the adb server.
#[derive(Debug)]
pub struct AdbBoard {
    server: Server,
    serial: String,
    cancel: CancelFlag,
    /// The shell service, once it was asked for; none after a lost connection.
    mode: Mutex<Option<ShellMode>>,
    /// The lock of the board, released on drop.
    lock: Option<BoardLock>,
}

impl AdbBoard {
    /// Opens the board with this serial; fails if it is not connected and ready.
    pub fn open(server: Server, serial: &str, cancel: CancelFlag) -> Result<Self, DeviceError> {
        let limit = CallLimit::new(serial, "looking for the board", REQUEST_LIMIT, &cancel);
        let state = state(server, serial, limit)?;
        if state != "device" {
            return Err(DeviceError::NotReady { serial: serial.into(), state });
        }
        Ok(Self { server, serial: serial.into(), cancel, mode: Mutex::new(None), lock: None })
    }

    /// The shell service of the board: the newer one where the board announces it.
    pub fn shell_mode(&self) -> Result<ShellMode, DeviceError> {
        let mut known = self.mode.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(mode) = *known {
            return Ok(mode);
        }
        let service = format!("host-serial:{}:features", self.serial);
        let limit = self.limit("asking for features", REQUEST_LIMIT);
        let features = not_ready_where_refused(self.server.query(&service, limit))?;
        let new = features.trim().split(',').any(|feature| feature == "shell_v2");
        let mode = if new { ShellMode::V2 } else { ShellMode::Legacy };
        *known = Some(mode);
        Ok(mode)
    }

    /// Takes the board's lock for results in `folder`; from then on sessions check it.
    ///
    /// # Errors
    /// [`DeviceError::Held`] if another process has the lock.
    pub fn lock(&mut self, folder: &Path) -> Result<(), DeviceError> {
        self.lock = Some(BoardLock::take(self, folder)?);
        Ok(())
    }

    /// Makes sure, after a lost connection, that the lock is still this process's.
    ///
    /// # Errors
    /// As [`AdbBoard::lock`].
    pub(crate) fn renew_lock(&self) -> Result<(), DeviceError> {
        self.lock.as_ref().map_or(Ok(()), |lock| lock.renew(self))
    }

    /// Releases the board's lock. If the board is not there, the next process that needs the lock
    /// takes it over.
    pub(crate) fn unlock(&mut self) {
        if let Some(lock) = self.lock.take() {
            let _ = lock.release(self);
        }
    }

    fn limit(&self, doing: &str, span: Duration) -> CallLimit {
        CallLimit::new(&self.serial, doing, span, &self.cancel)
    }

    fn forget_mode(&self) {
        *self.mode.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}

impl Drop for AdbBoard {
    fn drop(&mut self) {
        self.unlock();
    }
}

impl Board for AdbBoard {
    fn serial(&self) -> &str {
        &self.serial
    }

    fn shell(&self, command: &str, deadline: Duration) -> Result<ShellOutput, DeviceError> {
        self.shell_watched(command, deadline, &mut |_| {})
    }

    fn shell_watched(
        &self,
        command: &str,
        deadline: Duration,
        watch: &mut dyn FnMut(&[u8]),
    ) -> Result<ShellOutput, DeviceError> {
        let mode = self.shell_mode()?;
        let limit = self.limit(&shell::shortened_command(command), deadline);
        let stream = self.server.transport(&self.serial, limit);
        let end = stream.and_then(|stream| shell::run_command(stream, mode, command, watch));
        if matches!(end, Err(DeviceError::Lost { .. } | DeviceError::NotReady { .. })) {
            self.forget_mode();
        }
        end
    }

    fn push(&self, content: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError> {
        let span = TRANSFER_LIMIT + Duration::from_secs(content.len() as u64 / TRANSFER_RATE);
        let limit = self.limit(&format!("sending {remote}"), span);
        transfer::send(self.server, content, remote, &limit)?;
        let file = quoted(remote);
        let check = transfer::fingerprint_command(remote);
        let answer = self.shell(&format!("chmod {mode:o} {file}; {check}"), TRANSFER_LIMIT)?;
        transfer::verify_fingerprint(self, remote, content, &answer.stdout)
    }

    fn pull(&self, remote: &str) -> Result<Vec<u8>, DeviceError> {
        let limit = self.limit(&format!("fetching {remote}"), 10 * TRANSFER_LIMIT);
        let content = transfer::fetch(self.server, remote, &limit)?;
        let answer = self.shell(&transfer::fingerprint_command(remote), TRANSFER_LIMIT)?;
        transfer::verify_fingerprint(self, remote, &content, &answer.stdout)?;
        Ok(content)
    }

    fn lock_check(&self) -> String {
        self.lock.as_ref().map(BoardLock::check).unwrap_or_default()
    }

    fn install(&self, file: &Path, package: &str) -> Result<(), DeviceError> {
        install::install(self, file, package)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_boards_of_all_states() {
        let ready = listed("127.0.0.1:5600  device product:v model:Virtual_Board transport_id:3");
        let ready = ready.expect("a board");
        assert_eq!((ready.serial.as_str(), ready.state.as_str()), ("127.0.0.1:5600", "device"));
        assert_eq!(ready.model.as_deref(), Some("Virtual_Board"));
        let locked = listed("0123  no permissions (user in plugdev group); see [http://x]");
        assert!(locked.expect("a board").state.starts_with("no permissions"));
        assert_eq!(listed(""), None);
    }
}
