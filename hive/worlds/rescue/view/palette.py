"""Colours of rescues."""

from __future__ import annotations

from hive.kit.view.palette import Rgb

ROOM: Rgb = (255, 255, 255)
WALL: Rgb = (120, 126, 134)
DOOR: Rgb = (176, 182, 190)
AGENTS: tuple[Rgb, ...] = ((44, 96, 178), (201, 92, 30), (106, 62, 150), (20, 120, 108))
ENDED: Rgb = (170, 174, 180)
URGENT: Rgb = (196, 38, 46)
WAITS: Rgb = (120, 112, 96)
HELPED: Rgb = (47, 139, 79)
GROUND: dict[str, Rgb] = {"urgent": (253, 226, 224), "waits": (241, 237, 228), "helped": (222, 241, 226)}
"""Ground of a room with a victim, by the state of the victim."""
SKIN: Rgb = (240, 204, 170)
WATER: Rgb = (52, 132, 214)
FOOD: Rgb = (214, 148, 60)
MEDICINE: Rgb = (214, 44, 52)
LEGEND: tuple[tuple[str, str], ...] = (
    ("water", "water"),
    ("food", "food"),
    ("medicine", "medicine"),
    ("urgent", "urgent victim"),
    ("waits", "victim that can wait"),
    ("helped", "helped"),
)
"""Icons whose meaning is written below a picture."""


def colours() -> list[Rgb]:
    """Return the colours that a movie must keep exactly."""
    return [ROOM, WALL, DOOR, *AGENTS, URGENT, WAITS, HELPED, *GROUND.values(), WATER, FOOD, MEDICINE]


def tint(agent: int) -> Rgb:
    """Return the colour of an agent by its number."""
    return AGENTS[agent % len(AGENTS)]
