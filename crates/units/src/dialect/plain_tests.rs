//! Tests of tables in any dialect.

use proptest::prelude::*;

use super::*;

fn plain(bytes: impl AsRef<[u8]>) -> String {
    read_plain_csv(bytes.as_ref()).unwrap().0
}

fn remark(bytes: impl AsRef<[u8]>) -> String {
    read_plain_csv(bytes.as_ref()).unwrap().1.remark().unwrap_or_default()
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    read_plain_csv(bytes.as_ref()).unwrap_err().to_string()
}

#[test]
fn plain_tables_stay_as_they_are() {
    for text in ["a,b\n1.5,x\n", "a,b\r\n\"1,x\",\"\"\"\"\r\n", "", "a\n1.234\n", "a,b\n1,2"] {
        assert_eq!(plain(text), text);
        assert_eq!(remark(text), "");
    }
    assert_eq!(plain("\u{feff}a,b\n1,2\n\x1a"), "a,b\n1,2\n");
}

#[test]
fn semicolons_and_decimal_commas() {
    let text = "time_s;power_w;note\n0,5;1.234,5;a,b\n1,25;2;\"x;y\"\n";
    assert_eq!(plain(text), "time_s,power_w,note\n0.5,1234.5,\"a,b\"\n1.25,2,x;y\n");
    let expected = "read with semicolons between cells, decimal commas in `time_s`, `power_w`";
    assert_eq!(remark(text), expected);
    assert_eq!(plain("a;b\n1,234;7\n"), "a,b\n1.234,7\n");
    assert_eq!(plain("a;b\n0.5;7\n"), "a,b\n0.5,7\n");
    assert_eq!(plain("a,b\n\"0,5\",\"1,5\"\n"), "a,b\n0.5,1.5\n");
}

#[test]
fn other_encodings() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let bytes = utf16("\u{feff}Zeit (s)\tLeistung (µW)\r\n0,5\t1,5\r\n");
    assert_eq!(plain(&bytes), "Zeit (s),Leistung (µW)\n0.5,1.5\n");
    assert!(remark(&bytes).ends_with(", UTF-16"), "{}", remark(&bytes));
    assert_eq!(plain(b"p \xb5W;x\n0,5;1\n"), "p µW,x\n0.5,1\n");
}

#[test]
fn lines_keep_their_numbers() {
    let text =
        "sep=;\nLogger 3\n\n# made today\ntime;power;\ns;mW;\n0;1,5;\n\n# pause\n\"2\n\";3;\n";
    let expected = "\n\n\n\ntime [s],power [mW]\n\n0,1.5\n\n\n\"2\n\",3\n";
    assert_eq!(plain(text), expected.replace("\"2\n\"", "2"));
    assert!(remark(text).contains("titles in line 5, units below the titles"), "{}", remark(text));
}

#[test]
fn titles_behind_a_hash() {
    assert_eq!(plain("# t p\n0 1.5\n1  2\n"), "t,p\n0,1.5\n1,2\n");
    assert_eq!(plain("#\tt\tp\n0\t1.5\n"), "t,p\n0,1.5\n");
}

#[test]
fn what_has_two_meanings_is_refused() {
    let far = format!("a\tb\n{}1,234\t1\n", "1\t1\n".repeat(SAMPLE_BYTES / 4 + 1));
    assert!(refusal(far).contains("column `a`: \"1,234\" may be a decimal or thousands"));
    assert!(refusal("a\tb\n1,234\t0.5\n").starts_with("line 2, column `a`: \"1,234\""));
    assert!(refusal("a,b\n0,5,1,5\n1,5,2,5\n").contains("semicolons between its cells"));
    assert!(refusal("{\"a\": 1}").contains("it is JSON, and no table as text"));
}

#[test]
fn a_row_without_an_end_is_refused() {
    let long = format!("a;b\n0,5;\"{}", "x".repeat(9 << 20));
    assert!(refusal(long).contains("bytes of a row"));
}

fn number() -> impl Strategy<Value = f64> {
    (-1e6..1e6_f64, 0..6_u32).prop_map(|(x, digits)| {
        let scale = 10f64.powi(digits as i32);
        (x * scale).round() / scale
    })
}

proptest! {
    /// Numbers come through every dialect that says which mark is which.
    #[test]
    fn numbers_come_through(
        rows in prop::collection::vec((number(), number()), 1..20),
        separator in prop::sample::select(vec![';', '\t', '|']),
        has_commas: bool,
    ) {
        let written = |x: f64| {
            let text = format!("{x}");
            let text = if text.contains('.') { text } else { format!("{text}.0") };
            if has_commas { text.replace('.', ",") } else { text }
        };
        let mut text = format!("a{separator}b\n{0}{separator}{0}\n", written(0.5));
        for (a, b) in &rows {
            text += &format!("{}{separator}{}\n", written(*a), written(*b));
        }
        let plain = plain(&text);
        let found = plain.lines().skip(2).map(|line| {
            let (a, b) = line.split_once(',').unwrap();
            (a.parse::<f64>().unwrap(), b.parse::<f64>().unwrap())
        });
        prop_assert_eq!(found.collect::<Vec<_>>(), rows);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read_plain_csv(&bytes);
    }

    #[test]
    fn no_text_panics(text in "[a-b0-9.,;\t #\"\n\r\\\\=s]{0,80}") {
        let _ = read_plain_csv(text.as_bytes());
    }
}
