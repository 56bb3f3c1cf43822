"""Pictures and movies of a game, from a recording of it; this room reads and never decides.

Names are loaded when first used, so that a game of one world is drawn without the drawings of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.kit.view.movie import Movie, mp4_available
    from hive.kit.view.pictures import save_picture
    from hive.worlds.battle.recording import BattleRecording
    from hive.worlds.battle.view.movie import save_gif, save_mp4
    from hive.worlds.battle.view.picture import Painter, contact_sheet, draw_frame, draw_map

__all__ = [
    "BattleRecording",
    "Movie",
    "Painter",
    "contact_sheet",
    "draw_frame",
    "draw_map",
    "mp4_available",
    "save_gif",
    "save_mp4",
    "save_picture",
]

__getattr__, __dir__ = attach(
    globals(),
    {
        "battle.movie": ("save_gif", "save_mp4"),
        "battle.picture": ("Painter", "contact_sheet", "draw_frame", "draw_map"),
        "movie": ("Movie", "mp4_available"),
        "pictures": ("save_picture",),
        "hive.worlds.battle.recording": ("BattleRecording",),
    },
)
