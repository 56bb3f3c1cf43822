"""Plans and games of drawn battles in a folder, which are read back with what they cost.

A folder holds `CLASS-SEED.plan` for each battle where a commander planned once. Where it commanded, it holds
`CLASS-SEED/SEED/TICK.plan`: for each battle and each game's seed the plans, by the ticks from which they were followed.
What they cost is in `costs.json`, and for games also when their commander was asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import is_whole
from hive.engine.types import ENEMY
from hive.experiments.commanders.moments import NOTHING, Cost, Moment, Order, cost_of
from hive.experiments.commanders.playing import Account, Terms
from hive.kit.keep.digests import read_value
from hive.kit.keep.lines import seal
from hive.kit.keep.places import because
from hive.worlds.battle.seat import Seat

COSTS = "costs.json"


@dataclass(frozen=True)
class Written:
    """What a commander that plans once wrote for one battle.

    Attributes:
        kind: `plan`, or why there is none, as in `hive.experiments.commanders.moments.Order`.
        text: The plan; what was said where it is none.
        cost: What it cost.
    """

    kind: str
    text: str
    cost: Cost = NOTHING


@dataclass(frozen=True)
class KeptGame:
    """A commanded game that a folder holds.

    Attributes:
        plans: Plans of the player with the ticks from which they were followed.
        account: What the commander was asked, and what that cost.
    """

    plans: tuple[tuple[int, str], ...]
    account: Account


@dataclass(frozen=True)
class _Kept:
    """What a folder says of its plans, by battle: the cost of one plan, or of games by their seeds, and their terms."""

    costs: Mapping[str, Written | dict[str, Account]]
    terms: Terms | None


@dataclass(frozen=True)
class Folder:
    """Plans of a folder, for the player's side of drawn battles; its name is the commander's.

    Attributes:
        folder: The folder.
    """

    folder: Path

    def __post_init__(self) -> None:
        """Read what the plans cost.

        Raises:
            UserError: There is no such folder, or its costs are not those of plans.
        """
        if not self.folder.is_dir():
            raise UserError(
                f"there is no folder {self.folder}\n  = help: `plans:DIR` names a folder of CLASS-SEED.plan"
            )
        assert self._kept is not None

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def check(self, seat: Seat) -> None:
        """Refuse the enemy's seat; see `Commander.check`."""
        if seat.side == ENEMY:
            raise UserError(
                f"plans:{self.folder} cannot command the enemy: it holds plans of the player\n"
                "  = help: `hive study` takes such a folder; a duel has both sides, as `plan:FILE,ENEMY_FILE` does"
            )

    def order(self, moment: Moment) -> Order:
        """Return the plan at the first moment; see `Commander.order`."""
        if moment.running is not None:
            return Order(None)
        found = self.written(moment.seat.world.name)
        if found.kind == "plan":
            return Order(found.text, cost=found.cost)
        return Order(None, said=found.text, kind=found.kind, problem="the folder holds no plan", cost=found.cost)

    def file(self, battle: str) -> Path:
        """Return the file of the plan of a battle."""
        return self.folder / f"{stem_of(battle)}.plan"

    def written(self, battle: str) -> Written:
        """Return what the folder holds for a battle that was planned once; a battle without a file has no plan.

        Raises:
            UserError: The file cannot be read.
        """
        file = self.file(battle)
        costs = self._kept.costs.get(battle)
        if self._kept.terms:
            raise UserError(
                f"plans:{self.folder} holds games with new orders while they ran, not one plan for each battle\n"
                "  = help: add --command"
            )
        text = _read(file) if file.exists() else ""
        if isinstance(costs, Written):
            return Written(costs.kind, text, costs.cost)
        return Written("plan" if file.exists() else "no_plan", text)

    def check_games(self, battles: Sequence[str], seeds: int, terms: Terms) -> None:
        """Refuse games that are not those of a study; a folder of plans that were written once plays in any.

        Args:
            battles: Of the study.
            seeds: Its games in each battle, with the seeds from 0 on.
            terms: When its commanders are asked, and what they may spend.

        Raises:
            UserError: The games have other terms, or one is missing.
        """
        own = self._kept.terms
        if own is None:
            return
        if own != terms:
            raise UserError(
                f"plans:{self.folder} holds games whose commander was {own.words()}; in this study commanders are "
                f"{terms.words()}\n  = help: give the same --every, --at, --calls and --tokens"
            )
        for battle in battles:
            for seed in range(seeds):
                if self.game(battle, seed) is None:
                    raise UserError(
                        f"plans:{self.folder} holds no game of {battle} with the seed {seed}\n"
                        "  = help: it was made with fewer --seeds, or with another set"
                    )

    def game(self, battle: str, seed: int) -> KeptGame | None:
        """Return a commanded game, if the folder holds it.

        Raises:
            UserError: A file cannot be read.
        """
        accounts, place = self._kept.costs.get(battle), self.folder / stem_of(battle) / str(seed)
        if not isinstance(accounts, dict) or str(seed) not in accounts:
            return None
        files = sorted((int(path.stem), path) for path in place.glob("*.plan") if is_whole(path.stem))
        if not files or files[0][0] != 0:
            raise UserError(f"{place} holds no plan from tick 0\n  = help: {COSTS} beside it names this game")
        return KeptGame(tuple((tick, _read(path)) for tick, path in files), accounts[str(seed)])

    @cached_property
    def _kept(self) -> _Kept:
        path = self.folder / COSTS
        if not path.exists():
            return _Kept({}, None)
        try:
            found, terms = read_value(path), None
            if not isinstance(found, dict):
                raise ValueError("it holds no object")
            if found.keys() == {"terms", "games"}:
                found, terms = found["games"], Terms.of(found["terms"])
            entry = _once if terms is None else _games
            return _Kept({battle: entry(each) for battle, each in found.items()}, terms)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise UserError(
                f"cannot read {path}: {error}\n  = help: `hive study --out DIR` writes such files"
            ) from None


