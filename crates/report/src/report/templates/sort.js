// Sorts the rows of a table by the column whose head is pressed, finds rows by a word,
// and shows the first rows of a long table until all are asked for.
const first = 30;
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[0].cells;
  for (const head of heads) {
    if (head.classList.contains("fixed")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(table, head));
  }
  if (table.tBodies[0].rows.length > 5) tools(table);
}
function sort(table, head) {
  const column = head.cellIndex;
  const numeric = head.classList.contains("number");
  const natural = numeric ? "descending" : "ascending";
  const other = numeric ? "ascending" : "descending";
  const order = head.getAttribute("aria-sort") === natural ? other : natural;
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const key = (row) => numeric ? Number(row.cells[column].dataset.value) : row.cells[column].textContent;
  const compare = (a, b) => numeric ? key(a) - key(b) : key(a).localeCompare(key(b));
  const sign = order === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  table.dispatchEvent(new Event("change"));
}
function tools(table) {
  const rows = [...table.tBodies[0].rows];
  const bar = document.createElement("div");
  bar.className = "tools";
  const label = document.createElement("label");
  label.textContent = "Find ";
  const word = document.createElement("input");
  word.type = "search";
  word.setAttribute("aria-label", "Find in the table: " + (table.caption ? table.caption.textContent : ""));
  label.append(word);
  const all = document.createElement("button");
  all.type = "button";
  const told = document.createElement("span");
  told.className = "dim";
  told.setAttribute("role", "status");
  bar.append(label, all, told);
  (table.closest(".scroll") || table).before(bar);
  let limited = rows.length > first;
  all.hidden = !limited;
  all.textContent = "Show all " + rows.length;
  function show() {
    const wanted = word.value.trim().toLowerCase();
    let found = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = row.textContent.toLowerCase().includes(wanted);
      if (fits) found++;
      row.hidden = !fits || (limited && !wanted && found > first);
    }
    told.textContent = wanted ? found + " of " + rows.length + " rows" : "";
  }
  word.addEventListener("input", show);
  table.addEventListener("change", show);
  all.addEventListener("click", () => { limited = false; all.hidden = true; show(); });
  show();
}
// A link opens what its target stands in, and brings it into view: a line of the source to
// the middle, everything else to the top.
function openTarget() {
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  if (!target) return;
  for (let node = target; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
  }
  target.scrollIntoView({ block: target.tagName === "TD" ? "center" : "start" });
}
addEventListener("hashchange", openTarget);
// The same link again changes no hash, but what it leads to may be closed by now.
addEventListener("click", (event) => {
  const link = event.target.closest("a");
  const hash = link && link.getAttribute("href");
  if (hash && hash === location.hash) openTarget();
});
openTarget();
// A region is a stop of the tab key only while there is something to scroll.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const region of document.querySelectorAll(".scroll")) sizes.observe(region);
