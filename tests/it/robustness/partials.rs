//! Fuzz target: `fit --merge` on any bytes. Real partials are cut, overwritten and joined, and
//! their checksum is made right again, or no byte behind it would ever be looked at.

use std::fs;
use std::sync::OnceLock;

use bolero::TypeGenerator;
use twox_hash::XxHash64;
use wattline::model::table::{ColumnChoice, Table};
use wattline::model::{
    FitOptions, FoldOptions, MergedRounds, PartLabel, PartialMerger, Solver, SufficientStats,
    Weighting,
};

use super::fuzz::duration;

/// Bytes before the header: what it is, version, length.
const PREFIX: usize = 24;
/// Bytes of the checksum at the end.
const SUM: usize = 8;
/// The most that reading and merging two partials of a few kB may add to the addresses that this
/// program has in use. Tests beside this one start threads, each with room for a heap, so it is
/// much; a length that is believed asks for more.
const MOST_KB: u64 = 1 << 22;

/// What is done to partials. Numbers are taken modulo what they choose from.
#[derive(Debug, TypeGenerator)]
struct Mutation {
    seeds: [u8; 2],
    #[generator(bolero::produce::<Vec<Edit>>().with().len(0usize..6))]
    edits: Vec<Edit>,
    /// Whether the checksum and the header's length are made right.
    is_sealed: bool,
}

#[derive(Debug, TypeGenerator)]
enum Edit {
    Cut { at: u16, length: u8 },
    EndAt { at: u16 },
    Bytes { at: u16, bytes: [u8; 8] },
    Digits { at: u16, number: u64 },
    Word { at: u16, word: u8 },
    Double { at: u16, length: u8, to: u16 },
}

/// Text that changes what a header says.
const WORDS: [&str; 10] = [
    "null",
    "[]",
    "[[1,1]]",
    "[1,18446744073709551615]",
    "1e400",
    "-1",
    "{}",
    "\"ridge\"",
    "\"relative\"",
    "[[],9223372036854775807]",
];

fn table(cases: std::ops::Range<u32>) -> Table {
    let row = |i: u32| {
        let count = |k: u32| (i * (7 + 4 * k) + i * i * (k + 3)) % 23;
        let energy = 2.0 * f64::from(count(0)) + 0.5 * f64::from(count(1)) + 1.0;
        format!("c{i},{energy},{},{}\n", count(0), count(1))
    };
    let rows: String = cases.map(row).collect();
    Table::from_csv(&("case,energy_j,a,b\n".to_owned() + &rows), &ColumnChoice::default()).unwrap()
}

/// Sums of two parts, and the errors of their cases.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let (tables, options) = ([table(0..40), table(40..90)], FitOptions::new(Solver::Nnls));
        let label = |number| PartLabel { number: Some((number, 2)), ..PartLabel::default() };
        let parts = || tables.iter().zip(1_u64..);
        let sums: Vec<SufficientStats> = parts()
            .map(|(table, n)| {
                SufficientStats::of_rows(table, &options, FoldOptions::default(), label(n)).unwrap()
            })
            .collect();
        let mut merge = PartialMerger::default();
        sums.iter().for_each(|sum| merge.add("seed", sum.clone()).unwrap());
        let rounds: MergedRounds = merge.finish().unwrap().fit(&options).unwrap().rounds;
        let judged =
            parts().map(|(table, n)| SufficientStats::of_errors(table, &rounds, label(n)).unwrap());
        sums.iter().cloned().chain(judged).map(|partial| partial.to_bytes()).collect()
    })
}

impl Mutation {
    /// A partial that was changed, and one that was not.
    fn partials(&self) -> [Vec<u8>; 2] {
        let seeds = seeds();
        let [mut changed, other] =
            self.seeds.map(|seed| seeds[usize::from(seed) % seeds.len()].clone());
        let header = header_length(&changed);
        self.edits.iter().for_each(|edit| edit.apply(&mut changed));
        if self.is_sealed {
            seal(&mut changed, header);
        }
        [changed, other]
    }
}

/// Length of the header in bytes.
fn header_length(partial: &[u8]) -> usize {
    u32::from_le_bytes(partial[PREFIX - 4..PREFIX].try_into().unwrap()) as usize
}

/// Makes lengths and checksum those of the bytes; `header` is how long the header was.
fn seal(partial: &mut [u8], header: usize) {
    if partial.len() < PREFIX + SUM {
        return;
    }
    // A header ends at its last brace.
    let end = (PREFIX + 2 * header).min(partial.len());
    let last = partial[PREFIX..end]
        .windows(2)
        .rposition(|pair| pair[0].is_ascii_digit() && pair[1] == b'}');
    let length = last.map_or(header, |last| last + 2);
    partial[PREFIX - 4..PREFIX].copy_from_slice(&(length as u32).to_le_bytes());
    let whole = partial.len() - SUM;
    let sum = XxHash64::oneshot(0, &partial[..whole]);
    partial[whole..].copy_from_slice(&sum.to_le_bytes());
}

