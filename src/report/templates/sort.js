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
  table.parentNode.before(bar);
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
  addEventListener("beforeprint", () => { for (const row of rows) row.hidden = false; });
  addEventListener("afterprint", show);
  show();
}
// A link to a line opens what it stands in.
function openTarget() {
  let node = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  for (const target = node; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
    if (!node.parentElement) target.scrollIntoView({ block: "center" });
  }
}
addEventListener("hashchange", openTarget);
openTarget();
