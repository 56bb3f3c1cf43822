// The page around a wildfire's map: crews and losses, curves, the plan, legend, and what a unit says of itself.

class FirePage extends Player {
  constructor(game) {
    super(game, new FireField(game), 5);
    this.writeHeader();
    this.buildStrength();
    this.buildPlans();
    this.buildLegend();
    this.wire();
  }

  show() {
    const { game, field } = this, t = this.frame, next = Math.min(t + 1, game.frames - 1), gap = game.tick[next] - game.tick[t];
    this.share = gap ? (this.now - game.tick[t]) / gap : 0;
    if (t !== this.shown || this.signed === null) {
      field.drawGround(t);
      field.drawSigns(t);
      this.signed = true;
    }
    field.place(t, this.share);
    field.group(t);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t);
    const part = game.last > game.first ? (this.now - game.first) / (game.last - game.first) : 0;
    $("scrub").value = this.now;
    this.moveCursors(part);
    if (t === this.shown) return;
    this.shown = t;
    $("scrub").setAttribute("aria-valuetext", `tick ${game.tick[t]} of ${game.last}`);
    $("tick").innerHTML = `tick <b>${number(game.tick[t])}</b> of ${number(game.last)}`;
    this.showStrength(t);
    this.showPlan(t);
    $("units").setAttribute("aria-label", `Units at tick ${game.tick[t]}: ` + this.kinds.map(({ kind, name }) => `${game.count(t, kind)} ${name}`).join(", "));
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
      $("strength").append(make("div", { class: "side", id: `count-${each.name}`, style: `--side:${rgb(palette.crews[each.kind])}` },
        make("span", { class: "name", style: "color:var(--side)" }, each.name), make("span", {}, each.count, make("span", { class: "of" }, ` of ${number(each.whole)}`)),
        make("div", { class: "bar" }, each.bar)));
    }
    this.lost = make("div", { class: "side kinds", id: "losses", style: "grid-column:1/-1;display:block" });
    $("strength").append(this.lost);
  }

  showStrength(t) {
    const { game } = this, { lossNames, losses, civilians } = game;
    for (const { kind, whole, count, bar } of this.kinds) {
      const living = game.count(t, kind);
      count.textContent = number(living);
      bar.style.width = `${100 * living / whole}%`;
    }
    const lost = lossNames.map((name, k) => [name, losses[t * lossNames.length + k]]).filter(([, count]) => count).map(([name, count]) => `${number(count)} ${name}`);
    const states = Array.from({ length: civilians }, (_, v) => game.civilianState(t, v)), named = { carried: "carried", safe: "brought to safety" };
    const people = Object.entries(named).map(([state, words]) => [states.filter((is) => is === state).length, words]).filter(([count]) => count);
    this.lost.textContent = `lost: ${lost.join(", ") || "nothing"}` + (civilians ? `; of ${civilians} civilians: ${people.map(([count, words]) => `${count} ${words}`).join(", ") || "none carried or in safety"}` : "");
    $("score").querySelector("b").textContent = this.scoreText(game.score[t]);
    $("burning").querySelector("b").textContent = number(game.burning[t]);
    $("explored").querySelector("b").textContent = this.percent(game.explored[t]);
  }

  percent(cells) { return `${Math.round(100 * cells / this.game.size ** 2)} %`; }

  drawCurves() {
    const { game } = this, least = Math.min(...game.score), even = (v) => Math.max(2, Math.ceil(v / 2) * 2);
    $("score").querySelector("span").textContent = game.countsLosses ? "Score: losses, counted negative" : "Score";
    const write = (v) => number(Math.round(v)).replace("-", "−");
    const [low, top] = game.countsLosses ? [-even(-least), 0] : [0, Math.max(game.best, 1)];
    this.charts = [this.drawChart($("score"), [{ name: "only", value: (t) => game.score[t] }], top, write, low)];
    const most = Math.max(...game.burning);
    $("burning").hidden = !most;
    const colour = rgb(game.palette.fire);
    if (most) this.charts.push(this.drawChart($("burning"), [{ name: "only", colour, value: (t) => game.burning[t] }], even(most), write));
    this.charts.push(this.drawChart($("explored"), [{ name: "only", colour: "#6b7076", value: (t) => game.explored[t] }], game.size ** 2, (v) => this.percent(v)));
  }

  buildPlans() {
    $("plans").hidden = !this.game.plans.length;
    this.planHead = make("h2");
    this.planText = make("pre", { class: "plan", tabindex: "0" });
    $("plans").append(this.planHead, this.planText);
  }

  showPlan(t) {
    const { plans } = this.game, k = this.game.planAt(t);
    if (k < 0 || k === this.planShown) return;
    this.planShown = k;
    this.planHead.replaceChildren("Plan", make("span", {}, `${k + 1} of ${plans.length}, from tick ${number(plans[k][0])}`));
    this.planText.textContent = plans[k][1];
  }

  buildLegend() {
    const { game, field } = this, { palette } = game, { shown } = field;
    const note = (picture, words) => $("legend").append(make("span", {}, picture, words));
    for (const { kind, name } of this.kinds) note(drawIcon((draw) => drawCrew(draw, palette, kind, 8, 8, 5.4)), name);
    if (!game.alive.every(Boolean)) note(drawIcon((draw) => drawFallen(draw, palette.edges[0], 8, 8, 4)), "lost");
    note(drawIcon((draw) => palette.trees.forEach((colour, k) => { draw.fillStyle = rgb(colour); draw.fillRect(1 + 10 * k, 2, 10, 12); }), 2), "1, 2, 3 trees");
    for (const [name, colour] of palette.swatches) {
      note(drawIcon((draw) => { draw.fillStyle = rgb(colour); draw.fillRect(1, 2, 14, 12); draw.strokeStyle = "#8d8f8b"; draw.strokeRect(1.5, 2.5, 13, 11); }), name);
    }
    if (game.building.some(Boolean)) note(drawIcon((draw) => { draw.fillStyle = rgb(palette.house); draw.fillRect(3, 3, 10, 10); }), "building");
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
    const key = `${i} ${t}`;
    if (this.told !== key) {
      this.told = key;
      tip.style.setProperty("--side", rgb(this.game.palette.edges[this.game.kind[i]]));
      tip.replaceChildren(...this.describe(i, t));
      this.tipSize = [tip.offsetWidth, tip.offsetHeight];
    }
    this.placeTip(i, field.radius + 12);
  }

  unitName(i) { return `${this.game.palette.crewNames[this.game.kind[i]]} ${number(i)}`; }

  describe(i, t) {
    const { game, field } = this, { units: N } = game, at = t * N + i, where = (cells) => `(${cells[0][at] - 1}, ${cells[1][at] - 1})`;
    const mark = (field.marks || []).find(({ units }) => units.includes(i)), others = mark ? mark.units.length - 1 : 0;
    const head = make("div", {}, make("b", {}, this.unitName(i)), others ? ` and ${others} more here` : "");
    if (!game.alive[at]) {
      let fell = t;
      while (fell > 0 && !game.alive[(fell - 1) * N + i]) fell--;
      return [head, make("div", {}, `lost at tick ${number(game.tick[fell])}`)];
    }
    const facts = make("dl"), say = (name, ...words) => facts.append(make("dt", {}, name), make("dd", {}, ...words));
    const cell = [0, 1].map((axis) => Math.floor(game.position[2 * at + axis] * game.size / 65536));
    say("at", `(${cell.join(", ")})`);
    if (game.kind[i] === 0 || game.kind[i] === 3) say("water", `${game.water[at]} of 5`);
    let carried = 0, lifted = 0;
    for (let v = 0; v < game.civilians; v++) carried += game.bearer[t * game.civilians + v] === i + 1;
    for (let k = 0; k < N; k++) lifted += game.aboard[t * N + k] === i + 1;
    if (carried) say("carries", carried === 1 ? "a civilian" : `${carried} civilians`);
    if (lifted) say("aboard", `${lifted} firefighter${lifted > 1 ? "s" : ""}`);
    say("orders", game.tree[at] ? `${game.behaviours[game.tree[at] - 1]} ${where(game.target)}` : "none yet; the unit stands still");
    if (t > 0) {
      const doing = game.code[at] && game.doings[game.kind[i]][game.code[at] - 1];
      say("did", !doing ? "nothing" : / (to|towards)$/.test(doing) ? `${doing} ${where(game.place)}` : doing);
    }
    return [head, facts];
  }
}

begin((meta, stored) => makeFire(meta, stored), (game) => new FirePage(game));
