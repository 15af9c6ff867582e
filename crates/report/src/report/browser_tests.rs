//! The page in headless Chromium, used as a reader does (`tests/browser/page.mjs`): where
//! every link leads, sorting, search, zoom, printing, names on a phone, axe-core's rules, and
//! hostile text inert. Skipped where there is no browser (`WATTLINE_CHROMIUM`
//! names one that isn't on the path) or `scripts/packages.sh test` could not install what
//! drives it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::report::{compare_page, report_page, sample};
use crate::skip;

fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &&str| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    };
    names.iter().find_map(found)
}

/// Node, the folder with its modules, and Chromium.
fn browser() -> Option<[PathBuf; 3]> {
    let named = std::env::var_os("WATTLINE_CHROMIUM").map(PathBuf::from);
    let chromium =
        || on_path(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]);
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let found = || {
        Ok([
            on_path(&["node"]).ok_or("no node on the path")?,
            Some(modules)
                .filter(|folder| folder.join("node_modules").is_dir())
                .ok_or("no target/browser/node_modules, which scripts/packages.sh test makes")?,
            named.or_else(chromium).ok_or("no Chromium on the path")?,
        ])
    };
    found().map_err(|why: &str| skip::because(why)).ok()
}

/// What the page's use shows in a browser; `None` where there is none.
fn seen(page: &str) -> Option<Value> {
    run(page, "all")
}

/// What a part of it shows.
fn run(page: &str, part: &str) -> Option<Value> {
    let [node, modules, chromium] = browser()?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/page.mjs");
    let output =
        Command::new(node).arg(script).args([modules, chromium, file]).arg(part).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = || format!("{}\n{text}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the page did not finish: {}", failed());
    Some(serde_json::from_str(&text).unwrap())
}

/// What holds of every page: no error, nothing from outside, every link and every click on
/// the navigation leads where it says, and everybody can use it.
fn check(seen: &Value) {
    let none = serde_json::json!([]);
    assert_eq!((&seen["problems"], &seen["requests"]), (&none, &none), "{seen:#}");
    assert_eq!((&seen["outside"], &seen["handlers"]), (&0.into(), &0.into()), "{seen:#}");
    assert_eq!(
        (&seen["unnamedTables"], &seen["unnamedPictures"]),
        (&0.into(), &0.into()),
        "{seen:#}"
    );
    for size in seen["sizes"].as_array().unwrap() {
        assert_eq!((&size["violations"], &size["missed"]), (&none, &none), "{size:#}");
        assert_eq!((&size["broken"], &size["wider"]), (&none, &0.into()), "{size:#}");
        for count in ["unnamed", "unreachable", "idle", "pre"] {
            assert_eq!(size[count], 0, "{count} {size:#}");
        }
        for landing in size["landings"].as_array().unwrap() {
            let near = landing["below"].as_i64().unwrap() < 80 || landing["end"] == true;
            assert!(landing["seen"] == true && near, "{landing:#}");
        }
    }
}

#[test]
fn the_page_works_in_a_browser() {
    let sample = sample::report();
    let Some(seen) = seen(&report_page(&sample.data())) else { return };
    check(&seen);
    assert!(seen["links"].as_u64().unwrap() > 50, "{seen:#}");
    assert!(seen["toSource"].as_u64().unwrap() > 30, "{seen:#}");
    assert!(seen["sizes"][0]["landings"].as_array().unwrap().len() >= 12, "{seen:#}");
    let table = &seen["table"];
    assert_eq!((&table["down"], &table["up"]), (&true.into(), &true.into()), "{seen:#}");
    assert_eq!((&table["order"], &table["found"]), (&"ascending".into(), &1.into()), "{seen:#}");
    assert!(table["rows"].as_u64().unwrap() > 10 && seen["coloured"] == true, "{seen:#}");
    assert!(seen["openHints"] == 3 && seen["hints"].as_u64().unwrap() > 3, "{seen:#}");
    check_flame_graph(&seen);
}

/// A box zooms, is found, and leads to the source.
fn check_flame_graph(seen: &Value) {
    let flame = &seen["flame"];
    let width = |name: &str| flame[name].as_f64().unwrap();
    assert!(width("before") < 1199.0 && width("after") > 1199.0, "{flame:#}");
    assert_eq!(width("before"), width("back"), "{flame:#}");
    assert_eq!((&flame["unmoved"], &flame["there"]), (&"".into(), &flame["href"]), "{flame:#}");
    assert_eq!(flame["link"], flame["href"], "{flame:#}");
    assert!(flame["href"].as_str().unwrap().starts_with("#s"), "{flame:#}");
    assert!(flame["told"].as_str().unwrap().contains(" %"), "{flame:#}");
    assert!(flame["found"].as_u64().unwrap() >= 1, "{flame:#}");
    assert_eq!((&flame["focused"], &flame["stops"]), (&"20".into(), &1.into()), "{flame:#}");
}

#[test]
fn a_large_page_prints_on_ten_sheets() {
    let Some(seen) = run(&report_page(&sample::large().data()), "printed") else { return };
    let pages = seen["printed"].as_u64().unwrap();
    assert!((2..=10).contains(&pages), "{pages}");
}

#[test]
fn the_page_of_a_comparison_works_in_a_browser() {
    let page = compare_page(&crate::report::compare_page::sample::comparison());
    let Some(seen) = seen(&page) else { return };
    check(&seen);
    assert_eq!((&seen["scripts"], &seen["hacked"]), (&1.into(), &"undefined".into()), "{seen:#}");
}

#[test]
fn hostile_text_is_inert_in_a_browser() {
    let Some(seen) = seen(&report_page(&sample::hostile().data())) else { return };
    check(&seen);
    assert_eq!((&seen["scripts"], &seen["hacked"]), (&1.into(), &"undefined".into()), "{seen:#}");
}