def stem_of(battle: str) -> str:
    """Return the stem of the files of a battle, such as `rivers-17`."""
    return battle.removeprefix("battle/").replace("/", "-")


def files_of(written: Mapping[str, Written]) -> dict[str, str]:
    """Return the files of a folder of plans, by battle, from which `Folder` reads the same."""
    found = {f"{stem_of(battle)}.plan": each.text for battle, each in written.items()}
    costs = {battle: {"kind": each.kind, **asdict(each.cost)} for battle, each in written.items()}
    return {**found, COSTS: _sealed(costs)}


def files_of_games(games: Mapping[str, Mapping[int, KeptGame]], terms: Terms) -> dict[str, str]:
    """Return the files of a folder of commanded games, by battle and seed, from which `Folder` reads the same."""
    found = {
        f"{stem_of(battle)}/{seed}/{tick}.plan": text
        for battle, own in games.items()
        for seed, game in own.items()
        for tick, text in game.plans
    }
    costs = {battle: {str(seed): asdict(game.account) for seed, game in own.items()} for battle, own in games.items()}
    return {**found, COSTS: _sealed({"terms": asdict(terms), "games": costs})}


def _sealed(value: Any) -> str:
    return seal(json.dumps({"kept": value})) + "\n"


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")  # with the ends of lines as they are
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {because(error)}") from None


def _once(value: Any) -> Written:
    if not isinstance(value, dict) or not isinstance(kind := value.get("kind"), str):
        raise ValueError("it does not say what plans cost")
    return Written(kind, "", cost_of({key: each for key, each in value.items() if key != "kind"}))


def _games(value: Any) -> dict[str, Account]:
    if not isinstance(value, dict) or not value or not all(is_whole(seed) for seed in value):
        raise ValueError("it does not say what games cost")
    return {seed: Account.of(account) for seed, account in value.items()}
