//! Many readers of the latest views: a Unix socket that sends a line of JSON per view, and
//! a file that is written anew. A reader that is slow misses views; it never holds up the
//! stream or another reader. Only this user can connect.

use std::io::{ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wattline_units::limits::{VIEW_READERS, VIEW_SECONDS};

use crate::cli::own_socket::listen_at;
use crate::failure::Failure;
use crate::folder::replace_file;
use crate::toolchain::deadline_stream::DeadlineStream;

/// Number of views that wait for a slow reader before it misses some.
const WAITING_VIEWS: usize = 16;

/// Pause before a listener that cannot accept (no free descriptor) tries again.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Publisher of views to the readers of a socket and to a file.
#[derive(Debug, Default)]
pub struct ViewPublisher {
    socket: Option<ViewSocket>,
    file: Option<PathBuf>,
    /// Views that slow readers missed.
    pub missed: u64,
}

#[derive(Debug)]
struct ViewSocket {
    path: PathBuf,
    readers: Arc<Mutex<ViewReaders>>,
}

#[derive(Debug, Default)]
struct ViewReaders {
    senders: Vec<SyncSender<Arc<str>>>,
    latest: Option<Arc<str>>,
}

impl ViewPublisher {
    /// Opens the socket and sets the file, where these are wanted.
    pub fn open(socket: Option<&Path>, file: Option<&Path>) -> Result<Self, Failure> {
        let socket = socket.map(ViewSocket::open).transpose()?;
        Ok(Self { socket, file: file.map(Path::to_path_buf), missed: 0 })
    }

    /// Whether there is a socket or a file.
    pub fn is_wanted(&self) -> bool {
        self.socket.is_some() || self.file.is_some()
    }

    /// Publishes lines, each with its line end.
    pub fn publish(&mut self, lines: &str) -> Result<(), Failure> {
        if let Some(socket) = &self.socket {
            self.missed += socket.send(lines);
        }
        let Some(file) = &self.file else { return Ok(()) };
        replace_file(file, lines).map(drop)
    }
}

impl ViewSocket {
    fn open(path: &Path) -> Result<Self, Failure> {
        let listener = match listen_at(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                let text = format!("--serve {}: another process serves there", path.display());
                return Err(Failure::Usage(text));
            }
            listener => listener.map_err(Failure::io("listen at", path))?,
        };
        let readers = Arc::new(Mutex::new(ViewReaders::default()));
        let shared = Arc::clone(&readers);
        let accepting =
            std::thread::Builder::new().spawn(move || accept_readers(&listener, &shared));
        accepting.map_err(Failure::io("start a thread that listens at", path))?;
        Ok(Self { path: path.to_path_buf(), readers })
    }

    /// Sends lines to all readers; returns the number of readers that missed them.
    fn send(&self, lines: &str) -> u64 {
        let lines: Arc<str> = lines.into();
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.latest = Some(Arc::clone(&lines));
        let mut missed = 0;
        readers.senders.retain(|sender| match sender.try_send(Arc::clone(&lines)) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                missed += 1;
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        });
        missed
    }
}

impl Drop for ViewSocket {
    fn drop(&mut self) {
        // Readers' threads end when their channel does, after what waits there.
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.senders.clear();
        drop(readers);
        let _ = std::fs::remove_file(&self.path);
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn accept_readers(listener: &UnixListener, readers: &Mutex<ViewReaders>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            std::thread::sleep(ACCEPT_PAUSE);
            continue;
        };
        let (sender, receiver) = sync_channel(WAITING_VIEWS);
        let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
        // One reader more than there may be finds its connection closed.
        if readers.senders.len() as u64 >= VIEW_READERS.most {
            continue;
        }
        if let Some(latest) = &readers.latest {
            let _ = sender.try_send(Arc::clone(latest));
        }
        let pass_on = move || write_views(stream, &receiver);
        if std::thread::Builder::new().spawn(pass_on).is_ok() {
            readers.senders.push(sender);
        }
    }
}

fn write_views(stream: UnixStream, lines: &Receiver<Arc<str>>) {
    let mut peer = DeadlineStream::new(stream);
    for line in lines {
        peer.set_deadline(Some(Duration::from_secs(VIEW_SECONDS.most)));
        if peer.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    #[test]
    fn many_readers_get_every_view_and_late_ones_the_latest() {
        let folder = tempfile::tempdir().unwrap();
        let (socket, file) = (folder.path().join("views.sock"), folder.path().join("views"));
        let mut publisher = ViewPublisher::open(Some(&socket), Some(&file)).unwrap();
        assert!(ViewPublisher::open(Some(&socket), None).is_err(), "another process serves there");
        publisher.publish("1\n").unwrap();
        let readers: Vec<UnixStream> =
            (0..3).map(|_| UnixStream::connect(&socket).unwrap()).collect();
        let mut readers: Vec<_> = readers.into_iter().map(BufReader::new).collect();
        let line = |reader: &mut BufReader<UnixStream>| {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            line
        };
        assert!(readers.iter_mut().all(|reader| line(reader) == "1\n"));
        publisher.publish("2\n").unwrap();
        assert!(readers.iter_mut().all(|reader| line(reader) == "2\n"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "2\n");
        // One that does not read misses views, and the others go on.
        let long = format!("{}\n", "x".repeat(100_000));
        for _ in 0..200 {
            publisher.publish(&long).unwrap();
        }
        assert!(publisher.missed > 0);
        drop(publisher);
        assert!(!socket.exists());
    }

    #[test]
    fn only_this_user_may_connect_and_not_without_end() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("views.sock");
        let mut publisher = ViewPublisher::open(Some(&socket), None).unwrap();
        let mode = std::fs::metadata(&socket).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        publisher.publish("1\n").unwrap();
        let most = usize::try_from(VIEW_READERS.most).unwrap();
        let streams: Vec<UnixStream> =
            (0..most + 20).map(|_| UnixStream::connect(&socket).unwrap()).collect();
        let lines = streams.into_iter().map(|stream| {
            let mut line = String::new();
            // A connection that is closed at once may be reset.
            let _ = BufReader::new(stream).read_line(&mut line);
            usize::from(line == "1\n")
        });
        assert_eq!(lines.sum::<usize>(), most);
    }
}
