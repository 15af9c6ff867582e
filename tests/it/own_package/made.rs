//! An Android package as somebody's own build makes it: resources and a manifest by aapt2, two
//! DEX files, what else packages have, aligned, and signed by a key of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wattline::toolchain::android::{Packager, platform_jar};
use wattline::toolchain::{Jdk, jar};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::host::{copy_folder, has, javac, said};

pub const PACKAGE: &str = "org.example.notes";
/// What makes such a package.
const TOOLS: [&str; 5] = ["javac", "aapt2", "zipalign", "apksigner", "keytool"];
/// The oldest Android that it is for, as its manifest says.
const MIN_SDK: u32 = 21;

/// Its code: its own, and what its build leaves alone.
const CODE: [&str; 2] = ["classes.dex", "classes2.dex"];

/// What a run of the application needs beside its package.
pub const SCENARIO: &str = "name = 'notes'\n[application]\npackage = 'org.example.notes'\n\
    apk = 'notes.apk'\nSTART\n[[source]]\npath = 'src'\n[[source]]\npath = 'gen'\nrole = 'harness'\n\
    [[library]]\npath = 'keep.jar'\n\
    [[library]]\nmaven = 'com.google.android:android:4.1.1.4'\nrole = 'provided'\n\
    sha256 = '84072541cbb711eff89f7277100ff854929a446dba7ceb1b195c340e0b4fd3cb'\n\
    [board]\nfrequency_khz = 'leave'\n[session]\nduration_s = 4\nrest_s = 0\nextras = { size = '12' }\nSESSION\n\
    [campaign]\ncases = 4\nrepeats = 1\ndry_runs = 40\n[microbenchmarks]\nenabled = false\n\
    [[input]]\nname = 'two'\nSTEPS\n";
/// An instrumentation of the application in a package of its own.
const WATCHER_MANIFEST: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\"
    package=\"org.example.watcher\" android:versionCode=\"1\" android:versionName=\"1\">
  <uses-sdk android:minSdkVersion=\"21\" android:targetSdkVersion=\"34\"/>
  <instrumentation android:name=\".Watcher\" android:targetPackage=\"org.example.notes\"/>
  <application/>
</manifest>
";
/// Touches that open two notes, one after the other.
pub const STEPS: &str =
    "steps = [{ at_s = 1, tap = [640, 690] }, { at_s = 2.5, tap = [640, 690] }]";

/// A folder with the application's sources, scenario and package.
pub struct Notes {
    pub folder: tempfile::TempDir,
}

impl Notes {
    /// None, said aloud, where a tool is out of reach. `more` is what its package has beside code
    /// and resources, by name; stored, if its bytes begin with `=`.
    pub fn new(more: &[(&str, &[u8])]) -> Option<Notes> {
        static PARTS: OnceLock<PathBuf> = OnceLock::new();
        if !has(&TOOLS) {
            return None;
        }
        let platform = platform_jar().map_err(crate::skip::because).ok()?;
        let parts = PARTS.get_or_init(|| Notes::parts(&platform));
        let notes = Notes { folder: tempfile::tempdir().unwrap() };
        copy_folder(parts, notes.folder.path());
        let code = CODE.map(|name| (name, fs::read(notes.path(name)).unwrap()));
        notes.pack("base.apk", &code, more, "notes.apk");
        notes.write_scenario("", "", STEPS);
        Some(notes)
    }

    /// All that a package is made of, and the key. It stays in the folder for temporary files of
    /// the build until the next is made.
    fn parts(platform: &Path) -> PathBuf {
        let notes = Notes { folder: tempfile::tempdir().unwrap() };
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/own_package");
        for part in ["res", "src", "keep", "AndroidManifest.xml"] {
            notes.run("cp", &["-R", from.join(part).to_str().unwrap(), "."]);
        }
        let android = platform.to_str().unwrap();
        notes.link(".", "base.apk", android);
        let kept = notes.classes(&["keep"], android, "kept");
        fs::write(notes.path("keep.jar"), jar::pack(&[], &kept)).unwrap();
        let own = notes.classes(&["src", "gen"], &format!("{android}:kept"), "classes");
        let key = "-genkeypair -alias a -keyalg RSA -keysize 1024 -dname CN=own -validity 9000 \
                   -keystore own.p12 -storetype PKCS12 -storepass password";
        notes.run("keytool", &key.split_whitespace().collect::<Vec<_>>());
        for (name, bytes) in dex(platform, [(CODE[0], own), (CODE[1], kept)]) {
            fs::write(notes.path(name), bytes).unwrap();
        }
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-package");
        fs::remove_dir_all(&kept).ok();
        copy_folder(notes.folder.path(), &kept);
        kept
    }

