// A household on the screen: the floor plan as a picture, and what changes from frame to frame.

const TRAIL = 10; // frames of the path behind an agent

class HouseField extends View {
  constructor(game) {
    super(Math.max(...game.metres), 1);
    this.game = game;
    this.sheet = $("terrain");
  }

  // Draws picture `name` of the sprite sheet in a box of metres.
  blit(draw, name, x, y, wide, high = wide) {
    const [left, top, w, h] = this.game.sprites[name], [px, py] = this.pixel(x, y), side = this.scale * this.ratio;
    draw.drawImage(this.sheet, left, top, w, h, px, py, wide * side, high * side);
  }

  // The plan lies in the middle of the square that is shown.
  get shift() { return this.game.metres.map((side) => (this.size - side) / 2); }

  pixel(x, y) { return this.toScreen(x + this.shift[0], y + this.shift[1]).map((v) => v * this.ratio); }

  prepare() {
    const { ground, game } = this;
    ground.imageSmoothingQuality = "high";
    ground.clearRect(0, 0, ground.canvas.width, ground.canvas.height);
    this.blit(ground, "plan", 0, 0, ...game.metres);
  }

  drawUnits(t, share) {
    const { game, units: draw } = this, frame = game.at(t);
    draw.imageSmoothingQuality = "high";
    draw.clearRect(0, 0, draw.canvas.width, draw.canvas.height);
    game.furniture.forEach((each, k) => {
      if (each.closes && frame.open[k]) this.drawOpen(draw, each, k === game.goal.place);
    });
    game.furniture.forEach((each, k) => {
      const inside = [...frame.place.keys()].filter((m) => frame.place[m] === k);
      draw.globalAlpha = each.closes && !frame.open[k] ? 0.4 : 1;
      const spots = each.spots[Math.min(inside.length, each.spots.length) - 1];
      inside.forEach((m, n) => this.item(draw, t, m, ...spots[n]));
      draw.globalAlpha = 1;
    });
    frame.place.forEach((place, m) => {
      if (place >= game.codes.floor && place < game.codes.held) this.item(draw, t, m, ...game.things[m].floor);
    });
    game.agents.forEach((_, agent) => this.drawTrail(draw, t, agent));
    game.agents.forEach((_, agent) => this.drawAgent(draw, t, share, agent));
  }

  // Draws an object, with the number of things in it.
  item(draw, t, m, x, y) {
    const { item, badge } = this.game.sizes, count = this.game.inside(t, m).length, at = [x + 0.42 * item, y - 0.42 * item];
    this.blit(draw, `item ${this.game.things[m].kind}`, x - item / 2, y - item / 2, item);
    if (!count) return;
    this.disc(draw, ...at, badge, rgb(this.game.palette.ink), "#fff", 0.04);
    this.word(draw, String(count), ...at, 1.4 * badge, "#fff");
  }

  disc(draw, x, y, r, fill, edge, width = 0.06) {
    const side = this.scale * this.ratio;
    draw.fillStyle = fill;
    draw.strokeStyle = edge;
    draw.lineWidth = Math.max(1, width * side);
    draw.beginPath();
    draw.arc(...this.pixel(x, y), r * side, 0, 2 * Math.PI);
    draw.fill();
    draw.stroke();
  }

  drawOpen(draw, { box: [x, y, wide, high], letters, short }, goal) {
    const { palette } = this.game, side = this.scale * this.ratio, [px, py] = this.pixel(x, y);
    draw.fillStyle = rgb(palette.open);
    draw.fillRect(px, py, wide * side, high * side);
    draw.strokeStyle = rgb(goal ? palette.goal : palette.edge);
    draw.lineWidth = Math.max(1, (goal ? 0.1 : 0.05) * side);
    draw.strokeRect(px, py, wide * side, high * side);
    this.word(draw, short, ...letters, 0.34, rgb(palette.edge));
  }

  word(draw, words, x, y, size, colour) {
    draw.font = `bold ${size * this.scale * this.ratio}px system-ui, "DejaVu Sans", sans-serif`;
    draw.textAlign = "center";
    draw.textBaseline = "middle";
    draw.fillStyle = colour;
    draw.fillText(words, ...this.pixel(x, y));
  }

  drawTrail(draw, t, agent) {
    draw.strokeStyle = rgb(this.game.palette.agents[agent], 0.7);
    draw.lineWidth = Math.max(1, 0.07 * this.scale * this.ratio);
    draw.beginPath();
    for (let frame = Math.max(0, t - TRAIL); frame <= t; frame++) draw.lineTo(...this.pixel(...this.game.placeOf(frame, agent)));
    draw.stroke();
  }

  // Where an agent is on its way to the next frame; agents at one place stand next to each other.
  placeOf(t, agent, share) {
    const { game } = this, from = game.placeOf(t, agent), to = game.placeOf(Math.min(t + 1, game.frames - 1), agent);
    const here = from.map((v, axis) => v + (to[axis] - v) * share);
    const alike = game.agents.slice(0, agent).filter((_, other) => game.placeOf(t, other).every((v, axis) => v === from[axis])).length;
    return [here[0] + 0.6 * alike, here[1] + 0.3 * alike];
  }

  drawAgent(draw, t, share, agent) {
    const { game } = this, { agent: radius, item } = game.sizes, [x, y] = this.placeOf(t, agent, share);
    const colour = rgb(game.palette.agents[agent]);
    this.disc(draw, x, y, radius, colour, this.marked === agent ? "#000" : "#fff");
    this.word(draw, game.agents[agent][0], x, y, 0.5, "#fff");
    game.held(t, agent).forEach((m, hand) => {
      const dx = (2 * hand - 1) * 1.2 * radius, dy = -0.7 * radius;
      this.disc(draw, x + dx, y + dy, 0.66 * item, "#fff", colour);
      this.item(draw, t, m, x + dx, y + dy);
    });
  }

  // What is at a place of the screen: an agent, or the number of agents plus the number of furniture; -1: nothing.
  find(px, py, t) {
    const { game } = this, place = this.toMap(px, py).map((v, axis) => v - this.shift[axis]);
    for (let agent = game.agents.length - 1; agent >= 0; agent--) {
      const here = this.placeOf(t, agent, 0);
      if (Math.hypot(here[0] - place[0], here[1] - place[1]) < game.sizes.agent) return agent;
    }
    const k = game.furniture.findIndex(({ box: [x, y, wide, high] }) => place[0] >= x && place[1] >= y && place[0] <= x + wide && place[1] <= y + high);
    return k < 0 ? -1 : game.agents.length + k;
  }

  screenOf(i) {
    const { game } = this, N = game.agents.length;
    const [x, y] = i < N ? this.placeOf(this.frame, i, 0) : ((([left, top, wide, high]) => [left + wide / 2, top + high / 2])(game.furniture[i - N].box));
    return this.toScreen(x + this.shift[0], y + this.shift[1]);
  }
}
