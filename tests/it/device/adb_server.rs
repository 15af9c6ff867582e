//! An adb server that says what a test tells it to: both shells, lost connections, silence.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use wattline::device::{AdbBoard, Board, CancelFlag, DeviceError, Server, ShellMode, list_boards};

/// What the board's shell does with a command.
#[derive(Clone, Copy)]
enum Shell {
    /// Frames: output, errors, exit code.
    V2 { stdout: &'static str, stderr: &'static str, code: u8 },
    /// Half of an answer, then the connection ends.
    V2Lost,
    /// A frame no shell sends.
    V2Garbage,
    /// What a terminal shows, and the exit code behind the mark of the command.
    Legacy { shown: &'static str, code: u8 },
    /// The same, but the connection ends before the mark.
    LegacyLost,
    /// Nothing, for a long time.
    Silent,
    /// Output without an end, in frames.
    V2Endless,
    /// The same of a terminal.
    LegacyEndless,
}

/// Starts a server that serves any number of connections for the test's life.
fn server(shell: Shell) -> Server {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(address) = listener.local_addr().unwrap() else { panic!("not IPv4") };
    thread::spawn(move || {
        for connection in listener.incoming() {
            thread::spawn(move || serve(connection.unwrap(), shell));
        }
    });
    Server { address }
}

fn serve(mut stream: TcpStream, shell: Shell) {
    while let Some(service) = read_service(&mut stream) {
        let features = match shell {
            Shell::Legacy { .. } | Shell::LegacyLost | Shell::LegacyEndless => "",
            _ => "cmd,shell_v2",
        };
        match service.as_str() {
            "host:devices-l" => {
                answer(&mut stream, "board1\tdevice model:M\nusb\tno permissions; see [u]\n")
            }
            "host-serial:board1:get-state" => answer(&mut stream, "device"),
            "host-serial:board1:features" => answer(&mut stream, features),
            "host:transport:board1" => stream.write_all(b"OKAY").unwrap(),
            command if command.starts_with("shell") => {
                stream.write_all(b"OKAY").unwrap();
                return run(stream, shell, command);
            }
            other => {
                let message = format!("device '{other}' not found");
                stream.write_all(format!("FAIL{:04x}{message}", message.len()).as_bytes()).unwrap();
                return;
            }
        }
    }
}

fn read_service(stream: &mut TcpStream) -> Option<String> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let length = usize::from_str_radix(std::str::from_utf8(&length).ok()?, 16).ok()?;
    let mut service = vec![0; length];
    stream.read_exact(&mut service).ok()?;
    String::from_utf8(service).ok()
}

fn answer(stream: &mut TcpStream, text: &str) {
    stream.write_all(format!("OKAY{:04x}{text}", text.len()).as_bytes()).unwrap();
}

