// A battle by frame, and how far its plans are.

const WAITING = 0, ACTIVE = 1, ACHIEVED = 2;

// Everything of a game by frame: index t * units + i, and positions as x, y pairs of 65535ths of the map's side.
function makeGame(meta, stored) {
  const T = meta.frames, N = meta.units;
  const game = { ...meta, tick: stored.tick, side: stored.side, type: stored.type, kind: stored.kind,
    maxHealth: stored.max_health, healthValues: stored.health_values, score: stored.score, active: stored.active,
    position: unfold(stored.position, T, N) };
  for (const name of ["health", "attack", "group", "leaf"]) {
    if (stored[name]) game[name] = byFrame(stored[name], T, N);
  }
  if (stored.fire_start) game.fire = new Grid(stored, "fire");
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
