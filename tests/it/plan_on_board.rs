//! Plans whose dry runs are made on the virtual board: the same as this machine's, of programs
//! that crash and hang, of windows, of one that a command drives; and boards that are lost.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::channel;

use wattline::virtual_board::{BoardOptions, Fault, FaultAction, FaultTime, RunningBoard, start};

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, board_options, has};

/// A game whose blocks are of all kinds: some that can go, and some without which it crashes,
/// computes for ever, waits for ever (one alone, as that is waited out).
const GAME: &str = r#"package game;
public class Game {
  private int[] cells;
  private int left;
  private long sum;
  private boolean ready;
  public void make() {
    cells = new int[64];
  }
  public void play(int rounds) {
    left = rounds;
    while (left > 0) {
      step();
    }
    tell();
    await();
    System.out.println("sum " + sum);
  }
  void step() {
    if (left % 3 == 0) {
      fill();
    }
    add();
    pass();
  }
  void pass() {
    left--;
  }
  void fill() {
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i] + left;
    }
  }
  void add() {
    for (int i = 0; i < cells.length; i++) {
      sum += cells[i] * 7L;
    }
  }
  synchronized void tell() {
    ready = true;
    notifyAll();
  }
  synchronized void await() {
    try {
      while (!ready) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
"#;

/// One in which every block can go.
const CALM: &str = r#"package game;
public class Game {
  private long sum;
  public void make() {
    sum = 1;
  }
  public void play(int rounds) {
    for (int i = 0; i < rounds; i++) {
      twist(i);
      turn();
      grow();
    }
    System.out.println("sum " + sum);
  }
  void twist(int by) {
    sum ^= by;
  }
  void turn() {
    sum = sum * 3 / 2;
  }
  void grow() {
    for (int i = 0; i < 9; i++) {
      sum += i % 4;
    }
  }
}
"#;

/// One with blocks that run only in company and are no neighbours: a text that is opened and
/// written, a table that is made and used in two places, an index that is set back and moved. A
/// loop needs the names, and stays.
const DEFINITIONS: &str = r#"package game;
public class Game {
  private final int[] cells = new int[64];
  private StringBuilder text;
  private long[] table;
  private String[] names;
  private int at;
  private long sum;
  public void make() {
    open();
    prepare();
    name();
  }
  public void play(int rounds) {
    for (int i = 0; i < rounds; i++) {
      restart();
      move();
      write(i);
      store(i);
      load();
      count();
    }
    System.out.println("sum " + sum);
  }
  void open() {
    text = new StringBuilder();
  }
  void prepare() {
    table = new long[8];
  }
  void restart() {
    at = 0;
  }
  void name() {
    names = new String[6];
  }
  void write(int round) {
    text.append(round % 10);
  }
  void store(int round) {
    table[round % 8] = round * 3L;
  }
  void load() {
    sum += table[3] * 5 + table[4];
  }
  void move() {
    cells[at] = cells[at] + 1;
    at++;
  }
  void count() {
    for (int i = 0; i < names.length; i++) {
      sum = sum * 3 + i;
    }
  }
}
"#;

const DRIVER: &str = r#"package drive;
public class Main {
  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0].substring("frames=".length()));
    System.out.println("wattline: begin");
    game.Game game = new game.Game();
    game.make();
    int last = System.in.available() > 0 ? System.in.read() : 0;
    game.play(last == '@' ? rounds + 1 : rounds);
    System.out.println("wattline: end");
  }
}
"#;

const SCENARIO: &str = "name = 'game'\n[application]\npackage = 'org.example.game'\n\
    main = 'drive.Main'\njava_release = 8\n[[source]]\npath = 'src'\n[[source]]\npath = 'driver'\n\
    role = 'harness'\n[session]\nduration_s = 5\nframes = 300\n[campaign]\nPLAN_ON\ncases = 4\n\
    dry_runs = 40\n[microbenchmarks]\nenabled = false\n[[input]]\nname = 'one'\n\
    steps = [{ at_s = 1, tap = [1, 2] }]\n";

