// Tables are sorted by a click on a column's heading. A table whose rows come in groups (a body for
// each line) sorts the groups by their last row, which is the one over all tasks.
const number = /^[−+-]?\d+(\.\d+)?/;

function key(row, column) {
  const text = row.cells[column]?.textContent.trim() ?? "";
  const match = text.replace(/^< /, "").match(number);
  return match ? parseFloat(match[0].replace("−", "-")) : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1; // a dash comes after every number
}

function sort(table, column, descending) {
  const bodies = [...table.tBodies];
  const grouped = bodies.length > 1;
  const items = grouped ? bodies : [...bodies[0].rows];
  // Only the first row of a group has the name of its line.
  const place = (item) => (grouped ? item.rows[column ? item.rows.length - 1 : 0] : item);
  items
    .map((item) => [key(place(item), column), item])
    .sort((a, b) => (descending ? -1 : 1) * compare(a[0], b[0]))
    .forEach(([, item]) => item.parentNode.append(item));
}

for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows].at(-1).cells;
  const count = table.tBodies.length > 1 ? table.tBodies.length : table.tBodies[0]?.rows.length;
  if (!(count > 1)) continue;
  [...heads].forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.title = "Sort by this column";
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(table, column, descending);
    });
  });
}
