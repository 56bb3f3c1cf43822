// One chart over ticks, with its axes, as an SVG.

// Draws lines into the `svg` of a figure and returns where its cursor runs. `ticks` are the ticks of the points,
// `first` and `last` the ends of the axis; a line has a class, a value by point and maybe a colour of its own;
// `pick` is called with the tick under a pressed pointer.
function drawChart(figure, { ticks, first, last, lines, low = 0, top, write, pick }) {
  const svg = figure.querySelector("svg"), { width, height } = svg.getBoundingClientRect();
  const left = 44, right = width - 8, up = 6, down = height - 17, span = Math.max(last - first, 1);
  const x = (tick) => left + (tick - first) / span * (right - left), y = (v) => down - (v - low) / (top - low) * (down - up);
  const add = (name, attributes, text) => {
    const node = dress(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
    return node;
  };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const share of [0, 0.5, 1]) {
    const value = low + share * (top - low);
    add("line", { class: value ? "rule" : "axis", x1: left, x2: right, y1: y(value), y2: y(value) });
    add("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, write(value));
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((s) => span / s <= 6) || span;
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) {
    add("text", { x: x(tick), y: height - 3, "text-anchor": x(tick) > right - 12 ? "end" : "middle" }, number(tick));
  }
  for (const { name, value, colour } of lines) {
    let path = "", open = false;
    for (let t = 0; t < ticks.length; t++) {
      const v = value(t);
      if (!Number.isFinite(v)) { open = false; continue; }
      path += `${open ? "L" : "M"}${x(ticks[t]).toFixed(1)} ${y(v).toFixed(1)}`;
      open = true;
    }
    add("path", { class: name, d: path, ...(colour ? { style: `stroke:${colour}` } : {}) });
  }
  const cursor = add("line", { class: "cursor", y1: up - 4, y2: down });
  const take = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = svg.getBoundingClientRect();
    pick(first + (event.clientX - box.left - left) / (right - left) * span);
  };
  svg.onpointerdown = take;
  svg.onpointermove = take;
  const move = (part) => {
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, left + part * (right - left));
  };
  return { move };
}
