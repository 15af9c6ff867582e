//! The agent's map: what each counter stands for. Text in, values out; lines come
//! while the application loads classes. The format is described in `MapFile.java`.

use std::ops::Range;

use super::names::{ClassKind, MethodText, method_name, source_path};

/// More counters than any agent has.
const COUNTERS_MAX: usize = 1 << 24;

/// A line of the map that can't be read.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("map.txt, line {line}: {problem}")]
pub(crate) struct MapError {
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
    pub methods: Vec<TruthMethod>,
    /// Counters by id.
    pub counters: Vec<CountedUnit>,
    /// What the methods of a compiled chip consist of, by number less one.
    pub bodies: Vec<MethodCounters>,
    /// The counters of all bodies, one after another.
    pub places: Vec<PatternSite>,
    /// Where bodies are counted, in the order they came.
    pub copies: Vec<CounterCopy>,
    class: Option<ClassScope>,
    lines: usize,
}

/// The class that the following methods belong to.
#[derive(Debug)]
struct ClassScope {
    name: String,
    file: String,
    outer: Option<String>,
    kind: ClassKind,
}

/// A method, as the ground truth names it.
#[derive(Debug, PartialEq)]
pub(crate) struct TruthMethod {
    /// Binary name of the class.
    pub class: String,
    /// Path of the source file below its root.
    pub file: String,
    /// Name and readable parameter types.
    pub name: String,
    /// The name in the class file.
    pub jvm_name: String,
    /// The erased type in the class file.
    pub descriptor: String,
}

/// What one count stands for.
#[derive(Debug, PartialEq)]
pub(crate) struct CountedUnit {
    /// Index into the methods.
    pub method: usize,
    /// What one execution holds.
    pub items: Vec<PatternExecutions>,
}

/// The counters of a method, of which there is a copy for each state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MethodCounters {
    /// Index into the methods.
    pub method: usize,
    /// Instructions of its code.
    pub instructions: u64,
    /// Its counters.
    pub places: Range<usize>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PatternSite {
    /// Of the bytes of its block.
    pub hash: u64,
    /// What one execution holds.
    pub items: Vec<PatternExecutions>,
}

/// Counters of a body in one state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CounterCopy {
    /// The first one's id.
    pub base: usize,
    /// Index into the bodies.
    pub body: usize,
    /// The state.
    pub state: MethodState,
    /// The counter of the call that it was compiled into; 0 if it was not.
    pub call: usize,
}

/// The state of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MethodState {
    /// Interpreted.
    Interpreted,
    /// Compiled by itself.
    Compiled,
    /// Compiled into a caller.
    Inlined,
}

/// In which states an item is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In all.
    Always,
    /// While the method is interpreted.
    Interpreted,
    /// Compiled, by itself or into a caller.
    Compiled,
    /// Not compiled into a caller.
    Called,
}

/// Executions of a pattern on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PatternExecutions {
    /// The source line; 0 if the class file does not say.
    pub line: u32,
    /// Index into the patterns.
    pub pattern: usize,
    /// How often per count.
    pub count: u64,
    /// In which states of the method.
    pub when: When,
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
            ["code", number, instructions] if *number == (self.bodies.len() + 1).to_string() => {
                let instructions = instructions.parse().map_err(|_| "a size that is no number")?;
                self.body(instructions)
            }
            ["place", hash, items @ ..] => self.place(hash, items),
            ["copy", base, body, state, call] => self.copy([base, body, call], state),
            _ => Err("unknown kind of line, or a number out of order"),
        }
    }

    fn method(&mut self, method: MethodText<'_>) -> Result<(), &'static str> {
        let class = self.class.as_ref().ok_or("a method without a class")?;
        let name = method_name(method, class.kind, class.outer.as_deref());
        let (class, file) = (class.name.clone(), class.file.clone());
        let (jvm_name, descriptor) = (method.name.into(), method.descriptor.into());
        self.methods.push(TruthMethod { class, file, name, jvm_name, descriptor });
        Ok(())
    }

    fn body(&mut self, instructions: u64) -> Result<(), &'static str> {
        let method = self.methods.len().checked_sub(1).ok_or("code without a method")?;
        let places = self.places.len()..self.places.len();
        self.bodies.push(MethodCounters { method, instructions, places });
        Ok(())
    }

    fn place(&mut self, hash: &str, items: &[&str]) -> Result<(), &'static str> {
        let hash = u64::from_str_radix(hash, 16).map_err(|_| "a hash that is no number")?;
        let items = self.items(items)?;
        let body = self.bodies.last_mut().ok_or("a place without code")?;
        self.places.push(PatternSite { hash, items });
        body.places.end = self.places.len();
        Ok(())
    }

    fn copy(&mut self, numbers: [&str; 3], state: &str) -> Result<(), &'static str> {
        let number = |text: &str| text.parse::<usize>().map_err(|_| "a number that is none");
        let [base, body, call] = numbers;
        let (base, body, call) = (number(base)?, number(body)?, number(call)?);
        let known = |body: &usize| *body < self.bodies.len();
        let body = body.checked_sub(1).filter(known).ok_or("a copy of nothing")?;
        let state = match state {
            "interpreted" => MethodState::Interpreted,
            "compiled" => MethodState::Compiled,
            "inlined" => MethodState::Inlined,
            _ => return Err("unknown state"),
        };
        if base.saturating_add(self.bodies[body].places.len()) > COUNTERS_MAX {
            return Err("a counter beyond all that there are");
        }
        self.copies.push(CounterCopy { base, body, state, call });
        Ok(())
    }

    fn items(&self, texts: &[&str]) -> Result<Vec<PatternExecutions>, &'static str> {
        let read = |text: &&str| item(text, self.patterns.len()).ok_or("not LINE:N*COUNT");
        texts.iter().map(read).collect()
    }

    fn block(&mut self, items: &[&str]) -> Result<(), &'static str> {
        let method = self.methods.len().checked_sub(1).ok_or("a block without a method")?;
        let items = self.items(items)?;
        self.counters.push(CountedUnit { method, items });
        Ok(())
    }
}

