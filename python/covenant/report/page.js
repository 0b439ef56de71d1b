const layers = data.layers;
const keyOf = (layer) => `${layer.index}  ${layer.name}`;
const keys = layers.map(keyOf);

// ---- summary
function summary() {
  const roofs = data.roofs;
  const machine = data.preset ? `${data.machine}:${data.preset}` : data.machine;
  document.getElementById("subtitle").textContent =
    `${machine}, backend ${data.backend}, ${layers.length} layers, one image`
    + (data.host.length ? `; then on the host, not in these figures: ${data.host.join(", ")}` : "");
  card("cycles", count(data.cycles));
  if (data.bound !== null) {
    card("bound", count(data.bound), `the run takes ${(data.cycles / data.bound).toFixed(2)} times as long`);
  }
  if (data.packets !== null) card("packets", count(data.packets), `${(data.cycles / data.packets).toFixed(2)} cycles each`);
  const rate = roofs.clock_hertz / data.cycles;
  card("images per second", count(Number(rate.toPrecision(4))), `at ${count(roofs.clock_hertz / 1e6)} MHz`);
  if (roofs.array) {
    const macs = sum(layers.map((layer) => layer.macs));
    card("array at work", `${((200 * macs) / (roofs.array * data.cycles)).toFixed(1)}%`,
      `${count(macs)} real multiply-accumulates`);
  }
  if (layers.every((layer) => layer.bytes_read !== null)) {
    const read = sum(layers.map((layer) => layer.bytes_read));
    const written = sum(layers.map((layer) => layer.bytes_written));
    card("off-chip traffic", bytesText(read + written), `${bytesText(read)} read, ${bytesText(written)} written`);
  }
  if (data.memory) memoryCards(data.memory);
  verdict();
}

function memoryCards(memory) {
  const giga = (rate) => `${(rate / 1e9).toPrecision(3)} GB/s`;
  const bytes = memory.bytes_read + memory.bytes_written;
  card("off-chip bandwidth", giga(memory.bandwidth_bytes_per_second),
    `${memory.model}: ${giga(memory.peak_bytes_per_second)} at most, ${bytesText(bytes)} over its bus`);
  const accesses = memory.row_hits + memory.row_misses + memory.row_conflicts;
  card("row hits", accesses ? `${((100 * memory.row_hits) / accesses).toFixed(1)}%` : "",
    `of ${count(accesses)} accesses; ${count(memory.row_conflicts)} had another row open, `
    + `${count(memory.refreshes)} refreshes`);
}

function verdict() {
  if (data.identical === null) return card("outputs", "not compared", "run with --compare");
  const source = data.oracle.version ? `ONNX Runtime ${data.oracle.version}` : "the reference operators";
  const compared = data.compared_layers;
  const which = compared && compared.first_different !== null ? `; first layer that differs: ${compared.first_different}` : "";
  const all = compared && compared.first_different === null ? `; ${compared.compared} tensors of layers too` : "";
  const told = data.identical ? "identical" : data.within_a_step ? "each layer within a step" : "different";
  card("outputs", told, `every byte, ${source}, ${data.images} image(s)${which}${all}`,
    data.identical || data.within_a_step ? "good" : "bad");
}

// ---- tables
const worst = sortable("losses", [
  ["layer", (loss) => layers[loss.index].name, "name"], ["operation", (loss) => layers[loss.index].operation, "text"],
  ["cycles", (loss) => layers[loss.index].cycles], ["lost", (loss) => loss.lost],
  ["share of the run", (loss) => loss.lost / data.cycles, "percent"], ["mostly", (loss) => loss.cause, "text"],
  ["what would help", (loss) => loss.help, "help"],
], [3, -1], { rows: () => data.losses });

