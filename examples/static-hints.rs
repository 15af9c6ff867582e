//! Hints for sources that nobody has run: every unit is taken to be entered 1000 times,
//! every loop to iterate 20 times per entry. For trying the patterns on real code; no
//! energy follows from it.
//!
//! cargo run --release --example static-hints -- SOURCES [CLASSPATH [MODEL.json [OUT]]]
//!
//! Prints a line per hint (pattern, confidence, file, lines), then what it says and the
//! code in question. With OUT, writes the files that automatic fixes change there, with
//! all of them applied: does the project still compile, do its tests pass? An empty
//! CLASSPATH or MODEL.json is none.

use std::error::Error;
use std::path::{Path, PathBuf};

use wattline::blocks::Granularity;
use wattline::build::{AnalysedApplication, sources};
use wattline::hint::{Hint, apply, assumed_hints};
use wattline::java::SourceFile;
use wattline::model::Model;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let places = arguments.first().ok_or("give a folder of sources")?;
    let classes: Vec<PathBuf> = arguments.get(1).map_or(Vec::new(), |path| {
        std::env::split_paths(path).filter(|path| !path.as_os_str().is_empty()).collect()
    });
    let model = match arguments.get(2).filter(|path| !path.is_empty()) {
        Some(path) => Some(Model::from_json(&std::fs::read_to_string(path)?)?),
        None => None,
    };
    let loaded = sources::load_paths(&[Path::new(places).to_path_buf()], &classes)?;
    let application = AnalysedApplication::analyse(loaded, Granularity::Statement)?;
    let hints = assumed_hints(&application.dictionary, &application.files, model.as_ref());
    hints.iter().for_each(|hint| print(hint, &application.files));
    if let Some(out) = arguments.get(3) {
        let applied = apply(&hints, &application.files, usize::MAX);
        for (path, text) in &applied.files {
            let file = Path::new(out).join(path);
            std::fs::create_dir_all(file.parent().ok_or("a file stands in a folder")?)?;
            std::fs::write(file, text)?;
        }
        eprintln!("{} hints applied to {} files", applied.done.len(), applied.files.len());
    }
    Ok(())
}

/// One hint with its code.
fn print(hint: &Hint, files: &[SourceFile]) {
    let Hint { pattern, file, start_line, end_line, .. } = hint;
    println!("## {pattern} {} {file}:{start_line}-{end_line}", hint.confidence.name());
    println!("{}\n{}\n{}\n{}", hint.sentence, hint.advice, hint.condition, hint.rewrite);
    let text = files.iter().find(|one| one.path == *file).map_or("", |one| one.text.as_str());
    let (first, last) = (*start_line as usize, *end_line as usize);
    let lines = text.lines().enumerate().skip(first.saturating_sub(1)).take(last + 1 - first);
    for (i, line) in lines.take(30) {
        println!("{:>5} | {line}", i + 1);
    }
    println!();
}
