//! Traces written by hand, whole and damaged.

use proptest::prelude::*;

use super::*;

const INTERVAL: Duration = Duration::from_millis(10);

/// A record: thread, method's place in `METHODS`, 0 entered or 1 left, its own and the wall's
/// time in ms.
type Row = (u16, u32, u32, u32, u32);

const METHODS: [&str; 4] = [
    "a.B\tmain\t([Ljava/lang/String;)V\tB.java\t3",
    "a.B$C\tturn\t(I)Ljava/util/List;\tB.java\t7",
    "java.lang.VMThread\tsleep\t(JI)V\tVMThread.java\t-2",
    "a.B\tread\t()I\tB.java\t-2",
];

const MAIN: &str = "a.B.main([Ljava/lang/String|)V";
const TURN: &str = "a.B$C.turn(I)Ljava/util/List|";

fn text(version: u16, clock: &str, records: usize) -> String {
    let mut text = format!(
        "*version\n{version}\ndata-file-overflow=false\nclock={clock}\nelapsed-time-usec=1\n\
         num-method-calls={records}\nclock-call-overhead-nsec=1\nvm=dalvik\n*threads\n1\tmain\n\
         *methods\n"
    );
    for (place, method) in METHODS.iter().enumerate() {
        text += &format!("0x{:08x}\t{method}\n", number(place as u32));
    }
    text + "*end\n"
}

fn number(method: u32) -> u32 {
    0x4a0b_7f00 + 0x38 * method
}

/// With the times of its clocks.
fn written(version: u16, clock: &str, rows: &[Row]) -> Vec<u8> {
    let mut bytes = text(version, clock, rows.len()).into_bytes();
    bytes.extend(b"SLOW");
    bytes.extend([version.to_le_bytes(), 32u16.to_le_bytes()].concat());
    bytes.extend(1_388_534_400_000_000u64.to_le_bytes());
    let size: u16 = if clock == "dual" { 14 } else { 10 };
    bytes.extend(if version == 3 { size.to_le_bytes() } else { [0, 0] });
    bytes.extend([0; 14]);
    for (thread, method, action, own_ms, wall_ms) in rows {
        match version {
            1 => bytes.push(*thread as u8),
            _ => bytes.extend(thread.to_le_bytes()),
        }
        bytes.extend((number(*method) | action).to_le_bytes());
        if clock != "wall" {
            bytes.extend((1000 * own_ms).to_le_bytes());
        }
        if clock != "thread-cpu" {
            bytes.extend((1000 * wall_ms).to_le_bytes());
        }
    }
    bytes
}

/// Frames of 50 ms: `main` computes alone for 20 ms and in `turn` for 10, sleeps for 20; a
/// second thread waits in native code from its first moment on.
fn frames() -> Vec<Row> {
    let mut rows = vec![(9, 3, 0, 0, 0), (1, 0, 0, 0, 0)];
    for frame in 0..4 {
        let (own, wall) = (30 * frame, 50 * frame);
        rows.extend([(1, 1, 0, own + 20, wall + 20), (1, 1, 1, own + 30, wall + 30)]);
        rows.extend([(1, 2, 0, own + 30, wall + 30), (1, 2, 1, own + 30, wall + 50)]);
    }
    rows.push((9, 3, 1, 0, 200));
    rows
}

