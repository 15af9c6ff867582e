//! What a program that is no JVM, a JVM that means no good, peers of an agent, and readers of
//! metrics may do to the monitor, and the agent to the JVM that it is in.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

use wattline_units::limits::{AGENT_LINE_BYTES, AGENT_READING_BYTES, METRICS_CONNECTIONS};

use super::*;

/// Both wait for a signal that they have no use for.
#[test]
fn a_program_that_is_no_jvm_lives_on_after_it_was_to_be_measured() {
    for script in ["exec sleep 600", "trap : QUIT; while :; do sleep 5; done"] {
        let mut program = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let pid = program.id().to_string();
        let output = monitor(&["--jvm", &pid, "--duration", "1"]);
        let said = words(&output.stderr);
        let is_alive = program.try_wait().unwrap().is_none();
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(is_alive, "{script}: {said}");
        assert!(!output.status.success() && said.contains("it is no JVM"), "{script}: {said}");
    }
}

/// A JVM's agent as one jar, in a folder of its own.
struct Host {
    folder: tempfile::TempDir,
    jdk: Jdk,
}

impl Host {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let jdk = program(folder.path())?;
        let jar = monitor_agent(&jdk).unwrap().one_jar().unwrap();
        fs::write(folder.path().join("agent.jar"), jar).unwrap();
        Some(Self { folder, jdk })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// A JVM with the agent, and nothing of this session around it.
    fn java(&self, options: &str) -> Command {
        let mut java = Command::new(&self.jdk.java);
        let agent = format!("-javaagent:{}={options}", self.path("agent.jar"));
        java.args([&agent, "-cp", &self.path("")]).env_remove("XDG_RUNTIME_DIR");
        java.env("XDG_CACHE_HOME", self.path("cache"));
        java
    }

    /// One that works until it is ended, once its link is there.
    fn working(&self, options: &str, link: &Path) -> Child {
        let mut java = self.java(options);
        java.args(["-Xmx96m", "-XX:+ExitOnOutOfMemoryError", "Work", "600"]);
        let child = java.stdout(Stdio::null()).spawn().unwrap();
        let is_there = (0..3000).any(|_| {
            thread::sleep(Duration::from_millis(20));
            link.exists()
        });
        assert!(is_there, "no {}", link.display());
        child
    }
}

/// Ends what a test has started, also where it fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn an_agent_that_fails_lets_the_application_go_on() {
    let Some(host) = Host::new() else { return };
    fs::create_dir(host.path("taken.link")).unwrap();
    fs::write(host.path("letter"), "port= is no link\n").unwrap();
    symlink(host.path("letter"), host.path("leads-away")).unwrap();
    let options = [
        ("modus=x", "`modus=x` is no option"),
        ("mode", "`mode` is no option"),
        ("mode=x", "sampling or instrumentation"),
        ("duty=many", "from 1 to 100"),
        ("link=TMP/missing/a.link", "its folder is missing"),
        ("link=TMP/taken.link", "no link file"),
        ("link=TMP/letter", "no link file"),
        ("link=TMP/leads-away", "no link file"),
    ];
    for (option, why) in options {
        let option = option.replace("TMP", host.path("").trim_end_matches('/'));
        let output = host.java(&option).arg("-version").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{option}: {said}");
        assert!(said.contains(why) && said.contains("goes on without it"), "{option}: {said}");
        let own = said.lines().filter(|line| line.starts_with("wattline: "));
        assert_eq!(own.count(), 1, "{option}: {said}");
    }
    assert_eq!(fs::read_to_string(host.path("letter")).unwrap(), "port= is no link\n");
    let settings = format!("-javaagent:{}", monitor_agent(&host.jdk).unwrap().agent.display());
    for argument in ["", "=/nowhere/settings"] {
        let mut java = Command::new(&host.jdk.java);
        let output = java.args([&format!("{settings}{argument}"), "-version"]).output().unwrap();
        assert!(output.status.success(), "{argument}: {output:?}");
    }
}

