const columns = data.columns;
const byId = Object.fromEntries(columns.map((column) => [column.id, column]));
const rows = data.rows;
const element = (id) => document.getElementById(id);
const views = {};
const isAnyDone = rows.some((row) => row.status === "done");
let shown = rows;
let chosen = rows.find((row) => row.number === 1) || rows.find((row) => row.status === "done") || rows[0];

function made(name, text = "", className = "") {
  const one = document.createElement(name);
  one.textContent = text;
  if (className) one.className = className;
  return one;
}

function shownValue(column, row) {
  const value = row[column.id];
  return value === null || value === undefined ? "" : [cellText(value, column.kind), interval(column, row)].filter(Boolean).join(" ");
}

// Interval of a value, 95 % confidence; empty if it has none.
function interval(column, row) {
  const ends = (column.ends || []).map((end) => row[end]);
  return ends.length && ends.every((end) => end !== undefined) ? `[${ends.map((end) => cellText(end, column.kind)).join(", ")}]` : "";
}

const tiedWith = (row) => row.tied.map((place) => rows[place].number).sort((a, b) => a - b).join(", ");

// ---- summary
function summary() {
  const done = rows.filter((row) => row.status === "done").length;
  const missing = data.missing ? `${count(data.missing)} not computed yet` : "all computed";
  element("subtitle").textContent = `${count(rows.length)} points; ${data.objectives.map((one) => `${one.title} ${one.sense}`).join(", ")}`;
  element("goals").textContent = data.objectives.map((one) => one.title).join(", ");
  card("points", count(done), data.failed ? `${missing}, ${count(data.failed)} failed` : missing, data.failed ? "bad" : "");
  const tied = rows.filter((row) => !row.front && row.tied.length).length;
  card("on the front", count(rows.filter((row) => row.front).length), tied ? `${count(tied)} more are tied with them` : "nothing else is better");
  if (data.found_better === false) card("found by the search", "nothing", `better than its first batch of ${count(data.first_batch)}`);
  for (const goal of data.objectives) {
    const column = byId[goal.id];
    const known = column ? rows.filter((row) => row[goal.id] !== null) : [];
    if (!known.length) continue;
    const better = (a, b) => (goal.sense === "min" ? a[goal.id] < b[goal.id] : a[goal.id] > b[goal.id]);
    const best = known.reduce((least, row) => (better(row, least) ? row : least));
    const note = [interval(column, best), best.name].filter(Boolean).join(" ");
    const one = card(`${goal.sense === "min" ? "least" : "most"} ${goal.title}`, cellText(best[goal.id], column.kind), note);
    one.style.cursor = "pointer";
    one.onclick = () => choose(best);
  }
  const same = columns.filter((column) => !column.varies);
  element("same").textContent = same.length ? `The same for all: ${same.map((column) => `${column.title} ${shownValue(column, rows.find((row) => row[column.id] !== null))}`).join(", ")}.` : "";
  element("about").textContent = `Every point was compiled and simulated by Covenant ${data.version}.`;
}

// ---- filters
const filters = columns.filter((column) => column.setting && column.varies && column.few);
const textOf = (row) => columns.filter((column) => column.setting).map((column) => `${column.title}=${shownValue(column, row)}`).join(" ");
const searched = rows.map((row) => `${row.name} ${textOf(row)} ${row.status} ${row.code}`.toLowerCase());

function options(select, choices, value) {
  for (const [key, title] of choices) {
    const one = made("option", title);
    one.value = key;
    select.append(one);
  }
  select.value = value;
}

