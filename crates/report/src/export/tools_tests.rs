//! Exports opened by the tools they are for, where these are here.

use std::process::Command;

use super::{FORMATS, sample};
use crate::report::Repository;
use crate::skip;
use crate::toolchain::{artifact, jar};

fn bytes_of(name: &str) -> Vec<u8> {
    let format = FORMATS.iter().find(|format| format.name == name).unwrap();
    (format.write)(&sample::sample().data())
}

#[test]
fn files_of_formats_differ() {
    let mut files: Vec<&str> = FORMATS.iter().map(|format| format.file).collect();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), FORMATS.len());
    assert!(FORMATS.iter().all(|format| !bytes_of(format.name).is_empty()));
}

#[test]
fn the_real_pprof_opens_the_profile() {
    let pprof =
        |arguments: &[&str]| Command::new("go").args(["tool", "pprof"]).args(arguments).output();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("energy.pb");
    std::fs::write(&file, bytes_of("pprof")).unwrap();
    let file = file.to_str().unwrap();
    let is_there = Command::new("go").args(["tool", "-n", "pprof"]).output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        return skip::outside("no `go tool pprof`");
    }
    let lines = pprof(&["-top", "-lines", "-unit=uJ", file]).unwrap();
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    let places = lines.matches("demo.Grid.blit(FloatBuffer,FloatBuffer) demo/Grid.java:").count();
    assert!(places == 5 && lines.contains("uJ"), "{lines}");
    let top = pprof(&["-top", "-nodecount=5", file]).unwrap();
    let text = String::from_utf8_lossy(&top.stdout).into_owned();
    assert!(top.status.success(), "{}", String::from_utf8_lossy(&top.stderr));
    assert!(text.contains("Type: energy"), "{text}");
    assert!(text.contains("demo.Grid.blit(FloatBuffer,FloatBuffer)"), "{text}");
    assert!(text.contains("100%"), "{text}");
    let raw = pprof(&["-raw", file]).unwrap();
    let raw = String::from_utf8_lossy(&raw.stdout).into_owned();
    assert!(raw.contains("energy/uJ") && raw.contains("executions/count"), "{raw}");
    assert!(raw.contains("demo/Grid.java:5"), "{raw}");
}

/// Its DTD is in the jar that writes JaCoCo's own reports.
const JACOCO_REPORT: &str = "org.jacoco:org.jacoco.report:0.8.12";
const JACOCO_REPORT_SHA256: &str =
    "f9c79ad66a66a0337c57849ad1287a2ab23b9b232d35314443e5ec49e6e3d20f";

/// Ends with an exception where the document at the path is not valid by its DTD.
const VALIDATOR: &str = "
    import java.io.File;
    import javax.xml.parsers.SAXParserFactory;
    import org.xml.sax.SAXException;
    import org.xml.sax.SAXParseException;
    import org.xml.sax.helpers.DefaultHandler;
    class Validator {
        public static void main(String[] args) throws Exception {
            SAXParserFactory factory = SAXParserFactory.newInstance();
            factory.setValidating(true);
            factory.newSAXParser().parse(new File(args[0]), new DefaultHandler() {
                @Override public void error(SAXParseException e) throws SAXException { throw e; }
            });
        }
    }";