    /// A package beside it with an instrumentation of it, of these resources and this class, by
    /// the same key.
    pub fn add_watcher(&self, values: &str, class: &str) {
        for (file, text) in [
            ("AndroidManifest.xml", WATCHER_MANIFEST),
            ("res/values/values.xml", values),
            ("src/Watcher.java", class),
        ] {
            let file = self.path("watcher").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let platform = platform_jar().unwrap();
        let android = platform.to_str().unwrap();
        self.link("watcher", "watcher-base.apk", android);
        let classes = self.classes(&["watcher/src"], android, "watcher/classes");
        let code = dex(&platform, [("classes.dex", classes)]);
        self.pack("watcher-base.apk", &code, &[], "watcher.apk");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The scenario with other lines in [application], [session] and the input.
    pub fn write_scenario(&self, start: &str, session: &str, steps: &str) {
        let text = SCENARIO.replace("START\n", start).replace("SESSION\n", session);
        fs::write(self.path("notes.toml"), text.replace("STEPS", steps)).unwrap();
    }

    /// A tool in the folder, which has to succeed; what it said.
    pub fn run(&self, tool: &str, words: &[&str]) -> String {
        let mut command = match tool {
            "javac" => javac(),
            _ => Command::new(tool),
        };
        let output = command.args(words).current_dir(self.folder.path()).output().unwrap();
        let said = said(&output);
        assert!(output.status.success(), "{tool} {words:?}: {said}");
        said
    }

    /// Resources and manifest of a folder as a package without code.
    fn link(&self, folder: &str, out: &str, android: &str) {
        let compile = format!("compile --dir {folder}/res -o {folder}/res.zip");
        self.run("aapt2", &compile.split(' ').collect::<Vec<_>>());
        let link = format!(
            "link --manifest {folder}/AndroidManifest.xml --java {folder}/gen -o {out} \
             {folder}/res.zip -I"
        );
        self.run("aapt2", &link.split(' ').chain([android]).collect::<Vec<_>>());
    }

    fn classes(&self, sources: &[&str], path: &str, out: &str) -> BTreeMap<String, Vec<u8>> {
        let files = sources.iter().flat_map(|source| java_files(&self.path(source)));
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let words = ["-nowarn", "--release", "8", "-cp", path, "-d", out].into_iter();
        self.run("javac", &words.chain(files.iter().map(String::as_str)).collect::<Vec<_>>());
        jar::read_folder(&self.path(out)).unwrap()
    }

    /// All together as a package, aligned and signed.
    fn pack(&self, base: &str, code: &[(&str, Vec<u8>)], more: &[(&str, &[u8])], out: &str) {
        let mut base = zip::ZipArchive::new(fs::File::open(self.path(base)).unwrap()).unwrap();
        let mut writer = ZipWriter::new(fs::File::create(self.path("whole.apk")).unwrap());
        for index in 0..base.len() {
            writer.raw_copy_file(base.by_index_raw(index).unwrap()).unwrap();
        }
        let code = code.iter().map(|(name, bytes)| (*name, bytes.as_slice()));
        for (name, bytes) in code.chain(more.iter().copied()) {
            let method = match bytes.first() {
                Some(b'=') => CompressionMethod::Stored,
                _ => CompressionMethod::Deflated,
            };
            let time = zip::DateTime::from_date_and_time(2024, 5, 6, 7, 8, 10).unwrap();
            let options = SimpleFileOptions::default().compression_method(method);
            writer.start_file(name, options.last_modified_time(time)).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap();
        self.run("zipalign", &["-f", "-p", "4", "whole.apk", out]);
        let words = "sign --ks own.p12 --ks-pass pass:password --v1-signing-enabled true \
                     --v2-signing-enabled true --v3-signing-enabled true";
        self.run("apksigner", &words.split_whitespace().chain([out]).collect::<Vec<_>>());
    }
}

/// DEX files of these names, by Android's own compiler.
fn dex<const N: usize>(
    platform: &Path,
    classes: [(&'static str, BTreeMap<String, Vec<u8>>); N],
) -> [(&'static str, Vec<u8>); N] {
    let mut packager = Packager::start(&Jdk::find().unwrap(), platform).unwrap();
    classes.map(|(name, classes)| {
        let folder = tempfile::tempdir().unwrap();
        let (jar, out) = (folder.path().join("code.jar"), folder.path().join("out"));
        fs::write(&jar, jar::pack(&[], &classes)).unwrap();
        fs::create_dir(&out).unwrap();
        packager.compile_dex(&jar, MIN_SDK, &out).unwrap();
        (name, fs::read(out.join("classes.dex")).unwrap())
    })
}

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(java_files(&path)),
            false => files.push(path),
        }
    }
    files
}
