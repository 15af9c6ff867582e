//! The agent's map: what each counter stands for. Text in, values out; lines come
//! while the application loads classes. The format is described in `MapFile.java`.

use super::names::{ClassKind, MethodText, method_name, source_path};

/// A line of the map that can't be read.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("map.txt, line {line}: {problem}")]
pub struct MapError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
}

/// All that was said so far.
#[derive(Debug, Default)]
pub struct Map {
    /// Pattern texts by number.
    pub patterns: Vec<String>,
    /// Methods in the order they came.
    pub methods: Vec<Method>,
    /// Counters by id.
    pub counters: Vec<Counter>,
    class: Option<Class>,
    lines: usize,
}

/// The class that the following methods belong to.
#[derive(Debug)]
struct Class {
    name: String,
    file: String,
    outer: Option<String>,
    kind: ClassKind,
}

/// A method, as the truth names it.
#[derive(Debug, PartialEq)]
pub struct Method {
    /// Binary name of the class.
    pub class: String,
    /// Path of the source file below its root.
    pub file: String,
    /// Name and readable parameter types.
    pub name: String,
}

/// What one count stands for.
#[derive(Debug, PartialEq)]
pub struct Counter {
    /// Index into the methods.
    pub method: usize,
    /// What one execution holds.
    pub items: Vec<Item>,
}

/// Executions of a pattern on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// The source line; 0 if the class file does not say.
    pub line: u32,
    /// Index into the patterns.
    pub pattern: usize,
    /// How often per count.
    pub count: u64,
}

impl Map {
    /// Takes whole lines.
    ///
    /// # Errors
    /// The first line that is not of the format.
    pub fn feed(&mut self, text: &str) -> Result<(), MapError> {
        for line in text.lines() {
            self.lines += 1;
            let fields: Vec<&str> = line.split('\t').collect();
            let taken = self.take(&fields);
            taken.map_err(|problem| MapError { line: self.lines, problem })?;
        }
        Ok(())
    }

    fn take(&mut self, fields: &[&str]) -> Result<(), &'static str> {
        match fields {
            ["pattern", number, text] if *number == self.patterns.len().to_string() => {
                self.patterns.push((*text).to_string());
                Ok(())
            }
            ["class", name, source, outer, kind] => {
                self.class = Some(class(name, source, outer, kind)?);
                Ok(())
            }
            ["method", name, descriptor, signature, access] => {
                let access = access.parse().map_err(|_| "access flags that are no number")?;
                let signature = (*signature != "-").then_some(*signature);
                self.method(MethodText { name, descriptor, signature, access })
            }
            ["block", id, items @ ..] if *id == self.counters.len().to_string() => {
                self.block(items)
            }
            _ => Err("unknown kind of line, or a number out of order"),
        }
    }

    fn method(&mut self, method: MethodText<'_>) -> Result<(), &'static str> {
        let class = self.class.as_ref().ok_or("a method without a class")?;
        let name = method_name(method, class.kind, class.outer.as_deref());
        let (class, file) = (class.name.clone(), class.file.clone());
        self.methods.push(Method { class, file, name });
        Ok(())
    }

    fn block(&mut self, items: &[&str]) -> Result<(), &'static str> {
        let method = self.methods.len().checked_sub(1).ok_or("a block without a method")?;
        let read = |text: &&str| item(text, self.patterns.len()).ok_or("not LINE:N*COUNT");
        let items = items.iter().map(read).collect::<Result<_, _>>()?;
        self.counters.push(Counter { method, items });
        Ok(())
    }
}

fn class(name: &str, source: &str, outer: &str, kind: &str) -> Result<Class, &'static str> {
    let kind = match kind {
        "plain" => ClassKind::Plain,
        "inner" => ClassKind::Inner,
        "enum" => ClassKind::Enum,
        _ => return Err("unknown kind of class"),
    };
    Ok(Class {
        name: name.to_string(),
        file: source_path(name, (source != "-").then_some(source)),
        outer: (outer != "-").then(|| outer.to_string()),
        kind,
    })
}

fn item(text: &str, patterns: usize) -> Option<Item> {
    let (line, rest) = text.split_once(':')?;
    let (pattern, count) = rest.split_once('*')?;
    let pattern = pattern.parse().ok().filter(|&n| n < patterns)?;
    Some(Item { line: line.parse().ok()?, pattern, count: count.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pattern\t0\tsize:Load\npattern\t1\top:Addition/int\n\
        class\tp.q.Outer$In\tOuter.java\tp.q.Outer\tinner\n\
        method\t<init>\t(Lp/q/Outer;[I)V\t-\t0\nblock\t0\t7:0*2\t8:1*1\n";

    #[test]
    fn lines_become_counters() {
        let mut map = Map::default();
        map.feed(TEXT).unwrap();
        let expected = Method {
            class: "p.q.Outer$In".into(),
            file: "p/q/Outer.java".into(),
            name: "<init>(int[])".into(),
        };
        assert_eq!(map.methods, [expected]);
        let items =
            vec![Item { line: 7, pattern: 0, count: 2 }, Item { line: 8, pattern: 1, count: 1 }];
        assert_eq!(map.counters, [Counter { method: 0, items }]);
    }

    #[test]
    fn strange_lines_are_named() {
        for wrong in ["block\t1\t7:0*2", "block\t2", "block\t1\t7:2*1", "pattern\t3\tx", "?", ""] {
            let mut map = Map::default();
            map.feed(TEXT).unwrap();
            let result = map.feed(&format!("{wrong}\n"));
            let is_wrong = wrong != "block\t1\t7:0*2";
            assert_eq!(result.is_err(), is_wrong, "{wrong}");
            assert!(result.err().is_none_or(|e| e.line == 6));
        }
        let mut map = Map::default();
        assert!(map.feed("block\t0\t").is_err());
    }
}
