//! Tables as CSV text in memory, with quotes where a field needs them, guarded against formulas.
//! A spreadsheet computes a field that begins like a formula, whoever chose its text; so such a
//! field is written with an apostrophe before it, as OWASP advises, and read without it. Numbers
//! are left alone.

use std::borrow::Cow;
use std::io::Cursor;

/// Writer of a CSV table in memory, whose rows are as long as the first one.
#[derive(Debug)]
pub struct CsvText(csv::Writer<Vec<u8>>);

impl CsvText {
    /// Begins a table with a header row of these columns.
    pub fn new<F: AsRef<[u8]>>(columns: impl IntoIterator<Item = F>) -> Self {
        let mut table = Self::without_head();
        table.row(columns);
        table
    }

    /// Begins rows without a header, to be appended to others.
    pub fn without_head() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it is not as long as the first one, which would be a fault of this program.
    pub fn row<F: AsRef<[u8]>>(&mut self, fields: impl IntoIterator<Item = F>) {
        self.0.write_record(fields).expect("rows are as long as the first, memory has no errors");
    }

    /// Returns the CSV text, its formula-like fields guarded.
    ///
    /// # Panics
    /// If a field was no UTF-8, which would be a fault of this program.
    pub fn text(self) -> String {
        let bytes = self.0.into_inner().expect("memory has no errors");
        guard_formulas(String::from_utf8(bytes).expect("fields are text"))
    }
}

/// Returns a reader of a table's rows that removes apostrophes before formula-like fields.
pub fn reader(table: &str) -> csv::Reader<Cursor<Cow<'_, [u8]>>> {
    reader_with_settings(&csv::ReaderBuilder::new(), table)
}

/// Returns a [`reader`] with settings of the caller's.
pub fn reader_with_settings<'t>(
    settings: &csv::ReaderBuilder,
    table: &'t str,
) -> csv::Reader<Cursor<Cow<'t, [u8]>>> {
    let bytes = match without_guards(table) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    settings.from_reader(Cursor::new(bytes))
}

/// Inserts an apostrophe before each field of a CSV text that begins like a formula.
#[must_use]
pub fn guard_formulas(table: String) -> String {
    let found: Vec<usize> = formula_fields(&table).map(|field| field.start).collect();
    if found.is_empty() {
        return table;
    }
    let mut text = String::with_capacity(table.len() + found.len());
    let mut from = 0;
    for at in found {
        text.push_str(&table[from..at]);
        text.push(APOSTROPHE);
        from = at;
    }
    text.push_str(&table[from..]);
    text
}

/// Removes from a CSV text the apostrophes that [`guard_formulas`] inserted.
#[must_use]
pub fn without_guards(table: &str) -> Cow<'_, str> {
    let guarded = formula_fields(table).filter(|field| field.has_apostrophe);
    let found: Vec<usize> = guarded.map(|field| field.start).collect();
    if found.is_empty() {
        return Cow::Borrowed(table);
    }
    let mut text = String::with_capacity(table.len());
    let mut from = 0;
    for at in found {
        text.push_str(&table[from..at]);
        from = at + APOSTROPHE.len_utf8();
    }
    text.push_str(&table[from..]);
    Cow::Owned(text)
}

/// Returns a field without the apostrophe that guards a formula-like text.
#[must_use]
pub fn without_guard(field: &str) -> &str {
    field.strip_prefix(APOSTROPHE).filter(|_| is_formula(field)).unwrap_or(field)
}

const APOSTROPHE: char = '\'';

/// Whether a field, after any apostrophes, begins like a formula and is no number. A sign alone
/// is none.
fn is_formula(field: &str) -> bool {
    let text = field.trim_start_matches(APOSTROPHE);
    let mut letters = text.chars();
    letters.next().is_some_and(begins_formula)
        && letters.next().is_some()
        && text.parse::<f64>().is_err()
}

