// Runs in the page of a study (test_study_page.py) when it is drawn: says what is there, and what clicks and choices do.
window.addEventListener("load", async () => {
  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  for (let tries = 0; tries < 100 && !document.body.dataset.drawn; ++tries) await wait(50);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const count = (selector) => all(selector).length;
  const text = (id) => document.getElementById(id).textContent;
  const heads = all("#points th").map((cell) => cell.textContent);
  const column = (title) => all("#points tbody tr").map((row) => row.cells[heads.indexOf(title)].textContent);
  const points = (id) => all(`#${id} .role-mark.mark-symbol`).pop().children.length;
  const rings = (id) => [...all(`#${id} .role-mark.mark-symbol`)[0].children].filter((path) => path.getAttribute("opacity") !== "0").length;
  const event = (element, kind) => element.dispatchEvent(new Event(kind, { bubbles: true }));
  const found = {
    drawn: document.body.dataset.drawn || null, title: text("chosen-name"), cards: text("summary"), rows: count("#points tbody tr"),
    heads, names: all("#names button").map((button) => button.textContent), symbols: points("front"), rings: rings("front"), front: text("front"),
    against: points("against"), same: text("same"),
    links: all("#points a").map((link) => link.getAttribute("href")), link: all("#chosen-links a").map((link) => link.getAttribute("href")),
    command: text("chosen-links"), failures: text("failures"), breakdowns: all("#breakdowns h2").map((head) => head.textContent),
    bars: all("#breakdowns .chart").map((chart) => chart.querySelectorAll(".mark-rect path").length),
    labels: all("#breakdowns .chart").map((chart) => chart.textContent), width: document.documentElement.scrollWidth - window.innerWidth,
    text: getComputedStyle(document.body).color, axis: getComputedStyle(document.querySelector("#front .role-axis-label text")).fill,
  };
  // sorting
  for (const title of given.sorted) {
    all("#points th")[heads.indexOf(title)].click();
    found[`sorted ${title}`] = column(title);
  }
  // a click chooses, in the table and in the list of the front
  all("#points tbody tr")[1].click();
  found.clicked = text("chosen-name");
  all("#names button")[0].click();
  found.listed = text("chosen-name");
  // filtering
  document.getElementById("only-front").click();
  event(document.getElementById("filters"), "input");
  await wait(200);
  found.only = { rows: count("#points tbody tr"), symbols: points("front"), shown: text("shown") };
  document.getElementById("only-front").click();
  const search = document.getElementById("search");
  search.value = given.search;
  event(search, "input");
  await wait(200);
  found.search = { rows: count("#points tbody tr"), symbols: points("front") };
  search.value = "";
  event(search, "input");
  // another axis
  const up = document.getElementById("front-y");
  up.value = given.up;
  event(up, "change");
  await wait(300);
  found.up = text("front");
  // what the pointer is told
  const point = all("#front .role-mark.mark-symbol").pop().firstChild;
  const at = point.getBoundingClientRect();
  const where = { clientX: at.x + at.width / 2, clientY: at.y + at.height / 2, bubbles: true, view: window };
  point.dispatchEvent(new MouseEvent("mousemove", where));
  point.dispatchEvent(new PointerEvent("pointermove", where));
  await wait(100);
  const tip = document.getElementById("vg-tooltip-element");
  found.hover = tip ? tip.textContent : null;
  const pre = document.createElement("pre");
  pre.id = "found";
  pre.textContent = JSON.stringify(found);
  document.body.append(pre);
});
