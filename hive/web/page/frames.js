// Binary frames of a running battle. The layout is told in hive/web/frames.py.

const HEAD = 12, WIDE = 1, FIRE = 2;

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Name, bytes and number of values of each column of a battle's frame.
function battleColumns(buffer, units, metres) {
  const flags = new DataView(buffer).getUint8(1);
  return [["x", 2, units], ["y", 2, units], ["health", 1, units], ["group", 2, units], ["leaf", 2, units], ["attack", flags & WIDE ? 4 : 2, units],
    ...(flags & FIRE ? [["fire", 1, metres ** 2]] : [])];
}

// Returns number, tick, line and columns of a frame; `before` holds the columns of the frame before, for changes.
async function decodeFrame(buffer, before, columns) {
  const head = new DataView(buffer);
  const frame = { changes: head.getUint8(0) === 1, number: head.getUint16(2, true), tick: head.getInt32(4, true), line: head.getUint32(8, true) };
  if (frame.changes && !before) throw new Error("a frame of changes came before the first whole frame");
  const rest = await inflate(new Uint8Array(buffer, HEAD));
  const masks = {};
  let at = 0;
  for (const [name, , total] of columns) {
    const long = Math.ceil(total / 8);
    masks[name] = rest.subarray(at, at + long);
    at += long;
  }
  const kinds = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
  frame.columns = {};
  for (const [name, width, total] of columns) {
    const mask = masks[name], folded = name === "x" || name === "y";
    let changed = 0;
    for (const byte of mask) for (let bits = byte; bits; bits &= bits - 1) changed++;
    const old = frame.changes ? before[name] : new kinds[width](total);
    if (frame.changes && !changed) { // nothing new: both frames share the column
      frame.columns[name] = old;
      continue;
    }
    const now = old.slice();
    for (let i = 0, k = at; i < total; i++) {
      if (!(mask[i >> 3] >> (i & 7) & 1)) continue;
      let value = 0;
      for (let plane = width - 1; plane >= 0; plane--) value = value * 256 + rest[k + plane * changed];
      now[i] = folded ? old[i] + ((value >> 1) ^ -(value & 1)) : value; // modulo 65,536, as it was packed
      k++;
    }
    at += changed * width;
    frame.columns[name] = now;
  }
  if (at !== rest.length) throw new Error("a frame is longer or shorter than its masks say");
  return frame;
}
