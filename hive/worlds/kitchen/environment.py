"""A kitchen as an environment whose agents are its two cooks (docs/rules/learning.md 14).

A step is one timestep. An agent names an action in each of them, and the controller goes one move further with it; so
an action lasts as long as it is named again, and may be given up at any time. Or the agents choose moves themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from dsl import UserError
from dsl.wording import listing
from hive.ground.exact import rounded
from hive.kit.environment.checks import check_worlds, is_whole
from hive.kit.environment.env import STAND, Env, LearnerView, Policy, TimeStep, available, unstack
from hive.kit.environment.tasks import LearningTask, only
from hive.worlds.kitchen.action import NamedAction
from hive.worlds.kitchen.codes import ActionKind, Move, Place
from hive.worlds.kitchen.controller import drive
from hive.worlds.kitchen.cookbook import NO_ITEM, UTENSIL_CAPACITY, Cookbook
from hive.worlds.kitchen.dynamics import idle, reset, step
from hive.worlds.kitchen.layout import COOKS, Layout
from hive.worlds.kitchen.menu import Menu, legal, make_menu
from hive.worlds.kitchen.progress import Needs, make_needs, progress
from hive.worlds.kitchen.recording import KitchenRecording, gather
from hive.worlds.kitchen.setting import Setting, load_setting
from hive.worlds.kitchen.state import Actions, Params, Primitives, State
from hive.worlds.kitchen.tasks import check_task, find_task
from hive.worlds.kitchen.validator import Validator


class KitchenEnv(Env["KitchenEnvState"], kw_only=True):
    """A kitchen in which one of several orders is made. I items, O orders.

    Attributes:
        params: Rules.
        menu: The named actions; action 0 of an agent stands and is not among them.
        needs: What each order is made of.
        codes: `[I]` the items that can occur.
        order: `[O]` codes of the orders.
        last: `[O]` timesteps until a game is truncated.
        floor: `[F]` tiles on which a cook can stand.
        texts: The named actions in words.
        sparse: Whether only the delivery is rewarded.
        moves: Whether agents choose moves rather than named actions.
        longest: Largest of `last`.
        slowest: Most timesteps that a utensil works.
    """

    params: Params
    menu: Menu
    needs: Needs
    codes: Int[Array, " i"]
    order: Int[Array, " o"]
    last: Int[Array, " o"]
    floor: Int[Array, " f"]
    texts: tuple[str, ...] = struct.field(pytree_node=False)
    sparse: bool = struct.field(pytree_node=False)
    moves: bool = struct.field(pytree_node=False)
    longest: int = struct.field(pytree_node=False)
    slowest: int = struct.field(pytree_node=False)

    @property
    def num_agents(self) -> int:
        """The two cooks."""
        return COOKS

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return 1 + len(self.texts)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        return ("stand", *self.texts)

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        items, places = self.codes.shape[0], self.params.counter.shape[0]
        utensils = self.params.kind.shape[0] * (2 * items + 1)
        return COOKS + self.floor.shape[0] + 1 + 4 + items + places * items + utensils + self.order.shape[0] + 1

    @property
    def max_steps(self) -> int:
        """Timesteps after which a game surely has ended."""
        return self.longest

    def reset(self, key: Key[Array, ""]) -> tuple[KitchenEnvState, LearnerView]:
        """Begin a game with an order that the key draws."""
        number = jax.random.randint(key, (), 0, self.order.shape[0])
        state = reset(self.params, self.order[number])
        return self._see(state, number)

    def step(self, state: KitchenEnvState, actions: Int[Array, " n"]) -> tuple[KitchenEnvState, TimeStep]:
        """Play one timestep; an action that is not available stands."""
        before, (primitives, _) = state.state, self._act(state, actions)
        now = step(self.params, before, primitives)
        running = ~self._over(before, state.number)
        now = jax.tree.map(lambda new, old: jnp.where(running, new, old), now, before)
        after, view = self._see(now, state.number)
        won = (now.served & ~before.served).astype(jnp.float32)
        reward = jnp.where(running, won if self.sparse else won + rounded(after.score - state.score), 0.0)
        return after, TimeStep(
            view=view,
            reward=jnp.broadcast_to(reward, (COOKS,)).astype(jnp.float32),
            terminated=now.served,
            truncated=~now.served & (now.clock >= self.last[state.number]),
            won=now.served,
            score=after.score,
        )

    def global_state(self, state: KitchenEnvState) -> Float[Array, " g"]:
        """Return what both cooks observe, for critics."""
        return self._observe(state.state, state.number).reshape(-1)

    def record(
        self, world: Setting, states: KitchenEnvState, actions: Int[Array, "t n"], steps: int, title: str
    ) -> KitchenRecording:
        """Return a game that was played as a recording."""
        before = jax.tree.map(lambda rows: rows[:-1], states)
        doing = jax.device_get(_doing(self, before, actions))
        shown: Any = jax.device_get(states.state)
        done = jax.tree.map(lambda rows: rows[1:], shown.completed)
        task = find_task(world.book.name(int(shown.order[0])), world.book)
        kept = unstack(shown, steps + 1), unstack(doing, steps), unstack(done, steps)
        return gather(world, task, *kept, title=title)

    def scripted(self, world: Setting) -> dict[str, Policy]:
        """Return the pair that follows the fastest plan."""
        from hive.worlds.kitchen.scripted import scripted

        return scripted(self, world)

    def _over(self, state: State, number: Int[Array, ""]) -> Bool[Array, ""]:
        return state.served | (state.clock >= self.last[number])

    def _act(self, state: KitchenEnvState, actions: Int[Array, " n"]) -> tuple[Primitives, Actions]:
        """Return what the cooks do, and the named actions with which they go on: none where agents choose moves."""
        acts = available(state.action_mask, actions) & (actions != STAND)
        row = jnp.where(acts, actions - 1, 0)
        chosen = jax.tree.map(lambda each: jnp.where(acts, each[row], 0), self.menu.actions)
        if self.moves:  # the columns `kind` and `item` of the menu hold moves and ingredients
            move = jnp.where(acts, chosen.kind, Move.STAY)
            return Primitives(move=move, item=chosen.item), idle(self.params)
        return drive(self.params, state.state, chosen), chosen

    def _see(self, state: State, number: Int[Array, ""]) -> tuple[KitchenEnvState, LearnerView]:
        allowed = jnp.ones((COOKS, self.num_actions - 1), bool) if self.moves else legal(self.params, self.menu, state)
        action_mask = jnp.concatenate([jnp.ones((COOKS, 1), bool), allowed], axis=1)
        view = LearnerView(
            observation=self._observe(state, number), action_mask=action_mask, alive=jnp.ones(COOKS, bool)
        )
        score = progress(self.params, jax.tree.map(lambda each: each[number], self.needs), state)
        return KitchenEnvState(state=state, number=number, action_mask=action_mask, score=score), view

    def _observe(self, state: State, number: Int[Array, ""]) -> Float[Array, "n f"]:
        """What each cook sees: itself, and the counters and utensils that it reaches."""
        params = self.params

        def among(code: Int[Array, " ..."]) -> Float[Array, "... i"]:
            return _matches(code, self.codes).astype(jnp.float32)

        reach = params.reach.astype(jnp.float32)
        counters = among(state.counters)[None] * reach[:, params.counter, None]
        utensil = params.place[None] == Place.UTENSIL + jnp.arange(params.kind.shape[0])[:, None]  # [U, S]
        near = (utensil[None] & params.reach[:, None]).any(-1).astype(jnp.float32)
        shares = jnp.asarray(np.arange(UTENSIL_CAPACITY + 1, dtype=np.float32) / UTENSIL_CAPACITY)
        contents = shares[_matches(state.contents, self.codes).sum(1, dtype=jnp.int32)]
        work = (state.work.astype(jnp.float32) * np.float32(1 / self.slowest))[:, None]
        utensils = jnp.concatenate([contents, among(state.product), work], axis=1)[None] * near[..., None]
        clock = state.clock.astype(jnp.float32) * np.float32(1 / self.longest)
        pose = jnp.concatenate(
            [
                jnp.eye(COOKS, dtype=jnp.float32),
                _matches(state.tile, self.floor).astype(jnp.float32),
                jnp.broadcast_to(clock, (COOKS, 1)),
                _matches(state.facing, jnp.arange(4)).astype(jnp.float32),
                among(state.held),
            ],
            axis=1,
        )
        orders = self.order.shape[0]
        order = jnp.broadcast_to((jnp.arange(orders) == number).astype(jnp.float32), (COOKS, orders))
        notice = jnp.broadcast_to(state.notice.any().astype(jnp.float32), (COOKS, 1))
        flat = (counters.reshape(COOKS, -1), utensils.reshape(COOKS, -1))
        return jnp.clip(jnp.concatenate([pose, *flat, order, notice], axis=1), -1.0, 1.0)


@jax.jit
def _doing(env: KitchenEnv, states: KitchenEnvState, actions: Int[Array, "t n"]) -> Actions:
    """Return the named actions with which the cooks go on in each step of a game."""
    return jax.vmap(lambda state, chosen: env._act(state, chosen)[1])(states, actions)


class KitchenEnvState(struct.PyTreeNode, kw_only=True):
    """An environment's state."""

    state: State
    number: Int[Array, ""]  # of the order
    action_mask: Bool[Array, "n a"]
    score: Float[Array, ""]


