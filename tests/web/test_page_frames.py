"""The page's decoder gives in a real Chromium what the server encoded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import numpy as np
import pytest

from hive.kit.view.frame import Frame
from hive.web.frames import COLUMNS, encode
from hive.web.page import read_file
from tests.view.browser import Browser, find_chromium

UNITS, SIDE = 37, 12


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def frames(count: int, fire: bool, wide: bool) -> list[Frame]:
    """A game in which few units change at a time, in every column, up to the ends of its range."""
    rng = np.random.default_rng(5)
    kinds = dict.fromkeys(COLUMNS, np.uint16) | {"health": np.uint8, "attack": np.uint32 if wide else np.uint16}
    sizes = dict.fromkeys(COLUMNS, UNITS)
    if fire:
        kinds["fire"], sizes["fire"] = np.uint8, SIDE**2
    columns = {name: np.zeros(sizes[name], kind) for name, kind in kinds.items()}
    made = []
    for tick in range(count):
        columns = {name: column.copy() for name, column in columns.items()}
        for column in columns.values():
            at = rng.random(len(column)) < (0.3 if tick else 0.8)
            column[at] = rng.choice([0, 1, np.iinfo(column.dtype).max, rng.integers(300)], at.sum()).astype(
                column.dtype
            )
        made.append(Frame(3, tick * 7, columns))
    made.append(Frame(4, 9, columns))  # nothing changes but the line
    return made


@pytest.mark.parametrize(("fire", "wide"), [(False, False), (True, True)])
def test_the_page_decodes_whole_frames_and_changes(chromium: Browser, fire: bool, wide: bool) -> None:
    sent = frames(6, fire, wide)
    packed = [encode(frame, None if k in (0, 3) else sent[k - 1], k) for k, frame in enumerate(sent)]
    found = read_file("frames.js")
    assert found is not None
    words = json.dumps([base64.b64encode(data).decode() for data in packed])
    read = chromium.run(
        f"""(async () => {{
          {found[0]}
          const told = [];
          let before = null;
          for (const text of {words}) {{
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            const frame = await decodeFrame(bytes.buffer, before, battleColumns(bytes.buffer, {UNITS}, {SIDE}));
            before = frame.columns;
            const columns = Object.entries(frame.columns).map(([name, values]) => [name, Array.from(values)]);
            told.push([frame.number, frame.tick, frame.line, Object.fromEntries(columns)]);
          }}
          return told;
        }})()"""
    )
    for k, (frame, (number, tick, line, columns)) in enumerate(zip(sent, read, strict=True)):
        assert (number, tick, line) == (k, frame.tick, frame.line)
        assert columns == {name: column.tolist() for name, column in frame.columns.items()}


def test_offsets_of_the_server_count_characters_and_those_of_the_editor_units(chromium: Browser) -> None:
    found = read_file("editor.js")
    assert found is not None
    text = "a😀b"
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    assert chromium.run(f"(() => {{ {found[0]} return [0, 1, 2, 3].map(unitsOf('{text}')); }})()") == units


@pytest.mark.parametrize("damage", ["cut", "lone changes"])
def test_the_page_refuses_a_damaged_frame(chromium: Browser, damage: str) -> None:
    first, second = frames(1, False, False)
    data = encode(second, first, 1) if damage == "lone changes" else encode(first, None, 0)
    units = UNITS if damage == "lone changes" else UNITS - 16
    found = read_file("frames.js")
    assert found is not None
    with pytest.raises(AssertionError, match="Error: a frame"):
        chromium.run(
            f"""(async () => {{ {found[0]}
              const text = atob('{base64.b64encode(data).decode()}');
              const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
              await decodeFrame(bytes.buffer, null, battleColumns(bytes.buffer, {units}, 0)); }})()"""
        )
