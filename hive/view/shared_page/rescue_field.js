// A rescue on the screen: rooms joined by doors, victims with needs, agents with supplies.

const RESOURCES = ["water", "food", "medicine"];

class RescueField extends View {
  constructor(game) {
    super(Math.max(game.width, game.height), 1);
    this.game = game;
    this.sheet = $("terrain");
    this.aside = [(this.size - game.width) / 2, (this.size - game.height) / 2];
    this.middles = game.middles.map(([x, y]) => [x + this.aside[0], y + this.aside[1]]);
    this.victimIn = new Map(game.victims.map(({ room }, number) => [room, number]));
  }

  blit(draw, name, x, y, side) {
    const [left, top, w, h] = this.game.sprites[name], [px, py] = this.toScreen(x, y), { ratio, scale } = this;
    draw.drawImage(this.sheet, left, top, w, h, px * ratio, py * ratio, side * scale * ratio, side * scale * ratio);
  }

  write(draw, words, x, y, size, colour, align = "center", bold = false, most = undefined) {
    const { ratio, scale } = this, [px, py] = this.toScreen(x, y).map((v) => v * ratio);
    draw.font = `${bold ? "bold " : ""}${size * scale * ratio}px system-ui, "DejaVu Sans", sans-serif`;
    draw.textAlign = align;
    draw.textBaseline = "middle";
    draw.fillStyle = colour;
    draw.fillText(words, px, py, most && most * scale * ratio);
  }

  prepare() {
    const { ground: draw, game, ratio, scale } = this, { palette } = game;
    draw.clearRect(0, 0, draw.canvas.width, draw.canvas.height);
    for (const [colour, wide] of [[rgb(palette.door), 9], [rgb(palette.page), 4]]) {
      draw.strokeStyle = colour;
      draw.lineWidth = Math.max(1, wide * game.unit * scale * ratio);
      for (const [one, other] of game.doors) {
        draw.beginPath();
        draw.moveTo(...this.toScreen(...this.middles[one]).map((v) => v * ratio));
        draw.lineTo(...this.toScreen(...this.middles[other]).map((v) => v * ratio));
        draw.stroke();
      }
    }
  }

  // `helped`, `urgent` or `waits`.
  stateOf(t, victim) {
    const { needs } = this.game.at(t);
    if (!needs[3 * victim] && !needs[3 * victim + 1] && !needs[3 * victim + 2]) return "helped";
    return this.game.victims[victim].urgent ? "urgent" : "waits";
  }

  drawUnits(t, share) {
    const { game, units: draw } = this;
    draw.imageSmoothingQuality = "high";
    draw.clearRect(0, 0, draw.canvas.width, draw.canvas.height);
    game.rooms.forEach((name, room) => this.drawRoom(draw, t, room, name));
    game.agents.forEach((_, agent) => this.drawAgent(draw, t, agent, share));
  }

  drawRoom(draw, t, room, name) {
    const { game, ratio, scale } = this, { palette, unit, box: [wide, high] } = game, victim = this.victimIn.get(room);
    const [x, y] = this.middles[room], [left, top] = [x - wide / 2, y - high / 2];
    const state = victim === undefined ? null : this.stateOf(t, victim);
    const [px, py] = this.toScreen(left, top).map((v) => v * ratio), size = Math.min(0.13 * high, 0.17 * wide);
    draw.fillStyle = rgb(state ? palette.ground[state] : palette.room);
    draw.strokeStyle = rgb(state === "urgent" ? palette.urgent : state === "helped" ? palette.helped : palette.wall);
    draw.lineWidth = Math.max(1, (state === "urgent" ? 2.6 : 1.4) * unit * scale * ratio);
    draw.beginPath();
    draw.roundRect(px, py, wide * scale * ratio, high * scale * ratio, 7 * unit * scale * ratio);
    draw.fill();
    draw.stroke();
    this.write(draw, name, x, top + 0.75 * size, size, rgb(palette.faint), "center", true, 0.94 * wide);
    if (victim !== undefined) this.drawVictim(draw, t, victim, state, left, top);
  }

  drawVictim(draw, t, victim, state, left, top) {
    const { game } = this, { palette, box: [wide, high] } = game, { needs: wanted, name } = game.victims[victim], { needs } = game.at(t);
    const side = Math.min(0.34 * high, 0.34 * wide), small = Math.min(0.19 * wide, 0.22 * high, (0.88 * wide - side) / 3.2);
    this.blit(draw, state, left + 0.05 * wide, top + 0.6 * high, side);
    let x = left + 0.07 * wide + side;
    this.write(draw, name, x, top + 0.66 * high, Math.min(0.1 * high, 0.125 * wide), rgb(palette.ink), "left", false, 0.9 * wide - side);
    for (let kind = 0; kind < 3; kind++) {
      if (!wanted[kind]) continue;
      this.blit(draw, needs[3 * victim + kind] ? RESOURCES[kind] : `${RESOURCES[kind]} met`, x, top + 0.74 * high, small);
      x += 1.08 * small;
    }
  }

  // Where an agent's sign is in a frame: beside those that are in the same room.
  placeIn(t, agent) {
    const { game } = this, { box: [wide, high] } = game, { position } = game.at(t), room = position[agent];
    const here = [...position.keys()].filter((other) => position[other] === room), [x, y] = this.middles[room];
    const step = Math.min(wide / here.length, 0.46 * wide), side = Math.min(0.26 * high, 0.3 * wide, 0.86 * wide / here.length);
    return [x + (here.indexOf(agent) - (here.length - 1) / 2) * step, y - 0.3 * high + side / 2, side, Math.min(wide / here.length, 0.62 * wide)];
  }

  placeOf(t, agent, share) {
    const from = this.placeIn(t, agent), to = this.placeIn(Math.min(t + 1, this.game.frames - 1), agent);
    return from.map((value, axis) => value + (to[axis] - value) * share);
  }

  drawAgent(draw, t, agent, share) {
    const { game } = this, frame = game.at(t), [x, y, side, room] = this.placeOf(t, agent, share), { box: [, high] } = game;
    this.blit(draw, `agent ${agent}${frame.active[agent] ? "" : " ended"}`, x - side / 2, y - side / 2, side);
    const units = RESOURCES.flatMap((kind, number) => Array(frame.supplies[3 * agent + number]).fill(kind));
    const small = Math.min(0.135 * high, 0.3 * room), step = units.length > 1 ? Math.min(1.04 * small, (room - small) / (units.length - 1)) : 0;
    units.forEach((kind, place) => this.blit(draw, kind, x - (step * (units.length - 1) + small) / 2 + place * step, y + side / 2 + 0.01 * high, small));
  }

  // What is at a place of the screen: an agent, or the number of agents plus that of a room; -1: nothing.
  find(px, py, t) {
    const { game } = this, [x, y] = this.toMap(px, py), { box: [wide, high] } = game;
    for (let agent = 0; agent < game.agents.length; agent++) {
      const [ax, ay, side] = this.placeIn(t, agent);
      if (Math.hypot(ax - x, ay - y) <= side / 2) return agent;
    }
    const room = this.middles.findIndex(([mx, my]) => Math.abs(mx - x) <= wide / 2 && Math.abs(my - y) <= high / 2);
    return room < 0 ? -1 : game.agents.length + room;
  }

  screenOf(i) {
    const { agents } = this.game;
    return this.toScreen(...(i < agents.length ? this.placeOf(this.frame, i, 0).slice(0, 2) : this.middles[i - agents.length]));
  }
}