impl Edit {
    /// Headers are where most of the sense is, so half of the edits go there.
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u16| {
            let at = usize::from(at);
            let most = if at.is_multiple_of(2) { bytes.len().min(700) } else { bytes.len() };
            at / 2 % (most + 1)
        };
        let piece = |at: u16, length: usize| place(at)..(place(at) + length).min(bytes.len());
        match *self {
            Edit::Cut { at, length } => drop(bytes.drain(piece(at, usize::from(length)))),
            Edit::EndAt { at } => bytes.truncate(place(at)),
            Edit::Bytes { at, bytes: new } => drop(bytes.splice(piece(at, 8), new)),
            Edit::Digits { at, number } => {
                // The next number of the header becomes another.
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let from = place(at);
                let start =
                    bytes[from..].iter().position(is_digit).map_or(bytes.len(), |n| from + n);
                let end = bytes[start..].iter().take_while(|byte| is_digit(byte)).count() + start;
                bytes.splice(start..end, number.to_string().bytes());
            }
            Edit::Word { at, word } => {
                let word = WORDS[usize::from(word) % WORDS.len()];
                // In place of the next value.
                let from = place(at);
                let start = bytes[from..].iter().position(|byte| *byte == b':');
                let start = start.map_or(bytes.len(), |n| from + n + 1);
                let end = bytes[start..].iter().position(|byte| b",}]".contains(byte)).unwrap_or(0);
                bytes.splice(start..start + end, word.bytes());
            }
            Edit::Double { at, length, to } => {
                let (copy, to) = (bytes[piece(at, usize::from(length))].to_vec(), place(to));
                bytes.splice(to..to, copy);
            }
        }
    }
}

/// What `fit --merge` does with files: reads, adds up, fits or validates.
fn merge(files: &[Vec<u8>]) {
    let mut merge = PartialMerger::default();
    for (number, bytes) in files.iter().enumerate() {
        let Ok(partial) = SufficientStats::from_bytes(bytes) else { continue };
        let _ = merge.add(&number.to_string(), partial);
    }
    let Ok(merged) = merge.finish() else { return };
    let _ = merged.rows();
    if merged.is_judged() {
        let _ = merged.validation();
    } else if let Ok(solver) = merged.settings().solver.parse() {
        let weighting = Weighting::Equal;
        let _ = merged.fit(&FitOptions { weighting, ..FitOptions::new(solver) });
    }
    let again = SufficientStats::from_bytes(&merged.to_bytes());
    assert!(again.is_ok(), "what is merged reads back: {again:?}");
}

/// The most memory that this program has asked for, in kB; 0 where that isn't known.
fn most_memory_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

fn checked(files: &[Vec<u8>]) {
    let before = most_memory_kb();
    merge(files);
    let more = most_memory_kb() - before;
    assert!(
        more < MOST_KB,
        "{more} kB more for {} bytes",
        files.iter().map(Vec::len).sum::<usize>()
    );
}

#[test]
fn partials_are_merged_or_refused_whatever_they_are() {
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| checked(&mutation.partials()));
}

#[test]
fn any_bytes_are_refused() {
    let target = bolero::check!().with_type::<Vec<u8>>().with_test_time(duration());
    target.for_each(|bytes| {
        let mut named = seeds()[0][..16].to_vec();
        named.extend(bytes);
        checked(&[bytes.clone(), named]);
    });
}

#[test]
fn numbers_that_no_rows_have_are_refused() {
    let seed = &seeds()[0];
    let length = header_length(seed);
    let (header, body) = (&seed[PREFIX..PREFIX + length], &seed[PREFIX + length..]);
    let header = String::from_utf8(header.to_vec()).unwrap();
    let most = u64::MAX.to_string();
    for (from, to) in [
        ("\"number\":[1,2]", format!("\"number\":[1,{most}]")),
        ("\"number\":[1,2]", format!("\"number\":[{most},2]")),
        ("\"number\":[1,2]", "\"number\":[0,0]".to_owned()),
        ("\"rows\":40", format!("\"rows\":{most}")),
        ("\"rows\":40", "\"rows\":41".to_owned()),
        ("\"folds\":4", format!("\"folds\":{}", u64::MAX / 4)),
    ] {
        let changed = header.replace(from, &to);
        assert_ne!(changed, header, "{from}");
        let mut bytes = [&seed[..PREFIX], changed.as_bytes(), body].concat();
        seal(&mut bytes, changed.len());
        let error = SufficientStats::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.starts_with("the partial is damaged"), "{to}: {error}");
        checked(&[bytes]);
    }
}