def make_kitchen_env(
    orders: Sequence[str], setting: Setting | None = None, *, sparse: bool = False, moves: bool = False,
    limit: int | None = None,
) -> KitchenEnv:  # fmt: skip
    """Return the environment of some orders.

    Args:
        orders: Names of tasks, at least one; each game draws one of them.
        setting: The kitchen; the shipped one when None.
        sparse: Whether only the delivery is rewarded.
        moves: Whether agents choose moves and interactions rather than named actions.
        limit: Timesteps of a game; those of each order when None.

    Raises:
        UserError: There is no such task, the kitchen cannot make it, or the limit is below 1.
    """
    setting = setting or load_setting()
    book, layout = setting.book, setting.layout
    check_worlds(orders, str, "order")
    if not orders:
        raise UserError("an environment of a kitchen needs one order at least")
    if limit is not None and not is_whole(limit, 1):
        raise UserError(f"a game has at least 1 timestep, not {limit}")
    found = [find_task(order, book) for order in orders]
    for task in found:
        check_task(task.order, book, layout)
    items = items_of(book, [task.order for task in found])
    validator = Validator(book, layout)
    raw = [item for item in items if item in book.ingredients]
    if moves:
        menu, texts = _moves(book, raw)
    else:
        chosen = [each for each in validator.words.every_action() if _matters(each, items, book, layout)]
        menu, texts = make_menu(validator, chosen), tuple(str(each) for each in chosen)
    codes = [book.code[item] for item in items if item != book.dish]
    if book.dish in items:
        codes += [book.dish_code, *(book.plated(item) for item in items if item in book.recipe)]
    last = [limit or task.limit() + 1 for task in found]
    arrays: dict[str, Any] = jax.device_put(
        {
            "codes": np.array(codes, np.int32),
            "order": np.array([book.code[task.order] for task in found], np.int32),
            "last": np.array(last, np.int32),
            "floor": np.array(sorted(y * layout.width + x for x, y in layout.floor), np.int32),
        }
    )
    needs = make_needs(setting, [task.order for task in found])
    return KitchenEnv(
        params=setting.arrays,
        menu=menu,
        needs=needs,
        texts=texts,
        sparse=sparse,
        moves=moves,
        longest=max(last),
        slowest=max(utensil.timesteps for utensil in book.utensils),
        **arrays,
    )


