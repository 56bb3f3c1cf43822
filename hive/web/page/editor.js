// The plan editor: the checker's colours under a plain field of text, its findings below, completion at the cursor,
// and on the map the targets and units of the step at the cursor.

const WAIT = 120; // milliseconds after a key before the text is checked

// Offsets of the server count characters, those of JavaScript count units of UTF-16: two for a rare character.
const isRare = (letter) => letter.length > 1;
function unitsOf(text) {
  const rare = [];
  [...text].forEach((letter, place) => { if (isRare(letter)) rare.push(place); });
  return (at) => at + rare.filter((place) => place < at).length;
}

class Editor {
  constructor(screen, link) {
    Object.assign(this, { screen, link, spans: [], steps: [], groups: [], hovered: null, choices: [], chosen: 0 });
    this.field = $("text");
    this.given = "";
    this.field.addEventListener("input", () => this.changed());
    for (const event of ["keyup", "click", "focus"]) this.field.addEventListener(event, () => this.moved());
    this.field.addEventListener("blur", () => this.close());
    this.field.addEventListener("scroll", () => this.align());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("mousemove", (event) => this.hover(event));
    this.field.addEventListener("mouseleave", () => this.point(null));
    $("give").addEventListener("click", () => this.give());
    $("revert").addEventListener("click", () => this.show(this.given || this.draft.text, true));
    $("findings").addEventListener("click", (event) => {
      const row = event.target.closest("button");
      if (row) this.select(Number(row.dataset.from), Number(row.dataset.to));
    });
    const kept = sessionStorage.getItem("plan");
    if (kept !== null) this.set(kept);
  }

  get isOpen() { return !$("tab-plan").hidden; }

  // A plan to begin with, until one is followed: the world's own or a template. A kept draft stays.
  begin(draft) {
    this.draft = draft;
    if (!this.field.value.trim()) this.set(draft.text);
  }

  get isDraft() { return !this.given && Boolean(this.draft) && this.field.value === this.draft.text; }

  // The plan that is followed now; it replaces the text unless that was changed by hand.
  came(text) {
    const untouched = this.field.value === this.given || this.isDraft || !this.field.value.trim();
    this.given = text;
    if (untouched) this.set(text);
    else this.tell();
  }

  show(text, here = false) {
    if (!here) this.screen.tabs.open("plan");
    this.set(text);
    this.field.focus();
  }

  set(text) {
    this.field.value = text;
    this.field.setSelectionRange(0, 0);
    this.field.scrollTop = 0;
    this.spans = [];
    this.changed();
  }