#[track_caller]
fn check(trace: &[u8], clocks: &str, expected: &[String]) {
    let stacks = collapsed_samples(trace, INTERVAL).unwrap();
    let (head, lines) = stacks.split_once('\n').unwrap();
    assert_eq!(head, format!("# method-sampling {clocks}"));
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_stack_counts_for_each_look_that_met_it_at_work() {
    let unknown = "[unknown] 1".to_owned(); // the last of a thread without methods
    let lines =
        |main: u32| vec![unknown.clone(), format!("{MAIN} {main}"), format!("{MAIN};{TURN} 4")];
    // The first look met `main`, too; without the wall's time nobody knows that it was at once.
    check(&written(3, "dual", &frames()), "dual", &lines(8));
    check(&written(2, "thread-cpu", &frames()), "thread-cpu", &lines(9));
    // Without the thread's time nobody knows that `read` waits.
    let read = [lines(8), vec!["a.B.read()I 19".to_owned()]].concat();
    check(&written(2, "wall", &frames()), "wall", &read);
    check(&written(1, "wall", &frames()), "wall", &read);
}

/// A short piece of work, met by one look, has an own time of less than the interval until the
/// next; a thread that is woken now and then has next to none.
#[test]
fn own_time_bounds_looks_and_does_not_replace_them() {
    let rows = [(1, 0, 0, 0, 10), (1, 0, 1, 2, 20), (2, 3, 0, 0, 10), (2, 3, 1, 1, 500)];
    let expected = ["[unknown] 2", &format!("{MAIN} 1"), "a.B.read()I 1"].map(str::to_owned);
    check(&written(3, "dual", &rows), "dual", &expected);
}

/// Looks come each 12 ms: 48 ms are four of them, not five; the first is the sampler's.
#[test]
fn the_time_between_looks_is_learned() {
    let mut rows = vec![(1, 0, 0, 0, 0), (1, 1, 0, 48, 48)];
    for turn in 1..6 {
        let at = 48 + 12 * turn;
        rows.push((1, 1, turn % 2, at, at));
    }
    rows.push((1, 1, 0, 120, 120));
    let stacks = collapsed_samples(&written(3, "dual", &rows), INTERVAL).unwrap();
    assert!(stacks.contains(&format!("{MAIN} 6\n")), "{stacks}");
}

#[test]
fn a_number_that_another_thread_got_begins_anew() {
    let rows = [(1, 0, 0, 500, 10), (1, 1, 0, 510, 20), (1, 0, 0, 0, 90), (1, 0, 1, 10, 100)];
    let stacks = collapsed_samples(&written(3, "dual", &rows), INTERVAL).unwrap();
    assert!(stacks.contains(&format!("\n{MAIN} 2\n{MAIN};{TURN} 1\n")), "{stacks}");
}

#[test]
fn methods_of_art_have_shorter_lines() {
    let mut bytes = text(3, "dual", 1).replace("\tB.java\t3", "\tB.java").into_bytes();
    let whole = written(3, "dual", &[(1, 0, 0, 0, 30)]);
    bytes.extend(&whole[whole.len() - 32 - 14..]);
    check(&bytes, "dual", &[format!("{MAIN} 1")]);
}

#[test]
fn what_is_no_whole_trace_is_told() {
    let whole = written(3, "dual", &frames());
    let told = |bytes: &[u8]| collapsed_samples(bytes, INTERVAL).unwrap_err();
    assert_eq!(told(b"PERFILE2"), MethodTraceError::NoTrace);
    assert_eq!(told(b""), MethodTraceError::NoTrace);
    assert_eq!(told(b"SLOW\xf3\x00\x20\x00"), MethodTraceError::Streamed);
    assert_eq!(told(b"SLOW\x05\x00\x20\x00"), MethodTraceError::Version { found: "5".into() });
    let cut = MethodTraceError::Cut { at: whole.len() - 1 };
    assert_eq!(told(&whole[..whole.len() - 1]), cut);
    assert_eq!(told(&whole[..whole.len() - 14]), MethodTraceError::Cut { at: whole.len() - 14 });
    let changed = |from: &str, to: &str| {
        let at = whole.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat()
    };
    assert_eq!(told(&changed("overflow=false", "overflow=true")), MethodTraceError::Overflow);
    assert_eq!(told(&changed("\n3\n", "\n4\n")), MethodTraceError::Version { found: "4".into() });
    for (from, to, expected) in [
        ("clock=dual", "clock=moon", "line 4 of its text can't be read: it names a clock"),
        ("0x4a0b7f00\t", "0x4a0b7f00 ", "line 12 of its text can't be read: it has no number"),
        ("num-method-calls=19", "num-method-calls=18", "more records than it says"),
        ("clock=dual", "clock=wall", "size or place that does not go with its clocks"),
        ("SLOW", "SLOT", "does not begin with SLOW"),
    ] {
        let said = told(&changed(from, to)).to_string();
        assert!(said.contains(expected), "{said}");
    }
    let strange = written(3, "dual", &[(1, 0, 0, 0, 0), (1, 1, 1, 0, 10)]);
    assert!(told(&strange).to_string().contains("not the last one entered"));
    let strange = written(3, "dual", &[(1, 0, 3, 0, 0)]);
    assert!(told(&strange).to_string().contains("neither enters nor leaves"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        collapsed_samples(&bytes, INTERVAL).ok();
        let headed = [text(3, "dual", 3).as_bytes(), b"SLOW\x03\x00", &bytes].concat();
        collapsed_samples(&headed, INTERVAL).ok();
    }

    #[test]
    fn a_changed_byte_is_told_or_read(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = written(3, "dual", &frames());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(stacks) = collapsed_samples(&bytes, INTERVAL) {
            let is_stack = |line: &str| line.rsplit_once(' ').is_some_and(|(_, n)| n.parse::<u64>().is_ok());
            prop_assert!(stacks.lines().skip(1).all(is_stack), "{stacks:?}");
        }
    }

    #[test]
    fn every_cut_is_told(at in any::<prop::sample::Index>()) {
        let bytes = written(3, "dual", &frames());
        prop_assert!(collapsed_samples(&bytes[..at.index(bytes.len())], INTERVAL).is_err());
    }

    /// However a thread's stack goes, its looks are not many more than its time has room for.
    #[test]
    fn looks_are_never_more_than_its_time_has_room_for(
        steps in prop::collection::vec((0u32..3, 1u32..60, 0u32..2), 1..60),
    ) {
        let (mut rows, mut depth, mut own, mut wall) = (vec![(1, 0, 0, 0, 0)], 1, 0, 0);
        for (more, passes, runs) in steps {
            wall += passes;
            own += passes * runs;
            for _ in 0..more {
                rows.push((1, 0, 0, own, wall));
                depth += 1;
            }
            if more == 0 && depth > 0 {
                rows.push((1, 0, 1, own, wall));
                depth -= 1;
            }
        }
        let stacks = collapsed_samples(&written(3, "dual", &rows), INTERVAL).unwrap();
        let counted = stacks.lines().skip(1).map(|line| line.rsplit(' ').next().unwrap());
        let looks: u64 = counted.map(|count| count.parse::<u64>().unwrap()).sum();
        let begun = rows.len() as u64;
        prop_assert!(looks <= u64::from(own) + begun, "{looks} looks in {own} ms: {stacks}");
    }
}
