"""Classic gradient noise and sums of its octaves, in float32, bit for bit as the published maps have them.

Perlin's improved noise in the plane, octave by octave at seeded offsets (docs/rules/wildfire_levels.md 1.2). The
arithmetic follows the published order of operations: at coordinates of ten thousands a float32 keeps only hundredths,
so another order gives another map. Plain numbers take the type of the array that they are combined with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hive.worlds.wildfire.maps.dotnet import DotNetRandom

Floats = NDArray[np.float32]

FARTHEST = 100_000  # largest offset of an octave, in cells
_PERSISTENCE = 0.5
_LACUNARITY = 2.0

# fmt: off
PERMUTATION = (
    151, 160, 137, 91, 90, 15, 131, 13, 201, 95, 96, 53, 194, 233, 7, 225, 140, 36, 103, 30, 69, 142, 8, 99, 37,
    240, 21, 10, 23, 190, 6, 148, 247, 120, 234, 75, 0, 26, 197, 62, 94, 252, 219, 203, 117, 35, 11, 32, 57,
    177, 33, 88, 237, 149, 56, 87, 174, 20, 125, 136, 171, 168, 68, 175, 74, 165, 71, 134, 139, 48, 27, 166, 77,
    146, 158, 231, 83, 111, 229, 122, 60, 211, 133, 230, 220, 105, 92, 41, 55, 46, 245, 40, 244, 102, 143, 54,
    65, 25, 63, 161, 1, 216, 80, 73, 209, 76, 132, 187, 208, 89, 18, 169, 200, 196, 135, 130, 116, 188, 159, 86,
    164, 100, 109, 198, 173, 186, 3, 64, 52, 217, 226, 250, 124, 123, 5, 202, 38, 147, 118, 126, 255, 82, 85,
    212, 207, 206, 59, 227, 47, 16, 58, 17, 182, 189, 28, 42, 223, 183, 170, 213, 119, 248, 152, 2, 44, 154,
    163, 70, 221, 153, 101, 155, 167, 43, 172, 9, 129, 22, 39, 253, 19, 98, 108, 110, 79, 113, 224, 232, 178,
    185, 112, 104, 218, 246, 97, 228, 251, 34, 242, 193, 238, 210, 144, 12, 191, 179, 162, 241, 81, 51, 145,
    235, 249, 14, 239, 107, 49, 192, 214, 31, 181, 199, 106, 157, 184, 84, 204, 176, 115, 121, 50, 45, 127, 4,
    150, 254, 138, 236, 205, 93, 222, 114, 67, 29, 24, 72, 243, 141, 128, 195, 78, 66, 215, 61, 156, 180,
)
# fmt: on

HASH = np.array(PERMUTATION * 2, np.int32)
# The two components of the gradient for a hash's low four bits.
GRADIENT_U = np.array([1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0, 1, 0, -1, 0], np.float32)
GRADIENT_V = np.array([1, 1, -1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1], np.float32)
# The same by pointers into `HASH`, with its two look-ups, as in three dimensions at height 0.
_SLOPE_U: Floats = GRADIENT_U[HASH[HASH] & 15]
_SLOPE_V: Floats = GRADIENT_V[HASH[HASH] & 15]


def gradient_noise(u: ArrayLike, v: ArrayLike) -> Floats:
    """Return noise at points of the plane, mirrored at both axes; `u` and `v` broadcast.

    Args:
        u: First coordinates, any shape and range; lattice points are whole numbers.
        v: Second coordinates.

    Returns:
        About 0 to 1; 0.69 / 1.483 at lattice points.
    """
    u, v = np.abs(np.asarray(u, np.float32)), np.abs(np.asarray(v, np.float32))
    column, row = np.floor(u), np.floor(v)
    x, y = u - column, v - row
    first, second = column.astype(np.int32) & 255, row.astype(np.int32) & 255
    near, far = HASH[first] + second, HASH[first + 1] + second
    across = _fade(x)
    low = _blend(across, _corner(near, x, y), _corner(far, x - 1, y))
    high = _blend(across, _corner(near + 1, x, y - 1), _corner(far + 1, x - 1, y - 1))
    return (_blend(_fade(y), low, high) + 0.69) / 1.483


def octave_noise(size: int, seed: int, scale: float, octaves: int) -> Floats:
    """Return a square of summed noise, each octave half as strong and twice as fine as the one before.

    Args:
        size: Cells a side.
        seed: 0 to `DotNetRandom.MOST_SEED`; it draws the offsets of the octaves.
        scale: Cells between lattice points of the first octave.
        octaves: Number of octaves.

    Returns:
        `[size, size]`, each value about -2 to 2.
    """
    draw = DotNetRandom(seed)
    cells = np.arange(size, dtype=np.float32)
    total = np.zeros((size, size), np.float32)
    amplitude = frequency = 1.0
    for _ in range(octaves):
        u, v = ((cells + draw.between(-FARTHEST, FARTHEST)) / scale * frequency for _ in range(2))
        total += (gradient_noise(u[:, None], v[None, :]) * 2 - 1) * amplitude
        amplitude *= _PERSISTENCE
        frequency *= _LACUNARITY
    return total


def _fade(t: Floats) -> Floats:
    return t * t * t * (t * (t * 6 - 15) + 10)


def _blend(share: Floats, low: Floats, high: Floats) -> Floats:
    return low + share * (high - low)


def _corner(pointer: NDArray[np.int32], x: Floats, y: Floats) -> Floats:
    """The slope of a lattice point, evaluated at (x, y)."""
    return np.take(_SLOPE_U, pointer) * x + np.take(_SLOPE_V, pointer) * y
