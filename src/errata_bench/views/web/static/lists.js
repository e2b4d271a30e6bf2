"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.filters");
  const table = document.querySelector("[data-list]");
  if (!form || !table) return;
  const rows = [...table.tBodies[0].rows];
  const columns = table.dataset.columns.split(" ");
  const isIssues = form.dataset.page === "issues";
  const firstModel = ErrataBench.cameWith(form.elements.model);
  const noun = document.querySelector("[data-status]").dataset.noun;

  function matches(row, name, wanted) {
    return row.dataset[name] === wanted || (name === "category" && row.dataset.parent === wanted);
  }

  /** What the chosen model made of each issue, from the file that has all of it. */
  async function showMine(model) {
    const head = table.querySelector("[data-mine-head]");
    head.hidden = !model;
    head.textContent = model || "model";
    const cells = new Map(rows.map((row) => [row.dataset.n, row.querySelector("[data-mine]")]));
    for (const cell of cells.values()) cell.hidden = !model;
    if (!model) return;
    const matrix = await ErrataBench.shared("matrix", 0);
    const place = matrix.models.indexOf(model);
    for (const issue of matrix.issues) {
      const cell = cells.get(String(issue[0]));
      const counts = issue[5][place];
      if (cell) cell.textContent = counts ? `${counts[0]}/${counts[1]}` : "–";
    }
  }

  ErrataBench.live(form, (found, isStatic) => {
    if (table.dataset.partial === "1") return false;
    if (isIssues && isStatic) showMine(found.model || "");
    else if (isIssues && (found.model || "") !== firstModel) return false;
    let shown = 0;
    for (const row of rows) {
      row.hidden = columns.some((name) => found[name] && !matches(row, name, found[name]))
        || Boolean(found.q && !row.textContent.toLowerCase().includes(found.q.toLowerCase()));
      shown += !row.hidden;
    }
    ErrataBench.say(`${shown} of ${rows.length} ${noun}`);
    return true;
  });
});
