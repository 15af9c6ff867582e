//! The virtual board's small Android, held against Android 14's own code: the same classes of a
//! program that says what it sees run in both, here by Robolectric, there by the board's classes,
//! and say the same, line by line. Without a JDK, or Robolectric by Maven, the test says that it
//! skips.
//!
//! Robolectric wants `androidx.test`, which Maven's central repository has not: in its place are
//! a few names of the test's own.

#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattline::toolchain::{Jdk, artifact, asm};
use wattline::virtual_board::android_framework;

use super::host::javac_at;

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/conformance");

/// Android 14, as Robolectric takes it, by the name under which that looks for it.
const ANDROID: (&str, &str) = (
    "org.robolectric:android-all-instrumented:14-robolectric-10818077-i6",
    "7d7c075c4194778786c3e00e7aaa4f44feb6a5be68c0b194f5043a762c3f0927",
);
const ANDROID_FILE: &str = "android-all-instrumented-14-robolectric-10818077-i6.jar";

/// Robolectric and what it can't do without; its ASM is the project's, which knows newer JDKs.
const ROBOLECTRIC: [(&str, &str); 20] = [
    (
        "org.robolectric:robolectric:4.13",
        "10006cb69518e3b29225368f4047d62f7e5a3cc0c3d9e228ff547abe40b70c6c",
    ),
    (
        "org.robolectric:annotations:4.13",
        "d813def0542230c510fb1a8f062f0e05e81b914878a4d961281437c99c177e21",
    ),
    (
        "org.robolectric:junit:4.13",
        "945e0ac1868aa8f6550e7021ad0e00efa00f25da5a62d12583d2dbe16117b63a",
    ),
    (
        "org.robolectric:shadowapi:4.13",
        "277b664d4829701314dd464dfea10ce74a0bd0b2b4811ae7dcc1c335e1b440c3",
    ),
    (
        "org.robolectric:pluginapi:4.13",
        "48a31c50c4cfd90b2f27b70ebc5d1946b4cc6dc94df275e4743c48c75ea6a25e",
    ),
    (
        "org.robolectric:resources:4.13",
        "a7231dd85420ef1db2b1c17da665fe12bef6b1d60f2010b7dfe349b695955fa6",
    ),
    (
        "org.robolectric:sandbox:4.13",
        "6536350562eb11ab289b1ac28423b5fdcfbfe090ef5e6360ce441333191d0cd5",
    ),
    (
        "org.robolectric:utils:4.13",
        "1f55e97fdcba5b4224e6f26744a86e8545888638747f738d2eec409e91eeda05",
    ),
    (
        "org.robolectric:utils-reflector:4.13",
        "d54286f22b0af6491064546326221b9c593ba2a72f0a6506caf86af23f549ccd",
    ),
    (
        "org.robolectric:shadows-framework:4.13",
        "101e89d6dd3379368b113fd50883b8a5546189f6695bcde9b188ba8459e83083",
    ),
    (
        "org.robolectric:nativeruntime:4.13",
        "2c3d6945cdf4b8569125d35c2ffc72444ba0cfde24717127becd56cb77e0dff5",
    ),
    (
        "org.robolectric:nativeruntime-dist-compat:1.0.12",
        "688d499acc8b33315c1f799cd9afb1f0486cd4605b89e3f8e7df72588365bccd",
    ),
    (
        "com.google.guava:guava:31.1-jre",
        "a42edc9cab792e39fe39bb94f3fca655ed157ff87a8af78e1d6ba5b07c4a00ab",
    ),
    (
        "com.google.code.findbugs:jsr305:3.0.2",
        "766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7",
    ),
    (
        "javax.inject:javax.inject:1",
        "91c77044a50c481636c32d916fd89c9118a72195390452c81065080f957de7ff",
    ),
    (
        "javax.annotation:javax.annotation-api:1.3.2",
        "e04ba5195bcd555dc95650f7cc614d151e4bcd52d29a10b8aa2197f3ab89ab9b",
    ),
    (
        "org.bouncycastle:bcprov-jdk18on:1.78.1",
        "add5915e6acfc6ab5836e1fd8a5e21c6488536a8c1f21f386eeb3bf280b702d7",
    ),
    (
        "org.conscrypt:conscrypt-openjdk-uber:2.5.2",
        "eaf537d98e033d0f0451cd1b8cc74e02d7b55ec882da63c88060d806ba89c348",
    ),
    ("junit:junit:4.13.2", "8e495b634469d64fb8acfa3495a065cbacc8a0fff55ce1e31007be4c16dc57d3"),
    (
        "org.hamcrest:hamcrest-core:1.3",
        "66fdef91e9739348df7a096aa384a5685f4e875584cce89386a7a47251c4d8e9",
    ),
];

