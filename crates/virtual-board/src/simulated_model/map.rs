//! The agent's map of counters: method and patterns of each counter. Text in, values out; lines
//! come while the application loads classes. The format is described in `MapFile.java`.

use std::ops::Range;

use super::names::{ClassKind, MethodText, method_name, source_path};

/// Largest number of counters of an agent.
const COUNTERS_MAX: usize = 1 << 24;

/// Error of a malformed line of the map.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("map.txt, line {line}: {problem}")]
pub(crate) struct CounterMapError {
    /// The line, from 1.
    pub line: usize,
    /// Fault of the line.
    pub problem: &'static str,
}

/// Counters of an agent with their methods and patterns, as far as lines have come.
#[derive(Debug, Default)]
pub struct CounterMap {
    /// Texts of the patterns by number.
    pub patterns: Vec<String>,
    /// Methods in the order they came.
    pub methods: Vec<GroundTruthMethod>,
    /// Counters by id.
    pub counters: Vec<CountedUnit>,
    /// Bodies of the methods of a compiled model, by number less one.
    pub bodies: Vec<MethodCounters>,
    /// Code locations of all bodies, one after another.
    pub places: Vec<PatternSite>,
    /// Counted copies of bodies, in the order they came.
    pub copies: Vec<CounterCopy>,
    class: Option<ClassScope>,
    lines: usize,
}

/// Class that the following methods belong to.
#[derive(Debug)]
struct ClassScope {
    name: String,
    file: String,
    outer: Option<String>,
    kind: ClassKind,
}

/// Method with its source and class file names.
#[derive(Debug, PartialEq)]
pub(crate) struct GroundTruthMethod {
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

/// Counter of the additive model: a block of a method.
#[derive(Debug, PartialEq)]
pub(crate) struct CountedUnit {
    /// Index into the methods.
    pub method: usize,
    /// Patterns of one execution.
    pub items: Vec<PatternExecutions>,
}

/// Body of a method with its code locations, which is counted in a copy for each state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MethodCounters {
    /// Index into the methods.
    pub method: usize,
    /// Bytecode instructions of the body.
    pub instructions: u64,
    /// Indices of its code locations.
    pub places: Range<usize>,
}

/// Code location of a method's body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PatternSite {
    /// Hash of the bytes of its block.
    pub hash: u64,
    /// Patterns of one execution.
    pub items: Vec<PatternExecutions>,
}

/// Counters of a body in one state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CounterCopy {
    /// Id of the first counter.
    pub base: usize,
    /// Index into the bodies.
    pub body: usize,
    /// State of the method.
    pub state: MethodState,
    /// Counter of the call where the body was inlined; 0 if it was not.
    pub call: usize,
}

/// State of a method in the JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MethodState {
    /// Interpreted.
    Interpreted,
    /// Compiled by itself.
    Compiled,
    /// Compiled into a caller.
    Inlined,
}

/// States of a method in which an item is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionCondition {
    /// In all states.
    Always,
    /// While the method is interpreted.
    Interpreted,
    /// While the method is compiled, by itself or into a caller.
    Compiled,
    /// While the method is not compiled into a caller.
    Called,
}

/// Executions of a pattern on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PatternExecutions {
    /// Source line; 0 if the class file has none.
    pub line: u32,
    /// Index into the patterns.
    pub pattern: usize,
    /// Executions per count.
    pub count: u64,
    /// States of the method in which the pattern is executed.
    pub when: ExecutionCondition,
}

impl CounterMap {
    /// Adds whole lines of the map.
    ///
    /// # Errors
    /// The first line that is not of the format.
    pub fn feed(&mut self, text: &str) -> Result<(), CounterMapError> {
        for line in text.lines() {
            self.lines += 1;
            let fields: Vec<&str> = line.split('\t').collect();
            let taken = self.add_line(&fields);
            taken.map_err(|problem| CounterMapError { line: self.lines, problem })?;
        }
        Ok(())
    }

