// The page of a game that a team plays: its frames as they come, the clock of the server, and a form for the person's turn.

const PACES = [0.5, 1, 2, 3, 5, 10, 30, 1000]; // ticks a second; the last is as fast as the players can
const BUTTONS = 12; // offers of a field that are buttons; the others are in a list
const FOLDED = ["Task", "Actions", "Proposals", "Tools", "Who you are", "How a model is asked"]; // sections that hardly change, or that the form stands for

// A game whose frames arrive one after the other.
class TeamGame {
  constructor({ meta, rows }) {
    Object.assign(this, meta, { rows, tick: [], list: [], lines: [], sprites: {}, back: meta.back.map((row) => rows[row]), limitWords: meta.limit });
  }

  get frames() { return this.list.length; }
  get ticks() { return this.tick; }
  get first() { return this.tick[0]; }
  get last() { return this.tick.at(-1); }
  get scale() { return [this.first, this.last]; }
  at(t) { return this.list[t]; }

  async take({ sprites, frames, lines, from = 0 }) {
    await Promise.all(Object.entries(sprites).map(async ([name, address]) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      this.sprites[name] = [0, 0, image.naturalWidth, image.naturalHeight, image];
    }));
    for (const { t, tick, items, panels, places } of frames) {
      const shown = items.map((row) => this.rows[row]);
      this.tick.length = this.list.length = t;
      this.tick.push(tick);
      this.list.push({ items: shown, tips: shown.filter(([kind]) => kind === "tip"), panels: panels.map((row) => this.rows[row]), places: places.flat() });
    }
    this.lines.splice(from, Infinity, ...lines);
  }
}

class LiveScene extends SceneScreen {
  constructor(game, link, status) {
    super(game);
    Object.assign(this, { link, following: true, now: game.last, charts: [] });
    for (const pace of PACES) $("speed").append(make("option", { value: pace }, pace === PACES.at(-1) ? "fastest" : `${pace} / s`));
    this.wireControls();
    this.statusCame(status);
    this.wire();
    this.beat = (time) => this.run(time);
    requestAnimationFrame(this.beat);
  }

  frameCame(from) {
    this.fillTalk(from);
    this.shown = null;
    this.redraw();
  }

  statusCame(status) {
    this.status = status;
    const { over, running, failure, score, tick, limit } = status;
    document.body.classList.toggle("playing", running);
    $("play").setAttribute("aria-label", running ? "Pause" : "Run");
    $("speed").value = String(PACES.find((pace) => pace >= status.pace) || PACES.at(-1));
    const words = over ? "over" : failure ? "stopped" : running ? "running" : "paused";
    $("outcome").replaceChildren(make("b", {}, words), ` · score ${number(score)} · ${this.game.limitWords}`);
    $("outcome").dataset.state = running ? "running" : "paused";
    document.title = `${words}, ${this.game.beat} ${number(tick)} – ${this.game.title} – HIVE`;
    if (failure) tellProblem(withHelp(failure));
    this.most = over ? this.game.last : Math.max(limit, this.game.last);
    this.allow();
  }

  // What cannot be done now is switched off.
  allow() {
    const still = document.body.classList.contains("viewing"), { over, failure } = this.status;
    for (const node of document.querySelectorAll("[data-commands]")) node.disabled = still;
    if (over || failure) $("play").disabled = true;
  }

  run(time) {
    const { game } = this, passed = this.before === undefined ? 0 : Math.min(time - this.before, 250) / 1000;
    this.before = time;
    if (this.following && this.now < game.last) {
      this.now = Math.min(this.now + passed * Math.max(this.status.pace, 2, 4 * (game.last - this.now - 1)), game.last);
      this.show();
    }
    requestAnimationFrame(this.beat);
  }

  get playing() { return this.following && this.now < this.game.last; }

  seek(tick) {
    const { game } = this;
    this.now = Math.min(Math.max(tick, game.first), game.last);
    this.following = this.now === game.last;
    this.show();
  }

  pick(tick) { this.seek(tick); }

  skip(frames) {
    const { game } = this, t = this.frame + frames;
    if (frames > 0 && this.following && !this.status.running && !$("play").disabled) this.link.send("step", { ticks: frames });
    else this.seek(game.tick[Math.min(Math.max(t, 0), game.frames - 1)]);
  }

  toggle() { if (!$("play").disabled) this.link.send(this.status.running ? "pause" : "run"); }

