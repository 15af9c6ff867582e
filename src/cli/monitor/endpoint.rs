//! The last cycle over HTTP, for Prometheus and whatever else reads OpenMetrics. A server of its
//! own: a request is two words of a head that is otherwise left unread, and the servers there are
//! bound neither the head, nor the time of a request, nor the threads of connections. Anybody may
//! connect, so all three have limits, and the oldest connection makes room for a new one.

use std::collections::BTreeMap;
use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wattline_units::limits::{METRICS_CONNECTIONS, METRICS_HEAD_BYTES, METRICS_SECONDS};

use crate::failure::Failure;
use crate::toolchain::deadline_stream::DeadlineStream;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
const PATH: &str = "/metrics";

/// How long a listener that can't accept (no free descriptor) is left alone.
const PAUSE: Duration = Duration::from_millis(50);

/// HTTP server of the metrics in a thread of its own, which ends when it is dropped.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<EndpointState>,
    thread: Option<JoinHandle<()>>,
}

/// What connections share.
struct EndpointState {
    text: Mutex<Arc<str>>,
    open: Mutex<HttpConnections>,
    /// A thread of a connection has ended.
    has_ended: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
struct HttpConnections {
    /// By the order in which they came.
    streams: BTreeMap<u64, TcpStream>,
    /// Threads that answer, also those of connections that were ended just now.
    threads: u64,
}

impl Endpoint {
    /// Starts to listen at an address; the metrics are empty before the first cycle.
    pub fn open(address: &str) -> Result<Endpoint, Failure> {
        let unusable = |error: io::Error| {
            Failure::Usage(format!(
                "--prometheus {address}: {error}; give a free ADDRESS:PORT of this machine, such as \
                 127.0.0.1:9464"
            ))
        };
        let listener = TcpListener::bind(address).map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let shared = Arc::new(EndpointState {
            text: Mutex::new("# EOF\n".into()),
            open: Mutex::default(),
            has_ended: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let told = Arc::clone(&shared);
        let thread = thread::spawn(move || accept(&listener, &told));
        Ok(Endpoint { address, shared, thread: Some(thread) })
    }

    /// Returns the address at which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the text that the server gives from now on.
    pub fn tell(&self, text: String) {
        *lock(&self.shared.text) = text.into();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<EndpointState>) {
    for (number, stream) in (0_u64..).zip(listener.incoming()) {
        if shared.is_over.load(Ordering::Relaxed) {
            return;
        }
        let known = stream.and_then(|stream| Ok((stream.try_clone()?, stream)));
        let Ok((known, stream)) = known else {
            thread::sleep(PAUSE);
            continue;
        };
        shared.admit(number, known);
        let own = Arc::clone(shared);
        let serve = move || {
            // Whoever does not wait for the answer does not want it.
            let _ = own.answer(stream);
            own.release(number);
        };
        if thread::Builder::new().spawn(serve).is_err() {
            shared.release(number);
            thread::sleep(PAUSE);
        }
    }
}

impl EndpointState {
    /// Notes a connection; where there are enough, the oldest one ends first, and its thread.
    fn admit(&self, number: u64, stream: TcpStream) {
        let mut open = lock(&self.open);
        while open.threads >= METRICS_CONNECTIONS.most {
            if let Some((_, oldest)) = open.streams.pop_first() {
                let _ = oldest.shutdown(Shutdown::Both);
            }
            let ended = self.has_ended.wait_timeout(open, PAUSE);
            open = ended.unwrap_or_else(PoisonError::into_inner).0;
        }
        open.threads += 1;
        open.streams.insert(number, stream);
    }

    /// A connection's thread has ended.
    fn release(&self, number: u64) {
        let mut open = lock(&self.open);
        open.threads -= 1;
        open.streams.remove(&number);
        self.has_ended.notify_all();
    }

    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let mut peer = DeadlineStream::new(stream);
        peer.set_deadline(Some(Duration::from_secs(METRICS_SECONDS.most)));
        let mut lines = BufReader::new(peer);
        let answer = match HttpRequestLine::read(&mut lines) {
            Ok(request) => self.response(&request),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                response("431 Request Header Fields Too Large", PLAIN, &format!("{error}\n"), true)
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                response("400 Bad Request", PLAIN, "this is no request of HTTP/1\n", true)
            }
            Err(error) => return Err(error),
        };
        lines.get_mut().write_all(answer.as_bytes())
    }

    fn response(&self, request: &HttpRequestLine) -> String {
        let path = request.target.split('?').next().unwrap_or_default();
        let has_body = request.method != "HEAD";
        match (request.method.as_str(), path) {
            ("GET" | "HEAD", PATH) => {
                let text = Arc::clone(&lock(&self.text));
                response("200 OK", OPENMETRICS, &text, has_body)
            }
            ("GET" | "HEAD", _) => {
                let text = format!("the metrics are at {PATH}\n");
                response("404 Not Found", PLAIN, &text, has_body)
            }
            _ => response("405 Method Not Allowed", PLAIN, "only GET and HEAD\n", has_body),
        }
    }
}

fn response(status: &str, kind: &str, text: &str, has_body: bool) -> String {
    let (length, body) = (text.len(), if has_body { text } else { "" });
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// The first line of a request.
#[derive(Debug, PartialEq, Eq)]
struct HttpRequestLine {
    method: String,
    target: String,
}

impl HttpRequestLine {
    /// Reads the head up to its empty line.
    fn read(stream: &mut impl io::BufRead) -> io::Result<Self> {
        let head = METRICS_HEAD_BYTES;
        let mut line = head.read_line(stream)?;
        let request = Self::parse(&line).ok_or(ErrorKind::InvalidData)?;
        let mut bytes = line.len();
        while !matches!(line.as_slice(), b"\r\n" | b"\n") {
            line = head.read_line(stream)?;
            bytes += line.len();
            head.check(bytes as u64)?;
            if line.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(request)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let is_http = version.starts_with("HTTP/1.") && words.next().is_none();
        is_http.then(|| Self { method: method.into(), target: target.into() })
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        for stream in lock(&self.shared.open).streams.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // The listener notices at its next connection.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            let local: [std::net::IpAddr; 2] =
                [std::net::Ipv4Addr::LOCALHOST.into(), std::net::Ipv6Addr::LOCALHOST.into()];
            own.set_ip(local[usize::from(own.is_ipv6())]);
        }
        let is_woken = TcpStream::connect_timeout(&own, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| is_woken) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn ask(endpoint: &Endpoint, request: &str) -> String {
        let mut stream = TcpStream::connect(endpoint.address()).unwrap();
        // A server that has enough closes before all is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    }

    #[test]
    fn requests_are_answered_by_their_first_line() {
        let endpoint = Endpoint::open("127.0.0.1:0").unwrap();
        endpoint.tell("a 1\n# EOF\n".into());
        let text = ask(&endpoint, "GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\na 1\n# EOF\n"));
        let head = ask(&endpoint, "HEAD /metrics HTTP/1.0\n\n");
        assert!(head.contains("Content-Length: 10\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("SSH-2.0-x\r\n", "400"),
            ("GET /metrics\r\n\r\n", "400"),
        ] {
            let text = ask(&endpoint, request);
            assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {text}");
        }
    }

    #[test]
    fn a_head_ends_at_the_limit() {
        let line = "X: y\r\n".repeat(100);
        let endless = io::repeat(b'x');
        let request = HttpRequestLine::read(&mut BufReader::new(io::Read::chain(
            &b"GET / HTTP/1.1 "[..],
            endless,
        )));
        assert_eq!(request.unwrap_err().kind(), ErrorKind::FileTooLarge);
        let long = format!("GET /metrics HTTP/1.1\r\n{}\r\n", line.repeat(40));
        assert_eq!(
            HttpRequestLine::read(&mut long.as_bytes()).unwrap_err().kind(),
            ErrorKind::FileTooLarge
        );
        let honest = format!("GET /metrics HTTP/1.1\r\n{line}\r\n");
        assert_eq!(HttpRequestLine::read(&mut honest.as_bytes()).unwrap().target, "/metrics");
    }

    /// Connections that say nothing make room, and their threads end.
    #[test]
    fn idle_connections_neither_add_up_nor_keep_anybody_out() {
        let endpoint = Endpoint::open("127.0.0.1:0").unwrap();
        let idle: Vec<TcpStream> =
            (0..200).map(|_| TcpStream::connect(endpoint.address()).unwrap()).collect();
        let text = ask(&endpoint, "GET /metrics HTTP/1.1\r\n\r\n");
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
        let most = usize::try_from(METRICS_CONNECTIONS.most).unwrap();
        let open = lock(&endpoint.shared.open);
        assert!(open.streams.len() <= most && open.threads <= METRICS_CONNECTIONS.most);
        drop(open);
        let closed = idle.into_iter().take(100).map(|mut stream| stream.read(&mut [0]).unwrap());
        assert_eq!(closed.sum::<usize>(), 0, "they are closed without a word");
    }
}
