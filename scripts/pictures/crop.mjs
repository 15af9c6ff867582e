// Opens a page that wattline wrote in Chromium and writes a part of it as a PNG picture. Called by
// scripts/pictures.sh. Arguments: the folder that has node_modules, Chromium, the page, the part
// (a name of `parts` below), the picture.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, file, part, picture] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");

// Each part: the size of the window in pixels, how many pixels of the picture are one of it, and
// what is done in the page before the picture is taken. It returns the rectangle that is cropped.
const parts = {
  "first-screen": [1280, 900, 1, window],
  "heat-map": [880, 2000, 1, hottestLines],
  "flame-graph": [1000, 900, 2, flameGraph],
  "hint": [880, 2000, 1, measuredFix],
  "activities": [1280, 900, 1, firstTables],
  "body": [1400, 900, 2, wholeBody],
};

if (!Object.hasOwn(parts, part)) {
  console.error(`no part ${part}: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
const [width, height, scale, show] = parts[part];
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--font-render-hinting=none",
  ],
});
try {
  const page = await browser.newPage({
    viewport: { width, height }, deviceScaleFactor: scale, colorScheme: "light",
  });
  await page.goto(pathToFileURL(file).href);
  const clip = await page.evaluate(show);
  if (clip.problem) throw new Error(`${file}: ${clip.problem}`);
  await page.screenshot({ path: picture, clip, fullPage: show !== window });
} finally {
  await browser.close();
}

function window() {
  return { x: 0, y: 0, width: innerWidth, height: innerHeight };
}

// The page of activities down to the end of its first two tables.
function firstTables() {
  const ends = [...document.querySelectorAll("table")].slice(0, 2).map((table) => table.getBoundingClientRect().bottom);
  return { x: 0, y: 0, width: innerWidth, height: Math.max(...ends) + scrollY + 16 };
}

function wholeBody() {
  const { x, y, width, height } = document.body.getBoundingClientRect();
  return { x, y, width, height };
}

// The excerpt of the source that spends most: 18 lines in a row of one file, with the name of the
// file above. Left out are excerpts with lines that the picture would cut, and those that are
// mostly comments.
function hottestLines() {
  const [lines, longest, mostIdle] = [18, 96, 7];
  const units = { k: 1e3, "": 1, m: 1e-3, "µ": 1e-6, n: 1e-9 };
  const joules = (row) => {
    const [, figure, unit] = /([\d.]+)\s*([kmµn]?)J/.exec(row.cells[1].textContent) ?? [];
    return figure ? Number(figure) * units[unit] : 0;
  };
  let best = { energy: 0 };
  for (const table of document.querySelectorAll("#source table.code")) {
    const rows = [...table.tBodies[0].rows];
    for (let first = 0; first + lines <= rows.length; first++) {
      const chosen = rows.slice(first, first + lines);
      if (chosen.some((row) => row.className === "gap" || row.cells[2].textContent.length > longest)) continue;
      const energies = chosen.map(joules);
      const energy = energies.reduce((sum, one) => sum + one);
      const idle = energies.filter((one) => one === 0).length;
      if (idle <= mostIdle && energy > best.energy) best = { energy, table, chosen };
    }
  }
  if (!best.table) return { problem: `no ${lines} lines of its source in a row have energies` };
  const { table, chosen } = best;
  for (const row of table.tBodies[0].rows) row.hidden = !chosen.includes(row);
  for (let node = table; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  const file = table.closest("details.file");
  for (const node of [document.querySelector("nav"), file.querySelector("ul.methods")]) node.hidden = true;
  const { x, y, width, height } = file.getBoundingClientRect();
  return { x: x - 8, y: y - 8 + scrollY, width: width + 16, height: height + 16 };
}

// The flame graph of threads and calls.
function flameGraph() {
  const picture = document.querySelector("#flame svg.flame");
  if (!picture) return { problem: "it has no flame graph" };
  document.querySelector("nav").hidden = true;
  const { x, y, width, height } = picture.getBoundingClientRect();
  return { x: x - 8, y: y - 4 + scrollY, width: width + 16, height: height + 8 };
}

// The first hint that has a diff and a measured saving, down to the end of its diff.
function measuredFix() {
  const isMeasured = (hint) => /measured/.test(hint.querySelector(".saving").textContent);
  const hints = [...document.querySelectorAll("#hints details.hint")];
  const hint = hints.find((one) => one.querySelector("pre.diff") && isMeasured(one));
  if (!hint) return { problem: "no hint has a diff and a measured saving" };
  hint.open = true;
  document.querySelector("nav").hidden = true;
  const { x, y, width } = hint.getBoundingClientRect();
  const end = hint.querySelector("pre.diff").getBoundingClientRect().bottom;
  return { x: x - 8, y: y - 8 + scrollY, width: width + 16, height: end - y + 16 };
}
