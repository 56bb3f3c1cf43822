// From the text in the page to arrays by frame. The packing is told in replay_data.py and fire_data.py.

const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };

async function unpack() {
  if (typeof DecompressionStream !== "function") {
    throw new Error("This browser cannot unpack the recording, because it has no DecompressionStream. " +
      "Chromium or Chrome 80, Edge 80, Firefox 113 and Safari 16.4, or any later one, can.");
  }
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const text = atob(document.getElementById("data").textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stored = {};
  await Promise.all(meta.arrays.map(async ({ name, kind, start, size }) => {
    const stream = new Blob([bytes.subarray(start, start + size)]).stream();
    const whole = await new Response(stream.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    stored[name] = new KINDS[kind](whole);
  }));
  return { meta, stored };
}

function unfold(planes, T, N) {
  const out = new Uint16Array(2 * T * N), half = 2 * N * T;
  for (let axis = 0, at = 0; axis < 2; axis++) {
    for (let i = 0; i < N; i++) {
      let value = 0;
      for (let t = 0, to = 2 * i + axis; t < T; t++, at++, to += 2 * N) {
        const folded = planes[at] | planes[half + at] << 8;
        value += (folded >> 1) ^ -(folded & 1);
        out[to] = value; // modulo 65536, as it was packed
      }
    }
  }
  return out;
}

function byFrame(values, T, N) {
  const out = new values.constructor(T * N);
  for (let i = 0, at = 0; i < N; i++) {
    for (let t = 0; t < T; t++, at++) out[t * N + i] = values[at];
  }
  return out;
}

// One map of codes; `at` moves it to a frame, the cheaper the nearer it lies ahead.
class Grid {
  constructor(stored, name) {
    const [start, count, step, code] = ["start", "count", "step", "code"].map((part) => stored[`${name}_${part}`]);
    Object.assign(this, { start, code, now: start.slice(), frame: 0 });
    this.ends = new Uint32Array(count.length); // changes up to the end of each frame
    this.cell = new Uint32Array(step.length);
    for (let t = 0, k = 0; t < count.length; t++) {
      for (let place = 0, end = k + count[t]; k < end; k++) this.cell[k] = place += step[k];
      this.ends[t] = k;
    }
  }

  at(t) {
    if (t < this.frame) { this.now.set(this.start); this.frame = 0; }
    for (let k = this.ends[this.frame], end = this.ends[t]; k < end; k++) this.now[this.cell[k]] = this.code[k];
    this.frame = t;
    return this.now;
  }
}
