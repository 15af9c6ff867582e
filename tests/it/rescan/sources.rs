//! Java sources drawn at random, whose files refer to each other in many ways, and edits of them.

use std::fmt::Write;

use wattline::build::Sources;

/// Files of a project.
pub const FILES: usize = 7;

/// Choices that make a file.
pub const SLOTS: usize = 24;

/// Edits of a project, one after the other.
pub const EDITS: usize = 10;

/// Another choice in one place.
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    pub file: u8,
    pub slot: u8,
    pub value: u8,
}

/// The choices.
pub struct Project(Vec<u8>);

const PACKAGES: [&str; 2] = ["p", "q"];
const TYPES: [&str; 8] = ["int", "long", "String", "double", "Integer", "char", "T", "N"];
const VISIBILITIES: [&str; 4] = ["", "public ", "private ", "protected "];

impl Project {
    pub fn new(choices: Vec<u8>) -> Project {
        assert_eq!(choices.len(), FILES * SLOTS);
        Project(choices)
    }

    pub fn edit(&mut self, Edit { file, slot, value }: Edit) {
        self.0[usize::from(file) % FILES * SLOTS + usize::from(slot) % SLOTS] = value;
    }

    pub fn sources(&self) -> Sources {
        let files = self.0.chunks(SLOTS).enumerate().filter_map(|(number, choices)| {
            let file = File { number, choices };
            // One in eight is not there.
            (file.of(0, 8) > 0).then(|| (format!("F{number}.java"), file.text()))
        });
        Sources::of_texts(files)
    }
}

struct File<'c> {
    number: usize,
    choices: &'c [u8],
}

impl File<'_> {
    /// The choice at a slot, below `of`.
    fn of(&self, slot: usize, of: usize) -> usize {
        usize::from(self.choices[slot]) % of
    }

    /// A class of the project.
    fn class(&self, slot: usize) -> String {
        format!("C{}", self.of(slot, FILES))
    }

    fn ty(&self, slot: usize) -> String {
        match self.of(slot, TYPES.len() + 3) {
            known if known < TYPES.len() => TYPES[known].to_owned(),
            _ => self.class(slot),
        }
    }

    fn text(&self) -> String {
        let mut text = "\n".repeat(self.of(1, 3));
        let package = PACKAGES[self.of(2, 5) / 4];
        writeln!(text, "package {package};{}", self.import()).unwrap();
        let (kind, parameters) = self.head();
        // Some files declare the class of another one again.
        let class = (self.number + usize::from(self.of(0, 8) == 1)) % FILES;
        let extends = match self.of(5, 4) {
            0 => String::new(),
            1 => format!(" extends {}<{}>", self.class(6), self.class(7)),
            _ => format!(" extends {}", self.class(6)),
        };
        let (constants, members, body) = (self.constants(), self.members(), self.body());
        write!(text, "{kind} C{class}{parameters}{extends} {{\n{constants}{members}{body}}}\n")
            .unwrap();
        text
    }

    fn import(&self) -> String {
        let class = self.class(4);
        match self.of(3, 7) {
            0 => " import q.*;".to_owned(),
            1 => " import p.*; import q.*;".to_owned(),
            2 => format!(" import q.{class};"),
            3 => format!(" import static p.{class}.*;"),
            4 => format!(" import static p.{class}.K; import static q.{class}.m;"),
            _ => String::new(),
        }
    }

    fn head(&self) -> (&'static str, &'static str) {
        let kind = ["class", "public class", "abstract class", "interface"][self.of(8, 13) / 4];
        (kind, ["", "<T>", "<T extends Number>", "<T extends Comparable<T>>"][self.of(9, 4)])
    }

    fn constants(&self) -> String {
        let other = self.class(11);
        let value = match self.of(10, 8) {
            0 => "1".to_owned(),
            1 => "f()".to_owned(),
            2 => "K + 1".to_owned(),
            3 => "(int) 2L".to_owned(),
            4 => "1 / 0".to_owned(),
            _ => format!("{other}.K + 1"),
        };
        let text = ["\"a\"", "null", "\"a\" + K", "new String()"][self.of(12, 4)];
        format!("static final int K = {value};\nstatic final String S = {text};\n")
    }

    fn members(&self) -> String {
        let visibility = VISIBILITIES[self.of(13, 9) / 2 % 4];
        let is_static = ["", "static "][self.of(14, 2)];
        let (field, parameter, returns) = (self.ty(15), self.ty(16), self.ty(17));
        let varargs = ["", "..."][self.of(18, 5) / 4];
        let nested = match self.of(19, 6) {
            0 => "static class N { long y = 1; int m(long a) { return 1; } }\n".to_owned(),
            1 => "class N<U extends T> { U y; }\n".to_owned(),
            2 => format!("static class {} {{ double x; static int K; }}\n", self.class(20)),
            3 => "enum N { A, B { int f() { return K; } }; int y; }\n".to_owned(),
            _ => String::new(),
        };
        // What is large is seen by those who call it.
        let steps = "b = b * 3 + b % 7; ".repeat(6 * (self.of(19, 12) / 6));
        format!(
            "{visibility}{is_static}{field} x;\n\
             {is_static}{returns} m({parameter}{varargs} a) {{ return null; }}\n\
             {visibility}int m(Object a, int b) {{ {steps}return b; }}\n{nested}"
        )
    }

    fn body(&self) -> String {
        let (one, two) = (self.class(20), self.class(21));
        let more = ["", "int z = o.x * 2;", "z: for (;;) { break z; }"][self.of(22, 3)];
        let local = match self.of(23, 3) {
            0 => format!(
                "class L extends {two} {{ long f() {{ return m(K, 1) + x; }} }} new L().f();"
            ),
            1 => format!("Runnable r = () -> new {two}() {{ int K = 3; }}.m(K);"),
            _ => String::new(),
        };
        format!(
            "static int f() {{ return K; }}\n\
             void u({one} o, N n) {{ {more}\n\
             var a = o.m(o.x); var b = o.m(K, 1) + {two}.K + o.x; a += 1;\n\
             String s = S + {two}.S + n.y; x = o.x; if (o.x == n.y) f(); {local}\n\
             switch (K) {{ case {two}.K: m(1); default: }} }}\n"
        )
    }
}
