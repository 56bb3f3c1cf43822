// A recorded battle by frame, and how far its plans are.

// Everything of a game by frame: index t * units + i, and positions as x, y pairs of 65535ths of the map's side.
function makeGame(meta, stored) {
  const T = meta.frames, N = meta.units;
  const game = { ...meta, tick: stored.tick, ticks: stored.tick, side: stored.side, type: stored.type, kind: stored.kind,
    maxHealth: stored.max_health, healthValues: stored.health_values, score: stored.score, active: stored.active,
    position: unfold(stored.position, T, N) };
  const arrays = ["health", "attack", "group", "leaf"].filter((name) => stored[name]);
  for (const name of arrays) game[name] = byFrame(stored[name], T, N);
  const frames = Array.from({ length: T }, (_, t) => {
    const frame = { position: game.position.subarray(2 * t * N, 2 * (t + 1) * N) };
    for (const name of arrays) frame[name] = game[name].subarray(t * N, (t + 1) * N);
    return frame;
  });
  game.at = (t) => frames[t];
  game.healthOf = (t, i) => game.healthValues[frames[t].health[i]];
  if (stored.fire_start) game.fire = new Grid(stored, "fire");
  game.fireAt = (t) => game.fire && game.fire.at(t);
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  game.scale = [game.first, game.last];
  const kinds = meta.palette.types.length;
  game.alive = new Uint32Array(T * 2 * kinds); // by frame, side and type
  game.fell = new Int32Array(N).fill(-1); // tick of the first frame in which a unit is dead
  for (let t = 0; t < T; t++) {
    for (let i = 0; i < N; i++) {
      if (game.health[t * N + i] > 0) game.alive[(t * 2 + game.side[i]) * kinds + game.type[i]]++;
      else if (game.fell[i] < 0) game.fell[i] = game.tick[t];
    }
  }
  game.count = (t, side, type) => game.alive[(t * 2 + side) * kinds + type];
  game.living = (t, side) => {
    const from = (t * 2 + side) * kinds;
    return game.alive.subarray(from, from + kinds).reduce((sum, count) => sum + count, 0);
  };
  game.curve = game.living; // the points of the curves are the frames
  game.scoreAt = (t) => game.score[t];
  game.size = [0, 1].map((side) => game.side.filter((s) => s === side).length);
  game.whole = (side, type) => game.count(0, side, type);
  const steps = meta.course ? meta.course.steps : [];
  game.stepState = (t, p) => {
    const { achieved } = steps[p];
    return achieved >= 0 && achieved <= game.tick[t] ? ACHIEVED : game.active[t * steps.length + p] ? ACTIVE : WAITING;
  };
  nameSteps(steps);
  game.planNow = (t, side) => Math.max(0, ...steps.map((step, p) => (step.side === side && game.stepState(t, p) !== WAITING ? step.plan : 0)));
  // Stretches of one state of a step, as shares of the game.
  game.spans = (p) => {
    const whole = Math.max(game.last - game.first, 1), found = [];
    for (let t = 0; t < T; t++) {
      const is = game.stepState(t, p), at = (game.tick[t] - game.first) / whole;
      if (found.length && found.at(-1)[2] === is) continue;
      if (found.length) found.at(-1)[1] = at;
      found.push([at, 1, is]);
    }
    return found;
  };
  return game;
}
