// A running wildfire level.

class LiveWorld extends LiveGame {
  static async open(hello) { return new LiveWorld(hello.meta, await unpackArrays(hello), hello.line); }

  static screen(game, link) { return new (withLive(FireScreen))(game, link); }

  constructor(meta, stored, line) {
    super(meta, line);
    Object.assign(this, { kind: stored.kind, land: stored.land, building: stored.building, markers: {} });
    this.points.push(this.burning = [], this.explored = []);
    this.ground = { at: (t) => this.list[t].ground };
    this.seen = { at: (t) => this.list[t].seen };
  }

  get bytes() { return 20 * this.units + 2 * this.size ** 2; }
  burningAt(t) { return this.list[t].burning; }
  exploredAt(t) { return this.list[t].explored; }
  get planList() { return this.plans.map(({ tick, text }) => [tick, text]); }
  planAt(t) { return this.plans.reduce((found, { tick }, k) => (tick <= this.tick[t] ? k : found), -1); }

  decode(data, before) { return decodeFrame(data, before, this.columns); }

  unpackFrame(columns) {
    const N = this.units, position = new Uint16Array(2 * N);
    for (let i = 0; i < N; i++) [position[2 * i], position[2 * i + 1]] = [columns.x[i], columns.y[i]];
    const frame = { position }, pair = (name) => [columns[`${name}_x`], columns[`${name}_y`]];
    for (const name of ["alive", "water", "aboard", "code", "tree", "living", "bearer", "ground", "seen", "losses"]) frame[name] = columns[name];
    for (const name of ["place", "target", "civilian"]) frame[name] = pair(name);
    frame.burning = frame.ground.reduce((sum, code) => sum + (code >= IGNITED && code < BURNT), 0);
    frame.explored = frame.seen.reduce((sum, code) => sum + (code !== UNSEEN), 0);
    return frame;
  }

  forget() {}
}
