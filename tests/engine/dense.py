"""The rules word for word in NumPy over `[N, N]` pairs: the oracle for the sweep, the trees, the push and a whole tick.

Nothing here sorts, tiles, looks at clearances or knows arrays of leaves: pairs are all pairs, lines are all sampled,
atomics are read from their words. Arithmetic is float32, operation by operation, and sums over units are sums of
integers where the engine's are, so that results can be compared to the bit. Draws are the engine's own.
"""

from __future__ import annotations

from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

import dsl
from hive.engine.types import Params, State
from hive.engine.units import draws
from hive.engine.units.leaves import UNIT_TYPES
from hive.engine.units.senses import NOBODY, SenseQueries
from hive.ground.shapes import Ground
from tests.bt.reference import evaluate

STAND, MOVE, ATTACK = 0, 1, 2
F = np.float32
_PART = np.linspace(0.0, 1.0, 30, dtype=F)[:, None]
_HALF = np.sqrt(0.5)
_RAYS = ((1, 0), (_HALF, _HALF), (0, 1), (-_HALF, _HALF), (-1, 0), (-_HALF, -_HALF), (0, -1), (_HALF, -_HALF))
FAN = np.array([(0, 0), *((part * x, part * y) for x, y in _RAYS for part in (0.25, 0.5, 0.75, 1.0))]).astype(F)

SHARE = {"low": F(0.25), "middle": F(0.5), "high": F(0.75)}
NEAR = {"low": F(0.25), "middle": F(0.5), "high": F(1.0)}
STEPS = {"now": 0, "low": 1, "middle": 2, "high": 3}


_tick_word = jax.jit(draws.tick_word)


@jax.jit
def _pair_words(word: jax.Array, unit: jax.Array) -> jax.Array:
    mine = draws.unit_words(word, unit, draws.Stream.PAIR)[:, None]
    return draws.mix(mine ^ unit.astype(jnp.uint32)[None] * np.uint32(0x9E3779B1))


@jax.jit
def _wanders(word: jax.Array, unit: jax.Array) -> jax.Array:
    words = draws.unit_words(word, unit, draws.Stream.WANDER)[:, None]
    return draws.uniform(draws.mix(words + jnp.arange(33, dtype=jnp.uint32)[None] * np.uint32(0x9E3779B1)))


@jax.jit
def _jitter(word: jax.Array, unit: jax.Array) -> jax.Array:
    return draws.normal_pair(word, unit, draws.Stream.JITTER)


