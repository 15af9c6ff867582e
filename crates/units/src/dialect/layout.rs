//! Layout of a table's text: the separator of its cells, and the lines before its titles.

use super::error::DialectError;
use super::numbers::DecimalMarkEvidence;
use super::titles::is_units_row;

/// Separator between two cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellSeparator {
    /// A character.
    Byte(u8),
    /// Any number of spaces and tabs.
    Spaces,
}

/// Positions of titles and cells in a text: separator, quoting and skipped lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    /// Separator of the cells.
    pub separator: CellSeparator,
    /// Whether quotes within quotes are escaped by a backslash instead of being doubled.
    pub has_backslashes: bool,
    /// Number of lines before that of the titles.
    pub skipped: usize,
    /// Whether the line of titles begins with a `#` that is no part of the first title.
    pub has_hash: bool,
    /// Whether the line after the titles holds their units.
    pub has_units: bool,
}

/// Most lines before the titles that are looked through.
const PREAMBLE_LINES: usize = 50;

/// Separators by how usual they are; of those that fit alike, the one with more cells is it.
const SEPARATORS: [CellSeparator; 5] = [
    CellSeparator::Byte(b','),
    CellSeparator::Byte(b';'),
    CellSeparator::Byte(b'\t'),
    CellSeparator::Byte(b'|'),
    CellSeparator::Spaces,
];

impl CellSeparator {
    /// Returns its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte(b',') => "commas",
            Self::Byte(b';') => "semicolons",
            Self::Byte(b'\t') => "tabs",
            Self::Byte(b'|') => "vertical bars",
            Self::Byte(_) => "a separator of its own",
            Self::Spaces => "spaces",
        }
    }

    /// Returns the byte that splits rows, once runs of spaces are tabs.
    pub fn byte(self) -> u8 {
        match self {
            Self::Byte(byte) => byte,
            Self::Spaces => b'\t',
        }
    }

    /// Replaces each run of spaces outside quotes by one tab.
    pub(crate) fn with_single_tabs(line: &str) -> String {
        let (mut text, mut is_quoted, mut is_space) = (String::new(), false, true);
        for letter in line.trim_end().chars() {
            is_quoted ^= letter == '"';
            let is_blank = matches!(letter, ' ' | '\t') && !is_quoted;
            if is_blank && !is_space {
                text.push('\t');
            } else if !is_blank {
                text.push(letter);
            }
            is_space = is_blank;
        }
        let end = text.trim_end_matches('\t').len();
        text.truncate(end);
        text
    }

    /// Splits a line that has no line break within quotes into its cells.
    pub fn cells(self, line: &str, has_backslashes: bool) -> Vec<String> {
        let is_simple = !line.is_empty() && !line.contains('"');
        if let Self::Byte(byte) = self
            && is_simple
        {
            return line.split(char::from(byte)).map(|cell| cell.trim().to_owned()).collect();
        }
        // Blanks before a quote are no part of the cell.
        let line = match self {
            Self::Byte(_) => line.replace(", \"", ",\""),
            Self::Spaces => Self::with_single_tabs(line),
        };
        let mut reader = reader_settings(self, has_backslashes).from_reader(line.as_bytes());
        let mut record = csv::ByteRecord::new();
        let read = reader.read_byte_record(&mut record).unwrap_or(false);
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned());
        if read { cells.collect() } else { Vec::new() }
    }
}

/// Returns the settings with which the `csv` crate reads rows of a layout.
pub(super) fn reader_settings(
    separator: CellSeparator,
    has_backslashes: bool,
) -> csv::ReaderBuilder {
    let mut settings = csv::ReaderBuilder::new();
    settings.has_headers(false).flexible(true).delimiter(separator.byte());
    if has_backslashes {
        settings.escape(Some(b'\\')).double_quote(false);
    }
    settings
}

/// A line of a sample, split into cells.
struct SampleRow {
    /// Index of its line.
    line: usize,
    cells: Vec<String>,
}

