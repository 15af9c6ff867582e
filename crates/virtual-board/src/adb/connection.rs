//! One connection of a host: its signature, the banner, then packets to and from its streams.

use std::collections::HashMap;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::keys::CHALLENGE_BYTES;
use super::packet::{AdbPacket, PAYLOAD_MAX, PacketCommand};
use super::stream::{ServiceStream, Wire};
use super::{AdbdGeneration, Device, service};
use crate::secret::random_bytes;
use crate::strangers::Until;

/// Protocol version whose peers check sums; 0x01000001 peers skip them.
const VERSION_CHECKED: u32 = 0x0100_0000;
const VERSION_UNCHECKED: u32 = 0x0100_0001;

/// Largest payload of Android 4.x.
const LEGACY_PAYLOAD_MAX: usize = 4096;

/// What a modern board can do, and nothing more.
const FEATURES: &str = "shell_v2,cmd,fixed_push_mkdir";

/// The socket's sending half, shared by all streams.
struct Sender {
    socket: Mutex<TcpStream>,
    payload_max: AtomicUsize,
}

impl Wire for Sender {
    fn send(&self, packet: &AdbPacket) -> io::Result<()> {
        let mut socket = self.socket.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        packet.write_to(&mut *socket)
    }

    fn payload_max(&self) -> usize {
        self.payload_max.load(Ordering::Relaxed)
    }
}

type Streams = Mutex<HashMap<u32, Arc<ServiceStream>>>;

/// What an AUTH packet holds.
const AUTH_TOKEN: u32 = 1;
const AUTH_SIGNATURE: u32 = 2;

/// How long a host may take to show whose it is, and how many of its keys it may try.
const AUTH_TIME: Duration = Duration::from_secs(20);
const AUTH_TRIES: usize = 64;

/// Lets a host in that has one of the board's keys; the rest of them is cut off, or, as on a
/// phone whose owner does not answer, waits until its time is over. Nothing that it sends is
/// looked at before.
pub(super) fn let_in(socket: &mut TcpStream, device: &Device) -> io::Result<Option<AdbPacket>> {
    let end = Instant::now() + AUTH_TIME;
    let mut banner = None;
    let mut challenge = None;
    for _ in 0..AUTH_TRIES {
        let packet = AdbPacket::read_from(&mut Until { socket, end }, LEGACY_PAYLOAD_MAX)?;
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

/// Serves a host that was let in until it hangs up; then every stream ends.
pub(super) fn serve(mut socket: &mut TcpStream, device: &Arc<Device>, banner: &AdbPacket) {
    let Ok(copy) = socket.try_clone() else { return };
    socket.set_nodelay(true).ok();
    let own_max = own_payload_max(device.mode);
    let sender = Arc::new(Sender { socket: Mutex::new(copy), payload_max: own_max.into() });
    let streams = Arc::new(Streams::default());
    let mut next_stream = 1;
    if connect(&sender, device, banner).is_err() {
        return;
    }
    while let Ok(packet) = AdbPacket::read_from(&mut socket, PAYLOAD_MAX) {
        let answered = match packet.command {
            PacketCommand::Connect => connect(&sender, device, &packet),
            PacketCommand::Open => {
                next_stream += 1;
                open(next_stream, &sender, device, &streams, packet)
            }
            PacketCommand::Auth => Ok(()),
            _ => deliver(&streams, packet),
        };
        if answered.is_err() {
            break;
        }
    }
    for stream in lock(&streams).values() {
        stream.hang_up();
    }
}

fn own_payload_max(mode: AdbdGeneration) -> usize {
    match mode {
        AdbdGeneration::Modern => PAYLOAD_MAX,
        AdbdGeneration::Legacy => LEGACY_PAYLOAD_MAX,
    }
}

/// Answers the host's banner with the board's.
fn connect(sender: &Sender, device: &Device, packet: &AdbPacket) -> io::Result<()> {
    let own_max = own_payload_max(device.mode);
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

/// Opens a stream to a service, or refuses it.
fn open(
    local: u32,
    sender: &Arc<Sender>,
    device: &Arc<Device>,
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
        (device.opened)();
        service::serve(&service, &stream, &device);
        stream.close();
        lock(&streams).remove(&local);
    })?;
    Ok(())
}

/// Hands a packet to its stream; one for a stream that has ended is dropped.
fn deliver(streams: &Streams, packet: AdbPacket) -> io::Result<()> {
    let stream = lock(streams).get(&packet.arg1).cloned();
    if let Some(stream) = stream {
        match packet.command {
            PacketCommand::Okay => stream.acknowledged(),
            PacketCommand::Write => stream.deliver(packet.payload),
            _ => stream.hang_up(),
        }
    }
    Ok(())
}

fn lock(streams: &Streams) -> std::sync::MutexGuard<'_, HashMap<u32, Arc<ServiceStream>>> {
    streams.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
