// The talk with the commander, and what happened meanwhile: orders, replies as they stream in, plans, events.

const ROUTINE = ["step", "contact", "loss"];
const count = (list, word) => `${list.length} ${word}${list.length === 1 ? "" : "s"}`;

class Chat {
  constructor(screen, link, { commander, orders, log }) {
    this.screen = screen;
    this.link = link;
    this.list = $("log");
    this.replies = new Map(); // by the id of their order: entries that still stream
    $("commander").textContent = commander;
    this.suggest(orders, !log.length);
    const field = $("say");
    field.value = sessionStorage.getItem("say") || "";
    field.addEventListener("input", () => sessionStorage.setItem("say", field.value));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") field.blur();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.say();
    });
    $("say-form").addEventListener("submit", (event) => { event.preventDefault(); this.say(); });
    this.list.replaceChildren();
    this.loading = true;
    for (const words of log) this.hear(words);
    this.loading = false;
    this.list.scrollTop = this.list.scrollHeight;
    this.greet();
  }

  // Orders to begin with; a click puts one into the field, from which it is sent.
  suggest(orders, open) {
    $("orders").hidden = !orders.length;
    $("orders").open = open;
    $("orders").querySelector("ol").replaceChildren(...orders.map((text) => {
      const button = make("button", { type: "button", class: "link" }, text);
      button.addEventListener("click", () => {
        $("say").value = text;
        $("say").dispatchEvent(new Event("input"));
        $("say").focus();
      });
      return make("li", {}, button);
    }));
  }

  greet() { $("welcome").hidden = this.list.childElementCount > 0; }

  async say() {
    const field = $("say"), text = field.value.trim();
    if (!text || $("send").disabled) return;
    this.busy(true);
    this.screen.seek(this.screen.game.last);
    try {
      const told = await this.link.ask("say", { text });
      if (told.is === "refused") throw new Error(withHelp(told.why));
      $("orders").open = false;
      if (field.value.trim() === text) { // else the next order has been begun meanwhile
        field.value = "";
        sessionStorage.removeItem("say");
      }
    } catch (error) {
      this.note("failed", error.message);
    }
    this.busy(false);
  }

  busy(is) {
    $("send").disabled = is || document.body.classList.contains("viewing");
    $("thinking").hidden = !is;
  }

  // Takes a message of the server that belongs into the talk.
  hear(words) {
    if (words.is === "said") {
      for (const button of this.list.querySelectorAll("button.yes")) button.remove(); // it answered the last question
      this.add("said", words.tick, words.text);
      const entry = this.add("reply", null, "");
      entry.classList.add("streaming");
      this.replies.set(words.id, entry);
    } else if (words.is === "piece") this.stream(words);
    else if (words.is === "answer") this.answer(words);
    else if (words.is === "plan") this.plan(words);
    else if (words.is === "event") this.event(words);
    else if (words.is === "line") this.line(words);
  }

  // Events of every game (steps, contact, losses) are folded: those in a row are one entry, which names the last.
  event({ event, tick, text }) {
    if (!ROUTINE.includes(event)) return this.add(event === "end" ? "event end" : "event", tick, text);
    let fold = this.list.lastElementChild;
    if (!fold || !fold.classList.contains("routine")) {
      fold = make("li", { class: "routine" }, make("details", {}, make("summary"), make("ol")));
      this.list.append(fold);
    }
    const low = this.isLow(), row = make("li", { class: "event" }, make("div", { class: "text" }, text), this.when(tick));
    row.tick = tick;
    fold.querySelector("ol").append(row);
    this.sumUp(fold);
    this.greet();
    if (low) this.follow();
  }

  sumUp(fold) {
    const rows = fold.querySelectorAll("li"), last = rows[rows.length - 1];
    if (!last) return fold.remove();
    const text = last.querySelector(".text").textContent, words = rows.length === 1 ? text : `${count([...rows], "event")}, the last: ${text}`;
    fold.querySelector("summary").textContent = `${words} (tick ${number(last.tick)})`;
  }

  // The game continues from an earlier tick: events that came after it never happened, and later plans are not followed.
  line({ tick, again }) {
    for (const row of this.list.querySelectorAll(".event, .given")) {
      if (row.tick <= tick && !(again && row.classList.contains("given"))) continue;
      if (row.classList.contains("event")) row.remove();
      else if (!row.classList.contains("dropped")) {
        row.classList.add("dropped");
        row.querySelector("button.link").before("(dropped) ");
      }
    }
    for (const fold of this.list.querySelectorAll(".routine")) this.sumUp(fold);
    const last = this.list.lastElementChild;
    if (last && last.classList.contains("line")) last.remove(); // nothing was said or played since
    this.add("event line", tick, again ? "The game was restarted at tick 0." : `The game continues from tick ${number(tick)}; later ticks were dropped.`);
  }

  stream({ id, text }) {
    const entry = this.replies.get(id);
    if (!entry) return;
    const low = this.isLow();
    entry.querySelector(".text").textContent += text;
    if (low) this.follow();
  }

  answer({ id, kind, text, diagnostics }) {
    const entry = this.replies.get(id);
    this.replies.delete(id);
    if (!entry) return; // of a plan that was written here: the editor shows what is wrong with it
    const low = this.isLow();
    entry.classList.remove("streaming");
    const field = entry.querySelector(".text");
    if (kind === "failed") entry.classList.add("failed");
    this.fold(field, kind === "failed" ? withHelp(text) : text || field.textContent, kind);
    if (kind === "invalid_plan") {
      entry.append(make("p", { class: "warn" }, `The plan in this reply is not followed: it has ${count(diagnostics, "mistake")}.`));
    }
    if (kind === "no_plan" && text.includes("`yes`")) entry.append(this.yes());
    if (kind === "cut_off") entry.append(make("p", { class: "warn" }, "The reply was cut off by its limit of tokens."));
    if (low) this.follow();
  }

  // A question that `yes` answers.
  yes() {
    const button = make("button", { type: "button", class: "yes" }, "Yes");
    button.addEventListener("click", () => { $("say").value = "yes"; this.say(); });
    return button;
  }

  // Shows a reply; a plan in it is folded up, since it has an entry of its own.
  fold(field, text, kind) {
    const from = text.indexOf("BEGIN PLAN"), to = text.indexOf("END PLAN");
    if (from < 0) { field.textContent = text; return; }
    const end = to < 0 ? text.length : to + "END PLAN".length;
    const before = text.slice(0, from).trim(), after = text.slice(end).trim();
    field.replaceChildren(...(before ? [make("p", {}, before)] : []),
      make("details", kind === "plan" ? {} : { open: "" }, make("summary", {}, "the plan as the commander wrote it"), make("pre", { class: "plan", tabindex: "0" }, text.slice(from, end))),
      ...(after ? [make("p", {}, after)] : []));
  }

  plan({ number: place, tick, text, steps, groups }) {
    const own = steps.filter(({ side }) => side === 0), led = groups.filter(({ step }) => steps[step].side === 0);
    const entry = this.add("given", tick, `Plan ${place} is followed from here: ${count(own, "step")}, ${count(led, "group")}.`);
    const open = make("button", { type: "button", class: "link" }, "open in the editor");
    open.addEventListener("click", () => this.screen.editor.show(text));
    entry.querySelector(".text").append(" ", open);
  }

  note(kind, text) { return this.add(kind, null, text); }

  add(kind, tick, text) {
    const low = this.isLow(), names = { said: "You", reply: "Commander" }, [first] = kind.split(" ");
    const when = tick === null ? null : this.when(tick);
    const entry = make("li", { class: kind }, ...(names[first] ? [make("b", { class: "who" }, names[first])] : []), ...(when ? [when] : []), make("div", { class: "text" }, text));
    entry.tick = tick;
    this.list.append(entry);
    this.greet();
    if (low) this.follow();
    return entry;
  }

  when(tick) {
    const button = make("button", { type: "button", class: "when", title: `Look at tick ${tick}` }, number(tick));
    button.addEventListener("click", () => this.screen.seek(tick));
    return button;
  }

  isLow() { return this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 60; }

  follow() {
    if (!this.loading) this.list.scrollTop = this.list.scrollHeight;
  }
}
