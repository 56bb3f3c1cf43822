"""Games of different battles in few compiled programs: one for each tier, a side of the map and a capacity of units.

A row of units costs the same whether a unit stands in it or not. So where a batch has many games of battles that leave
much of their tier empty, these get programs with fewer rows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from bt import capacity
from hive.engine.batch.capacity import UNITS
from hive.engine.batch.devices import gather, mesh_of, put_own, put_shared
from hive.engine.batch.job import names_of, seeds_of
from hive.engine.batch.result import Result
from hive.engine.batch.tables import OF_BATTLE, Games, Tables, play_games
from hive.engine.padding import pad_boxes, pad_plan_units, pad_units
from hive.engine.plan.arrays import EXTRAS, check_units, extras_of, pad_plan, ways_of
from hive.engine.swapping import sizes_of
from hive.engine.types import Params, Plan
from hive.engine.world import EngineWorld
from hive.ground.sizes import current

_AT_ONCE = {False: 1 << 11, True: 1 << 17}  # units that a processor and an accelerator move at once
_TURNS = 32  # games of one batch for each that is played at once: the host appears between batches
_MOST_CELLS = 250_000_000  # of the maps of one batch, about 1 GB; of its distance maps also
_BOXES = 8  # least capacity for start boxes: drawn battles have at most 7
_PROGRAMS = 4  # most programs of the battles of one tier
_COMPILED = {False: 10**7, True: 5 * 10**9}  # rows of units that move one tick while one more program compiles: 25 s


@dataclass(frozen=True)
class Entry:
    """Games of one plan in one battle.

    Attributes:
        world: The battle, from `hive.load`; entries of the same object share its maps and distance maps.
        plan: The player's plan, from `hive.read_plan` for this world.
        seeds: One game each, 0 to 2^32 - 1; at least one.
        enemy: The enemy's plan, from `hive.read_plan` with `side=ENEMY`; None: the scenario's.
        name: Name of the plan, for the result.
    """

    world: EngineWorld
    plan: Plan
    seeds: Sequence[int]
    enemy: Plan | None = None
    name: str = ""


@dataclass(frozen=True)
class Shape:
    """Capacities of a batch of different battles; they change no game.

    Calls whose games fit one shape run the same program. The defaults hold all drawn battles with their own plans.

    Attributes:
        lanes: Games of one batch; others go into the next. 0: as many as there are, as a power of two.
        battles: Battles of one batch; 0: as many as its games have, as a power of two.
        plans: Plans of one batch, each with the enemy's; 0: as for battles.
        steps: Steps of one plan of the player; like all that follow, it grows to a power of two that holds all plans.
        groups: Groups of one plan of the player.
        memberships: Groups that one unit belongs to, over all steps of a plan.
        places: Distinct targets of all plans of the player in one battle.
        extras: Fields of `hive.engine.plan.arrays.EXTRAS` that plans have even if none of them uses it.
    """

    lanes: int = 0
    battles: int = 0
    plans: int = 0
    steps: int = 8
    groups: int = 16
    memberships: int = 8
    places: int = 8
    extras: tuple[str, ...] = ("figure", "sighting", "leash")


_THEIRS = {"steps": 32, "groups": 64, "memberships": 8, "places": 16}  # least capacities of the enemy's plans


@dataclass(frozen=True)
class Tier:
    """The shape that battles share: `to_tier` brings them to it.

    Attributes:
        side: Of the map, metres.
        units: Rows of units.
        boxes: Start boxes.
        cells: Cells of a start box.
    """

    side: int
    units: int
    boxes: int
    cells: int


def tier_of(params: Params) -> Tier:
    """Return the tier of a battle: that of drawn battles with its side, larger where it does not fit.

    Args:
        params: A battle.
    """
    side, count = params.terrain.size, params.count
    units = UNITS.get(side, 0)
    number, cells = params.boxes.cell.shape[:2]
    return Tier(
        side=side,
        units=units if units >= count else capacity(count),
        boxes=max(_BOXES, capacity(number)),
        cells=max(capacity(4 * side), capacity(cells)),
    )


def to_tier(params: Params, tier: Tier) -> Params:
    """Return a battle in the shapes of its tier; its games stay the same, to the bit.

    Plans for it need as many columns: `hive.engine.padding.pad_plan_units(plan, tier.units)`. Two battles of a tier
    have the same shapes but for the capacities of `Params.enemy` and, where their files say so, of trees.

    Args:
        params: A battle.
        tier: Its tier, or a larger one of the same side.

    Raises:
        ValueError: It has another side, does not fit, is a level of a wildfire, or there is a fire.
    """
    if params.crews is not None or params.blaze is not None:
        raise ValueError("battles with a fire and wildfires are no lanes of a mixed batch: play them with hive.sweep")
    if params.terrain.size != tier.side:
        raise ValueError(f"a map with a side of {params.terrain.size} m is not of the tier of {tier.side} m")
    padded = pad_units(params, tier.units)
    # The ways to places are measured in all of them: where a side has none, they are -1 as without.
    return padded.replace(
        boxes=pad_boxes(params.boxes, tier.boxes, tier.cells), goals=params.goals.replace(walked=True)
    )


def play_mixed(
    entries: Sequence[Entry],
    *,
    shape: Shape | None = None,
    devices: Sequence[jax.Device] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Play games of different battles; those of one tier are lanes of the same compiled program.

    A game is the same as alone, to the bit. Each tier compiles one program, however many battles it has, and up to
    three more where so many games have so few units that this saves more than it costs (`divide`). Calls with the same
    `shape` share the programs of calls before, as long as their games fit it and are divided alike. Entries of one
    battle should stand together.

    Args:
        entries: What to play; at least one.
        shape: Capacities; None: those of `Shape()`.
        devices: Where to play; None: on all devices that JAX sees.
        progress: Called after each batch with the games played so far and their number.

    Returns:
        A result for each entry, in their order, without metrics and endings. `seconds` is the wall time of the batches
        that held its games.

    Raises:
        UserError: A seed is not a whole number in that range, or a plan was read for another number of units.
        ValueError: There is no entry or one without seeds, or `to_tier` refuses a battle.
    """
    if not entries or not all(len(entry.seeds) for entry in entries):
        raise ValueError("a batch needs at least one entry, each with a seed")
    for entry in entries:
        for plan in (entry.plan, entry.enemy):
            if plan is not None:
                check_units(plan, entry.world.params.count)
    programs = {id(world): program_of(world) for world in {id(each.world): each.world for each in entries}.values()}
    tiers: dict[tuple[Tier, str], list[int]] = {}
    for number, entry in enumerate(entries):
        tiers.setdefault(programs[id(entry.world)], []).append(number)
    rows_moved = _COMPILED[current(mesh_of(devices).devices.flat[0].platform).flat]
    parts: dict[tuple[Tier, str], list[int]] = {}
    for (tier, digest), numbers in tiers.items():
        capacities = divide([entries[number] for number in numbers], tier.units, rows_moved)
        for number, units in zip(numbers, capacities, strict=True):
            parts.setdefault((replace(tier, units=units), digest), []).append(number)
    total, done = sum(len(entry.seeds) for entry in entries), 0
    results: dict[int, Result] = {}
    for (tier, _), numbers in parts.items():
        company = Company([entries[number] for number in numbers], tier, shape or Shape(), devices)
        ends = []
        for batch in company.batches:
            ends.append(company.play(batch))
            done += batch.size
            if progress:
                progress(done, total)
        results |= zip(numbers, company.collect(ends), strict=True)
    return [results[number] for number in range(len(entries))]