const columns = [
  ["#", (layer) => layer.index], ["layer", (layer) => layer.name, "name"], ["operation", (layer) => layer.operation, "text"],
  ["engine", (layer) => layer.engine, "text"], ["cycles", (layer) => layer.cycles], ["bound", (layer) => layer.bound],
  ["× bound", (layer) => (layer.bound ? layer.cycles / layer.bound : null), "ratio"],
  ["limited by", (layer) => layer.limited_by, "text"], ["compute", (layer) => layer.compute],
  ["stalls", (layer) => sum(Object.values(layer.stalls))], ["utilisation", (layer) => layer.utilisation, "percent"],
  ["MACs", (layer) => layer.macs], ["bytes read", (layer) => layer.bytes_read],
  ["bytes written", (layer) => layer.bytes_written], ["tile", (layer) => layer.tile, "wide"],
];
const summed = ["cycles", "bound", "compute", "stalls", "MACs", "bytes read", "bytes written"];

function rowsShown() {
  const wanted = document.getElementById("filter").value.toLowerCase();
  return layers.filter((layer) => `${layer.name} ${layer.operation}`.toLowerCase().includes(wanted));
}

function foot([title, value], rows) {
  if (title === "layer") return `${rows.length} layers`;
  return summed.includes(title) && rows.every((layer) => value(layer) !== null) ? count(sum(rows.map(value))) : "";
}

// Columns that this machine has nothing for stay away.
const present = columns.filter(([title, value]) => title === "#" || layers.some((layer) => value(layer) !== null));
const table = sortable("layers", present, [0, 1], { rows: rowsShown, foot });

// ---- charts
const causes = [...new Set(layers.flatMap((layer) => Object.keys(layer.stalls)))].sort();
const plain = look.named;
const waits = look.waits;
function colours() {
  const names = ["compute", ...causes];
  return { domain: names, range: partColours(names) };
}

function bars() {
  const shares = document.getElementById("shares").checked;
  const names = ["compute", ...causes];
  const values = layers.flatMap((layer) => names.map((cause, order) => ({
    key: keyOf(layer), layer: layer.name, operation: layer.operation, cause, order, bound: layer.bound, total: layer.cycles,
    cycles: cause === "compute" ? layer.compute : layer.stalls[cause] || 0,
  })).filter((row) => row.cycles > 0));
  const marks = layers.filter((layer) => layer.bound !== null).map((layer) => ({
    key: keyOf(layer), layer: layer.name, bound: shares ? layer.bound / layer.cycles : layer.bound, cycles: layer.cycles }));
  const room = Math.min(300, 12 + 7 * Math.max(...keys.map((key) => key.length)));
  const y = { field: "key", type: "ordinal", sort: keys, title: null, axis: { labelLimit: room, labelAlign: "left", labelPadding: room + 5, ticks: false, domain: false } };
  const x = { type: "quantitative", title: shares ? "share of the layer's cycles" : "cycles", axis: { orient: "top", format: shares ? ".0%" : ",d", tickCount: 10 } };
  const tooltip = [{ field: "layer" }, { field: "operation" }, { field: "cause", title: "spent on" },
    { field: "cycles", format: "," }, { field: "total", title: "of", format: "," }, { field: "bound", format: "," }];
  return draw("bars", {
    height: 19 * keys.length,
    layer: [
      { data: { values }, mark: { type: "bar", height: 13 }, encoding: {
        y, x: { ...x, field: "cycles", stack: shares ? "normalize" : "zero" }, order: { field: "order" }, tooltip,
        color: { field: "cause", scale: colours(), title: null, legend: { columns: 10 } } } },
      ...(marks.length ? [{ data: { values: marks }, mark: { type: "tick", thickness: 2.5, height: 17 },
        encoding: { y, x: { ...x, field: "bound" }, tooltip: [{ field: "layer" }, { field: "bound", format: shares ? ".1%" : "," }] } }] : []),
    ],
  }, "svg");
}

