// Opens a page of wattline in Chromium, uses it as a reader does, and prints as JSON what it
// saw. Arguments: a folder with node_modules, Chromium, the page, and `printed` where only its
// sheets of paper are asked for.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, executablePath, file, part] = process.argv.slice(2);
const require = createRequire(modules + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const url = pathToFileURL(file).href;
const sizes = [{ width: 1400, height: 900 }, { width: 400, height: 800 }];

const seen = { problems: [], requests: [], sizes: [] };
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});
try {
  if (part !== "printed") {
    for (const viewport of sizes) seen.sizes.push(await look(viewport));
    Object.assign(seen, await withPage(sizes[0], use));
  }
  seen.printed = await withPage(sizes[0], printed);
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen, null, 1));

// Runs something on a freshly opened page.
async function withPage(viewport, work) {
  const page = await browser.newPage({ viewport });
  page.on("console", (message) => message.type() === "error" && seen.problems.push(message.text()));
  page.on("pageerror", (error) => seen.problems.push(String(error)));
  page.on("request", (request) => request.url().startsWith("file:") || seen.requests.push(request.url()));
  await page.goto(url);
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

async function look(viewport) {
  const facts = await withPage(viewport, (page) => page.evaluate(measure));
  return {
    width: viewport.width,
    ...facts,
    landings: await withPage(viewport, landings),
    ...await withPage(viewport, rules),
    missed: await withPage(viewport, (page) => page.evaluate(follow)),
  };
}

// Where the first click on each link of the navigation leads, each from the top of the page
// as it is after it was opened.
async function landings(page) {
  const links = page.locator("nav a");
  const all = [];
  for (let i = 0; i < await links.count(); i++) {
    await page.evaluate(() => { history.replaceState(null, "", location.pathname); scrollTo(0, 0); });
    await links.nth(i).click();
    await page.evaluate(settled);
    all.push(await page.evaluate(landing, await links.nth(i).getAttribute("href")));
  }
  return all;
}

function landing(hash) {
  const nav = document.querySelector("nav").getBoundingClientRect();
  const head = document.querySelector(hash).querySelector("h2").getBoundingClientRect();
  return {
    hash,
    below: Math.round(head.top - nav.bottom),
    seen: head.top >= nav.bottom - 1 && head.bottom <= innerHeight,
    end: scrollY + innerHeight >= document.documentElement.scrollHeight - 2,
  };
}

async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0].html.slice(0, 200)}`);
}

// The rules of axe-core with all parts as they are, and with all of them open.
async function rules(page) {
  const closed = await violations(page);
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  await page.evaluate(settled);
  return { violations: [...closed, ...await violations(page)] };
}

async function printed(page) {
  const pdf = await page.pdf({ preferCSSPageSize: true });
  return (pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g) || []).length;
}

// The page after everything that a change sets off.
function settled() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

function measure() {
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  all("details").forEach((one) => { one.open = true; });
  const scrolls = (node) => node.scrollWidth > node.clientWidth;
  const regions = all(".scroll");
  return new Promise((done) => setTimeout(done)).then(() => new Promise(requestAnimationFrame)).then(() => new Promise((done) => setTimeout(done))).then(() => ({
    wider: root.scrollWidth - root.clientWidth,
    beyond: all("body *").filter((one) => !one.closest(".scroll, nav") && one.getBoundingClientRect().right > root.clientWidth + 1).map((one) => `${one.closest("section")?.id} ${one.tagName}.${one.className}`).slice(0, 9),
    regions: regions.length,
    unnamed: regions.filter((one) => one.getAttribute("role") !== "region" || !one.getAttribute("aria-label")).length,
    unreachable: regions.filter((one) => scrolls(one) && one.tabIndex !== 0).length,
    idle: regions.filter((one) => !scrolls(one) && one.hasAttribute("tabindex")).length,
    broken: all("td .whole bdi, th .whole bdi").filter((one) => one.getClientRects().length > 1).map((one) => one.textContent).slice(0, 5),
    pre: all("pre[tabindex]").length,
  }));
}

// Follows every link within the page; those whose target is not in view then.
async function follow() {
  const nav = document.querySelector("nav");
  const next = () => new Promise((done) => setTimeout(done));
  const missed = [];
  const done = new Set();
  for (const link of document.querySelectorAll("main a[href^='#']")) {
    const hash = link.getAttribute("href");
    if (done.has(hash) || done.size > 300) continue;
    done.add(hash);
    const target = document.getElementById(hash.slice(1));
    if (!target) { missed.push(`${hash} leads nowhere`); continue; }
    const arrived = location.hash === hash ? next() : new Promise((arrive) => addEventListener("hashchange", arrive, { once: true }));
    location.hash = hash;
    await arrived;
    const place = target.getBoundingClientRect();
    const top = nav ? nav.getBoundingClientRect().bottom : 0;
    if (place.top < top - 1 || place.top > innerHeight || place.height === 0) missed.push(`${hash} at ${Math.round(place.top)}`);
  }
  return missed;
}

// Sorts, searches, zooms, and what the page is made of.
async function use(page) {
  const made = await page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const hot = document.querySelector("tr.heat-5");
    return {
      links: all("a[href^='#']").length,
      toSource: all("main > section:not(#source) a[href^='#s']").filter((a) => /^#s\d/.test(a.getAttribute("href"))).length,
      outside: all("[src], link, a[href]:not([href^='#'])").length,
      scripts: document.scripts.length,
      handlers: all("*").filter((node) => [...node.attributes].some((a) => a.name.startsWith("on"))).length,
      hacked: typeof window.hacked,
      unnamedTables: all("table").filter((t) => !t.caption && !t.closest("[aria-label]")).length,
      unnamedPictures: all("svg").filter((s) => !s.getAttribute("aria-label") && !s.getAttribute("aria-labelledby")).length,
      coloured: !!hot && getComputedStyle(hot).backgroundColor !== getComputedStyle(document.body).backgroundColor,
      openHints: all("#hints details[open]").length,
      hints: all("#hints details").length,
    };
  });
  return { ...made, table: await sorted(page), flame: await zoomed(page) };
}

async function sorted(page) {
  const table = page.locator("#operations table");
  if (await table.count() === 0) return null;
  const head = table.locator("thead th").filter({ hasText: "Cost" });
  const column = await head.evaluate((cell) => cell.cellIndex);
  const costs = () => table.locator("tbody").evaluate((body, i) => [...body.rows].map((row) => Number(row.cells[i].dataset.value)), column);
  const shown = () => table.locator("tbody tr:visible").count();
  await head.getByRole("button").click();
  const down = await costs();
  await head.getByRole("button").click();
  const up = await costs();
  const rows = await shown();
  const word = page.locator("#operations input[type=search]");
  if (await word.count()) await word.fill("math.sqrt");
  return {
    down: down.every((cost, i) => i === 0 || down[i - 1] >= cost),
    up: up.every((cost, i) => i === 0 || up[i - 1] <= cost),
    order: await head.getAttribute("aria-sort"),
    rows,
    found: await shown(),
  };
}

// A box of the last picture that is in the source: a click zooms to it, a second one goes to
// the source; words, arrow keys.
async function zoomed(page) {
  const picture = page.locator("svg.flame").last();
  const boxes = picture.locator("a");
  const which = await boxes.evaluateAll((all) => all.findIndex((box) => {
    const width = Number(box.querySelector("rect").getAttribute("width"));
    return /^#s\d/.test(box.getAttribute("href")) && width > 30 && width < 1100;
  }));
  if (which < 0) return null;
  const width = (box) => box.locator("rect").getAttribute("width").then(Number);
  const deepest = boxes.nth(which);
  const tools = page.locator("#flame .tools:has(+ .scroll svg.flame)").last();
  const before = await width(deepest);
  await deepest.click();
  const after = await width(deepest);
  const told = await tools.getByRole("status").textContent();
  const href = await deepest.getAttribute("href");
  const link = await tools.getByRole("status").locator("a").getAttribute("href");
  const unmoved = await page.evaluate(() => location.hash);
  await deepest.click();
  await page.evaluate(settled);
  const there = await page.evaluate(() => location.hash);
  await tools.getByRole("button").click();
  const back = await width(deepest);
  const name = (await deepest.locator("title").textContent()).split(": ")[0];
  await tools.getByRole("searchbox").fill(name);
  const found = await picture.locator("a.found").count();
  await boxes.nth(0).focus();
  await page.keyboard.press("ArrowDown");
  const focused = await page.evaluate(() => document.activeElement.closest("svg.flame") !== null && document.activeElement.querySelector("rect").getAttribute("y"));
  const stops = await picture.locator("a[tabindex='0']").count();
  return { before, after, back, told, href, link, unmoved, there, found, focused, stops };
}
