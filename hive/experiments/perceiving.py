"""Descriptions of what agents see, by what a model reads: texts, pictures or both (docs/rules/teams.md 2.1).

Games are played by rules; samples are drawn of what agents see in them; each is described in several ways, and a judge
who knows what is there scores the descriptions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.kit.agent_env import PERCEPTIONS, RULES, Observation
from hive.kit.intervals import paired_difference, wilson
from hive.kit.reporting import Watch
from hive.kit.team_world import Cast, PicturedWorld
from hive.players.llm.client import NO_TOPIC, PLAIN, ChatRequest, Client, Message, Reply, Settings
from hive.players.llm.threads import side_by_side
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import FAMILIES
from hive.players.teams.perception import read_perception, view_messages
from hive.players.teams.playing import play
from hive.players.teams.speaking import ScriptedSpeaker
from hive.players.teams.tags import Malformed, read_tags

SILENCE = "I see nothing of note."
"""What an agent that sees nothing is said to see."""
BEST = 10.0  # the highest score of a judge
_EXPLAINED = "explanation"


@dataclass(frozen=True)
class Sample:
    """What one agent saw after a step of a game.

    Attributes:
        world: Name of the world.
        seed: Of the game.
        step: Steps played.
        agent: Name of the agent.
        kind: Its type.
        seen: What it saw.
        there: For each score of the judge, whether there was anything to tell.
    """

    world: str
    seed: int
    step: int
    agent: str
    kind: str
    seen: Observation = field(repr=False)
    there: tuple[bool, ...] = ()

    def json(self) -> dict[str, Any]:
        """Where it comes from."""
        return {"world": self.world, "seed": self.seed, "step": self.step, "agent": self.agent, "kind": self.kind}


@dataclass(frozen=True)
class Describer:
    """A way of describing what agents see.

    Attributes:
        perception: `RULES`, `NOTHING` or one of `PERCEPTIONS` of `hive.kit.agent_env`.
        client: Who is asked; None for descriptions without a call.
    """

    perception: str
    client: Client | None = None

    @property
    def model(self) -> str:
        """Name of the model; empty for descriptions without a call."""
        return self.client.name if self.client else ""

    @property
    def name(self) -> str:
        """Name for tables, unique in a study."""
        return f"{self.perception}, {self.model}" if self.client else self.perception


@dataclass(frozen=True)
class Described:
    """One description with what a judge says of it.

    Attributes:
        describer: How it came about.
        sample: Number of the sample.
        text: The description.
        reply: The reply that it was read from; None without a call.
        scores: By name, 0 to 10; None where the judge's answer cannot be read.
        explanation: In the words of the judge, or why its answer cannot be read.
    """

    describer: Describer
    sample: int
    text: str
    reply: Reply | None
    scores: Mapping[str, float] | None = None
    explanation: str = ""


@dataclass(frozen=True)
class PerceptionStudy:
    """A finished study.

    Attributes:
        samples: What was described, in the order of worlds, seeds, steps and agents.
        described: Descriptions of all samples by the first describer, then by the second one, and so on.
        judge: Name of the judge.
        scores: Names of its scores.
        keys: Of all requests, in their order; see `ChatRequest.key`.
    """

    samples: Sequence[Sample]
    described: Sequence[Described]
    judge: str
    scores: Sequence[str]
    keys: Sequence[str] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return each description in plain values."""
        return [
            {
                "sample": each.sample,
                **self.samples[each.sample].json(),
                "perception": each.describer.perception,
                "model": each.describer.model,
                "there": dict(zip(self.scores, self.samples[each.sample].there, strict=True)),
                "scores": dict(each.scores) if each.scores else dict.fromkeys(self.scores),
                "explanation": each.explanation,
                "description": each.text,
                **_costs([each]),
            }
            for each in self.described
        ]

    def figures(self) -> list[dict[str, Any]]:
        """Return the means of each describer: scores with 95% intervals, and what a call costs.

        A score has its mean over all samples, and over those in which there was anything to tell.
        """
        found = []
        for describer, mine in self._by_describer().items():
            judged = [each for each in mine if each.scores is not None]
            found.append(
                {
                    "perception": describer.perception,
                    "model": describer.model,
                    "samples": len(mine),
                    "judged": len(judged),
                    "scores": {
                        name: {
                            **_mean([each.scores[name] for each in judged if each.scores]),
                            "there": _mean(
                                [
                                    each.scores[name]
                                    for each in judged
                                    if each.scores and self.samples[each.sample].there[number]
                                ]
                            ),
                        }
                        for number, name in enumerate(self.scores)
                    },
                    **_costs(mine),
                }
            )
        return found

    def differences(self) -> list[dict[str, Any]]:
        """Return what each perception of a model gains over its first one, by samples, with intervals."""
        found = []
        firsts: dict[str, list[Described]] = {}
        for describer, mine in self._by_describer().items():
            if describer.client is None:
                continue
            first = firsts.setdefault(describer.model, mine)
            if first is mine:
                continue
            row: dict[str, Any] = {"model": describer.model, "perception": describer.perception}
            row["over"] = first[0].describer.perception
            pairs = [
                (one.scores, two.scores) for one, two in zip(mine, first, strict=True) if one.scores and two.scores
            ]
            row["pairs"] = len(pairs)
            for name in self.scores:
                row[name] = None
                if pairs:
                    mine_of, first_of = ([side[name] / BEST for side in sides] for sides in zip(*pairs, strict=True))
                    mean, low, high = (BEST * value for value in paired_difference(mine_of, first_of))
                    row[name] = {"mean": mean, "low": low, "high": high}
            found.append(row)
        return found

    def json(self) -> dict[str, Any]:
        """Return figures and differences."""
        return {"judge": self.judge, "perceptions": self.figures(), "differences": self.differences()}

    def table(self) -> str:
        """Return the figures and the differences as text."""
        shown = [name.removesuffix("_score") for name in self.scores]
        rows = [["perception", "model", "samples"]]
        for name in shown:
            rows[0] += [f"{name} (0-10)", f"where {name} is"]
        rows[0] += ["seconds", "sent", "received"]
        for each in self.figures():
            row = [each["perception"], each["model"] or "-", str(each["samples"])]
            for score in each["scores"].values():
                row += [_interval(score), _interval(score["there"])]
            row += [_number(each["seconds"], 2), _number(each["sent"], 0), _number(each["received"], 0)]
            rows.append(row)
        parts = [columns(rows, left=(0, 1))]
        if gains := self.differences():
            lines = [["difference", "model", "pairs", *shown]]
            for each in gains:
                cells = [_interval(each[name], sign="+") for name in self.scores]
                lines.append([f"{each['perception']} - {each['over']}", each["model"], str(each["pairs"]), *cells])
            parts.append(columns(lines, left=(0, 1)))
        lost = sum(each.scores is None for each in self.described)
        note = f"judged by {self.judge}; brackets: 95% intervals; seconds and tokens: means of a call"
        return "\n\n".join(
            [*parts, note + (f"; {plural(lost, 'answer')} of the judge could not be read" if lost else "")]
        )

    def _by_describer(self) -> dict[Describer, list[Described]]:
        found: dict[Describer, list[Described]] = {}
        for each in self.described:
            found.setdefault(each.describer, []).append(each)
        return found


