// The map of a battle: terrain below, units and attack streaks in the middle, targets and markers on top.

const BURNT_OUT = 4; // code of a fire
const REACH = 1.25; // how far the widest shape of a unit extends from its middle, in radii
const MANY = 4000; // units: from here on pixels are copied one by one, which is quicker than a picture for each unit

class Field extends View {
  constructor(game) {
    super(game.metres, -1);
    this.game = game;
    this.picture = document.getElementById("terrain");
    this.streaks = true;
    this.targets = [true, false]; // by side
    this.step = -1; // whose units and targets stand out
    this.draft = null; // a plan that is not followed yet: its places, and the units of the step in hand
    this.marked = -1; // unit with a ring
    this.order = Uint32Array.from({ length: game.units }, (_, i) => i); // mixed, so that neither side hides the other
    let seed = 1;
    for (let i = game.units - 1; i > 0; i--) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      const j = seed % (i + 1);
      [this.order[i], this.order[j]] = [this.order[j], this.order[i]];
    }
    this.listTargets();
    this.frame = 0; // whose fire is drawn
    if (game.fire) {
      this.tiles = document.createElement("canvas");
      this.tiles.width = this.tiles.height = game.metres;
    }
  }

  // Notes each place that a side sends units to, with the steps that do.
  listTargets() {
    const { course, targets } = this.game;
    if (!course || (!course.steps.length && !this.game.live)) this.places = targets.map(([x, y, label]) => ({ side: 0, x, y, label, steps: [] }));
    else {
      const groups = course.groups.filter(({ step }) => !this.game.live || this.game.isPresent(course.steps[step]));
      this.places = gatherPlaces(groups.map(({ step, target: [x, y] }) => {
        const { side, number: name } = course.steps[step];
        return { side, x, y, step, number: name };
      }));
    }
  }

  prepare() {
    this.makeSprites();
    this.drawGround();
  }

  // Radius of each type in screen pixels: its true size where that can be seen, else a few pixels.
  radii() {
    const { radii } = this.game.palette, side = this.game.metres * this.scale;
    const least = Math.min(Math.max(0.22 * side / Math.sqrt(this.game.units || 1), 1.9), 4.5), most = Math.max(...radii, 1e-6);
    return radii.map((r) => Math.min(Math.max(r * this.scale, least * (0.75 + 0.25 * r / most)), 60));
  }

  makeSprites() {
    const { palette } = this.game, kinds = palette.types.length;
    this.radius = this.radii();
    const cell = this.cell = 2 * Math.ceil(1.3 * Math.max(...this.radius) * this.ratio) + 4;
    const sized = [...this.radius, this.ratio, darkMode.matches].join();
    if (this.atlas && this.spriteScale === sized) return;
    this.spriteScale = sized;
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
    this.stamps = this.game.units >= MANY ? this.readStamps(draw) : null;
  }

  // The opaque pixels of each picture of a unit, as their places around its middle and their colours.
  readStamps(draw) {
    const { cell, atlas: { width, height } } = this, found = [];
    const pixels = new Uint32Array(draw.getImageData(0, 0, width, height).data.buffer);
    for (let k = 0; k < 3 * height / cell; k++) found.push({ dx: [], dy: [], colour: [] });
    pixels.forEach((pixel, at) => {
      if (pixel >>> 24 < 128) return;
      const x = at % width, y = Math.floor(at / width), stamp = found[Math.floor(y / cell) * 3 + Math.floor(x / cell)];
      stamp.dx.push(x % cell - cell / 2);
      stamp.dy.push(y % cell - cell / 2);
      stamp.colour.push((pixel | 0xff000000) >>> 0);
    });
    return found;
  }

  // Copies a picture of a unit into the pixels of the layer.
  copy({ dx, dy, colour }, x, y, alpha, pixels, wide, high) {
    const left = Math.round(x), top = Math.round(y), clear = alpha < 1 ? Math.round(255 * alpha) << 24 : 0;
    for (let k = 0; k < colour.length; k++) {
      const px = left + dx[k], py = top + dy[k];
      if (px < 0 || py < 0 || px >= wide || py >= high) continue;
      pixels[py * wide + px] = clear ? (colour[k] & 0xffffff) | clear : colour[k];
    }
  }

  drawGround() {
    const draw = this.ground, { ratio } = this, size = this.game.metres * this.scale;
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    draw.imageSmoothingQuality = "high";
    draw.drawImage(darkMode.matches ? this.nightly() : this.picture, this.left, this.origin - size, size, size);
    if (this.game.fire) this.drawFire(draw, size);
    draw.strokeStyle = "#96999e";
    draw.strokeRect(this.left - 0.5, this.origin - size - 0.5, size + 1, size + 1);
    this.showScale("m");
  }

  // The picture of the ground for a dark page, made once.
  nightly() {
    if (this.night) return this.night;
    const { naturalWidth: wide, naturalHeight: high } = this.picture;
    this.night = document.createElement("canvas");
    [this.night.width, this.night.height] = [wide, high];
    const draw = this.night.getContext("2d");
    draw.drawImage(this.picture, 0, 0);
    const image = draw.getImageData(0, 0, wide, high), { data } = image, known = new Map();
    for (let k = 0; k < data.length; k += 4) {
      const key = data[k] << 16 | data[k + 1] << 8 | data[k + 2];
      if (!known.has(key)) known.set(key, ground([data[k], data[k + 1], data[k + 2]]));
      [data[k], data[k + 1], data[k + 2]] = known.get(key);
    }
    draw.putImageData(image, 0, 0);
    return this.night;
  }

  drawFire(draw, size) {
    const { metres, palette } = this.game, code = this.game.fireAt(this.frame), picture = this.tiles.getContext("2d");
    const image = picture.createImageData(metres, metres), colours = palette.fire.map((colour, k) => (k + 1 === BURNT_OUT ? ground(colour) : colour));
    for (let x = 0, k = 0; x < metres; x++) {
      for (let y = 0; y < metres; y++, k++) {
        if (code[k]) image.data.set([...colours[code[k] - 1], 255], 4 * ((metres - 1 - y) * metres + x));
      }
    }
    picture.putImageData(image, 0, 0);
    draw.imageSmoothingEnabled = false;
    draw.drawImage(this.tiles, this.left, this.origin - size, size, size);
    draw.imageSmoothingEnabled = true;
  }

  // Targets of steps that are active now stand out; those of other steps are faint. A draft replaces the player's.
  drawSigns(t) {
    const draw = this.signs;
    draw.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    const { palette, markers } = this.game, { draft } = this;
    for (const { side, x, y, label, steps } of this.places) {
      const chosen = steps.includes(this.step);
      if (draft && side === 0) continue;
      if (this.step >= 0 ? !chosen : !this.targets[side]) continue;
      const now = !steps.length || chosen || steps.some((p) => this.game.stepState(t, p) === ACTIVE);
      this.drawPlace(draw, side, x, y, label, now);
    }
    if (draft) {
      const sorted = [...draft.places].sort((one, other) => one.steps.includes(draft.step) - other.steps.includes(draft.step));
      for (const { side, x, y, label, steps } of sorted) this.drawPlace(draw, side, x, y, label, draft.step === null || steps.includes(draft.step));
    }
    for (const [letter, [x, y]] of Object.entries(markers)) drawPin(draw, palette.marker, ...this.toScreen(x, y), letter, 1, true);
  }

  drawPlace(draw, side, x, y, label, strong) {
    const [px, py] = this.toScreen(x, y);
    if (px < -1 || py < -1 || px > this.wide + 1 || py > this.high + 1) return;
    const inset = (at, size) => Math.min(Math.max(at, 8), size - 8); // a sign at the border stays whole
    drawTarget(draw, this.game.palette.target[side], inset(px, this.wide), inset(py, this.high), label, strong ? 1 : 0.42, this.wide);
  }

  // Works out where all units stand on the canvas, a share `a` of the way from frame t to the next. A unit at the
  // border of the map is moved inwards, so that it stays inside the frame.
  place(t, a) {
    const { units: N, frames, metres, type } = this.game, { ratio } = this;
    const here = this.game.at(t).position, there = this.game.at(Math.min(t + 1, frames - 1)).position;
    const scale = metres / 65535 * this.scale * ratio, left = this.left * ratio, bottom = this.origin * ratio;
    const spot = this.spot = this.spot || new Float32Array(2 * N), size = 65535 * scale;
    const insets = this.radius.map((r) => Math.min(REACH * r * ratio, size / 2));
    for (let k = 0; k < 2 * N; k += 2) {
      const inset = insets[type[k >> 1]];
      spot[k] = left + Math.min(Math.max((here[k] + (there[k] - here[k]) * a) * scale, inset), size - inset);
      spot[k + 1] = bottom - Math.min(Math.max((here[k + 1] + (there[k + 1] - here[k + 1]) * a) * scale, inset), size - inset);
    }
  }

  drawUnits(t, a) {
    const { game, units: draw, atlas, cell, spot } = this;
    const { units: N, frames, side, type, metres, kind } = game;
    const here = game.at(t), there = game.at(Math.min(t + 1, frames - 1)), kinds = game.palette.types.length;
    const wide = this.units.canvas.width, high = this.units.canvas.height, half = cell / 2, toCell = metres / 65536;
    draw.setTransform(1, 0, 0, 1, 0, 0);
    draw.clearRect(0, 0, wide, high);
    const image = this.stamps && draw.createImageData(wide, high), pixels = image && new Uint32Array(image.data.buffer);
    const stamp = (i, column, size, alpha) => {
      if (!alpha) return;
      if (pixels) return this.copy(this.stamps[(side[i] * kinds + type[i]) * 3 + column], spot[2 * i], spot[2 * i + 1], alpha, pixels, wide, high);
      draw.globalAlpha = alpha;
      draw.drawImage(atlas, column * cell, (side[i] * kinds + type[i]) * cell, cell, cell,
        spot[2 * i] - half * size, spot[2 * i + 1] - half * size, cell * size, cell * size);
    };
    const within = (at, size) => at > -half && at < size + half;
    const seen = (i) => within(spot[2 * i], wide) && within(spot[2 * i + 1], high);
    for (let k = 0; k < N; k++) {
      const i = this.order[k];
      if (there.health[i] > 0 || !seen(i)) continue;
      stamp(i, CORPSE, 1, here.health[i] > 0 ? a : 1);
    }
    const burnt = game.fireAt(t);
    const shade = (i) => { // column of the atlas: greener inside a forest
      const cellX = Math.floor(here.position[2 * i] * toCell), cellY = Math.floor(here.position[2 * i + 1] * toCell);
      const at = cellX * metres + cellY;
      return kind[at] & game.palette.forest && !(burnt && burnt[at] === BURNT_OUT) ? 1 : 0;
    };
    const live = (i, alpha) => {
      const falling = !(there.health[i] > 0);
      stamp(i, shade(i), falling ? 1 - 0.5 * a : 1, falling ? alpha * (1 - a) : alpha);
    };
    const obeys = this.chooser(here);
    for (const chosen of obeys ? [false, true] : [true]) { // chosen units over faint others
      for (let k = 0; k < N; k++) {
        const i = this.order[k];
        if (!(here.health[i] > 0) || !seen(i) || (obeys && Boolean(obeys(i)) !== chosen)) continue;
        live(i, chosen ? 1 : 0.25);
      }
    }
    if (image) draw.putImageData(image, 0, 0);
    draw.globalAlpha = 1;
    if (this.streaks) {
      if (a < 1) this.drawStreaks(here, 1 - a);
      if (a > 0 && there !== here) this.drawStreaks(there, a);
    }
    if (this.draft) this.drawWays(here);
    if (this.marked >= 0) {
      if (here.health[this.marked] > 0 && !pixels) live(this.marked, 1);
      draw.globalAlpha = 1;
      this.ring(this.marked);
    }
  }

  // Says of a unit whether it stands out: those of the draft's step in hand, or those that the chosen step commands now.
  chooser({ group }) {
    if (this.draft && this.draft.units) return (i) => this.draft.units[i];
    if (this.step < 0) return null;
    const { groups } = this.game.course;
    return (i) => group[i] > 0 && groups[group[i] - 1].step === this.step;
  }

  // Of each group of the draft's step in hand, the way from the middle of its living units to its target.
  drawWays({ health }) {
    const { units: draw, spot, ratio, draft } = this;
    for (const { ids, x, y } of draft.ways) {
      let sumX = 0, sumY = 0, count = 0;
      for (const [from, to] of ids) {
        for (let i = from; i < to; i++) {
          if (health[i] > 0) { sumX += spot[2 * i]; sumY += spot[2 * i + 1]; count++; }
        }
      }
      if (!count) continue;
      const [px, py] = this.toScreen(x, y).map((at) => at * ratio);
      draw.setLineDash([7 * ratio, 5 * ratio]);
      for (const [paint, width] of [[halo(), 4], [rgb(onGround(this.game.palette.target[0])), 1.8]]) {
        draw.strokeStyle = paint; draw.lineWidth = width * ratio;
        draw.beginPath(); draw.moveTo(sumX / count, sumY / count); draw.lineTo(px, py); draw.stroke();
      }
      draw.setLineDash([]);
    }
  }

  drawStreaks({ attack }, alpha) {
    const { units: N, side, palette } = this.game, { units: draw, spot, ratio } = this;
    draw.lineWidth = Math.max(1, 0.2 * Math.max(...this.radius)) * ratio;
    for (let own = 0; own < 2; own++) {
      draw.beginPath();
      for (let i = 0; i < N; i++) {
        const foe = attack[i] - 1;
        if (foe < 0 || side[i] !== own) continue;
        draw.moveTo(spot[2 * i], spot[2 * i + 1]);
        draw.lineTo(spot[2 * foe], spot[2 * foe + 1]);
      }
      draw.strokeStyle = rgb(onGround(palette.curves[own]), 0.62 * alpha);
      draw.stroke();
    }
  }

  // Where unit i stands in the map area, in screen pixels.
  screenOf(i) { return [this.spot[2 * i] / this.ratio, this.spot[2 * i + 1] / this.ratio]; }

  ring(i) {
    const { units: draw, spot, ratio } = this, r = (this.radius[this.game.type[i]] + 4) * ratio;
    for (const [paint, width] of [[halo(), 4], [rgb(onGround([38, 42, 48], 0.9)), 1.8]]) {
      draw.strokeStyle = paint; draw.lineWidth = width * ratio;
      draw.beginPath(); draw.arc(spot[2 * i], spot[2 * i + 1], r, 0, 2 * Math.PI); draw.stroke();
    }
  }

  // The unit nearest to a place on the screen, the living before the dead, or -1.
  find(px, py, t) {
    const { units: N, type } = this.game, { health } = this.game.at(t), { spot, ratio } = this;
    let best = -1, least = Infinity;
    for (let i = 0; i < N; i++) {
      const dx = spot[2 * i] / ratio - px, dy = spot[2 * i + 1] / ratio - py, dead = !(health[i] > 0);
      const reach = Math.max(this.radius[type[i]] + 2, 7), away = dx * dx + dy * dy;
      if (away > reach * reach || away + (dead ? 1e6 : 0) >= least) continue;
      [best, least] = [i, away + (dead ? 1e6 : 0)];
    }
    return best;
  }
}
