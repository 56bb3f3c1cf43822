// The page around a rescue: what each agent does and carries, and every turn with its message.

class RescueScreen extends TalkScreen {
  constructor(game) {
    super(game, new RescueField(game));
    $("ground").setAttribute("aria-label", "Rooms and doors");
    $("outcome").append(make("b", {}, game.outcome), `; limit: ${number(game.limit)} steps${game.about ? `. ${game.about}` : ""}`);
    this.buildAgents();
    this.buildTalk({ title: "Turns and messages", none: "The agents say nothing in this run.", beat: "step",
      kinds: ["", "does", "thinks", "is refused"], names: game.agents, tints: game.palette.agents });
    this.buildLegend();
  }

  show() {
    const { game, field } = this, t = this.shareOut();
    field.frame = t;
    field.prepare();
    field.drawUnits(t, this.share);
    field.marked = this.followed < 0 && this.pointer && !this.dragging ? field.find(...this.pointer, t) : this.followed;
    this.tell(t, 0.3 * game.box[0] * field.scale);
    this.showClock(t);
    if (t === this.shown) return;
    this.shown = t;
    this.showTick(t);
    this.showAgents(t);
    this.showTalk(t);
    $("units").setAttribute("aria-label", `Step ${game.tick[t]}: ` + game.agents.map((name, agent) => `${name} ${this.deed(t, agent)}, carries ${this.carries(t, agent)}`).join("; "));
  }

  deed(t, agent) {
    const { game } = this, frame = game.at(t), deed = frame.doing[agent];
    if (!deed) return t ? "has no turn" : "starts";
    return game.deeds[deed - 1] + (frame.refused[agent] ? " – refused" : "");
  }

  carries(t, agent) {
    const { supplies } = this.game.at(t);
    return RESOURCES.map((kind, number) => [kind, supplies[3 * agent + number]]).filter(([, units]) => units).map(([kind, units]) => `${kind} ${units}`).join(", ") || "nothing";
  }

  buildAgents() {
    this.agents = this.game.agents.map((name, agent) => {
      const did = make("div", { class: "kinds" }), hand = make("div", { class: "kinds holding" });
      $("strength").append(make("div", { class: "side tinted", id: `agent-${agent}`, style: `--tint:${rgb(this.game.palette.agents[agent])}` },
        make("span", { class: "name" }, name), make("span"), did, hand));
      return { did, hand };
    });
    $("strength").setAttribute("aria-label", "What the agents do and carry");
  }

  showAgents(t) {
    const frame = this.game.at(t);
    this.agents.forEach(({ did, hand }, agent) => {
      did.textContent = this.deed(t, agent) + (frame.active[agent] ? "" : ", has ended its mission");
      const units = RESOURCES.flatMap((kind, number) => Array(frame.supplies[3 * agent + number]).fill(kind));
      hand.replaceChildren(...units.map((kind) => this.sprite(kind, 16)), this.carries(t, agent));
    });
  }

  buildLegend() {
    for (const [name, words] of this.game.palette.legend) $("legend").append(make("span", {}, this.sprite(name, 16), words));
  }

  describe(i, t) {
    const { game, field } = this, frame = game.at(t), facts = make("dl"), many = game.agents.length;
    const say = (name, words) => facts.append(make("dt", {}, name), make("dd", {}, words));
    if (i < many) {
      say("in", game.rooms[frame.position[i]]);
      say("did", this.deed(t, i));
      say("carries", this.carries(t, i));
      if (!frame.active[i]) say("mission", "ended");
      return [make("b", {}, game.agents[i]), facts];
    }
    const room = i - many, victim = field.victimIn.get(room);
    say("doors to", game.doors.filter((pair) => pair.includes(room)).map(([one, other]) => game.rooms[one === room ? other : one]).join(", "));
    if (victim !== undefined) {
      const left = RESOURCES.filter((_, kind) => frame.needs[3 * victim + kind]);
      say(game.victims[victim].name, `${game.victims[victim].urgent ? "urgent" : "can wait"}; ${left.length ? `needs ${left.join(", ")}` : "is helped"}`);
    }
    const here = game.agents.filter((_, agent) => frame.position[agent] === room);
    if (here.length) say("agents", here.join(", "));
    return [make("b", {}, game.rooms[room]), facts];
  }
}