def samples(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """`[30, M, 2]` points of lines, the last one `end` itself (docs/rules/battles.md 1.4)."""
    points = start + _PART[:, :, None] * (end - start)
    points[-1] = end
    return points


def cells(points: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    at = np.clip(points.astype(np.int32), 0, size - 1)
    return at[..., 0], at[..., 1]


def length(vector: np.ndarray) -> np.ndarray:
    return np.sqrt(vector[..., 0] * vector[..., 0] + vector[..., 1] * vector[..., 1])


class Dense:
    """One world at one instant, on the host."""

    def __init__(
        self, params: Params, state: State, word: int, maps: np.ndarray | None = None, target: np.ndarray | None = None
    ) -> None:
        self.params, self.word = params, jnp.uint32(word)
        self.id, self.side, self.type = (np.asarray(getattr(params.units, f)) for f in ("id", "side", "type"))
        self.types = {f: np.asarray(v) for f, v in vars(params.types).items()}
        self.rules = {f: np.asarray(v) for f, v in vars(params.rules).items()}
        self.kind = np.asarray(params.terrain.kind)
        self.size = self.kind.shape[0]
        self.position, self.health = np.asarray(state.position), np.asarray(state.health)
        self.cooldown, self.alive = np.asarray(state.cooldown), np.asarray(state.health) > 0
        self.share = self.health / self.own("max_health")
        self.rows = np.argsort(self.id)
        self.maps, self.target = maps, target  # distance maps `[D, X, Y]` and each unit's own

    def own(self, field: str) -> np.ndarray:
        """`[N]` an attribute of each unit's type."""
        return self.types[field][self.type]

    # what is seen

    @cached_property
    def apart(self) -> np.ndarray:
        """`[N, N]` squared distances."""
        way = self.position[None] - self.position[:, None]
        return way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1]

    @cached_property
    def sight(self) -> np.ndarray:
        """`[N, N]` whether i sees j (docs/rules/battles.md 3.2)."""
        sight = self.own("sight")[:, None]
        near = (self.apart <= sight * sight) & self.alive[:, None] & self.alive & ~np.eye(len(self.id), dtype=bool)
        i, j = np.nonzero(near)
        for part in np.array_split(np.arange(len(i)), len(i) // 100_000 + 1):  # a crowd has a million lines
            at = cells(samples(self.position[i[part]], self.position[j[part]]), self.size)
            near[i[part], j[part]] = ~((self.kind[at] & (Ground.BUILDING | Ground.FOREST)) > 0).any(0)
        return near

    @cached_property
    def pair(self) -> np.ndarray:
        """`[N, N]` the 32 random bits of each ordered pair."""
        return np.asarray(_pair_words(self.word, self.params.units.id))

    def seen(self, who: str, types: tuple[str, ...], targets: tuple[str, ...]) -> np.ndarray:
        """`[N, N]` visible units of the wanted team and types; a written `any` becomes the plan's targets."""
        if types == ("any",):
            types = targets
        wanted = np.isin(self.type, [UNIT_TYPES.index(t) for t in types]) if types not in ((), ("any",)) else True
        same = self.side[:, None] == self.side
        return self.sight & (same if who == "friend" else ~same) & wanted

    def choose(self, fits: np.ndarray, qualifier: str) -> np.ndarray:
        """`[N]` row of the chosen unit, -1 for none; ties go to the lowest id (docs/rules/trees.md 3.2)."""
        noisy = self.health + F(0.5) * ((self.pair >> 8).astype(F) * F(2.0**-24))
        value = {
            "closest": self.apart,
            "farthest": -self.apart,
            "weakest": noisy,
            "strongest": -noisy,
            "random": (self.pair >> 2).astype(np.int64),
        }[qualifier]
        value = np.where(fits, value, np.inf)
        best = np.where(fits & (value == value.min(1, keepdims=True)), self.id, len(self.id))
        return np.where(fits.any(1), self.rows[np.minimum(best.min(1), len(self.id) - 1)], -1)

    def touched(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """`[M]` whether a straight step touches building or water."""
        return ((self.kind[cells(samples(start, end), self.size)] & (Ground.BUILDING | Ground.WATER)) > 0).any(0)

    # what the atomics say and do

    def leaf(self, leaf: dsl.Leaf, targets: tuple[str, ...]) -> tuple[np.ndarray, int, np.ndarray, np.ndarray]:
        """Success `[N]`, kind, displacement `[N, 2]` and target row `[N]` of one atomic for every unit.

        Rules: docs/rules/trees.md 4.
        """
        count, speed = len(self.id), self.own("speed")
        nowhere, nobody = np.zeros((count, 2), F), np.full(count, -1)
        name, args = leaf.name, leaf.args
        if name == "attack":
            fits = self.seen("foe", leaf.types, targets) & (self.apart <= np.square(self.own("reach"))[:, None])
            who = self.choose(fits, args[0])
            return (who >= 0) & (self.cooldown <= 0), ATTACK, nowhere, who
        if name == "move":
            if len(args) == 1:
                step, sure = self.compass(args[0], speed), args[0] == "center"
                return sure | ~self.touched(self.position, self.position + step), MOVE, step, nobody
            who = self.choose(self.seen(args[2], leaf.types, targets), args[1])
            way = self.position[who] - self.position
            size = length(way)
            short = np.where(size > speed, speed / np.maximum(size, F(1e-12)), F(1))
            step = way * short[:, None] * F(1 if args[0] == "toward" else -1)
            return (who >= 0) & ~self.touched(self.position, self.position + step), MOVE, step, nobody
        if name == "follow_map":
            return *self.follow(args), nobody
        if name == "success_action":
            return np.ones(count, bool), MOVE, np.stack([0 * speed, speed], 1), nobody
        return self.holds(name, args, leaf.types, targets), STAND, nowhere, nobody

    def holds(self, name: str, args: tuple[str, ...], types: tuple[str, ...], targets: tuple[str, ...]) -> np.ndarray:
        """`[N]` whether a condition, or an action that does not move, succeeds."""
        speed, reach = self.own("speed"), self.own("reach")
        match name:
            case "stand":
                return np.ones(len(self.id), bool)
            case "failure_action":
                return np.zeros(len(self.id), bool)
            case "in_sight":
                return self.seen(args[0], types, targets).any(1)
            case "in_reach":
                limit = reach + F(STEPS[args[2]]) * speed
                limit = limit[:, None] if args[1] == "them_from_me" else limit[None]
                return (self.seen(args[0], types, targets) & (self.apart <= limit * limit)).any(1)
            case "is_dying" if args[0] == "self":
                return self.share <= SHARE[args[1]]
            case "is_dying":
                return (self.seen(args[0], (), ()) & (self.share <= SHARE[args[1]])).any(1)
            case "is_armed" if args[0] == "self":
                return self.cooldown <= 0
            case "is_armed":
                others = self.seen(args[0], (), ())
                return others.any(1) & (~others | (self.cooldown <= 0)).all(1)
            case "is_type":
                return (self.type == UNIT_TYPES.index(args[1])) == (args[0] == "a")
            case "is_in_forest":
                return (self.kind[cells(self.position, self.size)] & Ground.FOREST) > 0
            case "is_flock":
                return self.flock(self.seen(args[0], (), ()), args[1])
        raise ValueError(name)

    def flock(self, others: np.ndarray, direction: str) -> np.ndarray:
        way = self.position[None] - self.position[:, None]
        x, y = (np.where(others, np.round(way[..., axis] * F(256)), 0).astype(np.int64).sum(1) for axis in (0, 1))
        if direction == "center":
            corners = [(sx * way[..., 0] > 0) & (sy * way[..., 1] > 0) for sx in (1, -1) for sy in (1, -1)]
            return np.all([(others & corner).any(1) for corner in corners], axis=0)
        along, across = {"north": (y, x), "east": (x, y), "south": (-y, x), "west": (-x, y)}[direction]
        return along > np.abs(across)

    def compass(self, direction: str, speed: np.ndarray) -> np.ndarray:
        if direction != "center":
            way = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}[direction]
            return (np.array(way, F) * speed[:, None]).astype(F)
        off = F(self.size / 2) - self.position
        east = np.abs(off[:, 0]) > np.abs(off[:, 1])
        return np.where(np.stack([east, ~east], 1), np.sign(off) * speed[:, None], 0).astype(F)

    def follow(self, args: tuple[str, ...]) -> tuple[np.ndarray, int, np.ndarray]:
        """`follow_map` by each unit's distance map (docs/rules/trees.md 5)."""
        count, far = len(self.id), F(self.size * self.size)
        noise = _wanders(self.word, self.params.units.id)
        step = FAN[None] * self.own("speed")[:, None, None]
        x, y = cells(self.position[:, None] + step, self.size)
        value = self.maps[self.target[:, None], x, y].astype(F)
        value = value + self.rules["movement_randomness"] * np.asarray(noise)
        start = np.repeat(self.position, 33, axis=0)
        value[self.touched(start, start + step.reshape(-1, 2)).reshape(count, 33)] = far
        here, sight = value[:, 0], self.own("sight")
        if args[0] == "toward":
            best, good = value.argmin(1), here > (NEAR[args[1]] * sight if len(args) > 1 else 0)
        else:
            best = np.where(value >= far, F(-1), value).argmax(1)
            good = here < (NEAR[args[1]] * sight if len(args) > 1 else np.inf)
        return good, MOVE, step[np.arange(count), best]

    def decide(
        self, trees: list[dsl.Node], tree: np.ndarray, targets: list[tuple[str, ...]]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kind `[N]`, displacement `[N, 2]` and target id `[N]` (-1: none) of every unit; of tree -1 it stands."""
        count = len(self.id)
        kind, move, target = np.zeros(count, int), np.zeros((count, 2), F), np.full(count, -1)
        said = {}
        for number, wanted in sorted({(t, w) for t, w, live in zip(tree, targets, self.alive, strict=True) if live}):
            if number < 0:
                continue
            leaves, numbered = leaves_of(trees[number]), _numbered(trees[number])
            for leaf in leaves:
                if (leaf, wanted) not in said:
                    said[leaf, wanted] = self.leaf(leaf, wanted)
            answers = np.array([said[leaf, wanted][0] for leaf in leaves])
            for row in range(count):
                if (tree[row], targets[row]) != (number, wanted) or not self.alive[row]:
                    continue
                _, winner, _ = evaluate(numbered, answers[:, row])
                if winner >= 0:
                    _, kind[row], moves, whom = said[leaves[winner], wanted]
                    move[row], target[row] = moves[row], self.id[whom[row]] if whom[row] >= 0 else -1
        return kind, move, target

    def ask(self, asked: SenseQueries) -> tuple[np.ndarray, np.ndarray]:
        """Key and unit `[S, N]` of every slot: the first candidate in its order, by key and then by id."""
        ask = {f: np.asarray(v) for f, v in vars(asked).items()}
        bit = 1 << (8 * self.side + self.type)
        noisy = (self.health + F(0.5) * ((self.pair >> 8).astype(F) * F(2.0**-24))).view(np.int32)
        hashed = (self.pair >> 2).astype(np.int32) + 1
        orders = [np.maximum(self.apart.view(np.int32), 1), noisy, hashed, self.cooldown + 2**30 + 0 * noisy]
        keys, units = [], []
        for slot in range(len(ask["mask"])):
            theirs = self.own("reach") + ask["steps"][slot][:, None] * self.own("speed")
            limit = ask["base"][slot][:, None] + ask["theirs"][slot][:, None] * theirs
            fits = self.sight & ((ask["mask"][slot][:, None] & bit) > 0) & (self.apart <= limit * limit)
            fits &= self.share <= ask["health"][slot][:, None]
            key = np.choose(ask["order"][slot][:, None], orders)
            key = np.where(fits, key ^ ask["flip"][slot][:, None], NOBODY)
            keys.append(key.min(1))
            units.append(np.where(fits & (key == key.min(1, keepdims=True)), self.id, NOBODY).min(1))
        return np.array(keys), np.array(units)

    # the world

    def after(self, kind: np.ndarray, move: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, ...]:
        """Position, health and cooldown after a tick with these actions (docs/rules/battles.md 3.3 to 3.7)."""
        strikes = (kind == ATTACK) & self.alive & (self.cooldown <= 0)
        damage = np.zeros(len(self.id))
        np.add.at(damage, self.rows[target[strikes]], self.own("damage")[strikes])
        health = np.maximum(self.health - damage, 0).astype(F)
        alive = health > 0
        cooldown = np.where(strikes & alive, self.own("cooldown"), self.cooldown - 1)
        shake = self.rules["jitter"] * np.asarray(_jitter(self.word, self.params.units.id))
        wish = np.where((kind == MOVE)[:, None], move, F(0)) + shake
        position = self.arrive(self.position, self.position + np.where(alive[:, None], wish, F(0)))
        position = self.arrive(position, position + self.pushed(position, alive))
        return position, health, cooldown

    def arrive(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The swept test of docs/rules/battles.md 3.6."""
        path = samples(start, end)
        blocked = (self.kind[cells(path, self.size)] & (Ground.BUILDING | Ground.WATER)) > 0
        blocked |= ((path <= 0) | (path >= self.size)).any(-1)
        first = blocked.argmax(0)
        stop = np.where(~blocked.any(0) | (first == 0), len(path) - 1, first - 1)
        return path[stop, np.arange(len(start))]

    def pushed(self, position: np.ndarray, alive: np.ndarray, grain: float = 2.0**16) -> np.ndarray:
        """Displacements of docs/rules/battles.md 3.7, summed in fixed point."""
        way = position[:, None] - position[None]
        radius = self.own("radius")
        overlap = np.maximum(F(0), (radius[:, None] + radius) / (length(way) + F(1e-6)) - F(1))
        both = alive[:, None] & alive & ~np.eye(len(alive), dtype=bool)
        weight = np.where(both, overlap, F(0)) * F(grain)
        total = np.round(weight[..., None] * way).astype(np.int64).sum(1).astype(F) / F(grain)
        return total * (F(0.5) * self.rules["firmness"])


def leaves_of(root: dsl.Node) -> list[dsl.Leaf]:
    return [root] if isinstance(root, dsl.Leaf) else [leaf for child in root.children for leaf in leaves_of(child)]


def _numbered(root: dsl.Node) -> dsl.Node:
    """The tree as `tests.bt.reference` wants it: each leaf named by its place."""
    count = 0

    def walk(node: dsl.Node) -> dsl.Node:
        nonlocal count
        if isinstance(node, dsl.Leaf):
            count += 1
            return dsl.Leaf(role=node.role, name="leaf", args=(str(count - 1),))
        return type(node)(tuple(walk(child) for child in node.children))

    return walk(root)


def word_of(key: jax.Array, tick: int) -> int:
    return int(_tick_word(key, np.int32(tick)))
