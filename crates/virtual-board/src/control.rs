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

/// Listens on the socket inside the root until the board stops. Only the board's own processes can
/// connect, and only their commands are served.
pub(super) fn start(machine: Arc<Machine>) -> io::Result<()> {
    let path = machine.state.root().join(SOCKET.trim_start_matches('/'));
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    machine.state.folder.user().take_ownership(&path)?;
    std::thread::Builder::new().name("board".into()).spawn(move || {
        for connection in listener.incoming().flatten() {
            if machine.state.clock.is_stopped() {
                return;
            }
            let machine = machine.clone();
            // Without a thread the command sees its connection close.
            std::thread::Builder::new()
                .name("command".into())
                .spawn(move || serve_command(connection, &machine).ok())
                .ok();
        }
    })?;
    Ok(())
}

/// Wakes the listening thread, which then sees that the board has stopped.
pub(super) fn stop(machine: &Machine) {
    UnixStream::connect(machine.state.root().join(SOCKET.trim_start_matches('/'))).ok();
}

/// Process number of the peer of a connection and of its parent; an error for a process that is not
/// the board's.
fn caller_pids(user: BoardUser, connection: &UnixStream) -> io::Result<(u32, u32)> {
    let peer = socket_peercred(connection)?;
    if !user.owns_process_of(peer.uid.as_raw()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let pid = peer.pid.as_raw_nonzero().get().unsigned_abs();
    Ok((pid, proc_state::parent_process(pid).unwrap_or_default()))
}

/// Reads a command from a connection, runs it and sends its reply.
fn serve_command(mut connection: UnixStream, machine: &Machine) -> io::Result<()> {
    let caller = caller_pids(machine.state.folder.user(), &connection)?;
    let request = CommandRequest::read_from(&mut connection, caller)?;
    machine.state.spend_command_energy();
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
