// The page around a battle's map: strength, curves, plan steps, legend, and what a unit says of itself.

// Where a side followed several plans, its steps carry the number of theirs.
function nameSteps(steps) {
  const named = ({ plan }, step) => `${plan + 1}.${step}`;
  for (const step of steps.filter(({ side }) => steps.some((other) => other.side === side && other.plan))) {
    step.after = step.after.map((before) => named(step, before));
    step.number = named(step, step.number);
  }
}

// Names of unit types are singular, but for two: "10 archers", "1 spearman".
const kindName = (name, count) => (count === 1 ? name.replace(/men$/, "man") : /(men|cavalry)$/.test(name) ? name : `${name}s`);
const countKind = (name, count) => `${number(count)} ${kindName(name, count)}`;

class BattleScreen extends TalkScreen {
  constructor(game) {
    super(game, new Field(game));
    this.writeHeader();
    this.buildStrength();
    this.buildPlans();
    this.buildLegend();
    $("talk").hidden = !game.lines;
    if (game.lines) {
      const { palette } = game;
      this.buildTalk({ title: "What both commanders were asked and said", none: "", beat: "tick", kinds: ["says", "orders", "thinks", "gives no plan", "shares", "says", "is asked"],
        names: game.agents, tints: palette.curves });
    }
  }

  // --- what changes with the clock ---

