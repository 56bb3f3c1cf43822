"""`hive.player`, `hive.play` and `hive.record`: any player on any world, from Python."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from hive.engine.types import Plan
from hive.kit.agent_env import AgentEnv
from hive.kit.reporting import Unwatched, Watch
from hive.kit.seeds import check_seeds
from hive.kit.team_world import Round, TeamRequest, TeamWorld

if TYPE_CHECKING:
    import jax

    from hive.engine.batch.result import GameProgress, Result
    from hive.engine.recorder import Recorder
    from hive.engine.world import EngineWorld
    from hive.kit.keep.recording import Recording
    from hive.players.llm.client import Client
    from hive.players.running import RunPlayer, TeamRun
    from hive.players.seats import Person

_UNWATCHED = Unwatched()


@dataclass(frozen=True, kw_only=True)
class Player:
    """A player of worlds with agents, by its name; see `player`."""

    name: str = ""
    client: Client | None = None
    published: bool = False
    rules: dict[str, Any] = field(default_factory=dict)
    prompts: Path | None = None
    period: int | None = None
    events: bool = False
    seat: str = ""
    person: Person | None = None


def player(
    name: str = "",
    *,
    client: Client | None = None,
    published: bool = False,
    prompts: Path | None = None,
    period: int | None = None,
    events: bool = False,
    seat: str = "",
    person: Person | None = None,
    **rules: Any,
) -> Player:
    """Return a player of worlds with agents.

    Args:
        name: `team`, `team:FRAMEWORK`, `plans`, one commander that writes plans where plans command, or a player by
            rules such as `speaker`, `optimal`, `heuristic` or `planner`; empty: a team if there is a client, else the
            first player by rules of the world. `human` is the same with a person in one seat.
        client: The language model that answers for a team, such as `hive.players.llm.endpoint.Endpoint`; None: a
            scripted speaker.
        published: Whether agents are asked and act as in the published programs.
        prompts: Folder of prompts in place of the shipped ones.
        period: For `plans`: ticks from one plan to the next; None: 10, or no period with events.
        events: For `plans`: whether a first sight, a loss or an achieved step is a reason for a new plan.
        seat: Name of the agent for which `person` answers; the player decides for all others.
        person: See `hive.players.seats.Person`.
        **rules: Fields of `hive.players.teams.rules.TeamRules`, such as `temperature`.

    Returns:
        The player, for `play`; whether a world has it is checked there.

    Raises:
        TypeError: Only one of `seat` and `person` is given, or none for `human`.
    """
    if bool(seat) != (person is not None) or (name == "human" and not seat):
        raise TypeError(
            "a person needs both: hive.player('human', seat=NAME, person=PERSON); "
            "`hive serve WORLD --seat NAME` opens a page for one"
        )
    return Player(
        name="" if name == "human" else name,
        client=client,
        published=published,
        rules=rules,
        prompts=prompts,
        period=period,
        events=events,
        seat=seat,
        person=person,
    )


@overload
def play(
    world: EngineWorld,
    player: Plan,
    seeds: Sequence[int] | None = None,
    *,
    name: str = "",
    swaps: Sequence[tuple[int, Plan]] = (),
    enemy_swaps: Sequence[tuple[int, Plan]] = (),
    progress: GameProgress | None = None,
    devices: Sequence[jax.Device] | None = None,
    recorder: Recorder | None = None,
) -> Result: ...
@overload
def play(
    world: TeamWorld | str,
    player: Player | Sequence[Player],
    seeds: Sequence[int] | None = None,
    *,
    folder: Path | None = None,
    concurrent: int = 4,
    watch: Watch = _UNWATCHED,
) -> TeamRun: ...
def play(
    world: Any, player: Plan | Player | Sequence[Player], seeds: Sequence[int] | None = None, **options: Any
) -> Result | TeamRun:
    """Let a player play a world, one game for each seed.

    Args:
        world: For a plan what `hive.load` returns; for players what `hive.load_team_world` returns, or a name.
        player: A plan from `hive.read_plan`, for a world that plans command; else one or several players.
        seeds: At least one; None: the first published seed, else 0.
        **options: For a plan `name`, `swaps`, `enemy_swaps`, `progress`, `devices` and `recorder`, as in
            `hive.engine.batch.playing.play`; for other players `folder`, where finished steps are saved and from which
            the same call resumes, `concurrent`, the most requests at once, and `watch`, which is told the progress.

    Returns:
        For a plan the results with the metrics of every tick, else a `TeamRun` with results, games and recordings.

    Raises:
        TypeError: The player cannot play this kind of world, or an option is unknown.
        UserError: There is no such world or player, a setting or a seed is wrong, there is no seed, or a plan was read
            for another number of units.
        ValueError: Swaps are out of order.
    """
    players = _players(player)
    if not players:
        from hive.engine.batch.playing import play as play_plan

        if isinstance(world, str):
            raise TypeError("hive.play takes a plan for a loaded world: hive.play(hive.load(name), plan, seeds)")
        plan: Any = player
        _check_options("a plan", play_plan, options)
        return play_plan(world, plan, [0] if seeds is None else seeds, **options)
    _check_options("players", _play_teams, options)
    return _play_teams(world, players, seeds, **options)


def _check_options(who: str, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise a TypeError for an option that is no keyword of the function that plays."""
    from hive.kit.keep.reading import hint

    known = [name for name, each in signature(function).parameters.items() if each.kind is Parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise TypeError(f"hive.play with {who} has no option `{name}`: {hint(name, known)}")


def record(
    world: Any, player: Plan | Player, seed: int = 0, *, title: str = "", swaps: Sequence[tuple[int, Plan]] = ()
) -> Recording:
    """Play one game and keep every tick of it, for `hive.picture`, `hive.movie` and `save`.

    Args:
        world: As in `play`.
        player: A plan from `hive.read_plan`, for a world that plans command; else one player.
        seed: Of the game, which is the same as in `play`.
        title: Heading of the pictures of a game of a plan; empty: that of the world.
        swaps: For a plan: tick and plan of each later plan, in the order of time.

    Returns:
        The recording. `recording.save(path)` writes a file that `hive replay` shows.

    Raises:
        TypeError: The player cannot play this kind of world.
        UserError: There is no such world or player, a setting or the seed is wrong, or a plan was read for another
            number of units.
        ValueError: A plan does not hold its source, or swaps are out of order.
    """
    if isinstance(player, Plan):
        if isinstance(world, str):
            raise TypeError("a plan plays a loaded world: hive.record(hive.load(name), plan)")
        from hive.engine.batch.playing import play_recorded
        from hive.worlds import recorder_of

        recorder = recorder_of(world.name)(world, player, swaps)
        play_recorded(world, player, seed, recorder, swaps=swaps)
        kept: Recording = recorder.recording(title)
        return kept
    if not isinstance(player, Player):
        raise TypeError("hive.record takes one plan or one player")
    if title or swaps:
        raise TypeError("title and swaps belong to a game of a plan, and a player plays this one")
    return play(world, player, [seed]).games[0].recording


def _players(player: Any) -> list[Player]:
    some = list(player) if isinstance(player, Sequence) and not isinstance(player, str) else [player]
    return some if some and all(isinstance(each, Player) for each in some) else []


def _play_teams(
    world: Any,
    players: Sequence[Player],
    seeds: Sequence[int] | None,
    *,
    folder: Path | None = None,
    concurrent: int = 4,
    watch: Watch = _UNWATCHED,
) -> TeamRun:
    from hive.players.choosing import Terms, team_of, team_players
    from hive.players.occasions import Occasions
    from hive.players.running import play_team_run
    from hive.players.seats import check_seat, seated
    from hive.players.teams.frameworks import FAMILIES
    from hive.players.teams.prompting import Prompts
    from hive.worlds import kind_of

    if isinstance(world, str):
        published = any(each.published for each in players)
        world = kind_of(world).team_world(TeamRequest(worlds=[world], published=published))
    elif not hasattr(world, "rounds"):
        kind_of(world.name).team_world(TeamRequest(worlds=[world.name]))  # says so where no agents play
        raise TypeError(
            f"{world.name} was loaded for plans; for a team give its name, as in hive.play({world.name!r}, player), "
            "or what hive.load_team_world returns"
        )
    team_world: TeamWorld = world
    base = FAMILIES[team_world.acting].rules()
    found: list[RunPlayer] = []
    for each in players:
        terms = Terms(
            rules=replace(base, **{**each.rules, "published": each.published}),
            prompts=Prompts(each.prompts),
            models=[each.client] if each.client else [],
            occasions=Occasions(period=each.period, events=each.events),
            seat=each.seat,
        )
        some = team_players(team_world, [each.name] if each.name else [], terms, watch)
        found += [seated(team_of(one), each.seat, each.person) for one in some] if each.person else some
    seeds = team_world.seeds[:1] if seeds is None else seeds
    check_seeds(seeds)

    def seen(games: Round[AgentEnv], _: object) -> None:
        for each in players:
            check_seat(games.episodes.envs[0], each.seat)

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        return play_team_run(team_world, found, seeds, folder, concurrent, watch, seen=seen)
    with tempfile.TemporaryDirectory() as place:
        return play_team_run(team_world, found, seeds, Path(place), concurrent, watch, seen=seen)
