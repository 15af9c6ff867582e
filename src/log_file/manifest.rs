//! Manifest of an archive of Perfetto traces (`perfetto_manifest`, version 1, of Perfetto 58 and
//! later): the machine of each trace, and how their clocks relate.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Machines and clocks of the traces in an archive, from its manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TraceManifest {
    files: BTreeMap<String, ManifestFile>,
}

/// JSON document of a manifest.
#[derive(Debug, Deserialize)]
struct ManifestDocument {
    perfetto_manifest: ManifestBody,
}

/// Content of a manifest.
#[derive(Debug, Deserialize)]
struct ManifestBody {
    version: Option<i64>,
    #[serde(default)]
    files: Vec<ManifestFile>,
}

/// Trace in a manifest, with its machines and clock.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ManifestFile {
    path: String,
    machine: Option<ManifestMachine>,
    #[serde(default)]
    machines: Vec<ManifestMachine>,
    clocks: Option<ManifestClocks>,
}

/// Machine in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ManifestMachine {
    #[serde(default)]
    id: u32,
    name: String,
}

/// Offset of a trace's clock to that of another trace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ManifestClocks {
    #[serde(default)]
    offset_ns: i64,
    sync_to: ManifestReference,
}

/// Trace that a clock is relative to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ManifestReference {
    file: String,
}

impl TraceManifest {
    /// Whether a file's first bytes are those of a manifest.
    pub fn is_manifest(start: &[u8]) -> bool {
        let letters: Vec<u8> =
            start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(20).collect();
        letters.starts_with(b"{\"perfetto_manifest\"")
    }

    /// Parses a manifest.
    ///
    /// # Errors
    /// It is no JSON of this form, or of another version than 1.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: ManifestDocument =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let body = document.perfetto_manifest;
        if body.version != Some(1) {
            let version = body.version.map_or("none".into(), |version| version.to_string());
            return Err(format!("version {version}, of which only 1 is known"));
        }
        let files = body.files.into_iter().map(|file| (file.path.clone(), file));
        Ok(Self { files: files.collect() })
    }

    /// Name of a machine in a trace, by the machine's number there.
    pub fn machine_name(&self, file: &str, id: u32) -> Option<&str> {
        let file = self.files.get(file)?;
        let whole = file.machine.as_ref().map(|machine| machine.name.as_str());
        let one = || file.machines.iter().find(|machine| machine.id == id);
        whole.or_else(|| one().map(|machine| machine.name.as_str()))
    }

    /// Whether the manifest moves a trace's clock against that of another one of these.
    pub fn moves_clock(&self, file: &str, others: &[&str]) -> bool {
        let clocks = self.files.get(file).and_then(|file| file.clocks.as_ref());
        clocks.is_some_and(|clocks| {
            clocks.offset_ns != 0 && others.contains(&clocks.sync_to.file.as_str())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#" { "perfetto_manifest": {"version": 1,
        "trace_time": {"clock": "BOOTTIME"}, "files": [
        {"path": "a.pftrace", "machine": {"name": "phone"}},
        {"path": "b.pftrace", "machines": [{"id": 0, "name": "host"}, {"id": 9, "name": "vm"}],
         "clocks": {"clock": "BOOTTIME", "sync_to": {"file": "a.pftrace"}, "offset_ns": -5}}]}}"#;

    #[test]
    fn machines_by_file_and_number() {
        assert!(
            TraceManifest::is_manifest(MANIFEST.as_bytes())
                && !TraceManifest::is_manifest(b"{\"a\": 1}")
        );
        let manifest = TraceManifest::parse(MANIFEST).unwrap();
        assert_eq!(manifest.machine_name("a.pftrace", 0), Some("phone"));
        assert_eq!(manifest.machine_name("b.pftrace", 9), Some("vm"));
        assert_eq!(manifest.machine_name("b.pftrace", 8), None);
        assert_eq!(manifest.machine_name("c.pftrace", 0), None);
        assert!(manifest.moves_clock("b.pftrace", &["a.pftrace"]));
        assert!(!manifest.moves_clock("b.pftrace", &["c.pftrace"]));
        assert!(!manifest.moves_clock("a.pftrace", &["b.pftrace"]));
    }

    #[test]
    fn other_versions_are_refused() {
        let error = TraceManifest::parse(r#"{"perfetto_manifest": {"version": 2}}"#).unwrap_err();
        assert!(error.contains("version 2"));
        assert!(TraceManifest::parse("{").is_err());
    }
}
