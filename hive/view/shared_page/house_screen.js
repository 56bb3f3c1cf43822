// The page around a floor plan: what each agent does and holds, the goal, and the messages.

class HouseScreen extends TalkScreen {
  constructor(game) {
    super(game, new HouseField(game));
    $("ground").setAttribute("aria-label", "Floor plan");
    $("outcome").append(make("b", {}, game.outcome), `; limit: ${number(game.limit)} steps`);
    this.buildAgents();
    this.buildGoal();
    this.buildTalk({ title: "Messages", none: "The agents send nothing in this episode.", beat: "step",
      kinds: ["sends", "does", "thinks", "has a problem", "rewrites the list", "says"], names: game.agents, tints: game.palette.agents });
    this.buildColours();
    $("legend").append(make("span", {}, "faint: inside a closed container"));
    if (game.carries) $("legend").append(make("span", {}, "number: things in a carried container"));
  }

  show() {
    const { game, field } = this, t = this.shareOut();
    field.frame = t;
    field.prepare();
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    field.drawUnits(t, this.share);
    this.tell(t, 0.5 * field.scale);
    this.showClock(t);
    if (t === this.shown) return;
    this.shown = t;
    this.showTick(t);
    this.showAgents(t);
    this.showGoal(t);
    this.showTalk(t);
    $("units").setAttribute("aria-label", `Step ${game.tick[t]}: ` + game.agents.map((name, agent) => `${name} ${this.deed(t, agent)}, ${this.hand(t, agent)}`).join("; "));
  }

  deed(t, agent) {
    const deed = this.game.at(t).doing[agent];
    return deed ? this.game.deeds[deed - 1] : "nothing yet";
  }

  hand(t, agent) {
    const held = this.game.held(t, agent).map((m) => this.game.named(t, m));
    return held.length ? `holds ${held.join(" and ")}` : "hands empty";
  }

  buildAgents() {
    this.agents = this.game.agents.map((name, agent) => {
      const room = make("span"), did = make("div", { class: "kinds" }), hand = make("div", { class: "kinds holding" });
      $("strength").append(make("div", { class: "side tinted", id: `agent-${agent}`, style: `--tint:${rgb(this.game.palette.agents[agent])}` },
        make("span", { class: "name" }, name), room, did, hand));
      return { room, did, hand };
    });
    $("strength").setAttribute("aria-label", "What the agents do");
  }

  showAgents(t) {
    const { game } = this;
    this.agents.forEach(({ room, did, hand }, agent) => {
      room.textContent = game.rooms[game.at(t).room[agent]];
      did.textContent = this.deed(t, agent);
      hand.replaceChildren(...game.held(t, agent).map((m) => this.sprite(`item ${game.things[m].kind}`)), this.hand(t, agent));
    });
  }

  buildGoal() {
    const { goal } = this.game;
    this.parts = goal.counts.map(([kind]) => make("span"));
    const known = (kind) => `item ${kind}` in this.game.sprites;
    $("order").append(make("span", {}, "Wanted ", make("b", {}, goal.words), ":"),
      ...goal.counts.map(([kind], n) =>
        make("span", { class: "wanted" }, ...(known(kind) ? [this.sprite(`item ${kind}`, 22)] : []), this.parts[n])));
    $("order").style.flexWrap = "wrap";
  }

  showGoal(t) {
    const { game } = this, { place } = game.at(t);
    game.goal.counts.forEach(([kind, count], n) => {
      const there = game.things.filter((thing, m) => thing.kind === kind && [game.goal.place, game.codes.delivered].includes(place[m])).length;
      this.parts[n].textContent = `${kind} ${Math.min(there, count)} of ${count}`;
    });
  }

  describe(i, t) {
    const { game } = this, frame = game.at(t), facts = make("dl"), N = game.agents.length;
    const say = (name, words) => facts.append(make("dt", {}, name), make("dd", {}, words));
    if (i < N) {
      say("in", game.rooms[frame.room[i]]);
      say("did", this.deed(t, i));
      say("hands", this.hand(t, i));
      return [make("b", {}, game.agents[i]), facts];
    }
    const k = i - N, { name, closes } = game.furniture[k];
    if (closes) say("is", frame.open[k] ? "open" : "closed");
    const inside = [...game.things.keys()].filter((m) => frame.place[m] === k).map((m) => game.named(t, m));
    say("holds", inside.join(", ") || "nothing");
    if (k === game.goal.place) say("is", "the goal place");
    return [make("b", {}, name), facts];
  }
}
