"""Episodes of a level for teams of language agents, one for each seed, that step in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

from dsl import UserError
from dsl.vocabulary import CREW_TYPES
from hive.engine.crews.explored import Explored
from hive.engine.crews.score_rules import COSTS
from hive.kit.agent_env import Choice, Observation, Option, Seat
from hive.kit.environment.env import stack, unstack
from hive.kit.keep.dialogue import Line
from hive.worlds.wildfire.agents import catalogue
from hive.worlds.wildfire.agents.batch import Chosen, StepView, first, step
from hive.worlds.wildfire.agents.paragraphs import paragraph
from hive.worlds.wildfire.agents.views import View, picture_view, role_text, view_text
from hive.worlds.wildfire.observation import RADIUS
from hive.worlds.wildfire.primitives import ONCE
from hive.worlds.wildfire.recording import FireRecording, assemble
from hive.worlds.wildfire.world import Fireground, load_level

MOST_EPISODES = 64  # in one batch


class FireAgentEnv:
    """One episode of a level; see `hive.kit.agent_env.AgentEnv`."""

    def __init__(self, world: Fireground, look: StepView) -> None:
        """Begin an episode with what is seen of it before the first step."""
        self._world = world
        self.name, self.seed, self.task, self.limit = world.name, world.site.seed, world.briefing, world.limit
        kinds = np.asarray(world.params.units.type)
        self.seats = tuple(Seat(f"AGENT_{unit + 1}", CREW_TYPES[kind]) for unit, kind in enumerate(kinds))
        self.roles = catalogue.roles(tuple(seat.kind for seat in self.seats), world.burnt_kills)
        self._radius = RADIUS[kinds]
        self.chosen: dict[int, tuple[Choice, bool]] = {}
        self.log = [look.frame]
        self.look, self.tick = look, 0

    @property
    def score(self) -> float:
        """Points of the level (docs/rules/wildfire.md 7.1)."""
        return float(self.look.frame.score)

    @property
    def over(self) -> bool:
        """Whether the episode has ended: highest score, fire out, or limit."""
        return bool(self.look.over)

    def living(self) -> tuple[int, ...]:
        """Numbers of the agents that are alive."""
        return tuple(np.flatnonzero(self.look.frame.alive).tolist())

    def observe(self, agent: int) -> Observation:
        """Return what an agent perceives now."""
        view = self.view(agent)
        aims = self._world.site.places.cells_to_cut
        draw = partial(picture_view, view)
        return Observation(role_text(view), view_text(view), paragraph(view, aims), str(view.cell), draw)

    def bound(self, agent: int) -> str | None:
        """`ride helicopter` for a passenger."""
        return "ride helicopter" if self.look.frame.aboard[agent] >= 0 else None

    def options(self, kind: str, single: bool) -> tuple[Option, ...]:
        """Return the actions of a type (docs/rules/wildfire.md 6.4, 6.5)."""
        return catalogue.options(kind, single)

    def check(self, agent: int, choice: Choice, single: bool) -> str | None:
        """Return why an agent cannot begin an action, in a sentence, or None if it can."""
        seat = self.seats[agent]
        if not self.look.frame.alive[agent]:
            return f"{seat.name} is dead"
        if self.bound(agent):
            return f"{seat.name} is inside a helicopter and cannot act"
        return catalogue.refusal(seat.kind, choice, single, self._world.site.level.size)

    def begin(self, agent: int, choice: Choice, single: bool) -> None:
        """Give an agent an action from the next step on, in place of its present one.

        Raises:
            ValueError: `check` refuses the action.
        """
        if wrong := self.check(agent, choice, single):
            raise ValueError(wrong)
        self.chosen[agent] = (choice, single)

    def busy(self, agent: int) -> bool:
        """Whether an agent has an action that goes on in the next step."""
        return agent in self.chosen or bool(self.look.busy[agent])

    def view(self, agent: int) -> View:
        """Return what an agent perceives now, as facts."""
        frame, seats = self.look.frame, self.seats
        radius, cells = int(self._radius[agent]), self.look.cell
        width = 2 * radius + 1
        x, y = cells[agent].tolist()
        seen = frame.seen if self.look.maps is None else self.look.maps[agent]
        window = np.pad(seen, radius, constant_values=Explored.UNSEEN)[x : x + width, y : y + width]
        close = (np.abs(cells - cells[agent]) < width).all(1) & frame.alive
        close[agent] = False
        carrier = int(frame.aboard[agent])
        passengers = int((frame.aboard == agent).sum())
        return View(
            name=seats[agent].name,
            kind=seats[agent].kind,
            size=self._world.site.level.size,
            cell=(x, y),
            window=window,
            mates=tuple(
                (seats[unit].name, seats[unit].kind, (int(cells[unit, 0]), int(cells[unit, 1])))
                for unit in np.flatnonzero(close)
            ),
            carried=passengers or int((frame.bearer == agent).any()),
            water=int(frame.water[agent]),
            carrier=seats[carrier].name if carrier >= 0 else None,
        )

    def advance(self, look: StepView, keep: bool) -> None:
        """Take what is seen of the episode after a step."""
        self.look, self.tick = look, self.tick + 1
        self.chosen = {}
        if keep:
            self.log.append(look.frame)


class FireEpisodes:
    """Episodes of one level on the maps of several seeds; see `hive.kit.agent_env.Episodes`."""

    def __init__(self, worlds: Sequence[Fireground], keep: bool = False) -> None:
        """Begin all episodes.

        Args:
            worlds: One level on the maps of different seeds, all with the same numbers.
            keep: Whether `recording` will be asked for.
        """
        self._worlds, self._keep = tuple(worlds), keep
        self._kinds = np.asarray(worlds[0].params.units.type)
        self._episodes, looks = first(worlds)
        self.envs = tuple(
            FireAgentEnv(world, look) for world, look in zip(worlds, unstack(jax.device_get(looks)), strict=True)
        )

    def step(self, playing: Sequence[int]) -> None:
        """Play one step of the episodes with these numbers; an agent without an action is idle."""
        on = np.zeros(len(self.envs), bool)
        on[list(playing)] = True
        chosen = self._chosen()
        self._episodes, looks = step(self._episodes, chosen, on)
        for number, look in enumerate(unstack(jax.device_get(looks))):
            if on[number]:
                self.envs[number].advance(look, self._keep)

    def results(self, env: int) -> Mapping[str, Any]:
        """Return losses of an episode by name, the number of refused commands, and how it ended."""
        look, played = self.envs[env].look, self.envs[env]
        lost = dict(zip(COSTS, np.asarray(look.frame.losses).tolist(), strict=True))
        return {"outcome": self._outcome(env), "ticks": played.tick, "losses": lost, "refused": int(look.refused)}

    def recording(self, env: int, lines: Sequence[Line] = ()) -> FireRecording:
        """Return the recording of an episode so far, with what its agents said as lines.

        Raises:
            ValueError: The frames were not kept.
        """
        if not self._keep:
            raise ValueError("the episodes were played without keeping frames, so there is no recording")
        world, (start, *log) = self._worlds[env], self.envs[env].log
        frames = stack(log) if log else None
        title = f"{world.site.level.title}, seed {world.site.seed}"
        found = assemble(world, frames, title=title, outcome=self._outcome(env), start=start)
        agents = tuple(seat.name for seat in self.envs[env].seats)
        return replace(found, agents=agents, lines=tuple(lines)) if lines else found

    def _outcome(self, env: int) -> str:
        played = self.envs[env]
        if not played.over:
            return "running"
        return "win" if played.look.won else "timeout"

    def _chosen(self) -> Chosen:
        shape = len(self.envs), len(self.envs[0].seats)
        new, single = np.zeros((2, *shape), bool)
        kind, count, place = np.zeros(shape, np.int32), np.ones(shape, np.int32), np.zeros((*shape, 2), np.int32)
        for number, env in enumerate(self.envs):
            for agent, (choice, once) in env.chosen.items():
                at = number, agent
                new[at], single[at] = True, once
                kind[at] = ONCE[self._kinds[agent]][choice.number] if once else choice.number
                if len(choice.values) == len(catalogue.PLACE):
                    place[at] = choice.values
                elif choice.values:
                    count[at] = min(choice.values[0], np.iinfo(np.int32).max)
        arrays: dict[str, Any] = {"new": new, "single": single, "kind": kind, "place": place, "count": count}
        return Chosen(**arrays)


def open_episodes(name: str, seeds: Sequence[int], numbers: Mapping[str, Any], keep: bool = False) -> FireEpisodes:
    """Begin episodes of a level.

    Args:
        name: Name of the level.
        seeds: One for each episode, 1 to `MOST_EPISODES`.
        numbers: Further arguments of `load_level`.
        keep: Whether recordings will be asked for.

    Raises:
        UserError: There are too few or too many seeds, or `load_level` raises it.
    """
    if not 1 <= len(seeds) <= MOST_EPISODES:
        raise UserError(f"a team plays 1 to {MOST_EPISODES} seeds at a time, not {len(seeds)}")
    return FireEpisodes([load_level(name, seed, **numbers) for seed in seeds], keep)
