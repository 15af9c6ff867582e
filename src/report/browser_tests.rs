//! The page in headless Chromium: no error, links that lead somewhere, sorting, search,
//! colours, hostile text inert. Skipped, and said so, where there is no browser
//! (`WATTLINE_CHROMIUM` names one that isn't on the path).

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::report::{html, sample};

/// Before everything else: what goes wrong is kept.
const WATCH: &str = "<script>window.problems = [];
addEventListener('error', (e) => problems.push(String(e.message)));
console.error = (...all) => problems.push(all.join(' '));</script>";

/// After everything: uses the page and writes what it saw into the document.
const USE: &str = r##"<script>
const seen = {};
const table = document.querySelector("#operations table");
const head = [...table.tHead.rows[0].cells].find((cell) => cell.textContent === "Cost");
const costs = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[head.cellIndex].dataset.value));
head.querySelector("button").click();
const down = costs();
head.querySelector("button").click();
const up = costs();
seen.sorted = down.every((cost, i) => i === 0 || down[i - 1] >= cost) && up.every((cost, i) => i === 0 || up[i - 1] <= cost);
seen.order = head.getAttribute("aria-sort");
const word = document.querySelector("#operations input[type=search]");
seen.rows = table.tBodies[0].rows.length;
if (word) {
  word.value = "math.sqrt";
  word.dispatchEvent(new Event("input"));
  seen.found = [...table.tBodies[0].rows].filter((row) => row.offsetParent !== null).length;
}
seen.dangling = [...document.querySelectorAll("a[href^='#']")].filter((a) => !document.getElementById(a.hash.slice(1))).length;
seen.links = document.querySelectorAll("a[href^='#']").length;
seen.outside = document.querySelectorAll("[src], link, a[href]:not([href^='#'])").length;
seen.scripts = document.scripts.length;
seen.handlers = [...document.querySelectorAll("*")].filter((node) => [...node.attributes].some((a) => a.name.startsWith("on"))).length;
seen.hacked = typeof window.hacked;
const hot = document.querySelector("tr.heat-5");
seen.coloured = !!hot && getComputedStyle(hot).backgroundColor !== getComputedStyle(document.body).backgroundColor;
seen.unnamed = [...document.querySelectorAll("table")].filter((t) => !t.caption && !t.closest("[aria-label]")).length;
seen.images = [...document.querySelectorAll("svg")].filter((s) => !s.getAttribute("aria-label") && !s.getAttribute("aria-labelledby")).length;
seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const line = document.querySelector("#source td[id]");
if (line) location.hash = line.id;
setTimeout(() => {
  seen.opened = !!line && [...document.querySelectorAll("#source details.file")].some((file) => file.contains(line) && file.open);
  seen.problems = problems;
  document.documentElement.dataset.seen = encodeURIComponent(JSON.stringify(seen));
}, 50);
</script>"##;

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("WATTLINE_CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        ["chromium", "chromium-browser", "google-chrome", "chrome"].iter().find_map(|name| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        });
    let found = named.or(found);
    if found.is_none() {
        println!("skipped: there is no Chromium on the path");
    }
    found
}

/// What the page's use shows in a browser; `None` where there is none.
fn seen(page: &str) -> Option<Value> {
    let browser = browser()?;
    let folder = tempfile::tempdir().unwrap();
    let page = page.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let page = page.replacen("</body>", &format!("{USE}</body>"), 1);
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--window-size=1280,900", "--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let seen = dom.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen = seen.unwrap_or_else(|| {
        panic!("the page did not finish: {}\n{dom}", String::from_utf8_lossy(&output.stderr))
    });
    let text = percent_decoded(seen);
    Some(serde_json::from_str(&text).unwrap())
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        if *first == b'%' && more.len() >= 2 {
            let digits = std::str::from_utf8(&more[..2]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &more[2..];
        } else {
            bytes.push(*first);
            rest = more;
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(seen) = seen(&html(&sample::report().data())) else { return };
    assert_eq!(seen["problems"], serde_json::json!([]), "{seen:#}");
    assert_eq!(seen["sorted"], true, "{seen:#}");
    assert_eq!(seen["order"], "ascending", "{seen:#}");
    assert!(seen["rows"].as_u64().unwrap() > 10 && seen["found"] == 1, "{seen:#}");
    assert!(seen["links"].as_u64().unwrap() > 10 && seen["dangling"] == 0, "{seen:#}");
    assert_eq!((&seen["coloured"], &seen["opened"]), (&true.into(), &true.into()), "{seen:#}");
    assert_eq!((&seen["outside"], &seen["unnamed"]), (&0.into(), &0.into()), "{seen:#}");
    assert_eq!((&seen["images"], &seen["wide"]), (&0.into(), &0.into()), "{seen:#}");
}

#[test]
fn hostile_text_is_inert_in_a_browser() {
    let Some(seen) = seen(&html(&sample::hostile().data())) else { return };
    assert_eq!(seen["problems"], serde_json::json!([]), "{seen:#}");
    // The page's own script and the test's two.
    assert_eq!((&seen["scripts"], &seen["handlers"]), (&3.into(), &0.into()), "{seen:#}");
    assert_eq!((&seen["hacked"], &seen["outside"]), (&"undefined".into(), &0.into()), "{seen:#}");
}
