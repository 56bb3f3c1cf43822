"""A household in words: options, what an agent sees, and its progress (docs/rules/household.md 6).

All functions read a state on the host, `jax.device_get(state)`, and say only what the agent itself knows. Things are
written as `<fridge> (19)`: the class and a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hive.worlds.household import classes, options
from hive.worlds.household.assembly import millimetres
from hive.worlds.household.codes import DELIVERED, FLOOR, HANDS, HELD, INSIDE
from hive.worlds.household.episode import AGENT_NAMES, HouseholdEpisode
from hive.worlds.household.options import ExtraKind, OptionKind
from hive.worlds.household.state import State
from hive.worlds.household.ways import DIRECTIONS

NEXT_TO = 1_500
"""Millimetres within which an agent says that it stands next to furniture."""

LONGEST = 500
"""Characters of a message."""

_ROOM, _FURNITURE, _OBJECT = 1, 11, 101


@dataclass(frozen=True)
class Texts:
    """The words of one episode."""

    episode: HouseholdEpisode

    def room(self, room: int) -> str:
        """Return a room in words."""
        return f"<{self.episode.apartment.rooms[room].name}> ({_ROOM + room})"

    def furniture(self, receptacle: int) -> str:
        """Return a container or surface in words."""
        return f"<{self.episode.apartment.receptacles[receptacle].kind}> ({_FURNITURE + receptacle})"

    def thing(self, number: int) -> str:
        """Return an object in words."""
        return f"<{self.episode.things[number].kind}> ({_OBJECT + number})"

    def goal(self) -> str:
        """Return the goal in words."""
        return f"find and {self._put} {_counted(self.episode.goals)} {self._goal_place}"

    def option(self, option: int, held: Sequence[int] = ()) -> str:
        """Return an option in words.

        Args:
            option: Number from `hive.worlds.household.options`.
            held: Objects in the hands of the agent; they name what a put is about.
        """
        kind, argument = options.kind_of(option)
        if kind is OptionKind.EXPLORE:
            return f"{'' if self.transport else 'go '}explore {self.room(argument)}"
        if kind is OptionKind.GOTO:
            return f"go to {self.room(argument)}"
        if kind in (OptionKind.CHECK, ExtraKind.CLOSE):
            return f"go {kind.name.lower()} {self.furniture(argument)}"
        if kind is OptionKind.GRAB:
            return f"go grab {self.thing(argument)}"
        if kind is OptionKind.PUT:
            what = _listed(map(self.thing, held)) if held else "everything"
            return f"go {self._put} {what} {self._goal_place}"
        if kind is OptionKind.PUT_IN:
            target, container = sorted(held, key=self._carries) if len(held) == HANDS else (None, None)
            if target is None or container is None:
                return "put the object in one hand into the container in the other"
            return f"put {self.thing(target)} into {self.thing(container)}"
        left, right = ExtraKind.TURN_LEFT, ExtraKind.TURN_RIGHT
        plain = {OptionKind.SEND: "send a message", left: "turn left", right: "turn right", OptionKind.WAIT: "wait"}
        return plain[kind]

    @property
    def transport(self) -> bool:
        """Whether the rules are those of transport."""
        return self.episode.rules == "transport"

    @property
    def _put(self) -> str:
        return "transport" if self.transport else "put"

    @property
    def _goal_place(self) -> str:
        relation = "to" if self.transport else f"{self.episode.relation}to"
        return f"{relation} the {self.furniture(self.episode.goal_place)}"

    def _carries(self, number: int) -> bool:
        """Whether an object is a container that can be carried."""
        return self.transport and self.episode.things[number].kind in classes.CARRIERS

    def _loaded(self, state: State, agent: int, load: Iterable[int]) -> str:
        """List objects in hands, with what an agent knows to be in those that are containers."""
        places, found = state.beliefs.place[agent], []
        for number in load:
            inside = _where(places == INSIDE + number)
            found.append(self.thing(number) + (f" with {_listed(map(self.thing, inside))} in it" if inside else ""))
        return _listed(found)

    def observation(self, state: State, agent: int) -> str:
        """Return what an agent sees from where it stands; the goal is not mentioned."""
        seen = self._seen(state, agent)
        near = _listed(self._next_to(state, agent))
        rows = [f"I am in the {self.room(int(state.room[agent]))}{f', next to {near}' if near else ''}."]
        rows.append(self._holding("I", state, agent, held(state, agent)))
        closed = [each for each in self._in_view(state, agent) if not state.open[each]]
        if closed:
            rows.append(f"Closed here: {_listed(map(self.furniture, closed))}.")
        rows += [f"{_capital(where)}: {_listed(map(self.thing, things))}." for where, things in seen.items()]
        for mate in self._mates(state, agent):
            if state.beliefs.mate_seen_at[agent, mate] == state.clock:
                rows.append(
                    f"{AGENT_NAMES[mate]} is here. {self._holding(AGENT_NAMES[mate], state, agent, held(state, mate))}"
                )
        return " ".join(rows)

    def progress(self, state: State, agent: int) -> str:
        """Return what an agent knows about the task: what is placed, held, seen here, done by others, and elsewhere.

        The learned estimates of costs read these words (docs/rules/household.md 12.2), so they stay as they are.
        """
        return " ".join(self._progress(state, agent, self._known))

    def briefing(self, state: State, agent: int) -> str:
        """Return the same for a language agent, with what is missing, where the goal place is, and what is searched."""
        know, goal = state.beliefs, self.episode.goal_place
        (_, *rows), room = self._progress(state, agent, self._searched), self._room_of(goal)
        there = (
            f" in the {self.room(room)}"
            if self._finds_goal(state, agent, room)
            else ", in a room that I do not know yet"
        )
        placed = _where((know.place[agent] == goal) | (know.place[agent] == DELIVERED))
        head = f"{_capital(self.episode.relation)} the {self.furniture(goal)}{there}: "
        kinds = [self.episode.things[number].kind for number in placed]
        missing = [(kind, count - kinds.count(kind)) for kind, count in self.episode.goals if count > kinds.count(kind)]
        lacks = (
            f"Still missing there, as far as I know: {_counted(missing)}." if missing else "Nothing is missing there."
        )
        return " ".join([f"{head}{_listed(map(self.thing, placed)) or 'nothing yet'}.", lacks, *rows])

    def _progress(self, state: State, agent: int, known: Callable[[State, int, int, str], str]) -> list[str]:
        know, here = state.beliefs, int(state.room[agent])
        placed = _where(know.place[agent] == self.episode.goal_place)
        target = self.furniture(self.episode.goal_place)
        rows = [f"{_capital(self.episode.relation)} the {target}: {_listed(map(self.thing, placed)) or 'nothing yet'}."]
        rows.append(self._holding("I", state, agent, held(state, agent)))
        rows.append(f"I am in the {self.room(here)}. {known(state, agent, here, 'Here')}")
        if self.episode.turning:
            seen = _listed(map(self.furniture, self._in_view(state, agent)))
            rows.append(f"I see only what is in front of me: {seen or 'no furniture'}.")
        rows += [self._mate(state, agent, mate) for mate in self._mates(state, agent)]
        for room in range(len(self.episode.apartment.rooms)):
            if room != here and know.known_room[agent, room]:
                rows.append(known(state, agent, room, f"In the {self.room(room)}"))
            elif room != here:
                rows.append(f"The {self.room(room)} is unexplored.")
            in_part = know.known_room[agent, room] and not know.visited[agent, room]
            if in_part and (self.transport or self.episode.turning):
                rows.append(f"The {self.room(room)} is explored in part.")
        return rows

    def _seen(self, state: State, agent: int) -> dict[str, list[int]]:
        """Group the objects that lie in the open in the agent's room, by their place."""
        found: dict[str, list[int]] = {}
        for number in range(len(self.episode.things)):
            place = int(state.beliefs.place[agent, number])
            lies = 0 <= place < HELD and self._room_of(place) == state.room[agent]
            if lies and state.beliefs.seen_at[agent, number] == state.clock:
                found.setdefault(self._where(place), []).append(number)
        return found

    def _known(self, state: State, agent: int, room: int, place: str) -> str:
        """Say what an agent remembers of a room: objects that are wanted, unchecked containers, the goal place."""
        rows = list(filter(None, self._left(state, agent, room)))
        if self._finds_goal(state, agent, room):
            rows.append(f"the {self.furniture(self.episode.goal_place)} is there")
        return f"{place} {_listed(rows)}." if rows else f"{place} I found nothing to do."

    def _searched(self, state: State, agent: int, room: int, place: str) -> str:
        """Say the same without the goal place, and whether the room is searched."""
        objects, unchecked = self._left(state, agent, room)
        done = "" if unchecked or not state.beliefs.visited[agent, room] else "everything is searched"
        if done and objects:
            done = "everything else is searched"
        rows = [*filter(None, (objects, unchecked or done))]
        if objects or unchecked:
            return f"{place} {_listed(rows)}."
        return f"{place} I found nothing left to do{f': {done}' if done else ''}."

    def _left(self, state: State, agent: int, room: int) -> tuple[str, str]:
        """Say which wanted objects and which unchecked containers an agent knows in a room; empty for none."""
        kinds = {kind for kind, _ in self.episode.goals} | {*(classes.CARRIERS if self.transport else ())}
        places = state.beliefs.place[agent]
        objects = [
            f"{self.thing(number)} {self._where(int(places[number]))}"
            for number, thing in enumerate(self.episode.things)
            if thing.kind in kinds
            and 0 <= places[number] < HELD
            and places[number] != self.episode.goal_place
            and self._room_of(int(places[number])) == room
        ]
        unchecked = [
            self.furniture(each)
            for each in self._furniture_of(room)
            if self.episode.apartment.receptacles[each].closes
            and each != self.episode.goal_place
            and not state.beliefs.checked[agent, each]
        ]
        return (
            f"I found {_listed(objects)}" if objects else "",
            f"I have not checked {_listed(unchecked)}" if unchecked else "",
        )

    def _finds_goal(self, state: State, agent: int, room: int) -> bool:
        """Whether a room that an agent knows has the goal place, as far as it knows."""
        know = state.beliefs
        knows = know.goal_known[agent] if self.transport else know.known_room[agent, room]
        return bool(knows) and self._room_of(self.episode.goal_place) == room

    def _mate(self, state: State, agent: int, mate: int) -> str:
        """Say where an agent last saw another one, and with what."""
        room, name = int(state.beliefs.mate_room[agent, mate]), AGENT_NAMES[mate]
        if room < 0:
            return f"I have not seen {name} yet."
        load = _where(state.beliefs.place[agent] == HELD + mate)
        if state.beliefs.mate_seen_at[agent, mate] == state.clock:
            return f"{name} is here. {self._holding(name, state, agent, load)}"
        return (
            f"I last saw {name} in the {self.room(room)}, with {self._loaded(state, agent, load) or 'nothing in hand'}."
        )

    def _mates(self, state: State, agent: int) -> Iterator[int]:
        """Return the other agents of the team: those whose start room was noted."""
        return (mate for mate in range(len(AGENT_NAMES)) if mate != agent and state.beliefs.known_room[mate].any())

    def _holding(self, who: str, state: State, agent: int, load: Iterable[int]) -> str:
        """Say what an agent, or another one that it sees, holds."""
        return f"{who} {'hold' if who == 'I' else 'holds'} {self._loaded(state, agent, load) or 'nothing'}."

    def _next_to(self, state: State, agent: int) -> Iterator[str]:
        for number in self._furniture_of(int(state.room[agent])):
            x, y = self.episode.apartment.receptacles[number].at
            if hypot(1_000 * x - state.at[agent, 0], 1_000 * y - state.at[agent, 1]) < NEXT_TO:
                yield self.furniture(number)

    def _in_view(self, state: State, agent: int) -> list[int]:
        """Return the furniture of an agent's room that it faces; where agents do not turn, all of it."""
        found = self._furniture_of(int(state.room[agent]))
        if not self.episode.turning or state.facing is None:
            return found
        x, y = DIRECTIONS[int(state.facing[agent])]
        places = [millimetres(self.episode.apartment.receptacles[number].at) for number in found]
        legs = [(there[0] - int(state.at[agent, 0]), there[1] - int(state.at[agent, 1])) for there in places]
        return [number for number, (a, b) in zip(found, legs, strict=True) if x * a + y * b >= abs(x * b - y * a)]

    def _furniture_of(self, room: int) -> list[int]:
        return [number for number, each in enumerate(self.episode.apartment.receptacles) if each.room == room]

    def _room_of(self, place: int) -> int:
        return place - FLOOR if place >= FLOOR else self.episode.apartment.receptacles[place].room

    def _where(self, place: int) -> str:
        if place >= FLOOR:
            return "on the floor"
        relation = "in" if self.episode.apartment.receptacles[place].closes else "on"
        return f"{relation} {self.furniture(place)}"


