//! `monitor overhead`: runs of the built-in program and of a server, with and without the agent.

use super::*;

fn overhead(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(WATTLINE);
    command.args(["monitor", "overhead"]).args(arguments).current_dir(folder);
    command.output().unwrap()
}

#[test]
fn runs_with_and_without_the_agent_give_every_figure_with_its_interval() {
    let folder = tempfile::tempdir().unwrap();
    if program(folder.path()).is_none() {
        return;
    }
    let arguments = ["--mode", "sampling", "--repeats", "2", "--requests", "200", "--out", "o"];
    let output = overhead(folder.path(), &arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for figure in
        ["start, elapsed time", "start, CPU time", "CPU time of the run", "time of a request"]
    {
        let line = text.lines().find(|line| line.starts_with(&format!("{figure}, sampling: ")));
        assert!(
            line.is_some_and(|line| line.contains("difference") && line.contains("+-")),
            "{text}"
        );
    }
    let runs = rows(folder.path().join("o/runs.csv"));
    assert_eq!(runs.len(), 4, "{runs:?}");
    for run in &runs {
        assert!(number(run, "start_s") > 0.0 && number(run, "cpu_s") > 0.0, "{run:?}");
        assert!(number(run, "request_s") > 0.0, "{run:?}");
    }
    // Whatever else the machine does, loading the agent and Flight Recorder takes CPU time.
    let cost = rows(folder.path().join("o/overhead.csv"));
    let cpu = cost.iter().find(|row| row["figure"] == "cpu_s").unwrap();
    assert!(number(cpu, "difference_s") > 0.0, "{cpu:?}");
    let again = overhead(folder.path(), &arguments);
    assert!(!again.status.success(), "an existing result is kept");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let brief = ["monitor", "overhead", "--mode", "sampling", "--repeats", "2", "--requests", "2"];
    let lost = Command::new(WATTLINE).args(brief).stdout(full).stderr(Stdio::null()).status();
    assert_eq!(lost.unwrap().code(), Some(3), "results that can't be printed are an error");
}

#[test]
fn a_server_is_asked_for_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let source = format!(
        "import com.sun.net.httpserver.HttpServer; import java.net.InetSocketAddress;\n\
         public class Pages {{ public static void main(String[] a) throws Exception {{\n\
         HttpServer s = HttpServer.create(new InetSocketAddress(\"127.0.0.1\", {port}), 0);\n\
         s.createContext(\"/page\", x -> {{ x.sendResponseHeaders(200, 2);\n\
         x.getResponseBody().write(new byte[2]); x.close(); }}); s.start(); }} }}\n"
    );
    fs::write(folder.path().join("Pages.java"), source).unwrap();
    let file = folder.path().join("Pages.java");
    let compiled = javac_at(&jdk.javac).arg("-d").arg(folder.path()).arg(file).status().unwrap();
    assert!(compiled.success());
    let java = jdk.java.to_str().unwrap();
    let run = |path: &str, out: &str| {
        let url = format!("http://127.0.0.1:{port}/{path}");
        let options =
            ["--mode", "sampling", "--repeats", "2", "--warm-up", "0", "--seconds", "0.5"];
        let rest = ["--url", &url, "--out", out, "--", java, "-cp", ".", "Pages"];
        overhead(folder.path(), &[&options[..], &rest].concat())
    };
    let output = run("page", "o");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let runs = rows(folder.path().join("o/runs.csv"));
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| number(run, "request_s") > 0.0 && run["cpu_s"].is_empty()));
    let output = run("missing", "p");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("give a page that it has"), "{said}");
}

#[test]
fn commands_that_give_no_figure_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let output = overhead(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    };
    refused(&["--mode", "probes"], "sampling:MS");
    refused(&["--", "sleep", "1"], "give the `java` command");
    refused(&["--url", "https://a/", "--", "java", "-version"], "http://HOST:PORT/PATH");
    let Some(jdk) = program(folder.path()) else { return };
    let java = jdk.java.to_str().unwrap();
    refused(&["--", java, "-cp", ".", "NoSuchClass"], "NoSuchClass");
    let command = ["--start-line", "never", "--", java, "-cp", ".", "Work", "0"];
    refused(&command, "no line of the command's standard output contains it");
}
