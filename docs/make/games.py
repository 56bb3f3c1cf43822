"""The games of the tutorial and the README: which plan is played where, how the games ended, and the pictures."""

from __future__ import annotations

import json
from pathlib import Path

from docs.make.session import make_session

FOLDER = Path(__file__).resolve().parents[1] / "plans"
OUTCOMES = FOLDER / "outcomes.json"

UNITS = 120
SEEDS = range(5)
PLAYED = {  # plan: scenario
    "smallest": "coordinate",
    "groups": "coordinate",
    "position": "coordinate",
    "eliminations": "coordinate",
    "typed": "exploit_weakness",
    "finished": "coordinate",
}


def play_all() -> None:
    """Film the game of the README, make the page of a session, play all plans, draw them, and note how they ended."""
    film()
    make_session()
    OUTCOMES.write_text(json.dumps({name: play(name, draw=True) for name in PLAYED}, indent=2) + "\n", encoding="utf-8")


def film() -> None:
    """Film the shipped plan of `coordinate`, thinned and scaled to at most 600 kB."""
    import hive
    from hive.kit.view.movie import film_gif
    from hive.worlds.battle.recorder import record
    from hive.worlds.battle.view.picture import Painter
    from hive.worlds.battle.world import load

    world = load("coordinate")
    recording = record(world, hive.read_plan("coordinate", world), 0, title="Coordinate: plan coordinate, seed 0")
    film_gif(Painter(recording, 400), FOLDER.parent / "coordinate.gif", fps=10, max_frames=56)


def play(name: str, draw: bool = False) -> dict[str, int]:
    """Return how many games of a plan ended in each way, where any did; with `draw`, draw the first game."""
    import hive
    from hive.engine.swapping import with_room
    from hive.kit.view.pictures import save_picture
    from hive.worlds.battle.recorder import record
    from hive.worlds.battle.view.picture import contact_sheet
    from hive.worlds.battle.world import load

    world = load(PLAYED[name], units=UNITS)
    plan = with_room(hive.read_plan(FOLDER / f"{name}.plan", world))  # one program for all plans of a scenario
    if draw:
        picture = contact_sheet(record(world, plan, SEEDS[0], title=f"{name}.plan in {PLAYED[name]}"))
        save_picture(picture, FOLDER / f"{name}.png")
    return {end: count for end, count in hive.play(world, plan, SEEDS).outcomes.items() if count}
