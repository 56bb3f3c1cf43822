// A recorded wildfire by frame: crews, civilians, and maps that are their start and a list of changes.

function makeFire(meta, stored) {
  const T = meta.frames, N = meta.units, V = meta.civilians;
  const game = { ...meta, tick: stored.tick, ticks: stored.tick, kind: stored.kind, land: stored.land, building: stored.building,
    score: stored.score, losses: stored.losses, position: unfold(stored.position, T, N) };
  for (const name of ["alive", "water", "aboard", "code", "tree"]) game[name] = byFrame(stored[name], T, N);
  for (const name of ["living", "bearer"]) game[name] = byFrame(stored[name], T, V);
  const byAxis = (values, count) => [0, 1].map((axis) => byFrame(values.subarray(axis * T * count, (axis + 1) * T * count), T, count));
  game.place = byAxis(stored.place, N);
  game.target = byAxis(stored.target, N);
  game.civilian = byAxis(stored.civilian, V);
  const frames = Array.from({ length: T }, (_, t) => {
    const frame = { position: game.position.subarray(2 * t * N, 2 * (t + 1) * N) };
    const part = (values, count) => values.subarray(t * count, (t + 1) * count);
    for (const name of ["alive", "water", "aboard", "code", "tree"]) frame[name] = part(game[name], N);
    for (const name of ["living", "bearer"]) frame[name] = part(game[name], V);
    for (const name of ["place", "target"]) frame[name] = game[name].map((axis) => part(axis, N));
    frame.civilian = game.civilian.map((axis) => part(axis, V));
    frame.losses = stored.losses.subarray(t * meta.lossNames.length, (t + 1) * meta.lossNames.length);
    return frame;
  });
  game.at = (t) => frames[t];
  game.scoreAt = (t) => game.score[t];
  game.burningAt = (t) => game.burning[t];
  game.exploredAt = (t) => game.explored[t];
  game.planList = game.plans;
  game.ground = new Grid(stored, "ground");
  game.seen = new Grid(stored, "seen");
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  game.scale = [game.first, game.last];
  game.burning = new Uint32Array(T);
  game.explored = new Uint32Array(T);
  const tally = (map, counts, is) => {
    const now = map.start.slice();
    let sum = now.reduce((whole, code) => whole + is(code), 0), k = 0;
    for (let t = 0; t < T; t++) {
      for (; k < map.ends[t]; k++) {
        sum += is(map.code[k]) - is(now[map.cell[k]]);
        now[map.cell[k]] = map.code[k];
      }
      counts[t] = sum;
    }
  };
  tally(game.ground, game.burning, (code) => code >= IGNITED && code < BURNT);
  tally(game.seen, game.explored, (code) => code !== UNSEEN);
  game.planAt = (t) => { // the last plan that was written by then: its place in the list
    let found = -1;
    for (const [k, [tick]] of game.plans.entries()) if (tick <= game.tick[t]) found = k;
    return found;
  };
  return game;
}
