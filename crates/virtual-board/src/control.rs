//! The board's socket, on which its commands arrive: one thread per command.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;

use rustix::net::sockopt::socket_peercred;

use super::commands;
use super::commands::reply::Reply;
use super::machine::Machine;
use super::proc_state;
use super::user::BoardUser;
use super::wire::{CommandRequest, ReplyFrame, SOCKET};

/// Listens inside the root until the board stops. Only the board's own processes can connect,
/// and only they are heard.
pub(super) fn start(machine: Arc<Machine>) -> io::Result<()> {
    let path = machine.state.root().join(SOCKET.trim_start_matches('/'));
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    machine.state.folder.user().adopt(&path)?;
    std::thread::Builder::new().name("board".into()).spawn(move || {
        for connection in listener.incoming().flatten() {
            if machine.state.clock.is_stopped() {
                return;
            }
            let machine = machine.clone();
            // Without a thread the command sees its connection close.
            std::thread::Builder::new()
                .name("command".into())
                .spawn(move || serve(connection, &machine).ok())
                .ok();
        }
    })?;
    Ok(())
}

/// Wakes the listening thread, which then sees that the board has stopped.
pub(super) fn stop(machine: &Machine) {
    UnixStream::connect(machine.state.root().join(SOCKET.trim_start_matches('/'))).ok();
}

/// The process number of who is at the other end, and its parent's.
fn caller(user: BoardUser, connection: &UnixStream) -> io::Result<(u32, u32)> {
    let peer = socket_peercred(connection)?;
    if !user.is_known(peer.uid.as_raw()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let pid = peer.pid.as_raw_nonzero().get().unsigned_abs();
    Ok((pid, proc_state::parent(pid).unwrap_or_default()))
}

fn serve(mut connection: UnixStream, machine: &Machine) -> io::Result<()> {
    let caller = caller(machine.state.folder.user(), &connection)?;
    let request = CommandRequest::read_from(&mut connection, caller)?;
    machine.state.spend_command();
    let answer = commands::run(machine, &request, &mut connection)?;
    if let Some(Reply { output, error, code }) = answer {
        if !output.is_empty() {
            ReplyFrame::Output(output.into_bytes()).write_to(&mut connection)?;
        }
        if !error.is_empty() {
            ReplyFrame::Error(error.into_bytes()).write_to(&mut connection)?;
        }
        ReplyFrame::Exit(code).write_to(&mut connection)?;
    }
    Ok(())
}
