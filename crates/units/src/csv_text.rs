//! Tables written as CSV text in memory, with quotes where a field needs them.

/// A table in the making. Its rows are as long as the first one.
#[derive(Debug)]
pub struct CsvText(csv::Writer<Vec<u8>>);

impl CsvText {
    /// A table with these columns.
    pub fn new<F: AsRef<[u8]>>(columns: impl IntoIterator<Item = F>) -> Self {
        let mut table = Self::without_head();
        table.row(columns);
        table
    }

    /// Rows that follow others.
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

    /// The text.
    ///
    /// # Panics
    /// If a field was no UTF-8, which would be a fault of this program.
    pub fn text(self) -> String {
        let bytes = self.0.into_inner().expect("memory has no errors");
        String::from_utf8(bytes).expect("fields are text")
    }
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
}
