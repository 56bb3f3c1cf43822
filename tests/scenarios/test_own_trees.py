"""Trees of a scenario's own, named by their path under `behaviours` (docs/rules/scenarios.md)."""

from __future__ import annotations

from pathlib import Path

import chex
import pytest

import dsl
import hive
import scenarios
from hive.engine.behaviours.tables import compile_behaviours
from hive.engine.leaves import encode
from hive.engine.types import Plan
from hive.kit.errors import ScenarioError
from hive.worlds.battle.running import portable
from hive.worlds.battle.scenario import load_scenario

TREE = "F(A(attack closest any) :: A(move toward closest foe any))\n"
GROUP = "units: all\n- target position: (9, 9)\n- behavior: charge\n"
PLAN = f"Step 0:\nprerequisites: []\nobjective: elimination all\n{GROUP}"


def write(folder: Path, behaviours: str, tree: str = TREE, name: str = "charge") -> Path:
    """A copy of a shipped scenario with other behaviours of the player, and a tree in a folder of its own."""
    text = scenarios.read("coordinate")
    assert text.count("[player]\nplan") == 1
    (folder / "trees").mkdir()
    (folder / "trees" / f"{name}.bt").write_text(tree, encoding="utf-8")
    (folder / "mine.toml").write_text(
        text.replace("[player]\n", f"[player]\nbehaviours = {behaviours}\n"), encoding="utf-8"
    )
    return folder / "mine.toml"


def charging(folder: Path) -> tuple[hive.World, Plan]:
    world = hive.load(write(folder, '["stand", "trees/charge.bt"]'), units=20)
    return world, hive.read_plan(PLAN, world)


def test_a_tree_by_its_path_is_a_behaviour_by_its_name(tmp_path: Path) -> None:
    """Plans name it, the briefing shows it, and the world's tables hold it under that number."""
    world, plan = charging(tmp_path)
    assert world.context().behaviours == ("stand", "charge", "hold")
    assert world.behaviours[int(plan.tree[0])] == "charge"
    trees = [dsl.parse_tree(TREE if name == "charge" else scenarios.tree(name)) for name in world.behaviours]
    chex.assert_trees_all_equal(world.params.behaviours, compile_behaviours(trees, encode))


@pytest.mark.long
def test_a_game_runs_a_tree_by_its_path(tmp_path: Path) -> None:
    world, plan = charging(tmp_path)
    assert hive.play(world, plan, [0]).survivors[0, 1].sum() < 20, "the enemy lost units to it"


def test_the_scenario_is_portable_with_its_trees(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, '["trees/charge.bt"]'))
    text, files = portable(scenario, None)
    assert files["charge.bt"] == TREE
    folder = tmp_path / "again"
    folder.mkdir()
    for name, content in {"mine.toml": text, **files}.items():
        (folder / name).write_text(content, encoding="utf-8")
    again = load_scenario(folder / "mine.toml")
    assert (again.trees, again.player.behaviours, again.enemy.behaviours) == (
        scenario.trees,
        scenario.player.behaviours,
        scenario.enemy.behaviours,
    )


@pytest.mark.parametrize(
    ("behaviours", "tree", "name", "says"),
    [
        ('["trees/none.bt"]', TREE, "charge", "there is no file `trees/none.bt`"),
        ('["trees/charge.bt"]', "F(A(atack closest any))", "charge", "the tree `trees/charge.bt` is wrong, at 1:5:"),
        ('["trees/stand.bt"]', TREE, "stand", "`stand`, and that is taken by another tree"),
        ('["trees/my-own.bt"]', TREE, "my-own", "`my-own`, and that is not a name that a plan can use"),
        ('["trees/_own.bt"]', TREE, "_own", "`_own`, and that is not a name that a plan can use"),
        ('["trees/charge.bt"]', "F(A(go toward fire) :: A(stand))", "charge", "`A(go toward fire)` is a leaf of crews"),
        ('["chrge"]', TREE, "charge", "there is no behaviour called `chrge`"),
    ],
)
def test_a_wrong_tree_is_the_users_error(tmp_path: Path, behaviours: str, tree: str, name: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(write(tmp_path, behaviours, tree, name))
    assert says in str(caught.value) and ".behaviours[0]" in str(caught.value)
