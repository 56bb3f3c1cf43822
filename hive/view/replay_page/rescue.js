// A recorded rescue by frame.

function makeRescue(meta, stored) {
  const T = meta.frames, game = { ...meta, tick: stored.tick, ticks: stored.tick };
  const agents = meta.agents.length, victims = meta.victims.length;
  const rows = { position: agents, supplies: 3 * agents, needs: 3 * victims, active: agents, doing: agents, refused: agents };
  const values = Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, byFrame(stored[name], T, count)]));
  const frames = Array.from({ length: T }, (_, t) => Object.fromEntries(
    Object.entries(rows).map(([name, count]) => [name, values[name].subarray(t * count, (t + 1) * count)])));
  game.at = (t) => frames[t];
  game.first = game.tick[0];
  game.last = game.tick[T - 1];
  game.scale = [game.first, game.last];
  return game;
}
