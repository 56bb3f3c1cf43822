"""A recording that grows, as messages for pages: display lists of its newest frames, and symbols as they are needed."""

from __future__ import annotations

import json
from typing import Any

from hive.kit.view.display import Sprite, to_json
from hive.kit.view.pages import ScenePage, png_text
from hive.web.messages import ServerMessage
from hive.worlds.kept import scene_page


class SceneStream:
    """The frames of one game; a page that comes later gets `hello`."""

    def __init__(self) -> None:
        """Begin without frames."""
        self.hello: ServerMessage = {"meta": {}, "rows": [], "sprites": {}, "frames": [], "lines": []}
        self._number: dict[str, int] = {}  # of each row, by its JSON

    def take(self, recording: Any) -> ServerMessage:
        """Return what is new in a recording since the last call, for a message.

        Returns:
            `rows` that follow those sent before, `sprites` by name, `frames` with their numbers `t`, and `lines`, which
            replace those from the number `from` on. The last frame of before is among them where it has changed.
        """
        page, known = scene_page(recording), self.hello
        rows, sprites = len(known["rows"]), set(known["sprites"])
        meta = page.meta(recording)
        lines = json.loads(json.dumps(meta.pop("lines")))
        if not known["frames"]:
            back = page.scene.back()
            meta["back"] = [self._row(to_json(item)) for item in back]
            names = {item.name for item in back if isinstance(item, Sprite)}
            self._draw(page, names | {sign for sign, _ in page.words.legend if isinstance(sign, str) and sign})
            known["meta"] = meta
        frames = []
        for t in range(max(len(known["frames"]) - 1, 0), recording.frames):
            frame = self._frame(page, recording, t)
            if known["frames"][t : t + 1] != [frame]:
                known["frames"][t:] = [frame]
                frames.append(frame)
        old = known["lines"]
        same = next((n for n, pair in enumerate(zip(old, lines, strict=False)) if pair[0] != pair[1]), len(old))
        known["lines"] = lines
        return {
            "rows": known["rows"][rows:],
            "sprites": {name: known["sprites"][name] for name in known["sprites"] if name not in sprites},
            "frames": frames,
            "from": min(same, len(lines)),
            "lines": lines[min(same, len(lines)) :],
        }

    def _frame(self, page: ScenePage, recording: Any, t: int) -> dict[str, Any]:
        items, panels = page.scene.frame(t, still=False), page.panels(t)
        agents = len(page.words.agents)
        held = {name for panel in panels[:agents] for name in panel[2]}
        wanted = {name for panel in panels[agents:] for name, *_ in panel if name}
        self._draw(page, {item.name for item in items if isinstance(item, Sprite)} | held | wanted)
        return {
            "t": t,
            "tick": int(recording.tick[t]),
            "items": [self._row(to_json(item)) for item in items],
            "panels": [self._row(panel) for panel in panels],
            "places": [[round(float(part), 3) for part in place] for place in page.scene.places(t)],
        }

    def _row(self, value: Any) -> int:
        text = json.dumps(value, ensure_ascii=False)
        if text not in self._number:
            self._number[text] = len(self._number)
            self.hello["rows"].append(json.loads(text))
        return self._number[text]

    def _draw(self, page: ScenePage, names: set[str]) -> None:
        for name in sorted(names - self.hello["sprites"].keys()):
            symbol = page.scene.symbols[name]
            self.hello["sprites"][name] = f"data:image/png;base64,{png_text(symbol.draw(symbol.pixels))}"
