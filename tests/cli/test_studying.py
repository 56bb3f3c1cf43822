"""`hive abilities` for models: what is asked and printed, folders that repeat themselves, studies that are resumed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hive.cli.measuring.study_settings import Abilities
from hive.players.llm.client import ModelError, Reply, Secret, Topic
from hive.players.words.commander import PlainCommander
from tests.cli.conftest import Hive
from tests.llm.faulty import serving, stream
from tests.llm.talks import BROKEN, CUT, QUESTION
from tests.study.test_study import Clerk

SMALL = ("--units", 20, "--set", "limit=60", "--ability", "coordinate", "--prompts", "prompts", "--concurrent", 1)
NAMES = [
    "config.json", "study.json",
    "study.csv", "table.md", "outcomes.png", "scores.png", "times.png", "lengths.png",
    "exchanges.jsonl", "digests.json",
]  # fmt: skip
KEPT = "kept.exchanges.jsonl"

GONE_TWICE = ModelError("this prompt was asked before")
Answer = Callable[[Topic], str | Reply | BaseException]


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """Three prompts for one ability."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "coordinate.txt").write_text("hold the middle\nhold the south\nhold the line\n")
    return folder


@pytest.fixture
def serve(prompts: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], list[Clerk]]:
    """Let clerks answer in place of endpoints; returns those that commands have opened."""

    def let(answer: Answer) -> list[Clerk]:
        opened: list[Clerk] = []

        def endpoint(model: str, **rest: Any) -> Clerk:
            opened.append(Clerk(answer, model))
            return opened[-1]

        monkeypatch.setattr("hive.players.llm.endpoint.Endpoint", endpoint)
        return opened

    return let


def by_number(*answers: str | BaseException) -> Answer:
    return lambda topic: answers[topic.number]


def counts(found: Any) -> list[str]:
    return [reply["outcomes"][0] for reply in found["replies"]]


def test_without_a_model_shipped_plans_answer_and_the_folder_repeats_itself(
    hive: Hive, prompts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prompts / "coordinate.txt").write_text("hold the middle\n")
    ran = hive("abilities", "--ask", *SMALL, "--seeds", 2, "--out", "kept", "--json")
    assert ran.code == 0 and "no model is named, so the shipped plans answer and prompts are not read" in ran.err
    assert ran.err.splitlines()[-1] == f"wrote kept: {', '.join(NAMES)}, the prompts and the plans"
    assert ran.json["models"] == ["plan folder"] and ran.json["replies"][0]["outcomes"] == ["timeout"] * 2
    kept = tmp_path / "kept"
    assert {path.name for path in kept.iterdir()} == {*NAMES, "prompts", "plans"}
    assert json.loads((kept / "study.json").read_text()) == ran.json
    assert "| Coordinate | " in (kept / "table.md").read_text()
    assert [path.name for path in (kept / "plans" / "coordinate").iterdir()] == ["plan-folder_01.plan"]
    for name in NAMES:
        if name.endswith(".png"):
            with Image.open(kept / name) as picture:
                assert picture.width > 600
    monkeypatch.chdir(kept)
    words = json.loads((kept / "config.json").read_text())["again"].partition(": hive ")[2]
    again = hive(*shlex.split(words), "--json")
    assert "no model is asked" in again.err and again.json["replies"] == ran.json["replies"]


def test_every_model_is_a_column_and_tables_are_printed(hive: Hive, serve: Any) -> None:
    opened = serve(by_number(QUESTION, BROKEN, QUESTION))
    ran = hive("abilities", "--model", "small", "--model", "large", *SMALL, "--beside", "published")
    assert ran.code == 0 and [clerk.name for clerk in opened] == ["small", "large"]
    heads = [part.splitlines()[0].split("|")[1].strip() for part in ran.out.split("\n\n")]
    assert heads[:3] == ["wins", "games that ended with", "mean score, and medians of a reply"]
    first, _, second = ([cell.strip() for cell in line.split("|")[1:-1]] for line in ran.out.splitlines()[:3])
    assert first[:3] == ["wins", "small", "large"] and second[:3] == ["Coordinate", "0 of 3", "0 of 3"]
    assert dict(zip(first, second, strict=True))["Sonnet (published)"] == "2 of 10"
    assert "asking small ..." in ran.err and "asking large ..." in ran.err
    *_, pairs = (part.splitlines() for part in ran.out.split("\n\n"))
    assert [cell.strip() for cell in pairs[2].split("|")[1:5]] == ["Coordinate", "small", "large", "3"]


