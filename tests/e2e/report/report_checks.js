// Runs in the page of a report (test_report.py) when it is drawn: says what is there, and what sorting does.
window.addEventListener("load", async () => {
  for (let tries = 0; tries < 100 && !document.body.dataset.drawn; ++tries) {
    await new Promise((done) => setTimeout(done, 50));
  }
  const count = (selector) => document.querySelectorAll(selector).length;
  const heads = [...document.querySelectorAll("#layers th")].map((cell) => cell.textContent);
  const column = (title) => [...document.querySelectorAll("#layers tbody tr")]
    .map((row) => row.cells[heads.indexOf(title)].textContent);
  const sorted = {};
  for (const title of ["cycles", "layer"]) {
    document.querySelectorAll("#layers th")[heads.indexOf(title)].click();
    sorted[title] = column(title);
  }
  const found = {
    drawn: document.body.dataset.drawn || null,
    rows: count("#layers tbody tr"),
    bars: count("#bars .mark-rect path"),
    labels: document.querySelector("#bars").textContent,
    canvases: count("#timeline canvas"),
    points: count("#roofline .mark-symbol path"),
    memory: count("#memory .mark-rect path"),
    buffers: count("#buffers .mark-rect path"),
    worst: [...document.querySelectorAll("#losses tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
    hidden: [...document.querySelectorAll("section[hidden]")].map((section) => section.id),
    wider: [...document.querySelectorAll(".scroll, body")].filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => part.firstElementChild.id || part.tagName),
    cards: document.getElementById("summary").textContent,
    sorted,
  };
  const text = document.createElement("pre");
  text.id = "found";
  text.textContent = JSON.stringify(found);
  document.body.append(text);
});
