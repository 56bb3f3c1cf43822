// The map: terrain below, units and attack streaks in the middle, targets and markers on top; zoom and pan.

const BURNT_OUT = 4; // code of a fire
const CORPSE = 2; // after the shades of a unit outside (0) and inside (1) a forest

function traceShape(draw, shape, x, y, r) {
  const corners = (...points) => {
    points.forEach(([px, py], k) => draw[k ? "lineTo" : "moveTo"](x + px * r, y + py * r));
    draw.closePath();
  };
  draw.beginPath();
  if (shape === "square") draw.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  else if (shape === "circle") draw.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "triangle") corners([0, -1.25], [1.17, 0.85], [-1.17, 0.85]);
  else if (shape === "diamond") corners([0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]);
  else if (shape === "star") {
    corners([0, -1.15], [1.17, 0.95], [-1.17, 0.95]);
    corners([0, 1.15], [1.17, -0.95], [-1.17, -0.95]);
  } else { // plus
    draw.rect(x - 1.1 * r, y - 0.38 * r, 2.2 * r, 0.76 * r);
    draw.rect(x - 0.38 * r, y - 1.1 * r, 0.76 * r, 2.2 * r);
  }
}

function drawUnit(draw, palette, side, type, forest, x, y, r, thin) {
  draw.fillStyle = rgb(palette.outlines[side][type][forest]);
  traceShape(draw, palette.shapes[type], x, y, r);
  draw.fill();
  draw.fillStyle = rgb(palette.units[side][type][forest]);
  traceShape(draw, palette.shapes[type], x, y, r - Math.max(0.7 * thin, 0.13 * r));
  draw.fill();
}

function drawCross(draw, colour, x, y, r, thin) {
  draw.strokeStyle = rgb(colour);
  draw.lineWidth = Math.max(1.2 * thin, 0.6 * r);
  draw.beginPath();
  draw.moveTo(x - r, y - r); draw.lineTo(x + r, y + r);
  draw.moveTo(x - r, y + r); draw.lineTo(x + r, y - r);
  draw.stroke();
}

function drawTarget(draw, colour, x, y, label, alpha, right = Infinity) {
  draw.globalAlpha = alpha;
  for (const [paint, width, grow] of [["rgba(255,255,255,0.9)", 3.4, 0.9], [rgb(colour), 1.8, 0]]) {
    draw.strokeStyle = draw.fillStyle = paint;
    draw.lineWidth = width;
    draw.beginPath(); draw.arc(x, y, 5.4, 0, 2 * Math.PI); draw.stroke();
    draw.beginPath(); draw.arc(x, y, 1.5 + grow, 0, 2 * Math.PI); draw.fill();
  }
  if (label) {
    draw.font = "700 12px system-ui, sans-serif";
    draw.textBaseline = "middle";
    draw.lineJoin = "round"; draw.lineWidth = 3.5; draw.strokeStyle = "rgba(255,255,255,0.95)";
    const wide = draw.measureText(label).width, from = x + 9 + wide < right ? x + 9 : x - 9 - wide;
    draw.strokeText(label, from, y); draw.fillText(label, from, y);
  }
  draw.globalAlpha = 1;
}

function drawPin(draw, colour, x, y, letter, scale = 1) {
  const r = 9 * scale, up = 1.8 * r;
  draw.beginPath();
  draw.arc(x, y - up, r, Math.PI - 0.98, 2 * Math.PI + 0.98);
  draw.lineTo(x, y);
  draw.closePath();
  draw.lineWidth = 2.6 * scale; draw.strokeStyle = "rgba(255,255,255,0.95)"; draw.stroke();
  draw.fillStyle = rgb(colour); draw.fill();
  draw.fillStyle = "#fff"; draw.font = "700 12px system-ui, sans-serif";
  draw.textAlign = "center"; draw.textBaseline = "middle";
  draw.fillText(letter, x, y - up + 0.5);
  draw.textAlign = "start";
}

