//! View of the source with coloured lines, by package, file and method: the files and lines with
//! energy, up to a limit, and their share.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::account::BlockAccount;
use crate::format;
use crate::report::data::ReportData;
use crate::units::Joules;

/// Largest number of source lines on the page; each takes about 150 bytes.
const MOST_LINES: usize = 7000;
/// Largest number of files on the page.
const MOST_FILES: usize = 150;
/// Context lines before and after lines with energy.
const AROUND: u32 = 3;
/// Largest number of characters of a line.
const WIDEST: usize = 160;

/// A package with its files on the page.
pub(crate) struct PackageView {
    /// Number on the page, for its anchor.
    pub number: usize,
    /// Name of the package.
    pub name: String,
    /// Energy of its files.
    pub energy: String,
    /// Energy in joules, for sorting.
    pub energy_raw: f64,
    /// Part of the scenario or none.
    pub share: String,
    /// Files on the page by descending energy.
    pub files: Vec<FileView>,
}

/// A file with its methods and shown lines.
pub(crate) struct FileView {
    /// Number on the page, for the anchors of its lines.
    pub number: usize,
    /// Path as in the dictionary.
    pub path: String,
    /// Its name without the package.
    pub name: String,
    /// Energy of its lines.
    pub energy: String,
    /// Part of the scenario or none.
    pub share: String,
    /// Methods that ran, in source order.
    pub methods: Vec<SourceMethodView>,
    /// Shown lines.
    pub lines: Vec<LineView>,
}

/// A method of a file, with a link to its first shown line.
pub(crate) struct SourceMethodView {
    /// Name with parameters.
    pub name: String,
    /// First shown line of the method.
    pub line: u32,
    /// Self energy.
    pub energy: String,
}

/// A source line with its energy, and the gap before it.
pub(crate) struct LineView {
    /// Line number, from 1.
    pub number: u32,
    /// Text.
    pub text: String,
    /// Energy; empty for a line without any.
    pub energy: String,
    /// Colour from 0 (none) to 5.
    pub heat: u8,
    /// Number of lines left out before this one.
    pub gap: u32,
}

/// The section with the source.
pub(crate) struct SourceView {
    /// Packages by descending energy.
    pub packages: Vec<PackageView>,
    /// Sentence on the shown part.
    pub sentence: String,
}

/// Energies and blocks of one file.
#[derive(Default)]
struct SourceFileView<'a> {
    lines: BTreeMap<u32, Joules>,
    blocks: Vec<&'a BlockAccount>,
}

impl SourceFileView<'_> {
    fn energy(&self) -> Joules {
        self.lines.values().copied().sum()
    }
}

/// View of the source files with energy.
pub fn source_views(data: &ReportData<'_>) -> SourceView {
    let mut files: BTreeMap<&str, SourceFileView<'_>> = BTreeMap::new();
    for entry in &data.accounts.lines {
        files.entry(&entry.key.file).or_default().lines.insert(entry.key.line, entry.joules());
    }
    for block in &data.accounts.blocks {
        files.entry(&block.file).or_default().blocks.push(block);
    }
    let ran = files.len();
    let mut files: Vec<(&str, SourceFileView<'_>)> = files.into_iter().collect();
    files.sort_by(|a, b| b.1.energy().0.total_cmp(&a.1.energy().0));
    let hottest = data.accounts.lines.first().map_or(0.0, |entry| entry.joules().0);
    let mut views = Vec::new();
    let (mut left, mut shown) = (MOST_LINES, Joules(0.0));
    for (path, file) in &files {
        let Some(text) = data.sources.get(*path).filter(|_| views.len() < MOST_FILES) else {
            continue;
        };
        let lines = lines(text, file, hottest);
        if lines.len() > left {
            continue;
        }
        left -= lines.len();
        shown += file.energy();
        views.push((*path, file.energy(), file_view(data, views.len(), path, file, lines)));
    }
    let sentence = sentence(data, views.len(), ran, shown);
    SourceView { packages: packages(data, views), sentence }
}

/// Sentence on the shown part of the source.
fn sentence(data: &ReportData<'_>, shown: usize, ran: usize, energy: Joules) -> String {
    format!(
        "{shown} of the {} that ran; their lines hold {} of the energy above idle. Lines \
         that spend nothing are left out where there are many; all figures are in \
         accounts/lines.csv.",
        format::counted(ran, "file"),
        share(data, energy)
    )
}

fn file_view(
    data: &ReportData<'_>,
    number: usize,
    path: &str,
    file: &SourceFileView<'_>,
    lines: Vec<LineView>,
) -> FileView {
    FileView {
        number,
        path: path.to_string(),
        name: format::visible(path.rsplit('/').next().unwrap_or(path)),
        energy: format::energy(file.energy()),
        share: share(data, file.energy()),
        methods: methods(file, &lines),
        lines,
    }
}

/// Share of the scenario's energy above idle.
fn share(data: &ReportData<'_>, energy: Joules) -> String {
    let whole = data.accounts.ledger.above_idle().joules();
    format::percent_or_none((whole.0 > 0.0).then(|| energy / whole))
}

/// Methods of a file by first line.
fn methods(file: &SourceFileView<'_>, shown: &[LineView]) -> Vec<SourceMethodView> {
    let from = |line: u32| {
        let next = shown.partition_point(|view| view.number < line);
        shown.get(next).or(shown.last()).map_or(line, |view| view.number)
    };
    let mut found: BTreeMap<(&str, &str), (u32, Joules)> = BTreeMap::new();
    for block in &file.blocks {
        let method =
            found.entry((&block.class, &block.method)).or_insert((block.start_line, Joules(0.0)));
        method.0 = method.0.min(block.start_line);
        method.1 += block.entry.joules();
    }
    let mut views: Vec<(u32, SourceMethodView)> = found
        .into_iter()
        .map(|((class, method), (line, energy))| {
            let class = class.rsplit('.').next().unwrap_or(class);
            let name = format::visible(&format!("{class}.{method}"));
            let name = format::truncate(&name, 100);
            (line, SourceMethodView { name, line: from(line), energy: format::energy(energy) })
        })
        .collect();
    views.sort_by_key(|(line, _)| *line);
    views.into_iter().map(|(_, view)| view).collect()
}

/// Lines with energy, and context around them.
fn lines(text: &str, file: &SourceFileView<'_>, hottest: f64) -> Vec<LineView> {
    let near = |line: &u32| -> RangeInclusive<u32> {
        line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND)
    };
    let ranges: Vec<RangeInclusive<u32>> = file.lines.keys().map(near).collect();
    let mut ranges = ranges.iter().peekable();
    let mut views: Vec<LineView> = Vec::new();
    let mut last = 0;
    for (number, text) in (1u32..).zip(text.lines()) {
        while ranges.next_if(|range| *range.end() < number).is_some() {}
        let Some(range) = ranges.peek() else { break };
        if !range.contains(&number) {
            continue;
        }
        let energy = file.lines.get(&number).copied();
        views.push(LineView {
            number,
            text: format::truncate(&format::visible(text), WIDEST),
            energy: energy.map_or(String::new(), format::energy),
            heat: energy.map_or(0, |energy| heat(energy.0, hottest)),
            gap: number - last - 1,
        });
        last = number;
    }
    views
}

