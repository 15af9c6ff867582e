// Sorts the rows of a table by the column whose head is pressed.
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
}
function sort(table, head) {
  const column = head.cellIndex;
  const numeric = head.classList.contains("number");
  const first = numeric ? "descending" : "ascending";
  const other = numeric ? "ascending" : "descending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const key = (row) => numeric ? Number(row.cells[column].dataset.value) : row.cells[column].textContent;
  const compare = (a, b) => numeric ? key(a) - key(b) : key(a).localeCompare(key(b));
  const sign = order === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
}
