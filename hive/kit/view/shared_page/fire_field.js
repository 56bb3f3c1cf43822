// The map of a wildfire: ground and fire below, ways, civilians and crews in the middle, what the task names on top.

const UNSEEN = 0, WET = 1, DRY = 5, IGNITED = 9, BURNT = 12, BUILDING = 14, CIVILIAN = 15; // codes of cells
const GAP = 20; // ticks between two frames of a running game: a longer way is not drawn
const MOST_WAYS = 200, MOST_NUMBERED = 2000; // units: with more, ways and numbers would cover the map
const WHITE = "#fff";

function traceCrew(draw, shape, x, y, r) {
  const points = { triangle: [[0, -1.3], [1.2, 0.85], [-1.2, 0.85]], diamond: [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]] }[shape];
  draw.beginPath();
  if (shape === "circle") draw.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "square") draw.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else { points.forEach(([px, py], k) => draw[k ? "lineTo" : "moveTo"](x + px * r, y + py * r)); draw.closePath(); }
}

function drawCrew(draw, palette, kind, x, y, r) {
  const rim = Math.max(1, 0.2 * r);
  for (const [paint, grow] of [[WHITE, rim], [rgb(palette.edges[kind]), 0], [rgb(palette.crews[kind]), -rim]]) {
    draw.fillStyle = paint;
    traceCrew(draw, palette.crewShapes[kind], x, y, r + grow);
    draw.fill();
  }
}

function drawFallen(draw, colour, x, y, r) {
  for (const [paint, width] of [[WHITE, 0.95 * r], [rgb(colour), 0.5 * r]]) {
    draw.strokeStyle = paint; draw.lineWidth = Math.max(1, width);
    draw.beginPath();
    draw.moveTo(x - r, y - r); draw.lineTo(x + r, y + r); draw.moveTo(x - r, y + r); draw.lineTo(x + r, y - r);
    draw.stroke();
  }
}

function drawCivilian(draw, palette, state, x, y, r) {
  if (state === "dead") return drawFallen(draw, palette.civilians.dead, x, y, 0.8 * r);
  const rim = Math.max(1, 0.28 * r);
  for (const [colour, grow] of [[palette.ink, rim], [palette.civilians[state], 0]]) {
    draw.fillStyle = rgb(colour);
    draw.beginPath(); draw.arc(x, y - 0.6 * r, 0.5 * r + grow, 0, 2 * Math.PI); draw.fill();
    draw.beginPath(); draw.arc(x, y + 0.9 * r, 0.9 * r + grow, Math.PI, 2 * Math.PI); draw.closePath(); draw.fill();
  }
}

function drawWord(draw, text, x, y, colour, right = Infinity) {
  draw.font = "700 12px system-ui, sans-serif";
  draw.textBaseline = "middle"; draw.lineJoin = "round"; draw.lineWidth = 3.5; draw.strokeStyle = halo(); draw.fillStyle = rgb(onGround(colour, 0.6));
  const wide = draw.measureText(text).width, from = x + 7 + wide < right ? x + 7 : x - 7 - wide;
  draw.strokeText(text, from, y); draw.fillText(text, from, y);
}

function drawFrame(draw, x, y, wide, colour, line) {
  for (const [paint, width] of [[halo(), line + 2], [rgb(onGround(colour)), line]]) {
    draw.strokeStyle = paint; draw.lineWidth = width;
    draw.strokeRect(x, y, wide, wide);
  }
}

function drawRing(draw, x, y, r, colour) {
  for (const [paint, width] of [[halo(), 4.5], [rgb(onGround(colour)), 2]]) {
    draw.strokeStyle = paint; draw.lineWidth = width;
    draw.beginPath(); draw.arc(x, y, r, 0, 2 * Math.PI); draw.stroke();
  }
}

class FireField extends View {
  constructor(game) {
    super(game.size, 1);
    this.game = game;
    this.shown = { fog: true, team: false, ways: game.units <= MOST_WAYS, civilians: true, task: true };
    this.marked = -1; // unit with a ring
    this.draft = null; // a plan that is not followed yet, as in a battle's field
    this.frame = 0;
    this.tiles = document.createElement("canvas");
    this.tiles.width = this.tiles.height = game.size;
    this.radius = Math.min(Math.max(150 / Math.sqrt(game.units || 1), 2.4), 7);
    this.spot = new Float32Array(2 * game.units); // screen pixels
  }

