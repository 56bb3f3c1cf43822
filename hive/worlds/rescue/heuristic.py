"""The heuristic team, one agent at a time, as a pure function of arrays (docs/rules/rescue.md 7)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

from hive.worlds.rescue.codes import AGENTS, LITERAL, STEPS, SWITCHES, VARIANTS, Act
from hive.worlds.rescue.dynamics import END_OF_STEP, reset, step
from hive.worlds.rescue.state import Params, State

NO_TARGET = -1
_BEYOND = 64  # more than any distance inside a map


class Variant(struct.PyTreeNode, kw_only=True):
    """How the heuristic fills in what its publication leaves open; traced, so that one program plays all variants."""

    recheck: Bool[Array, ""]  # drop a target on the way as soon as the agent cannot help it any more
    urgent_first: Bool[Array, ""]  # of victims with equal help, an urgent one before a near one
    all_agents: Bool[Array, ""]  # agents that ended their mission still keep others from a victim


class HeuristicRun(struct.PyTreeNode, kw_only=True):
    """A finished run and its log; `T` is `STEPS`, and rows from `state.step` on are empty."""

    state: State
    actions: Int[Array, "t a"]  # `Act.NOTHING` where an agent had no turn
    targets: Int[Array, "t a"]  # the victim that each agent was after in its turn; -1: none


def variant(name: str = LITERAL) -> Variant:
    """Return one of `VARIANTS`."""
    return Variant(**{switch: jnp.asarray(switch in VARIANTS[name]) for switch in SWITCHES})


def decide(
    params: Params, how: Variant, state: State, target: Int[Array, ""], agent: Int[Array, ""]
) -> tuple[Int[Array, ""], Int[Array, ""], Int[Array, ""]]:
    """Choose the action of one agent.

    Args:
        params: The instance.
        how: Variant of the heuristic.
        state: Rescue before the agent's turn, so that it shows what earlier agents did in this step.
        target: Victim that the agent is after; `NO_TARGET`.
        agent: Number of the agent.

    Returns:
        The action, the victim that it serves or `NO_TARGET`, and the target after the turn.
    """
    usable = state.needs & (state.supplies[agent] > 0)[None]
    help_ = jnp.sum(usable, axis=1, dtype=jnp.int32)
    to_victims = params.distance[state.position][:, params.victim_room]
    target = jnp.where(how.recheck & (help_[target] == 0), NO_TARGET, target)

    others = params.agent_there & (state.active | how.all_agents) & (jnp.arange(AGENTS) != agent)
    covers = jnp.all(~state.needs[None] | (state.supplies > 0)[:, None], axis=2)
    nearer = to_victims < to_victims[agent][None]
    left_to_them = jnp.any(others[:, None] & covers & nearer, axis=0)
    candidates = (help_ > 0) & ~left_to_them
    near, urgent = _BEYOND - 1 - to_victims[agent], jnp.where(params.urgent, 1, 0)
    by_distance = (help_ * _BEYOND + near) * 2 + urgent
    by_urgency = (help_ * 2 + urgent) * _BEYOND + near
    rank = jnp.where(candidates, jnp.where(how.urgent_first, by_urgency, by_distance), NO_TARGET)
    chosen = jnp.where(jnp.any(candidates), jnp.argmax(rank).astype(jnp.int32), NO_TARGET)

    aim = jnp.where(target == NO_TARGET, chosen, target)
    room = params.victim_room[aim]
    there = state.position[agent] == room
    item = Act.GIVE_WATER + jnp.argmax(usable[aim]).astype(jnp.int32)
    here = jnp.where(help_[aim] > 0, item, Act.NOTHING)
    action = jnp.where(there, here, params.first_room[state.position[agent], room])
    action = jnp.where(aim == NO_TARGET, Act.END_MISSION, action)
    after = jnp.where(there & (help_[aim] <= 1), NO_TARGET, aim)
    return action, aim, after


def no_targets() -> Int[Array, " a"]:
    """Return the targets of the agents before the first step."""
    return jnp.full(AGENTS, NO_TARGET, jnp.int32)


def turns(
    params: Params, how: Variant, state: State, targets: Int[Array, " a"]
) -> tuple[State, Int[Array, " a"], Int[Array, " a"], Int[Array, " a"]]:
    """Let all agents take their turns of one step, each with the effects of those before it.

    Args:
        params: The instance.
        how: Variant of the heuristic.
        state: Rescue before the step.
        targets: Victim that each agent is after; `NO_TARGET`.

    Returns:
        The rescue before the end of the step, and of each agent its target after its turn, its action (`Act.NOTHING`
        where it had no turn) and the victim that this served.
    """

    def one_turn(
        carry: tuple[State, Int[Array, " a"]], agent: Int[Array, ""]
    ) -> tuple[tuple[State, Int[Array, " a"]], tuple[Int[Array, ""], Int[Array, ""]]]:
        state, kept = carry
        action, aim, after = decide(params, how, state, kept[agent], agent)
        plays = state.active[agent] & ~state.done
        state = step(params, state, jnp.full(AGENTS, action), agent)
        kept = kept.at[agent].set(jnp.where(plays, after, kept[agent]))
        logged = jnp.where(plays, action, jnp.int32(Act.NOTHING)), jnp.where(plays, aim, NO_TARGET)
        return (state, kept), logged

    agents = jnp.arange(AGENTS, dtype=jnp.int32)
    (state, targets), (acted, aims) = jax.lax.scan(one_turn, (state, targets), agents)
    return state, targets, acted, aims


def play(params: Params, how: Variant) -> HeuristicRun:
    """Let the heuristic team play an instance from its start to its end."""
    start = reset(params)
    actions = jnp.full((STEPS, AGENTS), int(Act.NOTHING), jnp.int32)
    targets = jnp.full((STEPS, AGENTS), NO_TARGET, jnp.int32)

    def one_step(
        carry: tuple[HeuristicRun, Int[Array, " a"]],
    ) -> tuple[HeuristicRun, Int[Array, " a"]]:
        played, kept = carry
        state, kept, acted, aims = turns(params, how, played.state, kept)
        row = (jnp.arange(STEPS) == played.state.step)[:, None] & ~played.state.done
        played = HeuristicRun(
            state=step(params, state, acted, END_OF_STEP),
            actions=jnp.where(row, acted[None], played.actions),
            targets=jnp.where(row, aims[None], played.targets),
        )
        return played, kept

    begin = HeuristicRun(state=start, actions=actions, targets=targets), no_targets()
    played, _ = jax.lax.while_loop(lambda carry: ~carry[0].state.done, one_step, begin)
    return played


@jax.jit
def play_many(params: Params, hows: Variant) -> HeuristicRun:
    """Play many instances with several variants.

    Args:
        params: With a leading axis of instances.
        hows: With a leading axis of variants.

    Returns:
        Finished runs with two leading axes, variants and instances.
    """
    return jax.vmap(lambda how: jax.vmap(lambda each: play(each, how))(params))(hows)
