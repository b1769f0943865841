"use strict";
// Tables sort by a click on a heading; without this script they stay as written.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows];
      rows.sort((a, b) => compare(a.cells[place], b.cells[place], up ? 1 : -1));
      body.append(...rows);
    });
  });
}
// Tables of verdicts show what agrees or differs alone.
for (const filter of document.querySelectorAll(".filter")) {
  const buttons = [...filter.querySelectorAll("button")];
  const rows = [...filter.parentElement.querySelectorAll("tbody tr")];
  filter.hidden = false;
  for (const button of buttons) button.addEventListener("click", () => {
    for (const other of buttons) other.setAttribute("aria-pressed", other === button);
    const wanted = button.dataset.show;
    for (const row of rows) row.hidden = Boolean(wanted) && row.dataset.verdict !== wanted;
  });
}
function compare(a, b, sign) {
  const [x, y] = [a.dataset.sort, b.dataset.sort];
  // what is missing comes last, whichever way
  if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
  const difference = Number(x) - Number(y);
  if (!Number.isNaN(difference)) return sign * difference;
  return sign * x.localeCompare(y, "en", { numeric: true });
}
// On a phone the contents start closed.
const contents = document.querySelector("nav details");
if (contents && matchMedia("(max-width: 70rem)").matches) contents.open = false;
