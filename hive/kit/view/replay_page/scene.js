// A recorded game of a small world: rows of a table for each frame.

function makeScene(meta, stored) {
  const { tick, count, item, panel, place } = stored, T = meta.frames, each = panel.length / T, movers = place.length / T;
  const table = JSON.parse(new TextDecoder().decode(stored.table)), take = (rows) => Array.from(rows, (row) => table[row]);
  const game = { ...meta, tick, ticks: tick, back: take(stored.back), first: tick[0], last: tick[T - 1], scale: [tick[0], tick[T - 1]] };
  let begin = 0;
  const frames = Array.from({ length: T }, (_, t) => {
    const items = take(item.subarray(begin, begin += count[t]));
    return { items, tips: items.filter(([kind]) => kind === "tip"), panels: take(panel.subarray(t * each, (t + 1) * each)),
      places: place.subarray(t * movers, (t + 1) * movers) };
  });
  game.at = (t) => frames[t];
  return game;
}
