//! The pages: links between them and to files resolve, each kind of page is short enough to be
//! read, the one on the environment names what the code reads, and the one on messages those that
//! the code prints.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::architecture::production;
use super::reference::without_generated_parts;

/// Most words of a page of a kind. Reference is as long as its tables; internals and experiments
/// have any length.
const MOST_WORDS: [(&str, usize); 3] =
    [("docs/tutorials", 700), ("docs/how-to", 700), ("docs/explanation", 1500)];

/// Most words of all pages that are for users.
const MOST_WORDS_FOR_USERS: usize = 25_000;

/// Folders of pages that are for users.
const FOR_USERS: [&str; 4] =
    ["docs/tutorials", "docs/how-to", "docs/reference", "docs/explanation"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below a folder of the repository, by their paths in it.
pub(super) fn below(folder: &str) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap()).filter(|entry| entry.file_type().is_file());
    files.map(|entry| entry.path().strip_prefix(root()).unwrap().to_owned()).collect()
}

pub(super) fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(root().join(path)).unwrap()).into_owned()
}

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

/// All pages: those of `docs`, and those beside it.
pub(super) fn pages() -> Vec<PathBuf> {
    let beside = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let pages = below("docs").into_iter().filter(|path| has_extension(path, "md"));
    beside.into_iter().map(PathBuf::from).chain(pages).collect()
}

/// What a page links to, and the anchors of its headings.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn read(markdown: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap());
                let repeated = |n: usize| format!("{anchor}-{n}");
                let mut names = std::iter::once(anchor.clone()).chain((1..).map(repeated));
                let free = names.find(|name| !page.anchors.contains(name)).unwrap();
                page.anchors.insert(free);
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    page
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The path without `.` and `..`; none where it leaves the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts = Vec::new();
    for part in path.iter() {
        match part.to_str()? {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.iter().collect())
}

/// Why a link leads nowhere.
fn broken(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => from.to_owned(),
        path => match normal(&from.parent().unwrap().join(path)) {
            Some(target) if root().join(&target).exists() => target,
            _ => return Some(format!("{}: no file for {link}", from.display())),
        },
    };
    let missing =
        !anchor.is_empty() && pages.get(&target).is_none_or(|page| !page.anchors.contains(anchor));
    missing.then(|| format!("{}: no heading for {link}", from.display()))
}