class Field extends View {
  constructor(game) {
    super(game.metres, -1);
    this.game = game;
    this.picture = document.getElementById("terrain");
    this.streaks = true;
    this.targets = [true, false]; // by side
    this.step = -1; // whose units and targets stand out
    this.marked = -1; // unit with a ring
    this.order = Uint32Array.from({ length: game.units }, (_, i) => i); // mixed, so that neither side hides the other
    let seed = 1;
    for (let i = game.units - 1; i > 0; i--) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      const j = seed % (i + 1);
      [this.order[i], this.order[j]] = [this.order[j], this.order[i]];
    }
    this.places = this.listTargets();
    this.frame = 0; // whose fire is drawn
    if (game.fire) {
      this.tiles = document.createElement("canvas");
      this.tiles.width = this.tiles.height = game.metres;
    }
  }

  // Each place that a side sends units to, with the steps that do.
  listTargets() {
    const { course, targets } = this.game;
    if (!course) return targets.map(([x, y, label]) => ({ side: 0, x, y, label, steps: [] }));
    const found = new Map();
    for (const { step, target: [x, y] } of course.groups) {
      const { side, number } = course.steps[step], key = `${side} ${x} ${y}`;
      if (!found.has(key)) found.set(key, { side, x, y, numbers: new Set(), steps: [] });
      found.get(key).numbers.add(number);
      found.get(key).steps.push(step);
    }
    return [...found.values()].map((place) => ({ ...place, label: [...place.numbers].join(", ") }));
  }

  prepare() {
    this.makeSprites();
    this.drawGround();
  }

  // Radius of each type in screen pixels: its true size where that can be seen, else a few pixels.
  radii() {
    const { radii } = this.game.palette, side = this.game.metres * this.scale;
    const least = Math.min(Math.max(0.22 * side / Math.sqrt(this.game.units || 1), 1.9), 4.5), most = Math.max(...radii);
    return radii.map((r) => Math.min(Math.max(r * this.scale, least * (0.75 + 0.25 * r / most)), 60));
  }

  makeSprites() {
    const { palette } = this.game, kinds = palette.types.length;
    this.radius = this.radii();
    const cell = this.cell = 2 * Math.ceil(1.3 * Math.max(...this.radius) * this.ratio) + 4;
    if (this.atlas && this.spriteScale === this.radius.join() + this.ratio) return;
    this.spriteScale = this.radius.join() + this.ratio;
    this.atlas = document.createElement("canvas");
    this.atlas.width = 3 * cell;
    this.atlas.height = 2 * kinds * cell;
    const draw = this.atlas.getContext("2d");
    for (let side = 0; side < 2; side++) {
      for (let type = 0; type < kinds; type++) {
        const r = this.radius[type] * this.ratio, y = (side * kinds + type + 0.5) * cell;
        for (const forest of [0, 1]) {
          drawUnit(draw, palette, side, type, forest, (forest + 0.5) * cell, y, r, this.ratio);
        }
        drawCross(draw, palette.corpses[side], (CORPSE + 0.5) * cell, y, 0.5 * r, this.ratio);
      }
    }
  }

  drawGround() {
    const draw = this.ground, { ratio } = this, size = this.game.metres * this.scale;
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    draw.imageSmoothingQuality = "high";
    draw.drawImage(this.picture, this.left, this.origin - size, size, size);
    if (this.game.fire) this.drawFire(draw, size);
    draw.strokeStyle = "#96999e";
    draw.strokeRect(this.left - 0.5, this.origin - size - 0.5, size + 1, size + 1);
    this.drawRuler(draw, "m");
  }

  drawFire(draw, size) {
    const { metres, fire, palette } = this.game, code = fire.at(this.frame), picture = this.tiles.getContext("2d");
    const image = picture.createImageData(metres, metres);
    for (let x = 0, k = 0; x < metres; x++) {
      for (let y = 0; y < metres; y++, k++) {
        if (code[k]) image.data.set([...palette.fire[code[k] - 1], 255], 4 * ((metres - 1 - y) * metres + x));
      }
    }
    picture.putImageData(image, 0, 0);
    draw.imageSmoothingEnabled = false;
    draw.drawImage(this.tiles, this.left, this.origin - size, size, size);
    draw.imageSmoothingEnabled = true;
  }

  // Targets of steps that are active now stand out; those of other steps are faint.
  drawSigns(t) {
    const draw = this.signs;
    draw.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    const { palette, markers } = this.game;
    for (const { side, x, y, label, steps } of this.places) {
      const chosen = steps.includes(this.step);
      if (this.step >= 0 ? !chosen : !this.targets[side]) continue;
      const now = !steps.length || chosen || steps.some((p) => this.game.stepState(t, p) === ACTIVE);
      const [px, py] = this.toScreen(x, y);
      if (px < -1 || py < -1 || px > this.wide + 1 || py > this.high + 1) continue;
      const inset = (at, size) => Math.min(Math.max(at, 8), size - 8); // a sign at the border stays whole
      drawTarget(draw, palette.target[side], inset(px, this.wide), inset(py, this.high), label, now ? 1 : 0.42, this.wide);
    }
    for (const [letter, [x, y]] of Object.entries(markers)) drawPin(draw, palette.marker, ...this.toScreen(x, y), letter);
  }

  // Works out where all units stand on the canvas, a share `a` of the way from frame t to the next.
  place(t, a) {
    const { units: N, frames, position, metres } = this.game, { ratio } = this;
    const here = 2 * t * N, there = 2 * Math.min(t + 1, frames - 1) * N;
    const scale = metres / 65535 * this.scale * ratio, left = this.left * ratio, bottom = this.origin * ratio;
    const spot = this.spot = this.spot || new Float32Array(2 * N);
    for (let k = 0; k < 2 * N; k += 2) {
      const p = here + k, q = there + k;
      spot[k] = left + (position[p] + (position[q] - position[p]) * a) * scale;
      spot[k + 1] = bottom - (position[p + 1] + (position[q + 1] - position[p + 1]) * a) * scale;
    }
  }

  drawUnits(t, a) {
    const { game, units: draw, atlas, cell, spot } = this;
    const { units: N, frames, position, health, side, type, metres, kind } = game;
    const next = Math.min(t + 1, frames - 1), here = t * N, there = next * N, kinds = game.palette.types.length;
    const wide = this.units.canvas.width, high = this.units.canvas.height, half = cell / 2, toCell = metres / 65536;
    draw.setTransform(1, 0, 0, 1, 0, 0);
    draw.clearRect(0, 0, wide, high);
    const stamp = (i, column, size) => {
      draw.drawImage(atlas, column * cell, (side[i] * kinds + type[i]) * cell, cell, cell,
        spot[2 * i] - half * size, spot[2 * i + 1] - half * size, cell * size, cell * size);
    };
    const within = (at, size) => at > -half && at < size + half;
    const seen = (i) => within(spot[2 * i], wide) && within(spot[2 * i + 1], high);
    for (let k = 0; k < N; k++) {
      const i = this.order[k];
      if (health[there + i] > 0 || !seen(i)) continue;
      const falling = health[here + i] > 0;
      if (falling) draw.globalAlpha = a;
      stamp(i, CORPSE, 1);
      if (falling) draw.globalAlpha = 1;
    }
    const burnt = game.fire && game.fire.at(t);
    const shade = (i) => { // column of the atlas: greener inside a forest
      const p = 2 * (here + i), cellX = Math.floor(position[p] * toCell), cellY = Math.floor(position[p + 1] * toCell);
      const cell = cellX * metres + cellY;
      return kind[cell] & game.palette.forest && !(burnt && burnt[cell] === BURNT_OUT) ? 1 : 0;
    };
    const live = (i, alpha) => {
      const falling = !(health[there + i] > 0);
      draw.globalAlpha = falling ? alpha * (1 - a) : alpha;
      stamp(i, shade(i), falling ? 1 - 0.5 * a : 1);
    };
    for (const chosen of this.step < 0 ? [true] : [false, true]) { // units of the chosen step over faint others
      for (let k = 0; k < N; k++) {
        const i = this.order[k];
        if (!(health[here + i] > 0) || !seen(i) || (this.step >= 0 && this.obeys(i, here) !== chosen)) continue;
        live(i, chosen ? 1 : 0.25);
      }
    }
    draw.globalAlpha = 1;
    if (this.streaks) {
      if (a < 1) this.drawStreaks(here, 1 - a);
      if (a > 0 && next > t) this.drawStreaks(there, a);
    }
    if (this.marked >= 0) {
      if (health[here + this.marked] > 0) live(this.marked, 1);
      draw.globalAlpha = 1;
      this.ring(this.marked);
    }
  }

  drawStreaks(from, alpha) {
    const { units: N, attack, side, palette } = this.game, { units: draw, spot, ratio } = this;
    draw.lineWidth = Math.max(1, 0.2 * Math.max(...this.radius)) * ratio;
    for (let own = 0; own < 2; own++) {
      draw.beginPath();
      for (let i = 0; i < N; i++) {
        const foe = attack[from + i] - 1;
        if (foe < 0 || side[i] !== own) continue;
        draw.moveTo(spot[2 * i], spot[2 * i + 1]);
        draw.lineTo(spot[2 * foe], spot[2 * foe + 1]);
      }
      draw.strokeStyle = rgb(palette.curves[own], 0.62 * alpha);
      draw.stroke();
    }
  }

  // Where unit i stands in the map area, in screen pixels.
  screenOf(i) { return [this.spot[2 * i] / this.ratio, this.spot[2 * i + 1] / this.ratio]; }

  obeys(i, here) {
    const { group, course } = this.game, own = group[here + i] - 1;
    return own >= 0 && course.groups[own].step === this.step;
  }

  ring(i) {
    const { units: draw, spot, ratio } = this, r = (this.radius[this.game.type[i]] + 4) * ratio;
    for (const [paint, width] of [["rgba(255,255,255,0.95)", 4], ["#262a30", 1.8]]) {
      draw.strokeStyle = paint; draw.lineWidth = width * ratio;
      draw.beginPath(); draw.arc(spot[2 * i], spot[2 * i + 1], r, 0, 2 * Math.PI); draw.stroke();
    }
  }

  // The unit nearest to a place on the screen, the living before the dead, or -1.
  find(px, py, t) {
    const { units: N, health, type } = this.game, { spot, ratio } = this;
    let best = -1, least = Infinity;
    for (let i = 0; i < N; i++) {
      const dx = spot[2 * i] / ratio - px, dy = spot[2 * i + 1] / ratio - py, dead = !(health[t * N + i] > 0);
      const reach = Math.max(this.radius[type[i]] + 2, 7), away = dx * dx + dy * dy;
      if (away > reach * reach || away + (dead ? 1e6 : 0) >= least) continue;
      [best, least] = [i, away + (dead ? 1e6 : 0)];
    }
    return best;
  }
}
