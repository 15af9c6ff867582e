//! Which file of a crate uses an item of which other. A name that is re-exported leads to the
//! file that defines the item, so a `pub use` alone is no arrow. A call of a method has no path:
//! it is seen only where its type or trait is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::source_file::{Import, ModuleText, Segments, SourceFile};

/// Files by their paths below the folder of a crate's sources.
pub type Files = BTreeMap<PathBuf, SourceFile>;

/// From a file to another that it uses: the items.
pub type Arrows<'a> = BTreeMap<(&'a Path, &'a Path), BTreeSet<String>>;

/// The modules of a crate, and the files that they are in.
pub struct CrateModules<'a> {
    files: &'a Files,
    modules: BTreeMap<Segments, (&'a Path, &'a ModuleText)>,
}

/// What a path leads to.
enum Target<'a> {
    Module(Segments),
    /// The file that defines the item, and its name.
    Item(&'a Path, String),
    /// The module's file does not write out an item of this name: a macro may define it.
    Unknown(&'a Path, String),
    /// Another crate, a local variable, a type parameter.
    Outside,
}

/// Modules and names that were looked up on the way.
type Seen = BTreeSet<(Segments, String)>;

impl<'a> CrateModules<'a> {
    /// The modules that `root` and the files it declares consist of.
    pub fn link(files: &'a Files, root: &Path) -> Self {
        let mut linked = Self { files, modules: BTreeMap::new() };
        linked.add(Segments::new(), root);
        linked
    }

    fn add(&mut self, name: Segments, path: &Path) {
        let files = self.files;
        let Some((path, file)) = files.get_key_value(path) else { return };
        for module in &file.modules {
            let name = [name.as_slice(), &module.within].concat();
            let folder = folder_of_children(path).join(module.within.iter().collect::<PathBuf>());
            for child in &module.children {
                let of_child = joined(&name, child);
                self.add(of_child.clone(), &folder.join(format!("{child}.rs")));
                self.add(of_child, &folder.join(child).join("mod.rs"));
            }
            self.modules.insert(name, (path, module));
        }
    }

    /// The files that are compiled without tests.
    pub fn paths(&self) -> BTreeSet<&'a Path> {
        self.modules.values().map(|(path, _)| *path).collect()
    }

    /// For each file the others that it uses.
    pub fn arrows(&self) -> Arrows<'a> {
        let mut arrows = Arrows::new();
        for (module, (from, text)) in &self.modules {
            for path in &text.paths {
                if let Target::Item(to, name) | Target::Unknown(to, name) =
                    self.target(module, path, &mut Seen::new())
                    && to != *from
                {
                    arrows.entry((*from, to)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// Where a path of a module leads. `seen` ends circles of imports.
    fn target(&self, module: &[String], path: &[String], seen: &mut Seen) -> Target<'a> {
        match path.split_first() {
            Some((root, rest)) if root == "crate" => self.find(&[], rest, seen),
            Some((root, rest)) if root == "self" => self.find(module, rest, seen),
            Some((root, _)) if root == "super" => {
                let steps = path.iter().take_while(|segment| *segment == "super").count();
                let above = module.len().saturating_sub(steps);
                self.find(&module[..above], &path[steps..], seen)
            }
            _ => match self.find(module, path, seen) {
                Target::Unknown(..) => Target::Outside,
                found => found,
            },
        }
    }

    /// What a module calls by the first of these names, and by the others what that contains.
    fn find(&self, module: &[String], names: &[String], seen: &mut Seen) -> Target<'a> {
        let Some((name, inner)) = names.split_first() else {
            return Target::Module(module.to_vec());
        };
        let Some((file, text)) = self.modules.get(module) else { return Target::Outside };
        let child = joined(module, name);
        let has_child = self.modules.contains_key(&child);
        if has_child && !inner.is_empty() {
            return self.find(&child, inner, seen);
        }
        if text.items.contains(name) {
            return Target::Item(file, name.clone());
        }
        if !seen.insert((module.to_vec(), name.clone())) {
            return Target::Outside;
        }
        let is_it = |import: &&Import| import.name.as_ref() == Some(name);
        if let Some(import) = text.imports.iter().find(is_it) {
            return match self.target(module, &import.path, seen) {
                Target::Module(found) => self.find(&found, inner, seen),
                found => found,
            };
        }
        if has_child {
            return Target::Module(child);
        }
        let by_glob = self.find_by_glob(module, names, seen);
        by_glob.unwrap_or_else(|| Target::Unknown(file, name.clone()))
    }

    /// What a module has from `use ...::*`.
    fn find_by_glob(
        &self,
        module: &[String],
        names: &[String],
        seen: &mut Seen,
    ) -> Option<Target<'a>> {
        let (_, text) = self.modules.get(module)?;
        let globs = text.imports.iter().filter(|import| import.name.is_none());
        globs.map(|glob| &glob.path).find_map(|path| match self.target(module, path, seen) {
            Target::Module(all) => match self.find(&all, names, seen) {
                found @ (Target::Item(..) | Target::Module(_)) => Some(found),
                _ => None,
            },
            _ => None,
        })
    }
}

fn joined(module: &[String], name: &str) -> Segments {
    [module, &[name.to_owned()]].concat()
}

/// Where the modules lie that a file declares.
fn folder_of_children(path: &Path) -> PathBuf {
    let is_own_folder =
        ["lib", "main", "mod"].iter().any(|stem| path.ends_with(format!("{stem}.rs")));
    if is_own_folder { path.parent().unwrap().to_owned() } else { path.with_extension("") }
}

/// The circles of more than `most` files, each with its files and arrows.
pub fn circles(arrows: &Arrows, most: usize) -> Vec<String> {
    let graph = DiGraphMap::<&Path, ()>::from_edges(arrows.keys().copied());
    let mut circles = tarjan_scc(&graph);
    circles.retain(|files| files.len() > most);
    circles.iter().map(|files| describe(files, arrows)).collect()
}

fn describe(files: &[&Path], arrows: &Arrows) -> String {
    let within = arrows.iter().filter(|((from, to), _)| files.contains(from) && files.contains(to));
    let lines = within.map(|((from, to), names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("\n    {} -> {} ({})", from.display(), to.display(), names.join(", "))
    });
    format!("{} files use each other:{}", files.len(), lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrows of a crate, as `from to: names`.
    fn arrows(texts: &[(&str, &str)]) -> Vec<String> {
        let parsed =
            |(path, text): &(&str, &str)| (PathBuf::from(path), SourceFile::parse(text).unwrap());
        let files: Files = texts.iter().map(parsed).collect();
        let modules = CrateModules::link(&files, Path::new("lib.rs"));
        let arrow = |((from, to), names): (&(&Path, &Path), &BTreeSet<String>)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{} {}: {}", from.display(), to.display(), names.join(" "))
        };
        modules.arrows().iter().map(arrow).collect()
    }

    #[test]
    fn a_re_exported_name_leads_to_the_file_that_defines_it() {
        let found = arrows(&[
            ("lib.rs", "mod shapes; mod user; pub use shapes::*;"),
            ("shapes/mod.rs", "mod circle; mod area; pub use circle::{Circle as Round, draw};"),
            (
                "shapes/circle.rs",
                "pub struct Circle; pub fn draw() {} fn f(_: super::area::Area) {}",
            ),
            ("shapes/area.rs", "pub struct Area;"),
            ("user.rs", "use crate::shapes::Round; fn f() { crate::draw() }"),
        ]);
        let expected =
            ["shapes/circle.rs shapes/area.rs: Area", "user.rs shapes/circle.rs: Circle draw"];
        assert_eq!(found, expected, "neither `pub use` nor `mod` is an arrow");
    }

    #[test]
    fn what_a_file_re_exports_and_uses_itself_is_an_arrow() {
        let child = ("part.rs", "pub struct Part; pub const SIZE: usize = 1;");
        let parent = "mod part; pub use part::Part; fn f(_: Part) -> usize { part::SIZE }";
        assert_eq!(arrows(&[("lib.rs", parent), child]), ["lib.rs part.rs: Part SIZE"]);
        assert!(arrows(&[("lib.rs", "mod part; pub use part::Part;"), child]).is_empty());
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
            (
                "a.rs",
                "#[cfg(test)] use super::b::B; #[cfg(all(test, unix))] mod tests { use super::super::b::B; }",
            ),
            ("b.rs", "pub struct B; impl B { #[cfg(test)] fn f(_: crate::a::A) {} }"),
            ("tests.rs", "use crate::a::A;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn macros_attributes_and_inner_modules_are_read() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            (
                "a.rs",
                "mod inner { fn f() { println!(\"{}\", super::super::b::name(x.b::<u8>())) } }",
            ),
            (
                "b.rs",
                "pub fn name() {} #[derive(D)] struct B { #[serde(with = \"crate::c\")] c: u8, #[serde(default = \"crate::c::one\")] d: u8 }",
            ),
            ("c.rs", "pub fn one() -> u8 { 1 } pub fn deserialize() {} pub fn serialize() {}"),
        ]);
        assert_eq!(found, ["a.rs b.rs: name", "b.rs c.rs: deserialize one serialize"]);
    }

    #[test]
    fn names_of_other_crates_and_circles_of_imports_lead_nowhere() {
        let found = arrows(&[
            ("lib.rs", "mod csv; mod a; pub use other as model;"),
            ("csv.rs", "use csv; use ::csv::Reader; use self::csv as csv2; fn f() { csv2::x() }"),
            ("a.rs", "fn f(_: crate::model::Model, _: std::fs::File) {}"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_circle_is_told_with_its_arrows() {
        let files = ["a.rs", "b.rs", "c.rs"].map(Path::new);
        let arrow = |from: usize, to: usize, name: &str| {
            ((files[from], files[to]), BTreeSet::from([name.to_owned()]))
        };
        let arrows = Arrows::from([arrow(0, 1, "B"), arrow(1, 0, "A"), arrow(2, 0, "A")]);
        let told = circles(&arrows, 1);
        assert_eq!(told, ["2 files use each other:\n    a.rs -> b.rs (B)\n    b.rs -> a.rs (A)"]);
        assert!(circles(&arrows, 2).is_empty());
    }
}