#[test]
fn links_resolve() {
    let pages: BTreeMap<PathBuf, Page> =
        pages().into_iter().map(|path| (path.clone(), read(&text(&path)))).collect();
    let links = pages.iter().flat_map(|(from, page)| page.links.iter().map(move |l| (from, l)));
    let broken: Vec<String> = links.filter_map(|(from, link)| broken(from, link, &pages)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn is_picture(path: &Path) -> bool {
    ["png", "svg"].iter().any(|extension| has_extension(path, extension))
}

/// A page shows each picture of `docs`, and `scripts/pictures.sh` draws each of `docs/images`, so
/// that none grows stale unseen. `links_resolve` covers the other direction.
#[test]
fn every_picture_is_shown_and_drawn() {
    let shown_on = |page: PathBuf| {
        let links = read(&text(&page)).links;
        links.into_iter().filter_map(move |link| normal(&page.parent().unwrap().join(link)))
    };
    let shown: BTreeSet<PathBuf> = pages().into_iter().flat_map(shown_on).collect();
    let pictures: Vec<PathBuf> =
        below("docs").into_iter().filter(|path| is_picture(path)).collect();
    let unused: Vec<_> = pictures.iter().filter(|path| !shown.contains(*path)).collect();
    assert!(unused.is_empty(), "no page shows {unused:?}");
    let script = text(Path::new("scripts/pictures.sh"));
    let drawn = script.lines().find_map(|line| line.strip_prefix("all=\"")).unwrap();
    let drawn: BTreeSet<&str> = drawn.trim_end_matches('"').split(' ').collect();
    let names = pictures.iter().filter(|path| path.starts_with("docs/images"));
    let names: BTreeSet<&str> =
        names.map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, drawn, "docs/images, and what scripts/pictures.sh draws");
}

/// Every page of `docs` is in one of its two lists.
#[test]
fn every_page_is_listed() {
    let listed = |list: &str| {
        let folder = Path::new(list).parent().unwrap();
        let links = read(&text(Path::new(list))).links;
        links.iter().filter_map(|link| normal(&folder.join(link))).collect::<BTreeSet<PathBuf>>()
    };
    let lists = ["docs/README.md", "docs/experiments/README.md"];
    let [of_all, of_experiments] = lists.map(listed);
    let missing: Vec<PathBuf> = pages()
        .into_iter()
        .filter(|path| path.starts_with("docs") && path != Path::new(lists[0]))
        .filter(|path| match path.parent() == Path::new(lists[1]).parent() {
            true if path == Path::new(lists[1]) => !of_all.contains(path),
            true => !of_experiments.contains(path),
            false => !of_all.contains(path),
        })
        .collect();
    assert!(missing.is_empty(), "in none of {lists:?}: {missing:#?}");
}

/// What code, help texts, scripts and pages call a file of `docs` or `scripts`, and pages one of
/// the other folders, is there.
#[test]
fn files_that_are_named_are_there() {
    let mut missing = BTreeSet::new();
    for path in named_in() {
        for word in text(&path).split(|c: char| !is_of_path(c)) {
            let word = word.trim_end_matches(['.', '/']);
            if is_a_file_of_ours(word, has_extension(&path, "md")) && !root().join(word).exists() {
                missing.insert(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-')
}

/// Paths from the repository's root on that end in a file's name. Code has made-up ones of other
/// folders, which pages have not.
fn is_a_file_of_ours(word: &str, in_page: bool) -> bool {
    let folders =
        ["docs/", "scripts/", "src/", "crates/", "tests/", "benches/", "examples/", "scenarios/"];
    let folders = if in_page { &folders[..] } else { &folders[..2] };
    let ends = [".md", ".rs", ".sh", ".py", ".toml", ".json", ".svg", ".png", ".awk"];
    folders.iter().any(|folder| word.starts_with(folder))
        && ends.iter().any(|end| word.ends_with(end))
}

/// Pages, and what may name them.
fn named_in() -> Vec<PathBuf> {
    let folders = ["src", "crates", "tests", "benches", "examples", "scripts", "device-scripts"];
    let code = folders.into_iter().flat_map(below);
    let code =
        code.filter(|path| ["rs", "sh", "py", "java"].iter().any(|e| has_extension(path, e)));
    code.filter(|path| path != Path::new(file!())).chain(pages()).collect()
}

/// Pages of a folder with their number of words, without those of generated parts.
fn word_counts(folder: &str) -> Vec<(PathBuf, usize)> {
    let pages = below(folder).into_iter().filter(|path| has_extension(path, "md"));
    let words = |path: &Path| without_generated_parts(&text(path)).split_whitespace().count();
    let counted: Vec<_> = pages.map(|path| (path.clone(), words(&path))).collect();
    assert!(!counted.is_empty(), "no page in {folder}");
    counted
}

#[test]
fn pages_are_short() {
    let long_of = |(folder, most): (&str, usize)| {
        let long = word_counts(folder).into_iter().filter(move |(_, words)| *words > most);
        long.map(move |(path, words)| format!("{}: {words} words of {most}", path.display()))
    };
    let long: Vec<String> = MOST_WORDS.into_iter().flat_map(long_of).collect();
    assert!(long.is_empty(), "too long:\n{}", long.join("\n"));
    let words: usize = FOR_USERS.into_iter().flat_map(word_counts).map(|(_, words)| words).sum();
    assert!(words <= MOST_WORDS_FOR_USERS, "{words} words of {MOST_WORDS_FOR_USERS} for users");
}

/// Names of variables: capitals, digits and `_`.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Words of the text that are names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// Variables that a file reads from its environment. Ours count wherever they are named;
/// others where they are asked for.
fn variables(path: &Path) -> BTreeSet<String> {
    let text = text(path);
    let ours = names(&text).filter(|name| name.starts_with("WATTLINE_") && is_variable(name));
    let mut found: BTreeSet<&str> = ours.collect();
    for line in text.lines() {
        if ["env::var", "getenv(", "environ"].iter().any(|asked| line.contains(asked)) {
            found.extend(line.split('"').skip(1).step_by(2).filter(|name| is_variable(name)));
        }
    }
    if is_script(path) {
        found.extend(with_defaults(&text));
    }
    found.into_iter().map(str::to_owned).collect()
}

fn is_script(path: &Path) -> bool {
    has_extension(path, "sh") || path.starts_with(".ci")
}

/// `${NAME:-default}` and the like: who asks so may find it not set.
fn with_defaults(script: &str) -> impl Iterator<Item = &str> {
    script.split("${").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, after) = rest.split_at(end);
        (is_variable(name) && after.starts_with([':', '-', '+', '='])).then_some(name)
    })
}

/// Variables in the first column of the page's tables.
fn written_down(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split_once(" |")).map(|(cell, _)| cell);
    let found = cells.flat_map(names).filter(|name| is_variable(name));
    found.map(str::to_owned).collect()
}

#[test]
fn the_environment_is_written_down() {
    let folders =
        ["src", "crates", "tests", "benches", "examples", "scripts", "device-scripts", ".ci"];
    let mut files: Vec<PathBuf> = folders.into_iter().flat_map(below).collect();
    files.extend(["demo.sh", "test.sh"].map(PathBuf::from));
    files.retain(|path| path != Path::new(file!()));
    let read: BTreeSet<String> = files.iter().flat_map(|path| variables(path)).collect();
    let pages = ["docs/reference/environment.md", "docs/internals/environment.md"];
    let written: BTreeSet<String> =
        pages.iter().flat_map(|page| written_down(&text(Path::new(page)))).collect();
    let missing: Vec<_> = read.difference(&written).collect();
    let idle: Vec<_> = written.difference(&read).collect();
    assert!(missing.is_empty(), "not in {pages:?}: {missing:?}");
    assert!(idle.is_empty(), "in {pages:?}, and nobody reads it: {idle:?}");
}

/// The last three words of a message's longest part without names, numbers and punctuation: the
/// program fills in the others.
fn fixed_end(message: &str) -> String {
    let is_filled_in = |c: char| c.is_ascii_digit() || ".:;()[]`\"'_".contains(c);
    let parts = message.split(is_filled_in).map(|part| part.split_whitespace().collect::<Vec<_>>());
    let longest = parts.max_by_key(Vec::len).unwrap_or_default();
    longest[longest.len().saturating_sub(3)..].join(" ")
}

#[test]
fn messages_of_troubleshooting_are_printed() {
    let page = text(Path::new("docs/how-to/troubleshooting.md"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let messages: Vec<_> = rows.filter_map(|row| Some(row.split_once("` |")?.0)).collect();
    assert!(messages.len() > 20, "{messages:?}");
    let files = production();
    let is_printed = |message: &&str| {
        let end = fixed_end(message);
        let mut texts = files.iter().flat_map(|(_, file)| &file.texts);
        !end.is_empty() && texts.any(|text| text.contains(&end))
    };
    let old: Vec<_> = messages.into_iter().filter(|message| !is_printed(message)).collect();
    assert!(old.is_empty(), "the code has no such message: {old:?}");
}

#[test]
fn the_fixed_end_of_a_message_is_that_of_its_longest_part() {
    assert_eq!(fixed_end("process 1 does not let an agent in"), "an agent in");
    assert_eq!(fixed_end("cannot resume ...: since the campaign began"), "the campaign began");
    assert_eq!(fixed_end("12"), "");
}

#[test]
fn anchors_are_githubs() {
    assert_eq!(
        anchor("Power while it runs: `wattline monitor`"),
        "power-while-it-runs-wattline-monitor"
    );
    let page =
        read("# A [link](x.md)\n\n## One\n## One\n\n```\n# no heading\n[no](link.md)\n```\n");
    assert_eq!(page.links, ["x.md"]);
    assert_eq!(page.anchors.into_iter().collect::<Vec<_>>(), ["a-link", "one", "one-1"]);
}
