"""Pictures and movies of battles, from a recording of one.

Names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.worlds.battle.recording import BattleRecording
    from hive.worlds.battle.view.movie import save_gif, save_mp4
    from hive.worlds.battle.view.picture import Painter, contact_sheet, draw_frame, draw_map

__all__ = ["BattleRecording", "Painter", "contact_sheet", "draw_frame", "draw_map", "save_gif", "save_mp4"]

__getattr__, __dir__ = attach(
    globals(),
    {
        "movie": ("save_gif", "save_mp4"),
        "picture": ("Painter", "contact_sheet", "draw_frame", "draw_map"),
        "hive.worlds.battle.recording": ("BattleRecording",),
    },
)
