//! Many readers of the latest views: a Unix socket that sends a line of JSON per view, and
//! a file that is written anew. A reader that is slow misses views; it never holds up the
//! stream or another reader.

use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::stage::Failure;
use crate::stage::folder::replace_file;

/// Views that wait for a slow reader.
const WAITING: usize = 16;

/// Where views go.
#[derive(Debug, Default)]
pub struct Publisher {
    socket: Option<Socket>,
    file: Option<PathBuf>,
    /// Views that slow readers missed.
    pub missed: u64,
}

#[derive(Debug)]
struct Socket {
    path: PathBuf,
    readers: Arc<Mutex<Readers>>,
}

#[derive(Debug, Default)]
struct Readers {
    senders: Vec<SyncSender<Arc<str>>>,
    latest: Option<Arc<str>>,
}

impl Publisher {
    /// Opens the socket and names the file, where wanted.
    pub fn open(socket: Option<&Path>, file: Option<&Path>) -> Result<Self, Failure> {
        let socket = socket.map(Socket::open).transpose()?;
        Ok(Self { socket, file: file.map(Path::to_path_buf), missed: 0 })
    }

    /// Whether anybody could read.
    pub fn is_wanted(&self) -> bool {
        self.socket.is_some() || self.file.is_some()
    }

    /// Gives out lines, each ended.
    pub fn publish(&mut self, lines: &str) -> Result<(), Failure> {
        if let Some(socket) = &self.socket {
            self.missed += socket.send(lines);
        }
        let Some(file) = &self.file else { return Ok(()) };
        replace_file(file, lines).map(drop)
    }
}

impl Socket {
    fn open(path: &Path) -> Result<Self, Failure> {
        // A socket that nobody answers at was left behind.
        if is_socket(path) {
            if UnixStream::connect(path).is_ok() {
                let text = format!("--serve {}: another process serves there", path.display());
                return Err(Failure::Usage(text));
            }
            std::fs::remove_file(path).map_err(Failure::io("replace", path))?;
        }
        let listener = UnixListener::bind(path).map_err(Failure::io("listen at", path))?;
        let readers = Arc::new(Mutex::new(Readers::default()));
        let shared = Arc::clone(&readers);
        let accepting = std::thread::Builder::new().spawn(move || accept(&listener, &shared));
        accepting.map_err(Failure::io("start a thread that listens at", path))?;
        Ok(Self { path: path.to_path_buf(), readers })
    }

    /// Returns how many readers missed it.
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

impl Drop for Socket {
    fn drop(&mut self) {
        // Readers' threads end when their channel does, after what waits there.
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.senders.clear();
        drop(readers);
        let _ = std::fs::remove_file(&self.path);
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket())
}

fn accept(listener: &UnixListener, readers: &Mutex<Readers>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { return };
        let (sender, receiver) = sync_channel(WAITING);
        let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(latest) = &readers.latest {
            let _ = sender.try_send(Arc::clone(latest));
        }
        readers.senders.push(sender);
        // A reader that no thread can be started for is let go.
        let _ = std::thread::Builder::new().spawn(move || pass_on(stream, &receiver));
    }
}

fn pass_on(mut stream: UnixStream, lines: &Receiver<Arc<str>>) {
    for line in lines {
        if stream.write_all(line.as_bytes()).is_err() {
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
        let mut publisher = Publisher::open(Some(&socket), Some(&file)).unwrap();
        assert!(Publisher::open(Some(&socket), None).is_err(), "another process serves there");
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
}