#[test]
fn jacocos_own_dtd_takes_the_report() {
    let jar = match artifact::fetch(JACOCO_REPORT, JACOCO_REPORT_SHA256) {
        Ok(jar) => jar,
        Err(error) => return skip::because(format!("no DTD of JaCoCo: {error}")),
    };
    let dtd = jar::read(&jar, "report.dtd", |_| true).unwrap().entries.pop_first().unwrap().1;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.dtd"), dtd).unwrap();
    std::fs::write(folder.path().join("Validator.java"), VALIDATOR).unwrap();
    let complaints = |xml: &[u8]| {
        std::fs::write(folder.path().join("report.xml"), xml).unwrap();
        let mut java = Command::new("java");
        let java = java.args(["Validator.java", "report.xml"]).current_dir(folder.path());
        java.output().map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let plain = bytes_of("jacoco");
    let Ok(said) = complaints(&plain) else {
        return skip::because("no java on the path");
    };
    assert_eq!(said, "");
    let mut within = sample::sample();
    within.repository = Repository::with_prefix("core/src");
    assert_eq!(complaints(&super::jacoco::jacoco(&within.data())).unwrap(), "");
    let wrong = String::from_utf8(plain).unwrap().replace("<line nr=", "<line number=");
    assert!(complaints(wrong.as_bytes()).unwrap().contains("\"line\""), "it takes everything");
}

#[test]
fn opentelemetrys_own_definitions_decode_the_profiles() {
    let module = "opentelemetry.proto.profiles.v1development.profiles_pb2";
    let Some(python) = crate::python::python_with(module) else {
        return skip::outside("no Python with the package opentelemetry-proto (WATTLINE_PYTHON)");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("energy.otlp.pb");
    std::fs::write(&file, bytes_of("otlp")).unwrap();
    let script = r#"
import sys
from google.protobuf import unknown_fields
from opentelemetry.proto.profiles.v1development import profiles_pb2 as pb
data = pb.ProfilesData(); data.ParseFromString(open(sys.argv[1], "rb").read())
tables = data.dictionary
text = lambda index: tables.string_table[index]
energy = data.resource_profiles[0].scope_profiles[0].profiles[0]
print(text(energy.sample_type.type_strindex), text(energy.sample_type.unit_strindex))
print(sum(sample.values[0] for sample in energy.samples))
attributes = [tables.attribute_table[index] for index in energy.attribute_indices]
print(sorted((text(of.key_strindex), of.value.string_value) for of in attributes))
print([(of.key, of.value.string_value) for of in data.resource_profiles[0].resource.attributes])
stack = tables.stack_table[energy.samples[0].stack_index]
frames = [tables.location_table[index].lines[0] for index in stack.location_indices]
functions = [tables.function_table[line.function_index] for line in frames]
print([(text(of.name_strindex), text(of.filename_strindex)) for of in functions])
for message in [data, tables, energy, stack]:
    assert len(unknown_fields.UnknownFieldSet(message)) == 0, message
"#;
    let output = Command::new(python).args(["-c", script]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "energy microjoules", "{text}");
    assert!(lines[1].parse::<u64>().unwrap().abs_diff(1_250_000) < 5, "{text}");
    for part in [
        "('wattline.basis', 'simulated'), ('wattline.meter', 'INA231')",
        "('service.name', 'blit')",
        "('demo.Grid', 'demo/Grid.java'), ('demo', '')",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn perfettos_own_definitions_decode_the_trace() {
    let Some(python) =
        crate::python::python_with("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    else {
        return skip::outside("no Python with the package perfetto (WATTLINE_PYTHON)");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("energy.perfetto-trace");
    std::fs::write(&file, bytes_of("perfetto")).unwrap();
    let script = r#"
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
trace = pb.Trace(); trace.ParseFromString(open(sys.argv[1], "rb").read())
tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}
counters = [t for t in tracks.values() if t.HasField("counter")]
print(sorted((t.name, t.counter.unit_name) for t in counters))
events = [p for p in trace.packet if p.HasField("track_event")]
kinds = [pb.TrackEvent.Type.Name(p.track_event.type) for p in events]
print({kind: kinds.count(kind) for kind in sorted(set(kinds))})
begin = next(p.track_event for p in events if p.track_event.type == pb.TrackEvent.TYPE_SLICE_BEGIN)
print(begin.name, begin.debug_annotations[0].name, begin.debug_annotations[0].double_value)
assert all(p.track_event.track_uuid in tracks for p in events)
"#;
    let output = Command::new(python).args(["-c", script]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("[('power arm', 'W'), ('power mem', 'W')]"), "{text}");
    assert!(
        text.contains("'TYPE_COUNTER': 12, 'TYPE_SLICE_BEGIN': 2, 'TYPE_SLICE_END': 2"),
        "{text}"
    );
    assert!(text.contains("base-north power 1 energy_j 4.0"), "{text}");
}
