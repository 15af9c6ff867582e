//! The last cycle over HTTP, for Prometheus and whatever else reads OpenMetrics.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Method, Request, Response, Server};

use crate::stage::Failure;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PATH: &str = "/metrics";

/// A server in a thread of its own, until it is dropped.
pub struct Endpoint {
    server: Arc<Server>,
    text: Arc<Mutex<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Endpoint {
    /// Listens; there is nothing to read before the first cycle but the end.
    pub fn open(address: &str) -> Result<Endpoint, Failure> {
        let server = Server::http(address).map_err(|error| {
            Failure::Usage(format!(
                "--prometheus {address}: {error}; give a free ADDRESS:PORT of this machine, such as \
                 127.0.0.1:9464"
            ))
        })?;
        let server = Arc::new(server);
        let text = Arc::new(Mutex::new("# EOF\n".to_string()));
        let (listens, told) = (Arc::clone(&server), Arc::clone(&text));
        let thread = thread::spawn(move || {
            for request in listens.incoming_requests() {
                answer(request, &told);
            }
        });
        Ok(Endpoint { server, text, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.server_addr().to_ip()
    }

    /// The text from now on.
    pub fn tell(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

fn answer(request: Request, told: &Mutex<String>) {
    let path = request.url().split('?').next().unwrap_or_default();
    let is_read = matches!(request.method(), Method::Get | Method::Head);
    let (code, text) = match (is_read, path) {
        (false, _) => (405, "only GET and HEAD\n".to_string()),
        (true, PATH) => (200, told.lock().unwrap_or_else(PoisonError::into_inner).clone()),
        (true, _) => (404, format!("the metrics are at {PATH}\n")),
    };
    let kind = if code == 200 { OPENMETRICS } else { "text/plain; charset=utf-8" };
    let header = Header::from_bytes("Content-Type", kind).expect("a header of plain letters");
    let response = Response::from_string(text).with_status_code(code).with_header(header);
    // Whoever does not wait for the answer does not want it.
    let _ = request.respond(response);
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
