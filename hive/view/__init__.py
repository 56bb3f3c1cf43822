"""Pictures and movies of a game, from a recording of it; this room reads and never decides."""

from hive.battle.recording import BattleRecording
from hive.view.battle.picture import Painter, contact_sheet, draw_frame, draw_map, save_picture
from hive.view.movie import Movie, mp4_available, save_gif, save_mp4

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
