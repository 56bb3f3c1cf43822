// Draws display lists, which hive/kit/view/display.py describes: an item is its kind and its fields, in units of the scene.

const PAINT = {
  sprite(view, draw, [name, box, alpha], by) {
    const [left, top, wide, high, from = view.sheet] = view.game.sprites[name]; // of the common picture, or of one of its own
    draw.globalAlpha = alpha;
    draw.drawImage(from, left, top, wide, high, ...view.pixels(box, by));
    draw.globalAlpha = 1;
  },

  shape(view, draw, [box, fill, rim, line, corner], by) {
    const [x, y, wide, high] = view.pixels(box, by), inset = rim ? Math.max(1, line * view.side) / 2 : 0; // a rim is inside
    draw.beginPath();
    draw.roundRect(x + inset, y + inset, wide - 2 * inset, high - 2 * inset, Math.max(0, corner * view.side - inset));
    if (fill) { draw.fillStyle = rgb(fill); draw.fill(); }
    if (rim) view.stroke(draw, rim, line);
  },

  polygon(view, draw, [points, fill], by) {
    view.path(draw, points, by);
    draw.fillStyle = rgb(fill);
    draw.fill();
  },

  line(view, draw, [points, colour, width, alpha], by) {
    view.path(draw, points, by);
    draw.globalAlpha = alpha;
    view.stroke(draw, colour, width);
    draw.globalAlpha = 1;
  },

  text(view, draw, [lines, at, size, colour, align, bold, room, plate], by) {
    const pixels = size * view.side, high = 1.12 * pixels, [x, y] = view.pixel(at, by), top = y - lines.length * high / 2;
    const most = room ? room * view.side : undefined;
    draw.font = `${bold ? "bold " : ""}${pixels}px system-ui, "DejaVu Sans", sans-serif`;
    draw.textAlign = align;
    draw.textBaseline = "middle";
    if (plate) {
      const half = Math.min(Math.max(...lines.map((line) => draw.measureText(line).width)), most ?? Infinity) / 2 + 0.25 * pixels;
      draw.fillStyle = rgb(plate);
      draw.beginPath();
      draw.roundRect(x - half, top - 0.1 * pixels, 2 * half, lines.length * high + 0.2 * pixels, 0.3 * pixels);
      draw.fill();
    }
    draw.fillStyle = rgb(colour);
    lines.forEach((line, number) => draw.fillText(line, x, top + (number + 0.5) * high, most));
  },

  // The screen shows its words under the pointer.
  tip(view, draw, [box, title, facts, ring], by, item) {
    if (ring && view.game.at(view.frame).tips.indexOf(item) === view.marked) PAINT.shape(view, draw, [box, null, [0, 0, 0], ring, box[2] / 2], by);
  },
};

class DisplayField extends View {
  constructor(game) {
    super(Math.max(game.width, game.height), 1);
    this.game = game;
    this.sheet = $("terrain");
    this.aside = [(this.size - game.width) / 2, (this.size - game.height) / 2]; // the scene lies in the middle of the square
  }

  get side() { return this.scale * this.ratio; }

  shift([x, y], [dx, dy]) { return [x + dx + this.aside[0], y + dy + this.aside[1]]; }

  pixel(at, by) { return this.toScreen(...this.shift(at, by)).map((v) => v * this.ratio); }

  pixels([left, top, wide, high], by) { return [...this.pixel([left, top], by), wide * this.side, high * this.side]; }

  path(draw, points, by) {
    draw.beginPath();
    for (const point of points) draw.lineTo(...this.pixel(point, by));
  }

  stroke(draw, colour, width) {
    draw.strokeStyle = rgb(colour);
    draw.lineWidth = Math.max(1, width * this.side);
    draw.stroke();
  }

  // Where the mover of an item is on its way from a frame to the next one.
  moved(item, t, share) {
    const mover = item.at(-1), { game } = this;
    if (mover < 0) return [0, 0];
    const from = game.at(t).places, to = game.at(Math.min(t + 1, game.frames - 1)).places;
    return [0, 1].map((axis) => from[2 * mover + axis] + share * (to[2 * mover + axis] - from[2 * mover + axis]));
  }

  paint(draw, items, t, share) {
    draw.imageSmoothingQuality = "high";
    draw.clearRect(0, 0, draw.canvas.width, draw.canvas.height);
    for (const item of items) PAINT[item[0]](this, draw, item.slice(1), this.moved(item, t, share), item);
  }

  prepare() { this.paint(this.ground, this.game.back, 0, 0); }

  drawUnits(t, share) { this.paint(this.units, this.game.at(t).items, t, share); }

  tip(i, t) {
    const [, box, title, facts] = this.game.at(t).tips[i];
    return { box: [...this.shift(box, this.moved(this.game.at(t).tips[i], t, 0)), box[2], box[3]], title, facts };
  }

  // The number of the tip at a place of the screen, or -1.
  find(px, py, t) {
    const [x, y] = this.toMap(px, py);
    return this.game.at(t).tips.findIndex((_, i) => {
      const [left, top, wide, high] = this.tip(i, t).box;
      return x >= left && y >= top && x <= left + wide && y <= top + high;
    });
  }

  screenOf(i) {
    const [left, top, wide, high] = this.tip(i, this.frame).box;
    return this.toScreen(left + wide / 2, top + high / 2);
  }
}