def test_each_model_may_have_its_own_address_and_key(
    hive: Hive, prompts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: dict[str, tuple[str | None, str | None]] = {}

    def endpoint(model: str, base_url: str | None, key: Secret | None, **rest: Any) -> Clerk:
        opened[model] = base_url, key and key.reveal()
        return Clerk(lambda topic: QUESTION, model)

    monkeypatch.setattr("hive.players.llm.endpoint.Endpoint", endpoint)
    monkeypatch.setenv("KEY_A", "secret-of-a")
    words = ("--model", "a@http://h:1/v1", "--model", "b", "--base-url", "http://h:2/v1", "--api-key-env", "a=KEY_A")
    ran = hive("abilities", *words, *SMALL, "--json")
    assert ran.code == 0 and opened == {"a": ("http://h:1/v1", "secret-of-a"), "b": ("http://h:2/v1", None)}
    assert ran.json["models"] == ["a", "b"] and [pair["neither"] for pair in ran.json["pairs"]] == [3]
    assert "secret-of-a" not in ran.out + ran.err


def test_six_models_of_three_providers_are_one_table(hive: Hive, prompts: Path) -> None:
    """The published study: each model at the address of its provider, and a column for each."""
    with serving(stream(QUESTION)) as one, serving(stream(BROKEN)) as two, serving(stream(CUT.text, "length")) as three:
        models = [f"{name}-{size}@{server.url}" for name, server in zip("abc", (one, two, three), strict=True)
                  for size in ("large", "small")]  # fmt: skip
        words = [word for model in models for word in ("--model", model)]
        ran = hive("abilities", *words, *SMALL, "--beside", "published")
        asked = [[request["model"] for request in server.requests] for server in (one, two, three)]
    assert ran.code == 0, ran.err
    assert asked == [[f"{name}-large"] * 3 + [f"{name}-small"] * 3 for name in "abc"]
    wins, ends, _, pairs = ([[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines()]
                            for part in ran.out.split("\n\n"))  # fmt: skip
    names = [model.partition("@")[0] for model in models]
    assert wins[0][1:7] == names and wins[2][:7] == ["Coordinate", *["0 of 3"] * 6]
    assert len(wins[0]) == 13, "and the six published models"
    found = {row[1]: [kind for kind, cell in zip(ends[0], row, strict=True) if cell == "3"] for row in ends[2:]}
    kinds = ["no plan", "invalid plan", "cut off"]
    assert found == {name: [kinds[number // 2]] for number, name in enumerate(names)}
    assert len(pairs) == 2 + 15, "each two of them"


def test_an_interrupted_study_is_resumed_and_asks_nothing_twice(hive: Hive, serve: Any, tmp_path: Path) -> None:
    words = ("abilities", "--model", "m", "--api-key", "sk-secret", *SMALL, "--out", "kept")
    opened = serve(by_number(QUESTION, QUESTION, KeyboardInterrupt()))
    ran = hive(*words)
    assert ran.code == 130 and not (tmp_path / "kept").exists()
    assert f"the replies so far are kept in {tmp_path / KEPT}; the same command resumes the study" in ran.err
    assert len((tmp_path / KEPT).read_text().splitlines()) == 2

    opened = serve(by_number(GONE_TWICE, GONE_TWICE, QUESTION))
    ran = hive(*words, "--json")
    assert ran.code == 0 and [topic.number for _, topic in opened[0].asked] == [2]
    assert counts(ran.json) == ["no_plan"] * 3 and not (tmp_path / KEPT).exists()
    assert len((tmp_path / "kept" / "exchanges.jsonl").read_text().splitlines()) == 3
    assert not [path for path in (tmp_path / "kept").rglob("*") if path.is_file() and b"sk-secret" in path.read_bytes()]


def test_a_failed_request_keeps_the_others_and_is_asked_again(hive: Hive, serve: Any, tmp_path: Path) -> None:
    words = ("abilities", "--model", "m", *SMALL, "--out", "kept", "--json")
    serve(by_number(QUESTION, ModelError("the server is gone"), QUESTION))
    ran = hive(*words)
    assert ran.code == 0 and counts(ran.json) == ["no_plan", "no_reply", "no_plan"]
    assert "1 prompt brought no reply: the server is gone" in ran.err
    assert "asks only for the missing replies" in ran.err

    opened = serve(by_number(GONE_TWICE, BROKEN, GONE_TWICE))
    ran = hive(*words, "--overwrite")
    assert [topic.number for _, topic in opened[0].asked] == [1]
    assert counts(ran.json) == ["no_plan", "invalid_plan", "no_plan"]


def test_without_any_reply_there_is_one_message_and_no_folder(hive: Hive, serve: Any, tmp_path: Path) -> None:
    serve(lambda topic: ModelError("there is no server"))
    ran = hive("abilities", "--model", "m", *SMALL, "--out", "kept")
    assert (ran.code, ran.out) == (2, "") and ran.err.endswith("error: there is no server\n")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["--scaling", "40,80"], ["40 units", "80 units"]),
        (["--info", "full", "--info", "compact"], ["full", "compact"]),
        (["--map-input", "text", "--map-input", "grid"], ["map in words", "picture with a grid"]),
        (["--alone"], ["with the player", "HIVE alone"]),
    ],
)
def test_conditions_of_the_papers_figures(
    hive: Hive, serve: Any, prompts: Path, tmp_path: Path, words: list[str], labels: list[str]
) -> None:
    """docs/rules/scenarios.md 2.5: Fig. 9, Fig. 13 and Fig. 10."""
    (prompts / "hive_alone.txt").write_text("win\n")
    opened = serve(lambda topic: QUESTION)
    small = SMALL[2:] if "--scaling" in words else SMALL
    keep = ("--out", "kept") if {"--scaling", "--alone"} & {*words} else ()  # four pictures that others have as well
    ran = hive("abilities", "--model", "m", *small, *words, *keep, "--json")
    assert ran.code == 0, ran.err
    found = ran.json["conditions"]
    assert [condition["condition"] for condition in found] == labels
    assert (tmp_path / "kept" / "scaling.png").exists() == ("--scaling" in words)
    systems = [messages[0].text for messages, _ in opened[0].asked]
    if "--scaling" in words:
        assert [condition["units"]["player"] for condition in found] == [20, 40]
        assert found[0]["characters"]["full"] < found[1]["characters"]["full"]
    elif "--map-input" in words:
        assert [len(condition["images"]) for condition in found] == [0, 1]
        assert "Forest: forest at" in systems[0] and "Forest: forest at" not in systems[-1]
    elif "--alone" in words:
        assert [condition["prompts"] for condition in found] == [3, 1]
        assert {path.name for path in (tmp_path / "kept" / "prompts").iterdir()} == {"coordinate.txt", "alone.txt"}
    else:
        assert [condition["information"] for condition in found] == labels


def test_the_server_of_a_model_is_not_that_of_the_plain_commander_beside_it() -> None:
    settings = Abilities(commander="words", model=("m",), base_url="http://127.0.0.1:1/v1")
    assert settings.script(PlainCommander()).name == PlainCommander.name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ability", "dance"], "there is no ability `dance`\n  = help: abilities are `coordinate`, "),
        (["--prompts", "nowhere"], "there is no folder nowhere"),
        (["--scaling", "40,x"], "argument --scaling"),
        (["--scaling", "--units", "20"], "--units and --scaling both set the size of the armies"),
        (["--alone", "--beside", "published"], "--beside compares the study of the five abilities"),
        (["--scaling", "--alone"], "not allowed with argument"),
        (["--base-url", "http://127.0.0.1:1/v1"], "--base-url needs the name of a model"),
        (["--replay", "none.jsonl"], "there is no recording none.jsonl"),
        (["--model", "m@http://h:1/v1", "--model", "m@http://h:2/v1"], "--model names `m` at two addresses"),
        (["--model", "m", "--plans", "."], "a model or a folder of plans answers, not both"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_asked(hive: Hive, serve: Any, words: list[str], message: str) -> None:
    opened = serve(lambda topic: QUESTION)
    ran = hive("abilities", "--ask", *words)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
    assert not any(clerk.asked for clerk in opened)