def draw_samples(
    world: PicturedWorld, seeds: Sequence[int], steps: int, count: int, seed: int, folder: Path, watch: Watch
) -> list[Sample]:
    """Let a player by rules play, and draw samples of what agents see after steps.

    Samples are drawn in turn from groups by what there is to tell, as far as a group reaches.

    Args:
        world: What is played.
        seeds: Of each world.
        steps: Most steps of a game.
        count: How many samples.
        seed: Of the draw.
        folder: Where the world may save work.
        watch: Receives the progress.

    Raises:
        UserError: The games show fewer samples.
    """
    family, name = FAMILIES[world.acting], next(iter(world.players))
    rule = world.rule_player(name, watch)
    assert rule.speaker is not None, "agents that draw what they see are asked"
    plays = next(iter(family.frameworks))
    rules = replace(family.rules(), direct_perception=True, direct_execution=True, steps=steps)
    groups: dict[tuple[bool, ...], list[Sample]] = {}

    def look(episodes: Sequence[TeamEpisode]) -> None:
        watch.update(max(each.env.tick for each in episodes))
        for env in (each.env for each in episodes):
            for agent in env.living():
                seat, seen = env.seats[agent], env.observe(agent)
                there = world.shows(seen)
                if there is not None:
                    found = Sample(env.name, env.seed, env.tick, seat.name, seat.kind, seen, there)
                    groups.setdefault(there, []).append(found)

    rounds = world.rounds(Cast(name, plays), seeds, folder, watch)
    played = next(rounds, None)
    while played is not None:
        envs = played.episodes.envs
        watch.stage(f"playing {plural(len(envs), world.noun)} of {envs[0].name}", steps, "step")
        play(played.episodes, family.frameworks[plays], ScriptedSpeaker(rule.speaker), rules, concurrent=1, watch=look)
        try:
            played = rounds.send(())
        except StopIteration:
            played = None
    total = sum(map(len, groups.values()))
    if total < count:
        raise UserError(
            f"the games show {plural(total, 'view')} of agents, and {count} are to be drawn\n"
            "  = help: raise --steps or --seeds, or lower --samples"
        )
    draws = random.Random(seed)
    for group in groups.values():
        draws.shuffle(group)
    drawn: list[Sample] = []
    while len(drawn) < count:
        for there in sorted(groups, reverse=True):
            if groups[there] and len(drawn) < count:
                drawn.append(groups[there].pop())
    worlds = list(dict.fromkeys(each.world for each in drawn))
    return sorted(drawn, key=lambda each: (worlds.index(each.world), each.seed, each.step, each.agent))


