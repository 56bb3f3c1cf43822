"""`hive household styles`: a bandit learns which style of messages pays for the scripted team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from hive.cli.command import Command, option
from hive.cli.options import Cache, JsonOnly
from hive.cli.progress import watching
from hive.cli.values import count, index

if TYPE_CHECKING:
    from hive.worlds.household.speaker.styles import Bandit

_SCALE = 10.0  # steps


@dataclass(frozen=True, kw_only=True)
class TryStyles(JsonOnly, Cache):
    """Settings of `hive household styles`."""

    rounds: Annotated[int, option("choices of a style; default: 30", "N", read=count)] = 30
    episodes: Annotated[int, option("generated episodes of a round; default: 20", "N", read=count)] = 20
    team: Annotated[int, option("size of the team, 1 to 4; default: 2", "N", read=count)] = 2
    first: Annotated[int, option("seed of the first episode; default: 0", "N", read=index)] = 0


def _run(settings: TryStyles) -> int:
    settings.use_cache()
    from hive.worlds.household.speaker.styles import Bandit

    bandit = Bandit(scale=_SCALE)
    sent: dict[str, int] = dict.fromkeys(bandit.steps, 0)
    with watching(quiet=settings.json) as watch:
        watch.stage("trying styles of messages", settings.rounds, "round")
        for number in range(settings.rounds):
            style = bandit.choose()
            first = settings.first + number * settings.episodes
            steps, messages = _play(style, first, settings.episodes, settings.team)
            bandit.learn(style, steps)
            sent[style] += messages
            watch.update(number + 1, style)
        settings.output(_object(bandit, sent), "\n" + _table(bandit, sent), watch.say)
    return 0


def _play(style: str, first: int, count: int, team: int) -> tuple[list[float], int]:
    """Play generated episodes with a style; return the steps of each, and the messages of all."""
    from hive.players.teams.frameworks import PROPOSING
    from hive.players.teams.playing import play
    from hive.players.teams.rules import TeamRules
    from hive.players.teams.speaking import ScriptedSpeaker
    from hive.worlds.household.agents.episodes import HouseEpisodes
    from hive.worlds.household.generator import generate
    from hive.worlds.household.speaker import answer
    from hive.worlds.household.speaker.styles import STYLES

    homes = [generate(first + number) for number in range(count)]
    episodes = HouseEpisodes(homes, team, range(count), exact=True, tips=[STYLES[style]] * count)
    rules = TeamRules(direct_perception=True)
    live = play(episodes, PROPOSING["liet_kept"], ScriptedSpeaker(answer, "scripted team"), rules, concurrent=1)
    messages = sum(len(row.get("mail", ())) for each in live for row in each.journal.rows)
    return [float(each.env.tick) for each in live], messages


def _rows(bandit: Bandit, sent: dict[str, int]) -> list[dict[str, Any]]:
    from hive.worlds.household.policies.figures import mean_of

    rows = []
    for style, steps in bandit.steps.items():
        if steps:
            mean = mean_of(steps)
            margin = mean.margin if mean.count > 1 else None
            facts = {"style": style, "plays": len(steps), "steps": mean.value, "margin": margin}
            rows.append({**facts, "messages": sent[style] / len(steps)})
    return rows


def _object(bandit: Bandit, sent: dict[str, int]) -> dict[str, Any]:
    return {"styles": _rows(bandit, sent), "best": bandit.best}


def _table(bandit: Bandit, sent: dict[str, int]) -> str:
    from dsl.wording import columns

    rows = [["style", "plays", "steps", "messages"]]
    for row in _rows(bandit, sent):
        steps = f"{row['steps']:.1f}" + ("" if row["margin"] is None else f" ± {row['margin']:.1f}")
        rows.append([row["style"], str(row["plays"]), steps, f"{row['messages']:.1f}"])
    return f"{columns(rows, left=(0,))}\n\nmost played: {bandit.best}"


COMMAND = Command(
    settings=TryStyles,
    run=_run,
    about="""\
Let a bandit (UCB1) learn which style of messages takes the fewest steps. The scripted team plays generated
episodes with true costs and a shared list that asks for one style and stays as it is. This says something
about messages of a scripted team that cost a step each; it is not the evolving list of LIET, which an agent
writes and whose insight is in words.""",
    examples=(
        "hive household styles",
        "hive household styles --rounds 60 --episodes 40 --json",
    ),
    notes="""\
The table has for each style its plays, the mean steps with a 95% interval, and the messages of a play. Each
round plays episodes that were not played before.""",
)