def divide(entries: Sequence[Entry], units: int, compiled: int) -> list[int]:
    """Return the capacity of units in which each entry of a tier is played; these are few, and change no game.

    A capacity is chosen if it saves more than its program costs. Games are taken to last for half of their limit.

    Args:
        entries: Of battles of one tier.
        units: Its capacity.
        compiled: Rows of units that move one tick in the time in which a program compiles.

    Returns:
        `units`, or one of at most three smaller capacities, `[E]`.
    """
    need = [min(units, _close(entry.world.params.count)) for entry in entries]
    ticks: Counter[int] = Counter()
    for rows, entry in zip(need, entries, strict=True):
        ticks[rows] += len(entry.seeds) * entry.world.limit // 2

    def moved(capacities: Sequence[int]) -> int:
        return sum(number * _least(capacities, rows) for rows, number in ticks.items())

    chosen = [units]
    while len(chosen) < _PROGRAMS:
        more = min(([*chosen, rows] for rows in ticks), key=moved)
        if moved(chosen) - moved(more) < compiled:
            break
        chosen = more
    return [_least(chosen, rows) for rows in need]


def _least(capacities: Sequence[int], rows: int) -> int:
    return min(each for each in capacities if each >= rows)


def _close(count: int) -> int:
    """Return the least of the capacities 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, ... for these units."""
    step = max(8, capacity(count) // 8)
    return -(-count // step) * step


@dataclass(frozen=True)
class Company:
    """Games of battles of one tier, cut into batches of one shape.

    Attributes:
        entries: What to play.
        tier: Of all their battles.
        shape: Capacities.
        devices: Where to play; None: on all devices that JAX sees.
    """

    entries: Sequence[Entry]
    tier: Tier
    shape: Shape
    devices: Sequence[jax.Device] | None = None

    @cached_property
    def batches(self) -> list[np.ndarray]:
        """The games of each batch, as numbers `[B]` of games that count entry by entry."""
        games, battles, plans = self._most
        cut, first = [], 0
        here: set[int] = set()
        for game, row in enumerate(self._row_of.tolist()):
            battle, more = int(self._battle_of[row]), row - int(self._row_of[first]) + 1
            if game - first == games or more > plans or (battle not in here and len(here) == battles):
                cut.append(np.arange(first, game))
                first, here = game, set()
            here.add(battle)
        return [*cut, np.arange(first, self._row_of.size)]

    def play(self, games: np.ndarray) -> dict[str, np.ndarray]:
        """Play the games of one batch and return their ends, arrays over games `[B]`."""
        began = time.perf_counter()
        found: Any = gather(play_games(*self.batch(games)))

        def in_order(leaf: np.ndarray) -> np.ndarray:
            return leaf.reshape(self._mesh.size, -1, *leaf.shape[1:]).swapaxes(0, 1).reshape(leaf.shape)

        ends = jax.tree.map(in_order, found)
        names = ("outcome", "ticks", "score", "survivors", "achieved", "way")
        seconds = np.full(games.size, time.perf_counter() - began)
        return {name: getattr(ends, name)[: games.size] for name in names} | {"seconds": seconds}

    def batch(self, games: np.ndarray) -> tuple[Mesh, Tables, Games, int]:
        """Return what `play_games` takes for the games of one batch, numbers `[B]` as in `batches`."""
        size, plans, width = self._sizes
        used, row = np.unique(self._row_of[games], return_inverse=True)
        battles, battle = np.unique(self._battle_of[used], return_inverse=True)
        columns: dict[str, Any] = {"seed": self._seeds[games], "row": row.astype(np.int32), "real": games >= 0}
        columns = {name: np.pad(leaf, (0, size - games.size)) for name, leaf in columns.items()}
        rows = np.pad(used, (0, plans - used.size), mode="edge")
        which = np.pad(battle.astype(np.int32), (0, plans - used.size), mode="edge")
        tables = self._tables(np.pad(battles, (0, width - battles.size), mode="edge"), rows, which)
        # The devices have equal parts of the games, those that only fill the capacity last.
        part = {name: leaf.reshape(-1, self._mesh.size).T.reshape(-1) for name, leaf in columns.items()}
        return self._mesh, put_shared(self._mesh, tables), put_own(self._mesh, Games(**part)), self.lanes

    def collect(self, parts: Sequence[dict[str, np.ndarray]]) -> list[Result]:
        """Return the results of all batches, arrays over games `[B]` as `play` returns them, one for each entry."""
        merged = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        results, first = [], 0
        for entry in self.entries:
            own = {name: leaf[first : first + len(entry.seeds)] for name, leaf in merged.items()}
            first += len(entry.seeds)
            results.append(
                Result(
                    scenario=entry.world.name,
                    plan=entry.name,
                    seed=seeds_of(entry.seeds),
                    outcome=names_of(own["outcome"]),
                    ticks=own["ticks"],
                    score=own["score"],
                    score_is=entry.world.score_is,
                    survivors=own["survivors"],
                    way=own["way"],
                    achieved=own["achieved"][:, : int(np.asarray(entry.plan.exists).sum())],
                    seconds=sum(dict.fromkeys(own["seconds"].tolist())),
                    metrics=(),
                    types=entry.world.unit_types,
                )
            )
        return results

    def tables(self) -> Tables:
        """Return the tables of all entries on the host: a row for each, and battles in the order of their entries."""
        return self._tables(np.arange(len(self._worlds)), np.arange(len(self.entries)), self._battle_of)

    def _tables(self, battles: np.ndarray, rows: np.ndarray, battle: np.ndarray) -> Tables:
        """Return the tables of a batch on the host: its battles `[W]`, rows of plans `[R]`, and their battles `[R]`."""
        params = [self._params[number] for number in battles]
        own = {name: _stacked([getattr(each, name) for each in params]) for name in OF_BATTLE}
        plan, enemy = (each.table(battles, rows) for each in self._sides)
        return Tables(params=params[0].replace(**own, enemy=enemy), plan=plan, battle=jax.device_put(battle))

    @cached_property
    def _worlds(self) -> list[EngineWorld]:
        return list({id(entry.world): entry.world for entry in self.entries}.values())

    @cached_property
    def _params(self) -> list[Params]:
        """The battles on the host, in the shapes of the tier, without a plan of the enemy."""
        padded = [to_tier(world.params, self.tier) for world in self._worlds]
        return [jax.tree.map(np.asarray, params.replace(enemy=None)) for params in padded]

    @cached_property
    def _battle_of(self) -> np.ndarray:
        """`[E]` the battle of each entry."""
        number = {id(world): at for at, world in enumerate(self._worlds)}
        return np.array([number[id(entry.world)] for entry in self.entries], np.int32)

    @cached_property
    def _row_of(self) -> np.ndarray:
        """Entry of each game."""
        return np.repeat(np.arange(len(self.entries), dtype=np.int32), [len(entry.seeds) for entry in self.entries])

    @cached_property
    def _seeds(self) -> np.ndarray:
        return np.concatenate([seeds_of(entry.seeds) for entry in self.entries])

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """Both sides' plans."""
        plans = [entry.plan for entry in self.entries], [each.enemy or each.world.params.enemy for each in self.entries]
        extras = {name: max(extras_of(plan)[name] for side in plans for plan in side) for name in EXTRAS}
        extras |= {name: max(1, extras[name]) for name in self.shape.extras}
        mine, theirs = (
            _Side([pad_plan_units(plan, self.tier.units) for plan in side], self._battle_of, least, extras)
            for side, least in zip(plans, ({name: getattr(self.shape, name) for name in _THEIRS}, _THEIRS), strict=True)
        )
        return mine, theirs

    @cached_property
    def lanes(self) -> int:
        """Games that each device plays at once."""
        most = max(1, _MOST_CELLS // self.tier.side**2)
        return min(most, self._at_once, -(-self._sizes[0] // self._mesh.size))

    @property
    def _at_once(self) -> int:
        return max(1, _AT_ONCE[current(self._mesh.devices.flat[0].platform).flat] // self.tier.units)

    @cached_property
    def _most(self) -> tuple[int, int, int]:
        """The most games, battles and rows of plans of a batch, by the shape and by the memory."""
        shape = self.shape
        maps = sum(each.room["places"] for each in self._sides) + 2
        battles = max(1, _MOST_CELLS // (self.tier.side**2 * maps))
        games = shape.lanes or _TURNS * self._mesh.size * self._at_once
        return games, min(shape.battles or battles, battles), min(shape.plans or games, games)

    @cached_property
    def _sizes(self) -> tuple[int, int, int]:
        """Games, rows of plans and battles of each batch."""
        shape, (games, battles, plans) = self.shape, self._most
        rows = [np.unique(self._row_of[batch]) for batch in self.batches]
        games = games if shape.lanes else capacity(max(batch.size for batch in self.batches))
        return (
            -(-games // self._mesh.size) * self._mesh.size,
            plans if shape.plans else capacity(max(each.size for each in rows)),
            battles if shape.battles else capacity(max(np.unique(self._battle_of[each]).size for each in rows)),
        )

    @cached_property
    def _mesh(self) -> Mesh:
        return mesh_of(self.devices)


@dataclass(frozen=True)
class _Side:
    """One side's plan of each entry, for the units of the tier.

    Attributes:
        plans: The plans.
        battle: `[E]` the battle of each.
        least: Least capacities.
        extras: Capacities of fields of `EXTRAS`.
    """

    plans: Sequence[Plan]
    battle: np.ndarray
    least: Mapping[str, int]
    extras: Mapping[str, int]

    def table(self, battles: np.ndarray, rows: np.ndarray) -> Plan:
        """Return the plans of some rows `[R]` with the targets of some battles `[W]`, on the host."""
        most = self.room["places"]
        ways = [(known + known[-1:] * most)[:most] for known in (list(self.ways[battle]) for battle in battles)]
        place = np.array([[way[:2] for way in each] for each in ways], np.int32)
        cover = np.array([[way[2] for way in each] for each in ways]) if self.room["cover"] else None
        table: Plan = _stacked([self.padded[row] for row in rows])
        return table.replace(place=place, cover=cover)

    @cached_property
    def ways(self) -> dict[int, dict[tuple[int, int, bool], int]]:
        """The distinct targets of all plans of each battle, with their numbers."""
        found: dict[int, dict[tuple[int, int, bool], int]] = {}
        for plan, battle in zip(self.plans, self.battle.tolist(), strict=True):
            known = found.setdefault(battle, {})
            for way in ways_of(plan):
                known.setdefault(way, len(known))
        return found

    @cached_property
    def room(self) -> dict[str, int]:
        """Capacities of all plans; `places` is that of a battle."""
        need = [sizes_of(plan) for plan in self.plans]
        room = {name: max(each[name] for each in need) for name in need[0]}
        room["places"] = max(map(len, self.ways.values()))
        return {name: capacity(max(room[name], self.least.get(name, 1))) for name in room} | dict(self.extras)

    @cached_property
    def padded(self) -> list[Plan]:
        """The plans on the host, without places, their targets numbered as in `ways`."""
        plans = []
        for plan, battle in zip(self.plans, self.battle.tolist(), strict=True):
            number = np.array([self.ways[battle][way] for way in ways_of(plan)], np.int32)
            here = pad_plan(plan.replace(source=None), **(self.room | {"places": len(number)}))
            moved = here.replace(target=number[np.asarray(here.target)], place=None, cover=None)
            plans.append(jax.tree.map(np.asarray, moved))
        return plans


def program_of(world: EngineWorld) -> tuple[Tier, str]:
    """Return what the battles of one program have in common: the tier, and a digest of unit types and trees."""
    params = world.params
    digest = blake2b(digest_size=16)
    for leaf in jax.tree.leaves((params.types, params.behaviours)):
        digest.update(str((leaf.shape, leaf.dtype)).encode() + np.asarray(leaf).tobytes())
    return tier_of(params), digest.hexdigest()


def _stacked(trees: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)
