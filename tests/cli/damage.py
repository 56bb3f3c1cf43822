"""Damage for files, drawn from a seed: what a full disk, a bad cable, a wrong program or a hostile person leaves."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

DEEP = "[" * 100_000
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**40, -0.5, 1e308, float("nan"), float("inf"), "", " ", "a", "٣",
    "nan", "x" * 300, "../../etc", "/dev/null", "\x1b[31mred\x1b[0m", "\u2028", "\u202e", "\x9b8m", "\x00", "\ud800",
    [], {}, [[]], [None], [1, 2, 3], {"": 0}, {"a": {"b": []}}, "A(stand)", "all", [[[[[]]]]], "1e999", "-0", "\uff10",
)  # fmt: skip
"""Values of every type, to be put where another type is expected."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside a JSON value, itself included."""
    yield path
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with another value at a path."""
    if not path:
        return new
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


def damage_json(text: str, draw: random.Random) -> str:
    """Return JSON with a value of another type somewhere, or with a key or an entry missing or added."""
    value = json.loads(text)
    path = draw.choice(list(places(value)))
    at: Any = value
    for key in path:
        at = at[key]
    match draw.randrange(5):
        case 0 if isinstance(at, dict) and at:
            new: Any = {key: at[key] for key in list(at)[1:]} if draw.random() < 0.5 else {**at, "more": 1}
        case 0 if isinstance(at, list) and at:
            new = at[1:] if draw.random() < 0.5 else [*at, at[0]]
        case 1:
            new = [at]
        case 2 if type(at) in (int, float):
            new = draw.choice([-at, at + 1, at * 1e6, float(at), str(at), at + 0.5])
        case _:
            new = draw.choice(HOSTILE)
    return json.dumps(put(value, path, new), ensure_ascii=draw.random() < 0.5)


def damage_bytes(data: bytes, draw: random.Random) -> bytes:
    """Return bytes that were cut off, flipped, doubled, or interrupted by others."""
    place = draw.randrange(len(data) + 1)
    junk = draw.choice(
        [
            b"\x00",
            b"\xff\xfe",
            b"\x1b[2J",
            "\u2028\u202e".encode(),
            b"\n",
            b"\r",
            b"'\"",
            b"{",
            b"]",
            DEEP.encode(),
            b"-",
        ]
    )
    match draw.randrange(6):
        case 0:
            return data[:place]
        case 1:
            return data[place:]
        case 2:
            return data[:place] + junk + data[place:]
        case 3:
            end = place + draw.randrange(1, 40)
            return data[:place] + data[end:]
        case 4:
            return data + data
        case _:
            changed = bytearray(data)
            for _ in range(draw.randrange(1, 4)):
                if changed:
                    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
            return bytes(changed)


def damage_archive(data: bytes, draw: random.Random) -> bytes:
    """Return an archive of arrays with right checksums and without a digest, one of whose arrays is damaged."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw.choice(list(members))
    content = members.pop(name)
    match draw.randrange(6):
        case 0:
            pass
        case 1:
            members[draw.choice([*members, "more.npy"])] = content
        case 2:
            array = np.load(io.BytesIO(content))
            kind = draw.choice([np.int8, np.uint8, np.int32, np.int64, np.float32, np.float64, np.bool_, np.complex64])
            members[name] = _npy(array.astype(kind) if array.dtype.kind in "iufb" else np.zeros(3, kind))
        case 3:
            array = np.load(io.BytesIO(content))
            changed = draw.choice([array[None], array.T, array.ravel(), array[..., None], array.ravel()[:1]])
            members[name] = _npy(changed[1:] if changed.ndim and draw.random() < 0.5 else changed)
        case 4:
            array = np.array(np.load(io.BytesIO(content)))
            if array.size and array.dtype.kind in "iufb":
                extreme = [np.nan, np.inf, -1, 1e30] if array.dtype.kind == "f" else [0, 1, 127]
                array.ravel()[draw.randrange(array.size)] = np.array(draw.choice(extreme)).astype(array.dtype)
            members[name] = _npy(array)
        case _:
            members[name] = damage_bytes(content, draw)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return out.getvalue()


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def damage_text(text: str, draw: random.Random) -> bytes:
    """Return a text with words and numbers replaced by others, or damaged as bytes."""
    words = text.split(" ")
    if draw.random() < 0.5 and len(words) > 1:
        new = draw.choice([str(each) for each in HOSTILE])
        words[draw.randrange(len(words))] = new
        return " ".join(words).encode(errors="surrogatepass")
    if draw.random() < 0.3:
        lines = text.splitlines(keepends=True)
        lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines) if lines else "")
        return "".join(lines).encode()
    return damage_bytes(text.encode(), draw)
