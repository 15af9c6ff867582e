//! Partials: files of sums over a part of a table, and models from merged ones.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::answer::path_text;
use crate::folder::{names, read_text};
use crate::format::counted;
use crate::input_file;
use crate::model::table::{ColumnChoice, TableRows};
use crate::model::{
    BASELINES, CvSet, FitOptions, FoldOptions, MergedFit, MergedRounds, ModelError, PartLabel,
    PartialMerger, SufficientStats, cv_csv, estimability_csv,
};
use crate::report::validation_figures;
use crate::toolchain::artifact::hash_of_bytes;

use super::figures::model_figures;
use super::tables::TableFiles;
use super::{Arguments, Failure, Output, PartialFile, progress};

/// File of the cross-validation rounds of a merged model, for `--judge`.
pub const ROUNDS: &str = "rounds.json";

/// File name extension of partials in a folder.
const EXTENSION: &str = "partial";

/// Parses `I/N`: part I of N.
pub fn part_number(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((number, of)) if (1..=of).contains(&number) => Ok((number, of)),
        _ => Err("I/N is wanted, with I from 1 to N".to_owned()),
    }
}

/// Sums the rows of a table, or judges them by a merged model, and writes the partial.
pub fn write_partial(
    arguments: &Arguments,
    tables: &TableFiles,
    choice: &ColumnChoice,
    options: &FitOptions,
    folds: FoldOptions,
    to: &Path,
) -> Result<(), Failure> {
    let rounds = arguments.judge.as_deref().map(read_rounds).transpose()?;
    let choice = rounds.as_ref().map_or_else(|| choice.clone(), MergedRounds::choice);
    let rows = tables.rows(&choice)?;
    tables.print_remarks(&rows)?;
    let label = PartLabel { number: arguments.part, columns: column_names(&choice, &rows) };
    let partial = match &rounds {
        None => SufficientStats::of_rows(&rows, options, folds, label),
        Some(rounds) => SufficientStats::of_errors(&rows, rounds, label),
    };
    let partial = partial.map_err(|error| match error {
        ModelError::Table(error) => tables.failure(&error),
        error => Failure::input(&tables.named, error),
    })?;
    let file = open_partial(arguments, to)?;
    file.put(&partial.to_bytes())?;
    let figures = || json!({"rows": partial.rows(), "partial": path_text(to)});
    arguments.format.print_figures("fit", figures);
    progress::say(format!("{}: {}", counted(partial.rows(), "row"), to.display()));
    Ok(())
}

/// Opens the file of a partial; refuses standard output where a JSON object is printed there.
fn open_partial(arguments: &Arguments, to: &Path) -> Result<PartialFile, Failure> {
    let file = PartialFile::open(to, arguments.force)?;
    arguments.format.check_alone(file.is_standard_output())?;
    Ok(file)
}

/// Names of the columns for target, group and weight.
fn column_names(choice: &ColumnChoice, rows: &TableRows<'_>) -> Vec<(String, String)> {
    let target = choice.target.clone().unwrap_or_else(|| "energy_j".to_owned());
    let named =
        [("target", Some(target)), ("group", rows.group()), ("weight", choice.weight.clone())];
    named.into_iter().filter_map(|(what, name)| Some((what.to_owned(), name?))).collect()
}

