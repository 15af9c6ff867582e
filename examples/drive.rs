use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use wattline::virtual_board::silicon::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let session = Path::new(&args[1]);
    let _ = std::fs::remove_dir_all(session);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let options = AgentOptions {
        application: vec![],
        boot_epoch_ms: 1_000_000,
        cache_dir: Some(PathBuf::from("/tmp/sil/cache")),
    };
    let t0 = Instant::now();
    let jvm = agent_options(session, port, &options).unwrap();
    eprintln!("agent_options {:?}", t0.elapsed());
    let t0 = Instant::now();
    let mut child = Command::new("java").args(&jvm).args(&args[2..]).spawn().unwrap();
    let (stream, _) = listener.accept().unwrap();
    eprintln!("connected after {:?}", t0.elapsed());
    stream.set_nodelay(true).unwrap();
    let mut out = stream.try_clone().unwrap();
    let mut chip = open(session, &CostTable::raspberry_pi_5(), &SiliconOptions::default()).unwrap();
    let (mut clock, mut energy, mut bytes, mut calls) = (0u64, 0.0, 0u64, 0u64);
    let mut spent = std::time::Duration::ZERO;
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let t = Instant::now();
        let u = chip.advance();
        spent += t.elapsed();
        calls += 1;
        energy += u.energy_j;
        bytes += u.allocated_bytes;
        clock += (u.energy_j / 1.5 * 1e9) as u64;
        if let Some(n) = line.strip_prefix("sleep ") {
            clock += n.parse::<u64>().unwrap();
        }
        if line == "exit" {
            break;
        }
        out.write_all(format!("{clock}\n").as_bytes()).unwrap();
    }
    let status = child.wait().unwrap();
    eprintln!(
        "{status} after {:?}; clock {clock} ns, {calls} calls, advance {:?} each",
        t0.elapsed(),
        spent / calls.max(1) as u32
    );
    println!("energy {energy:?} J, {bytes} bytes allocated");
    chip.write_truth(&session.join("truth")).unwrap();
}
