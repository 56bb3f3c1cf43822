"""The games after `hive improve`: the first and the improved plan on seeds that the search did not play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dsl.wording import columns, plural
from hive.cli.printing import tell
from hive.cli.setting import load_battle
from hive.kit.contract import Watch

if TYPE_CHECKING:
    from hive.cli.learning.improving import Improve
    from hive.engine.batch.result import Result
    from hive.experiments.search.evolve import Search
    from hive.worlds.battle.world import Battle

TESTS, TESTS_OF_LARGE, LARGE = 20, 5, 400  # test games at each size, those of large armies, and units of a large one


@dataclass(frozen=True)
class Tested:
    """Games of the first and of the improved plan at one size, on seeds that the search did not play."""

    units: int
    before: Result
    after: Result

    def json(self) -> dict[str, Any]:
        """Return wins, outcomes and scores in plain values."""
        kept = ("games", "outcomes", "score", "ticks", "results")
        both = {"before": self.before.json(), "after": self.after.json()}
        return {"units": self.units, **{name: {key: found[key] for key in kept} for name, found in both.items()}}


def tested_worlds(settings: Improve, full: Battle, world: Battle) -> list[Battle]:
    """Return the battle at each size of the tests."""
    known = {each.sizes[0]: each for each in (world, full)}
    found = []
    for size in settings.test_units or known:
        if size not in known:
            known[size] = load_battle(replace(settings, units=size).request())
        found.append(known[size])
    return found


def play_test(settings: Improve, search: Search, world: Battle, watch: Watch) -> Tested:
    """Play the first and the improved plan on seeds that the search did not play."""
    from hive.engine.batch.playing import sweep
    from hive.engine.reading import compile_checked
    from hive.engine.types import PLAYER

    number = settings.test_seeds or (TESTS if world.sizes[0] <= LARGE else TESTS_OF_LARGE)
    watch.stage(f"testing both plans with {plural(sum(world.sizes), 'unit')}", world.limit, "tick")
    plans = [compile_checked(search.plans[each], world, PLAYER, settings.written_for) for each in (0, search.best)]
    found = sweep(
        world, plans, range(number), names=["before", "after"], progress=lambda tick, _: watch.update(tick)
    ).results
    won = [result.outcomes["win"] for result in found]
    tell(f"  {world.sizes[0]} units: won {won[0]} of {plural(number, 'game')} before, {won[1]} after")
    return Tested(world.sizes[0], *found)


def table(search: Search, tests: Sequence[Tested]) -> str:
    """Return the wins and mean scores before and after as a readable table, with what was searched."""
    import numpy as np

    score = tests[0].before.score_is
    rows: list[tuple[str, ...]] = [("units", "games", "won before", "after", "mean score before", "after")]
    for each in tests:
        both = [each.before, each.after]
        wins, scores = [str(r.outcomes["win"]) for r in both], [f"{np.mean(r.score):.3g}" for r in both]
        rows.append((str(each.units), str(len(each.before.seed)), *wins, *scores))
    lines = columns(rows, left=()).splitlines()
    made = len(search.plans) - 1
    tried = f"{plural(search.games, 'game')} of {plural(made, 'changed plan')} and the first one"
    end = "" if search.best else "; none was better than the first plan"
    return "\n".join(
        [*lines, f"score: {score}; tested on seeds that the search did not play", f"searched: {tried}{end}"]
    )