function timeline() {
  const tracks = ["layers", ...data.tracks.filter((track) => track !== "layers")];
  let start = 0;
  const spans = layers.map((layer) => {
    start += layer.cycles;
    return { track: "layers", start: start - layer.cycles, end: start, state: layer.index % 2 ? "layer, odd" : "layer", low: 0, high: 1, label: layer.name };
  });
  const values = data.timeline.map(([track, from, end, state, low, high, label]) => ({ track, start: from, end, state, low, high, label }));
  const placed = (row) => ({ ...row, top: tracks.indexOf(row.track) + 0.9 - 0.8 * row.high, bottom: tracks.indexOf(row.track) + 0.9 - 0.8 * row.low });
  const side = dark.matches;
  return draw("timeline", {
    height: 26 * tracks.length, data: { values: [...spans, ...values].map(placed) },
    params: [{ name: "view", select: { type: "interval", encodings: ["x"], zoom: "wheel![event.ctrlKey]" }, bind: "scales" }],
    mark: { type: "rect", clip: true },
    encoding: {
      y: { field: "top", type: "quantitative", scale: { domain: [0, tracks.length], reverse: true, nice: false }, title: null, axis: {
        ticks: false, domain: false, grid: false, values: tracks.map((_, index) => index + 0.5), labelExpr: `${JSON.stringify(tracks)}[floor(datum.value)]` } },
      y2: { field: "bottom" },
      x: { field: "start", type: "quantitative", title: "cycle", scale: { domain: [0, data.cycles], nice: false }, axis: { format: ",d", tickCount: 12, labelOverlap: true } },
      x2: { field: "end" },
      color: { field: "state", title: null, legend: { values: ["works", "waits"] }, scale: { domain: ["works", "waits", "layer", "layer, odd"],
        range: [colour("works"), colour("waits"), side ? "#4a6a8c" : "#86b6dc", side ? "#34506d" : "#c6dbef"] } },
      tooltip: [{ field: "track", title: "engine" }, { field: "label", title: "what" }, { field: "start", format: "," }, { field: "end", format: "," }],
    },
  }, "canvas");
}

function roofline() {
  const roofs = data.roofs;
  const points = layers.filter((layer) => layer.bytes_read !== null && layer.bytes_read + layer.bytes_written > 0 && layer.operations > 0)
    .map((layer) => ({ layer: layer.name, operation: layer.operation, engine: layer.engine, cycles: layer.cycles,
      intensity: layer.operations / (layer.bytes_read + layer.bytes_written), rate: layer.operations / layer.cycles }));
  if (!points.length) {
    document.getElementById("roofline-text").textContent = `The backend ${data.backend} does not count bytes of off-chip memory.`;
    return null;
  }
  document.getElementById("bandwidth").textContent = `${count(roofs.bytes)} bytes`;
  const low = Math.min(...points.map((point) => point.intensity)) / 2;
  const high = Math.max(...points.map((point) => point.intensity), (2 * Math.max(roofs.array, roofs.lanes)) / roofs.bytes) * 2;
  const roof = (name, peak) => [low, Math.min(high, Math.max(low, peak / roofs.bytes)), high].map((intensity) => (
    { name, intensity, rate: Math.min(peak, intensity * roofs.bytes) }));
  const lines = [["array", roofs.array], ["lanes", roofs.lanes]].filter(([, peak]) => peak)
    .flatMap(([name, peak]) => roof(`${name}: ${count(peak)} a cycle`, peak));
  const x = { field: "intensity", type: "quantitative", scale: { type: "log", base: 2, domain: [low, high], nice: false }, title: "operations for each off-chip byte", axis: { format: "~g" } };
  const y = { field: "rate", type: "quantitative", scale: { type: "log", base: 2 }, title: "operations in a cycle", axis: { format: "~g" } };
  return draw("roofline", {
    height: 360,
    layer: [
      { data: { values: lines }, mark: { type: "line", strokeWidth: 2, color: colour("soft"), interpolate: "linear" },
        encoding: { x, y, detail: { field: "name" }, strokeDash: { field: "name", title: null, legend: { symbolType: "stroke" } } } },
      { data: { values: points }, mark: { type: "point", filled: true, opacity: 0.75, stroke: colour("back"), strokeWidth: 0.6 }, encoding: {
        x, y, size: { field: "cycles", type: "quantitative", legend: null, scale: { range: [30, 420] } },
        color: { field: "engine", title: null, scale: { range: [plain.compute[+dark.matches], waits[1][+dark.matches], plain.drain[+dark.matches], plain.bus[+dark.matches]] }, legend: { symbolType: "circle" } },
        tooltip: [{ field: "layer" }, { field: "operation" }, { field: "cycles", format: "," },
          { field: "intensity", title: "operations a byte", format: ".3~f" }, { field: "rate", title: "operations a cycle", format: ".3~f" }] } },
    ],
    resolve: { scale: { color: "independent", strokeDash: "independent" } },
  }, "svg");
}

