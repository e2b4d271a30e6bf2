"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const form = document.querySelector("form[data-page=compare]");
  const target = document.querySelector("[data-only]");
  if (!form || !target) return;
  const { element } = ErrataBench;
  const root = document.body.dataset.root;
  const isStatic = document.body.dataset.static === "1";

  function marked(pieces) {
    const text = element("p", { class: "doc" });
    for (const piece of pieces || []) {
      if (piece.length === 1) { text.append(piece[0]); continue; }
      const [before, after, kind, letter] = piece;
      const span = element("span", { class: kind ? `issue i-${kind}` : "edit" });
      if (before === after) span.append(element("span", { class: "kept" }, after));
      else {
        if (before) span.append(element("del", {}, before));
        if (after) span.append(element("ins", {}, after));
      }
      if (letter) span.append(element("span", { class: "flag" }, letter));
      text.append(span);
    }
    if (!pieces) text.append("This paragraph could not be loaded.");
    return text;
  }

  /** A button beside two links to runs, that shows the paragraph as each of them left it. */
  function addButton(first) {
    const { runA, runB, issue } = first.dataset;
    const button = element("button", { type: "button", "aria-expanded": "false" }, "Show the paragraph in both");
    let shown = null;
    button.addEventListener("click", async () => {
      if (shown) {
        shown.hidden = !shown.hidden;
      } else {
        shown = element("div", { class: "versus" });
        first.closest("li").append(shown);
        for (const [run, name] of [[runA, form.elements.a.value], [runB, form.elements.b.value]]) {
          let pieces = null;
          try { pieces = (await ErrataBench.shared("marked", run))[issue]; } catch (_) { /* said in its place */ }
          shown.append(element("div", {}, element("h3", {}, name), marked(pieces)));
        }
      }
      button.setAttribute("aria-expanded", String(!shown.hidden));
    });
    first.parentElement.append(button);
  }

  if (!isStatic) {
    for (const first of target.querySelectorAll("[data-run-a]")) addButton(first);
    form.addEventListener("change", () => form.submit());
    if (ErrataBench.chosen(form).length) form.submit();
    return;
  }

  const matrix = await ErrataBench.shared("matrix", 0);
  const pairs = ErrataBench.data("pairs");

  function tell(a, b) {
    const place = document.querySelector("[data-difference]");
    place.replaceChildren();
    if (a === b) { place.append("Choose two different models."); return; }
    let found = pairs[`${a}\n${b}`];
    if (!found && pairs[`${b}\n${a}`]) {
      const [estimate, low, high, p] = pairs[`${b}\n${a}`];
      found = [-estimate, -high, -low, p];
    }
    if (!found) {
      place.append("The difference of these two is not in this copy; the served pages (errata-bench view web) have it.");
      return;
    }
    const [estimate, low, high, p] = found;
    const signed = (share) => `${share < 0 ? "-" : "+"}${Math.abs(100 * share).toFixed(1)}`;
    place.append(element("b", {}, a), " fixes ", element("b", {}, `${Math.abs(100 * estimate).toFixed(1)} points`),
      estimate >= 0 ? " more than " : " less than ", element("b", {}, b),
      ` (95% interval ${signed(low)} to ${signed(high)}, p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}), on these texts.`);
  }

  function list(title, mine, theirs, a, b) {
    const found = matrix.issues.filter((issue) => issue[5][mine] && issue[5][theirs] && issue[5][mine][0] && !issue[5][theirs][0]);
    found.sort((one, other) => other[5][mine][0] / other[5][mine][1] - one[5][mine][0] / one[5][mine][1]);
    const section = element("section", {}, element("h2", {}, `Fixed by ${title} alone `, element("small", {}, `(${found.length})`)));
    if (!found.length) section.append(element("p", {}, "None."));
    const items = element("ul", { class: "only" });
    for (const [number, caseNumber, caseId, category, [left, wrong, right, rest], counts] of found) {
      const sentence = element("span", { class: "sentence" }, left, element("del", {}, wrong), element("ins", {}, right), rest);
      const kind = category.slice(category.lastIndexOf(".") + 1).replaceAll("_", " ");
      const item = element("li", {}, element("a", { class: "whole", href: `${root}issue/${number}.html` }, sentence),
        element("span", { class: "dim" }, `${kind}, ${caseId}; in ${counts[mine][0]} of ${counts[mine][1]} run${counts[mine][1] === 1 ? "" : "s"}`));
      const runA = matrix.cases[caseNumber][a], runB = matrix.cases[caseNumber][b];
      if (runA && runB) {
        const first = element("a", { href: `${root}run/${runA}.html#i${number}` }, `Run ${runA}`);
        Object.assign(first.dataset, { runA, runB, issue: number });
        item.append(element("span", { class: "both" }, first, element("a", { href: `${root}run/${runB}.html#i${number}` }, `Run ${runB}`)));
        addButton(first);
      }
      items.append(item);
    }
    if (found.length) section.append(items);
    return section;
  }

  function byCase(a, b, one, other) {
    const head = element("tr", {}, ...["Case", a, b, "Difference"].map((name, n) => element("th", { scope: "col", ...(n && { class: "num" }) }, name)));
    const body = element("tbody");
    for (const [name, number, rates] of matrix.rates) {
      if (rates[one] === null || rates[other] === null) continue;
      const figures = [`${(100 * rates[one]).toFixed(1)}%`, `${(100 * rates[other]).toFixed(1)}%`, (100 * (rates[one] - rates[other])).toFixed(1)];
      body.append(element("tr", {}, element("th", { scope: "row" }, element("a", { href: `${root}case/${number}.html` }, name)), ...figures.map((text) => element("td", { class: "num" }, text))));
    }
    const table = element("table", { class: "list" }, element("thead", {}, head), body);
    const region = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Quality by case" }, table);
    document.querySelector("[data-cases]").replaceChildren(element("details", {}, element("summary", {}, "By case"), region));
  }

  ErrataBench.live(form, ({ a, b }) => {
    tell(a, b);
    const one = matrix.models.indexOf(a), other = matrix.models.indexOf(b);
    target.replaceChildren();
    document.querySelector("[data-cases]").replaceChildren();
    if (a !== b) byCase(a, b, one, other);
    if (a !== b) target.append(list(a, one, other, one, other), list(b, other, one, one, other));
    return true;
  });
});