/// The layout of a sample under one separator, with how well its rows fit.
struct LayoutCandidate {
    layout: TableLayout,
    /// Number of titles.
    columns: usize,
    /// Number of rows with as many cells as there are titles, and of all rows.
    fitting: (usize, usize),
    /// Line and number of cells of the first row with another number of cells.
    odd: Option<(usize, usize)>,
}

impl TableLayout {
    /// Returns the layout of plain CSV: commas, quotes doubled, titles in the first line.
    pub fn plain() -> Self {
        Self {
            separator: CellSeparator::Byte(b','),
            has_backslashes: false,
            skipped: 0,
            has_hash: false,
            has_units: false,
        }
    }

    /// Detects the layout of a sample; plain CSV where nothing distinguishes one.
    ///
    /// # Errors
    /// Commas between cells and within numbers.
    pub fn sniff(sample: &str) -> Result<Self, DialectError> {
        let stated = stated_separator(sample);
        let separators: Vec<CellSeparator> = match stated {
            Some(byte) => vec![CellSeparator::Byte(byte)],
            None => SEPARATORS.to_vec(),
        };
        let has_backslashes = has_backslashes(sample);
        let candidates = separators.into_iter().filter_map(|separator| {
            LayoutCandidate::of(sample, separator, has_backslashes, usize::from(stated.is_some()))
        });
        let Some(best) = candidates.reduce(LayoutCandidate::better_of) else {
            return Ok(Self::plain());
        };
        best.check_commas()?;
        Ok(best.layout)
    }
}

/// Returns the separator that a first line `sep=;` states, which Excel writes and reads.
fn stated_separator(sample: &str) -> Option<u8> {
    let first = sample.lines().next()?.trim().trim_matches('"');
    let (word, separator) = first.split_at_checked(4)?;
    let byte = if separator == "\\t" { Some(&b'\t') } else { separator.as_bytes().first() };
    (word.eq_ignore_ascii_case("sep=") && separator.len() <= 2).then(|| byte.copied()).flatten()
}

/// Whether `\"` occurs within quotes, and two quotes nowhere: Spark's way.
fn has_backslashes(sample: &str) -> bool {
    let inner = |text: &str| text.matches("\\\"").count();
    let ends = ["\\\",", "\\\";", "\\\"\n", "\\\"\t", "\\\"\r"];
    let at_end: usize = ends.iter().map(|end| sample.matches(end).count()).sum();
    inner(sample) > at_end && !sample.replace(",\"\"", "").contains("\"\"")
}

impl LayoutCandidate {
    fn of(
        sample: &str,
        separator: CellSeparator,
        has_backslashes: bool,
        stated: usize,
    ) -> Option<Self> {
        let rows = rows_of(sample, separator, has_backslashes, stated);
        let (head, has_hash) = titles_row(&rows)?;
        let columns = match has_hash {
            true => rows[head].titles_after_hash(),
            false => rows[head].cells.len(),
        };
        let (first, rest) = rows[head..].split_first()?;
        let has_units = rest.first().is_some_and(|row| is_units_row(&row.cells, columns));
        let body = &rest[usize::from(has_units)..];
        let body: Vec<&SampleRow> = body.iter().filter(|row| !row.is_comment()).collect();
        if body.is_empty() && first.line > stated && !has_hash {
            return None;
        }
        let fits = |row: &&SampleRow| row.cells.len() == columns;
        let fitting = body.iter().copied().filter(fits).count();
        let odd = body.iter().copied().find(|row| !fits(row));
        let layout =
            TableLayout { separator, has_backslashes, skipped: first.line, has_hash, has_units };
        let odd = odd.map(|row| (row.line + 1, row.cells.len()));
        Some(Self { layout, columns, fitting: (fitting, body.len()), odd })
    }

    /// Returns the better candidate: more rows fit, or as many and there are more cells; a single
    /// column only where no other has more.
    fn better_of(self, other: Self) -> Self {
        let share = |c: &Self| (c.fitting.0 as f64 + 0.5) / (c.fitting.1 as f64 + 0.5);
        let fits = |c: &Self| c.columns > 1 && c.odd.is_none();
        let is_more = match (fits(&self), fits(&other)) {
            (true, true) => {
                let rank = |c: &Self| (std::cmp::Reverse(c.layout.skipped), c.columns);
                rank(&other) > rank(&self)
            }
            (is_fine, other_is_fine) => other_is_fine && !is_fine,
        };
        let is_less_odd = other.columns > 1 && self.columns == 1 && share(&other) > 0.9;
        if is_more || is_less_odd { other } else { self }
    }

