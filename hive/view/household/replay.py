"""A household's replay: one HTML file that plays a recording back in a browser, with the messages next to it."""

from __future__ import annotations

from typing import Any

from PIL import Image

from hive.household import codes
from hive.household.apartment import Point
from hive.household.recording import HouseRecording
from hive.view import palette
from hive.view.household import palette as house_palette
from hive.view.household.floor import ITEM, SHORT_NAMES, Floor, is_large
from hive.view.household.items import draw_item
from hive.view.household.scene import AGENT, BADGE, carries
from hive.view.pages import PixelBox, lay_out, make_replay

_WIDTH, _ITEM = 1400, 96  # pixels of the plan and of an object on the sprite sheet


def make_house_page(recording: HouseRecording) -> str:
    """Return the HTML text of a recording's replay."""
    floor = Floor(recording.episode.apartment, _WIDTH, _WIDTH)
    sprites = draw_sheet(recording, floor)
    return make_replay("house", recording, recording.encode(), page_meta(recording, floor), sprites)


def page_meta(recording: HouseRecording, floor: Floor) -> dict[str, Any]:
    """Return what a page needs to know of an episode in addition to arrays and pictures; places are in metres."""
    episode, scale = recording.episode, floor.scale
    furniture = []
    for number, each in enumerate(episode.apartment.receptacles):
        left, top, right, bottom = (value / scale for value in floor.box(each))
        furniture.append(
            {
                "name": each.name,
                "short": SHORT_NAMES.get(each.kind, each.kind[:2].upper()),
                "box": (left, top, right - left, bottom - top),
                "letters": [value / scale for value in floor.letters(each)],
                "closes": each.closes,
                "spots": _spots(floor, number, len(episode.things)),
            }
        )
    return {
        "title": recording.title,
        "beat": "step",
        "outcome": recording.outcome,
        "limit": episode.limit,
        "metres": floor.metres,
        "corner": floor.map((0.0, 0.0)),
        "rooms": [room.name for room in episode.apartment.rooms],
        "furniture": furniture,
        "things": [{"name": each.name, "kind": each.kind, "floor": floor.map(each.at)} for each in episode.things],
        "goal": {
            "place": episode.goal_place,
            "words": f"{episode.relation} {episode.apartment.receptacles[episode.goal_place].name}",
            "counts": episode.goals,
        },
        "agents": recording.agents,
        "deeds": recording.deeds,
        "lines": [(line.tick, line.agent, int(line.kind), line.text) for line in recording.lines],
        "codes": {"floor": codes.FLOOR, "held": codes.HELD, "inside": codes.INSIDE, "delivered": codes.DELIVERED},
        "sizes": {"agent": AGENT, "item": ITEM, "badge": BADGE},
        "carries": carries(recording),
        "palette": {
            "ink": palette.INK,
            "agents": house_palette.AGENTS,
            "closed": house_palette.CLOSED,
            "open": house_palette.OPEN,
            "edge": house_palette.EDGE,
            "goal": house_palette.GOAL,
            "legend": house_palette.LEGEND,
        },
    }


def _spots(floor: Floor, number: int, most: int) -> list[list[Point]]:
    """Return the centres of objects on a piece of furniture, in metres: a list for each number of objects up to `most`.

    One list serves all numbers where the place of an object does not depend on the number of them.
    """
    counts = range(1, most + 1) if is_large(floor.apartment.receptacles[number]) else [most]
    return [
        [(round(x / floor.scale, 3), round(y / floor.scale, 3)) for x, y in floor.spots(number, count)]
        for count in counts
    ]


def draw_sheet(recording: HouseRecording, floor: Floor) -> tuple[Image.Image, dict[str, PixelBox]]:
    """Return one picture with the plan and all kinds of objects, and where each is on it."""
    drawn = {"plan": floor.draw(recording.episode.goal_place)}
    kinds = dict.fromkeys(each.kind for each in recording.episode.things)
    drawn |= {f"item {kind}": draw_item(kind, _ITEM) for kind in kinds}
    return lay_out(drawn, max(image.width for image in drawn.values()))
