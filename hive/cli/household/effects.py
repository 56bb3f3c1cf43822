"""`hive household effects`: what sharing, a second hand and further agents are worth on generated episodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.command import Command, option
from hive.cli.options import Cache, Folder, JsonOnly
from hive.cli.progress import watching
from hive.cli.values import games, index, real
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty

if TYPE_CHECKING:
    from hive.kit.keep.runfolder import Content
    from hive.worlds.household.policies.effects import Effects

FIRST = 30_000
"""Seed of the first episode; no other command draws from here on by default."""

STARTS = 4
"""Agents with a start of their own, so that all sizes of teams play the same episodes."""

_RULES = ("housework", "transport")
_NOTE = (
    "Gains are ticks per episode, as the mean of paired differences with half of its 95% interval. A claim holds if the"
    " interval lies above 0. An episode that is not finished counts its limit."
)


@dataclass(frozen=True, kw_only=True)
class MeasureEffects(Folder, JsonOnly, Cache):
    """Settings of `hive household effects`."""

    rules: Annotated[str | None, option("play only this kind of episodes; default: both", choices=_RULES)] = None
    generated: Annotated[int, option("episodes of each kind; default: 200", "N", read=games)] = 200
    first: Annotated[int, option(f"first seed; default: {FIRST}", "SEED", read=index)] = FIRST
    detection: Annotated[
        float,
        option(
            "chance that an agent detects a thing that it sees in a tick, above 0 and up to 1, the default",
            "P",
            read=real,
        ),
    ] = 1.0
    out: Annotated[Path | None, option("save the tables, and a plot of the gains, in this folder", "DIR")] = None

    def __post_init__(self) -> None:
        """Check the number of episodes and the probability.

        Raises:
            UserError: One of them is out of range.
        """
        if self.generated < 2:
            raise UserError(f"an interval needs at least 2 episodes, not {self.generated}")
        if not 0 < self.detection <= 1:
            raise UserError(f"--detection is above 0 and at most 1, not {self.detection:g}")


def _run(settings: MeasureEffects) -> int:
    from hive.kit.keep.config import config_file
    from hive.worlds.household.generator import generate
    from hive.worlds.household.houses import generate_transport
    from hive.worlds.household.policies.effects import TEAMS, measure_effects

    settings.use_cache()
    settings.check_folder(settings.out)
    found: dict[str, Effects] = {}
    with watching(quiet=settings.json) as watch:
        for rules in [settings.rules] if settings.rules else _RULES:
            make = generate if rules == "housework" else generate_transport
            watch.stage(f"drawing {rules}", settings.generated, "episode")
            episodes = []
            for done in range(settings.generated):
                episodes.append(make(settings.first + done, starts=STARTS))
                watch.update(done + 1)
            watch.stage(f"playing {rules}", len(TEAMS) * len(episodes), "play")
            order = {name: place * len(episodes) for place, name in enumerate(TEAMS)}

            def update(order: Mapping[str, int], name: str, done: int) -> None:
                watch.update(order[name] + done, name)

            found[rules] = measure_effects(episodes, settings.first, partial(update, order), settings.detection)
    text = "\n\n".join(_text(rules, settings.generated, each) for rules, each in found.items())
    settings.output(_object(settings, found), f"{text}\n\n{_NOTE}")
    if settings.out:
        from hive.experiments.plots.household_effects import save_effects

        files: dict[str, Content] = {
            **config_file(
                settings.line,
                range(settings.first, settings.first + settings.generated),
                rules=[*found],
                detection=settings.detection,
            ),
            "effects.txt": f"{text}\n\n{_NOTE}\n",
            "effects.json": pretty(_object(settings, found)),
            **{
                f"{what}.csv": csv_text(
                    {"rules": rules, **row} for rules in found for row in _object(settings, found)[rules][what]
                )
                for what in ("teams", "claims")
            },
            "effects.png": partial(save_effects, found),
        }
        settings.save_folder(settings.out, files)
    return 0


def _text(rules: str, count: int, found: Effects) -> str:
    from dsl.wording import columns

    teams = [[f"{rules}: team", "ticks", "brought, %", "not finished"]]
    for name, ticks in found.ticks.items():
        share = f"{100 * found.share[name].value:.1f} ± {100 * found.share[name].margin:.1f}"
        teams.append([name, str(ticks), share, str(found.unfinished[name])])
    claims = [["claim", "gain", "verdict"]]
    claims += [[each.claim.text, str(each.gain), each.verdict] for each in found.effects]
    head = f"{plural(count, 'episode')} of {rules}"
    return f"{head}\n\n{columns(teams, left=(0,))}\n\n{columns(claims, left=(0, 2))}"


def _object(settings: MeasureEffects, found: Mapping[str, Effects]) -> dict[str, Any]:
    return {
        "episodes": settings.generated,
        "first": settings.first,
        "detection": settings.detection,
        **{
            rules: {
                "teams": [
                    {
                        "team": name,
                        "ticks": ticks.value,
                        "margin": ticks.margin,
                        "brought": each.share[name].value,
                        "unfinished": each.unfinished[name],
                    }
                    for name, ticks in each.ticks.items()
                ],
                "claims": [
                    {
                        "claim": one.claim.text,
                        "better": one.claim.better,
                        "worse": one.claim.worse,
                        "gain": one.gain.value,
                        "margin": one.gain.margin,
                        "verdict": one.verdict,
                    }
                    for one in each.effects
                ],
            }
            for rules, each in found.items()
        },
    }


COMMAND = Command(
    settings=MeasureEffects,
    run=_run,
    about="""\
Let teams that follow the cheapest-option rule play the same generated episodes, and print by how many ticks
one team beats another: shared knowledge against none, two hands against one, more agents against fewer.""",
    examples=(
        "hive household effects                               200 episodes of housework and 200 of transport",
        "hive household effects --rules transport --detection 0.3 --out runs/noisy",
    ),
)
