"""Policies without a model: what they know, what they never do, and batches (docs/rules/household.md 11)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hive.worlds.household import dynamics, options
from hive.worlds.household.assembly import make_params
from hive.worlds.household.codes import HELD
from hive.worlds.household.episode import HouseholdEpisode, episode
from hive.worlds.household.legality import cost, legal
from hive.worlds.household.options import OptionKind
from hive.worlds.household.policies.cheapest import cheapest
from hive.worlds.household.policies.figures import difference, mean_of
from hive.worlds.household.policies.knowing import Knows
from hive.worlds.household.policies.names import ABOUT
from hive.worlds.household.policies.policy import Draw, TeamPolicy
from hive.worlds.household.policies.roaming import Roaming
from hive.worlds.household.policies.roster import POLICY_ROWS
from hive.worlds.household.policies.rules import RuleAgent
from hive.worlds.household.policies.subgoals import subgoal_planner
from hive.worlds.household.policies.trials import try_out
from tests.household.homes import programs

slow = pytest.mark.slow
SEEDS = (0, 1)
NAMES = ("cwah_0", "cwah_16", "cwah_40")
KIND = np.asarray(options.KIND)


@cache
def watched(policy_name: str, name: str, agents: int = 2, ticks: int = 120) -> Any:
    """The states before each tick, what was legal, what it cost, and what agents chose that were free."""
    policy, home = POLICIES[policy_name], episode(name)
    return jax.device_get(_watch(policy, make_params(home, agents), jax.random.key(5), ticks))


def _watch(policy: TeamPolicy, params: Any, key: Any, ticks: int) -> Any:
    def tick(carry: Any, clock: Any) -> Any:
        state, memory = carry
        now = jax.random.fold_in(key, clock)
        chosen, state, memory = policy.act(params, state, memory, jax.random.fold_in(now, Draw.ACT))
        over = dynamics.done(params, state)
        seen = (state, legal(params, state), cost(params, state), chosen, dynamics.free(state) & ~over)
        return (dynamics.step(params, state, chosen, jax.random.fold_in(now, Draw.WORLD)), memory), seen

    state = dynamics.reset(params, jax.random.fold_in(key, Draw.RESET))
    return jax.lax.scan(tick, (state, policy.begin(params, key)), jnp.arange(ticks))[1]


_watch = jax.jit(_watch, static_argnums=3)

POLICIES: dict[str, TeamPolicy] = {
    "own": cheapest(Knows.OWN),
    "shared": cheapest(),
    "one": cheapest(hands=1),
    "talking": cheapest(talk=0.5),
    "roaming": Roaming(),
    "subgoals": subgoal_planner(),
    "rules": RuleAgent(),
}


def choices(policy: str, name: str, agents: int = 2) -> Any:
    """Rows of tick, agent and option of all choices, with what was watched."""
    states, may, ticks, chosen, free = watched(policy, name, agents)
    free = free & (np.arange(free.shape[1]) < agents)
    when, who = np.nonzero(free)
    return states, may, ticks, when, who, chosen[when, who]


@slow
@pytest.mark.parametrize("policy", ["own", "shared", "one", "talking"])
@pytest.mark.parametrize("name", NAMES)
def test_the_cheapest_rule_chooses_what_is_legal(policy: str, name: str) -> None:
    _, may, _, when, who, option = choices(policy, name)
    assert len(option) and may[when, who, option].all()


@slow
@pytest.mark.parametrize("name", NAMES)
def test_with_its_own_knowledge_an_agent_takes_the_cheapest_legal_deed(name: str) -> None:
    """Nothing else than the mask and the costs decides, up to ties (11.2)."""
    _, may, ticks, when, who, option = choices("own", name)
    deeds = may & (KIND != OptionKind.WAIT) & (KIND != OptionKind.SEND)
    least = np.where(deeds, ticks, 10**6).min(-1)[when, who]
    waits = KIND[option] == OptionKind.WAIT
    assert (ticks[when, who, option] == least)[~waits].all()
    assert not deeds[when[waits], who[waits]].any()


@slow
@pytest.mark.parametrize("name", NAMES)
def test_agents_that_share_do_nothing_twice(name: str) -> None:
    """Claims: two agents never explore one room, open one container or grab one object at once (11.1)."""
    states, _, _, chosen, free = watched("shared", name, 4)
    going = np.where(free, chosen, np.where(states.busy, states.option, -1))
    for row in going:
        exclusive = [
            each for each in row if each >= 0 and KIND[each] in (OptionKind.EXPLORE, OptionKind.CHECK, OptionKind.GRAB)
        ]
        assert len(exclusive) == len(set(exclusive))


@slow
def test_one_object_a_trip_is_one() -> None:
    for name in NAMES:
        assert ((watched("one", name)[0].hands >= 0).sum(-1) <= 1).all()
    assert ((watched("shared", "cwah_0")[0].hands >= 0).sum(-1) == 2).any()


@slow
def test_only_agents_that_talk_send() -> None:
    assert (choices("talking", "cwah_0")[5] == options.SEND).any()
    assert not (choices("shared", "cwah_0")[5] == options.SEND).any()


@pytest.mark.long
def test_a_roaming_agent_waits_only_where_nothing_is_legal() -> None:
    for name in NAMES:
        _, may, _, when, who, option = choices("roaming", name)
        assert may[when, who, option].all()
        rest = KIND[option] == OptionKind.WAIT
        deeds = may & (KIND != OptionKind.WAIT) & (KIND != OptionKind.SEND)
        assert not deeds[when[rest], who[rest]].any()


@pytest.mark.long
def test_a_play_is_the_same_alone_and_in_a_batch() -> None:
    """Lane, padding and company change nothing."""
    homes = [episode(name) for name in NAMES]
    together = try_out(POLICIES["own"], homes, 2, SEEDS)
    for row, home in enumerate(homes):
        alone = try_out(POLICIES["own"], [home], 2, SEEDS[1:])
        assert alone.ticks[0, 0] == together.ticks[row, 1]
        assert (alone.spent[0, 0] == together.spent[row, 1]).all()


@pytest.mark.long
def test_what_is_known_saves_time_on_the_ten_episodes() -> None:
    """The order of the three kinds of knowledge, as means over the episodes (11.1)."""
    homes: list[HouseholdEpisode] = [episode(name) for name in NAMES]
    known, shared, own = (
        try_out(cheapest(knows), homes, 2, range(5)).mean.value for knows in (Knows.ALL, Knows.SHARED, Knows.OWN)
    )
    assert known < shared < own


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_planner_with_subgoals_never_uses_its_second_hand(name: str) -> None:
    states, may, _, when, who, option = choices("subgoals", name)
    assert ((states.hands >= 0).sum(-1) <= 1).all()
    assert may[when, who, option].all()
    carries = (states.hands[when, who] >= 0).any(-1)
    assert (option[carries] == options.PUT).all()


@pytest.mark.long
def test_the_agent_of_rules_puts_in_and_delivers_as_its_rules_say() -> None:
    """A target goes into a container whenever it can; nobody walks to the bed with empty hands (11.5)."""
    states, may, _, when, who, option = choices("rules", "tdw_2_0_enough_food")
    can = may[when, who, options.PUT_IN]
    assert can.any() and (option[can] == options.PUT_IN).all()
    assert may[when, who, option].all()
    loaded = (states.hands[when, who] >= 0).any(-1)
    assert loaded[option == options.PUT].all()
    assert (states.place < HELD).any()


@jax.jit
def _chosen_at(params: Any, state: Any, ticks: Any) -> Any:
    """What the agent of rules chooses in a state at each of some ticks."""
    return jax.vmap(lambda tick: RuleAgent().act(params, state.replace(clock=tick), (), jax.random.key(0))[0])(ticks)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [300, 302])
def test_the_agent_of_rules_seeks_a_container_before_frame_1600(limit: int) -> None:
    """Frames are shares of an episode: 161 of 302 ticks is frame 1,599.3 (11.5)."""
    params = make_params(episode("tdw_2_0_enough_food")).replace(limit=jnp.int32(limit))
    start = programs()["reset"](params, jax.random.key(0))
    know = start.beliefs.replace(place=np.broadcast_to(start.place, start.beliefs.place.shape))
    ticks = np.arange(155, 166)

    option = np.asarray(_chosen_at(params, start.replace(beliefs=know), jnp.asarray(ticks)))[:, :2]
    assert (KIND[option] == OptionKind.GRAB).all()
    early = np.asarray([Fraction(3_000 * int(tick), limit) < 1_600 for tick in ticks])
    assert (np.asarray(params.carrier)[np.asarray(options.ARGUMENT)[option]] == early[:, None]).all()


def test_means_and_paired_differences() -> None:
    """1.96 standard errors on each side (11.7)."""
    found = mean_of([1.0, 2.0, 3.0])
    assert (found.value, found.count) == (2.0, 3)
    assert found.margin == pytest.approx(1.959964 / np.sqrt(3))
    assert np.isnan(mean_of([4.0]).margin) and str(mean_of([4.0])) == "4.0"
    assert difference([3.0, 5.0], [1.0, 3.0]).margin == 0
    with pytest.raises(ValueError, match="no episodes"):
        mean_of([])


def test_every_policy_has_a_name_and_a_description() -> None:
    assert [*POLICY_ROWS] == [*ABOUT]