#[test]
fn a_link_and_its_socket_are_of_its_user_alone() {
    let Some(host) = Host::new() else { return };
    fs::create_dir(host.path("cache")).unwrap();
    let link = host.folder.path().join("a.link");
    // An earlier JVM that was killed has left it.
    fs::write(&link, "port=1\ntoken=ab\npid=7\n").unwrap();
    let child =
        Ended(host.working(
            &format!("link={}", link.display()),
            &host.folder.path().join("a.link.d/socket"),
        ));
    let is_new = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        fs::read_to_string(&link).unwrap().starts_with("socket=a.link.d/socket\n")
    });
    assert!(is_new, "{}", fs::read_to_string(&link).unwrap());
    assert_eq!((mode(&link), mode(host.path("a.link.d"))), (0o600, 0o700));
    let socket = host.path("a.link.d/socket");
    assert_eq!(mode(&socket), 0o600);
    assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
    let out = host.path("rec");
    let link = link.to_str().unwrap();
    let output = monitor(&["--link", link, "--duration", "2", "--out", &out]);
    assert!(output.status.success(), "{output:?}");
    drop(child);
    // Without a name it is in the cache, which nobody else may enter.
    let places = host.folder.path().join("cache/wattline/links");
    fs::create_dir(host.path("elsewhere")).unwrap();
    fs::create_dir(host.path("cache/wattline")).unwrap();
    let mut java = host.java("");
    let mut child = Ended(java.args(["Work", "600"]).stdout(Stdio::null()).spawn().unwrap());
    let named = places.join(format!("{}.link", child.0.id()));
    let is_there = (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(20));
        named.exists()
    });
    assert!(is_there && child.0.try_wait().unwrap().is_none());
    assert_eq!((mode(&named), mode(&places)), (0o600, 0o700));
}

/// More bytes than the JVM has memory, and more peers than it answers at once, each with a byte
/// at a time.
#[test]
fn peers_of_an_agent_neither_end_its_jvm_nor_keep_its_reader_out() {
    let Some(host) = Host::new() else { return };
    let link = host.folder.path().join("a.link");
    let mut child = Ended(host.working(&format!("listen=loopback,link={}", link.display()), &link));
    let text = fs::read_to_string(&link).unwrap();
    let port = text.lines().find_map(|line| line.strip_prefix("port=")).unwrap();
    let port: u16 = port.parse().unwrap();
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let part = vec![b'x'; 1 << 20];
    let mut flood = connect();
    let sent = (0..200).take_while(|_| flood.write_all(&part).is_ok()).count();
    assert!(sent < 200, "the agent has taken 200 MB");
    let mut slow: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    slow.iter_mut().for_each(|peer| drop(peer.write_all(b"x")));
    let trickle = thread::spawn(move || {
        for _ in 0..100 {
            thread::sleep(Duration::from_millis(50));
            slow.iter_mut().for_each(|peer| drop(peer.write_all(b"x")));
        }
        slow
    });
    let out = host.path("rec");
    let output = monitor(&["--link", link.to_str().unwrap(), "--duration", "2", "--out", &out]);
    assert!(output.status.success(), "{output:?}");
    assert!(child.0.try_wait().unwrap().is_none());
    for mut peer in trickle.join().unwrap() {
        peer.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let end = peer.read(&mut [0]);
        let is_closed = match &end {
            Ok(count) => *count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        };
        assert!(is_closed, "a handshake has an end: {end:?}");
    }
}

/// A JVM of whoever wrote the link file: the greeting, then the same bytes without end, each
/// part after a pause. Gives how many parts were taken.
fn hostile(
    folder: &Path,
    greeting: &'static str,
    part: &'static [u8],
    parts: usize,
    pause: u64,
) -> thread::JoinHandle<usize> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    fs::write(folder.join("a.link"), format!("port={port}\ntoken=ab\npid=1\n")).unwrap();
    thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        peer.write_all(greeting.as_bytes()).ok();
        let taken = (0..parts).take_while(|_| {
            thread::sleep(Duration::from_millis(pause));
            peer.write_all(part).is_ok()
        });
        taken.count()
    })
}

/// What was said, in one line.
fn words(said: &[u8]) -> String {
    String::from_utf8_lossy(said).split_whitespace().collect::<Vec<_>>().join(" ")
}

const GREETING: &str = "wattline-monitor 3 pid=1 mode=sampling java=17 now=5\n";

/// The monitor of a link, with little memory.
fn linked(folder: &Path) -> Output {
    let link = folder.join("a.link");
    let script = "ulimit -v 3000000; exec \"$@\"";
    let monitor = [WATTLINE, "monitor", "--headless", "--tdp", "65", "--duration", "1", "--link"];
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).args(monitor).arg(link);
    command.output().unwrap()
}

