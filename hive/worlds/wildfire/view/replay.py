"""A wildfire's replay: one HTML file that plays a fire recording back in a browser, without a network."""

from __future__ import annotations

import json
from typing import Any

from hive.engine.crews.frames import REACH
from hive.engine.crews.score_rules import COSTS
from hive.kit.view import palette
from hive.kit.view.pages import make_replay
from hive.worlds.wildfire.recording import DOINGS, LOSSES, FireRecording
from hive.worlds.wildfire.view import palette as fire_palette
from hive.worlds.wildfire.view.field import present
from hive.worlds.wildfire.view.marks import SWATCHES, legend_items


def make_fire_page(recording: FireRecording) -> str:
    """Return the HTML text of a recording's replay."""
    return make_replay("fire", recording, recording.encode(), page_meta(recording))


def page_meta(recording: FireRecording, whole: bool = False) -> dict[str, Any]:
    """Return what a page needs to know of a level in addition to arrays.

    Args:
        recording: A game of it.
        whole: Whether the legend has everything that may come, rather than what the recording shows.
    """
    words: dict[str, Any] = json.loads(recording.encode()["words"].tobytes())
    return words | {
        "size": recording.size,
        "units": len(recording.kind),
        "civilians": recording.civilian.shape[1],
        "cells": recording.cells_to_cut,
        "countsLosses": recording.counts_losses,
        "lossNames": LOSSES,
        "costs": list(COSTS.values()),
        "doings": DOINGS,
        "reach": REACH,
        "palette": _palette({*SWATCHES} if whole else present(recording)),
    }


def _palette(keys: set[str]) -> dict[str, Any]:
    """Return the styles with which the page draws a map and its marks."""
    return {
        "ground": fire_palette.ground_colours().tolist(),
        "unknown": fire_palette.UNKNOWN,
        "fog": fire_palette.FOG,
        "house": fire_palette.HOUSE,
        "trees": fire_palette.TREES,
        "swatches": [(words, SWATCHES[key]) for key, words in legend_items(keys) if key in SWATCHES],
        "crewNames": fire_palette.CREW_NAMES,
        "crewShapes": fire_palette.CREW_SHAPES,
        "crews": fire_palette.CREWS,
        "edges": [palette.darken(colour, 0.45) for colour in fire_palette.CREWS],
        "civilians": fire_palette.CIVILIANS,
        "losses": fire_palette.LOSS_COLOURS,
        "task": fire_palette.TASK,
        "done": fire_palette.DONE,
        "fire": fire_palette.FIRE_SIGN,
        "water": fire_palette.LAKE,
        "ink": palette.INK,
    }
