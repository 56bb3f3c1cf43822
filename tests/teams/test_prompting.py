"""Prompts as files: the shipped ones have the agreed form, and a user's own file is checked when it is read."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from dsl import UserError
from hive.players.teams.frameworks import FRAMEWORKS, PROPOSING, cook, turns
from hive.players.teams.playing import play
from hive.players.teams.prompting import Prompts, versions
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Answer, Speaker
from tests.teams.toy import PlanToy, ProposalToy, Toy, ToyEpisodes, TurnToy

ROOT = Path(__file__).resolve().parents[2]

CHOOSING: dict[str, Answer] = {
    "choose": "<thoughts>t</thoughts>",
    "think": "<thoughts>t</thoughts>",
    "name": "<action>A</action>",
    "AGENT_1 draft": "<message>hi</message>",
    "draft": "<message></message>",
    "improve": "<knowledge>k</knowledge>",
    "guess": "<costs>A: 1</costs>",
    "analyse, infer and plan": "<plan>dance</plan>",
    "plan again": "<plan>go to <lamp> (1)</plan>",
    "explain": "<reason>r</reason>",
    "talk": "<say>s</say><decision>PROCEED</decision>",
}


def every_prompt() -> Speaker:
    """Play a step of each framework, so that every prompt is asked."""
    speaker = Speaker({"AGENT_2 feedback": "<feedback>no</feedback>"})
    for framework in FRAMEWORKS.values():
        play(ToyEpisodes([Toy(2)]), framework, speaker, TeamRules(steps=1))
    said = "<analysis>a</analysis><plan>light lamp</plan>"
    speaker.answers |= {
        "AGENT_1 plan": f"{said}<say>hello</say>",
        "add what is missing": "<say>[END]</say>",
        "AGENT_2 answer": said,
    }
    play(ToyEpisodes([PlanToy(2)]), cook.FRAMEWORK, speaker, TeamRules(steps=1))
    speaker.answers |= {"AGENT_1 call": "let me think"}
    play(ToyEpisodes([TurnToy(2)]), turns.FRAMEWORK, speaker, TeamRules(steps=1, thoughts=1))
    del speaker.answers["AGENT_1 call"]
    play(ToyEpisodes([TurnToy(2)]), turns.FRAMEWORK, speaker, TeamRules(steps=1, thoughts=1))
    for name in ("liet", "liet_guessed", "coela", "proagent", "roco"):
        choosing = Speaker(CHOOSING)
        for published in (False, True):
            rules = TeamRules(steps=3, direct_perception=True, published=published)
            play(ToyEpisodes([ProposalToy(2)]), PROPOSING[name], choosing, rules)
        speaker.asked += choosing.asked
    return speaker


def test_every_prompt_ends_with_its_decision_and_the_tags_to_answer_with() -> None:
    decisions = set()
    for asked in every_prompt().asked:
        if asked.decision == "perceive":
            continue
        titles = re.findall(r"^# (.+)$", asked.text, re.M)
        assert titles[-1] == "Answer"
        answer = asked.section("Answer").splitlines()
        assert answer[0] == f"Decide: {asked.decision}"
        assert re.search(r"^(<\w+>.+</\w+>|communicate: .+)$", "\n".join(answer), re.M)
        decisions.add(re.sub(r"AGENT_\d", "AGENT_3", asked.decision))
    page = (ROOT / "docs/teams.md").read_text(encoding="utf-8")
    assert decisions == set(re.findall(r"`Decide: (.+?)`", page))


def test_the_page_lists_the_sections_of_every_prompt() -> None:
    page = (ROOT / "docs/teams.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `Decide: .+?` \| (.+) \|$", page, re.M))
    assert set(rows) == set(versions())
    for name, row in rows.items():
        path = resources.files("hive.players.teams").joinpath("prompts", str(versions()[name]), f"{name}.md")
        text = path.read_text("utf-8")
        sections = [title for title in row.split("; ")[0].split(", ") if title != "none"]
        assert re.findall(r"^# (.+)$", text, re.M) == [*sections, "Answer"]


def test_a_section_with_nothing_under_its_title_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "coela_message.md").write_text(
        "## System\nYou are {name}.\n\n# Team\n{team}\n\n# Answer\nDecide: talk\n", "utf-8"
    )
    prompts = Prompts(tmp_path)
    said = [prompts.write("coela_message", {"name": "A", "team": team})[1].text for team in ("", "all")]
    assert said == ["# Answer\nDecide: talk", "# Team\nall\n\n# Answer\nDecide: talk"]


def test_the_newest_file_of_a_prompt_counts_and_older_ones_stay() -> None:
    """An older file keeps the words that led to earlier results, so each version but the last is still there."""
    shipped = versions()
    root = resources.files("hive.players.teams").joinpath("prompts")
    for name, version in shipped.items():
        held = [folder.name for folder in root.iterdir() if folder.joinpath(f"{name}.md").is_file()]
        assert version == max(map(int, held)), name
    assert Prompts().source == f"shipped, version {max(shipped.values())}"


def test_a_users_file_replaces_the_prompt_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "coela_message.md").write_text(
        "## System\nYou are {name}.\n\n# Answer\nDecide: write a message {{}}\n", "utf-8"
    )
    speaker = Speaker({"write": "<message>hi</message>"})
    play(ToyEpisodes([Toy(1)]), FRAMEWORKS["coela"], speaker, TeamRules(steps=1), prompts=Prompts(tmp_path))
    assert speaker.of("write")[0].text == "# Answer\nDecide: write a message {}"
    assert speaker.of("choose")[0].section("Task").startswith("Light the lamps.")


GOOD = "## System\nYou are {name}.\n\n# Answer\nDecide: act\n"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("embodied_act", GOOD + "{nmae}", r"`Answer`: unknown slot `\{nmae\}`\n  = help: did you mean `\{name\}`"),
        ("embodied_act", GOOD + "{zzzz}", r"unknown slot `\{zzzz\}`\n  = help: slots of this prompt are `a_kind`, .*"),
        ("embodied_act", GOOD + "{proposal}", "unknown slot"),
        ("embodied_act", GOOD + "{}", "unknown slot"),
        ("embodied_act", GOOD + "{name.__class__}", "unknown slot"),
        ("embodied_act", GOOD + "{name[0]}", "unknown slot"),
        ("embodied_act", GOOD + "{name!r}", "has a format"),
        ("embodied_act", GOOD + "{name:>9}", "has a format"),
        ("embodied_act", GOOD + "{", r"`Answer`: .*\n  = help: write \{\{ and \}\}"),
        ("embodied_act", "# Answer\nDecide: act\n", "this prompt needs `## System` and `# Answer`"),
        ("embodied_act", "## System\nYou are {name}.\n", "this prompt needs `## System` and `# Answer`"),
        ("hmas2_replan", GOOD, "this prompt needs `# Answer`, and no `## System`"),
        ("embodied_act", "act!", "does not begin with a title"),
        ("embodied_act", GOOD + GOOD, "a title stands in it twice"),
        ("embodied_akt", GOOD, "there is no prompt of this name\n  = help: did you mean `embodied_act`?"),
    ],
)
def test_a_users_file_that_does_not_fit_is_refused(name: str, text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=why) as error:
        Prompts(tmp_path)
    assert str(path) in str(error.value)


def test_a_folder_without_prompts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no prompts"):
        Prompts(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        Prompts(tmp_path / "missing")
    (tmp_path / "translate.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="is not UTF-8 text"):
        Prompts(tmp_path)
