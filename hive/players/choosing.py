"""Players of worlds with agents by name: frameworks of language agents with who answers for them, and rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
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


def names_of(world: TeamWorld) -> list[str]:
    """Return the names of all players of a world, the default first."""
    frameworks = list(FAMILIES[world.acting].frameworks)
    teams = [TEAM, *(f"{TEAM}:{name}" for name in frameworks if len(frameworks) > 1)]
    return [*world.players, *teams, *([PLANS] if isinstance(world, CommandedWorld) else [])]


def team_players(
    world: TeamWorld,
    names: Sequence[str],
    models: Sequence[Client],
    rules: TeamRules,
    prompts: Prompts,
    watch: Watch,
    *,
    temperatures: Sequence[float] = (),
    occasions: Occasions = DEFAULT_OCCASIONS,
    opened: Opener = lambda client: client,
    seat: str = "",
) -> list[RunPlayer]:
    """Return players by their names.

    Args:
        world: What they play.
        names: See `names_of`; empty: the models, else the default player by rules.
        models: Who answers for teams; without any, the default player by rules answers.
        rules: How teams are run.
        prompts: What agents are asked with.
        watch: Receives the progress of what has to be computed for a player.
        temperatures: Each model plays once with each; empty: once, with that of the rules.
        occasions: When a commander that writes plans is asked.
        opened: Wraps scripted speakers.
        seat: Name of an agent that players which ask nobody leave to a person.

    Raises:
        UserError: There is no such player, models are named and nobody asks them, or a player cannot play with the
            settings of the world.
    """
    family = FAMILIES[world.acting]
    found: list[RunPlayer] = []
    for name in dict.fromkeys(names or [TEAM if models else next(iter(world.players))]):
        if name in world.players:
            rule = world.rule_player(name, watch)
            found.append(_by_rules(name, rule, next(iter(family.frameworks)), world, rules, prompts, opened, seat))
            continue
        if name == PLANS and isinstance(world, CommandedWorld):
            found += _commanders(models, rules, temperatures, occasions, opened)
            continue
        plays = _framework(world, name)
        if not models:
            first = next(iter(world.players))
            label = plays if ":" in name else first
            found.append(_by_rules(label, world.rule_player(first, watch), plays, world, rules, prompts, opened, seat))
        for model in models:
            label = f"{plays}, {model.name}" if ":" in name else model.name
            tried: Sequence[float | None] = temperatures or [None]
            for temperature in tried:
                found.append(
                    TeamPlayer(
                        name=label if temperature is None else f"{label} T={temperature:g}",
                        about=getattr(model, "about", model.name),
                        plays=plays,
                        framework=family.frameworks[plays],
                        client=model,
                        rules=rules if temperature is None else replace(rules, temperature=temperature),
                        prompts=prompts,
                        title=_title(family.frameworks[plays], rules, model.name, temperature),
                        unit=_unit(model),
                    )
                )
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


def _commanders(
    models: Sequence[Client],
    rules: TeamRules,
    temperatures: Sequence[float],
    occasions: Occasions,
    opened: Opener,
) -> list[RunPlayer]:
    """Return commanders that write plans, one for each model and temperature; without models a scripted one."""
    from hive.players.commanding import PlanPlayer  # games that plans command load the engine

    found: list[RunPlayer] = []
    tried: Sequence[float | None] = temperatures or [None]
    for client in models or [opened(PlanWriter())]:
        for temperature in tried:
            asked_with = next(
                (each for each in (temperature, rules.temperature) if each is not None), PLAIN.temperature
            )
            label = (
                PLANS + (f", {client.name}" if models else "") + ("" if temperature is None else f" T={temperature:g}")
            )
            found.append(
                PlanPlayer(
                    name=label,
                    about=getattr(client, "about", client.name),
                    client=client,
                    title=f"{PLANS}, {client.name}" + ("" if temperature is None else f" T={temperature:g}"),
                    occasions=occasions,
                    settings=replace(PLAIN, temperature=asked_with, max_tokens=rules.max_tokens, top_p=rules.top_p),
                    unit=_unit(client),
                )
            )
    return found


def _title(framework: Framework[Any], rules: TeamRules, client: str, temperature: float | None = None) -> str:
    """Return the name of a method in results: the framework, and who answers if anybody is asked."""
    warm = "" if temperature is None else f" T={temperature:g}"
    return f"{framework.title}, {client}{warm}" if framework.calls(rules, 1, 1) else framework.title


def _unit(client: Client) -> str:
    return "words" if client.name in IN_WORDS else "tokens"


def _by_rules(
    name: str,
    rule: RulePlayer,
    plays: str,
    world: TeamWorld,
    rules: TeamRules,
    prompts: Prompts,
    opened: Opener,
    seat: str,
) -> TeamPlayer:
    framework = FAMILIES[world.acting].frameworks[plays]
    if rule.choose is not None:
        framework = silent(name, rule.about, rule.choose, seat)
    if rules.pictured and rule.speaker and framework.calls(rules, 1, 1):
        raise UserError(NO_PICTURES)
    client: Client = opened(ScriptedSpeaker(rule.speaker, rule.name)) if rule.speaker else Script([], rule.name)
    return TeamPlayer(
        name=name,
        about=framework.about if framework is NOTHING else rule.about,
        plays=plays,
        framework=framework,
        client=client,
        rules=rules,
        prompts=prompts,
        title=_title(framework, rules, client.name) if rule.speaker else name,
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
