//! Tree of packages, classes, methods and lines. Every level adds up to the one above; parts that
//! are left out are a row.

use std::collections::BTreeMap;

use crate::account::{AccountEntry, Femtojoules, LineKey, MethodKey};
use crate::exact::share;
use crate::format;
use crate::report::data::ReportData;
use crate::report::view::accounts::source_line;
use crate::report::view::bar_style;
use crate::report::view::links::SourceLinks;

/// Largest number of method lines on the page, by energy: with methods and classes about 500
/// bytes each.
const MOST_PARTS: usize = 1000;

/// A node of the tree: a package, class, method or line.
pub(crate) struct LevelView {
    /// Name relative to the node above; `file:line` for a line.
    pub name: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Source text of a line.
    pub text: String,
    /// The energy.
    pub energy: String,
    /// 95 % interval or none.
    pub interval: String,
    /// Part of the energy above idle.
    pub share: String,
    /// Width of the bar: the share in percent.
    pub width: String,
    /// Child nodes by descending energy.
    pub parts: Vec<LevelView>,
    /// Summary of the children that the page leaves out.
    pub rest: Option<RestView>,
}

/// Summary of parts that are left out.
pub(crate) struct RestView {
    /// Number of parts.
    pub count: usize,
    /// Their energy.
    pub energy: String,
    /// Part of the energy above idle.
    pub share: String,
}

/// The whole tree: packages, and a summary of those left out.
pub(crate) struct TreeView {
    /// Packages by descending energy.
    pub packages: Vec<LevelView>,
    /// Summary of the packages that are left out.
    pub rest: Option<RestView>,
}

/// Index of each level's entries by the level above.
struct LevelIndex<'a> {
    data: &'a ReportData<'a>,
    links: &'a SourceLinks<'a>,
    classes: BTreeMap<&'a str, Vec<&'a AccountEntry<String>>>,
    methods: BTreeMap<&'a str, Vec<&'a AccountEntry<MethodKey>>>,
    /// For each method its shown lines, and number and energy of the others.
    lines: BTreeMap<&'a MethodKey, LinesOfMethod<'a>>,
}

type PartEntry = AccountEntry<crate::account::MethodLineKey>;
type LinesOfMethod<'a> = (Vec<(&'a LineKey, &'a PartEntry)>, (usize, Femtojoules));

/// Tree of all packages with energy.
pub fn tree(data: &ReportData<'_>, links: &SourceLinks<'_>) -> TreeView {
    let tree = LevelIndex::new(data, links);
    let shown = |package: &&AccountEntry<String>| tree.is_shown_package(&package.key);
    let (packages, hidden): (Vec<_>, Vec<_>) = data.accounts.packages.iter().partition(shown);
    TreeView {
        packages: packages.into_iter().map(|package| tree.package(package)).collect(),
        rest: tree.rest(hidden.iter().map(|entry| entry.energy)),
    }
}

