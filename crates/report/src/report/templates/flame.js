// Flame graphs: a click zooms to a box, a second one follows its link; words are found;
// arrow keys move.
const letter = 6.6;
for (const picture of document.querySelectorAll("svg.flame")) flame(picture);
function flame(picture) {
  const boxes = [...picture.querySelectorAll("a")].map((node) => {
    const rect = node.querySelector("rect");
    const [name, figures] = split(node.querySelector("title").textContent);
    const share = parseFloat(figures.split(", ").pop().replace("\u2212", "-").replace("< ", "")) || 0;
    const at = (key) => Number(rect.getAttribute(key));
    return { node, rect, text: node.querySelector("text"), name, figures, share, x: at("x"), width: at("width"), y: at("y") };
  });
  if (!boxes.length) return;
  const whole = boxes[0].width;
  let zoomed = boxes[0];
  const [bar, word, out, told] = tools();
  picture.parentNode.before(bar);
  boxes.forEach((box, i) => {
    box.node.setAttribute("tabindex", i ? -1 : 0);
    box.node.addEventListener("click", (event) => {
      if (box === zoomed || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      zoom(box);
    });
    box.node.addEventListener("keydown", (event) => move(event, box));
  });
  word.addEventListener("input", find);
  out.addEventListener("click", () => zoom(boxes[0]));
  // A name may hold what stands between it and its figures.
  function split(title) {
    const at = title.lastIndexOf(": ");
    return [title.slice(0, at), title.slice(at + 2)];
  }
  function tools() {
    const bar = document.createElement("div");
    bar.className = "tools";
    const label = document.createElement("label");
    label.textContent = "Find ";
    const word = document.createElement("input");
    word.type = "search";
    word.setAttribute("aria-label", "Find in the picture: " + picture.getAttribute("aria-label"));
    label.append(word);
    const out = document.createElement("button");
    out.type = "button";
    out.textContent = "Show all";
    out.hidden = true;
    const told = document.createElement("span");
    told.setAttribute("role", "status");
    bar.append(label, out, told);
    return [bar, word, out, told];
  }
  function zoom(to) {
    zoomed = to;
    const scale = whole / to.width;
    for (const box of boxes) {
      const over = box.y < to.y && box.x <= to.x + .01 && box.x + box.width >= to.x + to.width - .01;
      const inside = box.y >= to.y && box.x >= to.x - .01 && box.x + box.width <= to.x + to.width + .6;
      box.node.style.display = over || inside ? "" : "none";
      if (!over && !inside) continue;
      const x = over ? 0 : Math.max(0, (box.x - to.x) * scale);
      const width = over ? whole : Math.min(whole - x, box.width * scale);
      box.rect.setAttribute("x", x.toFixed(1));
      box.rect.setAttribute("width", width.toFixed(1));
      box.node.classList.toggle("around", over);
      box.text.setAttribute("x", (x + 3).toFixed(1));
      box.text.textContent = fitting(box.name, Math.floor((width - 6) / letter));
    }
    out.hidden = to === boxes[0];
    tell(to);
  }
  function fitting(name, letters) {
    if (letters < 3) return "";
    const all = [...name];
    return all.length <= letters ? name : all.slice(0, letters - 1).join("") + "\u2026";
  }
  function tell(box) {
    told.replaceChildren(box.name + ": " + box.figures + " ");
    const href = box.node.getAttribute("href");
    if (!href) return;
    const link = document.createElement("a");
    link.href = href;
    link.textContent = "open the source";
    told.append(link);
  }
  function find() {
    const wanted = word.value.trim().toLowerCase();
    const found = boxes.filter((box) => wanted && box.name.toLowerCase().includes(wanted));
    for (const box of boxes) box.node.classList.toggle("found", found.includes(box));
    // What lies in a box that was found already is counted with it.
    const inside = (a, b) => a !== b && a.y > b.y && a.x >= b.x - .01 && a.x + a.width <= b.x + b.width + .6;
    const top = found.filter((box) => !found.some((other) => inside(box, other)));
    const sum = top.reduce((sum, box) => sum + box.share, 0);
    told.textContent = wanted ? found.length + " boxes, together " + sum.toFixed(1) + " %" : "";
  }
  function move(event, box) {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const level = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!side && !level) return;
    event.preventDefault();
    const shown = boxes.filter((other) => other.node.style.display !== "none");
    const middle = (one) => Number(one.rect.getAttribute("x")) + Number(one.rect.getAttribute("width")) / 2;
    const row = shown.filter((other) => other.y === box.y + 20 * (level || 0)).sort((a, b) => middle(a) - middle(b));
    const near = level && [...row].sort((a, b) => Math.abs(middle(a) - middle(box)) - Math.abs(middle(b) - middle(box)))[0];
    const next = level ? near : row[row.indexOf(box) + side];
    if (!next) return;
    box.node.setAttribute("tabindex", -1);
    next.node.setAttribute("tabindex", 0);
    next.node.focus();
    tell(next);
  }
}
