"""Rewards for texts that were written for different battles: the plans of all battles are played in common batches.

Rules: docs/rules/rewards.md 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dsl import UserError
from dsl.wording import quoted
from hive.engine.batch.capacities import Capacities
from hive.engine.batch.mixed import Entry, Shape, play_mixed
from hive.engine.batch.value import values
from hive.engine.world import EngineWorld
from hive.players.llm.rewards import REWARD_FLOOR, Rewards, Score, log, text_of

CAPACITIES = Capacities(places=64)  # docs/rules/rewards.md 2.5


class SetRewards:
    """Rewards of texts in many battles; keeps their worlds, so that a batch of other texts compiles nothing.

        rewards = SetRewards("battles", map(hive.load, names), seeds=range(4))
        scores = rewards.score(names, texts)

    An instance is a reward function of trainers, as `hive.players.llm.Rewards` is; the column `scenario` of the data
    set names the battle of each completion.

    Attributes:
        seeds: The seeds of every plan's games.
        capacities: Of a batch.
        battles: The rewards of each battle alone, by its name.
    """

    def __init__(
        self,
        name: str,
        worlds: Iterable[EngineWorld],
        seeds: Sequence[int],
        *,
        capacities: Capacities = CAPACITIES,
        floor: float = REWARD_FLOOR,
        lenient: bool = False,
    ) -> None:
        """Keep the battles. Nothing is compiled yet.

        Args:
            name: What trainers call the function in their logs.
            worlds: The battles, each with a name of its own.
            seeds: Seeds of the games of each plan, 0 to 2^32 - 1; at least one.
            capacities: Of a batch.
            floor: The reward of a text that holds no plan to play; a finite number, at most 0.
            lenient: Whether a unit may stand in two groups of a step (docs/rules/plans.md 2.3).

        Raises:
            UserError: There is no battle, two have one name, or anything else is wrong with the arguments.
        """
        self.battles: dict[str, Rewards] = {}
        for world in worlds:
            if world.name in self.battles:
                raise UserError(f"two battles are called {quoted(world.name)}\n  = help: name each battle once")
            if world.params.crews is not None or world.params.blaze is not None:
                raise UserError(f"{world.name} has a fire, and plans of battles with fires play apart: use `Rewards`")
            self.battles[world.name] = Rewards(world, seeds, capacities=capacities, floor=floor, lenient=lenient)
        if not self.battles:
            raise UserError("rewards of a set need at least one battle")
        self.capacities = capacities
        self.seeds = next(iter(self.battles.values())).seeds
        self.__name__ = f"hive_{name.replace('/', '_')}"

    def score(self, battles: Sequence[str], texts: Sequence[str]) -> list[Score]:
        """Check all texts and play the plans among them; a text's score is that of `Rewards` of its battle, to the bit.

        Args:
            battles: The name of the battle that each text was written for.
            texts: As in `Rewards.score`.

        Returns:
            A score for each text, in their order.

        Raises:
            UserError: There is no such battle, or there are more texts than battles named or fewer.
            TypeError: A text is not a string.
        """
        if len(battles) != len(texts):
            raise UserError(f"there are {len(texts)} texts, and the battles of {len(battles)} are named")
        by_battle: dict[str, list[int]] = {}
        for at, name in enumerate(battles):
            if name not in self.battles:
                raise UserError(f"there is no battle {quoted(name)} among those of {self.__name__}")
            by_battle.setdefault(name, []).append(at)
        checked = {name: self.battles[name].check([texts[at] for at in rows]) for name, rows in by_battle.items()}
        cells = [(name, canonical) for name, own in checked.items() for canonical in own.plans]
        compiled = [checked[name].plans[canonical] for name, canonical in cells]
        played: dict[str, dict[str, tuple[float, int]]] = {name: {} for name in checked}
        for part in self.capacities.batches(compiled) if compiled else ():
            entries = [Entry(self.battles[cells[at][0]].world, compiled[at], self.seeds) for at in part]
            for at, result in zip(part, play_mixed(entries, shape=self._shape), strict=True):
                name, canonical = cells[at]
                value = float(values(self.battles[name].world, result).mean(dtype=float))
                played[name][canonical] = value, result.outcomes["win"]
        scores: dict[int, Score] = {}
        for name, rows in by_battle.items():
            own = checked[name].scores([texts[at] for at in rows], played[name], len(self.seeds))
            scores |= zip(rows, own, strict=True)
        return [scores[at] for at in range(len(texts))]

    def __call__(self, prompts: Sequence[Any] | None, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the rewards of completions, as trainers ask for them.

        Args:
            prompts: Not read.
            completions: Texts, or lists of chat messages of which the last counts.
            **columns: Columns of the data set, among them `scenario`; completions of other scenarios than the battles
                get None. `log_metric` and `log_extra` are used as by `Rewards`.

        Returns:
            A reward for each completion, in their order.

        Raises:
            TypeError: A completion is neither a text nor a list of chat messages.
            UserError: There is no column `scenario`.
        """
        if (names := columns.get("scenario")) is None:
            raise UserError(
                "rewards of a set are of several battles\n"
                "  = help: give the data set a column `scenario` with the battle of each prompt"
            )
        mine = [at for at, name in enumerate(names) if name in self.battles]
        found = self.score([names[at] for at in mine], [text_of(completions[at]) for at in mine])
        scores = dict(zip(mine, found, strict=True))
        log(self.__name__, [scores.get(at) for at in range(len(names))], len(self.seeds), columns)
        return [scores[at].value if at in scores else None for at in range(len(names))]

    @property
    def _shape(self) -> Shape:
        """The shape of every batch."""
        capacities = self.capacities
        return Shape(
            lanes=capacities.plans * len(self.seeds),
            battles=min(capacities.plans, len(self.battles)),
            plans=capacities.plans,
            steps=capacities.steps,
            groups=capacities.groups,
            memberships=capacities.memberships,
            places=capacities.places,
        )