def study(
    world: PicturedWorld,
    samples: Sequence[Sample],
    describers: Sequence[Describer],
    judge: Client,
    concurrent: int,
    watch: Watch,
    settings: Settings = PLAIN,
) -> PerceptionStudy:
    """Let all samples be described and judged.

    Args:
        world: What was played.
        samples: From `draw_samples`.
        describers: Each describes all samples, one after another.
        judge: Who judges.
        concurrent: Most requests at the same time.
        watch: Receives the progress.
        settings: How replies are drawn.

    Raises:
        ModelError: A model could not be asked, such as for one that reads no pictures.
        UserError: Agents draw no pictures.
    """
    settings = replace(settings, may_be_empty=True)
    keys: list[str] = []

    def ask(client: Client, requests: Sequence[ChatRequest], what: str) -> list[Reply]:
        watch.stage(what, len(requests), "call")
        heard: list[Reply] = []

        def hear(reply: Reply) -> None:
            heard.append(reply)
            watch.update(len(heard))

        keys.extend(request.key(client.name) for request in requests)
        return side_by_side([partial(client.complete, request) for request in requests], concurrent, hear)

    described: list[Described] = []
    for each in describers:
        replies: Sequence[Reply | None] = [None] * len(samples)
        if each.client:
            requests = [_request(sample, each.perception, settings) for sample in samples]
            replies = ask(each.client, requests, f"describing with {each.name}")
        texts = [_text(sample, each, reply) for sample, reply in zip(samples, replies, strict=True)]
        mine = [Described(each, *some) for some in zip(range(len(samples)), texts, replies, strict=True)]
        judging = [_judging(world, samples[one.sample], one.text, settings) for one in mine]
        verdicts = ask(judge, judging, f"judging {each.name}")
        described += [_judged(one, verdict.text, world.judged) for one, verdict in zip(mine, verdicts, strict=True)]
    return PerceptionStudy(samples, described, judge.name, world.judged, keys)


def view_picture(sample: Sample, perception: str) -> bytes | None:
    """Return the picture that is sent for a sample, a PNG; None for a perception without one."""
    images = view_messages(sample.seen, perception)[1] if perception in PERCEPTIONS else ()
    return images[0].png if images else None


def _request(sample: Sample, perception: str, settings: Settings) -> ChatRequest:
    messages, images = view_messages(sample.seen, perception)
    topic = replace(NO_TOPIC, world=sample.world, agent=sample.agent, purpose="perceive", number=sample.seed)
    return ChatRequest(messages, images=images, settings=settings, topic=topic)


def _judging(world: PicturedWorld, sample: Sample, text: str, settings: Settings) -> ChatRequest:
    system, user = world.judging(sample.seen, text)
    topic = replace(NO_TOPIC, world=sample.world, agent=sample.agent, purpose="judge", number=sample.seed)
    return ChatRequest((Message("system", system), Message("user", user)), settings=settings, topic=topic)


def _text(sample: Sample, describer: Describer, reply: Reply | None) -> str:
    if reply is not None:
        return read_perception(reply.text)
    return sample.seen.paragraph if describer.perception == RULES else SILENCE


def _judged(one: Described, text: str, names: Sequence[str]) -> Described:
    """Return a description with its scores."""
    found = read_tags(text, names, (_EXPLAINED,))
    if isinstance(found, Malformed):
        return replace(one, explanation=f"the answer of the judge {found.why}")
    try:
        scores = {name: float(found[name]) for name in names}
    except ValueError:
        return replace(one, explanation="the answer of the judge has a score that is no number")
    if not all(0 <= score <= BEST for score in scores.values()):
        return replace(one, explanation=f"the answer of the judge has a score that is not 0 to {BEST:g}")
    return replace(one, scores=scores, explanation=found.get(_EXPLAINED, ""))


def _mean(scores: Sequence[float]) -> dict[str, Any]:
    """Return the mean of scores and its 95% interval; all are None without any."""
    if not scores:
        return {"count": 0, "mean": None, "low": None, "high": None}
    mean = sum(scores) / len(scores)
    low, high = wilson(mean / BEST, len(scores))
    return {"count": len(scores), "mean": mean, "low": BEST * low, "high": BEST * high}


def _costs(some: Sequence[Described]) -> dict[str, float | None]:
    """Return the mean seconds and tokens of a call; None where nobody was asked or no server counted."""
    replies = [each.reply for each in some if each.reply]

    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    return {
        "seconds": mean([round(reply.seconds, 3) for reply in replies]),
        "sent": mean([reply.usage.prompt for reply in replies]),
        "received": mean([reply.usage.reply for reply in replies]),
    }


def _interval(score: Mapping[str, Any] | None, sign: str = "") -> str:
    if score is None or score["mean"] is None:
        return "-"
    return f"{score['mean']:{sign}.1f} [{score['low']:{sign}.1f}, {score['high']:{sign}.1f}]"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
