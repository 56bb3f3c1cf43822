"""What all drawings share: display lists, the painter, words, pictures, movies and pages; it reads and never decides.

Names are loaded when first used, so that a movie needs no plots and a page no encoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive.kit.lazy import attach

if TYPE_CHECKING:
    from hive.kit.view.movie import Movie, mp4_available
    from hive.kit.view.pictures import save_picture

__all__ = ["Movie", "mp4_available", "save_picture"]

__getattr__, __dir__ = attach(globals(), {"movie": ("Movie", "mp4_available"), "pictures": ("save_picture",)})
