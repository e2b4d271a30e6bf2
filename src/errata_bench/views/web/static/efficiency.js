"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-page=efficiency], form[data-page=published]");
  const target = document.querySelector("[data-chart]");
  if (!form || !target) return;
  const { axes, points } = ErrataBench.data("points");
  const byName = new Map(axes.map((axis) => [axis.name, axis]));
  const rows = new Map([...document.querySelectorAll("[data-points] tbody tr")].map((row) => [row.dataset.label, row]));
  const EFFORTS = ["", "none", "minimal", "low", "medium", "high", "xhigh"];
  const SHAPES = ["diamond", "stroke", "triangle-down", "triangle-up", "circle", "square", "cross"];
  let current = null;
  let drawn = 0;

  /** Models that no other beats on both axes: as good on one and better on the other. */
  function front(shown, x, y) {
    const better = (axis, a, b) => (axis.less ? a < b : a > b);
    return new Set(shown.filter((one) => !shown.some((other) => {
      const [ax, ay, bx, by] = [one.values[x.name], one.values[y.name], other.values[x.name], other.values[y.name]];
      return !better(x, ax, bx) && !better(y, ay, by) && (better(x, bx, ax) || better(y, by, ay));
    })).map((one) => one.label));
  }

  function colours() {
    const style = getComputedStyle(target);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), dim: of("--dim"), line: of("--line"), accent: of("--accent"), focus: of("--bad"), paper: of("--paper") };
  }

  function spec(values, x, y, logX, logY, mark) {
    const paint = colours();
    const width = Math.max(220, target.clientWidth - 90);
    const height = Math.max(260, Math.min(560, Math.round(width * 0.58)));
    const small = width < 480;
    const scale = (name, field, log, range) => ({
      name, range, type: log ? "log" : "linear", nice: true, zero: !log && (name === "y" || name === "x"),
      domain: { data: "points", fields: field },
    });
    const axis = (orient, scaleName, title) => ({
      orient, scale: scaleName, title, grid: true, gridColor: paint.line, gridOpacity: 0.6, domainColor: paint.dim, tickColor: paint.dim,
      labelColor: paint.dim, titleColor: paint.ink, titleFontWeight: "normal", titlePadding: 10, labelOverlap: true, tickCount: small ? 5 : 8,
      labelFontSize: 12, titleFontSize: 13, format: "~g",
    });
    const efforts = EFFORTS.filter((effort) => values.some((one) => one.effort === effort));
    const names = (effort) => effort || "no effort";
    const errors = y.name === "quality" || x.name === "quality";
    const onY = y.name === "quality";
    const at = (field, name) => ({ scale: name, field });
    return {
      $schema: "https://vega.github.io/schema/vega/v6.json",
      width, height, padding: 6, background: "transparent",
      config: { text: { font: "system-ui, sans-serif" }, axis: { labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif" }, legend: { labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif" } },
      data: [{ name: "points", values }, { name: "front", values: values.filter((one) => one.dominant).sort((one, other) => one.x - other.x || one.y - other.y) }],
      scales: [
        scale("x", errors && !onY ? ["x", "low", "high"] : ["x"], logX, "width"),
        scale("y", errors && onY ? ["y", "low", "high"] : ["y"], logY, "height"),
        { name: "shape", type: "ordinal", domain: efforts.map(names), range: efforts.map((effort) => SHAPES[EFFORTS.indexOf(effort)]) },
      ],
      axes: [axis("bottom", "x", x.title + (x.less ? " (less is better)" : "")), axis("left", "y", y.title + (y.less ? " (less is better)" : ""))],
      legends: efforts.length > 1 ? [{ shape: "shape", orient: "bottom", direction: "horizontal", columns: small ? 3 : 7, title: "reasoning effort", labelColor: paint.dim, titleColor: paint.dim, titleFontWeight: "normal", symbolStrokeColor: paint.ink, symbolFillColor: "transparent", labelFontSize: 12 }] : [],
      marks: [
        ...(mark ? [{
          type: "line", aria: false, from: { data: "front" }, interactive: false,
          encode: { update: { x: at("x", "x"), y: at("y", "y"), stroke: { value: paint.focus }, strokeWidth: { value: 1.5 }, strokeDash: { value: [5, 4] } } },
        }] : []),
        ...(errors ? [{
          type: "rule", aria: false, from: { data: "points" }, interactive: false,
          encode: { update: onY
            ? { x: at("x", "x"), y: at("low", "y"), y2: at("high", "y"), stroke: { value: paint.dim }, strokeOpacity: { value: 0.55 } }
            : { y: at("y", "y"), x: at("low", "x"), x2: at("high", "x"), stroke: { value: paint.dim }, strokeOpacity: { value: 0.55 } } },
        }] : []),
        {
          name: "symbols", type: "symbol", from: { data: "points" },
          encode: {
            update: {
              x: at("x", "x"), y: at("y", "y"), shape: { scale: "shape", field: "effortName" },
              size: [{ test: "datum.dominant", value: 130 }, { value: 90 }],
              fill: [{ test: "datum.dominant", value: paint.focus }, { value: paint.accent }],
              fillOpacity: [{ test: `${mark} && !datum.dominant`, value: 0.5 }, { value: 0.85 }],
              // The sign of no effort is a line: it has nothing to fill.
              stroke: [{ test: "datum.effort === 'none' && datum.dominant", value: paint.focus }, { test: "datum.effort === 'none'", value: paint.accent }, { test: "datum.dominant", value: paint.ink }, { value: paint.paper }],
              strokeOpacity: [{ test: `${mark} && !datum.dominant`, value: 0.5 }, { value: 1 }],
              strokeWidth: [{ test: "datum.effort === 'none'", value: 2.5 }, { value: 1 }],
              tooltip: { signal: "datum.tip" }, aria: { value: true }, description: { field: "spoken" },
            },
            hover: { fillOpacity: { value: 1 }, stroke: { value: paint.ink } },
          },
        },
        {
          type: "text", aria: false, from: { data: "symbols" }, interactive: false,
          encode: { update: { text: { field: "datum.short" }, fontSize: { value: small ? 10 : 12 }, fill: { value: paint.ink },
            fontWeight: [{ test: "datum.datum.dominant", value: "bold" }, { value: "normal" }] } },
          transform: [{ type: "label", size: { signal: "[width, height]" }, anchor: ["right", "left", "top", "bottom", "top-right", "bottom-right", "top-left", "bottom-left"], offset: [6], padding: 2, avoidMarks: ["symbols"],
            sort: { field: "datum.importance", order: "descending" } }],
        },
      ],
    };
  }

  function redraw(found) {
    const x = byName.get(found.x), y = byName.get(found.y);
    const logX = found.xscale === "log", logY = found.yscale === "log";
    const kept = points.filter((one) => ErrataBench.modelStays({ dataset: { label: one.label, provider: one.provider, effort: one.effort, best: one.best ? "1" : "0" } }, found));
    const known = kept.filter((one) => x.name in one.values && y.name in one.values);
    const drawable = known.filter((one) => (!logX || one.values[x.name] > 0) && (!logY || one.values[y.name] > 0));
    const dominant = front(known.filter((one) => !one.yardstick), x, y);
    const mark = Boolean(found.dominant);
    const values = drawable.map((one, n) => ({
      x: one.values[x.name], y: one.values[y.name], effort: one.effort, effortName: one.effort || "no effort",
      low: one.low === null ? undefined : one.low, high: one.high === null ? undefined : one.high,
      short: one.label.slice(one.label.indexOf("/") + 1), dominant: mark && dominant.has(one.label),
      importance: (mark && dominant.has(one.label) ? 1000 : 0) - n,
      spoken: `${one.label}: ${x.title} ${one.texts[x.name]}, ${y.title} ${one.texts[y.name]}`,
      tip: { title: one.label, [x.title]: one.texts[x.name], [y.title]: one.texts[y.name] },
    })).map((one) => ((x.name === "quality" || y.name === "quality") && one.low === undefined ? { ...one, low: y.name === "quality" ? one.y : one.x, high: y.name === "quality" ? one.y : one.x } : one));
    for (const [label, row] of rows) {
      const point = points.find((one) => one.label === label);
      row.hidden = !kept.includes(point);
      row.querySelector("[data-x]").textContent = point.texts[x.name];
      row.querySelector("[data-y]").textContent = point.texts[y.name];
      row.querySelector("[data-d]").textContent = dominant.has(label) && kept.includes(point) ? "yes" : "";
    }
    for (const [name, axis] of [["x", x], ["y", y]]) {
      const head = document.querySelector(`[data-${name}-head]`);
      if (head) head.textContent = axis.title;
    }
    document.querySelector("[data-caption]").textContent = `${y.title} against ${x.title}. ${y.title}: ${y.meaning} ${x.title}: ${x.meaning}`;
    const left = kept.length - values.length;
    document.querySelector("[data-drawn]").textContent = `${values.length} of ${points.length} variants drawn${left ? `; ${left} without a figure that this chart can show` : ""}`;
    const number = (drawn += 1);
    if (current) { current.finalize(); current = null; }
    target.replaceChildren();
    if (!values.length) { target.append(ErrataBench.element("p", {}, "No model has both figures on these scales. Choose other axes, or a linear scale.")); return; }
    // Expressions are interpreted (ast): the page's policy forbids making code of text.
    vegaEmbed(target, spec(values, x, y, logX, logY, mark), { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true } })
      .then((result) => { if (number === drawn) { current = result; result.view.description(`${y.title} against ${x.title}, ${values.length} models; the table below has the figures`).run(); } else result.finalize(); });
  }

  function apply(found) {
    redraw(found);
    return true;
  }

  // With other axes come the scales that suit them.
  for (const [name, scale] of [["x", "xscale"], ["y", "yscale"]]) {
    form.elements[name].addEventListener("change", () => { form.elements[scale].value = byName.get(form.elements[name].value).log ? "log" : "linear"; });
  }
  ErrataBench.live(form, apply);
  const now = () => redraw(Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== "")));
  if (document.body.dataset.static !== "1") now();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", now);
  let width = target.clientWidth;
  let timer = 0;
  addEventListener("resize", () => {
    if (target.clientWidth === width) return;
    width = target.clientWidth;
    clearTimeout(timer);
    timer = setTimeout(now, 150);
  });
});
