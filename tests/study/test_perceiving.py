"""Descriptions of what agents see are judged alike, whatever they were made from, and compared by sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from hive.experiments.perceiving import Describer, PerceptionStudy, Sample, study, view_picture
from hive.kit.agent_env import NOTHING, RULES, Observation, PictureView
from hive.kit.intervals import paired_difference, wilson
from hive.players.llm.client import ChatRequest, Reply, TextSink, Usage


class Watch:
    def stage(self, name: str, total: int, unit: str) -> None:
        pass

    def update(self, done: int, note: str = "") -> None:
        pass

    def say(self, text: str) -> None:
        pass


class Lamps:
    """What a study needs of a world: the judge reads how many lamps there are."""

    judged = ("lamp_score", "moth_score")

    def judging(self, seen: Observation, text: str) -> tuple[str, str]:
        return "Judge.", f"{seen.place}\n{text}"


class Answers:
    """Answers by a function of the text and of the pictures; a reply takes a second, and pictures cost more tokens."""

    def __init__(self, name: str, answer: Any) -> None:
        self.name, self.about, self._answer = name, name, answer

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        text = self._answer(request.messages[-1].text, bool(request.images))
        return Reply(text, self.name, Usage(100 if request.images else 10, 5), seconds=1.0)


def sample(number: int) -> Sample:
    def draw(grid: bool) -> PictureView:
        return PictureView(f"{number} {grid}".encode(), "Legend.", f"Lamp {number}.")

    seen = Observation("Tell.", f"Lamp {number} as text.", f"I see lamp {number}.", str(number), draw)
    return Sample("toy/lamps", 0, number, "AGENT_1", "walker", seen, (number > 0, False))


def judged(text: str, _: bool) -> str:
    """10 for a description with the number of the lamp, 4 for another one; the moths of sample 2 have no score."""
    number, told = text.split("\n", 1)
    moths = "many" if number == "2" and "picture" in told else "10"
    return f"<lamp_score>{10 if number in told else 4}</lamp_score><moth_score>{moths}</moth_score>"


def played(count: int = 4) -> PerceptionStudy:
    def tell(text: str, pictured: bool) -> str:
        found = re.search(r"\d", text)
        assert found
        return f"A picture of lamp {9 if found[0] == '1' else found[0]}." if pictured else f"It is lamp {found[0]}."

    model = Answers("m", tell)
    describers = [Describer(NOTHING), Describer(RULES), Describer("text", model), Describer("grid", model)]
    world: Any = Lamps()
    return study(world, [sample(number) for number in range(count)], describers, Answers("j", judged), 2, Watch())


def test_means_have_intervals_and_answers_that_cannot_be_read_are_counted() -> None:
    """docs/rules/teams.md 2.1: two scores of 0 to 10, over all samples and where there is anything to tell."""
    found = played()
    nothing, rules, text, grid = found.figures()
    assert [each["perception"] for each in (nothing, rules, text, grid)] == ["nothing", "rules", "text", "grid"]
    assert nothing["scores"]["lamp_score"]["mean"] == 4 and rules["scores"]["lamp_score"]["mean"] == 10
    assert nothing["seconds"] is None and (text["seconds"], text["sent"], grid["sent"]) == (1, 10, 100)
    lamp = grid["scores"]["lamp_score"]
    assert (grid["samples"], grid["judged"], lamp["mean"]) == (4, 3, 8.0), "sample 2 has no scores, and lamp 1 is wrong"
    assert [lamp["low"], lamp["high"]] == [10 * end for end in wilson(0.8, 3)]
    assert (lamp["there"]["count"], lamp["there"]["mean"]) == (2, 7.0), "sample 0 has no lamp"
    assert grid["scores"]["moth_score"]["there"]["mean"] is None
    assert "1 answer of the judge could not be read" in found.table() and "judged by j" in found.table()


def test_perceptions_of_one_model_are_compared_by_sample() -> None:
    found = played()
    (gain,) = found.differences()
    assert (gain["perception"], gain["over"], gain["pairs"]) == ("grid", "text", 3)
    wanted = paired_difference([1, 0.4, 1], [1, 1, 1])
    assert [gain["lamp_score"][end] for end in ("mean", "low", "high")] == pytest.approx([10 * end for end in wanted])
    assert gain["lamp_score"]["mean"] == pytest.approx(-2) and "grid - text" in found.table()


def test_rows_say_where_a_sample_is_from_and_requests_have_keys_in_their_order() -> None:
    found = played(2)
    row = found.rows()[-1]
    assert {name: row[name] for name in ("sample", "world", "step", "agent", "perception", "model", "description")} == {
        "sample": 1, "world": "toy/lamps", "step": 1, "agent": "AGENT_1", "perception": "grid", "model": "m",
        "description": "A picture of lamp 9.",
    }  # fmt: skip
    assert row["there"] == {"lamp_score": True, "moth_score": False} and row["scores"]["lamp_score"] == 4
    assert len(found.keys) == 2 * (4 + 2) and len(set(found.keys)) == 12
    pictures: Sequence[bytes | None] = [view_picture(found.samples[1], each) for each in ("text", "image", "both")]
    assert pictures == [None, b"1 False", b"1 True"]
