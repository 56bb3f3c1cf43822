// Puts the page together when the server greets it, and again after a lost connection.

class Tabs {
  constructor(changed) {
    this.changed = changed;
    this.buttons = [...document.querySelectorAll('[role="tab"]')];
    for (const [k, button] of this.buttons.entries()) {
      button.addEventListener("click", () => this.open(button.id.slice("show-".length)));
      button.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const next = this.buttons[(k + by + this.buttons.length) % this.buttons.length];
        next.focus();
        next.click();
      });
    }
  }

  open(name) {
    for (const button of this.buttons) {
      const on = button.id === `show-${name}`;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      $(button.getAttribute("aria-controls")).hidden = !on;
    }
    this.changed();
  }
}

class LivePage {
  constructor() {
    this.token = new URLSearchParams(location.search).get("token") || "";
    this.tabs = new Tabs(() => { if (this.screen) { this.screen.refresh(); this.editor.drawDraft(); } });
    this.wire();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.link = new Link(`${scheme}://${location.host}/live?token=${encodeURIComponent(this.token)}`, {
      hear: (words) => this.hear(words), see: (data) => this.see(data), changed: (state, why) => this.linkChanged(state, why) });
  }

  linkChanged(state, why) {
    document.body.classList.toggle("lost", state !== "open");
    $("problem").hidden = state === "open";
    if (state === "lost") $("problem").textContent = "The connection to the server is lost. This page tries to connect again; the server has kept the game and the conversation.";
    if (state === "refused") $("problem").textContent = `The server refuses this page: ${why || "no reason was given"}.`;
  }

  async see(data) {
    if (!this.game) return;
    const frame = await this.game.decode(data, this.columns);
    this.columns = frame.columns;
    this.game.add(frame);
    this.game.newest = frame.tick;
    if (this.screen) this.screen.frameCame();
    else if (this.game.frames) this.open();
  }

  async hear(words) {
    if (words.is === "hello") return this.greet(words);
    if (!this.game) return;
    const { game, screen } = this;
    if (words.is === "line") game.branch(words);
    if (words.is === "plan") game.addPlan(words);
    if (words.is === "status") { game.note(words); this.status = words; }
    if (!screen) { this.early.push(words); return; }
    if (words.is === "line") screen.lineCame();
    if (words.is === "plan") $("brief-card").open = false; // read by now; the talk needs the room
    if (words.is === "plan") { screen.planCame(); this.editor.came(words.text); }
    if (words.is === "status") { screen.statusCame(words); this.editor.tell(); this.chat.busy(Boolean(words.asking)); $("get-plan").hidden = !words.plan; $("get-replay").hidden = !words.tick; }
    if (words.is === "marked") this.markers.came(words.markers);
    if (words.is === "command") this.setRole(words.role, words.free);
    if (["saving", "saved"].includes(words.is) || (words.is === "refused" && this.saveId && words.id === this.saveId)) this.saved(words);
    else if (words.is === "refused" && !words.awaited) this.say(withHelp(words.why));
    this.chat.hear(words);
  }

  // Begins with what the server says of the game; the rest follows with the first frame.
  async greet(hello) {
    if (this.screen) return location.reload(); // the game went on meanwhile: all is read again, and drafts are kept
    this.hello = hello;
    this.columns = null;
    this.early = [];
    if (hello.terrain) {
      $("terrain").src = hello.terrain;
      await $("terrain").decode();
    }
    this.game = await LiveWorld.open(hello);
    for (const words of hello.log) {
      if (words.is === "plan") this.game.addPlan(words);
      if (words.is === "line") this.game.branch(words);
    }
    for (const point of hello.curves) this.game.addPoint(...point);
    for (const row of hello.progress) this.game.noteSteps(...row);
    this.status = hello.status;
    $("title").textContent = hello.meta.title;
    $("brief").replaceChildren(...(hello.meta.briefing || "").split(/\n\s*\n/).map((part) => make("p", {}, part)));
    $("brief-card").hidden = !hello.meta.briefing;
  }

  open() {
    const { game, hello, link } = this, screen = this.screen = LiveWorld.screen(game, link);
    screen.tabs = this.tabs;
    screen.editor = this.editor = new Editor(screen, link);
    screen.markers = this.markers = new Markers(screen, link);
    this.chat = new Chat(screen, link, hello);
    for (const node of document.querySelectorAll("[data-markers]")) node.hidden = !hello.terrain; // wildfire levels take none
    this.setRole(hello.role, false);
    document.body.classList.remove("loading");
    $("brief-card").open = !game.plan;
    this.editor.begin(hello.draft);
    if (game.plan) { screen.planCame(); this.editor.came(game.plan.text); } else this.editor.tell();
    game.note(this.status);
    screen.statusCame(this.status);
    this.tabs.open("command");
    for (const words of this.early) this.hear(words);
    window.live = this;
  }

  setRole(role, free) {
    const viewing = role !== "commander";
    document.body.classList.toggle("viewing", viewing);
    $("role").hidden = !viewing;
    $("role-words").textContent = free ? "No tab has the command of this game." : "Another tab has the command of this game; this tab only watches.";
    for (const node of document.querySelectorAll("[data-commands]")) node.disabled = viewing;
    this.showSave();
    this.screen.allow();
    this.editor.tell();
  }

  // What the server says while it records a run: the button shows how far it is, and stays off until the end.
  saved({ is, id, path, doing, done, total, why }) {
    this.saveId = is === "saving" ? id : null;
    this.saving = is === "saving" ? (done ? `Saving: ${Math.floor(100 * done / total)} %` : /^compiling/.test(doing) ? "Saving: compiling" : "Saving …") : "";
    this.showSave();
    if (is === "saving") {
      $("save").title = `${path}: ${doing || "begins"}`;
      if (!doing) this.say(`The run is being saved in ${path}. Its recording is made in the background; the game here goes on.`);
    } else {
      $("save").title = "Record the game so far in a folder on the server's machine";
      this.say(is === "saved" ? `Saved in ${path}` : withHelp(why));
    }
  }

  showSave() {
    $("save").textContent = this.saving || "Save run";
    $("save").disabled = Boolean(this.saving) || document.body.classList.contains("viewing");
  }

  say(text) {
    $("toast").textContent = text;
    $("toast").hidden = false;
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => { $("toast").hidden = true; }, 6000);
  }

  wire() {
    const to = (path) => `${path}?token=${encodeURIComponent(this.token)}`;
    $("get-plan").href = to("/plan.plan");
    $("get-replay").href = to("/replay.html");
    $("take").addEventListener("click", () => this.link.send("command"));
    $("again").addEventListener("click", () => { if (!this.status.tick || confirm("Restart the game at tick 0, without a plan? The conversation is kept.")) this.link.send("again"); });
    $("save").addEventListener("click", async () => {
      try {
        const told = await this.link.ask("save");
        if (told.is === "refused") this.say(withHelp(told.why));
      } catch (error) {
        this.say(error.message);
      }
    });
    const phone = matchMedia("(max-width: 900px)"), place = () => { // what lies over the map, or far below, has its own place on a phone
      if (phone.matches) document.body.append($("say-form")); else $("speaking").append($("say-form"));
      if (phone.matches) $("tools").append($("markers"), $("zoom")); else $("past").before($("zoom"), $("markers"));
    };
    place();
    phone.addEventListener("change", place);
    $("help").addEventListener("click", () => $("keys").showModal());
    $("keys").addEventListener("click", (event) => { if (event.target === $("keys")) $("keys").close(); });
  }
}

new LivePage();
