// What was said beside a map: each line leads to its tick, and lines of later ticks are hidden.

class TalkScreen extends Screen {
  // Fills the card; `names` and `tints` are those of the speakers, `kinds` the verb of each kind of line.
  buildTalk(talk) {
    this.talk = { ...talk, count: make("span"), list: make("ol") };
    this.lines = [];
    $("talk").append(make("h2", {}, talk.title, this.talk.count), this.talk.list);
    this.fillTalk(0);
  }

  // Shows the lines of the game, of which those up to a number are there already.
  fillTalk(from) {
    const { game, talk: { none, beat, kinds, names, tints, count, list } } = this;
    for (const { node } of this.lines.splice(from)) node.remove();
    if (!from) list.replaceChildren();
    count.textContent = game.lines.length ? `${number(game.lines.length)} line${game.lines.length === 1 ? "" : "s"}` : "";
    if (!game.lines.length) list.append(make("li", { class: "none" }, none));
    this.lines.push(...game.lines.slice(from).map(([tick, who, kind, text]) => {
      const node = make("li", { "data-kind": kind, class: "tinted", style: `--tint:${rgb(tints[who])}` },
        make("button", { type: "button", class: "when", title: `Show this ${beat}` }, number(tick)),
        make("div", {}, make("b", {}, `${names[who]} ${kinds[kind]}`), make("p", {}, text)));
      node.querySelector("button").addEventListener("click", () => this.pick(tick));
      list.append(node);
      return { tick, node };
    }));
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

  drawCurves() {}

  // A part of the sprite sheet as a picture of its own.
  sprite(name, side = 20) {
    const canvas = make("canvas", { "aria-hidden": "true", width: 2 * side, height: 2 * side, style: `width:${side}px;height:${side}px` });
    const [left, top, w, h, from = $("terrain")] = this.game.sprites[name];
    canvas.getContext("2d").drawImage(from, left, top, w, h, 0, 0, 2 * side, 2 * side);
    return canvas;
  }

  swatch(colour) {
    return drawIcon((draw) => { draw.fillStyle = rgb(colour); draw.fillRect(1, 2, 14, 12); draw.strokeStyle = "#8d8f8b"; draw.strokeRect(1.5, 2.5, 13, 11); });
  }

  // Describes what is marked, this far from its middle.
  tell(t, reach) {
    const { field } = this, tip = $("tip"), i = field.marked;
    tip.hidden = i < 0;
    if (i < 0) return;
    const key = `${i} ${t}`;
    if (this.told !== key) {
      this.told = key;
      tip.replaceChildren(...this.describe(i, t));
      this.tipSize = [tip.offsetWidth, tip.offsetHeight];
    }
    this.placeTip(i, reach);
  }
}
