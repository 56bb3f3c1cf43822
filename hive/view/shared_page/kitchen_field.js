// A kitchen on the screen: pictures of one sheet, and what changes from frame to frame.

class KitchenField extends View {
  constructor(game) {
    super(Math.max(game.width, game.height), 1);
    this.game = game;
    this.sheet = $("terrain");
  }

  // Draws picture `name` of the sprite sheet in a box of tiles.
  blit(draw, name, x, y, wide, high = wide) {
    const { sprites } = this.game, [left, top, w, h] = sprites[name], [px, py] = this.toScreen(x, y), { ratio, scale } = this;
    draw.drawImage(this.sheet, left, top, w, h, px * ratio, py * ratio, wide * scale * ratio, high * scale * ratio);
  }

  prepare() {
    const { ground, game } = this;
    ground.imageSmoothingQuality = "high";
    ground.clearRect(0, 0, ground.canvas.width, ground.canvas.height);
    this.blit(ground, "kitchen", 0, 0, game.width, game.height);
  }

  item(draw, code, x, y, size) {
    this.blit(draw, `item ${code}`, x - size / 2, y - size / 2, size);
  }

  // A name on a plate whose lower edge is at y, in as many lines as it needs.
  label(draw, name, x, y) {
    const lines = [], most = 16;
    for (const word of name.split("_").join(" ").split(" ")) {
      const last = lines.length - 1;
      if (last >= 0 && lines[last].length + word.length < most) lines[last] += ` ${word}`;
      else lines.push(word);
    }
    const { ratio, scale } = this, size = [0.105, 0.1, 0.09, 0.08][Math.min(lines.length, 4) - 1] * scale * ratio;
    const [px, py] = this.toScreen(x, y).map((v) => v * ratio);
    draw.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    draw.textAlign = "center";
    draw.textBaseline = "middle";
    const half = Math.max(...lines.map((line) => draw.measureText(line).width)) / 2 + 0.25 * size, high = 1.12 * size;
    const top = py - lines.length * high - 0.2 * size;
    draw.fillStyle = "#fffefa";
    draw.beginPath();
    draw.roundRect(px - half, top, 2 * half, py - top, 0.3 * size);
    draw.fill();
    draw.fillStyle = rgb(this.game.palette.ink);
    lines.forEach((line, number) => draw.fillText(line, px, top + (number + 0.5) * high + 0.1 * size));
  }

  block(draw, x, y, wide, high, colour, corner = 0) {
    const { ratio, scale } = this, [px, py] = this.toScreen(x, y).map((v) => v * ratio);
    draw.fillStyle = colour;
    draw.beginPath();
    draw.roundRect(px, py, wide * scale * ratio, high * scale * ratio, corner * scale * ratio);
    draw.fill();
  }

  banner(draw, words, x, y, colour) {
    const { ratio, scale } = this, [px, py] = this.toScreen(x + 0.5, y + 0.1).map((v) => v * ratio);
    this.block(draw, x + 0.1, y + 0.03, 0.8, 0.14, rgb(colour), 0.05);
    draw.font = `bold ${0.1 * scale * ratio}px system-ui, "DejaVu Sans", sans-serif`;
    draw.textAlign = "center";
    draw.textBaseline = "middle";
    draw.fillStyle = "#fff";
    draw.fillText(words, px, py, 0.78 * scale * ratio);
  }

