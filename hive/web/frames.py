"""Frames of a live game as bytes: only what changed since the frame before, packed for the compressor.

A frame begins with 12 bytes, little-endian: u8 kind (0 whole, 1 changes), u8 flags, u16 number, i32 tick, u32 line of
the game. The number counts the frames sent to one browser, modulo 65,536; a frame of changes builds on the number
before it. A whole frame builds on zeros: each value of it is 0 before.

The rest is one zlib stream. It holds the columns of `COLUMNS` in their order, for N units:

1. for each column a bit mask of ceil(N / 8) bytes, lowest bit first: which units changed;
2. for each column the values of those units, in the order of ids. Values of several bytes are stored in planes: the
   lowest byte of all values, then the next. The coordinates `x` and `y` are differences modulo 65,536 from the frame
   before, with the sign in the lowest bit: d < 32,768 is stored as 2 d, else as 2 (65,536 - d) - 1. All other columns
   hold the new values.

`x` and `y` (u16) are 65,535ths of the map's side; `health` (u8) is the share of the greatest health in 255ths, rounded
up, so that 0 is dead; `group` (u16) is the index plus one of the group that commands the unit, in `groups` of the last
`plan` message; `leaf` (u16) is the index plus one of the leaf that won, in `leaves` of `hello`; `attack` (u16; u32 if
flag 1 is set) is the id plus one of the unit attacked; 0 is none. If flag 2 is set, a column `fire` (u8) of S * S cells
follows in the same way, at x * S + y: its mask, then codes of `hive.worlds.battle.recording.FireCode`.

Frames of a wildfire level have the columns that `hello` lists as `columns` in its `meta`, each with its name, its bytes
and its number of values (`hive.worlds.wildfire.view.live`), in the same form; `x` and `y` are differences there too.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from hive.kit.view.frame import Frame

COLUMNS = ("x", "y", "health", "group", "leaf", "attack")
_HEAD = struct.Struct("<BBHiI")
_FOLDED = ("x", "y")
_WIDE, _FIRE = 1, 2
LEVEL = 1


def encode(frame: Frame, before: Frame | None, number: int, level: int = LEVEL) -> bytes:
    """Return a frame as bytes.

    Args:
        frame: What is to be shown.
        before: The frame that was sent to this browser before; None: the frame is sent whole.
        number: Number of the frame among those sent to this browser.
        level: How hard zlib tries, 1 to 9.
    """
    masks, values = [], []
    for name, now in frame.columns.items():
        old = np.zeros_like(now) if before is None else before.columns[name]
        changed = now != old
        masks.append(np.packbits(changed, bitorder="little").tobytes())
        kept = now[changed]
        if name in _FOLDED:
            gap = (kept - old[changed]).astype(np.int16)
            kept = ((gap << 1) ^ (gap >> 15)).view(np.uint16)
        values.append(np.ascontiguousarray(kept).astype(kept.dtype.newbyteorder("<")).view(np.uint8)
                      .reshape(-1, kept.itemsize).T.tobytes())  # fmt: skip
    columns = frame.columns
    wide = "attack" in columns and columns["attack"].itemsize == 4
    flags = (_WIDE if wide else 0) | (_FIRE if "fire" in columns else 0)
    head = _HEAD.pack(before is not None, flags, number % 65536, frame.tick, frame.line)
    return head + zlib.compress(b"".join(masks + values), level)
