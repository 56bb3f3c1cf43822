// The page around a kitchen: what each cook does and holds, the order, and the conversation.

class KitchenScreen extends TalkScreen {
  constructor(game) {
    super(game, new KitchenField(game));
    $("ground").setAttribute("aria-label", "Kitchen");
    $("outcome").append(make("b", {}, game.outcome), `; limit: timestep ${number(game.limit)}`);
    this.buildCooks();
    this.buildOrder();
    this.buildTalk({ title: "Conversation", none: "The cooks say nothing in this run.", beat: "timestep",
      kinds: ["says", "plans", "thinks", "is refused"], names: game.cooks, tints: game.palette.cooks });
    this.buildColours();
  }

  show() {
    const { game, field } = this, t = this.shareOut();
    field.frame = t;
    field.prepare();
    field.drawUnits(t, this.share);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    this.tell(t, 0.45 * field.scale);
    this.showClock(t);
    if (t === this.shown) return;
    this.shown = t;
    this.showTick(t);
    this.showCooks(t);
    this.showTalk(t);
    $("units").setAttribute("aria-label", `Timestep ${game.tick[t]}: ` + game.cooks.map((name, cook) => `${name} ${this.deed(t, cook)}, ${this.hand(t, cook)}`).join("; "));
  }

  spell(name) { return name.replace(/_/g, " "); }

  deed(t, cook) {
    const { game } = this, frame = game.at(t), deed = frame.doing[cook];
    return deed ? game.deeds[deed - 1] + (frame.done[cook] ? " – done" : "") : "no action";
  }

  hand(t, cook) {
    const { game } = this, held = game.at(t).held[cook];
    if (!held) return "hand empty";
    return `holds ${held > game.dish ? "dish with " : ""}${this.spell(game.items[held])}`;
  }

  buildCooks() {
    this.cooks = this.game.cooks.map((name, cook) => {
      const did = make("div", { class: "kinds" }), hand = make("div", { class: "kinds holding" });
      $("strength").append(make("div", { class: "side tinted", id: `cook-${cook}`, style: `--tint:${rgb(this.game.palette.cooks[cook])}` },
        make("span", { class: "name" }, name), make("span"), did, hand));
      return { did, hand };
    });
    $("strength").setAttribute("aria-label", "What the cooks do");
  }

  showCooks(t) {
    this.cooks.forEach(({ did, hand }, cook) => {
      const held = this.game.at(t).held[cook];
      did.textContent = this.deed(t, cook);
      hand.replaceChildren(...(held ? [this.sprite(`item ${held}`)] : []), this.hand(t, cook));
    });
  }

  buildOrder() {
    const { game } = this, [code, words] = game.order;
    $("order").append(this.sprite(`item ${code}`, 30), make("span", {}, "Order: ", make("b", {}, words)));
  }

  describe(i, t) {
    const { game } = this, frame = game.at(t), facts = make("dl");
    const say = (name, words) => facts.append(make("dt", {}, name), make("dd", {}, words));
    const place = ([x, y]) => `(${x}, ${y})`;
    if (i < 2) {
      say("at", place([frame.tile[i] % game.width, Math.floor(frame.tile[i] / game.width)]));
      say("faces", ["north", "south", "east", "west"][frame.facing[i]]);
      say("did", this.deed(t, i));
      say("hand", this.hand(t, i));
      return [make("b", {}, game.cooks[i]), facts];
    }
    const { name, tile, counter, utensil } = game.stations[i - 2];
    say("at", place(tile));
    if (counter >= 0) say("holds", frame.counters[counter] ? this.spell(game.items[frame.counters[counter]]) : "nothing");
    if (utensil >= 0) {
      const inside = [0, 1, 2].map((k) => frame.contents[3 * utensil + k]).filter(Boolean), product = frame.product[utensil];
      if (product) {
        const needed = game.needed[product], work = frame.work[utensil];
        say(work >= needed ? "ready" : "makes", this.spell(game.items[product]));
        if (work < needed) say("worked", `${work} of ${needed} timesteps`);
      } else say("holds", inside.map((code) => this.spell(game.items[code])).join(", ") || "nothing");
    }
    return [make("b", {}, this.spell(name)), facts];
  }
}
