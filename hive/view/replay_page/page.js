// The page around the map: clock, controls, curves, plan steps, legend, and what a unit says of itself.

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const TICKS_A_SECOND = 10; // at speed 1

class Page {
  constructor(game) {
    this.game = game;
    this.field = new Field(game);
    this.now = game.first; // in ticks, with a fraction
    this.speed = 1;
    this.playing = false;
    this.pointer = null; // where the mouse is over the map
    this.followed = -1; // unit that was clicked
    this.writeHeader();
    this.buildStrength();
    this.buildPlans();
    this.buildLegend();
    this.wireControls();
    this.wireField();
    this.wireKeys();
    new ResizeObserver(() => { this.field.resize(); this.drawCurves(); this.signed = null; this.show(); }).observe(this.field.box);
    this.field.resize();
    this.drawCurves();
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
    this.seek(this.now + passed * this.speed * TICKS_A_SECOND);
    if (this.now >= this.game.last) this.pause();
    else this.waiting = requestAnimationFrame((next) => this.run(next));
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  // --- what changes with the clock ---

  show() {
    const { game, field } = this, t = this.frame, next = Math.min(t + 1, game.frames - 1);
    const gap = game.tick[next] - game.tick[t];
    this.share = gap ? (this.now - game.tick[t]) / gap : 0;
    const states = game.course ? game.course.steps.map((_, p) => game.stepState(t, p)).join("") : "";
    field.place(t, this.share);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t);
    if (this.signed !== states) {
      this.signed = states;
      field.drawSigns(t);
      this.showStates(t);
    }
    const part = game.last > game.first ? (this.now - game.first) / (game.last - game.first) : 0;
    document.body.style.setProperty("--now", part);
    $("scrub").value = this.now;
    if (t === this.shown) return this.moveCursors(part);
    this.shown = t;
    $("scrub").setAttribute("aria-valuetext", `tick ${game.tick[t]} of ${game.last}`);
    $("tick").innerHTML = `tick <b>${number(game.tick[t])}</b> of ${number(game.last)}`;
    this.showStrength(t);
    $("units").setAttribute("aria-label", `Units at tick ${game.tick[t]}: ` + this.sides.map(({ side, name }) => `${name} ${game.living(t, side)} of ${game.size[side]}`).join(", "));
    this.moveCursors(part);
  }

  writeHeader() {
    const { course, last } = this.game;
    if (!course) return;
    const end = course.outcome.replace(/_/g, " ");
    $("outcome").append(make("b", {}, end), ` after ${number(last)} ticks, ${number(this.game.units)} units`);
  }

  buildStrength() {
    const { palette, size } = this.game;
    this.sides = palette.sides.map((name, side) => ({ name, side })).filter(({ side }) => size[side]);
    for (const each of this.sides) {
      const { name, side } = each;
      each.count = make("b");
      each.bar = make("i");
      each.kinds = make("div", { class: "kinds" });
      $("strength").append(make("div", { class: `side ${name}`, id: `count-${name}` },
        make("span", { class: "name" }, name), make("span", {}, each.count, make("span", { class: "of" }, ` of ${number(size[side])}`)),
        make("div", { class: "bar" }, each.bar), each.kinds));
    }
  }

  showStrength(t) {
    const { game } = this, { types } = game.palette;
    for (const { side, count, bar, kinds } of this.sides) {
      const living = game.living(t, side);
      count.textContent = number(living);
      bar.style.width = `${100 * living / game.size[side]}%`;
      kinds.textContent = types.map((name, k) => [name, game.alive[(t * 2 + side) * types.length + k], game.alive[side * types.length + k]])
        .filter(([, , whole]) => whole).map(([name, left]) => `${number(left)} ${name}`).join(", ");
    }
    $("alive").querySelector("b").textContent = this.sides.map(({ side }) => number(game.living(t, side))).join(" : ");
    if (game.course) $("score").querySelector("b").textContent = this.scoreText(game.score[t]);
  }