  prepare() { this.drawGround(this.frame); }

  drawGround(t) {
    const { game, ground: draw, ratio, scale, shown } = this, { size: S, palette } = game;
    this.frame = t;
    const truth = game.ground.at(t), seen = game.seen.at(t), code = shown.team ? seen : truth, open = 4; // land of brush
    const burns = (code) => code >= IGNITED && code < BURNT, colours = palette.ground.map((row, code) => (burns(code) ? row : row.map(ground)));
    const unknown = ground(palette.unknown), picture = this.tiles.getContext("2d"), image = picture.createImageData(S, S), pixels = image.data;
    for (let x = 0, k = 0; x < S; x++) {
      for (let y = 0; y < S; y++, k++) {
        const colour = colours[code[k]][shown.team ? open : game.land[k]], to = 4 * (y * S + x);
        const lit = code[k] >= IGNITED && code[k] <= BURNT; // a fire stands out where no unit has looked
        const fog = shown.fog && !shown.team && !lit && seen[k] === UNSEEN ? palette.fog : 0;
        for (let c = 0; c < 3; c++) pixels[to + c] = colour[c] + (unknown[c] - colour[c]) * fog;
        pixels[to + 3] = 255;
      }
    }
    picture.putImageData(image, 0, 0);
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    draw.imageSmoothingEnabled = false;
    const long = S * scale;
    draw.drawImage(this.tiles, this.left, this.origin, long, long);
    const inset = scale >= 6 ? 0.12 * scale : 0;
    draw.fillStyle = draw.strokeStyle = rgb(ground(palette.house));
    draw.lineWidth = Math.max(1, 0.14 * scale);
    for (let k = 0; k < S * S; k++) {
      if (shown.team ? code[k] !== BUILDING : !game.building[k]) continue;
      const burnt = !shown.team && truth[k] > IGNITED && truth[k] <= BURNT, [x, y] = this.toScreen(Math.floor(k / S), k % S);
      draw[burnt ? "strokeRect" : "fillRect"](x + inset, y + inset, scale - 2 * inset, scale - 2 * inset);
    }
    draw.lineWidth = 1;
    draw.strokeStyle = "#96999e";
    draw.strokeRect(this.left - 0.5, this.origin - 0.5, long + 1, long + 1);
    this.showScale("cells", " · north is up ↑");
  }

  // What the task names: cells to clear, the goal, and the places that were told.
  drawSigns(t) {
    const { game, signs: draw, ratio, scale, shown } = this, { known, palette } = game;
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    if (this.draft) this.drawDraft(draw, palette);
    if (!shown.task) return;
    const code = game.ground.at(t), line = Math.min(2, 0.16 * scale);
    for (const [cx, cy] of game.cells) {
      const is = code[cx * game.size + cy], done = is === DRY || is === WET || (is >= IGNITED && is <= BURNT);
      drawFrame(draw, ...this.toScreen(cx, cy), scale, done ? palette.done : palette.task, line);
    }
    if (known.goal) {
      const [gx, gy] = known.goal, [x, y] = this.toScreen(gx - game.reach, gy - game.reach), wide = (2 * game.reach + 1) * scale;
      drawFrame(draw, x, y, wide, palette.ink, 2);
      drawWord(draw, "goal", x + wide, y, palette.ink, this.wide);
    }
    const places = [[known.fire, "fire", palette.fire], [known.water, "water", palette.water], ...known.clusters.map((place) => [place, "civilians", palette.ink])];
    for (const [place, word, colour] of places) {
      if (!place) continue;
      const [x, y] = this.toScreen(place[0] + 0.5, place[1] + 0.5), r = Math.max(9, 0.9 * scale);
      drawRing(draw, x, y, r, colour);
      drawWord(draw, word, x + 0.4 * r, y - r - 8, colour, this.wide);
    }
  }