    /// Refuses commas that separate cells and decimals: `time_s,energy_j` above `0,5,1,25`.
    fn check_commas(&self) -> Result<(), DialectError> {
        let is_comma = self.layout.separator == CellSeparator::Byte(b',');
        match self.odd {
            Some((line, cells))
                if is_comma
                    && self.columns > 1
                    && self.fitting.0 == 0
                    && cells > self.columns
                    && cells <= 2 * self.columns =>
            {
                Err(DialectError::CommasTwice { line: line as u64, cells, titles: self.columns })
            }
            _ => Ok(()),
        }
    }
}

impl SampleRow {
    fn is_comment(&self) -> bool {
        self.cells.first().is_some_and(|cell| cell.starts_with('#'))
    }
}

/// Splits a sample into its rows, blank lines left out.
fn rows_of(
    sample: &str,
    separator: CellSeparator,
    has_backslashes: bool,
    stated: usize,
) -> Vec<SampleRow> {
    let spaced;
    let text = match separator {
        CellSeparator::Byte(_) => sample,
        CellSeparator::Spaces => {
            let lines = sample.lines().map(CellSeparator::with_single_tabs);
            spaced = lines.collect::<Vec<_>>().join("\n");
            &spaced
        }
    };
    let reader = reader_settings(separator, has_backslashes).from_reader(text.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    let mut rows = Vec::new();
    for record in reader.into_byte_records() {
        let Ok(record) = record else { break };
        let start = record.position().map_or(0, csv::Position::line).saturating_sub(1) as usize;
        // A row's position is that of the empty lines before it.
        let line = start + lines.iter().skip(start).take_while(|line| line.is_empty()).count();
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned());
        let cells: Vec<String> = cells.collect();
        if line >= stated && cells.iter().any(|cell| !cell.is_empty()) {
            rows.push(SampleRow { line, cells });
        }
    }
    rows
}

/// Finds the index of the row of titles, and whether that begins with a `#`. Lines before it are
/// comments, or have fewer cells than all that follow.
fn titles_row(rows: &[SampleRow]) -> Option<(usize, bool)> {
    let first = rows.iter().position(|row| !row.is_comment());
    let Some(first) = first else { return (!rows.is_empty()).then_some((0, true)) };
    let columns = usual_columns(&rows[first..]);
    let candidate =
        rows[first..].iter().take(PREAMBLE_LINES).position(|row| row.cells.len() == columns);
    let at = first + candidate.unwrap_or(0);
    if !has_numbers(&rows[at]) && rows[first..at].iter().all(|row| row.cells.len() < columns) {
        return Some((at, false));
    }
    let above = first.checked_sub(1).filter(|above| {
        rows[*above].titles_after_hash() == columns && has_only_numbers(&rows[first])
    });
    Some(above.map_or((first, false), |above| (above, true)))
}

impl SampleRow {
    /// Counts the titles, where the `#` before them is a cell of its own or a part of the first.
    fn titles_after_hash(&self) -> usize {
        let is_alone = self.cells.first().is_some_and(|cell| cell == "#");
        self.cells.len() - usize::from(is_alone)
    }
}