  showClock() {
    const scrub = $("scrub");
    [scrub.min, scrub.max] = [this.game.first, this.most];
    scrub.value = this.now;
    scrub.style.setProperty("--played", `${100 * (this.game.last - this.game.first) / Math.max(this.most - this.game.first, 1)}%`);
  }

  showTick(t) {
    const { game } = this;
    $("scrub").setAttribute("aria-valuetext", `${game.beat} ${game.tick[t]}; the game is at ${game.last} of at most ${this.most}`);
    $("tick").replaceChildren(`${game.beat} `, make("b", {}, number(game.tick[t])), ` of ${number(this.most)}`);
  }

  wireControls() {
    const press = { play: () => this.toggle(), back: () => this.skip(-1), forth: () => this.skip(1) };
    for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", act);
    $("scrub").addEventListener("input", () => { this.seek(Number($("scrub").value)); $("scrub").value = this.now; });
    $("speed").addEventListener("change", () => this.setPace(Number($("speed").value)));
  }

  setPace(pace) { this.link.send("speed", { ticks_per_second: pace }); }

  keys(event) {
    const many = event.shiftKey ? 10 : 1;
    const faster = (by) => this.setPace(PACES[Math.min(Math.max(PACES.findIndex((pace) => pace >= this.status.pace) + by, 0), PACES.length - 1)]);
    return { ...super.keys(event), " ": () => this.toggle(), ArrowLeft: () => this.skip(-many), ArrowRight: () => this.skip(many),
      ArrowUp: () => faster(1), ArrowDown: () => faster(-1), Home: () => this.seek(this.game.first), End: () => this.seek(this.game.last) };
  }
}

// The person's seat: what the agent is told, and a form for its answer.
class Seat {
  constructor(name, link) {
    Object.assign(this, { name, link, read: new Map(), values: {} });
    $("seat").hidden = !name;
    $("answer-form").addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
  }

  ask(question, { over, tick }) {
    this.question = question;
    $("answer-form").hidden = !question;
    $("seat").classList.toggle("mine", Boolean(question));
    $("turn").textContent = question ? `Your turn, ${this.name}` : over ? `${this.name}'s game is over` : `${this.name} waits for the others`;
    if (!question) return;
    this.values = {};
    $("answer-problem").hidden = true;
    this.showView(question.messages, tick);
    this.showForm(question.form);
  }