/// Colour of a line: 5 near the hottest, 1 less for every factor of about 3, at least 1.
fn heat(energy_j: f64, hottest_j: f64) -> u8 {
    match energy_j / hottest_j {
        part if part >= 0.3 => 5,
        part if part >= 0.1 => 4,
        part if part >= 0.03 => 3,
        part if part >= 0.01 => 2,
        part if part > 0.0 => 1,
        _ => 0,
    }
}

/// Groups files by package.
fn packages(data: &ReportData<'_>, files: Vec<(&str, Joules, FileView)>) -> Vec<PackageView> {
    let mut found: BTreeMap<String, (Joules, Vec<FileView>)> = BTreeMap::new();
    for (path, energy, view) in files {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let package = found.entry(folder.replace('/', ".")).or_default();
        package.0 += energy;
        package.1.push(view);
    }
    let mut views: Vec<PackageView> = found
        .into_iter()
        .map(|(name, (energy, files))| PackageView {
            number: 0,
            name: match name.is_empty() {
                true => "(no package)".into(),
                false => format::visible(&name),
            },
            energy: format::energy(energy),
            energy_raw: energy.0,
            share: share(data, energy),
            files,
        })
        .collect();
    views.sort_by(|a, b| b.energy_raw.total_cmp(&a.energy_raw));
    views.iter_mut().enumerate().for_each(|(number, view)| view.number = number);
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn lines_that_spend_are_shown_with_their_neighbours() {
        let mut file = SourceFileView::default();
        file.lines.insert(2, Joules(1.0));
        file.lines.insert(20, Joules(0.02));
        let text: String = (1..=40).map(|i| format!("line {i}\n")).collect();
        let views = lines(&text, &file, 1.0);
        let numbers: Vec<u32> = views.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23]);
        assert_eq!(views.iter().map(|line| line.gap).sum::<u32>(), 11);
        assert_eq!((views[1].heat, views[8].heat, views[0].heat), (5, 2, 0));
    }

    #[test]
    fn a_large_program_is_cut_and_says_so() {
        let sample = sample::large();
        let page = crate::report::report_page(&sample.data());
        assert!(page.len() < 3_000_000, "{}", page.len());
        if let Ok(path) = std::env::var("WATTLINE_RENDER_LARGE") {
            std::fs::write(path, &page).unwrap();
        }
        let view = source_views(&sample.data());
        assert!(view.sentence.contains("of the 40"), "{}", view.sentence);
        let lines =
            view.packages.iter().flat_map(|p| &p.files).map(|f| f.lines.len()).sum::<usize>();
        assert!((5000..=MOST_LINES).contains(&lines), "{lines}");
    }
}
