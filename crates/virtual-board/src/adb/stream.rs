//! One stream of an ADB connection as a byte channel between host and service, with the protocol's
//! flow control. One write is in flight at a time; incoming data are acknowledged when the service
//! takes them; the last write's acknowledgement is never waited for.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex};

use super::packet::{AdbPacket, PacketCommand};

/// Sends packets of all streams of a connection to the host.
pub(super) trait PacketSink: Send + Sync {
    fn send(&self, packet: &AdbPacket) -> io::Result<()>;
    /// Largest payload of a packet in bytes.
    fn payload_max(&self) -> usize;
}

/// Stream between a service and the host.
pub(super) struct ServiceStream {
    local: u32,
    remote: u32,
    wire: Arc<dyn PacketSink>,
    inbox: Mutex<Inbox>,
    changed: Condvar,
}

/// Data from the host that the service has not taken, and the flow control of a stream.
#[derive(Default)]
struct Inbox {
    data: VecDeque<Vec<u8>>,
    /// Whether a write may be sent: the one before was acknowledged.
    ready: bool,
    /// Whether the host closed the stream, or the connection ended.
    closed: bool,
    /// Whether the service closed the stream.
    finished: bool,
}

impl ServiceStream {
    /// Accepts a stream that the host opened: sends OKAY and returns the stream.
    pub(super) fn accept(local: u32, remote: u32, wire: Arc<dyn PacketSink>) -> io::Result<Self> {
        wire.send(&AdbPacket {
            command: PacketCommand::Okay,
            arg0: local,
            arg1: remote,
            payload: vec![],
        })?;
        let inbox = Mutex::new(Inbox { ready: true, ..Inbox::default() });
        Ok(Self { local, remote, wire, inbox, changed: Condvar::new() })
    }

    /// Notes that the host acknowledged the last write.
    pub(super) fn note_acknowledged(&self) {
        self.update_inbox(|inbox| inbox.ready = true);
    }

    /// Queues data from the host for the service.
    pub(super) fn deliver(&self, data: Vec<u8>) {
        self.update_inbox(|inbox| inbox.data.push_back(data));
    }

    /// Ends the stream because the host closed it or is gone.
    pub(super) fn hang_up(&self) {
        self.update_inbox(|inbox| inbox.closed = true);
    }

    /// Waits until the host or the service has closed the stream.
    pub(super) fn wait_closed(&self) {
        let inbox = self.lock();
        drop(self.changed.wait_while(inbox, |inbox| !inbox.closed && !inbox.finished));
    }

    /// Whether the host closed the stream before the service did.
    pub(super) fn is_hung_up(&self) -> bool {
        let inbox = self.lock();
        inbox.closed && !inbox.finished
    }

    /// Takes the next data from the host, waiting for them; `None` at the end of the stream.
    pub(super) fn receive(&self) -> Option<Vec<u8>> {
        let data = {
            let inbox = self.lock();
            let wait =
                |inbox: &mut Inbox| inbox.data.is_empty() && !inbox.closed && !inbox.finished;
            let mut inbox = self.changed.wait_while(inbox, wait).ok()?;
            inbox.data.pop_front()?
        };
        self.send(PacketCommand::Okay, vec![]).ok()?;
        Some(data)
    }

    /// Sends all bytes to the host; waits for the acknowledgement of the write before, not of this
    /// one.
    pub(super) fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(self.wire.payload_max()) {
            let inbox = self.lock();
            let mut inbox = self
                .changed
                .wait_while(inbox, |inbox| !inbox.ready && !inbox.closed && !inbox.finished)
                .map_err(|_| io::Error::other("stream state lost"))?;
            if inbox.closed || inbox.finished {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            inbox.ready = false;
            drop(inbox);
            self.send(PacketCommand::Write, chunk.to_vec())?;
        }
        Ok(())
    }

    /// Closes the stream from the service's side; a second call does nothing.
    pub(super) fn close(&self) {
        let mut first = false;
        self.update_inbox(|inbox| first = !std::mem::replace(&mut inbox.finished, true));
        if first {
            // The host may be gone: then there is nobody to tell.
            self.send(PacketCommand::Close, vec![]).ok();
        }
    }

    fn send(&self, command: PacketCommand, payload: Vec<u8>) -> io::Result<()> {
        self.wire.send(&AdbPacket { command, arg0: self.local, arg1: self.remote, payload })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Changes the state of the stream under its lock and wakes all waiting threads.
    fn update_inbox(&self, act: impl FnOnce(&mut Inbox)) {
        act(&mut self.lock());
        self.changed.notify_all();
    }
}

/// Reader of the host's data of a stream as a byte sequence.
pub(super) struct StreamReader<'a> {
    stream: &'a ServiceStream,
    rest: VecDeque<u8>,
}

impl<'a> StreamReader<'a> {
    pub(super) fn new(stream: &'a ServiceStream) -> Self {
        Self { stream, rest: VecDeque::new() }
    }
}

impl Read for StreamReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.stream.receive() {
                Some(data) => self.rest.extend(data),
                None => return Ok(0),
            }
        }
        self.rest.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wire that remembers what was sent.
    #[derive(Default)]
    struct Recorder(Mutex<Vec<AdbPacket>>);

    impl PacketSink for Recorder {
        fn send(&self, packet: &AdbPacket) -> io::Result<()> {
            self.0.lock().unwrap().push(packet.clone());
            Ok(())
        }
        fn payload_max(&self) -> usize {
            4
        }
    }

    fn commands(wire: &Recorder) -> Vec<PacketCommand> {
        wire.0.lock().unwrap().iter().map(|packet| packet.command).collect()
    }

    #[test]
    fn one_write_is_in_flight_and_close_does_not_wait() {
        let wire = Arc::new(Recorder::default());
        let stream = Arc::new(ServiceStream::accept(1, 2, wire.clone()).unwrap());
        let writer = {
            let stream = stream.clone();
            std::thread::spawn(move || {
                stream.write_all(b"abcdef").unwrap();
                stream.close();
            })
        };
        while commands(&wire).len() < 2 {
            std::thread::yield_now();
        }
        assert_eq!(commands(&wire), [PacketCommand::Okay, PacketCommand::Write]);
        stream.note_acknowledged();
        writer.join().unwrap();
        let expected =
            [PacketCommand::Okay, PacketCommand::Write, PacketCommand::Write, PacketCommand::Close];
        assert_eq!(commands(&wire), expected);
        assert_eq!(wire.0.lock().unwrap()[2].payload, b"ef");
    }

    #[test]
    fn data_is_acknowledged_when_taken_and_the_end_is_seen() {
        let wire = Arc::new(Recorder::default());
        let stream = ServiceStream::accept(1, 2, wire.clone()).unwrap();
        stream.deliver(b"hello".to_vec());
        assert_eq!(commands(&wire), [PacketCommand::Okay]);
        let mut text = String::new();
        stream.hang_up();
        StreamReader::new(&stream).read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
        assert_eq!(commands(&wire), [PacketCommand::Okay, PacketCommand::Okay]);
        assert!(stream.write_all(b"x").is_err(), "a closed stream takes no data");
    }
}