/// Merges partials into a model, its cross-validation, or another partial.
pub fn merge(
    arguments: &Arguments,
    paths: &[PathBuf],
    options: impl FnOnce(&SufficientStats) -> Result<FitOptions, Failure>,
) -> Result<(), Failure> {
    let merged = merge_partials(&partial_paths(paths)?)?;
    if let Some(to) = &arguments.partial {
        open_partial(arguments, to)?.put(&merged.to_bytes())?;
        let (rows, parts) = (merged.rows(), merged.parts().len());
        let figures = || json!({"rows": rows, "parts": parts, "partial": path_text(to)});
        arguments.format.print_figures("fit", figures);
        return Ok(());
    }
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    if merged.is_judged() {
        return write_validation(arguments, &merged, &output);
    }
    output.check_free(&[names::MODEL, names::ESTIMABILITY, ROUNDS])?;
    let MergedFit { mut model, estimability, rounds } = merged.fit(&options(&merged)?)?;
    let sums: String = merged.parts().iter().map(|part| part.checksum.clone() + "\n").collect();
    model.provenance.tool_version = env!("CARGO_PKG_VERSION").to_owned();
    model.provenance.data_sha256 = hash_of_bytes(sums.as_bytes());
    model.provenance.seed = merged.settings().folds.seed;
    output.write(names::MODEL, model.to_json()?)?;
    output.write(names::ESTIMABILITY, estimability_csv(&estimability.operations)?)?;
    output.write(ROUNDS, rounds.to_json()?)?;
    let estimable = model.costs.iter().filter(|cost| cost.estimable).count();
    let mut figures = model_figures(&model);
    figures["cases"] = json!(merged.rows());
    figures["parts"] = json!(merged.parts().len());
    figures["validation"] = json!(null);
    figures["no_validation_reason"] = json!("merged partials are not judged yet (--judge)");
    figures["folder"] = json!(path_text(output.folder()));
    arguments.format.print("fit", &figures, || {
        format!(
            "{}: {} x {} in {}, rank {}, {} estimable from the cases alone\n  not validated yet: \
         --judge {} the same tables, and --merge what that gives",
            model.solver,
            counted(merged.rows(), "case"),
            counted(model.costs.len(), "feature"),
            counted(merged.parts().len(), "part"),
            model.rank,
            counted(estimable, "cost"),
            output.path(names::MODEL).display(),
        )
    });
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Writes and prints the cross-validation of merged judged partials.
fn write_validation(
    arguments: &Arguments,
    merged: &SufficientStats,
    output: &Output,
) -> Result<(), Failure> {
    output.check_free(&[names::CROSS_VALIDATION])?;
    let (validation, squares) = merged.validation()?;
    output.write(names::CROSS_VALIDATION, cv_csv(&validation)?)?;
    let rows = merged.rows();
    let mut lines = vec![format!(
        "{} judged, root mean square of the residuals {:.3e} J",
        counted(rows, "case"),
        (squares / rows as f64).sqrt()
    )];
    let solver = validation.rows.first().map(|row| row.model.as_str());
    for name in solver.into_iter().chain(BASELINES) {
        if let Some(mean) = validation.mean(name, CvSet::Validation) {
            let r = mean.r.map_or("none".to_owned(), |r| format!("{r:.4}"));
            lines.push(format!("  {name:<12} validation NMAE {:6.2} %, r {r}", mean.nmae * 100.0));
        }
    }
    lines.extend(validation.verdict().map(|verdict| verdict.to_string()));
    let figures = json!({
        "cases": rows,
        "residual_rms_j": (squares / rows as f64).sqrt(),
        "validation": validation_figures(&validation.rows),
        "verdict": validation.verdict().map(|verdict| verdict.to_string()),
        "folder": path_text(output.folder()),
    });
    arguments.format.print("fit", &figures, || lines.join("\n"));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Reads the cross-validation rounds beside a merged model.
fn read_rounds(model: &Path) -> Result<MergedRounds, Failure> {
    let is_model = model.file_name().is_some_and(|name| name == names::MODEL);
    let path = match model {
        folder if folder.is_dir() => folder.join(ROUNDS),
        file if is_model => file.with_file_name(ROUNDS),
        file => file.to_owned(),
    };
    MergedRounds::from_json(&read_text(&path)?).map_err(|error| Failure::input(&path, error))
}

/// Paths of partials, with those in folders.
fn partial_paths(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).map_err(Failure::io("read", path))?;
        for entry in entries {
            let entry = entry.map_err(Failure::io("read", path))?.path();
            found.extend(
                Some(entry).filter(|path| path.extension().is_some_and(|e| e == EXTENSION)),
            );
        }
    }
    Ok(found)
}

/// Reads partials and merges them in an order that does not depend on the command line.
fn merge_partials(paths: &[PathBuf]) -> Result<SufficientStats, Failure> {
    let read = |path: &PathBuf| {
        let bytes = input_file::read(path).map_err(Failure::io("read", path))?;
        SufficientStats::from_bytes(&bytes).map_err(|error| Failure::input(path, error))
    };
    let mut order = Vec::with_capacity(paths.len());
    for path in paths {
        order.push((read(path)?.parts().to_vec(), path));
    }
    order.sort();
    let mut merge = PartialMerger::default();
    for (_, path) in order {
        let added = merge.add(&path.display().to_string(), read(path)?);
        added.map_err(|error| Failure::input(path, error))?;
    }
    merge.finish().map_err(|error| Failure::Usage(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_from_one() {
        assert_eq!(part_number("3/10"), Ok((3, 10)));
        for bad in ["0/3", "4/3", "1", "a/b", "-1/2", "1/0"] {
            assert!(part_number(bad).is_err(), "{bad}");
        }
    }
}
