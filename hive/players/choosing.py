"""Players of worlds with agents by name: frameworks of language agents with who answers for them, and rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsl import UserError
from dsl.wording import did_you_mean, listing, nearest
from hive.kit.planned_world import CommandedWorld
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, RulePlayer, TeamWorld
from hive.players.llm.client import PLAIN, Client
from hive.players.llm.scripted import PlanWriter, Script
from hive.players.occasions import DEFAULT_OCCASIONS, PLANS, Occasions
from hive.players.running import RunPlayer
from hive.players.seats import HUMAN
from hive.players.teams.frameworks import FAMILIES
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.frameworks.nothing import FRAMEWORK as NOTHING
from hive.players.teams.frameworks.turns import silent
from hive.players.teams.games import TeamPlayer
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import IN_WORDS, NO_PICTURES, ScriptedSpeaker

TEAM = "team"
"""The player that is a team of language agents; `team:NAME` is one with another framework than the default."""

Opener = Callable[[Client], Client]
"""Returns who answers in place of a scripted speaker: itself, or one that is counted and recorded."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Who answers for players, and how they are asked.

    Attributes:
        rules: How teams are run.
        prompts: What agents are asked with.
        models: Who answers for teams; without any, the default player by rules answers.
        temperatures: Each model plays once with each; empty: once, with that of the rules.
        occasions: When a commander that writes plans is asked.
        opened: Wraps scripted speakers.
        seat: Name of an agent that players which ask nobody leave to a person.
    """

    rules: TeamRules
    prompts: Prompts
    models: Sequence[Client] = ()
    temperatures: Sequence[float] = ()
    occasions: Occasions = DEFAULT_OCCASIONS
    opened: Opener = lambda client: client
    seat: str = ""

    @property
    def tried(self) -> Sequence[float | None]:
        """Temperatures with which each model plays; None stands for that of the rules."""
        return self.temperatures or [None]


def names_of(world: TeamWorld) -> list[str]:
    """Return the names of all players of a world, the default first."""
    frameworks = list(FAMILIES[world.acting].frameworks)
    teams = [TEAM, *(f"{TEAM}:{name}" for name in frameworks if len(frameworks) > 1)]
    return [*world.players, *teams, *([PLANS] if isinstance(world, CommandedWorld) else [])]


def team_players(world: TeamWorld, names: Sequence[str], terms: Terms, watch: Watch) -> list[RunPlayer]:
    """Return players by their names.

    Args:
        world: What they play.
        names: See `names_of`; empty: the models, else the default player by rules.
        terms: Who answers for them, and how they are asked.
        watch: Receives the progress of what has to be computed for a player.

    Raises:
        UserError: There is no such player, models are named and nobody asks them, or a player cannot play with the
            settings of the world.
    """
    found: list[RunPlayer] = []
    first = next(iter(world.players))
    for name in dict.fromkeys(names or [TEAM if terms.models else first]):
        if name in world.players:
            plays = next(iter(FAMILIES[world.acting].frameworks))
            found.append(_by_rules(name, world.rule_player(name, watch), plays, world, terms))
        elif name == PLANS and isinstance(world, CommandedWorld):
            found += _commanders(terms)
        elif terms.models:
            found += _teams(name, world, terms)
        else:
            plays = _framework(world, name)
            label = plays if ":" in name else first
            found.append(_by_rules(label, world.rule_player(first, watch), plays, world, terms))
    for player in found:
        world.check(Cast(player.name, player.plays))
    return found


def team_of(player: RunPlayer) -> TeamPlayer:
    """Return a player that is a team, as live games and seats need it.

    Raises:
        UserError: It is one commander that writes plans.
    """
    if not isinstance(player, TeamPlayer):
        raise UserError(
            f"`{player.name}` is one commander of all agents, and agents play here\n"
            "  = help: without --player and --seat, `hive serve` commands a level with plans"
        )
    return player


def check_asked(names: Sequence[str]) -> None:
    """Check that a team is among players by their names, since models are named; without names a team plays.

    Raises:
        UserError: None of them asks a model.
    """
    if names and all(name.partition(":")[0] not in (TEAM, PLANS) for name in names):
        asks = "asks" if len(names) == 1 else "ask"
        raise UserError(
            f"--model and --replay cannot be used here: {listing(names, 'and')} {asks} no model\n"
            f"  = help: leave them out, or add `--player {TEAM}`"
        )


def _commanders(terms: Terms) -> list[RunPlayer]:
    """Return commanders that write plans, one for each model and temperature; without models a scripted one."""
    from hive.players.commanding import PlanPlayer  # games that plans command load the engine

    found: list[RunPlayer] = []
    rules = terms.rules
    for client in terms.models or [terms.opened(PlanWriter())]:
        for temperature in terms.tried:
            asked_with = next(
                (each for each in (temperature, rules.temperature) if each is not None), PLAIN.temperature
            )
            label = (
                PLANS
                + (f", {client.name}" if terms.models else "")
                + ("" if temperature is None else f" T={temperature:g}")
            )
            found.append(
                PlanPlayer(
                    name=label,
                    about=getattr(client, "about", client.name),
                    client=client,
                    title=f"{PLANS}, {client.name}" + ("" if temperature is None else f" T={temperature:g}"),
                    occasions=terms.occasions,
                    settings=replace(PLAIN, temperature=asked_with, max_tokens=rules.max_tokens, top_p=rules.top_p),
                    unit=_unit(client),
                )
            )
    return found


def _teams(name: str, world: TeamWorld, terms: Terms) -> list[RunPlayer]:
    """Return teams of language agents by the name of a player, one for each model and temperature."""
    plays = _framework(world, name)
    framework, rules = FAMILIES[world.acting].frameworks[plays], terms.rules
    found: list[RunPlayer] = []
    for model in terms.models:
        label = f"{plays}, {model.name}" if ":" in name else model.name
        for temperature in terms.tried:
            found.append(
                TeamPlayer(
                    name=label if temperature is None else f"{label} T={temperature:g}",
                    about=getattr(model, "about", model.name),
                    plays=plays,
                    framework=framework,
                    client=model,
                    rules=rules if temperature is None else replace(rules, temperature=temperature),
                    prompts=terms.prompts,
                    title=_title(framework, rules, model.name, temperature),
                    unit=_unit(model),
                )
            )
    return found


def _title(framework: Framework[Any], rules: TeamRules, client: str, temperature: float | None = None) -> str:
    """Return the name of a method in results: the framework, and who answers if anybody is asked."""
    warm = "" if temperature is None else f" T={temperature:g}"
    return f"{framework.title}, {client}{warm}" if framework.calls(rules, 1, 1) else framework.title


def _unit(client: Client) -> str:
    return "words" if client.name in IN_WORDS else "tokens"


def _by_rules(name: str, rule: RulePlayer, plays: str, world: TeamWorld, terms: Terms) -> TeamPlayer:
    framework = FAMILIES[world.acting].frameworks[plays]
    if rule.choose is not None:
        framework = silent(name, rule.about, rule.choose, terms.seat)
    if terms.rules.pictured and rule.speaker and framework.calls(terms.rules, 1, 1):
        raise UserError(NO_PICTURES)
    client: Client = terms.opened(ScriptedSpeaker(rule.speaker, rule.name)) if rule.speaker else Script([], rule.name)
    return TeamPlayer(
        name=name,
        about=framework.about if framework is NOTHING else rule.about,
        plays=plays,
        framework=framework,
        client=client,
        rules=terms.rules,
        prompts=terms.prompts,
        title=_title(framework, terms.rules, client.name) if rule.speaker else name,
        unit="words",
    )


def _framework(world: TeamWorld, name: str) -> str:
    """Return the name of the framework that the name of a player means."""
    kind, _, which = name.partition(":")
    frameworks = FAMILIES[world.acting].frameworks
    if kind == TEAM and not which:
        return next(iter(frameworks))
    if kind == HUMAN:
        raise UserError(
            "a person plays on a page or over MCP, and no seat is named here\n"
            "  = help: `hive serve WORLD --seat NAME`, or `hive mcp`"
        )
    if kind != TEAM or which not in frameworks:
        known = names_of(world)
        advice = did_you_mean(nearest(name, known)) or f"the players are {listing(known, 'and')}"
        a = "an" if world.noun[0] in "aeiou" else "a"
        raise UserError(f"there is no player `{name[:80]}` for {a} {world.noun}\n  = help: {advice}")
    return which
