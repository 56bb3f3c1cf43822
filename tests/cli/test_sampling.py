"""`hive ask --samples`: several replies to one prompt, the best plan by games on other seeds, and everything kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive.cli.model.sampling import TRIALS
from hive.players.llm import sampling
from hive.players.llm.sampling import Sample, best_of, fresh_seeds, table
from tests.cli.conftest import SMALL, Hive, Ran
from tests.hive.skirmish import SMALL_PLAN, skirmish
from tests.llm.talks import PROMPT
from tests.llm.test_set_rewards import CAPACITIES

AWAY = SMALL_PLAN.replace("(20, 20)", "(3, 37)").replace("attack_in_close_range", "follow_map")
BROKEN = SMALL_PLAN.replace("(20, 20)", "(20, 400)")
QUESTION = "Shall I attack at once?"
FOUR = (AWAY, BROKEN, QUESTION, SMALL_PLAN)
SAMPLES = 2 * len(FOUR)  # `CAPACITIES.plans` of which can be played
WORDS = ("ask", "skirmish.toml", PROMPT, "--trials", 2)


@pytest.fixture(autouse=True)
def _usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches hold as many plans as those of the tests of rewards, whose program plays the samples."""
    monkeypatch.setattr(sampling, "capacities_for", lambda world: CAPACITIES)


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A battle, and a folder of plans that answer in turn: one that runs away, one with an error, none, a good one."""
    skirmish(tmp_path)
    folder = tmp_path / "plans"
    folder.mkdir()
    for number, text in enumerate(FOUR):
        (folder / f"skirmish_{number}.plan").write_text(text)
    return folder


@pytest.fixture
def asked(hive: Hive, plans: Path) -> Ran:
    return hive(*WORDS, "--samples", SAMPLES, "--plans", plans, "--repairs", 0, "--out", "out", "--json")


@pytest.mark.long
def test_the_best_of_several_plans_is_followed(asked: Ran, tmp_path: Path) -> None:
    assert asked.code == 0, asked.err
    samples = asked.json["samples"]
    assert [sample["kind"] for sample in samples] == ["plan", "invalid_plan", "no_plan", "plan"] * 2
    assert [sample["games"] for sample in samples] == [2, None, None, 2] * 2
    assert samples[3]["value"] > samples[0]["value"] == samples[4]["value"], "the fifth reply is the first again"
    assert asked.json["best"] == 4 and asked.json["trials"] == [1_000_000, 1_000_001]
    assert SMALL_PLAN in asked.json["plans"][0]["text"]
    folder = tmp_path / "out"
    assert json.loads((folder / "samples.json").read_text())["best"] == 4
    assert sorted(path.name for path in (folder / "samples").iterdir()) == [f"{n:02}.md" for n in range(1, 9)]
    assert QUESTION in (folder / "samples" / "03.md").read_text()
    assert SMALL_PLAN in (folder / "dialogue.md").read_text(), "the dialogue of the best sample may be continued"


@pytest.mark.slow
def test_what_was_kept_gives_the_same_samples(asked: Ran, hive: Hive) -> None:
    """The samples' requests differ by the seed of their draw, so each gets its own reply, in any order of threads."""
    words = ("--samples", SAMPLES, "--repairs", 0, "--out", "again", "--json", "--concurrent", 5)
    again = hive(*WORDS, "--replay", "out/exchanges.jsonl", *words)
    assert again.code == 0, again.err
    assert again.json["samples"] == asked.json["samples"] and again.json["best"] == asked.json["best"]


@pytest.mark.slow
def test_a_request_that_fails_stops_no_other(asked: Ran, hive: Hive, tmp_path: Path) -> None:
    """A recording of all replies but one: one sample has none, and the table says so."""
    lines = (tmp_path / "out" / "exchanges.jsonl").read_text().splitlines()
    short = [line for line in lines if json.loads(line)["request"]["settings"]["seed"] != 1]
    (tmp_path / "short.jsonl").write_text("\n".join([*short, ""]))
    words = ("--samples", SAMPLES, "--repairs", 0, "--replay", "short.jsonl")
    ran = hive(*WORDS, *words, "--out", "again")
    assert ran.code == 0 and "the request failed: short.jsonl holds no reply" in ran.out
    ran = hive("ask", "skirmish.toml", "never asked", *words)
    assert ran.code == 2 and "holds no reply" in ran.err


@pytest.mark.slow
def test_each_sample_repairs_its_own_plan(hive: Hive, plans: Path) -> None:
    """The folder answers a repair with the same plan, so that sample has three requests; the others have one."""
    ran = hive(*WORDS, "--samples", SAMPLES, "--plans", plans, "--out", "out", "--json")
    assert ran.code == 0 and [sample["requests"] for sample in ran.json["samples"]] == [1, 3, 1, 1] * 2


def test_without_a_plan_to_play_all_samples_are_kept(hive: Hive, tmp_path: Path, plans: Path) -> None:
    for number in (0, 3):
        (plans / f"skirmish_{number}.plan").unlink()
    ran = hive(*WORDS, "--samples", 2, "--plans", plans, "--repairs", 0, "--out", "out")
    assert ran.code == 2 and "none of the samples has a plan" in ran.err and "not played" in ran.err
    assert "y is 400" in ran.out and "holds no plan" in ran.out
    assert json.loads((tmp_path / "out" / "samples.json").read_text())["best"] is None
    assert (tmp_path / "out" / "dialogue.json").is_file()


def test_seeds_of_trials_are_not_those_that_are_shown() -> None:
    assert fresh_seeds(4, [0]) == [1_000_000, 1_000_001, 1_000_002, 1_000_003]
    assert fresh_seeds(3, [1_000_001, 7]) == [1_000_000, 1_000_002, 1_000_003]
    assert len(fresh_seeds(TRIALS, range(10))) == TRIALS


def test_of_equal_samples_the_first_is_best() -> None:
    assert best_of([]) is None
    silent = Sample(1, None, None, "the server is down\n  = help: start it")  # type: ignore[arg-type]
    assert best_of([silent]) is None
    assert table([silent], None).splitlines()[1].split(maxsplit=3)[3] == "the request failed: the server is down"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--samples", "0"), "--samples"),
        (("--trials", "0"), "--trials"),
        (("--samples", "some"), "--samples"),
    ],
)
def test_wrong_words_get_a_message_and_code_2(hive: Hive, words: tuple[str, ...], says: str) -> None:
    ran = hive("ask", *SMALL, PROMPT, *words)
    assert ran.code == 2 and says in ran.err and "Traceback" not in ran.err