function memory() {
  const kinds = ["constant", "instructions", "input", "output", "intermediate"];
  const values = layers.flatMap((layer) => kinds.filter((kind) => layer.live_bytes[kind])
    .map((kind) => ({ index: layer.index, layer: layer.name, kind, order: kinds.indexOf(kind), bytes: layer.live_bytes[kind] })));
  const side = +dark.matches;
  return draw("memory", {
    height: 360, data: { values }, mark: { type: "bar" },
    encoding: {
      x: { field: "index", type: "ordinal", title: "layer", scale: { paddingInner: layers.length > 80 ? 0 : 0.08 }, axis: { labelOverlap: true, labelAngle: 0 } },
      y: { field: "bytes", type: "quantitative", title: "bytes", axis: { format: "~s" } },
      color: { field: "kind", title: null, scale: { domain: kinds, range: [waits[1][side], plain.fetch[side], plain.control[side], plain.drain[side], plain.compute[side]] } },
      order: { field: "order" },
      tooltip: [{ field: "layer" }, { field: "kind" }, { field: "bytes", format: "," }],
    },
  }, "svg");
}

function buffers() {
  const sizes = data.roofs.buffers;
  if (!Object.keys(sizes).length) return null;
  const values = layers.flatMap((layer) => Object.entries(layer.buffer_bytes).map(([name, bytes]) => (
    { index: layer.index, layer: layer.name, memory: name, bytes, size: sizes[name], share: bytes / sizes[name] })));
  const names = Object.keys(sizes).filter((name) => values.some((row) => row.memory === name));
  return draw("buffers", {
    height: 24 * names.length, data: { values }, mark: { type: "rect" },
    encoding: {
      x: { field: "index", type: "ordinal", title: "layer", scale: { paddingInner: layers.length > 80 ? 0 : 0.06 }, axis: { labelOverlap: true, labelAngle: 0 } },
      y: { field: "memory", type: "ordinal", sort: names, title: null, scale: { paddingInner: 0.12 }, axis: { ticks: false, domain: false } },
      color: { field: "share", type: "quantitative", title: "share of a buffer", scale: { domain: [0, 1], range: [colour("card"), colour("accent")] },
        legend: { format: ".0%", gradientLength: 160, direction: "horizontal" } },
      tooltip: [{ field: "layer" }, { field: "memory" }, { field: "bytes", format: "," }, { field: "size", title: "of", format: "," }, { field: "share", format: ".1%" }],
    },
  }, "svg");
}

// ---- all of it, and again where colours change
async function charts() {
  await Promise.all([bars(), data.tracks.length && timeline(), data.packets === null && roofline(), memory(), buffers()]);
  document.body.dataset.drawn = "yes";
}
document.getElementById("detail").textContent = data.timeline.some((piece) => piece[5] < 1)
  ? "Heights are shares of short stretches of time." : "";
document.getElementById("filter").oninput = table.show;
document.getElementById("shares").onchange = bars;
dark.addEventListener("change", charts);
// What this machine, or this backend, has not.
const hide = (id, when) => { document.getElementById(id).hidden = when; };
hide("worst", !data.losses.length);
hide("engines", !data.tracks.length);
hide("roofs", data.packets !== null);
hide("on-chip", layers.every((layer) => !Object.keys(layer.buffer_bytes).length));
hide("bounds", data.bound === null);
if (data.bound === null) {
  document.getElementById("least").textContent = "what their real multiply-accumulates alone would take";
}
summary();
worst.show();
table.show();
charts();
