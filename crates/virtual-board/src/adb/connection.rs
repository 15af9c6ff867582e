//! One connection of an adb host: authentication, the exchange of banners, then packets to and from
//! its streams.

use std::collections::HashMap;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::keys::CHALLENGE_BYTES;
use super::packet::{AdbPacket, PAYLOAD_MAX, PacketCommand};
use super::stream::{PacketSink, ServiceStream};
use super::{AdbDevice, AdbdGeneration, service};
use crate::secret::random_bytes;
use crate::unauthenticated::DeadlineReader;

/// ADB protocol version 0x01000000, whose peers verify checksums; peers of 0x01000001 skip them.
const VERSION_CHECKED: u32 = 0x0100_0000;
const VERSION_UNCHECKED: u32 = 0x0100_0001;

/// Largest packet payload of Android 4.x, in bytes.
const LEGACY_PAYLOAD_MAX: usize = 4096;

/// Feature list in the banner of a modern board: exactly what the board supports.
const FEATURES: &str = "shell_v2,cmd,fixed_push_mkdir";

/// Sending half of a connection's socket with the negotiated payload limit, shared by all streams.
struct SocketPacketSink {
    socket: Mutex<TcpStream>,
    payload_max: AtomicUsize,
}

impl PacketSink for SocketPacketSink {
    fn send(&self, packet: &AdbPacket) -> io::Result<()> {
        let mut socket = self.socket.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        packet.write_to(&mut *socket)
    }

    fn payload_max(&self) -> usize {
        self.payload_max.load(Ordering::Relaxed)
    }
}

/// Open streams of a connection by the board's stream number.
type Streams = Mutex<HashMap<u32, Arc<ServiceStream>>>;

/// Meaning of `arg0` of an AUTH packet: a challenge, or a signature.
const AUTH_TOKEN: u32 = 1;
const AUTH_SIGNATURE: u32 = 2;

/// Real time in which a host must authenticate, and the number of keys it may try.
const AUTH_TIME: Duration = Duration::from_secs(20);
const AUTH_TRIES: usize = 64;

/// Authenticates a host by signed challenges and returns its CONNECT packet; `None` refuses the
/// host. A host without an authorized key waits until `AUTH_TIME` is over, as on a phone whose
/// owner does not answer. Nothing else that it sends is read before.
pub(super) fn authenticate_host(
    socket: &mut TcpStream,
    device: &AdbDevice,
) -> io::Result<Option<AdbPacket>> {
    let end = Instant::now() + AUTH_TIME;
    let mut banner = None;
    let mut challenge = None;
    for _ in 0..AUTH_TRIES {
        let packet = AdbPacket::read_from(&mut DeadlineReader { socket, end }, LEGACY_PAYLOAD_MAX)?;
        match packet.command {
            PacketCommand::Connect => banner = Some(packet),
            PacketCommand::Auth if packet.arg0 == AUTH_SIGNATURE => {
                let signed = |challenge| device.keys.have_signed(challenge, &packet.payload);
                if challenge.as_ref().is_some_and(signed) {
                    socket.set_read_timeout(None)?;
                    return Ok(banner);
                }
            }
            // Its public key, for the owner to accept.
            PacketCommand::Auth => continue,
            _ => return Ok(None),
        }
        let fresh = random_bytes::<CHALLENGE_BYTES>()?;
        let payload = fresh.to_vec();
        AdbPacket { command: PacketCommand::Auth, arg0: AUTH_TOKEN, arg1: 0, payload }
            .write_to(socket)?;
        challenge = Some(fresh);
    }
    Ok(None)
}

