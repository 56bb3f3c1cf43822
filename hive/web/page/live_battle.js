// A running battle.

class LiveWorld extends LiveGame {
  static async open(hello) { return new LiveWorld(hello.meta, await unpackArrays(hello), hello.line); }

  static screen(game, link) { return new (withLive(BattleScreen))(game, link); }

  constructor(meta, stored, line) {
    super(meta, line);
    Object.assign(this, { side: stored.side, type: stored.type, kind: stored.kind, maxHealth: stored.max_health });
    this.size = [0, 1].map((side) => this.side.filter((s) => s === side).length);
    this.types = meta.palette.types.length;
    this.start = new Uint32Array(2 * this.types);
    this.side.forEach((side, i) => this.start[side * this.types + this.type[i]]++);
    this.fell = new Int32Array(this.units).fill(-1);
  }

  get bytes() { return 11 * this.units; }
  fireAt(t) { return this.list[t].fire; }
  healthOf(t, i) { return this.list[t].health[i] / 255 * this.maxHealth[i]; }
  count(t, side, type) { return this.list[t].alive[side * this.types + type]; }
  whole(side, type) { return this.start[side * this.types + type]; }
  living(t, side) {
    let sum = 0;
    for (let type = 0; type < this.types; type++) sum += this.count(t, side, type);
    return sum;
  }
  curve(k, side) { return (side ? this.foes : this.own)[k]; }

  decode(data, before) { return decodeFrame(data, before, battleColumns(data, this.units, this.metres)); }

  unpackFrame({ x, y, health, leaf, attack, group: held, fire }, tick, map) {
    const N = this.units, alive = new Uint32Array(2 * this.types);
    const position = new Uint16Array(2 * N), group = new Uint16Array(N);
    for (let i = 0; i < N; i++) {
      position[2 * i] = x[i];
      position[2 * i + 1] = y[i];
      if (map) group[i] = map[held[i]];
      if (health[i] > 0) alive[this.side[i] * this.types + this.type[i]]++;
      else if (this.fell[i] < 0 || tick < this.fell[i]) this.fell[i] = tick;
    }
    this.fire = Boolean(fire);
    return { position, health, group, leaf, attack, fire, alive };
  }

  forget(tick) { this.fell.forEach((fell, i) => { if (fell > tick) this.fell[i] = -1; }); }
}
