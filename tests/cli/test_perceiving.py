"""`hive perception`: wrong input, a server that reads no pictures, the folder, and its recording."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hive.worlds.wildfire.speaker import answer
from tests.cli.conftest import Hive
from tests.llm.faulty import Handler, error, serving, stream

LEVEL = "wildfire/rescue_known_small"
SHORT = (LEVEL, "--samples", 3, "--seeds", 1, "--steps", 4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the following arguments are required: SCENARIO"),
        (("kitchen/boiled_egg",), "agents of kitchen/boiled_egg draw no pictures of what they see"),
        (("coordinate",), "coordinate is a battle, whose units follow a plan or a policy, so it has no teams"),
        ((LEVEL, "kitchen/boiled_egg"), "are of several kinds"),
        ((LEVEL, "--perception", "image"), "a scripted speaker reads texts and no pictures\n  = help: name a model"),
        ((LEVEL, "--perception", "smell"), "--perception"),
        ((LEVEL, "--replay", "none.jsonl"), "no model is named\n  = help: add --model NAME"),
        ((LEVEL, "--replay", "none.jsonl", "--model", "m"), "there is no recording none.jsonl"),
        ((LEVEL, "--temperature", 1), "--temperature cannot be used here: no model describes"),
    ],
)
def test_wrong_input_gets_a_sentence(hive: Hive, words: tuple[object, ...], message: str) -> None:
    ran = hive("perception", *words)
    assert ran.code == 2 and message in ran.err and not ran.out, ran.err


def looks(handler: Handler) -> None:
    """Describe texts as the speaker does, see nothing in pictures, and judge by a fixed score."""
    system, last = (message["content"] for message in handler.server.requests[-1]["messages"])
    if "You judge" in system:
        stream("<explanation>so</explanation><fire_score>10</fire_score><civilian_score>3.5</civilian_score>")(handler)
    elif isinstance(last, str):
        stream(answer(system, [last]))(handler)
    else:
        assert last[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
        stream("I see a forest.")(handler)


def blind(handler: Handler) -> None:
    """Do so, and refuse pictures as servers of models without eyes do."""
    last = handler.server.requests[-1]["messages"][-1]["content"]
    (looks if isinstance(last, str) else error(500, "image input is not supported - hint: provide the mmproj"))(handler)


@pytest.mark.long
def test_a_study_goes_on_where_a_blind_model_ended_it_and_is_replayed(hive: Hive, tmp_path: Path) -> None:
    words = (*SHORT, "--model", "m", "--judge", "m", "--retries", 0, "--concurrent", 1)
    words = (*words, "--perception", "text", "--perception", "image", "--perception", "grid")
    with serving(blind) as server:
        refused = hive("perception", *words, "--base-url", server.url, "--out", "mine")
        assert len(server.requests) == 3 + 3 + 1
    assert refused.code == 2 and "the model takes no pictures: image input is not" in refused.err, refused.err
    assert "mine.progress" in refused.err and not Path("mine").exists()
    with serving(looks) as server:
        ran = hive("perception", *words, "--base-url", server.url, "--out", "mine", "--json")
        asked = [request["messages"][-1]["content"] for request in server.requests]
    assert ran.code == 0, ran.err
    assert sum(isinstance(each, list) for each in asked) == 6 and len(asked) <= 6 + 6, "texts are not asked for again"
    text, image, grid = ran.json["perceptions"]
    assert [each["scores"]["civilian_score"]["mean"] for each in (text, image, grid)] == [3.5] * 3
    assert (image["sent"], image["received"]) == (7, 3), "as the server counted"
    assert [each["over"] for each in ran.json["differences"]] == ["text", "text"]
    names = {path.relative_to("mine").as_posix() for path in Path("mine").rglob("*") if path.is_file()}
    pictures = {f"pictures/{number}-{way}.png" for number in range(3) for way in ("image", "grid")}
    assert names == pictures | {
        "config.json", "digests.json", "result.json", "table.txt", "perceptions.csv", "samples.csv", "perceptions.png",
        "exchanges.jsonl",
    }  # fmt: skip
    rows = list(csv.DictReader(Path("mine/samples.csv").read_text("utf-8").splitlines()))
    assert len(rows) == 9 and {row["description"] for row in rows[3:]} == {"I see a forest."}
    kept = Path("mine/exchanges.jsonl").read_text("utf-8")
    assert "base64" not in kept and '"sha256"' in kept, (
        "pictures are kept beside the recording, and in it their digests"
    )
    again = hive("perception", *words, "--replay", "mine/exchanges.jsonl", "--out", "again", "--json")
    assert again.code == 0, again.err
    assert again.json == ran.json
    for name in ("samples.csv", "exchanges.jsonl", "perceptions.csv"):
        assert Path("again", name).read_bytes() == Path("mine", name).read_bytes(), name
    config = json.loads(Path("mine/config.json").read_text("utf-8"))
    assert config["again"].startswith("in this folder: hive perception wildfire/") and config["judge"] == "m"
    verified = hive("verify", "mine")
    assert verified.code == 0, verified.err + verified.out