/// A folder with scenarios, and an adb server.
struct Project {
    folder: tempfile::TempDir,
    adb: AdbServer,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap(), adb: AdbServer::new() };
        project.write("src/game/Game.java", GAME);
        project.write("driver/drive/Main.java", DRIVER);
        project.write("host.toml", &SCENARIO.replace("PLAN_ON", ""));
        project.write("board.toml", &SCENARIO.replace("PLAN_ON", "plan_on = 'board'"));
        project
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn words(&self, scenario: &str, more: &[&str], out: &str) -> Vec<String> {
        let [scenario, out] = [scenario, out].map(|name| self.path(name).display().to_string());
        let words = ["plan", &scenario, "--out", &out].map(str::to_owned);
        words.into_iter().chain(more.iter().map(|word| word.to_string())).collect()
    }

    fn plan(&self, scenario: &str, more: &[&str], out: &str) -> (Option<i32>, String) {
        let words = self.words(scenario, more, out);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        answer(self.adb.wattline(&words))
    }

    /// What a plan says, once it is made; none, said aloud, where a tool is out of reach.
    fn planned(&self, scenario: &str, more: &[&str], out: &str) -> Option<String> {
        let (code, said) = self.plan(scenario, more, out);
        if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
            crate::skip::because(&said);
            return None;
        }
        assert_eq!(code, Some(0), "{said}");
        Some(said)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The rows of `coverage.csv`.
    fn coverage(&self, out: &str) -> Vec<Vec<String>> {
        let text = self.read(&format!("{out}/coverage.csv"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.records().map(Result::unwrap);
        rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
    }

    /// The reasons why blocks are dropped, by their names.
    fn dropped(&self, out: &str) -> BTreeMap<String, String> {
        let text = self.read(&format!("{out}/dropped.csv"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.records().map(Result::unwrap);
        rows.map(|row| (row[1].to_owned(), row[2].to_owned())).collect()
    }
}

fn board() -> RunningBoard {
    start(&BoardOptions { jars: false, ..board_options() }).unwrap()
}

/// Case, input and removed blocks of a plan's rows.
fn cases(plan: &str) -> BTreeSet<Vec<String>> {
    let mut reader = csv::Reader::from_reader(plan.as_bytes());
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| [0, 1, 4].map(|at| row[at].to_owned()).to_vec()).collect()
}

#[test]
fn the_plan_is_the_same_as_on_this_machine_and_crashes_and_hangs_are_told() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    let Some(said) = project.planned("board.toml", &[], "board") else { return };
    assert!(said.contains("dry runs on board virtual"), "{said}");
    project.planned("host.toml", &[], "host").unwrap();
    assert_eq!(project.read("board/plan.csv"), project.read("host/plan.csv"), "{said}");
    let (here, there) = (project.dropped("host"), project.dropped("board"));
    assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
    let reason = |block: &str| {
        let found = there.iter().find(|(name, _)| name.starts_with(block));
        found.unwrap_or_else(|| panic!("{block}: {there:?}")).1.as_str()
    };
    assert!(reason("Game.make()").contains("crashed: java.lang.NullPointerException"), "{there:?}");
    assert!(reason("Game.pass()").starts_with("executes more than 2 times"), "{there:?}");
    assert!(reason("Game.tell()").starts_with("did not end within"), "{there:?}");
}

#[test]
fn blocks_that_run_only_in_company_are_removed_together_here_and_on_the_board() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    project.write("src/game/Game.java", DEFINITIONS);
    for scenario in ["host.toml", "board.toml"] {
        let text = project.read(scenario).replace("cases = 4\ndry_runs = 40", "cases = 8");
        project.write(scenario, &text);
    }
    let Some(said) = project.planned("host.toml", &[], "host") else { return };
    assert!(said.contains("of them only together with others"), "{said}");
    let rows = project.coverage("host");
    let id = |name: &str| rows.iter().find(|row| row[1] == name).unwrap()[0].clone();
    let row = |name: &str| rows.iter().find(|row| row[1] == name).unwrap().clone();
    for (block, partners) in [
        ("Game.open()", &["Game.write(int)"][..]),
        ("Game.prepare()", &["Game.store(int)", "Game.load()"]),
        ("Game.restart()", &["Game.move()"]),
    ] {
        let row = row(block);
        assert_ne!(row[2], "0", "{rows:?}");
        let together: BTreeSet<&str> = row[3].split(' ').collect();
        let expected: Vec<String> = partners.iter().map(|partner| id(partner)).collect();
        assert_eq!(together, expected.iter().map(String::as_str).collect(), "{block}: {rows:?}");
        let removing = cases(&project.read("host/plan.csv"))
            .into_iter()
            .filter(|case| case[2].split(' ').any(|removed| removed == row[0]));
        for case in removing {
            let removed: BTreeSet<&str> = case[2].split(' ').collect();
            assert!(together.is_subset(&removed), "{block}: {case:?}");
        }
    }
    let [_, _, removed, together, reason] = &row("Game.name()")[..] else { panic!("{rows:?}") };
    assert_eq!((removed.as_str(), together.as_str()), ("0", ""));
    assert!(reason.contains("NullPointerException"), "{reason}");
    assert!(reason.contains("; together with block "), "{reason}");
    project.planned("board.toml", &[], "board").unwrap();
    assert_eq!(project.read("board/plan.csv"), project.read("host/plan.csv"));
    let but_reasons = |rows: Vec<Vec<String>>| -> Vec<Vec<String>> {
        rows.into_iter().map(|row| row[..4].to_vec()).collect()
    };
    assert_eq!(but_reasons(project.coverage("board")), but_reasons(rows));
}

