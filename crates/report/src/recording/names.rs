//! Deobfuscation: renames classes and methods of a recording to the names of its sources.

use std::collections::{BTreeMap, BTreeSet};

use super::{JvmDescription, Recording};
use crate::attribution::mapping::{Mapping, NameCertainty, RuntimeMethod};
use crate::format;

/// Number of a recording's methods that a mapping renamed, by certainty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RenameCounts {
    /// Renamed to one source method.
    pub named: usize,
    /// Renamed to several source methods that cannot be separated.
    pub several: usize,
    /// Renamed by their class alone.
    pub by_class: usize,
    /// Not renamed.
    pub unknown: usize,
}

impl Recording {
    /// Returns the obfuscated names of the classes whose methods were recorded, for the look-up in
    /// a mapping of ProGuard or R8.
    pub fn class_names(&self) -> BTreeSet<String> {
        let folded = self.about.jvm.iter().flat_map(|jvm| jvm.other_names());
        let folded = folded.filter_map(|method| split_method_name(method).map(|(class, _)| class));
        let rows = self.methods.iter().map(|row| row.class.as_str());
        let host = |class: &str| class.split("$$Lambda").next().unwrap_or(class).to_string();
        let nodes = self.nodes.iter().map(|row| row.class.as_str());
        let all: Vec<&str> = rows.chain(folded).chain(nodes).collect();
        all.iter().flat_map(|class| [class.to_string(), host(class)]).collect()
    }

    /// Renames classes, methods and lines to the names of the sources. Energies stay with their
    /// rows, so sums do not change; two methods with one source name become one in the sums.
    pub fn rename(&mut self, mapping: &Mapping) -> RenameCounts {
        let mut seen = BTreeMap::new();
        for row in &mut self.methods {
            let recorded = RuntimeMethod {
                class: &row.class,
                method: &row.method,
                file: &row.file,
                lines: (row.first_line, row.last_line),
            };
            let named = mapping.source_method(recorded);
            let key = (std::mem::take(&mut row.class), std::mem::take(&mut row.method));
            seen.insert(key, named.certainty);
            (row.class, row.method, row.file) = (named.class, named.method, named.file);
            (row.first_line, row.last_line) = named.lines;
        }
        for row in &mut self.nodes {
            let lines = (row.first_line, row.last_line);
            let (class, method, file) = (&row.class, &row.method, &row.file);
            let named = mapping.source_method(RuntimeMethod { class, method, file, lines });
            (row.class, row.method, row.file) = (named.class, named.method, named.file);
            (row.first_line, row.last_line) = named.lines;
        }
        for method in self.about.jvm.iter_mut().flat_map(JvmDescription::other_names_mut) {
            if let Some((class, name)) = split_method_name(method) {
                let named = mapping.source_method(RuntimeMethod {
                    class,
                    method: name,
                    file: "",
                    lines: (0, 0),
                });
                *method = format!("{}.{}", named.class, named.method);
            }
        }
        let renamed = count_renames(seen.into_values());
        self.about.notes.push(renamed.to_string());
        renamed
    }
}

/// Class and method of a name of the form `a.b.C.d(int)`.
fn split_method_name(method: &str) -> Option<(&str, &str)> {
    let name = method.find('(').unwrap_or(method.len());
    let dot = method[..name].rfind('.')?;
    Some((&method[..dot], &method[dot + 1..]))
}

fn count_renames(all: impl Iterator<Item = NameCertainty>) -> RenameCounts {
    let mut renamed = RenameCounts::default();
    for certainty in all {
        match certainty {
            NameCertainty::Method => renamed.named += 1,
            NameCertainty::Several => renamed.several += 1,
            NameCertainty::Class => renamed.by_class += 1,
            NameCertainty::Nothing => renamed.unknown += 1,
        }
    }
    renamed
}

impl std::fmt::Display for RenameCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.named + self.several + self.by_class + self.unknown;
        let all = format::counted(all, "recorded method");
        write!(f, "names by a mapping file: {} of {all}", self.named)?;
        let rest = [
            (self.several, ["stands", "stand"], " for several that can't be told apart"),
            (self.by_class, ["has its", "have their"], " class's name alone from it"),
            (self.unknown, ["is not in it and keeps its own", "are not in it and keep theirs"], ""),
        ];
        for (count, [one, many], end) in rest.into_iter().filter(|(count, ..)| *count > 0) {
            write!(f, "; {}{end}", format::counted_as(count, one, many))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::accounts::tests::recording;
    use super::super::{FoldedMethod, sum_recording};
    use super::*;

    const TEXT: &str = "com.Game -> a.A:\n    1:9:void run(int):11:19 -> x\n\
        com.Game$Part -> a.C:\n    void tiny() -> b\n";

    #[test]
    fn names_change_and_sums_do_not() {
        let mut recording = recording();
        let folded = FoldedMethod { method: "a.C.b()".into(), ..FoldedMethod::default() };
        let (folded, estimated) = (vec![folded], vec!["x".to_string()]);
        recording.about.jvm =
            Some(JvmDescription { pid: 7, folded, estimated, ..JvmDescription::default() });
        let names = recording.class_names();
        assert!(names.contains("a.A") && names.contains("a.C"), "{names:?}");
        let before = sum_recording(&recording);
        let mapping = Mapping::read(TEXT.as_bytes(), &|class| names.contains(class)).unwrap();
        let renamed = recording.rename(&mapping);
        assert_eq!(renamed, RenameCounts { named: 1, unknown: 1, ..RenameCounts::default() });
        let after = sum_recording(&recording);
        assert_eq!((before.jvm, before.rests()), (after.jvm, after.rests()));
        let keys: Vec<String> =
            after.methods.keys().map(|key| format!("{}.{}", key.class, key.method)).collect();
        assert_eq!(keys, ["a.B.x(int)", "com.Game.run(int)"]);
        let row = &recording.methods[0];
        assert_eq!((row.file.as_str(), row.first_line, row.last_line), ("com/A.java", 13, 14));
        let jvm = recording.about.jvm.unwrap();
        assert_eq!(jvm.other_names().collect::<Vec<_>>(), ["com.Game$Part.tiny()", "x"]);
        let note = recording.about.notes.pop().unwrap();
        assert_eq!(
            note,
            "names by a mapping file: 1 of 2 recorded methods; 1 is not in it and keeps its own"
        );
    }

    #[test]
    fn methods_of_one_name_are_one() {
        let mut recording = recording();
        let text =
            "com.G -> a.A:\n    void run(int) -> x\ncom.H -> a.B:\n    void com.G.run(int) -> x\n";
        let mapping = Mapping::read(text.as_bytes(), &|_| true).unwrap();
        assert_eq!(recording.rename(&mapping).named, 2);
        let sums = sum_recording(&recording);
        assert_eq!(sums.methods.len(), 1);
        assert_eq!(sums.methods.values().next().unwrap().calls, Some(40));
    }
}