/// Returns the number of cells that most rows have.
fn usual_columns(rows: &[SampleRow]) -> usize {
    let mut counts = std::collections::BTreeMap::<usize, usize>::new();
    for row in rows.iter().filter(|row| !row.is_comment()) {
        *counts.entry(row.cells.len()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(cells, rows)| (*rows, *cells)).map_or(0, |(cells, _)| cells)
}

fn has_numbers(row: &SampleRow) -> bool {
    row.cells.iter().any(|cell| DecimalMarkEvidence::is_number(cell))
}

fn has_only_numbers(row: &SampleRow) -> bool {
    row.cells.iter().all(|cell| DecimalMarkEvidence::is_number(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniff(text: &str) -> TableLayout {
        TableLayout::sniff(text).unwrap()
    }

    fn layout(separator: CellSeparator, skipped: usize) -> TableLayout {
        TableLayout { separator, skipped, ..TableLayout::plain() }
    }

    const SEMICOLON: CellSeparator = CellSeparator::Byte(b';');

    #[test]
    fn separators_are_those_that_fit_all_rows() {
        let tab = CellSeparator::Byte(b'\t');
        for (text, expected) in [
            ("a,b\n1,2\n", TableLayout::plain()),
            ("a\n1\n2\n", TableLayout::plain()),
            ("", TableLayout::plain()),
            ("a,b\n", TableLayout::plain()),
            ("a;b\n0,5;1,25\n1,5;2,25\n", layout(SEMICOLON, 0)),
            ("a;b\n0,5;1,25\n", layout(SEMICOLON, 0)),
            ("name,note\nx;y,z;w\n", TableLayout::plain()),
            ("name,note\nx;y,z;w\nq;r,s;t\n", TableLayout::plain()),
            ("a\tb\n0,5\t1 2\n", layout(tab, 0)),
            ("a|b\n1|2\n", layout(CellSeparator::Byte(b'|'), 0)),
            ("time  power\n 0.0   1.5\n10.0  2.5\n", layout(CellSeparator::Spaces, 0)),
            ("sep=;\na,b;c\n1;2\n", layout(SEMICOLON, 1)),
            ("\"a,b\";c\n\"1,2\";2\n", layout(SEMICOLON, 0)),
            ("case,energy_j,a\nx y,1,2\nz w,1,2\n", TableLayout::plain()),
        ] {
            assert_eq!(sniff(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_stands_before_the_titles_is_passed_over() {
        let text = "Power tool 5\nSerial: 7\n\ntime;power;state\n0;1;x\n1;2;y\n";
        assert_eq!(sniff(text), layout(SEMICOLON, 3));
        assert_eq!(sniff("# made by a tool, 2\na,b\n1,2\n"), layout(CellSeparator::Byte(b','), 1));
        let hashed = sniff("# time_s power_w\n0 1.25\n1 2.5\n");
        assert!(hashed.has_hash && hashed.skipped == 0, "{hashed:?}");
        let alone = sniff("# logger 3\n#\ttime[us]\tpower[mW]\n5\t1\n");
        assert!(alone.has_hash && alone.skipped == 1, "{alone:?}");
        // Rows with a cell too many are no titles.
        assert_eq!(sniff("case,energy_j\nx,1\ny,1,2\nz,1,2\n"), TableLayout::plain());
    }

    #[test]
    fn a_line_of_units_is_told_from_rows() {
        assert!(sniff("time;power\ns;mW\n0;1\n").has_units);
        assert!(sniff("time,power,note\n[s],[W],\n0,1,x\n").has_units);
        assert!(!sniff("case,power\nrun,W\n").has_units);
    }

    #[test]
    fn backslashes_before_quotes_are_those_of_spark() {
        assert!(sniff("a,b\n\"say \\\"hi, you\\\" now\",2\n").has_backslashes);
        assert!(!sniff("a,b\n\"say \"\"hi\"\" now\",2\n").has_backslashes);
        assert!(!sniff("a,b\n\"C:\\\",2\n").has_backslashes);
    }

    #[test]
    fn commas_cant_be_both() {
        let error = TableLayout::sniff("time_s,energy_j\n0,5,1,25\n1,5,2,25\n").unwrap_err();
        let expected = "line 2: 4 cells below 2 titles, so commas seem";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(sniff("a,b\n1,2\n3\n"), TableLayout::plain());
    }

    #[test]
    fn cells_of_a_line() {
        assert_eq!(SEMICOLON.cells("a;\"b;c\"; d", false), ["a", "b;c", "d"]);
        assert_eq!(CellSeparator::Spaces.cells("  a  \"b c\"\td ", false), ["a", "b c", "d"]);
        assert_eq!(SEMICOLON.cells("", false), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_layout(text in "[a-c0-9,;\t|# \"\n=.\\\\]{0,60}") {
            let _ = TableLayout::sniff(&text);
        }
    }
}