    /// Adds the fields of one line; the error is its fault.
    fn add_line(&mut self, fields: &[&str]) -> Result<(), &'static str> {
        match fields {
            ["pattern", number, text] if *number == self.patterns.len().to_string() => {
                self.patterns.push((*text).to_string());
                Ok(())
            }
            ["class", name, source, outer, kind] => {
                self.class = Some(parse_class(name, source, outer, kind)?);
                Ok(())
            }
            ["method", name, descriptor, signature, access] => {
                let access = access.parse().map_err(|_| "access flags that are no number")?;
                let signature = (*signature != "-").then_some(*signature);
                self.add_method(MethodText { name, descriptor, signature, access })
            }
            ["block", id, items @ ..] if *id == self.counters.len().to_string() => {
                self.add_counter(items)
            }
            ["code", number, instructions] if *number == (self.bodies.len() + 1).to_string() => {
                let instructions = instructions.parse().map_err(|_| "a size that is no number")?;
                self.add_body(instructions)
            }
            ["place", hash, items @ ..] => self.add_code_location(hash, items),
            ["copy", base, body, state, call] => self.add_copy([base, body, call], state),
            _ => Err("unknown kind of line, or a number out of order"),
        }
    }

    /// Adds a method of the present class.
    fn add_method(&mut self, method: MethodText<'_>) -> Result<(), &'static str> {
        let class = self.class.as_ref().ok_or("a method without a class")?;
        let name = method_name(method, class.kind, class.outer.as_deref());
        let (class, file) = (class.name.clone(), class.file.clone());
        let (jvm_name, descriptor) = (method.name.into(), method.descriptor.into());
        self.methods.push(GroundTruthMethod { class, file, name, jvm_name, descriptor });
        Ok(())
    }

    /// Adds the body of the last method.
    fn add_body(&mut self, instructions: u64) -> Result<(), &'static str> {
        let method = self.methods.len().checked_sub(1).ok_or("code without a method")?;
        let places = self.places.len()..self.places.len();
        self.bodies.push(MethodCounters { method, instructions, places });
        Ok(())
    }

    /// Adds a code location to the last body.
    fn add_code_location(&mut self, hash: &str, items: &[&str]) -> Result<(), &'static str> {
        let hash = u64::from_str_radix(hash, 16).map_err(|_| "a hash that is no number")?;
        let items = self.parse_items(items)?;
        let body = self.bodies.last_mut().ok_or("a place without code")?;
        self.places.push(PatternSite { hash, items });
        body.places.end = self.places.len();
        Ok(())
    }

    /// Adds a copy of a body; `numbers` are its first counter, body and call.
    fn add_copy(&mut self, numbers: [&str; 3], state: &str) -> Result<(), &'static str> {
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

    /// Parses items `LINE:PATTERN*COUNT`.
    fn parse_items(&self, texts: &[&str]) -> Result<Vec<PatternExecutions>, &'static str> {
        let read = |text: &&str| parse_item(text, self.patterns.len()).ok_or("not LINE:N*COUNT");
        texts.iter().map(read).collect()
    }

    /// Adds a counter of the last method.
    fn add_counter(&mut self, items: &[&str]) -> Result<(), &'static str> {
        let method = self.methods.len().checked_sub(1).ok_or("a block without a method")?;
        let items = self.parse_items(items)?;
        self.counters.push(CountedUnit { method, items });
        Ok(())
    }
}

/// Parses the fields of a class line.
fn parse_class(
    name: &str,
    source: &str,
    outer: &str,
    kind: &str,
) -> Result<ClassScope, &'static str> {
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

/// Parses an item `LINE:PATTERN*COUNT`, whose pattern must be below `patterns`.
fn parse_item(text: &str, patterns: usize) -> Option<PatternExecutions> {
    let (line, rest) = text.split_once(':')?;
    let (pattern, count) = rest.split_once('*')?;
    let (pattern, when) = parse_condition(pattern);
    let pattern = pattern.parse().ok().filter(|&n| n < patterns)?;
    Some(PatternExecutions { line: line.parse().ok()?, pattern, count: count.parse().ok()?, when })
}

/// Splits a pattern's number from the letter of its states.
fn parse_condition(text: &str) -> (&str, ExecutionCondition) {
    let states = [
        ('i', ExecutionCondition::Interpreted),
        ('c', ExecutionCondition::Compiled),
        ('r', ExecutionCondition::Called),
    ];
    let found =
        states.into_iter().find_map(|(letter, when)| Some((text.strip_suffix(letter)?, when)));
    found.unwrap_or((text, ExecutionCondition::Always))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pattern\t0\tsize:Load\npattern\t1\top:Addition/int\n\
        class\tp.q.Outer$In\tOuter.java\tp.q.Outer\tinner\n\
        method\t<init>\t(Lp/q/Outer;[I)V\t-\t0\nblock\t0\t7:0*2\t8:1*1\n";

    #[test]
    fn lines_become_counters() {
        let mut map = CounterMap::default();
        map.feed(TEXT).unwrap();
        let expected = GroundTruthMethod {
            class: "p.q.Outer$In".into(),
            file: "p/q/Outer.java".into(),
            name: "<init>(int[])".into(),
            jvm_name: "<init>".into(),
            descriptor: "(Lp/q/Outer;[I)V".into(),
        };
        assert_eq!(map.methods, [expected]);
        let when = ExecutionCondition::Always;
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
        let mut map = CounterMap::default();
        let lines = "code\t1\t9\nplace\tff\t7:0i*2\t8:1c*1\nplace\t1\t7:0r*1\t7:1*3\n\
                     copy\t5\t1\tinlined\t3\n";
        map.feed(TEXT).unwrap();
        map.feed(lines).unwrap();
        assert_eq!(map.bodies, [MethodCounters { method: 0, instructions: 9, places: 0..2 }]);
        assert_eq!(map.places[0].hash, 255);
        let when: Vec<ExecutionCondition> =
            map.places.iter().flat_map(|place| &place.items).map(|item| item.when).collect();
        assert_eq!(
            when,
            [
                ExecutionCondition::Interpreted,
                ExecutionCondition::Compiled,
                ExecutionCondition::Called,
                ExecutionCondition::Always
            ]
        );
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
            let mut map = CounterMap::default();
            map.feed(TEXT).unwrap();
            let result = map.feed(&format!("{wrong}\n"));
            let is_wrong = wrong != "block\t1\t7:0*2";
            assert_eq!(result.is_err(), is_wrong, "{wrong}");
            assert!(result.err().is_none_or(|e| e.line == 6));
        }
        let mut map = CounterMap::default();
        assert!(map.feed("block\t0\t").is_err());
    }
}
