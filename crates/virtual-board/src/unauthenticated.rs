//! Connections that have not authenticated yet. Every process on this machine can open some, so
//! their number is bounded: beyond it the oldest is closed, and a new one keeps no other out.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Largest number of such connections.
const CONNECTIONS_MAX: usize = 16;

/// Connections that have not authenticated, the oldest first, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct UnauthenticatedConnections {
    waiting: Mutex<VecDeque<(u64, TcpStream)>>,
    number: AtomicU64,
}

impl UnauthenticatedConnections {
    /// Adds a copy of a connection and returns its number.
    pub(crate) fn add(&self, connection: TcpStream) -> u64 {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let mut waiting = self.lock();
        waiting.push_back((number, connection));
        if waiting.len() > CONNECTIONS_MAX
            && let Some((_, oldest)) = waiting.pop_front()
        {
            oldest.shutdown(Shutdown::Both).ok();
        }
        number
    }

    /// Removes a connection that has authenticated or ended; `None` if it was closed before.
    pub(crate) fn remove(&self, number: u64) -> Option<TcpStream> {
        let mut waiting = self.lock();
        let at = waiting.iter().position(|(own, _)| *own == number)?;
        waiting.remove(at).map(|(_, connection)| connection)
    }

    /// Closes all connections.
    pub(crate) fn close_all(&self) {
        for (_, connection) in self.lock().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Reader of a connection that fails after a moment, however little comes at a time.
pub(crate) struct DeadlineReader<'a> {
    pub socket: &'a TcpStream,
    pub end: Instant,
}

impl Read for DeadlineReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        let mut socket = self.socket;
        socket.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::time::Duration;

    #[test]
    fn the_oldest_of_too_many_is_cut_off() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let strangers = UnauthenticatedConnections::default();
        let mut ends = Vec::new();
        let numbers: Vec<u64> = (0..=CONNECTIONS_MAX)
            .map(|_| {
                ends.push(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
                strangers.add(listener.accept().unwrap().0)
            })
            .collect();
        assert_eq!(ends[0].read(&mut [0]).unwrap(), 0, "its end");
        assert!(strangers.remove(numbers[0]).is_none());
        assert!(strangers.remove(numbers[CONNECTIONS_MAX]).is_some());
        strangers.close_all();
        assert!(strangers.remove(numbers[1]).is_none());
    }

    #[test]
    fn who_trickles_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, _) = listener.accept().unwrap();
        let mut until =
            DeadlineReader { socket: &socket, end: Instant::now() + Duration::from_millis(20) };
        let error = until.read_exact(&mut [0; 4]).unwrap_err();
        assert!(matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock));
    }
}