def items_of(book: Cookbook, orders: Sequence[str]) -> tuple[str, ...]:
    """Return everything that the ingredients of some orders can become, and the dish if one of them needs it."""
    there = {name for order in orders for name in book.ingredients_of(order)}
    made = [r.product for r in book.recipes if set(book.ingredients_of(r.product)) <= there]
    dish = [book.dish] if any(book.needs_dish(order) for order in orders) else []
    return (*(name for name in book.ingredients if name in there), *made, *dish)


def _matches(values: Int[Array, " ..."], kinds: Int[Array, " k"]) -> Bool[Array, "... k"]:
    """Which of some kinds each value is."""
    return values[..., None] == kinds.reshape((1,) * values.ndim + (-1,))


def _matters(action: NamedAction, items: Sequence[str], book: Cookbook, layout: Layout) -> bool:
    """Whether an action can ever be of use: no waits, and only items that can occur."""
    if action.kind == ActionKind.WAIT:
        return False
    if action.kind == ActionKind.FILL:
        return book.dish in items
    if action.kind != ActionKind.PICKUP:
        return True
    if action.item not in items:
        return False
    makers = layout.instances_of(book.recipe[action.item].utensil) if action.item in book.recipe else ()
    return action.place not in layout.instances or action.place in makers


def _moves(book: Cookbook, raw: Sequence[str]) -> tuple[Menu, tuple[str, ...]]:
    """The moves in the columns of a menu, which has no mask of its own."""
    rows = [(move, NO_ITEM) for move in (Move.NORTH, Move.SOUTH, Move.EAST, Move.WEST)]
    rows += [(Move.INTERACT, book.code[item]) for item in raw]
    move, item = np.array(rows, np.int32).T
    none: Any = np.zeros(len(rows), np.int32)
    actions = Actions(**jax.device_put({"kind": move, "item": item, "place": none, "left": none}))
    empty = jnp.zeros((COOKS, 0), bool)
    menu = Menu(actions=actions, offer=actions.place, within=empty, at_counter=empty, dead=jnp.zeros((), bool))
    compass = [move.name.lower() for move in (Move.NORTH, Move.SOUTH, Move.EAST, Move.WEST)]
    return menu, (*compass, *(f"interact, taking {item}" for item in raw))


