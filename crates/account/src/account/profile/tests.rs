//! Profiles read, joined and held against accounts.

use proptest::prelude::*;

use super::*;
use crate::account::evaluate::AccountLevel;
use crate::account::{account, sample};
use crate::stacks::{ProfileError, ProfileFrame, parse};

#[test]
fn stacks_are_cut_between_frames_only() {
    let profile = parse(
        "# made by hand\n\njava/lang/Thread.run;a/B.f(Ljava/lang/String;)V:3_[j];La/C;::g 7\n\
         start_thread;operator( 2\n",
    )
    .unwrap();
    assert_eq!(profile.samples(), 9);
    let lengths: Vec<usize> = profile.stacks.iter().map(|(stack, _)| stack.len()).collect();
    assert_eq!(lengths, [3, 2]);
    let innermost = &profile.frames[2];
    assert_eq!((innermost.class.as_str(), innermost.method.as_str()), ("a.C", "g"));
}

#[test]
fn what_a_method_returns_belongs_to_its_frame() {
    let profile = parse(
        "a.B.f(I)La/C;:3;a.B.g()[La/C;:4 1\na.B.f(I)La/C;;a.B.g()V 1\na.B.h()La/C; 1\n\
         a.B.f(I)La/C;_[j];a.B.g()V_[i] 1\na.B.f()V;_start 1\n",
    )
    .unwrap();
    let lengths: Vec<usize> = profile.stacks.iter().map(|(stack, _)| stack.len()).collect();
    assert_eq!(lengths, [2, 2, 1, 2, 2]);
    let read = |frame: &ProfileFrame| (frame.method.clone(), frame.line);
    let frames: Vec<_> = profile.frames.iter().map(read).collect();
    assert_eq!(frames[0], ("f(I)La/C;".into(), Some(3)));
    assert_eq!(frames[1], ("g()[La/C;".into(), Some(4)));
    assert_eq!(frames[2], ("f(I)La/C;".into(), None));
}

#[test]
fn errors_say_which_line_and_what_to_give() {
    let error = parse("a;b 3\nno count\n").unwrap_err().to_string();
    assert!(error.starts_with("line 2 is no stack: \"no count\""), "{error}");
    assert_eq!(parse("# nothing\n"), Err(ProfileError::Empty));
    assert!(parse("a;b -1\n").is_err() && parse("a;b 1.5\n").is_err());
}

/// The text of a profile that has as many samples in each line as the accounts say.
fn profile_of(accounts: &crate::account::Accounts, per_joule: f64) -> String {
    accounts
        .parts
        .iter()
        .map(|part| {
            let (class, line) = (&part.key.method.class, part.key.line.line);
            let name = part.key.method.method.split('(').next().unwrap();
            let count = (part.joules().0 * per_joule).round();
            format!("java/lang/Thread.run;{class}.{name}:{line};java/util/List.size {count}\n")
        })
        .collect()
}

#[test]
fn accounts_that_agree_have_no_error() {
    let sample = sample::program_1();
    let accounts = account(&sample.scenario());
    let all: f64 = accounts.methods.iter().map(|entry| entry.joules().0).sum();
    let text = profile_of(&accounts, 1e7 / all) + "gc_thread 50\n";
    let hits = Hits::of(&parse(&text).unwrap(), &sample.dictionary);
    let found = compare_with_profile(&accounts, &ReferenceProfile::of(vec![vec![hits]]));
    assert_eq!(found.outside.0, 50);
    let levels: Vec<AccountLevel> = found.levels.iter().map(|row| row.level).collect();
    assert_eq!(levels, [AccountLevel::Method, AccountLevel::Line]);
    for row in &found.levels {
        assert!(row.median_error < 1e-3 && row.total_variation < 1e-3, "{row:?}");
        assert!(row.unmatched == 0 && row.coverage == Some(1.0), "{row:?}");
    }
}

/// What javac writes beside a method so that it overrides one of other parameters.
#[test]
fn samples_of_a_bridge_are_those_of_its_method() {
    let sample = sample::program_1();
    let accounts = account(&sample.scenario());
    let text = "demo.Grid.blit(Ljava/nio/FloatBuffer;Ljava/nio/FloatBuffer;)V:6 600\n\
                demo.Grid.blit(Ljava/lang/Object;Ljava/lang/Object;)V:2 400\n";
    let hits = Hits::of(&parse(text).unwrap(), &sample.dictionary);
    let found = compare_with_profile(&accounts, &ReferenceProfile::of(vec![vec![hits]]));
    let methods: Vec<_> =
        found.rows.iter().filter(|row| row.level == AccountLevel::Method).collect();
    let [method] = methods[..] else { panic!("{methods:?}") };
    assert_eq!((method.samples, method.account_share), (1000, Some(1.0)));
}