def held(state: State, agent: int) -> list[int]:
    """Return the objects in the hands of an agent."""
    return [int(each) for each in state.hands[agent] if each >= 0]


def proposals(legal: NDArray[np.bool_], transport: bool = False) -> list[int]:
    """Return the options that an agent is offered, in the order in which they are lettered.

    Args:
        legal: `[O]`, the agent's row of `hive.worlds.household.legality.legal`.
        transport: Whether the rules are those of transport.

    Returns:
        Sending first, then exploring, checking, grabbing and putting, and what switches add; in transport exploring
        comes after going to rooms. Waiting where there is nothing else but sending.
    """
    explore = [OptionKind.EXPLORE]
    order: list[OptionKind | ExtraKind] = [
        OptionKind.SEND,
        *(() if transport else explore),
        OptionKind.CHECK,
        OptionKind.GRAB,
        OptionKind.PUT_IN,
        OptionKind.PUT,
        OptionKind.GOTO,
        *(explore if transport else ()),
        *ExtraKind,
    ]
    found = [each for kind in order for each in _where(legal) if options.FULL_KIND[each] == kind]
    return found if set(found) - {options.SEND} else [*found, options.WAIT]


def _where(found: Any) -> list[int]:
    """Return the numbers of the true entries of an array."""
    return [int(each) for each in np.flatnonzero(found)]


def _listed(texts: Iterable[str]) -> str:
    *others, last = [*texts] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _counted(kinds: Iterable[tuple[str, int]]) -> str:
    return _listed(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
