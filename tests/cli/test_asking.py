"""The options of commands that ask a model; a key reaches its server and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dsl import UserError
from hive.cli.entry import COMMANDS
from hive.cli.help_text import arguments_of
from hive.cli.reading import without_keys
from hive.players.llm.client import Settings
from hive.players.llm.opening import ModelChoice
from tests.cli.conftest import SMALL, Hive
from tests.cli.reading import understood
from tests.conftest import ROOT
from tests.llm.faulty import error, serving, stream
from tests.llm.talks import HOLD, PROMPT

KEY = "sk-very-secret-0123456789"


def read(*words: str) -> Any:
    return understood(["ask", "coordinate", "advance", *words])


def test_without_options_no_model_is_chosen() -> None:
    assert (read().choice(), read().drawn()) == (ModelChoice(), Settings())


def test_options_reach_the_choice_and_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        "--model m --base-url u --plans p --replay r --record w --timeout 9 --retries 0 --concurrent 7 --grammar vllm"
    )
    found = read(*words.split(), "--api-key", KEY).choice()
    paths = {"plans": Path("p"), "replay": Path("r"), "record": Path("w")}
    assert found.key is not None and found.key.reveal() == KEY and KEY not in repr(found)
    assert found == ModelChoice(
        model="m", base_url="u", key=found.key, grammar="vllm", timeout=9, retries=0, concurrent=7, **paths
    )
    assert read("--temperature", "0.5", "--max-tokens", "9").drawn() == Settings(temperature=0.5, max_tokens=9)
    assert read("--top-p", "0.9").drawn() == Settings(top_p=0.9)
    monkeypatch.setenv("MY_KEY", KEY)
    key = read("--api-key-env", "MY_KEY").choice().key
    assert key is not None and key.reveal() == KEY


def test_a_model_may_have_an_address_and_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL", KEY)
    monkeypatch.setenv("OWN", KEY[::-1])
    keys = ("--api-key-env", "ALL", "--api-key-env", "org/m@1=OWN")
    own = read("--model", "org/m@1@http://h:1/v1", "--base-url", "u", *keys).choice()
    assert (own.model, own.base_url, own.key and own.key.reveal()) == ("org/m@1", "http://h:1/v1", KEY[::-1])
    other = read("--model", "org/m@1", "--base-url", "u", "--api-key-env", "ALL").choice()
    assert (other.model, other.base_url, other.key and other.key.reveal()) == ("org/m@1", "u", KEY)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "m", "--api-key-env", "n=ALL"), "no model `n` is asked"),
        (("--temperature", "hot"), "`hot` is no temperature"),
        (("--temperature", "nan"), "`nan` is no temperature"),
        (("--temperature", "2.5"), "from 0 to 2"),
        (("--top-p", "0"), "above 0 and up to 1"),
        (("--top-p", "nan"), "`nan` is no probability"),
        (("--max-tokens", "0"), "from 1 to"),
        (("--grammar", "json"), "invalid choice"),
        (("--api-key", "a", "--api-key-env", "B"), "not allowed with"),
        (("--api-key-env", "NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
    ],
)
def test_wrong_options_get_a_message(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(*words).choice()


ASKING = (
    "abilities",
    "ask",
    "chat",
    "kitchen study",
    "perception",
    "run",
    "serve",
)


def test_every_command_that_asks_a_model_takes_a_temperature_and_top_p_and_says_which_is_sent(hive: Hive) -> None:
    """A default that help shows is the one that is sent: the rules of kitchen and households set 0.7."""
    sent = {
        "kitchen study": "0.7",
        "run": "0.7 in kitchens and households, 0 there with proagent",
        "ask": "0, or 0.8 with --samples",
    }
    for command in ASKING:
        text = " ".join(hive(*command.split(), "--help").out.split())
        assert "--top-p P" in text, command
        assert f"more for variety; default: {sent.get(command, '0')}" in text, command


def test_the_page_of_endpoints_names_options_that_exist() -> None:
    page = (ROOT / "docs" / "commander" / "endpoints.md").read_text(encoding="utf-8")
    known = {each.name for each in arguments_of(COMMANDS["ask"])} | {"--help"}
    named = set(re.findall(r"(?<!-)--[a-z][a-z-]+", page))
    assert len(named) > 8 and named - known == {"--port"}, "an option of llama-server"


def test_the_words_that_are_written_down_hold_no_key() -> None:
    words = ["ask", "x", "--api-key", KEY, f"--api-key={KEY}", "--api-key-env", "NAME", "--api-key"]
    hidden = ["--api-key", "[hidden]", "--api-key=[hidden]", "--api-key-env", "NAME", "--api-key"]
    assert without_keys(words) == ["ask", "x", *hidden]


@pytest.mark.slow
def test_a_key_is_sent_and_is_in_no_output_and_no_file(hive: Hive, tmp_path: Path) -> None:
    """A server that repeats the key in an error, in a reply and as its model's name, and the folder of the run."""
    leaky = stream(f"The key is {KEY}.\n{HOLD}")
    with serving(error(429, f"slow down, {KEY}", retry_after="0"), leaky, error(401, f"no: {KEY}")) as server:
        words = ("ask", *SMALL, PROMPT, "--model", "m", "--base-url", server.url, "--record", "talk.jsonl")
        played = hive(*words, "--api-key", KEY, "--out", "out")
        refused = hive(*words, f"--api-key={KEY}", "--out", "other")
    assert played.code == 0, played.err
    assert refused.code == 2 and "refused this key: no: [hidden]" in refused.err
    assert server.keys == [f"Bearer {KEY}"] * 3
    assert "asking again" in played.err

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"config.json", "dialogue.md", "exchanges.jsonl", "usage.json", "talk.jsonl"} <= {
        each.name for each in files
    }
    shown = [played.out, played.err, refused.out, refused.err, *(path.read_bytes().decode("latin-1") for path in files)]
    assert [text for text in shown if KEY in text] == []
    assert "--api-key '[hidden]'" in (tmp_path / "out" / "config.json").read_text()
