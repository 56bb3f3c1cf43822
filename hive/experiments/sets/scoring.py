"""A study of commanders on a set of drawn battles: games of what they wrote, scores by level, pairs, and costs.

Rules: docs/rules/sets.md 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from bt import capacity
from dsl.wording import columns, plural
from hive.engine.batch.mixed import Entry, play_mixed
from hive.engine.batch.result import unplayed
from hive.engine.reading import read_plan
from hive.experiments.commanders.kept import KeptGame, Written
from hive.experiments.commanders.moments import tokens_of
from hive.experiments.commanders.playing import Account, Terms
from hive.experiments.panel.measuring import Trial
from hive.experiments.panel.members import GAMES
from hive.experiments.search.playing import LEAST
from hive.kit.intervals import paired_difference, wilson
from hive.kit.plan_text import PlanText
from hive.worlds.battle.drawn.sets import LEVELS, BattleSet

_BATTLES = 8  # of one batch
_SHAPE = replace(LEAST, lanes=_BATTLES * GAMES, battles=_BATTLES, plans=_BATTLES, places=64)
_SPLITS = 200  # divisions of a set into halves, from which the correlation of ranks is a mean


@dataclass(frozen=True)
class Ends:
    """The games of one commander in one battle, by their seeds 0, 1, 2, ...

    Attributes:
        outcome: How each ended (`hive.engine.batch.result.ENDS`).
        ticks: Length of each; None for one that could not be played.
        orders: Plans that were followed in each, one after another.
        account: What the commander was asked for all of them, and what that cost.
    """

    outcome: tuple[str, ...]
    ticks: tuple[int | None, ...]
    orders: tuple[int, ...]
    account: Account

    @staticmethod
    def of(games: Sequence[tuple[KeptGame, str, int]]) -> Ends:
        """Return the ends of commanded games, each with its outcome and its length."""
        return Ends(
            outcome=tuple(outcome for _, outcome, _ in games),
            ticks=tuple(ticks for _, _, ticks in games),
            orders=tuple(len(game.plans) for game, _, _ in games),
            account=sum((game.account for game, _, _ in games), Account()),
        )


@dataclass(frozen=True)
class SetStudy:
    """What commanders did on a set.

    Attributes:
        found: The set.
        seeds: Games in each battle, with the seeds 0, 1, 2, ...
        results: The games, by commander and battle, in the order of the set.
        terms: When commanders were asked during the games; None: each wrote one plan for each battle.
    """

    found: BattleSet
    seeds: int
    results: Mapping[str, Mapping[str, Ends]]
    terms: Terms | None = None

    @property
    def commanders(self) -> list[str]:
        """Names of the commanders in their order."""
        return list(self.results)

    def shares(self, commander: str, level: int | None = None) -> np.ndarray:
        """Return the share of games won in each battle `[battles]`, of one level if it is given."""
        names = [
            name for name, own in zip(self.found.names, self.found.levels, strict=True) if level is None or own == level
        ]
        results = self.results[commander]
        return np.array([np.mean([end == "win" for end in results[name].outcome]) for name in names])

    def levels(self) -> list[int]:
        """Return the levels that battles of the set have."""
        return [level for level in range(LEVELS) if level in self.found.levels]

    def json(self) -> dict[str, Any]:
        """Return everything but the games in plain values."""
        return {
            "set": {"name": self.found.name, "digest": self.found.digest, "battles": len(self.found.battles)},
            "seeds": self.seeds,
            **({"terms": asdict(self.terms)} if self.terms else {}),
            "commanders": [self._commander(name) for name in self.commanders],
            "pairs": [*self._pairs()],
            "ranks": self.ranks(),
        }

    def games(self) -> Iterator[dict[str, Any]]:
        """Yield each game in plain values."""
        for commander in self.commanders:
            for battle, level in zip(self.found.names, self.found.levels, strict=True):
                own = self.results[commander][battle]
                for seed, (outcome, ticks, orders) in enumerate(zip(own.outcome, own.ticks, own.orders, strict=True)):
                    row: dict[str, Any] = {"commander": commander, "battle": battle, "level": level, "seed": seed}
                    more = {"plans": orders} if self.terms else {}
                    yield {**row, "outcome": outcome, "ticks": ticks, **more}

    def ranks(self) -> dict[str, Any]:
        """Return the rank correlation of the commanders between halves of the set (docs/rules/sets.md 3.4).

        Spearman's and Kendall's, means over divisions of the battles of each level into two halves, drawn with a fixed
        seed; None where there are less than three commanders or all have equal scores in a half.
        """
        scores = np.array([self.shares(name) for name in self.commanders])
        draws = np.random.default_rng(0)
        both: list[tuple[float, float]] = []
        for _ in range(_SPLITS):
            half = np.zeros(len(self.found.battles), bool)
            for level in dict.fromkeys(self.found.levels):
                own = draws.permutation([at for at, each in enumerate(self.found.levels) if each == level])
                half[own[: (len(own) + int(draws.integers(2))) // 2]] = True
            if half.any() and not half.all():
                pair = scores[:, half].mean(1), scores[:, ~half].mean(1)
                both.append((spearman(*pair), kendall(*pair)))
        good = np.array([each for each in both if not np.isnan(each).any()])
        if len(self.commanders) < 3 or not len(good):
            return {"spearman": None, "kendall": None, "divisions": 0}
        return {
            "spearman": round(float(good[:, 0].mean()), 4),
            "kendall": round(float(good[:, 1].mean()), 4),
            "divisions": len(good),
        }

    def tables(self) -> list[str]:
        """Return all tables in the order in which they are read, with what was played and the digest of the set."""
        ranks = self.ranks()
        alike = "not defined for less than three commanders with different scores"
        if ranks["divisions"]:
            both = f"Spearman {ranks['spearman']:.2f}, Kendall {ranks['kendall']:.2f}"
            alike = f"{both}, means of {ranks['divisions']} divisions"
        pairs = [self.pairs_table()] if len(self.commanders) > 1 else []
        how = f"of each commander, {self.terms.words()}" if self.terms else "of each plan"
        return [
            f"{self.found.name}, {plural(len(self.found.battles), 'battle')}, {plural(self.seeds, 'game')} {how}",
            self.table(),
            *pairs,
            f"rank correlation of the commanders between halves of the set: {alike}",
            f"digest of the set: {self.found.digest}",
        ]

    def table(self) -> str:
        """Return the share of games won by level, with its interval over battles, and what it cost."""
        heading = ["commander", *(f"level {level}" for level in self.levels()), "all", "95% interval"]
        asked = ["asked", "new plans", "silent", "out of budget"] if self.terms else ["plans"]
        rows = [[*heading, *asked, "calls", "tokens", "games searched", "seconds"]]
        for name, each in ((name, self._commander(name)) for name in self.commanders):
            cells = [f"{each['levels'][str(level)]['won']:.0%}" for level in self.levels()]
            cost = self._account(name).cost
            counts = [each[key] for key in (("asked", "plans", "silent", "spent") if self.terms else ("plans",))]
            rows.append(
                [
                    name, *cells, f"{each['won']:.0%}", f"{each['low']:.0%} to {each['high']:.0%}",
                    *(f"{count:,}" for count in counts), f"{cost.calls:,}", tokens_of(cost), f"{cost.games:,}",
                    f"{cost.seconds:.1f}",
                ]
            )  # fmt: skip
        return columns(rows, left=(0,))

    def pairs_table(self) -> str:
        """Return the differences of commanders, battle by battle."""
        rows = [["first", "second", "difference", "95% interval", "first better", "second better", "equal"]]
        for pair in self._pairs():
            interval = f"{pair['low']:+.1%} to {pair['high']:+.1%}"
            counts = [str(pair[which]) for which in ("one_better", "other_better", "equal")]
            rows.append([pair["one"], pair["other"], f"{pair['difference']:+.1%}", interval, *counts])
        return columns(rows, left=(0, 1))

    def _account(self, name: str) -> Account:
        return sum((each.account for each in self.results[name].values()), Account())

    def _commander(self, name: str) -> dict[str, Any]:
        by_level = {str(level): _score(self.shares(name, level)) for level in self.levels()}
        account = self._account(name)
        asked = {"asked": account.moments, "silent": account.silent, "spent": account.spent} if self.terms else {}
        return {
            "name": name,
            "plans": account.plans,
            **asked,
            **_score(self.shares(name)),
            "levels": by_level,
            "cost": asdict(account.cost),
        }

    def _pairs(self) -> Iterator[dict[str, Any]]:
        for one, other in combinations(self.commanders, 2):
            first, second = self.shares(one), self.shares(other)
            difference, low, high = (round(value, 6) for value in paired_difference(first.tolist(), second.tolist()))
            yield {
                "one": one, "other": other, "difference": difference, "low": low, "high": high,
                "one_better": int((first > second).sum()), "other_better": int((first < second).sum()),
                "equal": int((first == second).sum()),
            }  # fmt: skip


def play_set(
    found: BattleSet,
    trials: Sequence[Trial],
    written: Mapping[str, Mapping[str, Written]],
    seeds: int,
    told: Callable[[int, int], None] | None = None,
) -> SetStudy:
    """Play what commanders wrote for the battles of a set.

    Args:
        found: The set.
        trials: Its battles in their order.
        written: What each commander wrote, by commander and battle.
        seeds: Games of each plan, with the seeds 0, 1, 2, ...
        told: Called with the games played so far and their number.

    Returns:
        The study; a commander without a plan for a battle has won none of its games.
    """
    results: dict[str, dict[str, Ends]] = {name: {} for name in written}
    entries: list[Entry] = []
    places: list[tuple[str, str]] = []
    for trial in trials:
        for name in written:
            text = written[name][trial.name]
            if plan := check(trial, text):
                entries.append(Entry(trial.world, read_plan(f"{plan.text}\n", trial.world), range(seeds), name=name))
                places.append((name, trial.name))
            else:
                kind = text.kind if text.kind != "plan" else "invalid_plan"
                lost = unplayed(trial.world, name, range(seeds), kind)
                results[name][trial.name] = Ends(lost.outcome, (None,) * seeds, (0,) * seeds, _once(text, 0))
    if entries:
        lanes = min(_SHAPE.lanes, capacity(len(entries) * seeds))  # idle lanes cost as much as others
        shape = replace(_SHAPE, lanes=lanes, plans=max(1, lanes // seeds))
        for (name, battle), result in zip(places, play_mixed(entries, shape=shape, progress=told), strict=True):
            ticks = tuple(int(each) for each in result.ticks)
            results[name][battle] = Ends(result.outcome, ticks, (1,) * seeds, _once(written[name][battle], 1))
    order = {name: {trial.name: results[name][trial.name] for trial in trials} for name in written}
    return SetStudy(found, seeds, order)


def check(trial: Trial, written: Written) -> PlanText | None:
    """Return the plan of what was written, checked; None where it has errors or is none."""
    if written.kind != "plan":
        return None
    found = PlanText.read(written.text if "\n" in written.text else f"{written.text}\n", trial.world.context())
    return None if found.failure else found


def _once(written: Written, plans: int) -> Account:
    """Return the account of a commander that was asked once for a battle; `plans` is 1 if it wrote one, else 0."""
    return Account(moments=1, plans=plans, silent=1 - plans, cost=written.cost)


def spearman(one: Sequence[float] | np.ndarray, other: Sequence[float] | np.ndarray) -> float:
    """Return Spearman's rank correlation of two lists `[N]`: Pearson's of their ranks, shared by equal values.

    NaN where all values of a list are equal.
    """
    first, second = _ranks(np.asarray(one, float)), _ranks(np.asarray(other, float))
    if not first.std() or not second.std():
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def kendall(one: Sequence[float] | np.ndarray, other: Sequence[float] | np.ndarray) -> float:
    """Return Kendall's tau-b of two lists `[N]`; NaN where all values of a list are equal."""
    first, second = (np.sign(np.subtract.outer(np.asarray(each, float), each)) for each in (one, other))
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size else float("nan")


def _ranks(values: np.ndarray) -> np.ndarray:
    less, equal = (values[:, None] > values).sum(1), (values[:, None] == values).sum(1)
    return np.asarray(less + (equal + 1) / 2)


def _score(shares: np.ndarray) -> dict[str, Any]:
    """Return the mean share of games won and its interval; the games of one battle count as one observation."""
    won = float(shares.mean())
    low, high = wilson(won, len(shares))
    return {"battles": len(shares), "won": round(won, 6), "low": round(low, 6), "high": round(high, 6)}
