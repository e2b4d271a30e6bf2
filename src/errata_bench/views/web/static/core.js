"use strict";
// What all pages share. Text of models and documents only ever goes through textContent.
const ErrataBench = (() => {
  const body = () => document.body;
  const received = new Map();
  const waiting = new Map();

  /** The JSON of a data block of this page, or null. */
  function data(id) {
    const block = document.getElementById(id);
    return block ? JSON.parse(block.textContent) : null;
  }

  /** Called by the files in data/: keeps what they hold and tells whoever waits for it. */
  function receive(kind, number, value) {
    const key = `${kind}-${number}`;
    received.set(key, value);
    (waiting.get(key) || []).forEach((tell) => tell(value));
    waiting.delete(key);
  }

  /** What a file of data/ holds, loading it when it is not there yet. */
  function shared(kind, number) {
    const key = `${kind}-${number}`;
    if (received.has(key)) return Promise.resolve(received.get(key));
    return new Promise((resolve, reject) => {
      const first = !waiting.has(key);
      waiting.set(key, [...(waiting.get(key) || []), resolve]);
      if (!first) return;
      const script = document.createElement("script");
      script.src = `${body().dataset.root}data/${kind}${number ? `-${number}` : ""}.js`;
      script.addEventListener("error", () => { waiting.delete(key); reject(new Error(key)); });
      document.head.append(script);
    });
  }

  /** An element with text; children may be elements or texts. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** The state that a form holds, without what is empty. */
  function state(form) {
    const found = {};
    for (const [name, value] of new FormData(form)) if (value !== "") found[name] = value;
    return found;
  }

  /** Put a state into the address, so that it can be kept as a link. */
  function remember(found) {
    const query = new URLSearchParams(found).toString();
    try {
      history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    } catch (_) { /* some browsers allow it on no page from disk; the page works without */ }
  }

  /** The value that a page came with in a menu, whatever has been chosen since. */
  function cameWith(menu) {
    return ([...menu.options].find((one) => one.defaultSelected) || menu.options[0]).value;
  }

  /** The fields of a form in which somebody has chosen something since the page came: scripts may come later. */
  function chosen(form) {
    return [...form.elements].filter((field) => {
      if (!field.name) return false;
      if (field.tagName === "SELECT") return field.value !== cameWith(field);
      if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
      return field.value !== field.defaultValue;
    });
  }

  /** Fill a form from the address, but for some fields: what a server has done already, a file cannot. */
  function restore(form, except) {
    const query = new URLSearchParams(location.search);
    for (const field of form.elements) {
      if (!field.name || !query.has(field.name) || except.includes(field)) continue;
      const value = query.get(field.name);
      if (field.type === "checkbox" || field.type === "radio") field.checked = field.value === value;
      else if (field.tagName !== "SELECT" || [...field.options].some((one) => one.value === value)) field.value = value;
    }
  }

  /**
   * Let a form act at once. `apply(state)` shows a state on this page and returns false where only a server can.
   */
  function live(form, apply) {
    const isStatic = body().dataset.static === "1";
    const act = () => {
      const found = state(form);
      if (apply(found, isStatic) === false) location.assign(`${location.pathname}?${new URLSearchParams(found)}`);
      else remember(found);
    };
    const early = chosen(form);
    if (isStatic) { restore(form, early); apply(state(form), true); }
    // At the document, because fields of a form may stand outside of it.
    document.addEventListener("input", (event) => { if (event.target.form === form && event.target.type === "search") act(); });
    document.addEventListener("change", (event) => { if (event.target.form === form && event.target.type !== "search") act(); });
    form.addEventListener("submit", (event) => { if (isStatic) { event.preventDefault(); act(); } });
    // What was chosen before there was a script acts now, as soon as the page's own listeners are there too.
    queueMicrotask(() => early.forEach((field) => field.dispatchEvent(new Event(field.type === "search" ? "input" : "change", { bubbles: true }))));
    return act;
  }

  /** Whether a row of a model stays under the filters that several pages have. */
  function modelStays(row, found) {
    const kept = row.dataset;
    return (!found.q || kept.label.toLowerCase().includes(found.q.toLowerCase()))
      && (!found.provider || kept.provider === found.provider)
      && (!found.effort || kept.effort === found.effort)
      && (!found.best || kept.best === "1");
  }

  function say(text) {
    const status = document.querySelector("[data-status]");
    if (status) status.textContent = text;
  }

  document.addEventListener("DOMContentLoaded", () => body().classList.add("scripted"));
  return { data, receive, shared, element, cameWith, chosen, live, modelStays, say };
})();