  get isShare() { return this.game.course.score_is.startsWith("share"); }
  scoreText(score) {
    if (!Number.isFinite(score)) return "none";
    return this.isShare ? `${(100 * score).toFixed(1)} %` : `${score.toFixed(1)} m`;
  }

  // --- curves ---

  drawCurves() {
    const { game } = this, { course } = game;
    const lines = this.sides.map(({ side, name }) => ({ name, value: (t) => game.living(t, side) }));
    this.charts = [this.drawChart($("alive"), lines, Math.max(...game.size, 1), number)];
    $("score").hidden = !course;
    if (!course) return;
    const what = course.score_is;
    $("score").querySelector("span").textContent = `Score: ${what}`;
    const finite = Array.from(game.score).filter(Number.isFinite);
    const most = Math.max(...finite, 2), even = most > 20 ? 20 : 2; // so that its half is a whole number
    const top = this.isShare ? 1 : Math.ceil(most / even) * even;
    this.charts.push(this.drawChart($("score"), [{ name: "only", value: (t) => game.score[t] }], top,
      (v) => this.isShare ? `${Math.round(100 * v)} %` : `${number(Math.round(v))} m`));
  }

  drawChart(figure, lines, top, write) {
    const svg = figure.querySelector("svg"), { width, height } = svg.getBoundingClientRect(), { game } = this;
    const left = 44, right = width - 8, up = 6, down = height - 17, span = Math.max(game.last - game.first, 1);
    const x = (tick) => left + (tick - game.first) / span * (right - left), y = (v) => down - v / top * (down - up);
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
      add("line", { class: share ? "rule" : "axis", x1: left, x2: right, y1: y(share * top), y2: y(share * top) });
      add("text", { x: left - 6, y: y(share * top) + 4, "text-anchor": "end" }, write(share * top));
    }
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((s) => span / s <= 6) || span;
    for (let tick = Math.ceil(game.first / step) * step; tick <= game.last; tick += step) {
      add("text", { x: x(tick), y: height - 3, "text-anchor": x(tick) > right - 12 ? "end" : "middle" }, number(tick));
    }
    for (const { name, value } of lines) {
      let path = "", open = false;
      for (let t = 0; t < game.frames; t++) {
        const v = value(t);
        if (!Number.isFinite(v)) { open = false; continue; }
        path += `${open ? "L" : "M"}${x(game.tick[t]).toFixed(1)} ${y(v).toFixed(1)}`;
        open = true;
      }
      add("path", { class: name, d: path });
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

  // --- plans ---

  buildPlans() {
    const { course, palette } = this.game;
    this.rows = [];
    $("plans").hidden = !course || !course.steps.length;
    if (!course) return;
    palette.sides.forEach((name, side) => {
      const own = course.steps.map((step, p) => ({ ...step, p })).filter((step) => step.side === side);
      if (!own.length) return;
      const tally = make("span");
      const part = make("div", { class: name }, make("h2", {}, `${name}'s plan`, tally));
      for (const step of own) this.rows.push({ ...this.buildStep(part, step), tally, side });
      $("plans").append(part);
    });
  }

  buildStep(part, { p, number: name, after, objective }) {
    const { course } = this.game, groups = course.groups.filter((group) => group.step === p);
    const time = make("span", { class: "time", "aria-hidden": "true" }), state = make("span", { class: "state" });
    for (const [from, to, is] of this.spans(p)) {
      if (is !== WAITING) time.append(make("i", { class: is === ACTIVE ? "on" : "done", style: `left:${100 * from}%;width:${100 * (to - from)}%` }));
    }
    const wait = after.length ? ` after ${after.join(", ")}` : "";
    const row = make("button", { type: "button", class: "step", "aria-expanded": "false", title: `Step ${name}: ${objective}${wait}` },
      make("span", { class: "number" }, String(name)),
      make("span", { class: "what" }, objective, make("small", {}, wait)), time, state);
    const list = make("ul", { class: "groups", hidden: "" });
    for (const { units, target: [x, y], behaviour } of groups) {
      list.append(make("li", {}, make("small", {}, "units "), units, make("small", {}, " to "), `(${x}, ${y})`, make("small", {}, " by "), behaviour));
    }
    row.addEventListener("click", () => this.choose(this.field.step === p ? -1 : p));
    part.append(row, list);
    return { p, row, list, state };
  }

  // Stretches of one state of a step, as shares of the game.
  spans(p) {
    const { game } = this, whole = Math.max(game.last - game.first, 1), found = [];
    for (let t = 0; t < game.frames; t++) {
      const is = game.stepState(t, p), at = (game.tick[t] - game.first) / whole;
      if (found.length && found.at(-1)[2] === is) continue;
      if (found.length) found.at(-1)[1] = at;
      found.push([at, 1, is]);
    }
    return found;
  }

  choose(p) {
    this.field.step = p;
    for (const each of this.rows) {
      each.row.setAttribute("aria-expanded", String(each.p === p));
      each.list.hidden = each.p !== p;
    }
    this.signed = null;
    this.show();
  }

  showStates(t) {
    const { game } = this, now = [0, 1].map((side) => game.planNow(t, side));
    for (const { p, row, state, tally, side } of this.rows) {
      const is = game.stepState(t, p), { achieved, plan } = game.course.steps[p];
      row.dataset.state = is;
      const idle = plan < now[side] ? "replaced" : "waiting";
      state.textContent = is === ACHIEVED ? `done at ${number(achieved)}` : is === ACTIVE ? "active" : idle;
      const own = this.rows.filter((each) => each.side === side);
      tally.textContent = `${own.filter((each) => game.stepState(t, each.p) === ACHIEVED).length} of ${own.length} achieved`;
    }
  }

  // --- legend ---

  buildLegend() {
    const { game, field } = this, { palette } = game, ratio = 2;
    const icon = (paint, places = 1) => {
      const canvas = make("canvas", { "aria-hidden": "true", width: 16 * places * ratio, height: 16 * ratio });
      const draw = canvas.getContext("2d");
      draw.scale(ratio, ratio);
      paint(draw);
      return canvas;
    };
    const note = (picture, words) => $("legend").append(make("span", {}, picture, words));
    for (const type of new Set([...game.type].sort())) {
      note(icon((draw) => this.sides.forEach(({ side }, k) => drawUnit(draw, palette, side, type, 0, 8 + 16 * k, 8, 5.6, 1)), this.sides.length), palette.types[type]);
    }
    note(icon((draw) => this.sides.forEach(({ side }, k) => drawCross(draw, palette.corpses[side], 8 + 16 * k, 8, 3.6, 1)), this.sides.length), "fallen");
    for (const [name, [bit, colour]] of Object.entries(palette.terrain)) {
      if (!(game.terrain & bit)) continue;
      note(icon((draw) => { draw.fillStyle = rgb(colour); draw.fillRect(1, 2, 14, 12); draw.strokeStyle = "#8d8f8b"; draw.strokeRect(1.5, 2.5, 13, 11); }), name);
    }
    if (Object.keys(game.markers).length) note(icon((draw) => drawPin(draw, palette.marker, 8, 15, "", 0.55)), "marker");
    const choice = (words, picture, on, change) => {
      const box = make("input", { type: "checkbox" });
      box.checked = on;
      box.addEventListener("change", () => { change(box.checked); this.signed = null; this.show(); });
      $("legend").append(make("label", {}, box, ...picture, words));
    };
    palette.sides.forEach((name, side) => {
      if (!field.places.some((place) => place.side === side)) return;
      choice(`${name}'s targets`, [icon((draw) => drawTarget(draw, palette.target[side], 8, 8, "", 1))], field.targets[side], (on) => { field.targets[side] = on; });
    });
    choice("attacks", [icon((draw) => {
      this.sides.forEach(({ side }, k) => { draw.strokeStyle = rgb(palette.curves[side], 0.8); draw.lineWidth = 1.6; draw.beginPath(); draw.moveTo(2, 4 + 8 * k); draw.lineTo(14, 4 + 8 * k); draw.stroke(); });
    })], true, (on) => { field.streaks = on; });
  }

  // --- what a unit says of itself ---

  tell(t) {
    const { field, game } = this, tip = $("tip"), i = field.marked;
    tip.hidden = i < 0;
    if (i < 0) return;
    const key = `${i} ${t}`;
    if (this.told !== key) {
      this.told = key;
      tip.className = game.palette.sides[game.side[i]];
      tip.replaceChildren(...this.describe(i, t));
      this.tipSize = [tip.offsetWidth, tip.offsetHeight];
    }
    const [px, py] = field.screenOf(i), [wide, high] = this.tipSize, gap = field.radius[game.type[i]] + 12;
    const x = px + gap + wide < field.wide ? px + gap : px - gap - wide;
    tip.style.left = `${Math.min(Math.max(x, 4), Math.max(field.wide - wide - 4, 4))}px`;
    tip.style.top = `${Math.min(Math.max(py - 0.85 * high, 4), Math.max(field.high - high - 4, 4))}px`; // rather above
  }

  unitName(i) {
    const { game } = this, side = game.side[i], own = side ? i - game.size[0] : i;
    return `${game.palette.sides[side]} ${game.palette.types[game.type[i]]} ${number(own)}`;
  }

  describe(i, t) {
    const { game } = this, { course } = game, at = t * game.units + i, health = game.healthValues[game.health[at]];
    const head = make("div", {}, make("b", {}, this.unitName(i)), game.side[i] ? ` · id ${number(i)}` : "");
    if (!(health > 0)) return [head, make("div", {}, `fell at tick ${number(game.fell[i])}`)];
    const facts = make("dl"), say = (name, ...words) => facts.append(make("dt", {}, name), make("dd", {}, ...words));
    say("health", `${+health.toFixed(2)} of ${+game.maxHealth[i].toFixed(2)}`);
    if (course) {
      const own = game.group[at] - 1;
      if (own < 0) say("orders", "none yet, it stands");
      else {
        const { step, target: [x, y], behaviour } = course.groups[own], state = ["waiting", "active", "achieved"][game.stepState(t, step)];
        say("step", `${course.steps[step].number} (${course.steps[step].objective}), ${state}`);
        say("target", `(${x}, ${y})`);
        say("behaviour", behaviour);
      }
      const won = game.leaf[at] - 1;
      if (t > 0) say("leaf", won < 0 ? "none won, it stands" : course.leaves[won][1]);
    }
    const foe = game.attack[at] - 1;
    if (foe >= 0) say("attacks", this.unitName(foe));
    const bar = make("i", { style: `width:${Math.min(100, 100 * health / game.maxHealth[i])}%` });
    return [head, make("div", { class: "health" }, bar), facts];
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
      const [x, y] = field.toMap(...place(event)), { metres } = this.game;
      $("place").textContent = x >= 0 && y >= 0 && x <= metres && y <= metres ? `x ${Math.floor(x)}, y ${Math.floor(y)}` : "";
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
        Escape: () => { this.followed = -1; this.choose(-1); } };
      const act = keys[event.key];
      if (!act || (event.key === " " && event.target.closest("button, input[type=checkbox]"))) return;
      event.preventDefault();
      act();
    });
  }
}

async function begin() {
  try {
    const game = await unpack();
    await $("terrain").decode();
    window.replay = new Page(game);
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    document.querySelector("main").hidden = true;
    throw error;
  }
}

begin();
