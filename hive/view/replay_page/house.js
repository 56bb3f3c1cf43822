// A recorded episode of housework by frame.

function makeHouse(meta, stored) {
  const T = meta.frames, N = meta.agents.length, game = { ...meta, tick: stored.tick, ticks: stored.tick, finished: stored.finished };
  const rows = { room: N, at: 2 * N, hands: 2 * N, doing: N, place: meta.things.length, open: meta.furniture.length };
  const values = Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, byFrame(stored[name], T, count)]));
  const frames = Array.from({ length: T }, (_, t) => Object.fromEntries(
    Object.entries(rows).map(([name, count]) => [name, values[name].subarray(t * count, (t + 1) * count)])));
  game.at = (t) => frames[t];
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  game.scale = [game.first, game.last];
  game.placeOf = (t, agent) => { // metres from the north-west corner, y downwards
    const { at } = frames[t];
    return [meta.corner[0] + at[2 * agent] / 1000, meta.corner[1] - at[2 * agent + 1] / 1000];
  };
  game.held = (t, agent) => [0, 1].map((hand) => frames[t].hands[2 * agent + hand]).filter((m) => m > 0).map((m) => m - 1);
  game.inside = (t, m) => [...meta.things.keys()].filter((other) => frames[t].place[other] === meta.codes.inside + m);
  game.named = (t, m) => { // with what is in it, as in `tea_tray_1 (apple_1, bread_2)`
    const things = game.inside(t, m).map((other) => meta.things[other].name);
    return meta.things[m].name + (things.length ? ` (${things.join(", ")})` : "");
  };
  return game;
}
