"""Fire in a battle: kept with the game, drawn where it burns, and burnt forest hides no unit in pictures either."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hive
from hive.ground.layers import Layer
from hive.ground.shapes import Ground
from hive.kit.view import palette
from hive.kit.view.pages import save_page
from hive.worlds.battle.recorder import record
from hive.worlds.battle.recording import BattleRecording, FireCode
from hive.worlds.battle.view.battlefield import Battlefield
from hive.worlds.battle.view.replay import make_page
from tests.engine.worlds import plan_of, world_of
from tests.view.browser import Browser, find_chromium
from tests.view.replays import battle

FRAMES = 5
WORLD = """
[map]
size = 16
shapes = [{ terrain = "forest", box = [0, 4, 16, 12] }]
[rules]
limit = 9
[player]
units = [{ type = "spearmen", count = 2, box = [0.0, 0.0, 1.0, 0.2] }]
[enemy]
units = [{ type = "spearmen", count = 2, box = [0.0, 0.8, 1.0, 0.2] }]
[fire]
start = [[2, 5]]
wind = [1, 0]
period = 1
harm = 4
"""


def burning() -> np.ndarray:
    """Return `[T, S, S]` a fire that runs east along y = 95, in the wood, and leaves burnt ground."""
    stack = np.zeros((FRAMES, 100, 100), np.uint8)
    for t in range(FRAMES):
        for age, code in enumerate((FireCode.KINDLED, FireCode.FLAMING, FireCode.SMOULDERING, FireCode.BURNT)):
            if age <= t:
                stack[t, 10 * (1 + t - age) : 10 * (2 + t - age), 90:] = code
    return stack


@pytest.fixture(scope="module")
def seen() -> BattleRecording:
    return replace(battle(frames=FRAMES), fire=Layer.of(burning()))


def test_the_picture_shows_each_fire_in_its_colour_and_north_up(seen: BattleRecording) -> None:
    image = np.asarray(Battlefield(seen, 400, 0.5).draw(4))
    for code, x in ((FireCode.KINDLED, 55), (FireCode.FLAMING, 45), (FireCode.SMOULDERING, 35), (FireCode.BURNT, 25)):
        assert image[400 - 4 * 96, 4 * x + 2].tolist() == list(palette.FIRE_COLOURS[code - 1])
    bare = np.asarray(Battlefield(replace(seen, fire=None), 400, 0.5).draw(4))
    assert (image[60:] == bare[60:]).all(), "south of the wood nothing burns"


def test_a_unit_on_burnt_ground_is_in_no_forest(seen: BattleRecording) -> None:
    position = np.tile([15.5, 95.5], (*seen.position.shape[:2], 1))
    hidden = replace(seen, position=position)
    assert hidden.kind[15, 95] & Ground.FOREST
    assert hidden.in_forest(2).all() and not hidden.in_forest(3).any()


def test_the_fire_survives_packing_and_thinning(seen: BattleRecording) -> None:
    kept, some = BattleRecording.decode(seen.encode()).fire, seen.thin(3)
    assert kept is not None and some.fire is not None
    for t in range(FRAMES):
        np.testing.assert_array_equal(kept.at(t), burning()[t])
    assert some.tick.tolist() == [0, 3, 4]
    for row, t in enumerate((0, 3, 4)):
        np.testing.assert_array_equal(some.fire.at(row), burning()[t])
    assert BattleRecording.decode(battle().encode()).fire is None


@pytest.mark.slow
def test_the_page_draws_the_fire_of_its_tick(seen: BattleRecording, tmp_path: Path) -> None:
    program = find_chromium()
    save_page(make_page(seen), tmp_path / "replay.html")
    with Browser(program, tmp_path / "profile") as page:
        page.open(tmp_path / "replay.html")
        page.wait("window.replay")
        page.run("replay.seek(3)")
        assert page.complaints() == []
        colours = []
        for t in (0, 3):
            colour = page.run(
                f"(() => {{ replay.seek({t}); const field = replay.field, [x, y] = field.toScreen(15.5, 95.5);"
                "return [...field.ground.getImageData(x * field.ratio, y * field.ratio, 1, 1).data.slice(0, 3)]; })()"
            )
            colours.append(tuple(colour))
        assert colours == [palette.FIRE_COLOURS[FireCode.KINDLED - 1], palette.FIRE_COLOURS[FireCode.BURNT - 1]]


@pytest.mark.long
def test_the_recorder_keeps_the_fire_of_every_tick() -> None:
    """With the wind a cell catches, flames, smoulders for ten updates and is burnt; a start cell waits one update."""
    world = world_of(WORLD)
    plan = hive.read_plan(plan_of("elimination all; ; all @ 8, 2: stand"), world)
    game = record(world, plan, 0)
    assert game.fire is not None and game.tick[-1] == 9
    first = [int(game.fire.at(t)[2, 5]) for t in range(10)]
    assert first == [FireCode.KINDLED, FireCode.KINDLED, FireCode.FLAMING] + [FireCode.SMOULDERING] * 7
    assert (game.fire.at(9)[:, :4] == 0).all() and (game.fire.at(9)[3:, 5] > 0).any()