function filterBar() {
  const bar = element("filters");
  const search = made("input");
  Object.assign(search, { type: "search", id: "search", placeholder: "filter by name or setting" });
  search.setAttribute("aria-label", "filter by name or setting");
  bar.append(search);
  for (const column of filters) {
    const label = made("label", `${column.title} `);
    const select = made("select");
    select.id = `filter-${column.id}`;
    const values = [...new Set(rows.map((row) => row[column.id]).filter((value) => value !== null))];
    if (column.number) values.sort((a, b) => a - b);
    options(select, [["", "all"], ...values.map((value) => [String(value), String(cellText(value, column.kind))])], "");
    label.append(select);
    bar.append(label);
  }
  const label = made("label");
  const only = made("input");
  Object.assign(only, { type: "checkbox", id: "only-front" });
  label.append(only, " only the front");
  const reset = made("button", "show all");
  reset.type = "reset";
  const told = made("span", "", "shown");
  told.id = "shown";
  bar.append(label, reset, told);
  bar.oninput = filter;
  bar.onreset = () => setTimeout(filter);
  bar.onsubmit = (event) => event.preventDefault();
}

function filter() {
  const words = element("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = filters.map((column) => [column.id, element(`filter-${column.id}`).value]).filter(([, value]) => value);
  const only = element("only-front").checked;
  shown = rows.filter((row, place) => words.every((word) => searched[place].includes(word))
    && wanted.every(([id, value]) => String(row[id]) === value) && (!only || row.front));
  refresh();
}

function refresh() {
  element("shown").textContent = `${count(shown.length)} of ${count(rows.length)} points`;
  points.show();
  for (const { view, now, height, again } of Object.values(views)) {
    const rowsNow = now();
    if (height(rowsNow) !== height(view.data("rows"))) again();
    else view.data("rows", rowsNow).runAsync();
  }
}

// ---- the chosen point
function choose(row) {
  chosen = row;
  element("chosen-name").textContent = row.number ? `${row.number} · ${row.name}` : row.name;
  const links = element("chosen-links");
  links.replaceChildren();
  if (row.report) {
    const link = made("a", "open its report");
    link.href = row.report;
    links.append(link);
  } else if (row.command) {
    links.append("Its report, layer by layer, is written by", made("code", row.command));
  } else if (row.status === "done") {
    links.append("Its report, layer by layer, is written by covenant study with --page and --reports all.");
  }
  const list = element("chosen");
  list.replaceChildren();
  for (const column of columns) {
    const value = shownValue(column, row);
    if (value !== "") list.append(made("dt", column.title), made("dd", value));
  }
  if (row.tied.length) list.append(made("dt", "tied with"), made("dd", `${tiedWith(row)} of the front: these images do not tell the accuracies apart`));
  if (row.equal) list.append(made("dt", "images equal in every byte"), made("dd", row.equal));
  if (row.status !== "done") list.append(made("dt", row.status), made("dd", row.code), made("dd", row.text, "wide"));
  for (const button of element("names").querySelectorAll("button")) button.setAttribute("aria-pressed", String(+button.dataset.row === row.row));
  refresh();
}

function frontNames() {
  for (const row of rows.filter((one) => one.front).sort((a, b) => a.number - b.number)) {
    const button = made("button");
    button.append(made("b", String(row.number)), row.name);
    button.dataset.row = row.row;
    button.onclick = () => choose(row);
    const item = made("li");
    item.append(button);
    element("names").append(item);
  }
}

// ---- table
const place = columns.filter((column) => column.varies || column.objective);
const listed = [
  ["front", (row) => row.number], ["tied with", (row) => tiedWith(row), "text"],
  ...place.flatMap((column) => [[column.title, (row) => row[column.id], column.kind],
    ...(column.ends ? [["95 % interval", (row) => interval(column, row), "text"]] : [])]),
  ["equal images", (row) => row.equal, "text"], ["result", (row) => row.code || row.status, "text"],
  ["report", (row) => (row.report ? "open" : ""), "text"],
].filter(([title]) => (title !== "report" || rows.some((row) => row.report)) && (title !== "tied with" || rows.some((row) => row.tied.length)));
const points = sortable("points", listed, [0, 1], {
  rows: () => shown,
  each(row, one) {
    row.cells[0].classList.add("front");
    if (one === chosen) row.classList.add("chosen");
    row.title = one.name;
    row.tabIndex = 0;
    row.onclick = () => choose(one);
    row.onkeydown = (event) => { if (event.key === "Enter") choose(one); };
    if (!one.report) return;
    const link = made("a", "open");
    link.href = one.report;
    link.onclick = (event) => event.stopPropagation();
    row.cells[listed.length - 1].replaceChildren(link);
  },
  sorted: refresh,
});

function failures() {
  const groups = new Map();
  for (const row of rows.filter((one) => one.code)) groups.set(row.text, [...(groups.get(row.text) || []), row]);
  element("failures-section").hidden = !groups.size;
  for (const [text, those] of groups) {
    const one = made("p", `${those.length === 1 ? those[0].name : `${count(those.length)} points, as ${those[0].name}`}`);
    one.append(made("pre", text));
    element("failures").append(one);
  }
}

// ---- charts
const numbers = columns.filter((column) => column.number && (column.varies || column.objective));
const told = () => ["text", "soft", "back"].reduce((all, name) => ({ ...all, [name]: colour(name) }), {});

function coloured(id) {
  const column = byId[id];
  if (!column) return { value: look.series[0][+dark.matches] };
  return { field: column.id, type: "nominal", title: column.title, sort: null, legend: { symbolType: "circle", symbolOpacity: 1 } };
}

function axes(x, y) {
  const signs = { min: 1, max: -1 };
  const tip = (column) => ({ field: column.id, title: column.title, format: column.tip });
  const of = (name, column) => ({ [name]: column.id, [`${name}low`]: (column.ends || [column.id])[0],
    [`${name}high`]: (column.ends || [0, column.id])[1], [`${name}title`]: column.title, [`${name}format`]: column.format,
    [`${name}scale`]: column.wide ? "log" : "linear", [`${name}sign`]: signs[column.sense] || 0 });
  return { ...of("x", x), ...of("y", y), tooltip: [{ field: "name", title: "point" }, tip(x), tip(y)] };
}

// Draws a chart of the rows that `now` gives; `again` draws it anew where other rows want another height.
async function show(id, name, values, now, again, height = () => 400) {
  const drawn = now();
  const spec = filled(data.templates[name], { ...values, ...told(), height: height(drawn), data: { name: "rows", values: drawn } });
  const { view } = await draw(id, spec, "svg");
  view.addEventListener("click", (_, item) => { if (item && item.datum && item.datum.row !== undefined) choose(rows[item.datum.row]); });
  views[id] = { view, now, height, again };
}

// What is drawn last lies on top.
const withChosen = () => [...shown.filter((row) => !row.front), ...shown.filter((row) => row.front)]
  .map((row) => ({ ...row, chosen: row === chosen }));
const selected = (id) => element(id).value;

function front() {
  return show("front", "pareto", { ...axes(byId[selected("front-x")], byId[selected("front-y")]), colour: coloured(selected("front-colour")) }, withChosen, front);
}

function against() {
  const [x, y] = [byId[selected("against-x")], byId[selected("against-y")]];
  const others = columns.filter((column) => column.setting && column !== x && column.id !== "memory");
  const isBesideFloat = y.id === "accuracy" && "float_accuracy" in byId;
  const besideFloat = { float: isBesideFloat ? "float_accuracy" : y.id, floatopacity: +isBesideFloat };
  element("beside-float").hidden = !isBesideFloat;
  const series = (row) => (x.bits ? others.map((column) => row[column.id]).join(" ") : row[selected("against-colour")] || "");
  return show("against", "against", { ...axes(x, y), colour: coloured(selected("against-colour")), series: "series", ...besideFloat },
    () => withChosen().map((row) => ({ ...row, series: series(row) })), against);
}

function breakdown(one, id) {
  const limit = one.sum ? data.most_bars : data.most_side_by_side;
  const those = () => {
    const known = points.inOrder().filter((row) => one.values[row.row]);
    if (one.sum) return known.slice(0, limit);
    // A point that has all values of one before it, as on another machine, says nothing more.
    const inOrder = [chosen, ...known.filter((row) => row.front), ...known.filter((row) => !row.front)].filter((row) => one.values[row.row]);
    const seen = new Set();
    const isNew = (values) => !seen.has(values) && seen.add(values);
    return inOrder.filter((row) => isNew(JSON.stringify(one.values[row.row]))).slice(0, limit);
  };
  const partsOf = (some) => {
    if (one.sum) return one.parts;
    const size = (part) => Math.max(...some.map((row) => Math.abs(one.values[row.row][part] || 0)));
    const kept = new Set([...one.parts].sort((a, b) => size(b) - size(a)).slice(0, data.most_parts));
    return one.parts.filter((part) => kept.has(part));
  };
  const now = () => those().flatMap((row, _, some) => partsOf(some).map((part, order) => ({ row: row.row, name: row.name, part, order,
    value: one.values[row.row][part], total: sum(Object.values(one.values[row.row])) })).filter((bar) => bar.value !== undefined));
  const wide = element(id).clientWidth;
  const room = Math.min(wide < 700 ? 150 : 420, 12 + 7 * Math.max(...(one.sum ? rows.map((row) => row.name) : one.parts).map((name) => name.length)));
  const values = { title: one.unit, of: one.of, parts: one.parts, range: partColours(one.parts), room, pad: room + 5, stack: "zero",
    format: one.sum ? "~s" : ",.4~g", tipformat: one.whole ? ",d" : ",.5~g", columns: Math.max(2, Math.floor(wide / 150)) };
  const names = (bars) => new Set(bars.map((bar) => bar.name)).size;
  const height = (bars) => (one.sum ? 19 * names(bars) : new Set(bars.map((bar) => bar.part)).size * (15 * names(bars) + 12));
  return show(id, one.sum ? "parts" : "bars", values, now, () => breakdown(one, id), height);
}

function chartChoices() {
  const choices = (those) => those.map((column) => [column.id, column.title]);
  const few = columns.filter((column) => column.few && column.varies);
  const redraw = { front, against };
  const goals = data.objectives.map((one) => one.id).filter((id) => byId[id]);
  const ids = [...new Set([...goals, "accuracy", ...numbers.map((column) => column.id)])].filter((id) => numbers.some((column) => column.id === id));
  const first = few.find((column) => column.setting);
  options(element("front-x"), choices(numbers), ids[0]);
  options(element("front-y"), choices(numbers), ids[1] || ids[0]);
  const settings = numbers.filter((column) => column.setting && column.varies);
  const results = numbers.filter((column) => !column.setting);
  const bits = settings.find((column) => column.bits);
  options(element("against-x"), choices(settings), (bits || settings[0] || { id: "" }).id);
  const result = [bits ? "accuracy" : "", ...goals].find((id) => results.some((column) => column.id === id));
  options(element("against-y"), choices(results), result || (results[0] || { id: "" }).id);
  const fieldOf = (column) => column.id.split("/")[0];
  const beside = few.find((column) => column.id === "model")
    || few.find((column) => bits && column.setting && column !== bits && fieldOf(column) === fieldOf(bits)) || first;
  for (const [chart, by] of [["front", first], ["against", beside]]) {
    options(element(`${chart}-colour`), [["", "one"], ...choices(few)], by ? by.id : "");
    for (const part of ["x", "y", "colour"]) element(`${chart}-${part}`).onchange = redraw[chart];
  }
  element("against-section").hidden = !isAnyDone || !settings.length || !results.length;
  element("front-section").hidden = !isAnyDone;
  data.breakdowns.forEach((one, index) => {
    const section = made("section");
    const chart = made("div", "", "chart");
    chart.id = `breakdown-${index}`;
    const largest = one.parts.length > data.most_parts ? `; the ${data.most_parts} largest` : "";
    const text = one.sum ? `The first ${data.most_bars} points of the table, in its order.` : `The chosen point and others that differ, those of the front first${largest}.`;
    section.append(made("h2", one.title), made("p", text), chart);
    element("breakdowns").append(section);
  });
}

async function charts() {
  const drawn = data.breakdowns.map((one, index) => breakdown(one, `breakdown-${index}`));
  if (!element("front-section").hidden) drawn.push(front());
  if (!element("against-section").hidden) drawn.push(against());
  await Promise.all(drawn);
  document.body.dataset.drawn = "yes";
}

summary();
filterBar();
frontNames();
failures();
chartChoices();
choose(chosen);
charts();
dark.addEventListener("change", charts);