  show() {
    const { game, field } = this, t = this.shareOut();
    const states = game.course ? game.course.steps.map((_, p) => game.stepState(t, p)).join("") : "";
    if (game.fire && field.frame !== t) {
      field.frame = t;
      field.drawGround();
    }
    field.place(t, this.share);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t);
    if (this.signed !== states) {
      this.signed = states;
      field.drawSigns(t);
      this.showStates(t);
    }
    document.body.style.setProperty("--now", this.part);
    this.showClock(t);
    this.moveCursors();
    const shown = `${t} ${game.tick[t]}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.showTick(t);
    this.showStrength(t);
    if (this.lines) this.showTalk(t);
    $("units").setAttribute("aria-label", `Units at tick ${game.tick[t]}: ` + this.sides.map(({ side, name }) => `${name} ${game.living(t, side)} of ${game.size[side]}`).join(", "));
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
      kinds.textContent = types.map((name, k) => [name, game.count(t, side, k), game.whole(side, k)])
        .filter(([, , whole]) => whole).map(([name, left]) => countKind(name, left)).join(", ");
    }
    $("alive").querySelector("b").textContent = this.sides.map(({ side }) => number(game.living(t, side))).join(" : ");
    if (game.course) $("score").querySelector("b").textContent = this.scoreText(game.scoreAt(t));
  }

  get isShare() { return this.game.course.score_is.startsWith("share"); }
  scoreText(score) {
    if (!Number.isFinite(score)) return "none";
    return this.isShare ? `${(100 * score).toFixed(1)} %` : `${score.toFixed(1)} m`;
  }

  // --- curves ---

  drawCurves() {
    const { game } = this, { course } = game;
    const lines = this.sides.map(({ side, name }) => ({ name, value: (k) => game.curve(k, side) }));
    this.charts = [];
    this.addChart($("alive"), lines, Math.max(...game.size, 1), number);
    $("score").hidden = !course;
    if (!course) return;
    const what = course.score_is;
    $("score").querySelector("span").textContent = `Score: ${what}`;
    const finite = Array.from(game.score).filter(Number.isFinite);
    const most = Math.max(...finite, 2), even = most > 20 ? 20 : 2; // so that its half is a whole number
    const top = this.isShare ? 1 : Math.ceil(most / even) * even;
    this.addChart($("score"), [{ name: "only", value: (k) => game.score[k] }], top,
      (v) => this.isShare ? `${Math.round(100 * v)} %` : `${number(Math.round(v))} m`);
  }

  // --- plans ---

  buildPlans() {
    const { game } = this, { course, palette } = game;
    this.rows = [];
    $("plans").replaceChildren();
    $("plans").hidden = !course || !course.steps.length;
    if (!course) return;
    palette.sides.forEach((name, side) => {
      const own = course.steps.map((step, p) => ({ ...step, p })).filter((step) => step.side === side && (!game.live || game.isPresent(step)));
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
    const built = { p, row, list, state, time };
    this.fillTime(built);
    return built;
  }

  // Shows the steps of a plan that has just been given.
  plansChanged() {
    this.field.listTargets();
    this.field.step = -1;
    this.buildPlans();
  }

  timeSteps() {
    for (const row of this.rows) this.fillTime(row);
  }

  fillTime({ p, time }) {
    time.replaceChildren(...this.game.spans(p).filter(([, , is]) => is !== WAITING).map(([from, to, is]) =>
      make("i", { class: is === ACTIVE ? "on" : "done", style: `left:${100 * from}%;width:${100 * (to - from)}%` })));
  }

  leave() {
    this.followed = -1;
    this.choose(-1);
  }

  choose(p) {
    this.field.step = p;
    for (const each of this.rows) {
      each.row.setAttribute("aria-expanded", String(each.p === p));
      each.list.hidden = each.p !== p;
    }
    this.redraw();
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
    const { game, field } = this, { palette } = game, icon = drawIcon;
    const note = (picture, words) => $("legend").append(make("span", {}, picture, words));
    for (const type of new Set([...game.type].sort())) {
      note(icon((draw) => this.sides.forEach(({ side }, k) => drawUnit(draw, palette, side, type, 0, 8 + 16 * k, 8, 5.6, 1)), this.sides.length), kindName(palette.types[type], 2));
    }
    note(icon((draw) => this.sides.forEach(({ side }, k) => drawCross(draw, palette.corpses[side], 8 + 16 * k, 8, 3.6, 1)), this.sides.length), "fallen");
    for (const [name, [bit, colour]] of Object.entries(palette.terrain)) {
      if (!(game.terrain & bit)) continue;
      note(icon((draw) => { draw.fillStyle = rgb(ground(colour)); draw.fillRect(1, 2, 14, 12); draw.strokeStyle = "#8d8f8b"; draw.strokeRect(1.5, 2.5, 13, 11); }), name);
    }
    if (game.fire) {
      const [, flames, smoke, burnt] = palette.fire;
      const swatch = (...colours) => drawIcon((draw) => colours.forEach((colour, k) => { draw.fillStyle = rgb(colour); draw.fillRect(1 + 14 * k, 2, 14, 12); }), colours.length);
      note(swatch(flames, smoke), "burning");
      note(swatch(ground(burnt)), "burnt");
    }
    if (game.live || Object.keys(game.markers).length) note(icon((draw) => drawPin(draw, palette.marker, 8, 15, "", 0.55)), "marker");
    const choice = (...words) => this.offer(...words);
    palette.sides.forEach((name, side) => {
      if (!game.live && !field.places.some((place) => place.side === side)) return;
      choice(`${name}'s targets`, [icon((draw) => drawTarget(draw, palette.target[side], 8, 8, "", 1))], field.targets[side], (on) => { field.targets[side] = on; });
    });
    choice("attacks", [icon((draw) => {
      this.sides.forEach(({ side }, k) => { draw.strokeStyle = rgb(palette.curves[side], 0.8); draw.lineWidth = 1.6; draw.beginPath(); draw.moveTo(2, 4 + 8 * k); draw.lineTo(14, 4 + 8 * k); draw.stroke(); });
    })], field.streaks, (on) => { field.streaks = on; });
  }

  // --- tooltip of a unit ---

  tell(t) {
    const { field, game } = this, tip = $("tip"), i = field.marked;
    tip.hidden = i < 0;
    if (i < 0) return;
    const key = `${i} ${t} ${game.tick[t]}`;
    if (this.told !== key) {
      this.told = key;
      tip.className = game.palette.sides[game.side[i]];
      tip.replaceChildren(...this.describe(i, t));
      this.tipSize = [tip.offsetWidth, tip.offsetHeight];
    }
    this.placeTip(i, field.radius[game.type[i]] + 12);
  }

  unitName(i) {
    const { game } = this, side = game.side[i], own = side ? i - game.size[0] : i;
    return `${game.palette.sides[side]} ${game.palette.types[game.type[i]]} ${number(own)}`;
  }

  describe(i, t) {
    const { game } = this, { course } = game, frame = game.at(t), health = game.healthOf(t, i);
    const head = make("div", {}, make("b", {}, this.unitName(i)), game.side[i] ? ` · id ${number(i)}` : "");
    if (!(health > 0)) return [head, make("div", {}, `died ${game.live ? "by" : "at"} tick ${number(game.fell[i])}`)];
    const facts = make("dl"), say = (name, ...words) => facts.append(make("dt", {}, name), make("dd", {}, ...words));
    say("health", `${+health.toFixed(2)} of ${+game.maxHealth[i].toFixed(2)}`);
    if (course && course.steps.length) { // a policy's units follow no plan
      const own = frame.group[i] - 1;
      if (own < 0) say("orders", "none yet; the unit stands still");
      else {
        const { step, target: [x, y], behaviour } = course.groups[own], state = ["waiting", "active", "achieved"][game.stepState(t, step)];
        say("step", `${course.steps[step].number} (${course.steps[step].objective}), ${state}`);
        say("target", `(${x}, ${y})`);
        say("behaviour", behaviour);
      }
      const won = frame.leaf[i] - 1;
      if (game.tick[t] > 0) say("leaf", won < 0 ? "none chosen; the unit stands still" : course.leaves[won][1]);
    }
    const foe = frame.attack[i] - 1;
    if (foe >= 0) say("attacks", this.unitName(foe));
    const bar = make("i", { style: `width:${Math.min(100, 100 * health / game.maxHealth[i])}%` });
    return [head, make("div", { class: "health" }, bar), facts];
  }
}