/// What the program runs with.
struct Program {
    folder: tempfile::TempDir,
    jdk: Jdk,
    /// Android, then Robolectric and its libraries.
    android: PathBuf,
    robolectric: Vec<PathBuf>,
}

/// The program's classes, compiled once against Android; nothing where something is missing.
fn compiled() -> Option<Program> {
    if std::env::consts::ARCH != "x86_64" {
        crate::skip::outside("Robolectric has Android's graphics for no such Linux");
        return None;
    }
    let jdk = Jdk::find().map_err(crate::skip::because).ok()?;
    let fetch = |(name, hash)| artifact::fetch(name, hash).map_err(crate::skip::because).ok();
    let android = fetch(ANDROID)?;
    let mut robolectric = ROBOLECTRIC.into_iter().map(fetch).collect::<Option<Vec<_>>>()?;
    robolectric.extend(asm::commons_jars().map_err(crate::skip::because).ok()?);
    let folder = tempfile::tempdir().unwrap();
    let program = Program { folder, jdk, android, robolectric };
    let (clock, sources) = sources()
        .into_iter()
        .partition::<Vec<_>, _>(|path| path.file_name().is_some_and(|name| name == "Meter.java"));
    program.compile("program", &sources, &program.whole());
    program.compile("clock", &clock, &[]);
    Some(program)
}

fn sources() -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(HERE).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap().into_path());
    files.filter(|path| path.extension().is_some_and(|e| e == "java")).collect()
}

impl Program {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Robolectric, its libraries and Android.
    fn whole(&self) -> Vec<PathBuf> {
        self.robolectric.iter().chain([&self.android]).cloned().collect()
    }

    fn compile(&self, name: &str, sources: &[PathBuf], libraries: &[PathBuf]) {
        let mut javac = javac_at(&self.jdk.javac);
        javac.args(["-g", "--release", "11", "-nowarn", "-d"]).arg(self.at(name));
        let output = javac.arg("-cp").arg(joined(libraries)).args(sources).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The lines that a program says.
    fn lines(&self, options: &[String], path: &[PathBuf], words: &[&str]) -> Vec<String> {
        let mut java = Command::new(&self.jdk.java);
        java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]).args(options);
        let output = java.arg("-cp").arg(joined(path)).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}\n{said}");
        said.lines().filter_map(|line| line.strip_prefix("| ")).map(String::from).collect()
    }

    fn on_android(&self) -> Vec<String> {
        let place = self.at("android");
        fs::create_dir(&place).unwrap();
        symlink(&self.android, place.join(ANDROID_FILE)).unwrap();
        // Without these it would fetch Android by itself.
        let options = [
            "-Drobolectric.offline=true".to_owned(),
            format!("-Drobolectric.dependency.dir={}", place.display()),
            format!("-Djava.io.tmpdir={}", self.folder.path().display()),
        ];
        let path = [vec![self.at("program")], self.whole()].concat();
        self.lines(&options, &path, &["conformance.OnAndroid"])
    }

    fn on_board(&self, framework: PathBuf) -> Vec<String> {
        let data = self.at("data");
        fs::create_dir(&data).unwrap();
        let option = |name: &str, value: &str| format!("-Dwattline.board.{name}={value}");
        let options = [
            // The one that Robolectric gives to an application without a manifest.
            option("package", "org.robolectric.default"),
            option("data", &data.display().to_string()),
            option("reports", &self.at("reports").display().to_string()),
        ];
        let path = [self.at("clock"), framework, self.at("program")];
        let declared = ["conformance.Early", "conformance.Transcript"]
            .into_iter()
            .flat_map(|class| ["declared", class, class])
            .collect::<Vec<&str>>();
        let words = ["wattline.board.Zygote", "instrument", "conformance.OnBoard"];
        self.lines(&options, &path, &[&words[..], &declared].concat())
    }
}

fn joined(path: &[PathBuf]) -> OsString {
    std::env::join_paths(path.iter().map(|file| file.as_path() as &Path)).unwrap()
}

/// A few lines around the first one that differs, on both sides.
fn first_difference(android: &[String], board: &[String]) -> Option<String> {
    let both = android.len().max(board.len());
    let at = (0..both).find(|&line| android.get(line) != board.get(line))?;
    let near = |lines: &[String]| {
        let shown = lines.iter().skip(at.saturating_sub(3)).take(7);
        shown.fold(String::new(), |all, line| all + "  " + line + "\n")
    };
    Some(format!("line {}:\nAndroid\n{}the board\n{}", at + 1, near(android), near(board)))
}

#[test]
fn the_boards_android_does_what_androids_own_code_does() {
    let Some(program) = compiled() else { return };
    let android = program.on_android();
    let board = program.on_board(android_framework().unwrap());
    if let Some(difference) = first_difference(&android, &board) {
        panic!("{difference}");
    }
    assert!(android.len() > 800, "{android:#?}");
    println!("{} lines are the same", android.len());
}
