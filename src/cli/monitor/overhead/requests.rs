//! Requests to a server under measurement: one after the other, each with a connection of its own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::toolchain::deadline_stream::DeadlineStream;

/// Connection, request and response together take no longer, or the request has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A wait of 0 s is refused by the system.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Bytes of a response at most.
const RESPONSE_BYTES: u64 = 16 << 20;

/// A page of a server, by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTarget {
    url: String,
    /// Host and port.
    host: String,
    path: String,
}

/// Why a request has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestError {
    /// Nothing listens, or the connection broke: a server that starts does so.
    NoConnection(String),
    /// The first line of a response that is none, or no success.
    Status(String),
}

impl RequestTarget {
    /// Of an address `http://HOST:PORT/PATH`.
    pub fn parse(url: &str) -> Result<Self, Failure> {
        let wrong = || Failure::Usage(format!("--url {url}: give http://HOST:PORT/PATH"));
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let has_bad = |text: &str| text.chars().any(|c| c.is_whitespace() || c.is_control());
        if host.is_empty() || has_bad(host) || has_bad(path) {
            return Err(wrong());
        }
        let has_port = host.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
        let host = if has_port { host.to_owned() } else { format!("{host}:80") };
        Ok(Self { url: url.into(), host, path: format!("/{path}") })
    }

    /// Sends one request and reads the whole response.
    pub fn send(&self) -> Result<(), RequestError> {
        let answer = self
            .exchange(PATIENCE)
            .map_err(|error| RequestError::NoConnection(error.to_string()))?;
        let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        let code = line.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
        match code {
            Some(200..=399) if line.starts_with("HTTP/1.") => Ok(()),
            _ => Err(RequestError::Status(line.chars().take(80).collect())),
        }
    }

    /// Sends a request and reads the response, within `patience` after the name is resolved.
    fn exchange(&self, patience: Duration) -> io::Result<Vec<u8>> {
        let addresses: Vec<_> = self.host.to_socket_addrs()?.collect();
        let deadline = Instant::now() + patience;
        let mut stream = DeadlineStream::new(connect(&addresses, deadline)?);
        stream.set_deadline(Some(deadline.saturating_duration_since(Instant::now())));
        let Self { host, path, .. } = self;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(RESPONSE_BYTES).read_to_end(&mut answer)?;
        Ok(answer)
    }

    /// The failure of a request that had to succeed.
    pub fn failure(&self, error: &RequestError) -> Failure {
        let url = &self.url;
        Failure::Board(match error {
            RequestError::NoConnection(why) => format!("--url {url}: no response: {why}"),
            RequestError::Status(line) => {
                format!("--url {url}: the server answers `{line}`; give a page that it has")
            }
        })
    }
}

/// Connects to the first address that answers; the time left is divided among the addresses, so
/// that one that does not answer leaves time for the others.
fn connect(addresses: &[SocketAddr], deadline: Instant) -> io::Result<TcpStream> {
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for (address, rest) in addresses.iter().zip((1..=addresses.len() as u32).rev()) {
        let left = deadline.saturating_duration_since(Instant::now()) / rest;
        match TcpStream::connect_timeout(address, left.max(LEAST_WAIT)) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn addresses_are_read_or_refused() {
        let read = |url: &str| RequestTarget::parse(url).map(|target| (target.host, target.path));
        assert_eq!(read("http://a:8080/b?c=d").unwrap(), ("a:8080".into(), "/b?c=d".into()));
        assert_eq!(read("http://a").unwrap(), ("a:80".into(), "/".into()));
        for wrong in
            ["https://a/", "a:80/", "http://", "http:///x", "http://a/b c", "http://a/\r\n"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_response_is_read_and_its_status_told() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            for status in ["200 OK", "404 Not Found"] {
                let (mut peer, _) = listener.accept().unwrap();
                let mut request = [0; 512];
                let length = peer.read(&mut request).unwrap();
                assert!(request[..length].starts_with(b"GET /x HTTP/1.1\r\n"));
                write!(peer, "HTTP/1.1 {status}\r\n\r\npage").unwrap();
            }
        });
        let target = RequestTarget::parse(&format!("http://127.0.0.1:{port}/x")).unwrap();
        assert_eq!(target.send(), Ok(()));
        let error = target.send().unwrap_err();
        assert_eq!(error, RequestError::Status("HTTP/1.1 404 Not Found".into()));
        assert!(target.failure(&error).to_string().contains("404"));
        server.join().unwrap();
        assert!(matches!(target.send(), Err(RequestError::NoConnection(_))));
    }

    #[test]
    fn a_server_that_trickles_or_never_answers_is_given_up_at_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = RequestTarget::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        let patience = Duration::from_millis(60);
        let server = thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            while peer.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
            listener
        });
        let error = target.exchange(patience).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // It connects to the queue of the listener, which accepts nobody now.
        let listener = server.join().unwrap();
        let error = target.exchange(patience).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(listener);
    }

    #[test]
    fn an_address_that_refuses_leaves_the_next_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let open = listener.local_addr().unwrap();
        // The address of a client, where nothing listens as long as the client has it.
        let client = TcpStream::connect(open).unwrap();
        let closed = client.local_addr().unwrap();
        let deadline = Instant::now() + PATIENCE;
        assert_eq!(connect(&[closed, open], deadline).unwrap().peer_addr().unwrap(), open);
        let refused = connect(&[closed], deadline).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        assert!(connect(&[], deadline).is_err());
    }
}