/// Serves an authenticated host until it hangs up; then every stream ends.
pub(super) fn serve(mut socket: &mut TcpStream, device: &Arc<AdbDevice>, banner: &AdbPacket) {
    let Ok(copy) = socket.try_clone() else { return };
    socket.set_nodelay(true).ok();
    let own_max = board_payload_max(device.mode);
    let sender =
        Arc::new(SocketPacketSink { socket: Mutex::new(copy), payload_max: own_max.into() });
    let streams = Arc::new(Streams::default());
    let mut next_stream = 1;
    if send_banner(&sender, device, banner).is_err() {
        return;
    }
    while let Ok(packet) = AdbPacket::read_from(&mut socket, PAYLOAD_MAX) {
        let answered = match packet.command {
            PacketCommand::Connect => send_banner(&sender, device, &packet),
            PacketCommand::Open => {
                next_stream += 1;
                open_stream(next_stream, &sender, device, &streams, packet)
            }
            PacketCommand::Auth => Ok(()),
            _ => deliver_packet(&streams, packet),
        };
        if answered.is_err() {
            break;
        }
    }
    for stream in lock(&streams).values() {
        stream.hang_up();
    }
}

/// Largest payload in bytes that adbd of a generation accepts.
fn board_payload_max(mode: AdbdGeneration) -> usize {
    match mode {
        AdbdGeneration::Modern => PAYLOAD_MAX,
        AdbdGeneration::Legacy => LEGACY_PAYLOAD_MAX,
    }
}

/// Answers the host's CONNECT packet with the board's banner and stores the smaller payload limit.
fn send_banner(
    sender: &SocketPacketSink,
    device: &AdbDevice,
    packet: &AdbPacket,
) -> io::Result<()> {
    let own_max = board_payload_max(device.mode);
    let peer_max = (packet.arg1 as usize).max(LEGACY_PAYLOAD_MAX);
    sender.payload_max.store(own_max.min(peer_max), Ordering::Relaxed);
    let model = &device.model;
    let names = format!(
        "device::ro.product.name={model};ro.product.model={model};ro.product.device={model};"
    );
    let (version, banner) = match device.mode {
        AdbdGeneration::Modern => (VERSION_UNCHECKED, format!("{names}features={FEATURES}")),
        AdbdGeneration::Legacy => (VERSION_CHECKED, format!("{names}\0")),
    };
    let payload = banner.into_bytes();
    let arg1 = u32::try_from(own_max).map_err(io::Error::other)?;
    sender.send(&AdbPacket { command: PacketCommand::Connect, arg0: version, arg1, payload })
}

/// Opens a stream to the service that an OPEN packet names, or closes it where there is no such
/// service.
fn open_stream(
    local: u32,
    sender: &Arc<SocketPacketSink>,
    device: &Arc<AdbDevice>,
    streams: &Arc<Streams>,
    packet: AdbPacket,
) -> io::Result<()> {
    let remote = packet.arg0;
    let name = String::from_utf8_lossy(&packet.payload);
    let name = name.trim_end_matches('\0');
    let Some(service) = service::Service::parse(name, device.mode) else {
        let close =
            AdbPacket { command: PacketCommand::Close, arg0: 0, arg1: remote, payload: vec![] };
        return sender.send(&close);
    };
    let stream = Arc::new(ServiceStream::accept(local, remote, sender.clone())?);
    lock(streams).insert(local, stream.clone());
    let (device, streams) = (device.clone(), streams.clone());
    std::thread::Builder::new().name(format!("adb stream {local}")).spawn(move || {
        (device.on_stream_opened)();
        service::serve(&service, &stream, &device);
        stream.close();
        lock(&streams).remove(&local);
    })?;
    Ok(())
}

/// Passes a packet on to its stream; drops a packet whose stream has ended.
fn deliver_packet(streams: &Streams, packet: AdbPacket) -> io::Result<()> {
    let stream = lock(streams).get(&packet.arg1).cloned();
    if let Some(stream) = stream {
        match packet.command {
            PacketCommand::Okay => stream.note_acknowledged(),
            PacketCommand::Write => stream.deliver(packet.payload),
            _ => stream.hang_up(),
        }
    }
    Ok(())
}

fn lock(streams: &Streams) -> std::sync::MutexGuard<'_, HashMap<u32, Arc<ServiceStream>>> {
    streams.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