fn frame(channel: u8, bytes: &[u8]) -> Vec<u8> {
    [&[channel][..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn run(mut stream: TcpStream, shell: Shell, command: &str) {
    match shell {
        Shell::V2 { stdout, stderr, code } => {
            assert!(command.starts_with("shell,v2,raw:"), "{command}");
            let mut close_stdin = [0; 5];
            stream.read_exact(&mut close_stdin).unwrap();
            assert_eq!(close_stdin[0], 4, "standard input is closed");
            let (half, rest) = stdout.split_at(stdout.len() / 2);
            for part in [frame(1, half.as_bytes()), frame(2, stderr.as_bytes())] {
                stream.write_all(&part).unwrap();
            }
            stream.write_all(&frame(1, rest.as_bytes())).unwrap();
            stream.write_all(&frame(3, &[code])).unwrap();
        }
        Shell::V2Lost => stream.write_all(&frame(1, b"half of it")[..9]).unwrap(),
        Shell::V2Garbage => stream.write_all(&frame(77, b"?")).unwrap(),
        Shell::Legacy { shown, code } => {
            assert!(command.starts_with("shell:("), "{command}");
            let mark = command.rsplit_once("echo \"").unwrap().1.strip_suffix("$?\"").unwrap();
            stream.write_all(format!("{shown}{mark}{code}\r\n").as_bytes()).unwrap();
        }
        Shell::LegacyLost => stream.write_all(b"some output\r\n").unwrap(),
        Shell::Silent => thread::sleep(Duration::from_secs(5)),
        Shell::V2Endless => {
            let part = frame(1, &vec![b'y'; 1 << 20]);
            while stream.write_all(&part).is_ok() {}
        }
        Shell::LegacyEndless => while stream.write_all(&vec![b'y'; 1 << 20]).is_ok() {},
    }
}

fn open(shell: Shell) -> AdbBoard {
    AdbBoard::open(server(shell), "board1", CancelFlag::default()).unwrap()
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn the_new_shell_gives_both_outputs_and_the_exit_code() {
    let board = open(Shell::V2 { stdout: "out\r\n", stderr: "err\n", code: 3 });
    let output = board.shell("x", SECOND).unwrap();
    // A carriage return is the command's own here: nothing is stripped.
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\r\n", "err\n"));
    assert_eq!(output.exit_code, 3);
    let failed = output.success(&board, "x").unwrap_err();
    assert!(failed.to_string().contains("exit code 3"), "{failed}");
}

#[test]
fn the_old_shell_gives_the_exit_code_behind_the_mark() {
    let board = open(Shell::Legacy { shown: "a\r\nb\r\n", code: 42 });
    assert_eq!(board.shell_mode().unwrap(), ShellMode::Legacy);
    let output = board.shell("exit 42", SECOND).unwrap();
    assert_eq!((output.stdout.as_str(), output.exit_code), ("a\nb\n", 42));
    let long = board.shell(&"x".repeat(5000), SECOND).unwrap_err();
    assert!(matches!(long, DeviceError::CommandTooLong { length: 5000, .. }), "{long}");
}

#[test]
fn a_connection_that_ends_early_is_lost_in_both_shells() {
    for shell in [Shell::V2Lost, Shell::LegacyLost] {
        let end = open(shell).shell("x", SECOND);
        assert!(matches!(end, Err(DeviceError::Lost { .. })), "{end:?}");
    }
    let end = open(Shell::V2Garbage).shell("x", SECOND);
    assert!(matches!(end, Err(DeviceError::Garbled { .. })), "{end:?}");
}

#[test]
fn silence_ends_by_the_deadline_or_the_flag() {
    let began = Instant::now();
    let end = open(Shell::Silent).shell("x", Duration::from_millis(150));
    assert!(matches!(end, Err(DeviceError::TimedOut { .. })), "{end:?}");
    let flag = CancelFlag::default();
    let board = AdbBoard::open(server(Shell::Silent), "board1", flag.clone()).unwrap();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        flag.cancel();
    });
    let end = board.shell("x", 60 * SECOND);
    assert!(matches!(end, Err(DeviceError::Cancelled { .. })), "{end:?}");
    assert!(began.elapsed() < 2 * SECOND, "{:?}", began.elapsed());
}

#[test]
fn boards_that_are_not_there_are_named_with_the_remedy() {
    let server = server(Shell::Silent);
    let end = AdbBoard::open(server, "other", CancelFlag::default()).unwrap_err();
    assert!(matches!(end, DeviceError::NotReady { .. }), "{end}");
    assert!(end.to_string().contains("other") && end.to_string().contains("adb connect"), "{end}");
}

#[test]
fn a_board_without_permissions_does_not_hide_the_others() {
    let boards = list_boards(server(Shell::Silent)).unwrap();
    let states: Vec<&str> = boards.iter().map(|board| board.state.as_str()).collect();
    assert_eq!(states, ["device", "no permissions; see [u]"]);
}

#[test]
fn a_board_that_never_stops_printing_is_left() {
    for shell in [Shell::V2Endless, Shell::LegacyEndless] {
        let board = AdbBoard::open(server(shell), "board1", CancelFlag::default()).unwrap();
        let end = board.shell("yes", Duration::from_secs(300)).unwrap_err();
        assert!(matches!(end, DeviceError::TooMuch { .. }), "{end}");
        assert!(end.to_string().contains("bytes of a board's output"), "{end}");
    }
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_a_timeout() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, port) };
    let flag = CancelFlag::default();
    let canceller = flag.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        canceller.cancel();
    });
    let end = AdbBoard::open(server, "board1", flag);
    assert!(matches!(end, Err(DeviceError::Cancelled { .. })), "{end:?}");
}