  changed() {
    const { value } = this.field;
    if (value === this.given || this.isDraft) sessionStorage.removeItem("plan");
    else sessionStorage.setItem("plan", value);
    this.shift(value);
    this.paint();
    this.tell();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(true), WAIT);
  }

  tell() {
    const { value } = this.field, same = value === this.given, faults = (this.diagnostics || []).filter(({ severity }) => severity === "error").length;
    const viewing = document.body.classList.contains("viewing");
    $("give").disabled = viewing || this.sending || !value.trim() || same || faults > 0;
    $("revert").disabled = this.given ? same : this.isDraft;
    const { status } = this.screen;
    $("give").textContent = status && status.tick ? `Follow this plan from tick ${number(status.tick)}` : "Follow this plan";
    $("verdict").textContent = this.sending ? "The plan is being prepared." : !value.trim() ? "Write a plan, or let the commander write one." : faults ? `${faults} mistake${faults > 1 ? "s" : ""}` : same ? "This plan is followed."
      : this.isDraft ? (this.draft.origin === "shipped" ? "This is the plan that is shipped with this game. Follow it, or change it first." : "This is a template: change it, then follow it.")
      : "No mistakes: the plan can be followed.";
    $("verdict").dataset.state = !value.trim() ? "empty" : faults ? "wrong" : "right";
  }

  // Colours of the text before the change stay until the answer comes: in front of it, and moved along behind it.
  shift(text) {
    const old = this.painted || "";
    let same = 0, most = Math.min(old.length, text.length);
    while (same < most && old[same] === text[same]) same++;
    let tail = 0;
    while (tail < most - same && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
    const gap = text.length - old.length, behind = old.length - tail;
    this.spans = this.spans.flatMap(([from, to, kind]) => (to <= same ? [[from, to, kind]] : from >= behind ? [[from + gap, to + gap, kind]] : []));
    const move = (at) => (at >= behind ? at + gap : at);
    const moved = (each) => ({ ...each, start: move(each.start), end: move(each.end) });
    this.steps = this.steps.map(moved);
    this.groups = this.groups.map(moved);
  }

  // Asks what the checker says; `typing` says that completion may open.
  async check(typing) {
    const text = this.field.value, at = this.field.selectionStart, run = this.run = (this.run || 0) + 1;
    let told;
    try {
      told = await this.link.ask("check", { text, at: [...text.slice(0, at)].length });
    } catch (error) { // without a connection the text is checked when it is back
      if (this.link.open) [$("verdict").textContent, $("verdict").dataset.state] = [error.message, "wrong"];
      return;
    }
    if (run !== this.run || this.field.value !== text) return;
    if (told.is === "refused") {
      $("verdict").textContent = withHelp(told.why);
      return;
    }
    this.lines = [0];
    for (let k = text.indexOf("\n"); k >= 0; k = text.indexOf("\n", k + 1)) this.lines.push(k + 1);
    const units = unitsOf(text), end = (line) => (line < this.lines.length ? this.lines[line] - 1 : text.length);
    const placed = (each) => ({ ...each, start: this.lines[each.line - 1], end: end(each.end_line) });
    this.spans = told.colours.map(([from, to, kind]) => [units(from), units(to), kind]);
    this.diagnostics = told.diagnostics;
    if (told.steps.length || !text.trim()) [this.steps, this.groups] = [told.steps.map(placed), told.groups.map(placed)]; // else those of the last plan without errors stay
    this.paint();
    this.list();
    this.tell();
    this.drawDraft();
    if (typing && document.activeElement === this.field) this.offer(told.completions.map((each) => ({ ...each, start: units(each.start), end: units(each.end) })), typing === "asked");
  }

  placeOf(line, column) { // in UTF-16 units; columns count characters
    const from = this.lines[Math.min(line, this.lines.length) - 1], rest = this.field.value.slice(from).split("\n", 1)[0];
    return from + [...rest].slice(0, column - 1).join("").length;
  }

  marksOf() {
    return (this.diagnostics || []).map((each) => {
      const from = this.placeOf(each.line, each.column), to = Math.max(this.placeOf(each.end_line, each.end_column), from);
      return { ...each, from, to };
    });
  }

  paint() {
    const text = this.field.value, fresh = text === this.painted, cuts = new Set([0, text.length]);
    this.painted = text;
    const marks = this.lines ? this.marksOf().filter(({ to }) => to <= text.length) : [];
    for (const [from, to] of this.spans) { cuts.add(from); cuts.add(to); }
    for (const { from, to } of marks) { cuts.add(from); cuts.add(Math.max(to, Math.min(from + 1, text.length))); }
    const order = [...cuts].filter((at) => at <= text.length).sort((one, other) => one - other), pieces = [];
    let span = 0;
    for (let k = 0; k + 1 < order.length; k++) {
      const [from, to] = [order[k], order[k + 1]];
      while (span < this.spans.length && this.spans[span][1] <= from) span++;
      const kind = span < this.spans.length && this.spans[span][0] <= from ? this.spans[span][2] : "";
      const mark = marks.find((each) => each.from <= from && Math.max(each.to, each.from + 1) >= to);
      const names = [kind && `c-${kind}`, mark && `m-${mark.severity}`].filter(Boolean).join(" ");
      pieces.push(names ? make("span", { class: names }, text.slice(from, to)) : text.slice(from, to));
    }
    $("colours").replaceChildren(...pieces, "\n");
    if (!fresh) this.align();
  }

  align() {
    $("colours").scrollTop = this.field.scrollTop;
    $("colours").scrollLeft = this.field.scrollLeft;
    if (this.choices.length) this.placeChoices();
  }

  list() {
    const rows = this.marksOf().map(({ severity, line, column, message, help, from, to }) => make("li", { class: severity },
      make("button", { type: "button", "data-from": from, "data-to": to }, make("span", { class: "where" }, `${line}:${column}`), " ", make("span", {}, message), ...(help ? [make("small", {}, ` ${help}`)] : []))));
    $("findings").replaceChildren(...rows);
    $("findings").hidden = !rows.length;
  }

  select(from, to) {
    this.field.focus();
    this.field.setSelectionRange(from, to);
    const line = this.field.value.slice(0, from).split("\n").length;
    this.field.scrollTop = (line - 4) * this.measure().high;
  }

  // --- the map ---

  // The step at an offset of the text, as its place in the list of steps, or null.
  stepAt(at) {
    const found = this.steps.findIndex(({ start, end }) => start <= at && at <= end);
    return found < 0 ? null : found;
  }

  // The group at an offset; on other lines of a step, all groups of it.
  groupsAt(at, step) {
    const own = this.groups.filter((group) => group.step === step), inside = own.filter(({ start, end }) => start <= at && at <= end);
    return inside.length ? inside : own;
  }

  // The offset of the first word in a line.
  offsetOf(line) {
    const lines = this.field.value.split("\n"), before = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    return line > lines.length ? Infinity : before + lines[line - 1].search(/\S|$/);
  }

  moved() {
    this.drawDraft();
  }

  hover(event) {
    const { high, top } = this.measure(), box = this.field.getBoundingClientRect();
    this.point(Math.floor((event.clientY - box.top - top + this.field.scrollTop) / high) + 1);
  }

  point(line) {
    if (line === this.hovered) return;
    this.hovered = line;
    this.drawDraft();
  }

  // Shows the plan in the editor on the map: all targets, and the units and ways of the step in hand.
  drawDraft() {
    const { field, game } = this.screen, before = field.draft;
    const here = document.activeElement === this.field ? this.field.selectionStart : null;
    const at = this.hovered === null ? here : this.offsetOf(this.hovered), step = at === null ? null : this.stepAt(at);
    if (!this.isOpen || !this.groups.length || (this.field.value === this.given && step === null)) field.draft = null;
    else {
      const name = (k) => this.steps[k].number;
      const places = gatherPlaces(this.groups.map(({ step: of, target: [x, y] }) => ({ side: 0, x, y, step: of, number: name(of) })));
      const led = step === null ? [] : this.groupsAt(at, step), units = step === null ? null : new Uint8Array(game.units);
      for (const { ids } of led) for (const [from, to] of ids) units.fill(1, from, to);
      field.draft = { places, step, units, ways: led.map(({ ids, target: [x, y] }) => ({ ids, x, y })) };
    }
    if (before || field.draft) this.screen.redraw();
  }

  // --- completion ---

  measure() {
    if (this.sizes) return this.sizes;
    const style = getComputedStyle(this.field), canvas = document.createElement("canvas").getContext("2d");
    canvas.font = `${style.fontSize} ${style.fontFamily}`;
    this.sizes = { wide: canvas.measureText("0".repeat(100)).width / 100, high: parseFloat(style.lineHeight), left: parseFloat(style.paddingLeft), top: parseFloat(style.paddingTop) };
    return this.sizes;
  }

  offer(words, asked) {
    if (!words.length) return this.close();
    const { start, end } = words[0], list = $("choices"), at = this.field.selectionStart, typed = this.field.value.slice(start, end);
    const line = this.field.value.slice(this.field.value.lastIndexOf("\n", start - 1) + 1, start);
    if (at !== end || !(asked || typed || line.includes(":"))) return this.close(); // an empty line is left alone
    this.choices = words.map(({ text, about }) => ({ text, about, from: start, to: end }));
    this.chosen = 0;
    list.replaceChildren(...this.choices.map(({ text, about }, k) => {
      const row = make("li", { role: "option", id: `choice-${k}`, "aria-selected": String(!k) }, make("b", {}, text.slice(0, typed.length)), text.slice(typed.length), make("small", {}, ` ${about}`));
      row.addEventListener("mousedown", (event) => { event.preventDefault(); this.chosen = k; this.take(); });
      return row;
    }));
    list.hidden = false;
    this.placeChoices();
    this.field.setAttribute("aria-activedescendant", "choice-0");
  }

  // Puts the list of words under the word that is typed, or above it where there is no room.
  placeChoices() {
    const list = $("choices"), { from } = this.choices[0], before = this.field.value.slice(0, from), row = before.split("\n").length;
    const { wide, high, left, top } = this.measure(), column = from - before.lastIndexOf("\n") - 1;
    list.style.left = `${Math.max(0, Math.min(left + column * wide - this.field.scrollLeft, this.field.clientWidth - list.offsetWidth - 4))}px`;
    const below = top + row * high - this.field.scrollTop + 2;
    list.style.top = `${below + list.offsetHeight < this.field.clientHeight ? below : Math.max(0, below - list.offsetHeight - high - 4)}px`;
  }

  close() {
    this.choices = [];
    $("choices").hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }

  choose(by) {
    this.chosen = (this.chosen + by + this.choices.length) % this.choices.length;
    [...$("choices").children].forEach((row, k) => row.setAttribute("aria-selected", String(k === this.chosen)));
    $("choices").children[this.chosen].scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
  }

  take() {
    const { text, from, to } = this.choices[this.chosen];
    this.close();
    this.field.setRangeText(text, from, Math.max(to, this.field.selectionStart), "end");
    this.changed();
  }

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); return this.give(); }
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); return this.check("asked"); }
    if (this.choices.length) {
      const act = { ArrowDown: () => this.choose(1), ArrowUp: () => this.choose(-1), Enter: () => this.take(), Tab: () => this.take(), Escape: () => this.close() }[event.key];
      if (act) { event.preventDefault(); return act(); }
    } else if (event.key === "Escape") this.field.blur();
    if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) this.close();
  }

  // --- orders ---

  async give() {
    if ($("give").disabled) return;
    const text = this.field.value;
    this.screen.seek(this.screen.game.last);
    this.sending = true;
    this.tell();
    let problem = "";
    try {
      const told = await this.link.ask("plan", { text });
      if (told.is === "refused") problem = withHelp(told.why);
      else if (told.kind === "plan") { // as the server writes it
        if (this.screen.game.plan) this.given = this.screen.game.plan.text;
        if (this.field.value === text) { this.field.value = this.given; this.changed(); }
      } else { this.diagnostics = told.diagnostics; this.list(); }
    } catch (error) {
      problem = error.message;
    }
    this.sending = false;
    this.tell();
    if (problem) [$("verdict").textContent, $("verdict").dataset.state] = [problem, "wrong"];
  }
}
