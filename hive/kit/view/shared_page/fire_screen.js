// The page around a wildfire's map: crews and losses, curves, the plan, legend, and what a unit says of itself.

class FireScreen extends TalkScreen {
  constructor(game) {
    super(game, new FireField(game));
    this.writeHeader();
    this.buildStrength();
    this.buildPlans();
    this.buildLegend();
    $("talk").hidden = !game.lines.length;
    if (game.lines.length) {
      this.buildTalk({ title: "Conversation", none: "", beat: "step", kinds: ["says", "begins", "thinks", "meets a problem", "shares", "says", "is asked"],
        names: game.agents, tints: game.agents.map((_, agent) => game.palette.edges[game.kind[agent]]) });
    }
  }

  show() {
    const { game, field } = this, t = this.shareOut(), shown = `${t} ${game.tick[t]}`;
    if (shown !== this.shown || this.signed === null) {
      field.drawGround(t);
      field.drawSigns(t);
      this.signed = true;
    }
    field.place(t, this.share);
    field.group(t);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t);
    this.showClock(t);
    this.moveCursors();
    if (shown === this.shown) return;
    this.shown = shown;
    this.showTick(t);
    this.showStrength(t);
    this.showPlan(t);
    if (this.lines) this.showTalk(t);
    $("units").setAttribute("aria-label", `Units at tick ${game.tick[t]}: ` + this.kinds.map(({ kind, name }) => `${this.count(t, kind)} ${name}`).join(", "));
  }

  count(t, kind) {
    const { alive } = this.game.at(t);
    return this.game.kind.reduce((sum, own, i) => sum + (own === kind && alive[i] ? 1 : 0), 0);
  }

  writeHeader() {
    const { game } = this;
    $("outcome").append(make("b", {}, game.outcome.replace(/_/g, " ")), ` after ${number(game.last)} ticks, score ${this.scoreText(game.score.at(-1))}`);
  }

  scoreText(score) {
    const { game } = this, words = number(score).replace("-", "−");
    return game.countsLosses ? words : `${words} of ${number(game.best)}`;
  }

  buildStrength() {
    const { game } = this, { palette } = game;
    this.kinds = palette.crewNames.map((name, kind) => ({ name, kind, whole: game.kind.filter((k) => k === kind).length })).filter(({ whole }) => whole);
    for (const each of this.kinds) {
      [each.count, each.bar] = [make("b"), make("i")];
      $("strength").append(make("div", { class: "side tinted", id: `count-${each.name}`, style: `--tint:${rgb(palette.crews[each.kind])}` },
        make("span", { class: "name" }, each.name), make("span", {}, each.count, make("span", { class: "of" }, ` of ${number(each.whole)}`)),
        make("div", { class: "bar" }, each.bar)));
    }
    this.lost = make("div", { class: "side kinds", id: "losses", style: "grid-column:1/-1;display:block" });
    $("strength").append(this.lost);
  }

  showStrength(t) {
    const { game } = this, { lossNames, civilians } = game, { losses } = game.at(t);
    for (const { kind, whole, count, bar } of this.kinds) {
      const living = this.count(t, kind);
      count.textContent = number(living);
      bar.style.width = `${100 * living / whole}%`;
    }
    const lost = lossNames.map((name, k) => [name, losses[k]]).filter(([, count]) => count).map(([name, count]) => `${number(count)} ${count === 1 ? name.replace(/s$/, "") : name}`);
    const states = Array.from({ length: civilians }, (_, v) => this.field.civilianState(t, v)), named = { carried: "carried", safe: "brought to safety" };
    const people = Object.entries(named).map(([state, words]) => [states.filter((is) => is === state).length, words]).filter(([count]) => count);
    this.lost.textContent = `lost: ${lost.join(", ") || "nothing"}` + (civilians ? `; of ${civilians} civilians: ${people.map(([count, words]) => `${count} ${words}`).join(", ") || "none carried or in safety"}` : "");
    $("score").querySelector("b").textContent = this.scoreText(game.scoreAt(t));
    $("burning").querySelector("b").textContent = number(game.burningAt(t));
    $("explored").querySelector("b").textContent = this.percent(game.exploredAt(t));
  }

  percent(cells) { return `${Math.round(100 * cells / this.game.size ** 2)} %`; }

  drawCurves() {
    const { game } = this, least = Math.min(0, ...game.score.filter(Number.isFinite)), even = (v) => Math.max(2, Math.ceil(v / 2) * 2);
    $("score").querySelector("span").textContent = game.countsLosses ? "Score: losses, counted negative" : "Score";
    const write = (v) => number(Math.round(v)).replace("-", "−");
    const [low, top] = game.countsLosses ? [-even(-least), 0] : [0, Math.max(game.best, 1)];
    this.charts = [];
    this.addChart($("score"), [{ name: "only", value: (k) => game.score[k] }], top, write, low);
    const most = Math.max(0, ...game.burning.filter(Number.isFinite));
    $("burning").hidden = !most;
    const colour = rgb(game.palette.fire);
    if (most) this.addChart($("burning"), [{ name: "only", colour, value: (k) => game.burning[k] }], even(most), write);
    this.addChart($("explored"), [{ name: "only", colour: "#6b7076", value: (k) => game.explored[k] }], game.size ** 2, (v) => this.percent(v));
  }

  buildPlans() {
    $("plans").replaceChildren();
    $("plans").hidden = !this.game.planList.length;
    this.planHead = make("h2");
    this.planText = make("pre", { class: "plan", tabindex: "0" });
    $("plans").append(this.planHead, this.planText);
  }

  // Shows a plan that has just been given.
  plansChanged() {
    this.buildPlans();
    this.planShown = null;
    this.shown = null;
  }

  timeSteps() {}

  showPlan(t) {
    const { planList: plans } = this.game, k = this.game.planAt(t);
    if (k < 0 || k === this.planShown) return;
    this.planShown = k;
    this.planHead.replaceChildren("Plan", make("span", {}, `${k + 1} of ${plans.length}, from tick ${number(plans[k][0])}`));
    this.planText.textContent = plans[k][1];
  }

  buildLegend() {
    const { game, field } = this, { palette } = game, { shown } = field;
    const note = (picture, words) => $("legend").append(make("span", {}, picture, words));
    for (const { kind, name } of this.kinds) note(drawIcon((draw) => drawCrew(draw, palette, kind, 8, 8, 5.4)), name);
    if (game.live || !game.alive.every(Boolean)) note(drawIcon((draw) => drawFallen(draw, palette.edges[0], 8, 8, 4)), "lost");
    note(drawIcon((draw) => palette.trees.forEach((colour, k) => { draw.fillStyle = rgb(ground(colour)); draw.fillRect(1 + 10 * k, 2, 10, 12); }), 2), "1, 2, 3 trees");
    for (const [name, colour] of palette.swatches) {
      note(drawIcon((draw) => { draw.fillStyle = rgb(/catches|burns|smoulders/.test(name) ? colour : ground(colour)); draw.fillRect(1, 2, 14, 12); draw.strokeStyle = "#8d8f8b"; draw.strokeRect(1.5, 2.5, 13, 11); }), name);
    }
    if (game.building.some(Boolean)) note(drawIcon((draw) => { draw.fillStyle = rgb(ground(palette.house)); draw.fillRect(3, 3, 10, 10); }), "building");
    if (game.civilians) note(drawIcon((draw) => ["civilian", "safe"].forEach((state, k) => drawCivilian(draw, palette, state, 8 + 16 * k, 7, 5)), 2), "civilian; civilian in safety");
    const layer = (name, words) => this.offer(words, [], shown[name], (on) => { shown[name] = on; });
    layer("team", "only what the team has seen");
    layer("fog", "fade unexplored cells");
    if (game.units <= MOST_WAYS) layer("ways", "paths of units");
    if (game.civilians) layer("civilians", "civilians");
    layer("task", "marks of the task");
  }

  tell(t) {
    const { field } = this, tip = $("tip"), i = field.marked;
    tip.hidden = i < 0;
    if (i < 0) return;
    const key = `${i} ${t} ${this.game.tick[t]}`;
    if (this.told !== key) {
      this.told = key;
      tip.className = "tinted";
      tip.style.setProperty("--tint", rgb(this.game.palette.edges[this.game.kind[i]]));
      tip.replaceChildren(...this.describe(i, t));
      this.tipSize = [tip.offsetWidth, tip.offsetHeight];
    }
    this.placeTip(i, field.radius + 12);
  }

  unitName(i) { return `${this.game.palette.crewNames[this.game.kind[i]]} ${number(i)}`; }

  describe(i, t) {
    const { game, field } = this, { units: N } = game, frame = game.at(t), where = (cells) => `(${cells[0][i] - 1}, ${cells[1][i] - 1})`;
    const mark = (field.marks || []).find(({ units }) => units.includes(i)), others = mark ? mark.units.length - 1 : 0;
    const head = make("div", {}, make("b", {}, this.unitName(i)), others ? ` and ${others} more here` : "");
    if (!frame.alive[i]) {
      let fell = t;
      while (fell > 0 && !game.at(fell - 1).alive[i]) fell--;
      return [head, make("div", {}, `lost at tick ${number(game.tick[fell])}`)];
    }
    const facts = make("dl"), say = (name, ...words) => facts.append(make("dt", {}, name), make("dd", {}, ...words));
    const cell = [0, 1].map((axis) => Math.floor(frame.position[2 * i + axis] * game.size / 65536));
    say("at", `(${cell.join(", ")})`);
    if (game.kind[i] === 0 || game.kind[i] === 3) say("water", `${frame.water[i]} of 5`);
    let carried = 0, lifted = 0;
    for (let v = 0; v < game.civilians; v++) carried += frame.bearer[v] === i + 1;
    for (let k = 0; k < N; k++) lifted += frame.aboard[k] === i + 1;
    if (carried) say("carries", carried === 1 ? "a civilian" : `${carried} civilians`);
    if (lifted) say("aboard", `${lifted} firefighter${lifted > 1 ? "s" : ""}`);
    say("orders", frame.tree[i] ? `${game.behaviours[frame.tree[i] - 1]} ${where(frame.target)}` : "none yet; the unit stands still");
    if (game.tick[t] > 0) {
      const doing = frame.code[i] && game.doings[game.kind[i]][frame.code[i] - 1];
      say("did", !doing ? "nothing" : / (to|towards)$/.test(doing) ? `${doing} ${where(frame.place)}` : doing);
    }
    return [head, facts];
  }
}
