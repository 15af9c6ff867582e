//! Unix sockets that only this user can connect to.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Mode, fchmod};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};

use crate::toolchain::deadline_stream::connect_unix_socket;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 128;

/// How long a server may take to answer that it is there.
const ANSWER: Duration = Duration::from_secs(1);

/// Listens at a path; a socket that nobody answers at was left behind, and is replaced.
///
/// # Errors
/// `AddrInUse` where another process listens there; those of the system.
pub fn listen_at(path: &Path) -> io::Result<UnixListener> {
    if is_socket(path) {
        if is_served(path) {
            return Err(ErrorKind::AddrInUse.into());
        }
        fs::remove_file(path)?;
    }
    listener(path)
}

fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket())
}

/// Whether anybody listens at a socket; one whose queue is full does.
pub fn is_served(path: &Path) -> bool {
    match connect_unix_socket(path, ANSWER) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::TimedOut,
    }
}

/// A socket that is this user's alone from its first moment on: it is made with the mode that
/// its descriptor has.
fn listener(path: &Path) -> io::Result<UnixListener> {
    let kind = SocketType::STREAM;
    let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, BACKLOG)?;
    Ok(UnixListener::from(socket))
}