#[test]
fn a_jvm_that_sends_without_end_is_not_read_any_further() {
    let folder = tempfile::tempdir().unwrap();
    const PARTS: usize = 20_000;
    let lines: &[u8] = format!("problem {}\n", "x".repeat(1000)).repeat(60).into_bytes().leak();
    let byte: &[u8] = vec![b'x'; 60_000].leak();
    for (greeting, part, limit) in [
        ("", byte, AGENT_LINE_BYTES),
        (GREETING, byte, AGENT_LINE_BYTES),
        (GREETING, lines, AGENT_READING_BYTES),
    ] {
        let jvm = hostile(folder.path(), greeting, part, PARTS, 0);
        let output = linked(folder.path());
        let said = words(&output.stderr);
        assert!(output.status.code().is_some(), "{said}");
        assert!(said.contains(limit.name), "{said}");
        assert!(jvm.join().unwrap() < PARTS, "it was not read to its end");
    }
}

#[test]
fn a_jvm_that_sends_a_byte_at_a_time_is_given_up() {
    let given_up = |greeting| {
        let folder = tempfile::tempdir().unwrap();
        let jvm = hostile(folder.path(), greeting, b"x", 1200, 100);
        let output = linked(folder.path());
        let said = words(&output.stderr);
        assert!(output.status.code().is_some(), "{said}");
        assert!(said.contains("does not answer"), "{said}");
        assert!(jvm.join().unwrap() < 1200, "two minutes");
    };
    // Both wait for the same time.
    thread::scope(|scope| {
        for greeting in ["", GREETING] {
            scope.spawn(move || given_up(greeting));
        }
    });
}

#[test]
fn readers_of_metrics_neither_add_up_nor_keep_each_other_out() {
    let mut command = command(&["--prometheus", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let child = Ended(child);
    let address = lines.find_map(|line| Some(line.strip_prefix("metrics: http://")?.to_string()));
    let address = address.unwrap();
    let address = address.strip_suffix("/metrics").unwrap();
    let connect = || TcpStream::connect(address).unwrap();
    let part = [b"X: ".as_slice(), &vec![b'y'; 1 << 20]].concat();
    let mut endless = connect();
    endless.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
    let sent = (0..500).take_while(|_| endless.write_all(&part).is_ok()).count();
    assert!(sent < 500, "500 MB of a header were taken");
    let idle: Vec<TcpStream> = (0..300).map(|_| connect()).collect();
    let mut honest = connect();
    honest.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut text = String::new();
    honest.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("# EOF\n"), "{text}");
    let status = fs::read_to_string(format!("/proc/{}/status", child.0.id())).unwrap();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
    let threads: u64 = threads.trim().parse().unwrap();
    assert!(threads < METRICS_CONNECTIONS.most + 10, "{threads}");
    drop(idle);
}

/// Marks of activities, and counts that can't be written, are left out; the program goes on.
#[test]
fn what_a_program_says_of_its_activities_never_ends_it() {
    let Ok(jdk) = Jdk::find() else {
        return crate::skip::because("no JDK");
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let written = Command::new(WATTLINE).args(["activities", "api", "--out", out]).status();
    assert!(written.unwrap().success());
    let trace = "package android.os; public class Trace { \
                 public static void beginSection(String name) { throw new IllegalStateException(); } \
                 public static void endSection() { throw new IllegalStateException(); } }";
    let main = "public class Main { public static void main(String[] a) { \
                java.io.PrintStream out = System.out; System.setOut(null); \
                wattline.Activities.begin(\"x\"); wattline.Activities.bind(\"y\"); \
                wattline.Activities.end(); out.println(\"done\"); } }";
    fs::create_dir_all(folder.path().join("android/os")).unwrap();
    fs::write(folder.path().join("android/os/Trace.java"), trace).unwrap();
    fs::write(folder.path().join("Main.java"), main).unwrap();
    let mut javac = javac_at(&jdk.javac);
    javac.current_dir(folder.path()).args(["-d", "classes", "Main.java"]);
    let files = ["wattline/Activities.java", "android/os/Trace.java"];
    assert!(javac.args(files).status().unwrap().success());
    for property in ["-Dwattline.activities=out", "-Dwattline.activities=auto"] {
        let mut java = Command::new(&jdk.java);
        let java = java.current_dir(folder.path()).args([property, "-cp", "classes", "Main"]);
        let output = java.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{property}: {output:?}");
    }
}
