"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-page=heatmap]");
  const table = document.querySelector("[data-heat]");
  if (!form || !table) return;
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].slice(1);
  let kind = form.elements.kind ? ErrataBench.cameWith(form.elements.kind) : "";

  function apply(found, isStatic) {
    const wanted = found.kind || "";
    if (form.elements.kind && (wanted !== kind || isStatic)) {
      if (!isStatic) return false;
      kind = wanted;
      heads.forEach((head, n) => {
        const group = head.dataset.g;
        const hidden = wanted === "" ? group !== "" : wanted === "all" ? group === "" : group !== wanted;
        head.hidden = hidden;
        for (const row of rows) row.cells[n + 1].hidden = hidden;
      });
    }
    let shown = 0, all = 0;
    for (const row of rows) {
      if (!row.dataset.label) continue;
      all += 1;
      row.hidden = !ErrataBench.modelStays(row, found);
      shown += !row.hidden;
    }
    ErrataBench.say(`${shown} of ${all} variants`);
    rove();
    return true;
  }

  /** One cell is on the way of the Tab key; arrow keys lead to the others. */
  function rove(focus) {
    const links = [...table.querySelectorAll("td a")];
    const chosen = focus || links.find((link) => link.offsetParent !== null);
    for (const link of links) link.tabIndex = link === chosen ? 0 : -1;
  }

  table.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    let row = rows.indexOf(cell.parentElement), column = cell.cellIndex;
    for (;;) {
      row += step[0];
      column += step[1];
      const next = rows[row] && rows[row].cells[column];
      if (!next || column === 0) return;
      const link = next.querySelector("a");
      if (link && link.offsetParent !== null) {
        rove(link);
        link.focus();
        return;
      }
    }
  });
  if (form.elements.kind) {
    for (const link of table.querySelectorAll("a[data-kind]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        form.elements.kind.value = link.dataset.kind;
        form.elements.kind.dispatchEvent(new Event("change", { bubbles: true }));
      });
    }
  }
  ErrataBench.live(form, apply);
  rove();
});
