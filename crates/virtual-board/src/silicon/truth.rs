//! The truth: the energy by line, method, pattern and library function, in files
//! that only evaluation reads. All sums are of whole attojoules, so every file
//! adds up to the total.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::cost::joules;
use super::library::without_parameters;
use super::map::Map;
use super::price::Price;

/// Executions and attojoules of one row.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Sum {
    executions: u64,
    units: u64,
    energy: u128,
}

/// The rows of all files.
#[derive(Debug, Default)]
struct Truth<'a> {
    lines: BTreeMap<(&'a str, u32), u128>,
    methods: BTreeMap<(&'a str, &'a str), u128>,
    patterns: BTreeMap<String, Sum>,
    library: BTreeMap<&'a str, Sum>,
    energy: u128,
    bytes: u128,
}

/// Writes the truth of these counts to a folder.
pub(super) fn write(dir: &Path, map: &Map, counts: &[u64], prices: &[Price]) -> io::Result<()> {
    let truth = sum(map, counts, prices);
    fs::create_dir_all(dir)?;
    table(dir, "lines.csv", &["file", "line", "energy_j"], &truth.line_rows())?;
    table(dir, "methods.csv", &["class", "method", "energy_j"], &truth.method_rows())?;
    table(dir, "patterns.csv", &["pattern", "executions", "energy_j"], &truth.pattern_rows())?;
    let library = ["function", "calls", "energy_j", "units"];
    table(dir, "library.csv", &library, &truth.library_rows())?;
    table(dir, "total.csv", &["energy_j", "allocated_bytes"], &[truth.total_row()])
}

fn sum<'a>(map: &'a Map, counts: &[u64], prices: &[Price]) -> Truth<'a> {
    let mut truth = Truth::default();
    for (counter, &count) in map.counters.iter().zip(counts).filter(|(_, count)| **count > 0) {
        let method = &map.methods[counter.method];
        for item in &counter.items {
            let executions = count.saturating_mul(item.count);
            let price = prices[item.pattern];
            truth.bytes += u128::from(executions) * u128::from(price.bytes);
            let energy = u128::from(executions) * u128::from(price.energy);
            truth.energy += energy;
            *truth.lines.entry((&method.file, item.line)).or_default() += energy;
            *truth.methods.entry((&method.class, &method.name)).or_default() += energy;
            truth.pattern(&map.patterns[item.pattern], executions, energy);
        }
    }
    truth
}

impl<'a> Truth<'a> {
    fn pattern(&mut self, text: &'a str, executions: u64, energy: u128) {
        let library = text.strip_prefix("call:").or_else(|| text.strip_prefix("units:"));
        if let Some(function) = library {
            let row = self.library.entry(without_parameters(function)).or_default();
            let (calls, units) =
                if text.starts_with("call:") { (executions, 0) } else { (0, executions) };
            row.executions = row.executions.saturating_add(calls);
            row.units = row.units.saturating_add(units);
            row.energy += energy;
        }
        if let Some(name) = pattern_name(text) {
            let row = self.patterns.entry(name).or_default();
            let counts = !text.starts_with("units:");
            row.executions = row.executions.saturating_add(if counts { executions } else { 0 });
            row.energy += energy;
        }
    }

    fn line_rows(&self) -> Vec<Vec<String>> {
        let with_energy = self.lines.iter().filter(|(_, energy)| **energy > 0);
        with_energy
            .map(|((file, line), energy)| vec![file.to_string(), line.to_string(), number(*energy)])
            .collect()
    }

    fn method_rows(&self) -> Vec<Vec<String>> {
        let row = |((class, method), energy): (&(&str, &str), &u128)| {
            vec![class.to_string(), method.to_string(), number(*energy)]
        };
        self.methods.iter().filter(|(_, energy)| **energy > 0).map(row).collect()
    }

    fn pattern_rows(&self) -> Vec<Vec<String>> {
        let row = |(name, sum): (&String, &Sum)| {
            vec![name.clone(), sum.executions.to_string(), number(sum.energy)]
        };
        self.patterns.iter().map(row).collect()
    }

    fn library_rows(&self) -> Vec<Vec<String>> {
        let row = |(name, sum): (&&str, &Sum)| {
            let (calls, units) = (sum.executions.to_string(), sum.units.to_string());
            vec![name.to_string(), calls, number(sum.energy), units]
        };
        self.library.iter().map(row).collect()
    }

    fn total_row(&self) -> Vec<String> {
        vec![number(self.energy), self.bytes.to_string()]
    }
}

/// The pattern as the truth names it; none for what only allocates. All library
/// functions are one row here.
fn pattern_name(text: &str) -> Option<String> {
    match text.split_once(':') {
        None if text == "array" => Some("array byte".into()),
        None | Some(("new", _)) => None,
        Some(("call" | "units", _)) => Some("library".into()),
        Some(("size", size)) => Some(format!("operand/{size}")),
        Some(("return", kind)) => Some(format!("value return/{kind}")),
        Some((_, rest)) => Some(rest.to_string()),
    }
}

fn number(attojoules: u128) -> String {
    joules(attojoules).to_string()
}

/// Writes a file whole or not at all.
fn table(dir: &Path, name: &str, header: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(&bytes)?;
    file.persist(dir.join(name)).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "pattern\t0\top:Addition/int\npattern\t1\tcall:p.Q.f(int)\n\
        pattern\t2\tunits:p.Q.f(int)\npattern\t3\tbytes\n\
        class\ta.A\tA.java\t-\tplain\nmethod\tm\t([I)V\t-\t0\n\
        block\t0\t7:0*2\t8:1*1\t8:3*16\nblock\t1\t8:2*1\n\
        method\tn\t()V\t-\t0\nblock\t2\t9:0*1\n";

    fn written(name: &str) -> String {
        let mut map = Map::default();
        map.feed(MAP).unwrap();
        let energy = [3, 50, 7, 0].map(|nano| nano * 1_000_000_000_u64);
        let bytes = [0, 8, 2, 1];
        let prices: Vec<Price> =
            energy.iter().zip(bytes).map(|(&energy, bytes)| Price { energy, bytes }).collect();
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &map, &[10, 100, 0], &prices).unwrap();
        fs::read_to_string(dir.path().join(name)).unwrap()
    }

    // block 0: 2 * 3 nJ on line 7, 50 nJ on line 8, ten times; 100 units of 7 nJ on line 8
    #[test]
    fn every_file_adds_up_to_the_total() {
        for (file, expected) in [
            ("lines.csv", "file,line,energy_j\na/A.java,7,0.00000006\na/A.java,8,0.0000012\n"),
            ("methods.csv", "class,method,energy_j\na.A,m(int[]),0.00000126\n"),
            (
                "patterns.csv",
                "pattern,executions,energy_j\nAddition/int,20,0.00000006\nlibrary,10,0.0000012\n",
            ),
            ("library.csv", "function,calls,energy_j,units\np.Q.f,10,0.0000012,100\n"),
            ("total.csv", "energy_j,allocated_bytes\n0.00000126,440\n"),
        ] {
            assert_eq!(written(file), expected, "{file}");
        }
    }
}