  // The targets of a plan that is being written, with the numbers of their steps; those of other steps are faint.
  drawDraft(draw, palette) {
    const { places, step } = this.draft;
    for (const { x, y, label, steps } of places) {
      const [px, py] = this.toScreen(x + 0.5, y + 0.5);
      draw.globalAlpha = step === null || steps.includes(step) ? 1 : 0.42;
      drawRing(draw, px, py, 5.4, palette.task);
      drawWord(draw, label, px + 3, py, palette.ink, this.wide);
      draw.globalAlpha = 1;
    }
  }

  // Works out where all units stand on the screen, a share `a` of the way from frame t to the next.
  place(t, a) {
    const { units: N, frames, size } = this.game, { spot } = this;
    const here = this.game.at(t).position, there = this.game.at(Math.min(t + 1, frames - 1)).position, scale = size / 65535 * this.scale;
    for (let k = 0; k < 2 * N; k++) {
      const at = here[k] + (there[k] - here[k]) * a;
      spot[k] = (k & 1 ? this.origin : this.left) + at * scale;
    }
  }

  drawUnits(t, a) {
    const { game, units: draw, ratio, spot, radius: r, shown } = this, { units: N, palette, kind } = game, { alive } = game.at(t);
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.wide, this.high);
    if (shown.ways) this.drawWays(t);
    if (shown.civilians) this.drawCivilians(t, r);
    for (let i = 0; i < N; i++) {
      if (!alive[i]) drawFallen(draw, palette.edges[kind[i]], spot[2 * i], spot[2 * i + 1], 0.7 * r);
    }
    for (const { x, y, kind: own, units } of this.group(t)) {
      drawCrew(draw, palette, own, x, y, r);
      const lifted = this.countAboard(t, units), words = [...(units.length > 1 ? [`×${units.length}`] : []), ...(lifted ? [`+${lifted}`] : [])];
      if (words.length) drawWord(draw, words.join(" "), x + 0.6 * r, y, palette.edges[own], this.wide);
      if (shown.civilians && units.some((i) => this.bearers.has(i))) drawCivilian(draw, palette, "civilian", x, y + 0.1 * r, 0.45 * r);
    }
    for (let i = 0; this.draft && this.draft.units && i < N; i++) {
      if (this.draft.units[i] && alive[i]) drawRing(draw, ...this.screenOf(i), r + 3, palette.task);
    }
    if (this.marked >= 0) {
      draw.strokeStyle = rgb(onGround([38, 42, 48], 0.9)); draw.lineWidth = 2;
      draw.beginPath(); draw.arc(...this.screenOf(this.marked), r + 5, 0, 2 * Math.PI); draw.stroke();
    }
  }

  // Living units on the ground and in the air as marks: those of one type in one cell are one mark.
  group(t) {
    const { game, spot, radius: r } = this, { units: N, size } = game, { position, alive, aboard } = game.at(t), cells = new Map();
    const toCell = size / 65536;
    for (let i = 0; i < N; i++) {
      if (!alive[i] || aboard[i]) continue;
      const p = 2 * i, cell = N > MOST_NUMBERED ? i : `${Math.floor(position[p] * toCell)} ${Math.floor(position[p + 1] * toCell)}`;
      if (!cells.has(cell)) cells.set(cell, new Map());
      const kinds = cells.get(cell);
      if (!kinds.has(game.kind[i])) kinds.set(game.kind[i], []);
      kinds.get(game.kind[i]).push(i);
    }
    const marks = [];
    for (const kinds of cells.values()) {
      const sorted = [...kinds].sort(([one], [other]) => one - other);
      sorted.forEach(([kind, units], k) => {
        let x = 0, y = 0;
        for (const i of units) { x += spot[2 * i] / units.length; y += spot[2 * i + 1] / units.length; }
        if (sorted.length > 1) {
          const turn = 2 * Math.PI * k / sorted.length - Math.PI / 2;
          x += 1.35 * r * Math.cos(turn); y += 1.35 * r * Math.sin(turn);
        }
        marks.push({ x, y, kind, units });
      });
    }
    this.marks = marks;
    return marks;
  }

  countAboard(t, units) {
    const { units: N } = this.game, { aboard } = this.game.at(t);
    if (N > MOST_NUMBERED) return 0;
    let sum = 0;
    for (let i = 0; i < N; i++) sum += aboard[i] && units.includes(aboard[i] - 1);
    return sum;
  }

  drawWays(t) {
    const { game, units: draw, left, origin, spot } = this, { units: N, size, palette } = game;
    const scale = size / 65535 * this.scale;
    draw.lineJoin = "round";
    for (const [from, to, alpha, width] of [[0, Math.max(0, t - 15), 0.28, 1.2], [Math.max(0, t - 15), t, 0.7, 1.8]]) {
      draw.lineWidth = width;
      for (let i = 0; i < N; i++) {
        draw.strokeStyle = rgb(palette.crews[game.kind[i]], alpha);
        draw.beginPath();
        for (let s = from, on = false; s <= to; s++) {
          const { position, aboard } = game.at(s);
          if (game.live && s > 0 && game.tick[s] - game.tick[s - 1] > GAP) on = false;
          if (aboard[i] || (s > 0 && !game.at(s - 1).alive[i])) { on = false; continue; }
          draw[on ? "lineTo" : "moveTo"](left + position[2 * i] * scale, origin + position[2 * i + 1] * scale);
          on = true;
        }
        if (to === t && game.at(t).alive[i] && !game.at(t).aboard[i]) draw.lineTo(spot[2 * i], spot[2 * i + 1]);
        draw.stroke();
      }
    }
  }

  drawCivilians(t, r) {
    const { game, units: draw } = this, { civilians: V, palette } = game;
    this.bearers = new Set();
    const cells = new Map(), taken = new Set(), { size, units: N } = game, { position, alive, bearer, civilian } = game.at(t);
    for (let k = 0; N <= MOST_NUMBERED && k < 2 * N; k += 2) {
      if (alive[k / 2]) taken.add(`${Math.floor(position[k] * size / 65536)} ${Math.floor(position[k + 1] * size / 65536)}`);
    }
    for (let v = 0; v < V; v++) {
      const state = this.civilianState(t, v);
      if (state === "carried") { this.bearers.add(bearer[v] - 1); continue; }
      const key = `${state} ${civilian[0][v]} ${civilian[1][v]}`;
      cells.set(key, (cells.get(key) || 0) + 1);
    }
    for (const [key, count] of cells) {
      const [state, x, y] = key.split(" "), aside = taken.has(`${x} ${y}`) ? r : 0; // so that no unit hides it
      const [middle, south] = this.toScreen(Number(x) + 0.5, Number(y) + 0.5), px = middle - 1.5 * aside, py = south - 0.9 * aside;
      drawCivilian(draw, palette, state, px, py, r);
      if (count > 1) drawWord(draw, `×${count}`, px + 0.5 * r, py, palette.ink, this.wide);
    }
  }

  civilianState(t, v) {
    const { known: { goal }, reach } = this.game, { living, bearer, civilian } = this.game.at(t);
    if (!living[v]) return "dead";
    if (bearer[v]) return "carried";
    return goal && [0, 1].every((axis) => Math.abs(civilian[axis][v] - goal[axis]) <= reach) ? "safe" : "civilian";
  }

  screenOf(i) {
    const mark = (this.marks || []).find(({ units }) => units.includes(i));
    return mark ? [mark.x, mark.y] : [this.spot[2 * i], this.spot[2 * i + 1]];
  }

  // The unit nearest to a place on the screen, the living before the dead, or -1.
  find(px, py, t) {
    const { units: N } = this.game, { alive } = this.game.at(t), reach = Math.max(this.radius + 3, 8);
    let best = -1, least = reach * reach;
    for (const { x, y, units } of this.marks || []) {
      const away = (x - px) ** 2 + (y - py) ** 2;
      if (away < least) [best, least] = [units[0], away];
    }
    for (let i = 0; best < 0 && i < N; i++) {
      if (!alive[i] && (this.spot[2 * i] - px) ** 2 + (this.spot[2 * i + 1] - py) ** 2 < least) best = i;
    }
    return best;
  }
}