fn class(name: &str, source: &str, outer: &str, kind: &str) -> Result<ClassScope, &'static str> {
    let kind = match kind {
        "plain" => ClassKind::Plain,
        "inner" => ClassKind::Inner,
        "enum" => ClassKind::Enum,
        _ => return Err("unknown kind of class"),
    };
    Ok(ClassScope {
        name: name.to_string(),
        file: source_path(name, (source != "-").then_some(source)),
        outer: (outer != "-").then(|| outer.to_string()),
        kind,
    })
}

fn item(text: &str, patterns: usize) -> Option<PatternExecutions> {
    let (line, rest) = text.split_once(':')?;
    let (pattern, count) = rest.split_once('*')?;
    let (pattern, when) = when(pattern);
    let pattern = pattern.parse().ok().filter(|&n| n < patterns)?;
    Some(PatternExecutions { line: line.parse().ok()?, pattern, count: count.parse().ok()?, when })
}

/// A pattern's number, and in which states it is executed.
fn when(text: &str) -> (&str, When) {
    let states = [('i', When::Interpreted), ('c', When::Compiled), ('r', When::Called)];
    let found =
        states.into_iter().find_map(|(letter, when)| Some((text.strip_suffix(letter)?, when)));
    found.unwrap_or((text, When::Always))
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
        let expected = TruthMethod {
            class: "p.q.Outer$In".into(),
            file: "p/q/Outer.java".into(),
            name: "<init>(int[])".into(),
            jvm_name: "<init>".into(),
            descriptor: "(Lp/q/Outer;[I)V".into(),
        };
        assert_eq!(map.methods, [expected]);
        let when = When::Always;
        let items = [(7, 0, 2), (8, 1, 1)].map(|(line, pattern, count)| PatternExecutions {
            line,
            pattern,
            count,
            when,
        });
        assert_eq!(map.counters, [CountedUnit { method: 0, items: items.to_vec() }]);
    }

    #[test]
    fn compiled_methods_are_bodies_and_copies() {
        let mut map = Map::default();
        let lines = "code\t1\t9\nplace\tff\t7:0i*2\t8:1c*1\nplace\t1\t7:0r*1\t7:1*3\n\
                     copy\t5\t1\tinlined\t3\n";
        map.feed(TEXT).unwrap();
        map.feed(lines).unwrap();
        assert_eq!(map.bodies, [MethodCounters { method: 0, instructions: 9, places: 0..2 }]);
        assert_eq!(map.places[0].hash, 255);
        let when: Vec<When> =
            map.places.iter().flat_map(|place| &place.items).map(|item| item.when).collect();
        assert_eq!(when, [When::Interpreted, When::Compiled, When::Called, When::Always]);
        assert_eq!(
            map.copies,
            [CounterCopy { base: 5, body: 0, state: MethodState::Inlined, call: 3 }]
        );
        for wrong in [
            "code\t1\t9",
            "code\t2\tx",
            "place\tx",
            "place\t1\t7:0x*1",
            "copy\t5\t2\tinlined\t0",
            "copy\t5\t0\tinlined\t0",
            "copy\t5\t1\tcold\t0",
            "copy\t99999999\t1\tcompiled\t0",
        ] {
            assert!(map.feed(&format!("{wrong}\n")).is_err(), "{wrong}");
        }
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
