"use strict";
// What all pages share: figures as text, cards, tables that sort, charts in the colours of the page.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const count = (value) => (value === null || value === undefined ? "" : value.toLocaleString("en-US"));
const sum = (values) => values.reduce((total, value) => total + value, 0);
const bytesText = (value) => {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return `${unit ? value.toPrecision(3) : value} ${units[unit]}`;
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function card(label, value, note = "", kind = "") {
  const made = document.createElement("div");
  made.className = "card";
  for (const [name, text] of [["label", label], ["value", value], ["note", note]]) {
    const part = document.createElement("div");
    part.className = name === "value" ? `value ${kind}` : name;
    part.textContent = text;
    made.append(part);
  }
  document.getElementById("summary").append(made);
  return made;
}

// ---- tables
const isText = (kind) => ["text", "name", "wide", "help"].includes(kind);

function cellText(value, kind) {
  if (value === null || value === undefined) return "";
  if (kind === "ratio") return value.toFixed(2);
  if (kind === "share") return value.toFixed(4);
  if (kind === "percent") return `${(100 * value).toFixed(1)}%`;
  if (kind === "number") return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
  return isText(kind) ? value : count(value);
}

function fill(row, kind, text, name) {
  const cell = document.createElement(name);
  cell.textContent = text;
  if (isText(kind)) cell.className = kind === "text" ? "text" : `text ${kind}`;
  if (kind === "name" || kind === "wide") cell.title = text;
  row.append(cell);
  return cell;
}

// A table whose heads sort. Columns: [title, value of a row, kind]. `first`: the column that it is sorted by, and 1 or -1.
// `rows` and `foot` are asked again whenever it is shown; `each` may add to a row that is made.
function sortable(id, columns, first, { rows, each = () => {}, foot = null, sorted = () => {} }) {
  let [by, direction] = first;
  function inOrder() {
    const value = columns[by][1];
    return [...rows()].sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      const [none, nothing] = [one, other].map((part) => part === null || part === undefined);
      if (none || nothing) return none - nothing;
      return direction * (typeof one === "string" ? one.localeCompare(other, "en") : one - other);
    });
  }
  function show() {
    const made = document.getElementById(id);
    made.replaceChildren();
    const head = made.createTHead().insertRow();
    columns.forEach(([title, , kind], index) => {
      const cell = fill(head, kind, title, "th");
      cell.tabIndex = 0;
      if (index === by) cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      cell.onclick = () => {
        direction = index === by ? -direction : isText(kind) || index === 0 ? 1 : -1;
        by = index;
        show();
        sorted();
      };
      cell.onkeydown = (event) => { if (event.key === "Enter") cell.click(); };
    });
    const shown = inOrder();
    const body = made.createTBody();
    for (const one of shown) {
      const row = body.insertRow();
      for (const [, value, kind] of columns) fill(row, kind, cellText(value(one), kind), "td");
      each(row, one);
    }
    if (foot) {
      const last = made.createTFoot().insertRow();
      columns.forEach((column) => fill(last, column[2], foot(column, shown), "td"));
    }
  }
  return { show, inOrder };
}

// ---- charts
// A template with "@name" in it, filled: what is nothing but a name becomes its value, whatever that is.
function filled(node, values) {
  if (typeof node === "string") {
    if (node.startsWith("@") && node.slice(1) in values) return values[node.slice(1)];
    return node.replace(/@(\w+)/g, (whole, name) => (name in values ? values[name] : whole));
  }
  if (Array.isArray(node)) return node.map((part) => filled(part, values));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, filled(part, values)]));
}

function theme() {
  const series = look.series.map((pair) => pair[+dark.matches]);
  const [text, soft, line] = ["text", "soft", "line"].map(colour);
  return filled(look.config, { text, soft, line, series, paper: "transparent" });
}

// The colour of each part of a whole: of its own where it has one, else the next that is free.
function partColours(names) {
  const others = names.filter((name) => !(name in look.named));
  const free = [...look.waits, ...look.series.slice(1)];
  const pair = (name) => look.named[name] || free[others.indexOf(name) % free.length];
  return names.map((name) => pair(name)[+dark.matches]);
}

function draw(id, spec, renderer) {
  const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", autosize: { type: "fit-x", contains: "padding" }, ...spec };
  const options = { actions: false, renderer, config: theme(), tooltip: { theme: dark.matches ? "dark" : "light" } };
  return vegaEmbed(`#${id}`, whole, options);
}
