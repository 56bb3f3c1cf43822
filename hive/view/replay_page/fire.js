// A wildfire by frame: crews, civilians, and maps that are their start and a list of changes.

const UNSEEN = 0, WET = 1, DRY = 5, IGNITED = 9, BURNT = 12, BUILDING = 14, CIVILIAN = 15;

function makeFire(meta, stored) {
  const T = meta.frames, N = meta.units, V = meta.civilians;
  const game = { ...meta, tick: stored.tick, kind: stored.kind, land: stored.land, building: stored.building,
    score: stored.score, losses: stored.losses, position: unfold(stored.position, T, N) };
  for (const name of ["alive", "water", "aboard", "code", "tree"]) game[name] = byFrame(stored[name], T, N);
  for (const name of ["living", "bearer"]) game[name] = byFrame(stored[name], T, V);
  const byAxis = (values, count) => [0, 1].map((axis) => byFrame(values.subarray(axis * T * count, (axis + 1) * T * count), T, count));
  game.place = byAxis(stored.place, N);
  game.target = byAxis(stored.target, N);
  game.civilian = byAxis(stored.civilian, V);
  game.ground = new Grid(stored, "ground");
  game.seen = new Grid(stored, "seen");
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
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
  game.count = (t, kind) => {
    let sum = 0;
    for (let i = 0; i < N; i++) sum += game.kind[i] === kind && game.alive[t * N + i];
    return sum;
  };
  game.planAt = (t) => { // the last plan that was written by then: its place in the list
    let found = -1;
    for (const [k, [tick]] of game.plans.entries()) if (tick <= game.tick[t]) found = k;
    return found;
  };
  const [goal, reach] = [meta.known.goal, meta.reach];
  game.civilianState = (t, v) => {
    const at = t * V + v;
    if (!game.living[at]) return "dead";
    if (game.bearer[at]) return "carried";
    return goal && [0, 1].every((axis) => Math.abs(game.civilian[axis][at] - goal[axis]) <= reach) ? "safe" : "civilian";
  };
  return game;
}
