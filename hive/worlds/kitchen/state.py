"""A kitchen as arrays: its rules, its state, and what cooks do.

C cooks (2), K counters that a cook reaches, U utensils, S stations, I codes of items, R recipes, T tiles, P poses
(`4 * tile + facing`). Structs are unbatched: a batch is a `jax.vmap`. Items are the codes of `Cookbook`: 0 is nothing,
and a filled dish has a code of its own.
"""

from __future__ import annotations

from flax import struct
from jaxtyping import Array, Bool, Int

JUNK = -1
"""`State.product` of a utensil that was started on contents that match no recipe, until the end of the timestep."""


class Params(struct.PyTreeNode, kw_only=True):
    """Cookbook and layout for a device; traced, so that another recipe of the same shapes does not recompile."""

    # Layout (docs/rules/kitchen.md 1)
    step_to: Int[Array, "t 4"]  # tile reached by a step in each direction; the same tile where it is no floor
    facing_at: Int[Array, "t 4"]  # station that is faced; -1: none
    start: Int[Array, " c"]  # tiles
    start_facing: Int[Array, " c"]
    place: Int[Array, " s"]  # `Place` of each station
    slot: Int[Array, " s"]  # number of the counter or utensil; 0 for others
    counter: Int[Array, " k"]  # stations
    reach: Bool[Array, "c s"]
    cost: Int[Array, "p s"]  # moves and turns until the station is faced; `FAR` if it cannot be
    first: Int[Array, "p s"]  # the first of these moves

    # Cookbook (docs/rules/kitchen.md 3)
    inputs: Int[Array, "r 3"]  # sorted codes
    made_in: Int[Array, " r"]  # type of utensil, as in `kind`
    product: Int[Array, " r"]
    kind: Int[Array, " u"]  # type of each utensil
    timesteps: Int[Array, " i"]  # of each item that is a product; 0 for others
    raw: Bool[Array, " i"]
    needs_dish: Bool[Array, " i"]
    ordered: Bool[Array, " i"]  # whether it may be ordered
    plain: Int[Array, " i"]  # what a dish is filled with; other items are themselves
    plated: Int[Array, " i"]  # a product in a dish; 0 for others
    dish: Int[Array, ""]  # code of the empty dish

    freeze: Bool[Array, ""]  # the published defect (docs/rules/kitchen.md 7.2)


class State(struct.PyTreeNode, kw_only=True):
    """One kitchen at one timestep."""

    tile: Int[Array, " c"]  # `y * width + x`
    facing: Int[Array, " c"]  # `Move.NORTH` to `Move.WEST`
    held: Int[Array, " c"]  # item in the hand
    counters: Int[Array, " k"]  # item on each counter
    contents: Int[Array, "u 3"]  # items put in and not started, highest codes first
    product: Int[Array, " u"]  # item made or being made; 0: not started; `JUNK`
    work: Int[Array, " u"]  # timesteps worked; ready at `Params.timesteps[product]`
    loaded: Int[Array, " u"]  # when the first item was put in, as `2 * clock + cook`; 0 without contents or product
    notice: Bool[Array, " u"]  # whether wrong contents were deleted at the end of the timestep before
    order: Int[Array, ""]  # item to deliver
    served: Bool[Array, ""]  # whether it was delivered
    clock: Int[Array, ""]  # timesteps since reset
    completed: Actions  # that the interaction of each cook completed in the timestep before; `ActionKind.NOTHING`: none


class Primitives(struct.PyTreeNode, kw_only=True):
    """What both cooks do in one timestep."""

    move: Int[Array, " c"]  # `Move`
    item: Int[Array, " c"]  # ingredient that an interaction with the ingredient dispenser takes; else of no effect


class Actions(struct.PyTreeNode, kw_only=True):
    """Named actions; `c` may also be any number of actions."""

    kind: Int[Array, " c"]  # `ActionKind`
    item: Int[Array, " c"]  # of a pickup; else 0
    place: Int[Array, " c"]  # `Place`, or `Place.UTENSIL` and the number of the utensil
    left: Int[Array, " c"]  # timesteps of a wait that are left; else 0
