//! Who called, virtual threads, the agent as one jar, and figures over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use super::*;

/// Each stack's frames and microjoules.
fn stacks(text: &str) -> Vec<(Vec<&str>, u64)> {
    text.lines()
        .map(|line| {
            let (frames, weight) = line.rsplit_once(' ').unwrap();
            (frames.split(';').collect(), weight.parse().unwrap())
        })
        .collect()
}

/// Samples say who called, in stacks that add up to the methods.
pub fn are_in_stacks(shares: &Shares) {
    let folder = shares.folder.path().join("rec");
    let text = fs::read_to_string(folder.join("accounts/stacks.collapsed")).unwrap();
    let stacks = stacks(&text);
    let of_methods: f64 = shares
        .methods
        .iter()
        .filter(|row| row["class"] != "(unattributed)")
        .map(|row| number(row, "energy_j"))
        .sum();
    let all: u64 = stacks.iter().map(|(_, weight)| weight).sum();
    let lost = stacks.len() as f64 * 1e-6;
    assert!((all as f64 * 1e-6 - of_methods).abs() < lost + 1e-5, "{all} and {of_methods}");
    let calls = ["main", "Shares.main", "Shares.run", "Shares.small"];
    assert!(stacks.iter().any(|(frames, _)| frames[..] == calls), "{text}");
    let report = Command::new(WATTLINE).arg("report").arg(&folder).output().unwrap();
    assert!(report.status.success(), "{report:?}");
    let html = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        html.contains("Flame graph by thread and calls") && html.contains("<svg class=\"flame\"")
    );
    let name = folder.to_str().unwrap();
    let export = Command::new(WATTLINE).args(["export", name, "--format", "collapsed"]).output();
    assert!(export.unwrap().status.success());
    assert_eq!(fs::read_to_string(folder.join("energy.collapsed")).unwrap(), text);
}

#[test]
fn virtual_threads_have_their_carriers_processor_time() {
    let Ok(jdk) = Jdk::find() else {
        return crate::skip::because("no JDK");
    };
    let version = Command::new(&jdk.javac).arg("-version").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let release = version.trim_start_matches("javac ").split('.').next().unwrap().trim();
    if release.parse::<u32>().unwrap() < 21 {
        return crate::skip::outside(format!("JDK {release} has no virtual threads; 21 does"));
    }
    for options in [&["--period-ms", "10"][..], &["--mode", "instrumentation", "--period-ms", "10"]]
    {
        let Some(done) = Shares::record(&["Virtual", "6"], options, &[]) else { return };
        done.are_its_own_within(0.12, &["heavy", "light"]);
        let own = done.of("heavy", "share") + done.of("light", "share");
        assert!(own > 0.35, "{:?}", done.methods);
        if options.contains(&"instrumentation") {
            assert_eq!(
                done.of("heavy", "executions"),
                done.printed("rounds"),
                "{:?}",
                done.methods
            );
        }
    }
}

#[test]
fn a_jvm_with_the_agents_one_jar_is_measured_by_its_link() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (jar, link, out) = (path("agent.jar"), path("jvm.link"), path("rec"));
    let written = monitor(&["--agent-jar", &jar]);
    assert!(written.status.success(), "{written:?}");
    let again = monitor(&["--agent-jar", &jar]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let agent = format!("-javaagent:{jar}=mode=instrumentation,include=Work:Other,link={link}");
    let mut command = Command::new(&jdk.java);
    command.args([&agent, "-cp", folder.path().to_str().unwrap(), "Work", "60"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let there = (0..1500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        Path::new(&link).exists()
    });
    assert!(there, "the agent says where it listens");
    for round in 0..2 {
        let output = monitor(&["--link", &link, "--duration", "3", "--out", &out, "--force"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{round}: {said}");
        let methods = rows(Path::new(&out).join("accounts/methods.csv"));
        assert!(number(method(&methods, "heavy()"), "executions") > 3.0, "{methods:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let gone = monitor(&["--link", &link, "--duration", "1"]);
    assert_eq!(gone.status.code(), Some(4), "{gone:?}");
    let bad = format!("-javaagent:{jar}=modus=x");
    let refused = Command::new(&jdk.java).args([&bad, "-version"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.success() && said.contains("`modus=x` is no option"), "{said}");
}

/// The status line, and what follows the head.
fn get(address: &str, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_string(), body.to_string())
}

/// Families are declared once and before their samples, counters end in `_total`, and the text
/// in its mark.
fn check_openmetrics(text: &str) {
    let (mut family, mut kind, mut seen) = (String::new(), String::new(), Vec::new());
    assert!(text.ends_with("# EOF\n"), "{text}");
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, what) = rest.split_once(' ').unwrap();
            assert!(!seen.contains(&name), "{name} twice");
            seen.push(name);
            (family, kind) = (name.to_string(), what.to_string());
        } else if !line.starts_with('#') {
            let suffix = if kind == "counter" { "_total" } else { "" };
            assert!(line.starts_with(&format!("{family}{suffix}{{")), "{line} of {family}");
            let value: f64 = line.rsplit_once(' ').unwrap().1.parse().unwrap();
            assert!(value.is_finite() && (value >= 0.0 || kind != "counter"), "{line}");
        }
    }
}

#[test]
fn energies_are_served_as_counters() {
    let mut child = Command::new(WATTLINE)
        .args(["monitor", "--headless", "--tdp", "65", "--interval", "0.3"])
        .args(["--prometheus", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = lines.find_map(|line| Some(line.strip_prefix("metrics: http://")?.to_string()));
    let address = address.unwrap();
    let address = address.strip_suffix("/metrics").unwrap();
    let energy = || {
        let (head, text) = get(address, "/metrics");
        assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
        check_openmetrics(&text);
        let line = text.lines().find(|l| l.starts_with("wattline_part_energy_joules_total{"));
        line.map_or(0.0, |line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap())
    };
    let grows = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        energy() > 0.0
    });
    assert!(grows, "a cycle is told");
    let first = energy();
    let more = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        let now = energy();
        assert!(now >= first);
        now > first
    });
    assert!(more, "{first} J and no more");
    assert!(get(address, "/other").0.contains("404"));
    let taken = monitor(&["--prometheus", address, "--duration", "1"]);
    assert_eq!(taken.status.code(), Some(2), "{taken:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}
