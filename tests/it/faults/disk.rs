//! This machine's own disk: full at any byte, and a journal that ends at any byte.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::bench::{Bench, Outcome, counted, run};

/// In a mount name space: the campaign on a disk of a size, then on a larger one, then what
/// it left is copied. Arguments: mount point, size in KiB, plan, result, the command.
const ON_SMALL_DISK: &str = r#"
place=$1 size=$2 plan=$3 result=$4
shift 4
mount -t tmpfs -o size="${size}k" tmpfs "$place" && cp -r "$plan/." "$place" || exit 9
"$@" && echo "the disk was large enough"
mount -o "remount,size=99999k" "$place" || exit 9
"$@" || exit 1
cp -r "$place/." "$result"
"#;

/// A campaign whose folder lies on a disk that is too small at first.
pub fn try_full(bench: &Bench, index: usize) -> Option<Outcome> {
    let spaces = [&["-m"][..], &["-rm"]].into_iter().find(|options| {
        let mut trial = Command::new("unshare");
        trial.args(*options).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
        let ended = trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.is_ok_and(|status| status.success())
    });
    let Some(options) = spaces else {
        crate::skip::outside("this machine lets nobody mount a small disk (unshare -rm)");
        return None;
    };
    let (plan, place, result) = (bench.planned(), bench.planned(), bench.planned());
    let written = ["runs", "journal.jsonl"].map(|name| pages(&bench.undisturbed().join(name)));
    let growth: u64 = written.iter().sum();
    let size = 4 * (pages(plan.path()) + 3 + growth.saturating_sub(5) * index as u64 / 10);
    let board = bench.board();
    let mut command: Vec<String> = vec!["unshare".into()];
    command.extend(options.iter().map(|option| option.to_string()));
    command.extend(["sh", "-c", ON_SMALL_DISK, "sh"].map(String::from));
    let text = |folder: &tempfile::TempDir| folder.path().to_str().unwrap().to_string();
    command.extend([text(&place), size.to_string(), text(&plan), text(&result)]);
    command.extend(bench.command(&board.serial(), place.path()));
    let (ended, said) = run(&command);
    assert!(ended, "{said}");
    assert!(!said.contains("large enough"), "{size} KiB: {said}");
    assert!(said.contains("--resume"), "{said}");
    let outcome = Outcome {
        interruptions: 1,
        sessions: board.sessions().len(),
        ..counted(result.path(), Outcome { said, ..Outcome::default() })
    };
    bench.check_folder(result.path(), &outcome);
    assert!(outcome.sessions as u64 <= bench.runs() + 1, "{}", outcome.said);
    Some(outcome)
}

/// Pages of 4 KiB that a folder's files take on a disk in memory.
fn pages(folder: &Path) -> u64 {
    let files = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    files
        .map(|file| file.metadata().unwrap())
        .filter(|f| f.is_file())
        .map(|f| f.len().div_ceil(4096))
        .sum()
}

/// A finished campaign whose journal lost its end, resumed.
pub fn try_torn(bench: &Bench, index: usize) -> Outcome {
    let folder = bench.planned();
    let (from, to) = (bench.undisturbed(), folder.path());
    let copied = Command::new("cp").arg("-r").arg(from.join("runs")).arg(to).status().unwrap();
    assert!(copied.success());
    let journal = fs::read(from.join("journal.jsonl")).unwrap();
    let cut = journal.len() * index / 10 + index;
    fs::write(to.join("journal.jsonl"), &journal[..cut]).unwrap();
    let half = to.join("runs/.unfinished-half");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("samples.txt.zst"), "half").unwrap();
    let lines = journal[..cut].iter().filter(|byte| **byte == b'\n').count();
    let board = bench.board();
    let (ended, said) = run(&bench.command(&board.serial(), to));
    assert!(ended, "{said}");
    let sessions = board.sessions().len();
    // The first line names the campaign.
    assert_eq!(sessions as u64, bench.runs() - lines.saturating_sub(1) as u64, "{said}");
    let outcome = Outcome { interruptions: 1, sessions, said, ..Outcome::default() };
    bench.check_folder(to, &outcome);
    assert!(!half.exists());
    outcome
}