/// As accounts have them: on the line above that counts something, or the method's first.
#[test]
fn samples_of_a_line_that_counts_nothing_are_those_of_one_that_does() {
    let sample = sample::program_1();
    let accounts = account(&sample.scenario());
    let counted: Vec<u32> = accounts.lines.iter().map(|entry| entry.key.line).collect();
    let (first, last) = (counted.iter().min().unwrap(), counted.iter().max().unwrap());
    let method = "demo.Grid.blit(Ljava/nio/FloatBuffer;Ljava/nio/FloatBuffer;)V";
    let text = format!(
        "{method}:{first} 500\n{method}:{last} 30\n{method}:{} 70\n\
         demo.Grid.blit(Ljava/lang/Object;Ljava/lang/Object;)V:1 400\ndemo.Grid.lost()V:2 9\n",
        last + 1
    );
    let hits = Hits::of(&parse(&text).unwrap(), &sample.dictionary);
    let found = compare_with_profile(&accounts, &ReferenceProfile::of(vec![vec![hits]]));
    let lines = found.rows.iter().filter(|row| row.level == AccountLevel::Line && row.samples > 0);
    let samples: Vec<_> = lines.map(|row| (row.label.rsplit(':').next(), row.samples)).collect();
    let [first, last] = [first, last].map(|line| line.to_string());
    assert_eq!(samples, [(Some(&*first), 900), (Some(&*last), 100), (Some("2"), 9)]);
}

/// Two methods of 30 and 70 samples where the accounts have none of the first.
#[test]
fn what_is_missing_is_a_row_and_the_counting_error_stands_beside() {
    let sample = sample::program_1();
    let accounts = account(&sample.scenario());
    let class = &accounts.methods[0].key.class;
    let own = accounts.methods[0].key.method.split('(').next().unwrap();
    let text = format!("{class}.missing 30\n{class}.{own} 70\n");
    let hits = Hits::of(&parse(&text).unwrap(), &sample.dictionary);
    let found = compare_with_profile(&accounts, &ReferenceProfile::of(vec![vec![hits]]));
    let [methods] = found.levels.as_slice() else { panic!("{found:?}") };
    assert_eq!((methods.samples, methods.entries, methods.unmatched), (100, 2, 1));
    // Errors of 100 % and of 3/7 of the share.
    assert!((methods.median_error - (1.0 + 3.0 / 7.0) / 2.0).abs() < 1e-9, "{methods:?}");
    assert!((methods.total_variation - 0.3).abs() < 1e-9);
    // sqrt(0.3 * 0.7 / 100) of both, half of it, times the mean of |N(0, 1)|.
    let counting = (0.21f64 / 100.0).sqrt() * (2.0 / std::f64::consts::PI).sqrt();
    assert!((methods.counting_variation - counting).abs() < 1e-9);
    assert!(methods.counting_median > 0.04 && methods.counting_p90 < 0.3, "{methods:?}");
    let rows = found.entries_csv();
    assert!(rows.contains("missing,30,0.300000,,1.000000,0.152753,,not in the accounts"), "{rows}");
}

proptest! {
    /// Whatever bytes a file has, it reads or says why not; counts are those of its lines.
    #[test]
    fn strange_profiles_do_not_panic(text in "([a-zA-Z/.$:;()\\[\\]_<>é \\-0-9]{0,40}[ \n\t]){0,30}") {
        if let Ok(profile) = parse(&text) {
            prop_assert!(profile.samples() > 0);
            let places = profile.stacks.iter().flat_map(|(stack, _)| stack);
            prop_assert!(places.into_iter().all(|at| (*at as usize) < profile.frames.len()));
        }
    }

    /// What is written is read: class, method, line and count.
    #[test]
    fn frames_come_back(
        class in "[a-z]{1,3}(/[A-Z][a-zA-Z0-9]{0,5}){1,2}(\\$[0-9A-Z]{1,2})?",
        method in "([a-z][A-Za-z0-9$]{0,8}|<init>|<clinit>)",
        line in 1u32..100_000,
        count in 1u64..1_000_000,
        mark in "(_\\[[ijk01]\\])?",
    ) {
        let text = format!("x;{class}.{method}(IL{class};)V:{line}{mark} {count}\n");
        let profile = parse(&text).unwrap();
        let expected = ProfileFrame {
            class: class.replace('/', "."),
            method: format!("{method}(IL{class};)V"),
            line: Some(line),
        };
        prop_assert_eq!(&profile.frames[1], &expected);
        prop_assert_eq!(profile.samples(), count);
    }
}

/// Coverage-guided where a fuzzer runs it, random otherwise.
#[test]
fn any_bytes_are_read_or_refused() {
    bolero::check!().with_max_len(4096).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if let Ok(profile) = parse(&text) {
            assert!(profile.stacks.len() <= lines);
        }
    });
}
