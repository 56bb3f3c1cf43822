"""`hive run` of a world with agents, or of a level by a team: who plays, with which seeds, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import listing
from hive.cli.games.all_levels import competency_of, with_baseline
from hive.cli.games.run_settings import Run
from hive.cli.options import given, refuse
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.setting import folder_stem
from hive.cli.team_runs import play_and_keep, team_settings, terms_of, variants_of
from hive.kit.contract import Kind
from hive.kit.planned_world import OF_PLANS, PUBLISHED, CommandedWorld, Request
from hive.kit.team_world import TeamRequest
from hive.players.occasions import PLANS
from hive.players.teams.rules import Quirks, TeamRules

if TYPE_CHECKING:
    from hive.kit.reporting import Watch
    from hive.kit.team_world import TeamWorld
    from hive.players.running import RunPlayer

PLAN, COMMANDER = "plan", "commander"
"""Players of worlds that plans command; `plan:FILE` and `commander:NAME` are `--plan` and `--commander`."""

_POLICIES = ("policy", "random", "stand")
# Fields of options, here and below:
_OF_TEAMS = ("perception", "direct_perception", "direct_execution", "quirks", "prompts")
_OF_ACTING = {  # for those that are not of all agents: how agents act that take them
    "direct_perception": ("actions",),
    "direct_execution": ("actions",),
    "quirks": ("actions", "steps"),
    "replies": ("plans",),
    "corrections": ("plans",),
    "thoughts": ("turns",),
    "tools": ("turns",),
    "published": ("plans", "turns", "proposals"),
}
_OF_WRITER = ("period", "events", "plans", "grammar")  # of a commander that writes plans
_CONNECTING = ("timeout", "retries", "concurrent", "grammar", "max_tokens")  # of whoever asks a model
_ASKING = (
    *("model", "replay", "prompts", "published", "base_url", "api_key", "api_key_env", "record", "temperature"),
    *("top_p", "restart", "vary", "quirks", "perception", "direct_perception", "direct_execution"),
    *("replies", "corrections", "thoughts", "tools"),
    *_OF_WRITER,
    *(name for name in _CONNECTING if name not in _OF_WRITER),
)
_NOT_OF_POLICIES = (*(name for name in OF_PLANS if name != "units"), "method", "fire_rules")
REFUSED_OF_LEARNERS = (*_NOT_OF_POLICIES, *_ASKING)
"""Fields of options that mean nothing for a task for learners, which policies play."""


def refused_of_kind(kind: Kind) -> set[str]:
    """Return the fields of options that no player of a kind of world takes; policies take no more than others.

    An option that some players of the kind take is refused next to others when they are known.
    """
    ways = [{*kind.foreign, *_ASKING}] if kind.planned else []
    if kind.acting:
        other = {name for name, acting in _OF_ACTING.items() if kind.acting not in acting}
        if not kind.pictured:
            other.add("perception")
        ways.append({*OF_PLANS, *kind.foreign, *other, *(() if kind.planned else _OF_WRITER)})
    return set.intersection(*ways)


def with_plan(settings: Run, kind: Kind) -> Run | None:
    """Return the settings with the plan or the commander that `--player` names; None where agents play.

    Raises:
        UserError: Such a player is named for a world that no plan commands or is named next to others, or an option
            of teams is given.
    """
    named = [name for name in settings.player if name.partition(":")[0] in (PLAN, COMMANDER)]
    if not kind.planned or (settings.player and not named):
        if named:
            kind.load(Request(scenario=settings.scenario))  # raises
        return None
    if len(settings.player) > 1:
        raise UserError(
            f"`{named[0]}` plays alone, and --player names {len(settings.player)} players\n"
            "  = help: `hive sweep` compares plans, and several teams may stand side by side"
        )
    which, _, value = named[0].partition(":") if named else ("", "", "")
    if value and getattr(settings, which) not in (None, value):
        raise UserError(f"--player {which}:{value} and --{which} contradict each other\n  = help: leave one out")
    _refuse_asking(settings, f"{settings.scenario} is played by a plan here")
    settings.changes()  # raises
    if value and which == PLAN:
        return replace(settings, plan=value)
    return replace(settings, commander=value) if value else settings


def plays_policies(settings: Run) -> bool:
    """Return whether a policy is among the players."""
    return any(map(_is_policy, settings.player))


def run_policies(settings: Run) -> int:
    """Let the policies that `--player` names play, print the results and keep the run on request.

    Raises:
        UserError: A policy, the world, a seed or an option is wrong.
    """
    from hive.cli.keeping import again_words, films
    from hive.kit.keep.record import games_folder
    from hive.kit.keep.runfolder import check_writable, folder_name, free_folder, write_run
    from hive.players.policies import play_policies, policy_players
    from hive.rl.registry import task
    from hive.rl.runs import checkpoint_words, facts

    others = [name for name in settings.player if not _is_policy(name)]
    if others:
        raise UserError(
            f"{listing(others, 'and')} cannot stand next to policies\n"
            "  = help: play them in two runs with the same seeds"
        )
    settings.request().refuse(_NOT_OF_POLICIES, "a policy plays")
    _refuse_asking(settings, "a policy plays")
    if settings.seeds == PUBLISHED:
        raise UserError("a policy plays seeds that are numbered\n  = help: give a number, as in `--seeds 10`")
    changes = settings.changes() | ({} if settings.units is None else {"units": settings.units})
    seeds: Sequence[int] = [settings.seed or 0] if settings.seeds is None else range(int(settings.seeds))
    players = policy_players(settings.scenario, settings.player, changes, seeds)
    shown = folder_name("-".join(settings.player))
    folder = settings.out or (
        free_folder(f"{folder_stem(settings.scenario)}-{shown}", settings.overwrite) if settings.movie else None
    )
    if folder:
        check_writable(folder, settings.overwrite)
    with watching(quiet=settings.json) as watch:
        run = play_policies(settings.scenario, players, seeds, watch)
        kept = [each.checkpoint for each in players if each.checkpoint]
        settings.output_run(
            run.json() | ({"checkpoints": kept} if kept else {}) | {"worlds": [task(settings.scenario).id]},
            "\n".join(["", run.table(), *map(checkpoint_words, kept)]),
            watch.say,
        )
        if folder:
            files = games_folder(
                settings.line,
                again_words(settings.line, folder, asked=False),
                {task(settings.scenario).id: [changes, *(facts(each.env) for each in players)]},
                [{"name": each.name, "plays": each.plays, "identity": each.identity} for each in players],
                seeds,
                run.files(films(settings.movie, watch), watch),
                world=settings.scenario,
                players=settings.player,
            )
            write_run(folder, files, settings.overwrite)
            tell(f"wrote {folder}: {', '.join(name for name in files if '/' not in name)}, and the first game of each")
    return 0


def run_team(settings: Run, kind: Kind) -> int:
    """Let the players that `--player` names play, print the results and keep the run.

    Raises:
        UserError: The world, a player, a seed or an option is wrong.
    """
    from hive.kit.keep.runfolder import folder_name
    from hive.players.choosing import TEAM, check_asked, team_players
    from hive.players.occasions import Occasions
    from hive.players.teams.frameworks import FAMILIES
    from hive.players.varied import Variant

    names = list(dict.fromkeys(settings.player))
    asks = settings.asks_models
    settings.check_drawn(asks)
    if asks:
        check_asked(names)
    if not kind.acting:
        kind.team_world(TeamRequest(worlds=[settings.scenario]))  # raises
    settings.request().refuse(OF_PLANS, f"agents play {settings.scenario}, and no plan commands them")
    _refuse_settings(settings, names, asks)
    options = team_settings(settings.numbers, settings.fire_rules)

    def variant(name: str, varied: Mapping[str, float | str], part: str = "") -> Variant:
        wanted = TeamRequest(worlds=[name], options={**options, **varied}, published=settings.published)
        world = kind.team_world(wanted)
        seeds = _seeds(settings, world)
        if isinstance(world, CommandedWorld):
            world.requests(seeds)  # raises
        return Variant(varied, world, (), seeds, part)

    members, joined = kind.members(settings.scenario), 0
    if len(members) > 1:
        if settings.vary:
            raise UserError(f"--vary cannot be used with {settings.scenario}\n  = help: name one world of it")
        asked = names or [TEAM]
        names = with_baseline(asked)
        joined = len(names) - len(asked)
        variants = [variant(name, {}, name) for name in members]
    else:
        changes = variants_of(settings.vary, options) or [{}]
        variants = [variant(settings.scenario, varied) for varied in changes]
    world = variants[0].world
    rules = _rules(settings, FAMILIES[world.acting].rules())
    occasions = Occasions(period=settings.period, events=settings.events)
    terms = terms_of(settings, rules, settings.temperature, occasions, settings.plans)
    for model in terms.models:
        tell(model.about)

    def cast(played: TeamWorld, watch: Watch) -> list[RunPlayer]:
        found = team_players(played, names, terms, watch)
        if not settings.method:
            return found
        if len(found) > 1 + joined:
            raise UserError("--method names one player\n  = help: name one with --player, or leave out --method")
        titled: Any = found[0]
        return [replace(titled, title=settings.method), *found[1:]]

    shown = list(dict.fromkeys(settings.player)) or ["team" if asks else next(iter(world.players))]
    return play_and_keep(
        settings,
        variants,
        cast,
        f"{folder_stem(settings.scenario)}-{folder_name('-'.join(shown))}",
        {"world": settings.scenario},
        competency_of if len(members) > 1 else None,
    )


def _rules(settings: Run, base: TeamRules) -> TeamRules:
    """Return how teams are run."""
    if settings.temperature and "released_temperature" in settings.quirks:
        raise UserError(
            "--temperature and the quirk released_temperature contradict each other\n"
            "  = help: leave out one of them; --temperature sets the temperature of all calls"
        )
    return replace(
        base,
        perception=settings.perception,
        direct_perception=settings.direct_perception or base.direct_perception,
        direct_execution=settings.direct_execution or base.direct_execution,
        quirks=Quirks(**dict.fromkeys(settings.quirks, True)),
        replies=settings.replies,
        corrections=settings.corrections,
        thoughts=settings.thoughts,
        by_text=settings.tools == "text",
        published=settings.published,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
    )


def _refuse_settings(settings: Run, names: Sequence[str], asks: bool) -> None:
    """Refuse options of a run that none of its players takes.

    Raises:
        UserError: One of them is given.
    """
    writes = PLANS in names
    if not asks:
        names_one = "`--model NAME` names one for a team or for `--player plans`"
        refuse(settings, _CONNECTING, "no model is asked", names_one)
    if not writes:
        why = "no player of this run writes plans"
        refuse(settings, _OF_WRITER, why, f"`--player {PLANS}` takes them, one commander of a wildfire level")
    if names and all(name in (PLANS, "team:nothing") for name in names):
        refuse(settings, _OF_TEAMS, "no team plays", "add `--player team`")


def _is_policy(name: str) -> bool:
    return name.partition(":")[0] in _POLICIES


def _refuse_asking(settings: Run, why: str) -> None:
    """Refuse the options of teams and models."""
    wrong = given(settings, _ASKING)
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        raise UserError(
            f"{listing(wrong, 'and')} {verb} for teams of agents, and {why}\n"
            "  = help: `hive ask` asks a model for a plan; `--player team` lets a team play a world with agents, and "
            f"`--player {PLANS}` one commander a wildfire level"
        )


def _seeds(settings: Run, world: TeamWorld) -> Sequence[int]:
    if settings.seed is not None:
        return [settings.seed]
    if settings.seeds is None:
        return world.seeds[:1]
    if settings.seeds == PUBLISHED:
        if len(world.seeds) == 1:
            raise UserError(f"{settings.scenario} has no published seeds\n  = help: give a number, as in `--seeds 10`")
        return world.seeds
    return range(int(settings.seeds))