  drawUnits(t, share) {
    const { game, units: draw, ratio } = this, frame = game.at(t);
    draw.imageSmoothingQuality = "high";
    draw.clearRect(0, 0, draw.canvas.width, draw.canvas.height);
    for (let cook = 0; cook < 2; cook++) {
      const faced = frame.done[cook] ? game.facedBy(t, cook) : -1;
      if (faced < 0) continue;
      const [x, y] = game.stations[faced].tile, [px, py] = this.toScreen(x, y).map((v) => v * ratio), side = this.scale * ratio;
      draw.strokeStyle = rgb(game.palette.acts);
      draw.lineWidth = Math.max(2, side / 24);
      draw.strokeRect(px + draw.lineWidth / 2, py + draw.lineWidth / 2, side - draw.lineWidth, side - draw.lineWidth);
    }
    game.stations.forEach(({ tile: [x, y], counter, utensil }) => {
      if (counter >= 0 && frame.counters[counter]) {
        this.item(draw, frame.counters[counter], x + 0.5, y + 0.38, 0.56);
        this.label(draw, game.items[frame.counters[counter]], x + 0.5, y + 0.93);
      }
      if (utensil >= 0) this.drawUtensil(draw, frame, utensil, x, y);
    });
    for (let cook = 0; cook < 2; cook++) this.drawCook(draw, t, share, cook);
  }

  drawUtensil(draw, frame, u, x, y) {
    const { game } = this, { palette } = game, product = frame.product[u], needed = game.needed[product];
    if (product) {
      this.item(draw, product, x + 0.5, y + 0.4, 0.46);
      this.label(draw, game.items[product], x + 0.5, y + 0.81);
      if (frame.work[u] >= needed) this.banner(draw, "ready", x, y, palette.ready);
      else {
        for (let part = 0; part < needed; part++) {
          this.block(draw, x + 0.1 + 0.8 * part / needed, y + 0.045, 0.8 / needed, 0.09, rgb(palette.ink));
          this.block(draw, x + 0.11 + 0.8 * part / needed, y + 0.055, 0.8 / needed - 0.02, 0.07, part < frame.work[u] ? rgb(palette.progress) : "#fff");
        }
      }
    }
    const inside = [0, 1, 2].map((place) => frame.contents[3 * u + place]).filter(Boolean);
    inside.forEach((code, number) => this.item(draw, code, x + 0.5 + 0.28 * (number - (inside.length - 1) / 2), y + 0.38, inside.length > 1 ? 0.28 : 0.36));
    if (inside.length) this.label(draw, inside.map((code) => game.items[code]).join(", "), x + 0.5, y + 0.81);
    if (frame.notice[u]) this.banner(draw, "deleted: no recipe", x, y, palette.wrong);
  }

  // Where a cook is on its way to the next frame, in tiles.
  placeOf(t, cook, share) {
    const { game } = this, from = game.at(t).tile[cook], to = game.at(Math.min(t + 1, game.frames - 1)).tile[cook];
    const [[x, y], [toX, toY]] = [from, to].map((tile) => [tile % game.width, Math.floor(tile / game.width)]);
    return [x + (toX - x) * share, y + (toY - y) * share];
  }

  drawCook(draw, t, share, cook) {
    const { game } = this, frame = game.at(t), [x, y] = this.placeOf(t, cook, share), facing = frame.facing[cook], held = frame.held[cook];
    const [east, south] = game.directions[facing];
    this.blit(draw, `cook ${cook} ${facing}`, x, y, 1);
    if (held) this.item(draw, held, x + 0.5 + 0.33 * east, y + 0.46 + 0.32 * south, 0.4);
    const name = game.cooks[cook];
    this.label(draw, held ? `${name}: ${game.items[held]}` : name, x + 0.5, y + (south > 0 ? 0.17 : 0.97));
  }

  // What is at a place of the screen: a cook (0, 1), or 2 plus the number of a station; -1: nothing.
  find(px, py, t) {
    const { game } = this, [x, y] = this.toMap(px, py).map(Math.floor);
    for (let cook = 0; cook < 2; cook++) {
      const tile = game.at(t).tile[cook];
      if (tile % game.width === x && Math.floor(tile / game.width) === y) return cook;
    }
    const station = game.stations.findIndex(({ tile }) => tile[0] === x && tile[1] === y);
    return station < 0 ? -1 : 2 + station;
  }

  screenOf(i) {
    if (i >= 2) return this.toScreen(...this.game.stations[i - 2].tile.map((v) => v + 0.5));
    return this.toScreen(...this.placeOf(this.frame, i, 0).map((v) => v + 0.5));
  }
}
