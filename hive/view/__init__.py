"""Pictures and movies of a game, from a recording of it; this room reads and never decides.

Names are loaded when first used, so that a game of one world is drawn without the drawings of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.lazy import attach

if TYPE_CHECKING:
    from hive.battle.recording import BattleRecording
    from hive.view.battle.movie import save_gif, save_mp4
    from hive.view.battle.picture import Painter, contact_sheet, draw_frame, draw_map
    from hive.view.movie import Movie, mp4_available
    from hive.view.pictures import save_picture

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
        "hive.battle.recording": ("BattleRecording",),
    },
)