  // Shows the sections of the prompt; those that the person has read as they are now, and how a model is asked, are folded.
  showView(messages, tick) {
    const system = messages.filter(({ role }) => role === "system").map(({ text }) => ["Who you are", text]);
    const [before, ...rest] = messages.at(-1).text.split(/^# +(.+)$/m), parts = before.trim() ? [["", before]] : [];
    for (let k = 0; k < rest.length; k += 2) parts.push([rest[k], rest[k + 1]]);
    const shown = parts.filter(([title]) => title !== "Answer"), asked = parts.filter(([title]) => title === "Answer").map(([, text]) => ["How a model is asked", text]);
    $("view").replaceChildren(...[...shown, ...system, ...asked].map(([title, text]) => {
      const body = make("p", { class: "told" }, text.trim());
      if (!title) return body;
      const known = this.read.get(title), old = known && known.text === text;
      const fresh = !(old && known.tick < tick) && !FOLDED.includes(title);
      if (!old) this.read.set(title, { text, tick });
      return make("details", fresh ? { open: "" } : {}, make("summary", {}, title), body);
    }));
    $("view").scrollTop = 0;
  }

  showForm(form) {
    const near = form.filter(({ aside }) => !aside), far = form.filter(({ aside }) => aside);
    $("fields").replaceChildren(...near.map((field) => this.field(field)));
    if (far.length) $("fields").append(make("details", {}, make("summary", {}, "More"), ...far.map((field) => this.field(field))));
    $("send").hidden = form.every(({ written, offers }) => !written && offers.every(({ does }) => does === "send"));
    const first = $("fields").querySelector("textarea");
    if (first && !document.activeElement.matches("select, input")) first.focus({ preventScroll: true });
  }

  field({ name, words, written, offers }) {
    const box = make("div", { class: "field" }), put = (text) => { this.values[name] = text; };
    const text = written ? make("textarea", { rows: 1, "aria-label": words, "data-commands": "", maxlength: 4000 }) : null;
    box.append(make("p", { class: "soft" }, words));
    if (text) {
      text.addEventListener("input", () => put(text.value));
      text.addEventListener("keydown", (event) => {
        if (event.key === "Escape") text.blur();
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.send();
      });
    }
    const press = (offer, button) => {
      if (offer.does === "add" && text.value.trim()) put(`${text.value.trim().replace(/;$/, "")}; ${offer.text}`);
      else put(offer.text);
      if (text) text.value = this.values[name];
      if (offer.does === "send") return this.send();
      for (const other of box.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", String(other === button));
      if (text) { text.focus(); text.setSelectionRange(text.value.length, text.value.length); }
    };
    if (text) box.append(text);
    const buttons = offers.slice(0, BUTTONS).map((offer) => {
      const button = make("button", { type: "button", class: "word offer", "data-commands": "", ...(written ? {} : { "aria-pressed": "false" }) }, offer.words || offer.text);
      button.addEventListener("click", () => press(offer, button));
      return button;
    });
    if (buttons.length) box.append(make("div", { class: "offers" }, ...buttons));
    if (offers.length > BUTTONS) {
      const more = make("select", { "aria-label": `${words}: more`, "data-commands": "" }, make("option", { value: "" }, `${offers.length - BUTTONS} more …`),
        ...offers.slice(BUTTONS).map((offer, k) => make("option", { value: k + BUTTONS }, offer.words || offer.text)));
      more.addEventListener("change", () => { if (more.value) press(offers[more.value]); more.value = ""; });
      box.querySelector(".offers").append(more);
    }
    return box;
  }

  async send() {
    if (!this.question || this.sending) return;
    this.sending = true;
    try {
      const told = await this.link.ask("answer", { number: this.question.number, fields: this.values });
      $("answer-problem").hidden = told.is !== "refused";
      if (told.is === "refused") $("answer-problem").textContent = withHelp(told.why);
    } catch (error) {
      console.info(error.message); // the connection was lost; the page says so
    }
    this.sending = false;
  }
}

const tellProblem = (words) => {
  $("problem").textContent = words;
  $("problem").hidden = !words;
};

class TeamPage {
  constructor() {
    this.token = new URLSearchParams(location.search).get("token") || "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.link = new Link(`${scheme}://${location.host}/live?token=${encodeURIComponent(this.token)}`, {
      hear: (words) => this.hear(words), see: () => {}, changed: (state, why) => this.linkChanged(state, why) });
    $("get-replay").href = `/replay.html?token=${encodeURIComponent(this.token)}`;
    $("take").addEventListener("click", () => this.link.send("command"));
  }

  linkChanged(state, why) {
    document.body.classList.toggle("lost", state !== "open");
    if (state === "open") tellProblem("");
    if (state === "lost") tellProblem("The connection to the server is lost. This page tries to connect again; the server has kept the game.");
    if (state === "refused") tellProblem(`The server refuses this page: ${why || "no reason was given"}.`);
  }

  async hear(words) {
    if (words.is === "hello") return this.greet(words);
    const { game, screen, seat } = this;
    if (!screen) return;
    if (words.is === "frames") {
      game.rows.push(...words.rows);
      await game.take(words);
      screen.statusCame(words.status);
      screen.frameCame(words.from);
    }
    if (words.is === "status") screen.statusCame(words);
    if (words.is === "question") { seat.ask(words.question, screen.status); screen.allow(); }
    if (words.is === "results") this.tellEnd(words);
    if (words.is === "command") this.setRole(words.role, words.free);
    if (words.is === "refused" && !words.awaited) tellProblem(withHelp(words.why));
  }

  async greet(hello) {
    if (this.screen) return location.reload(); // the game went on meanwhile
    this.game = new TeamGame(hello);
    await this.game.take(hello);
    $("title").textContent = hello.title;
    $("title").title = hello.about;
    this.screen = window.live = new LiveScene(this.game, this.link, hello.status);
    this.seat = new Seat(hello.seat, this.link);
    this.setRole(hello.role, false);
    this.seat.ask(hello.question, hello.status);
    this.screen.allow();
    if (hello.results) this.tellEnd(hello.results);
    document.body.classList.remove("loading");
  }

  setRole(role, free) {
    const viewing = role !== "commander";
    document.body.classList.toggle("viewing", viewing);
    $("role").hidden = !viewing;
    $("role-words").textContent = free ? "No tab has the command of this game." : "Another tab has the command of this game; this one only watches.";
    this.screen.allow();
  }

  tellEnd({ table, place }) {
    $("summary").hidden = false;
    $("results").textContent = table;
    $("place-kept").textContent = place;
    this.seat.ask(null, { ...this.screen.status, over: true });
  }
}

window.page = new TeamPage();
