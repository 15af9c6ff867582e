//! What this machine gives the tests: tools, and an adb server that disturbs nobody.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

/// What a virtual board needs.
pub const BOARD_TOOLS: [&str; 3] = ["adb", "mksh", "toybox"];

/// What a campaign on one needs.
pub const CAMPAIGN_TOOLS: [&str; 4] = ["adb", "mksh", "toybox", "javac"];

/// Whether all are there; says which is not.
pub fn has(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |tool: &str| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    let missing = tools.iter().find(|tool| !there(tool));
    if let Some(tool) = missing {
        println!("skipped: {tool} is not on the PATH");
    }
    missing.is_none()
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Ends the adb server on a port.
pub fn kill_server(port: u16) {
    let mut kill = Command::new("adb");
    kill.args(["-P", &port.to_string(), "kill-server"]);
    kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok();
}

/// A port for an adb server of the test's own, which whoever needs it starts; ended with this.
pub struct AdbServer {
    pub port: u16,
}

impl AdbServer {
    pub fn new() -> AdbServer {
        AdbServer { port: free_port() }
    }

    /// The program, which finds boards by this server, in the project's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        command
    }

    /// The same, run to its end.
    pub fn wattline(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

impl Drop for AdbServer {
    fn drop(&mut self) {
        kill_server(self.port);
    }
}

/// The exit code, and what was said on both outputs.
pub fn answer(output: Output) -> (Option<i32>, String) {
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}