/// What a variant may execute goes by the unremoved case, also where that was remembered.
#[test]
fn a_plan_that_remembers_the_unremoved_case_alone_is_the_same() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    project.write("src/game/Game.java", &GAME.replace("    tell();\n    await();\n", ""));
    let file = project.path("remembered").display().to_string();
    project.planned("host.toml", &["--dry-runs", &file], "first").unwrap();
    let text = project.read("remembered");
    let is_base =
        |line: &&str| line.contains(r#""build":"try""#) && line.contains(r#""removed":[]"#);
    let kept: Vec<&str> = text.lines().take(1).chain(text.lines().filter(is_base)).collect();
    assert_eq!(kept.len(), 2, "{text}");
    project.write("remembered", &(kept.join("\n") + "\n"));
    project.planned("host.toml", &["--dry-runs", &file], "again").unwrap();
    for name in ["plan.csv", "dropped.csv"] {
        let of = |out: &str| project.read(&format!("{out}/{name}"));
        assert_eq!(of("first"), of("again"));
    }
    let reasons = project.dropped("again");
    assert!(reasons.values().any(|r| r.starts_with("executes more than 2 times")), "{reasons:?}");
}

#[test]
#[ignore = "by day campaigns go on after that; scripts/nightly.sh runs it"]
fn a_plan_goes_on_after_a_lost_board_and_a_killed_program() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    project.write("src/game/Game.java", CALM);
    let few = |keys: &str| SCENARIO.replace("PLAN_ON", keys).replace("= 40", "= 6");
    project.write("board.toml", &few("plan_on = 'board'"));
    // This machine's is the same.
    project.write("host.toml", &few(""));
    project.planned("host.toml", &[], "calm").unwrap();
    let expected = project.read("calm/plan.csv");
    let lines = |out: &str| project.read(&format!("{out}/dry-runs.jsonl")).lines().count();

    // Its connections end in the middle of a session: that is begun again.
    let lossy = board();
    let moment = |number| FaultTime::Session { number, after_s: 0.5 };
    lossy.schedule(moment(3), FaultAction::Cause(Fault::DropConnections));
    let words = ["--board", &lossy.serial()];
    let Some(said) = project.planned("board.toml", &words, "lossy") else { return };
    assert!(said.contains("connected and prepared again"), "{said}");
    assert_eq!(project.read("lossy/plan.csv"), expected, "{said}");
    // On a slow machine the session that lost its host may put the board back late: the one
    // begun after that finds it unprepared, and is begun once more.
    let refused = said.matches("is not prepared").count();
    assert_eq!(lossy.sessions().len(), lines("lossy") + refused, "{said}");

    // It is gone for good: what was done is kept, and the rest is made on another one.
    let gone = board();
    let serial = gone.serial();
    let (tell, hear) = channel();
    gone.schedule(
        moment(4),
        FaultAction::Call(Box::new(move || tell.send(()).unwrap_or_default())),
    );
    let words = project.words("board.toml", &["--board", &serial, "--wait", "1"], "gone");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = project.adb.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    hear.recv().unwrap();
    drop(gone);
    let (code, said) = answer(child.wait_with_output().unwrap());
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains(&serial), "{said}");
    assert!(!project.path("gone/plan.csv").exists());
    let done = lines("gone");
    assert!(done > 3 && done < lines("lossy"), "{done}: {said}");
    let again = board();
    project.planned("board.toml", &["--board", &again.serial()], "gone").unwrap();
    assert_eq!(project.read("gone/plan.csv"), expected);
    assert_eq!(again.sessions().len(), lines("lossy") - done);
}

