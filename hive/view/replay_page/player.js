// What any replay has around its map: the clock, charts, controls, and the start.

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

function drawIcon(paint, places = 1, ratio = 2) {
  const canvas = make("canvas", { "aria-hidden": "true", width: 16 * places * ratio, height: 16 * ratio });
  const draw = canvas.getContext("2d");
  draw.scale(ratio, ratio);
  paint(draw);
  return canvas;
}

class Player {
  constructor(game, field, pace) {
    this.game = game;
    this.field = field;
    this.pace = pace; // ticks a second at speed 1
    this.now = game.first; // in ticks, with a fraction
    this.speed = 1;
    this.playing = false;
    this.pointer = null; // where the mouse is over the map
    this.followed = -1; // unit that was clicked
  }

  wire() {
    this.wireControls();
    this.wireField();
    this.wireKeys();
    new ResizeObserver(() => { this.field.resize(); this.drawCurves(); this.signed = null; this.show(); }).observe(this.field.box);
    this.field.resize();
    this.drawCurves();
    this.show();
  }

  leave() {
    this.followed = -1;
    this.show();
  }

  // --- the clock ---

  get frame() { // the last frame at or before now
    const { tick, frames } = this.game;
    let low = 0, high = frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tick[middle] <= this.now) low = middle; else high = middle - 1;
    }
    return low;
  }

  seek(tick) {
    this.now = Math.min(Math.max(tick, this.game.first), this.game.last);
    this.show();
  }

  skip(frames) {
    const on = this.now > this.game.tick[this.frame] && frames < 0 ? 1 : 0; // between two frames, back is the nearer one
    this.pause();
    this.seek(this.game.tick[Math.min(Math.max(this.frame + frames + on, 0), this.game.frames - 1)]);
  }

  play() {
    if (this.now >= this.game.last) this.now = this.game.first;
    this.playing = true;
    document.body.classList.add("playing");
    $("play").setAttribute("aria-label", "Pause");
    this.before = null;
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame((time) => this.run(time));
  }

  pause() {
    this.playing = false;
    document.body.classList.remove("playing");
    $("play").setAttribute("aria-label", "Play");
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  run(time) {
    if (!this.playing) return;
    const passed = this.before === null ? 0 : Math.min(time - this.before, 250) / 1000;
    this.before = time;
    this.seek(this.now + passed * this.speed * this.pace);
    if (this.now >= this.game.last) this.pause();
    else this.waiting = requestAnimationFrame((next) => this.run(next));
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  // --- charts ---

  drawChart(figure, lines, top, write, low = 0) {
    const svg = figure.querySelector("svg"), { width, height } = svg.getBoundingClientRect(), { game } = this;
    const left = 44, right = width - 8, up = 6, down = height - 17, span = Math.max(game.last - game.first, 1);
    const x = (tick) => left + (tick - game.first) / span * (right - left), y = (v) => down - (v - low) / (top - low) * (down - up);
    const add = (name, attributes, text) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
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
    for (let tick = Math.ceil(game.first / step) * step; tick <= game.last; tick += step) {
      add("text", { x: x(tick), y: height - 3, "text-anchor": x(tick) > right - 12 ? "end" : "middle" }, number(tick));
    }
    for (const { name, value, colour } of lines) {
      let path = "", open = false;
      for (let t = 0; t < game.frames; t++) {
        const v = value(t);
        if (!Number.isFinite(v)) { open = false; continue; }
        path += `${open ? "L" : "M"}${x(game.tick[t]).toFixed(1)} ${y(v).toFixed(1)}`;
        open = true;
      }
      add("path", { class: name, d: path, ...(colour ? { style: `stroke:${colour}` } : {}) });
    }
    const cursor = add("line", { class: "cursor", y1: up - 4, y2: down });
    const pick = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const box = svg.getBoundingClientRect();
      this.pause();
      this.seek(game.first + (event.clientX - box.left - left) / (right - left) * span);
    };
    svg.onpointerdown = pick;
    svg.onpointermove = pick;
    return { cursor, left, right };
  }

  moveCursors(part) {
    for (const { cursor, left, right } of this.charts) {
      const x = left + part * (right - left);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  }

  // Puts the tip beside unit i, rather above it, and whole.
  placeTip(i, gap) {
    const { field } = this, tip = $("tip"), [px, py] = field.screenOf(i), [wide, high] = this.tipSize;
    const x = px + gap + wide < field.wide ? px + gap : px - gap - wide;
    tip.style.left = `${Math.min(Math.max(x, 4), Math.max(field.wide - wide - 4, 4))}px`;
    tip.style.top = `${Math.min(Math.max(py - 0.85 * high, 4), Math.max(field.high - high - 4, 4))}px`;
  }

  // Adds a box to tick to the legend.
  offer(words, picture, on, change) {
    const box = make("input", { type: "checkbox" });
    box.checked = on;
    box.addEventListener("change", () => { change(box.checked); this.signed = null; this.show(); });
    $("legend").append(make("label", {}, box, ...picture, words));
  }

  // --- hands ---

  wireControls() {
    const { game } = this, scrub = $("scrub");
    [scrub.min, scrub.max] = [game.first, game.last];
    scrub.addEventListener("input", () => { this.pause(); this.seek(Number(scrub.value)); });
    scrub.addEventListener("change", () => { if (!this.playing) this.seek(game.tick[this.frame]); });
    for (const speed of SPEEDS) $("speed").append(make("option", { value: speed }, `${speed}×`));
    this.setSpeed(1);
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    const view = (change) => () => { change(); this.signed = null; this.show(); };
    const press = { play: () => this.toggle(), back: () => this.skip(-1), forth: () => this.skip(1),
      "zoom-in": view(() => this.field.zoomAt(1.5)), "zoom-out": view(() => this.field.zoomAt(1 / 1.5)),
      "zoom-fit": view(() => this.field.zoomAt(0)) };
    for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", act);
    document.addEventListener("click", (event) => { // after a mouse click the keys go to the page, not to the button
      if (event.detail && event.target.closest("button, select, input[type=checkbox]:not(:focus-visible)")) document.activeElement.blur();
    });
  }

  wireField() {
    const { field } = this, { box } = field;
    const place = (event) => { const edge = box.getBoundingClientRect(); return [event.clientX - edge.left - 1, event.clientY - edge.top - 1]; };
    box.addEventListener("wheel", (event) => {
      const closer = event.deltaY < 0;
      if (!closer && field.zoom <= 1) return;
      event.preventDefault();
      field.zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
      this.signed = null;
      this.show();
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest("#zoom")) return;
      this.dragging = { from: place(event), last: place(event), far: false };
    });
    box.addEventListener("pointermove", (event) => {
      this.pointer = event.target.closest("#zoom") ? null : place(event);
      const [x, y] = field.toMap(...place(event)), { size } = field;
      $("place").textContent = x >= 0 && y >= 0 && x <= size && y <= size ? `x ${Math.floor(x)}, y ${Math.floor(y)}` : "";
      const drag = this.dragging;
      if (drag) {
        const dx = this.pointer[0] - drag.last[0], dy = this.pointer[1] - drag.last[1];
        if (!drag.far && Math.hypot(this.pointer[0] - drag.from[0], this.pointer[1] - drag.from[1]) > 4) {
          drag.far = true;
          box.setPointerCapture(event.pointerId);
          box.classList.add("dragging");
        }
        if (drag.far && field.zoom > 1) { field.pan(dx, dy); this.signed = null; }
        drag.last = this.pointer;
      }
      if (!this.playing || drag) this.show();
    });
    const drop = (event) => {
      const drag = this.dragging;
      this.dragging = null;
      box.classList.remove("dragging");
      if (drag && !drag.far && event.type === "pointerup") {
        const under = field.find(...place(event), this.frame);
        this.followed = under === this.followed ? -1 : under;
      }
      this.show();
    };
    box.addEventListener("pointerup", drop);
    box.addEventListener("pointercancel", drop);
    box.addEventListener("pointerleave", () => { this.pointer = null; $("place").textContent = ""; this.show(); });
  }

  wireKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select")) return;
      const many = event.shiftKey ? 10 : 1, faster = (by) => this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1)]);
      const keys = { " ": () => this.toggle(), ArrowLeft: () => this.skip(-many), ArrowRight: () => this.skip(many),
        ArrowUp: () => faster(1), ArrowDown: () => faster(-1), Home: () => this.seek(this.game.first), End: () => { this.pause(); this.seek(this.game.last); },
        "+": () => $("zoom-in").click(), "=": () => $("zoom-in").click(), "-": () => $("zoom-out").click(), 0: () => $("zoom-fit").click(),
        Escape: () => this.leave() };
      const act = keys[event.key];
      if (!act || (event.key === " " && event.target.closest("button, input[type=checkbox]"))) return;
      event.preventDefault();
      act();
    });
  }
}

async function begin(makeGame, open) {
  try {
    const { meta, stored } = await unpack(), terrain = $("terrain");
    if (terrain) await terrain.decode();
    window.replay = open(makeGame(meta, stored));
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    document.querySelector("main").hidden = true;
    throw error;
  }
}
