//! Stream to an untrusted process with one deadline per exchange, so that a peer that sends a byte
//! at a time blocks nobody.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// Pause before connecting again to a listener whose queue is full.
const RETRY: Duration = Duration::from_millis(20);

/// A stream with a time limit for each read and write.
pub trait TimedStream: Read + Write + Debug + Send {
    /// Sets the time limit of each read and write; `None` for no limit.
    ///
    /// # Errors
    /// The operating system's errors.
    fn set_time(&self, time: Option<Duration>) -> io::Result<()>;
}

impl TimedStream for TcpStream {
    fn set_time(&self, time: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(time)?;
        self.set_write_timeout(time)
    }
}

impl TimedStream for UnixStream {
    fn set_time(&self, time: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(time)?;
        self.set_write_timeout(time)
    }
}

/// A stream with a deadline for all reads and writes until the next deadline is set.
#[derive(Debug)]
pub struct DeadlineStream {
    stream: Box<dyn TimedStream>,
    deadline: Option<Instant>,
}

impl DeadlineStream {
    /// Wraps a stream, without a deadline yet.
    pub fn new(stream: impl TimedStream + 'static) -> Self {
        Self { stream: Box::new(stream), deadline: None }
    }

    /// Sets the deadline of all further reads and writes to `time` from now; `None` for no
    /// deadline.
    pub fn set_deadline(&mut self, time: Option<Duration>) {
        self.deadline = time.map(|time| Instant::now() + time);
    }

    fn apply_deadline(&self) -> io::Result<()> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match left {
            Some(left) if left.is_zero() => Err(ErrorKind::TimedOut.into()),
            left => self.stream.set_time(left.map(|left| left.max(Duration::from_millis(1)))),
        }
    }
}

/// Turns the error `WouldBlock` of an expired socket time limit into `TimedOut`.
fn as_timeout(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { error }
}

impl Read for DeadlineStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.apply_deadline()?;
        self.stream.read(buffer).map_err(as_timeout)
    }
}

impl Write for DeadlineStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.apply_deadline()?;
        self.stream.write(bytes).map_err(as_timeout)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Connects to a Unix socket, within `time`.
///
/// # Errors
/// The operating system's errors; `TimedOut`.
pub fn connect_unix_socket(path: &Path, time: Duration) -> io::Result<UnixStream> {
    let deadline = Instant::now() + time;
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::AGAIN) if Instant::now() < deadline => thread::sleep(RETRY),
            Err(Errno::AGAIN) => return Err(ErrorKind::TimedOut.into()),
            Err(error) => return Err(error.into()),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;

    use rustix::net::{bind, listen};

    use super::*;

    #[test]
    fn a_peer_that_trickles_is_given_up_at_the_deadline() {
        let (mine, mut theirs) = UnixStream::pair().unwrap();
        let trickle = thread::spawn(move || {
            while theirs.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        let mut peer = DeadlineStream::new(mine);
        peer.set_deadline(Some(Duration::from_millis(60)));
        let error = io::BufReader::new(peer).read_line(&mut String::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        trickle.join().unwrap();
    }

    #[test]
    fn a_listener_that_accepts_nobody_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener =
            socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
                .unwrap();
        bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        listen(&listener, 1).unwrap();
        let connected: Vec<_> =
            (0..50).map_while(|_| connect_unix_socket(&path, Duration::ZERO).ok()).collect();
        assert!(!connected.is_empty());
        let error = connect_unix_socket(&path, Duration::from_millis(30)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(listener);
        assert!(connect_unix_socket(&path, Duration::ZERO).is_err());
    }
}