#[test]
#[ignore = "by day an instrumentation is planned on the board; scripts/nightly.sh runs it"]
fn a_window_and_what_a_command_drives_are_planned_on_the_board() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let text = fs::read_to_string(root.join("touch.toml")).unwrap();
    let (text, _) = text.split_once("[[input]]\nname = \"strokes\"").unwrap();
    let short = text
        .replace("path = \"touch\"", &format!("path = \"{}\"", root.join("touch").display()))
        .replace("duration_s = 60", "duration_s = 12")
        .replace("cases = 24\n", "cases = 3\ndry_runs = 6\n");
    project.write("host.toml", &short);
    project.write("board.toml", &short.replace("cases = 3", "cases = 3\nplan_on = \"board\""));
    if project.planned("board.toml", &[], "board").is_none() {
        return;
    }
    project.planned("host.toml", &[], "host").unwrap();
    let plan = project.read("board/plan.csv");
    assert_eq!(cases(&plan), cases(&project.read("host/plan.csv")), "{plan}");

    let (driven, _) = short.split_once("steps = [").unwrap();
    let touches = "adb shell input tap 600 200; adb shell sleep 2; adb shell input tap 300 400";
    let with = format!("duration_s = 12\ninput_command = \"{touches}\"\n");
    project.write("driven.toml", &driven.replace("duration_s = 12\n", &with));
    let said = project.planned("driven.toml", &[], "driven").unwrap();
    assert!(said.contains("dry runs on board virtual"), "{said}");
    assert!(cases(&project.read("driven/plan.csv")).len() >= 2, "{said}");
}

#[test]
fn what_can_not_be_planned_on_a_board_is_refused() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let project = Project::new();
    let jars = SCENARIO.replace("PLAN_ON", "plan_on = 'board'");
    project.write("jar.toml", &jars.replace("java_release = 8", "start = 'main'"));
    let (code, said) = project.plan("jar.toml", &[], "out");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("`campaign.plan_on` is \"board\", and a board gives"), "{said}");
    let (code, said) = project.plan("host.toml", &["--board", "jvm"], "out");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--board is where dry runs are made with `plan_on"), "{said}");
}

#[test]
fn this_machine_as_a_board_plans_the_same_and_a_command_may_drive_it() {
    if !has(&["javac"]) {
        return;
    }
    let project = Project::new();
    project.write("src/game/Game.java", CALM);
    let calm =
        |text: &str| SCENARIO.replace("PLAN_ON", text).replace("dry_runs = 40", "dry_runs = 9");
    project.write("host.toml", &calm(""));
    let command = "duration_s = 5\ninput_command = 'echo $WATTLINE_INPUT >> heard'";
    project.write("board.toml", &calm("").replace("duration_s = 5", command));
    // The command has to end before the session does.
    let waits = DRIVER.replace("game.play(", "Thread.sleep(400);\n    game.play(");
    project.write("driver/drive/Main.java", &waits);
    project.planned("host.toml", &[], "host").unwrap();
    let said = project.planned("board.toml", &["--board", "jvm"], "board").unwrap();
    assert_eq!(project.read("board/plan.csv"), project.read("host/plan.csv"), "{said}");
    assert!(project.read("heard").lines().count() > 5, "{said}");
}