def load_world(task: LearningTask, seeds: Sequence[int] | None = None, **overrides: Any) -> Setting:
    """Load the kitchen of a task; see `hive.kit.environment.tasks.TaskKind`."""
    only("a kitchen", overrides, ("limit",))
    return load_setting()


def make_task_env(task: LearningTask, *, sparse: bool, seeds: Sequence[int] | None, **overrides: Any) -> KitchenEnv:
    """Make the environment of a task; see `hive.kit.environment.tasks.TaskKind`."""
    return make_kitchen_env(task.of, load_world(task, **overrides), sparse=sparse, **overrides)


def task_facts(task: LearningTask) -> list[tuple[str, str]]:
    """Return the facts of a kitchen; see `hive.kit.environment.tasks.TaskKind`."""
    layout, orders = load_world(task).layout, [name.replace("_", " ") for name in task.of]
    drawn = f"{listing(orders, 'or')}; the key of a game draws one" if len(orders) > 1 else orders[0]
    return [
        ("World", f"a kitchen of {layout.width} x {layout.height} tiles"),
        ("Orders", drawn),
        ("Team", listing([cook.name for cook in layout.cooks], "and")),
        ("Opponent", "none"),
        ("A step", "a timestep, in which each cook goes one move further with the action that it names"),
        ("Won when", "the order is delivered"),
        ("Reward", "how much nearer the order is to its delivery, in shares of 1, + 1 for the delivery"),
        ("Sparse reward", "1 for the delivery"),
    ]
