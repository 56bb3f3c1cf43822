// The clock of a running game on top of a screen: frames glide in, the past can be looked at, a branch begins from it.

const REFRESH = 500; // milliseconds between two drawings of curves and times of steps while the game runs
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 1000]; // ticks a second; the last is as fast as the engine can

const withLive = (Base) => class extends Base {
  constructor(game, link) {
    super(game);
    this.link = link;
    this.following = true; // whether the newest tick is shown
    this.wanted = null; // an earlier tick that is asked for
    this.status = { running: false, outcome: "running", asked_speed: 20, speed: 0 };
    this.now = game.last;
    this.free = 0;
    this.wireControls();
    this.wire();
    this.beat = (time) => this.run(time);
    requestAnimationFrame(this.beat);
    setInterval(() => {
      if (this.stale) this.refresh();
      if (this.status.preparing) this.tellState(); // its seconds
    }, REFRESH);
  }

  // --- what the server says ---

  frameCame() {
    this.undrawn = true;
    this.stale = true;
  }

  statusCame(status) {
    const ran = this.status.running;
    this.status = status;
    document.body.classList.toggle("playing", status.running);
    $("play").setAttribute("aria-label", status.running ? "Pause" : "Run");
    $("speed").value = String(SPEEDS.find((speed) => speed >= status.asked_speed) || SPEEDS.at(-1));
    this.signed = null;
    this.shown = null;
    this.stale = true;
    this.since = performance.now();
    this.tellState();
    this.allow();
    this.tellEnd();
    if (ran && !status.running) this.refresh();
  }

  planCame() {
    this.plansChanged();
    this.allow();
    this.redraw();
  }

  lineCame() {
    this.following = true;
    this.wanted = null;
    this.now = this.game.frames ? Math.min(this.now, this.game.last) : 0;
    this.planCame();
    this.refresh();
  }

  writeHeader() {}

  tellState() {
    const { outcome, running, asking, preparing, tick, speed } = this.status;
    const words = outcome !== "running" ? outcome.replace(/_/g, " ") : preparing ? this.compilingWords(preparing)
      : running ? `running${speed ? ` at ${speed < 10 ? speed.toFixed(1) : Math.round(speed)} ticks/s` : ""}` : asking ? "waiting for the commander" : "paused";
    $("outcome").replaceChildren(make("b", {}, words), ` · ${number(this.game.units)} units`);
    $("outcome").dataset.state = outcome === "running" ? (running ? "running" : "paused") : outcome;
    document.title = `${words}, tick ${number(tick)} – ${this.game.title} – HIVE`;
  }

  compilingWords({ words, seconds }) {
    const passed = Math.round(seconds + (performance.now() - this.since) / 1000);
    return `compiling${words ? ` (${words})` : ""}: ${passed} s${this.status.running ? ", then it runs" : ""}`;
  }

  get over() { return this.status.outcome !== "running"; }
  get ready() { return !this.over && Boolean(this.game.plan); } // for the clock to run

  // What cannot be done now is switched off, and its title says why.
  allow() {
    const viewing = document.body.classList.contains("viewing");
    const why = this.over ? "The game has ended: restart it, or branch from an earlier tick" : "There is no plan yet: give an order, or follow a plan";
    for (const [id, title] of [["play", "Run or pause (space)"], ["until", "Run to the next event, then pause"]]) {
      $(id).disabled = viewing || !this.ready;
      $(id).title = this.ready ? title : why;
    }
    $("forth").disabled = this.following && (viewing || !this.ready || this.status.running);
  }

  tellEnd() {
    const { end, outcome, tick } = this.status, shown = $("summary").hidden ? "" : $("end-why").textContent;
    $("summary").hidden = !end;
    if (!end || shown === end.why) return;
    const names = { win: "You won", lose: "You lost", plan_finished: "The plan is finished", timeout: "Time is up" };
    $("summary").dataset.state = outcome;
    $("end-words").replaceChildren(names[outcome] || outcome, make("small", {}, ` at tick ${number(tick)}`));
    $("end-why").textContent = sentence(end.why);
    $("end-advice").textContent = sentence(end.advice);
  }

  // --- the clock ---

  run(time) {
    const { game } = this, passed = this.before === undefined ? 0 : Math.min(time - this.before, 250) / 1000;
    this.before = time;
    const moving = this.following && this.now < game.last;
    if (moving) {
      const rate = Math.max(this.status.speed || this.status.asked_speed, 10, 6 * (game.last - this.now));
      this.now = Math.min(this.now + passed * rate, game.last);
    }
    if (this.undrawn || (moving && time >= this.free)) {
      const began = performance.now();
      this.show();
      this.free = time + 2 * (performance.now() - began); // a slow browser glides less, and leaves time for the rest
      if (this.undrawn) this.link.send("seen", { tick: game.newest });
      this.undrawn = false;
    }
    requestAnimationFrame(this.beat);
  }

  get playing() { return this.status.running && this.following; }

  seek(tick) {
    const { game } = this, to = Math.min(Math.max(tick, game.first), game.last);
    this.following = to === game.last;
    this.wanted = null;
    this.allow();
    if (!this.following && !game.tick.includes(to)) this.look(to);
    else this.stand(to);
  }

  stand(tick) {
    this.now = tick;
    this.shown = null;
    this.show();
  }

  // Shows an earlier tick that this tab has no frame of: the one that was wanted last is asked for, one at a time.
  async look(tick) {
    this.wanted = tick;
    if (this.looking) return;
    this.looking = true;
    while (this.wanted !== null) {
      const asked = this.wanted, line = this.game.line;
      try {
        const told = await this.link.ask("look", { tick: asked });
        if (told.is === "looked") await this.game.insert(told);
      } catch (error) {
        console.info(error.message); // the connection was lost; the page says so
        this.wanted = null;
      }
      if (this.wanted === null || line !== this.game.line) continue; // the present is shown again
      if (this.wanted === asked) this.wanted = null;
      this.stand(asked);
    }
    this.looking = false;
  }

  show() {
    const { game } = this, { plan } = game.list[this.frame];
    if (game.held !== plan) {
      game.held = plan;
      this.plansChanged();
      this.signed = null;
    }
    super.show();
  }

  // In the past a tick is shown as it was, without a glide to the next one that this tab has.
  shareOut() {
    const t = super.shareOut();
    if (!this.following) this.share = 0;
    return t;
  }

  pick(tick) { this.seek(Math.round(tick)); }

  toggle() {
    if (this.status.running) this.link.send("pause");
    else if (this.ready) this.order("run");
  }

  // Gives an order that is about the present, so the present is shown.
  order(action, fields) {
    this.seek(this.game.last);
    this.link.send(action, fields);
  }

  skip(ticks) {
    if (!this.following || ticks < 0) this.seek((this.wanted ?? Math.round(this.now)) + ticks);
    else if (!this.status.running && this.ready) this.order("step", { ticks });
  }

  setSpeed(speed) { this.link.send("speed", { ticks_per_second: speed }); }

  // --- what changes with it ---

  showClock() {
    const { game } = this, scrub = $("scrub");
    [scrub.min, scrub.max] = [game.first, Math.max(game.limit, game.last, game.first + 1)];
    scrub.value = this.wanted ?? this.now;
    scrub.style.setProperty("--played", `${100 * (game.last - game.first) / (scrub.max - scrub.min)}%`);
    $("past").hidden = this.following;
  }

  showTick(t) {
    const { game } = this, tick = game.tick[t];
    $("scrub").setAttribute("aria-valuetext", `tick ${tick}; the game is at tick ${game.last} of at most ${game.limit}`);
    $("tick").replaceChildren("tick ", make("b", {}, number(tick)), ` of ${number(game.limit)}`);
    $("past-tick").textContent = number(tick);
    $("past-now").textContent = number(game.last);
  }

  // Draws what need not follow every tick.
  refresh() {
    this.stale = false;
    this.drawCurves();
    this.timeSteps();
    this.moveCursors();
  }

  drawCurves() {
    if ($("curves").getBoundingClientRect().width) super.drawCurves();
    else this.charts = [];
  }

  // --- hands ---

  wireControls() {
    const scrub = $("scrub");
    scrub.addEventListener("input", () => {
      this.seek(Math.round(Number(scrub.value)));
      scrub.value = this.wanted ?? this.now; // no tick after the present can be shown
    });
    for (const speed of SPEEDS) $("speed").append(make("option", { value: speed }, speed === SPEEDS.at(-1) ? "fastest" : `${speed} ticks/s`));
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    $("until").addEventListener("change", () => {
      if ($("until").value) this.order("until", { event: $("until").value });
      $("until").value = "";
    });
    $("end-again").addEventListener("click", () => $("again").click());
    $("end-curves").addEventListener("click", () => this.tabs.open("progress"));
    const press = { play: () => this.toggle(), back: () => this.skip(-1), forth: () => this.skip(1), "to-now": () => this.seek(this.game.last),
      branch: () => this.link.send("branch", { tick: this.game.tick[this.frame] }) };
    for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", act);
  }

  keys(event) {
    const many = event.shiftKey ? 10 : 1;
    const faster = (by) => this.setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.findIndex((speed) => speed >= this.status.asked_speed) + by, 0), SPEEDS.length - 1)]);
    return { ...super.keys(event), " ": () => this.toggle(), ArrowLeft: () => this.skip(-many), ArrowRight: () => this.skip(many),
      ArrowUp: () => faster(1), ArrowDown: () => faster(-1), Home: () => this.seek(this.game.first), End: () => this.seek(this.game.last),
      n: () => { if (this.ready) this.order("until", { event: "step" }); }, "/": () => this.enter("command", "say"), e: () => this.enter("plan", "text"),
      a: () => this.markers.toggle("A"), b: () => this.markers.toggle("B"), c: () => this.markers.toggle("C"), d: () => this.markers.toggle("D") };
  }

  // Opens a tab of the panel and puts the cursor into its field.
  enter(tab, field) {
    this.tabs.open(tab);
    $(field).focus();
  }

  leave() {
    this.markers.close();
    super.leave();
  }

  grab(px, py) { return this.markers.grab(px, py); }
  tap(px, py) { if (!this.markers.tap(px, py)) super.tap(px, py); }
};
