// A recorded run in a kitchen by frame.

function makeKitchen(meta, stored) {
  const T = meta.frames, game = { ...meta, tick: stored.tick, ticks: stored.tick, served: stored.served };
  const rows = { tile: 2, facing: 2, held: 2, doing: 2, done: 2, counters: meta.counters, contents: 3 * meta.utensils, product: meta.utensils,
    work: meta.utensils, notice: meta.utensils };
  const values = Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, byFrame(stored[name], T, count)]));
  const frames = Array.from({ length: T }, (_, t) => Object.fromEntries(
    Object.entries(rows).map(([name, count]) => [name, values[name].subarray(t * count, (t + 1) * count)])));
  game.at = (t) => frames[t];
  const stationAt = new Map(meta.stations.map(({ tile: [x, y] }, number) => [y * meta.width + x, number]));
  game.facedBy = (t, cook) => { // number of the station that a cook faces, or -1
    const { tile, facing } = frames[t], [east, south] = meta.directions[facing[cook]];
    return stationAt.get(tile[cook] + east + south * meta.width) ?? -1;
  };
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  game.scale = [game.first, game.last];
  return game;
}
