// From the text in the page to arrays by frame. The packing is told in replay_data.py.

const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };
const WAITING = 0, ACTIVE = 1, ACHIEVED = 2;

async function unpack() {
  if (typeof DecompressionStream !== "function") {
    throw new Error("This browser cannot unpack the recording, because it has no DecompressionStream. " +
      "Chromium or Chrome 80, Edge 80, Firefox 113 and Safari 16.4, or any later one, can.");
  }
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const text = atob(document.getElementById("data").textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stored = {};
  await Promise.all(meta.arrays.map(async ({ name, kind, start, size }) => {
    const stream = new Blob([bytes.subarray(start, start + size)]).stream();
    const whole = await new Response(stream.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    stored[name] = new KINDS[kind](whole);
  }));
  return makeGame(meta, stored);
}

// Everything of a game by frame: index t * units + i, and positions as x, y pairs of 65535ths of the map's side.
function makeGame(meta, stored) {
  const T = meta.frames, N = meta.units;
  const game = { ...meta, tick: stored.tick, side: stored.side, type: stored.type, kind: stored.kind,
    maxHealth: stored.max_health, healthValues: stored.health_values, score: stored.score, active: stored.active,
    position: unfold(stored.position, T, N) };
  for (const name of ["health", "attack", "group", "leaf"]) {
    if (stored[name]) game[name] = byFrame(stored[name], T, N);
  }
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  const kinds = meta.palette.types.length;
  game.alive = new Uint32Array(T * 2 * kinds); // by frame, side and type
  game.fell = new Int32Array(N).fill(-1); // tick of the first frame in which a unit is dead
  for (let t = 0; t < T; t++) {
    for (let i = 0; i < N; i++) {
      if (game.health[t * N + i] > 0) game.alive[(t * 2 + game.side[i]) * kinds + game.type[i]]++;
      else if (game.fell[i] < 0) game.fell[i] = game.tick[t];
    }
  }
  game.living = (t, side) => {
    const from = (t * 2 + side) * kinds;
    return game.alive.subarray(from, from + kinds).reduce((sum, count) => sum + count, 0);
  };
  game.size = [0, 1].map((side) => game.side.filter((s) => s === side).length);
  const steps = meta.course ? meta.course.steps : [];
  game.stepState = (t, p) => {
    const { achieved } = steps[p];
    return achieved >= 0 && achieved <= game.tick[t] ? ACHIEVED : game.active[t * steps.length + p] ? ACTIVE : WAITING;
  };
  if (steps.some(({ plan }) => plan)) { // the player followed several plans: its steps carry the number of theirs
    const named = ({ plan }, number) => `${plan + 1}.${number}`;
    for (const step of steps.filter(({ side }) => side === 0)) {
      step.after = step.after.map((number) => named(step, number));
      step.number = named(step, step.number);
    }
  }
  game.planNow = (t, side) => Math.max(0, ...steps.map((step, p) => (step.side === side && game.stepState(t, p) !== WAITING ? step.plan : 0)));
  return game;
}

function unfold(planes, T, N) {
  const out = new Uint16Array(2 * T * N), half = 2 * N * T;
  for (let axis = 0, at = 0; axis < 2; axis++) {
    for (let i = 0; i < N; i++) {
      let value = 0;
      for (let t = 0, to = 2 * i + axis; t < T; t++, at++, to += 2 * N) {
        const folded = planes[at] | planes[half + at] << 8;
        value += (folded >> 1) ^ -(folded & 1);
        out[to] = value; // modulo 65536, as it was packed
      }
    }
  }
  return out;
}

function byFrame(values, T, N) {
  const out = new values.constructor(T * N);
  for (let i = 0, at = 0; i < N; i++) {
    for (let t = 0; t < T; t++, at++) out[t * N + i] = values[at];
  }
  return out;
}
