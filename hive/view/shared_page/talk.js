// What was said beside a map: each line leads to its tick, and lines of later ticks are hidden.

class TalkScreen extends Screen {
  // Fills the card; `names` and `tints` are those of the speakers, `kinds` the verb of each kind of line.
  buildTalk({ title, none, beat, kinds, names, tints }) {
    const { game } = this, list = make("ol");
    $("talk").append(make("h2", {}, title, make("span", {}, game.lines.length ? `${number(game.lines.length)} lines` : "")), list);
    if (!game.lines.length) list.append(make("li", { class: "none" }, none));
    this.lines = game.lines.map(([tick, who, kind, text]) => {
      const node = make("li", { "data-kind": kind, class: "tinted", style: `--tint:${rgb(tints[who])}` },
        make("button", { type: "button", class: "when", title: `Show this ${beat}` }, number(tick)),
        make("div", {}, make("b", {}, `${names[who]} ${kinds[kind]}`), make("p", {}, text)));
      node.querySelector("button").addEventListener("click", () => this.pick(tick));
      list.append(node);
      return { tick, node };
    });
  }

  showTalk(t) {
    const now = this.game.tick[t];
    let last = null;
    for (const { tick, node } of this.lines) {
      node.classList.toggle("later", tick > now);
      node.classList.toggle("now", tick === now);
      if (tick <= now) last = node;
    }
    const box = $("talk");
    if (last) box.scrollTop = last.offsetTop + last.offsetHeight - box.clientHeight + 12;
    else box.scrollTop = 0;
  }
}
