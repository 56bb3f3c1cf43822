"""What probes found: right initiations and responses by action, kinds of wrong initiations, and the confusion matrix.

Rules: docs/rules/kitchen.md 12.1, 12.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dsl.wording import columns
from hive.kit.intervals import wilson
from hive.kit.team_world import TeamGame
from hive.kit.unplanned import Unscored
from hive.worlds.kitchen.probes.episodes import ProbeAgentEnv
from hive.worlds.kitchen.results import talks_of
from hive.worlds.kitchen.runs import Standard
from hive.worlds.kitchen.talks import MISTAKES, OUTCOMES, Conversation, Event, confusion, judge


@dataclass(frozen=True)
class _Judged:
    """A probe that was played, and its event; a cook that stays silent has asked for nothing."""

    game: TeamGame
    event: Event

    @property
    def env(self) -> ProbeAgentEnv:
        """The probe as its cooks know it."""
        return cast(ProbeAgentEnv, self.game.env)

    @property
    def group(self) -> tuple[str, str]:
        """Player and experiment."""
        return self.game.player, self.env.probe.experiment

    def row(self) -> dict[str, Any]:
        """The probe, what was asked and answered, and costs, in plain values."""
        event, facts = self.event, self.game.facts
        return {
            "player": self.game.player,
            **{name: facts[name] for name in ("task", "experiment", "number", "action", "asked_at")},
            "level": self.env.order.level,
            "game": self.env.seed,
            "initiated": event.initiation > 0,
            "responded": event.response > 0,
            "outcome": event.outcome,
            "mistake": event.mistake,
            "requested": list(event.requested),
            "answered": list(event.responded),
            "ites_requested": event.initiation,
            "ites_answered": event.response,
            "unknown": list(event.unknown),
            **self.game.transcript.costs(),
        }


class ProbeResults(Unscored):
    """Results of probes; see `hive.kit.team_world.TeamResults`."""

    def __init__(self, games: Sequence[TeamGame], standards: Mapping[str, Standard]) -> None:
        """Judge probes.

        Args:
            games: The probes that were played.
            standards: What those of each task are judged by, by its order.
        """
        self._judged = [_Judged(game, _event(game, standards[game.facts["task"]])) for game in games]

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each probe."""
        return [each.row() for each in self._judged]

    def json(self) -> dict[str, Any]:
        """Return the figures of each player, experiment and action, and the probes."""
        return {"figures": self.figures(), "games": self.rows()}

    def figures(self) -> list[dict[str, Any]]:
        """Return the figures of each player and experiment in plain values."""
        return [
            {
                "player": player,
                "experiment": experiment,
                "actions": [
                    {"number": number, "action": _kind(some), **_shares(some)} for number, some in _numbered(mine)
                ],
                **_shares(mine),
                "matrix": confusion(each.event for each in mine),
            }
            for (player, experiment), mine in self._groups()
        ]

    def table(self) -> str:
        """Return a line for each player, experiment and action, and the confusion matrix of each experiment."""
        heads = ["action", "probes", "asked right", "95% interval", *MISTAKES, "answered right", "95% interval"]
        rows, matrix = [["player", "exp.", *heads]], [["player", "exp.", "probes", *OUTCOMES]]
        for (player, experiment), mine in self._groups():
            parts = [(f"{number} {_kind(some)}", some) for number, some in _numbered(mine)]
            for name, some in [*parts, ("all", mine)]:
                found = _shares(some)
                counts = [str(found["mistakes"][each]) for each in MISTAKES]
                shares = _cells(found["initiated"]), _cells(found["responded"])
                rows.append([player, experiment, name, str(len(some)), *shares[0], *counts, *shares[1]])
            outcomes = confusion(each.event for each in mine)
            matrix.append([player, experiment, str(len(mine)), *map(str, outcomes.values())])
        return f"{columns(rows, left=(0, 1, 2))}\n\n{columns(matrix, left=(0, 1))}"

    def _groups(self) -> Iterator[tuple[tuple[str, str], list[_Judged]]]:
        """Yield the probes of each player and experiment."""
        for group in dict.fromkeys(each.group for each in self._judged):
            yield group, [each for each in self._judged if each.group == group]


def _numbered(probes: Sequence[_Judged]) -> Iterator[tuple[int, list[_Judged]]]:
    for number in sorted({each.env.probe.number for each in probes}):
        yield number, [each for each in probes if each.env.probe.number == number]


def _kind(probes: Sequence[_Judged]) -> str:
    """Return the names of the actions of some probes, such as `pickup`."""
    return "/".join(dict.fromkeys(str(each.env.probe.action).partition("(")[0] for each in probes))


def _shares(probes: Sequence[_Judged]) -> dict[str, Any]:
    """Return how many initiations and responses are right, with intervals, and how many are wrong in which way."""

    def share(right: int) -> dict[str, Any]:
        mean = right / len(probes)
        low, high = wilson(mean, len(probes))
        return {"right": right, "share": mean, "low": low, "high": high}

    return {
        "probes": len(probes),
        "initiated": share(sum(each.event.initiation > 0 for each in probes)),
        "responded": share(sum(each.event.response > 0 for each in probes)),
        "mistakes": {kind: sum(each.event.mistake == kind for each in probes) for kind in MISTAKES},
    }


def _cells(found: Mapping[str, Any]) -> list[str]:
    return [f"{found['share']:.0%}", f"{found['low']:.0%} to {found['high']:.0%}"]


def _event(game: TeamGame, standard: Standard) -> Event:
    """Judge what the cook with the recipe asked for when it was probed, after what the other one had done before."""
    probe, asked_at = cast(ProbeAgentEnv, game.env).probe, game.facts["asked_at"]
    assert asked_at is not None, "`check_begins` has refused probes that never begin"
    done = [(asked_at, str(action)) for action in probe.before]
    talks = [each for each in talks_of(game.said) if each.initiator == standard.initiator]
    if not talks:
        return Event(asked_at, (), (), 0.0, 0.0, 0.0, (), "no request")
    talk = Conversation(asked_at, talks[0].utterances)
    responder = probe.responder
    return judge(
        talk, done, standard.references[responder], standard.universes[responder], standard.words, standard.beta
    )