/// Whether some spreadsheet takes a field that begins with this letter for a formula.
fn begins_formula(letter: char) -> bool {
    matches!(letter, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠')
}

/// Position of a formula-like field in a CSV text.
struct FormulaField {
    /// Byte offset of its text: after the quote, if there is one.
    start: usize,
    has_apostrophe: bool,
}

fn formula_fields(table: &str) -> impl Iterator<Item = FormulaField> {
    let mut from = 0;
    let fields = std::iter::from_fn(move || {
        let field = (from <= table.len()).then(|| CsvField::at(table, from))?;
        from = field.next;
        Some(field)
    });
    fields.filter(|field| field.is_formula(table)).map(|field| FormulaField {
        start: field.start,
        has_apostrophe: table[field.start..].starts_with(APOSTROPHE),
    })
}

/// Byte range of a field in a CSV text, and the start of the next field.
struct CsvField {
    start: usize,
    end: usize,
    next: usize,
}

impl CsvField {
    fn at(table: &str, from: usize) -> Self {
        let bytes = table.as_bytes();
        let is_quoted = bytes.get(from) == Some(&b'"');
        let start = from + usize::from(is_quoted);
        let closed = if is_quoted { closing_quote(bytes, start) } else { start };
        let is_end = |byte: &u8| matches!(byte, b',' | b'\n' | b'\r');
        let length = bytes[closed..].iter().position(is_end);
        let end = length.map_or(bytes.len(), |length| closed + length);
        Self { start, end: if is_quoted { closed } else { end }, next: end + 1 }
    }

    fn is_formula(&self, table: &str) -> bool {
        let text = &table[self.start..self.end];
        text.starts_with(|letter| letter == APOSTROPHE || begins_formula(letter))
            && is_formula(text)
    }
}

/// Returns the offset of the quote that closes the quoted text that begins at `start`: one that
/// is no half of two.
fn closing_quote(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', Some(b'"')) => at += 2,
            (b'"', _) => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut table = CsvText::new(["name", "count"]);
        table.row(["plain [x] (unattributed)", "1"]);
        table.row(["f(int,int)", ""]);
        table.row([r#"say "a""#, "two\nlines"]);
        let expected = "name,count\nplain [x] (unattributed),1\n\"f(int,int)\",\n\
                        \"say \"\"a\"\"\",\"two\nlines\"\n";
        assert_eq!(table.text(), expected);
    }

    #[test]
    fn no_rows_are_no_text() {
        assert_eq!(CsvText::without_head().text(), "");
    }

    fn table(rows: &[Vec<String>]) -> String {
        let mut table = CsvText::without_head();
        rows.iter().for_each(|row| table.row(row));
        table.text()
    }

    fn rows(text: &str) -> Vec<Vec<String>> {
        let rows =
            reader_with_settings(csv::ReaderBuilder::new().has_headers(false), text).into_records();
        rows.map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn what_begins_like_a_formula_is_written_as_text_and_numbers_stay() {
        let fields = ["=1+1", "+1+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\tx", "\rx", "＝x", "'=x"];
        let mut text = CsvText::without_head();
        text.row(fields);
        let expected = "'=1+1,'+1+cmd|' /C calc'!A0,'-x,'@SUM(A1),'\tx,\"'\rx\",'＝x,''=x\n";
        assert_eq!(text.text(), expected);
        let harmless = ["-1.5", "+2e-9", "-inf", "-", "+", "'quoted'", "a=b", "", "'"];
        let mut text = CsvText::without_head();
        text.row(harmless);
        assert_eq!(text.text(), "-1.5,+2e-9,-inf,-,+,'quoted',a=b,,'\n");
    }

    proptest::proptest! {
        #[test]
        fn rows_come_back_as_they_were(
            rows_in in proptest::collection::vec(
                proptest::collection::vec("[-=+@'\",\t\r\na1.＝]{0,5}", 3),
                1..4,
            ),
        ) {
            let text = table(&rows_in);
            proptest::prop_assert_eq!(rows(&text), rows_in.clone());
            let raw = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes())
                .into_records().flat_map(|row| row.unwrap().iter().map(str::to_owned)
                .collect::<Vec<_>>()).collect::<Vec<String>>();
            for (written, field) in raw.iter().zip(rows_in.iter().flatten()) {
                let is_number = field.parse::<f64>().is_ok();
                let is_sign = field.chars().count() < 2;
                proptest::prop_assert!(
                    !written.starts_with(begins_formula) || is_number || is_sign
                );
                proptest::prop_assert_eq!(without_guard(written), field.as_str());
            }
        }

        #[test]
        fn no_text_is_too_odd_for_a_table(text in "[-='\",\r\nx＝]{0,20}") {
            let _ = guard_formulas(text.clone());
            let _ = without_guards(&text);
        }
    }
}