impl<'a> LevelIndex<'a> {
    fn new(data: &'a ReportData<'a>, links: &'a SourceLinks<'a>) -> LevelIndex<'a> {
        let (mut classes, mut methods) = (BTreeMap::new(), BTreeMap::new());
        let mut lines: BTreeMap<&MethodKey, LinesOfMethod<'_>> = BTreeMap::new();
        for class in &data.accounts.classes {
            classes.entry(package_of(&class.key)).or_insert_with(Vec::new).push(class);
        }
        for method in &data.accounts.methods {
            methods.entry(method.key.class.as_str()).or_insert_with(Vec::new).push(method);
        }
        for (number, part) in data.accounts.parts.iter().enumerate() {
            let (shown, rest) = lines.entry(&part.key.method).or_default();
            if number < MOST_PARTS {
                shown.push((&part.key.line, part));
            } else {
                *rest = (rest.0 + 1, rest.1 + part.energy);
            }
        }
        LevelIndex { data, links, classes, methods, lines }
    }

    fn is_shown_package(&self, package: &str) -> bool {
        self.classes_of(package).iter().any(|class| self.is_shown_class(&class.key))
    }

    fn is_shown_class(&self, class: &str) -> bool {
        self.methods_of(class).iter().any(|method| self.is_shown_method(&method.key))
    }

    fn is_shown_method(&self, method: &MethodKey) -> bool {
        self.lines.get(method).is_some_and(|(shown, _)| !shown.is_empty())
    }

    fn classes_of(&self, package: &str) -> &[&'a AccountEntry<String>] {
        self.classes.get(package).map_or(&[], Vec::as_slice)
    }

    fn methods_of(&self, class: &str) -> &[&'a AccountEntry<MethodKey>] {
        self.methods.get(class).map_or(&[], Vec::as_slice)
    }

    fn package(&self, package: &AccountEntry<String>) -> LevelView {
        let shown = |class: &&&AccountEntry<String>| self.is_shown_class(&class.key);
        let (classes, hidden): (Vec<&&AccountEntry<String>>, Vec<_>) =
            self.classes_of(&package.key).iter().partition(shown);
        LevelView {
            parts: classes.iter().map(|class| self.class(class)).collect(),
            rest: self.rest(hidden.iter().map(|entry| entry.energy)),
            ..self.node(&package.key, self.links.package(&package.key), package)
        }
    }

    fn class(&self, class: &AccountEntry<String>) -> LevelView {
        let shown = |method: &&&AccountEntry<MethodKey>| self.is_shown_method(&method.key);
        let (methods, hidden): (Vec<&&AccountEntry<MethodKey>>, Vec<_>) =
            self.methods_of(&class.key).iter().partition(shown);
        let name = class.key.rsplit('.').next().unwrap_or(&class.key);
        LevelView {
            parts: methods.iter().map(|method| self.method(method)).collect(),
            rest: self.rest(hidden.iter().map(|entry| entry.energy)),
            ..self.node(name, self.links.class(&class.key), class)
        }
    }

    fn method(&self, method: &AccountEntry<MethodKey>) -> LevelView {
        let (lines, (count, energy)) = &self.lines[&method.key];
        LevelView {
            parts: lines.iter().map(|(key, entry)| self.line(key, entry)).collect(),
            rest: self.rest_of(*count, *energy),
            ..self.node(&method.key.method, self.links.method_of(&method.key), method)
        }
    }

    fn line(&self, key: &LineKey, entry: &PartEntry) -> LevelView {
        let file = key.file.rsplit('/').next().unwrap_or(&key.file);
        let text = source_line(self.data, &key.file, key.line);
        let name = format!("{file}:{}", key.line);
        LevelView {
            text: format::truncate(&text, 100),
            ..self.node(&name, self.links.line(&key.file, key.line), entry)
        }
    }

    fn node<K>(&self, name: &str, href: String, entry: &AccountEntry<K>) -> LevelView {
        LevelView {
            name: format::visible(name),
            href,
            text: String::new(),
            energy: format::energy(entry.joules()),
            interval: format::interval(entry.interval),
            share: format::percent_or_none(entry.share),
            width: bar_style(entry.share.unwrap_or(0.0), 1.0),
            parts: Vec::new(),
            rest: None,
        }
    }

    fn rest(&self, energies: impl Iterator<Item = Femtojoules>) -> Option<RestView> {
        let (count, sum) =
            energies.fold((0, Femtojoules::ZERO), |(count, sum), energy| (count + 1, sum + energy));
        self.rest_of(count, sum)
    }

    fn rest_of(&self, count: usize, energy: Femtojoules) -> Option<RestView> {
        let whole = self.data.accounts.ledger.above_idle();
        (count > 0).then(|| RestView {
            count,
            energy: format::energy(energy.joules()),
            share: format::percent_or_none(share(energy, whole)),
        })
    }
}

/// Package of a class as accounts name it.
fn package_of(class: &str) -> &str {
    class.rsplit_once('.').map_or("(default)", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Accounts;
    use crate::report::sample;

    #[test]
    fn every_level_leads_to_the_next() {
        let sample = sample::report();
        let view = tree(&sample.data(), &SourceLinks::default());
        let accounts = &sample.accounts;
        assert_eq!(view.packages.len(), accounts.packages.len());
        assert!(view.rest.is_none());
        let classes = || view.packages.iter().flat_map(|package| &package.parts);
        let methods = || classes().flat_map(|class| &class.parts);
        assert_eq!(classes().count(), accounts.classes.len());
        assert_eq!(methods().count(), accounts.methods.len());
        assert_eq!(methods().flat_map(|method| &method.parts).count(), accounts.parts.len());
        assert_eq!(view.packages[0].name, accounts.packages[0].key);
        assert!(methods().all(|method| method.parts[0].name.contains(".java:")));
    }

    /// The lines of a method add up to it, also where a lambda shares a line with it.
    #[test]
    fn parts_add_up() {
        let Accounts { parts, methods, .. } = sample::report().accounts;
        for method in methods {
            let own = parts.iter().filter(|part| part.key.method == method.key);
            assert_eq!(own.map(|part| part.energy).sum::<Femtojoules>(), method.energy);
        }
    }

    #[test]
    fn what_is_left_out_is_a_row() {
        let mut sample = sample::report();
        let part = sample.accounts.parts.last().unwrap().clone();
        let more = (0..MOST_PARTS as u32).map(|i| {
            let mut more = part.clone();
            more.key.line.line = 10_000 + i;
            more
        });
        sample.accounts.parts.extend(more);
        let view = tree(&sample.data(), &SourceLinks::default());
        let methods = view.packages.iter().flat_map(|p| &p.parts).flat_map(|class| &class.parts);
        let left_out: usize = methods.filter_map(|m| Some(m.rest.as_ref()?.count)).sum();
        assert_eq!(left_out, sample.accounts.parts.len() - MOST_PARTS);
    }
}
