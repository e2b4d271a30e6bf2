"use strict";
document.addEventListener("DOMContentLoaded", () => {
  // What was published elsewhere has a table like this one, without choices of a case or a category.
  const form = document.querySelector("form[data-page=rankings], form[data-page=published]");
  if (!form) return;
  const table = document.querySelector("[data-rankings]");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.querySelectorAll("th[data-sort]")];
  const { case: oneCase, category } = form.elements;
  const [servedCase, servedCategory] = [oneCase, category].map((menu) => (menu ? ErrataBench.cameWith(menu) : ""));
  let scope = servedCase ? `case ${servedCase}` : servedCategory ? `category ${servedCategory}` : "";
  if (document.body.dataset.static === "1") scope = "";

  const percent = (share) => `${(100 * share).toFixed(2)}%`;
  const SVG = "http://www.w3.org/2000/svg";

  function draw(svg, shares, words, ends) {
    svg.replaceChildren();
    svg.setAttribute("aria-label", words || "no figures");
    if (!shares) return;
    let at = 0;
    const [fixed, bad, missed, unjudged] = shares;
    for (const [share, name, fill] of [[fixed, "v-fixed", ""], [bad, "v-bad", "url(#fill-bad)"], [unjudged, "", "url(#fill-unjudged)"], [missed, "", "url(#fill-missed)"]]) {
      const part = document.createElementNS(SVG, "rect");
      if (name) part.setAttribute("class", name);
      if (fill) part.setAttribute("fill", fill);
      part.setAttribute("x", percent(at));
      part.setAttribute("y", 2);
      part.setAttribute("height", 12);
      part.setAttribute("width", percent(share));
      svg.append(part);
      at += share;
    }
    if (!ends) return;
    const line = document.createElementNS(SVG, "line");
    line.setAttribute("class", "whisker");
    line.setAttribute("x1", percent(ends[0]));
    line.setAttribute("x2", percent(ends[1]));
    line.setAttribute("y1", 8);
    line.setAttribute("y2", 8);
    svg.append(line);
  }

  /** Put the figures of another scope into the rows. */
  function fill(found) {
    for (const row of rows) {
      const values = found.rows[row.dataset.label];
      row.dataset.absent = values ? "" : "1";
      if (!values) continue;
      const [rank, best, cells, shares, words, ends, withBest] = values;
      row.dataset.rank = rank;
      row.dataset.best = best;
      row.cells[0].textContent = withBest ? `${rank}*` : rank;
      draw(row.querySelector("svg"), shares, words, ends);
      for (const cell of row.querySelectorAll("td[data-c]")) {
        const [text, value] = cells[cell.dataset.c] || ["n/a", null];
        cell.textContent = text;
        cell.dataset.v = value === null ? "" : value;
        cell.classList.toggle("na", value === null);
        if (cell.dataset.c === "quality" && ends) {
          cell.append(ErrataBench.element("small", {}, `${Math.round(100 * ends[0])}–${Math.round(100 * ends[1])}`));
        }
      }
    }
    const notes = document.querySelector("[data-notes]");
    notes.replaceChildren(...found.notes.map((note) => ErrataBench.element("li", {}, note)));
  }

  function sort(name, upwards) {
    const value = (row) => {
      if (!name) return Number(row.dataset.rank);
      const text = row.querySelector(`td[data-c="${name}"]`).dataset.v;
      return text === "" ? null : Number(text);
    };
    const sign = !name || upwards ? 1 : -1;
    body.append(...rows.sort((one, other) => {
      const a = value(one), b = value(other);
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (a - b) || one.dataset.rank - other.dataset.rank;
    }));
    for (const head of heads) {
      head.setAttribute("aria-sort", head.dataset.sort === name ? (upwards ? "ascending" : "descending") : "none");
    }
  }

  function apply(found, isStatic) {
    const wanted = found.case ? `case ${found.case}` : found.category ? `category ${found.category}` : "";
    if (wanted !== scope) {
      if (!isStatic) return false;
      ErrataBench.shared("scopes", 0).then((scopes) => {
        if (scopes[wanted]) { fill(scopes[wanted]); scope = wanted; arrange(found); }
      }, () => ErrataBench.say("These figures could not be loaded."));
      return true;
    }
    arrange(found);
    return true;
  }

  function arrange(found) {
    table.classList.toggle("few", !found.all);
    sort(heads.some((head) => head.dataset.sort === found.sort) ? found.sort : "", found.dir === "asc");
    let shown = 0;
    for (const row of rows) {
      row.hidden = !ErrataBench.modelStays(row, found) || row.dataset.absent === "1";
      shown += !row.hidden;
    }
    ErrataBench.say(`${shown} of ${rows.length} variants${found.case ? `, case ${found.case}` : found.category ? `, category ${found.category.replaceAll("_", " ")}` : ""}`);
  }

  const act = ErrataBench.live(form, apply);
  // A case and a category cannot both be chosen.
  oneCase?.addEventListener("change", () => { category.value = ""; }, true);
  category?.addEventListener("change", () => { oneCase.value = ""; }, true);
  for (const head of heads) {
    head.querySelector("a").addEventListener("click", (event) => {
      event.preventDefault();
      const now = head.getAttribute("aria-sort");
      const upwards = now === "none" ? head.dataset.first === "asc" : now === "descending";
      form.elements.sort.value = head.dataset.sort;
      form.elements.dir.value = upwards ? "asc" : "";
      act();
    });
  }
});
