"use strict";
document.addEventListener("DOMContentLoaded", async () => {
  const text = document.querySelector("[data-text]");
  const tools = document.querySelector("[data-tools]");
  if (!text || !tools) return;
  if (document.body.dataset.static === "1") await fillPlain();
  tools.hidden = false;
  const query = new URLSearchParams(location.search);
  let at = -1;
  let last = null;

  /** Paragraphs that every run shares stand in one file of their case. */
  async function fillPlain() {
    const source = document.querySelector('script[src*="data/text-"]');
    if (!source) return;
    try {
      const paragraphs = await ErrataBench.shared("text", Number(/text-(\d+)\.js/.exec(source.src)[1]));
      for (const paragraph of text.querySelectorAll("p.plain")) {
        paragraph.textContent = paragraphs[Number(paragraph.dataset.p) - 1];
      }
    } catch (_) {
      ErrataBench.say("The unchanged paragraphs could not be loaded.");
    }
  }

  function show(way) {
    for (const copy of text.querySelectorAll("[data-copy]")) copy.remove();
    for (const pair of [...text.querySelectorAll(".pair")]) pair.replaceWith(...pair.childNodes);
    text.classList.remove("show-side");
    for (const paragraph of text.children) paragraph.classList.remove("show-original", "show-corrected");
    if (way === "side") {
      text.classList.add("show-side");
      for (const paragraph of [...text.children]) {
        const copy = paragraph.cloneNode(true);
        copy.removeAttribute("id");
        for (const marked of copy.querySelectorAll("[id]")) marked.removeAttribute("id");
        for (const flag of copy.querySelectorAll(".flag")) flag.remove();
        copy.dataset.copy = "1";
        copy.classList.add("show-original");
        paragraph.classList.add("show-corrected");
        const pair = ErrataBench.element("div", { class: paragraph.classList.contains("plain") ? "pair plain" : "pair" });
        paragraph.replaceWith(pair);
        pair.append(copy, paragraph);
      }
    } else if (way) {
      for (const paragraph of text.children) paragraph.classList.add(`show-${way}`);
    }
  }

  function remember() {
    const way = tools.querySelector("[name=show]:checked").value;
    const only = tools.querySelector("[name=only]").checked;
    const now = new URLSearchParams();
    if (way) now.set("show", way);
    if (only) now.set("only", "1");
    const written = now.toString();
    try {
      history.replaceState(null, "", (written ? `?${written}` : location.pathname) + location.hash);
    } catch (_) { /* a page from disk in some browsers */ }
  }

  function jump(kind, way) {
    const places = [...text.querySelectorAll(kind === "miss" ? ".i-missed, .i-bad, .i-unjudged" : ".edit")].filter((one) => !one.closest("[data-copy]"));
    if (!places.length) return ErrataBench.say(kind === "miss" ? "Nothing was missed." : "There is no other edit.");
    at = last === kind ? (at + way + places.length) % places.length : way > 0 ? 0 : places.length - 1;
    last = kind;
    for (const here of text.querySelectorAll(".here")) here.classList.remove("here");
    const place = places[at];
    place.classList.add("here");
    place.setAttribute("tabindex", "-1");
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
    ErrataBench.say(`${kind === "miss" ? "Not fixed" : "Other edit"} ${at + 1} of ${places.length}`);
    return undefined;
  }

  for (const choice of tools.querySelectorAll("[name=show]")) {
    choice.checked = choice.value === (query.get("show") || "");
    choice.addEventListener("change", () => { show(choice.value); remember(); });
  }
  if (!tools.querySelector("[name=show]:checked")) tools.querySelector("[name=show]").checked = true;
  const only = tools.querySelector("[name=only]");
  only.checked = query.get("only") === "1";
  only.addEventListener("change", () => { text.classList.toggle("only-some", only.checked); remember(); });
  text.classList.toggle("only-some", only.checked);
  show(tools.querySelector("[name=show]:checked").value);

  for (const button of tools.querySelectorAll("[data-jump]")) {
    button.addEventListener("click", () => jump(button.dataset.jump, Number(button.dataset.way)));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=radio]):not([type=checkbox]), select, textarea")) return;
    const wanted = { n: ["miss", 1], p: ["miss", -1], e: ["edit", 1], w: ["edit", -1] }[event.key];
    if (wanted) { event.preventDefault(); jump(...wanted); }
  });
  // The place that the address names was not there, or elsewhere, before the text was complete.
  if (location.hash.length > 1) {
    const place = document.getElementById(location.hash.slice(1));
    if (place) place.scrollIntoView({ block: "center" });
  }
});
