//! Ground truth: the energy by line, method, pattern and library function, in files that only
//! evaluation reads. All sums are of whole attojoules, so every file adds up to the total.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::cost::joules;
use super::library::without_parameters;
use super::map::GroundTruthMethod;

/// Pattern name of compilations.
const COMPILATION: &str = "compilation";

/// Executions, units and attojoules of one row.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct PatternTotal {
    executions: u64,
    units: u64,
    energy: u128,
}

/// Energy of a pattern on a line of a method.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroundTruthRow<'a> {
    /// The method.
    pub method: &'a GroundTruthMethod,
    /// Line; 0 if the class file has none.
    pub line: u32,
    /// Pattern, as the agent writes it.
    pub pattern: &'a str,
    /// Number of executions.
    pub executions: u64,
    /// Attojoules.
    pub energy: u128,
}

/// Rows of all files of the ground truth.
#[derive(Debug, Default)]
pub(super) struct GroundTruthRows<'a> {
    lines: BTreeMap<(&'a str, u32), u128>,
    methods: BTreeMap<(&'a str, &'a str), u128>,
    patterns: BTreeMap<String, PatternTotal>,
    library: BTreeMap<&'a str, PatternTotal>,
    energy: u128,
    compilation: u128,
}

impl<'a> GroundTruthRows<'a> {
    /// Adds the energy of a pattern on a line.
    pub fn add(&mut self, row: GroundTruthRow<'a>) {
        let GroundTruthRow { method, line, pattern, executions, energy } = row;
        self.energy += energy;
        *self.lines.entry((&method.file, line)).or_default() += energy;
        *self.methods.entry((&method.class, &method.name)).or_default() += energy;
        self.add_pattern(pattern, executions, energy);
    }

    /// Adds the energy of compiling so many methods, which belongs to no line.
    pub fn add_compilations(&mut self, methods: u64, energy: u128) {
        self.energy += energy;
        self.compilation += energy;
        if methods > 0 {
            let row = self.patterns.entry(COMPILATION.into()).or_default();
            row.executions += methods;
            row.energy += energy;
        }
    }

    /// Writes all files to a folder, with the number of allocated bytes.
    pub fn write(&self, dir: &Path, bytes: u128) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        write_table(dir, "lines.csv", &["file", "line", "energy_j"], &self.line_rows())?;
        write_table(dir, "methods.csv", &["class", "method", "energy_j"], &self.method_rows())?;
        write_table(
            dir,
            "patterns.csv",
            &["pattern", "executions", "energy_j"],
            &self.pattern_rows(),
        )?;
        let library = ["function", "calls", "energy_j", "units"];
        write_table(dir, "library.csv", &library, &self.library_rows())?;
        let total = ["energy_j", "allocated_bytes", "compilation_j"];
        let row = vec![joules_text(self.energy), bytes.to_string(), joules_text(self.compilation)];
        write_table(dir, "total.csv", &total, &[row])
    }

    /// Adds executions and energy to the rows of a pattern and its library function.
    fn add_pattern(&mut self, text: &'a str, executions: u64, energy: u128) {
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

    /// Rows of `lines.csv`.
    fn line_rows(&self) -> Vec<Vec<String>> {
        let with_energy = self.lines.iter().filter(|(_, energy)| **energy > 0);
        with_energy
            .map(|((file, line), energy)| {
                vec![file.to_string(), line.to_string(), joules_text(*energy)]
            })
            .collect()
    }

    /// Rows of `methods.csv`.
    fn method_rows(&self) -> Vec<Vec<String>> {
        let row = |((class, method), energy): (&(&str, &str), &u128)| {
            vec![class.to_string(), method.to_string(), joules_text(*energy)]
        };
        self.methods.iter().filter(|(_, energy)| **energy > 0).map(row).collect()
    }

    /// Rows of `patterns.csv`.
    fn pattern_rows(&self) -> Vec<Vec<String>> {
        let row = |(name, sum): (&String, &PatternTotal)| {
            vec![name.clone(), sum.executions.to_string(), joules_text(sum.energy)]
        };
        self.patterns.iter().map(row).collect()
    }

    /// Rows of `library.csv`.
    fn library_rows(&self) -> Vec<Vec<String>> {
        let row = |(name, sum): (&&str, &PatternTotal)| {
            let (calls, units) = (sum.executions.to_string(), sum.units.to_string());
            vec![name.to_string(), calls, joules_text(sum.energy), units]
        };
        self.library.iter().map(row).collect()
    }
}

/// Name of a pattern in `patterns.csv`; `None` for one that only allocates. All library functions
/// are one row there.
fn pattern_name(text: &str) -> Option<String> {
    match text.split_once(':') {
        None if text == "array" => Some("array byte".into()),
        None if text == "check" => Some("index check".into()),
        None if text == "argument" => Some("call argument".into()),
        None | Some(("new" | "grow", _)) => None,
        Some((form, _)) if form.starts_with("touch/") => Some("cache".into()),
        Some(("call" | "units", _)) => Some("library".into()),
        Some(("size", size)) => Some(format!("operand/{size}")),
        Some(("return", kind)) => Some(format!("value return/{kind}")),
        Some((_, rest)) => Some(rest.to_string()),
    }
}

/// Joules as text.
fn joules_text(attojoules: u128) -> String {
    joules(attojoules).to_string()
}

/// Writes a CSV file whole or not at all.
fn write_table(dir: &Path, name: &str, header: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
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

    fn written(name: &str) -> String {
        let method = |name: &str| GroundTruthMethod {
            class: "a.A".into(),
            file: "a/A.java".into(),
            name: name.into(),
            jvm_name: String::new(),
            descriptor: String::new(),
        };
        let (one, other) = (method("m(int[])"), method("n()"));
        let mut truth = GroundTruthRows::default();
        // per execution: 3 nJ, 50 nJ, 7 nJ, nothing
        for (method, line, pattern, executions, nanojoules) in [
            (&one, 7, "op:Addition/int", 20, 60),
            (&one, 8, "call:p.Q.f(int)", 10, 500),
            (&one, 8, "bytes", 480, 0),
            (&one, 8, "units:p.Q.f(int)", 100, 700),
            (&other, 9, "op:Addition/int", 0, 0),
        ] {
            let energy = nanojoules * 1_000_000_000;
            truth.add(GroundTruthRow { method, line, pattern, executions, energy });
        }
        truth.add_compilations(2, 40_000_000_000);
        let dir = tempfile::tempdir().unwrap();
        truth.write(dir.path(), 440).unwrap();
        fs::read_to_string(dir.path().join(name)).unwrap()
    }

    #[test]
    fn every_file_adds_up_to_the_total() {
        for (file, expected) in [
            ("lines.csv", "file,line,energy_j\na/A.java,7,0.00000006\na/A.java,8,0.0000012\n"),
            ("methods.csv", "class,method,energy_j\na.A,m(int[]),0.00000126\n"),
            (
                "patterns.csv",
                "pattern,executions,energy_j\nAddition/int,20,0.00000006\n\
                 compilation,2,0.00000004\nlibrary,10,0.0000012\n",
            ),
            ("library.csv", "function,calls,energy_j,units\np.Q.f,10,0.0000012,100\n"),
            ("total.csv", "energy_j,allocated_bytes,compilation_j\n0.0000013,440,0.00000004\n"),
        ] {
            assert_eq!(written(file), expected, "{file}");
        }
    }
}
