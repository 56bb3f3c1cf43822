// The page around a small world: what each agent does and holds, what is wanted, and the conversation.

class SceneScreen extends TalkScreen {
  constructor(game) {
    super(game, new DisplayField(game));
    $("ground").setAttribute("aria-label", game.scene);
    $("outcome").append(make("b", {}, game.outcome), `; ${game.limit}`);
    $("strength").setAttribute("aria-label", game.doing);
    $("order").hidden = !game.order;
    $("order").setAttribute("aria-label", game.order);
    $("talk").setAttribute("aria-label", game.talk);
    this.buildAgents();
    this.buildTalk({ title: game.talk, none: game.silence, beat: game.beat, kinds: game.verbs, names: game.agents, tints: game.tints });
    for (const [sign, meaning] of game.legend) $("legend").append(make("span", {}, ...this.sign(sign), meaning));
  }

  // The picture of a row of the legend: a symbol by its name, a colour, or none.
  sign(sign) {
    if (!sign) return [];
    return [typeof sign === "string" ? this.sprite(sign, 16) : this.swatch(sign)];
  }

  show() {
    const { game, field } = this, t = this.shareOut();
    field.frame = t;
    field.prepare();
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t, game.reach * field.scale);
    this.showClock(t);
    if (t === this.shown) return;
    this.shown = t;
    this.showTick(t);
    this.showPanels(t);
    this.showTalk(t);
  }

  buildAgents() {
    this.agents = this.game.agents.map((name, agent) => {
      const aside = make("span"), did = make("div", { class: "kinds" }), hand = make("div", { class: "kinds holding" });
      $("strength").append(make("div", { class: "side tinted", id: `agent-${agent}`, style: `--tint:${rgb(this.game.tints[agent])}` },
        make("span", { class: "name" }, name), aside, did, hand));
      return { aside, did, hand };
    });
  }

  showPanels(t) {
    const { game } = this, { panels } = game.at(t);
    this.agents.forEach(({ aside, did, hand }, agent) => {
      const [where, action, signs, words] = panels[agent];
      aside.textContent = where;
      did.textContent = action;
      hand.replaceChildren(...signs.map((name) => this.sprite(name, game.symbol)), words);
    });
    const order = panels[this.agents.length]; // the parts of a line: a symbol or none, words, bold words
    if (order) {
      $("order").replaceChildren(...order.map(([name, words, bold]) =>
        make("span", { class: name ? "wanted" : "" }, ...(name ? [this.sprite(name, game.order_symbol)] : []), words, ...(bold ? [make("b", {}, bold)] : []))));
    }
    const said = game.agents.map((name, agent) => `${name} ${panels[agent][1]}, ${panels[agent][3]}`);
    $("units").setAttribute("aria-label", `${game.beat} ${game.tick[t]}: ${said.join("; ")}`);
  }

  describe(i, t) {
    const { title, facts } = this.field.tip(i, t);
    return [make("b", {}, title), make("dl", {}, ...facts.flatMap(([name, words]) => [make("dt", {}, name), make("dd", {}, words)]))];
  }
}
