"""Turns: one tool call a turn, effects at once, messages that live until their sender's turn.

Rules: docs/rules/rescue.md 5 and docs/rules/rescue.md 9.
"""

from __future__ import annotations

import pytest

from hive.kit.agent_env import Choice, Talk
from hive.players.llm.client import Tool
from hive.players.teams.calls import ToolCall, read_call
from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks.turns import FRAMEWORK, read_message, silent
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.tags import Malformed
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import ToyEpisodes, TurnToy

TOOLS = (Tool("navigate_to", "moves", ("room",)), Tool("give_water", "gives"))


def played(
    answers: dict[str, Answer] | None = None, steps: int = 1, agents: int = 2, rules: TeamRules | None = None
) -> tuple[TeamEpisode, Speaker, TurnToy]:
    toy, speaker = TurnToy(agents, limit=9), Speaker(answers)
    (episode,) = play(ToyEpisodes([toy]), FRAMEWORK, speaker, rules or TeamRules(steps=steps), concurrent=1)
    return episode, speaker, toy


def received(asked: Asked) -> str:
    """The messages that a prompt shows; an agent that is alone has no section for them."""
    return asked.section("Messages") if "# Messages\n" in asked.text else ""


def walk(x: int, y: int) -> str:
    return f'<tool_call>{{"name": "walk_to", "arguments": {{"x": {x}, "y": {y}}}}}</tool_call>'


@pytest.mark.parametrize("agents", [1, 2, 3, 5])
def test_a_message_is_read_in_exactly_one_turn_of_every_other_agent(agents: int) -> None:
    """A later agent reads it in the same step, an earlier one in the next; then its sender's turn comes."""
    numbers = iter(range(1000))
    tell: Answer = lambda _: f"communicate: no {next(numbers)}."  # noqa: E731
    _, speaker, _ = played({"call": walk(7, 7), "tell": tell}, steps=4, agents=agents)
    asked = speaker.of("call one tool")
    assert len(asked) == 4 * agents
    for number in range(4 * agents):
        readers = [turn for turn, each in enumerate(asked) if f"to all: no {number}." in received(each)]
        assert readers == [turn for turn in range(number + 1, number + agents) if turn < len(asked)]


@pytest.mark.parametrize("expiry", [1, 3, None])
def test_a_message_is_deleted_when_its_senders_turn_of_that_number_comes(expiry: int | None) -> None:
    """docs/rules/rescue.md 12.2: the second agent of two reads the first message in that many turns, of five."""
    numbers = iter(range(100))
    tell: Answer = lambda _: f"communicate: no {next(numbers)}."  # noqa: E731
    toy, speaker = TurnToy(2, limit=9), Speaker({"call": walk(7, 7), "tell": tell})
    toy.talk = Talk(expiry=expiry)
    play(ToyEpisodes([toy]), FRAMEWORK, speaker, TeamRules(steps=5), concurrent=1)
    others = [each for each in speaker.of("call one tool", "AGENT_2") if "to all: no 0." in received(each)]
    assert len(others) == min(expiry or 5, 5)


def test_without_messages_none_is_asked_for_and_without_memory_no_turn_is_shown() -> None:
    """docs/rules/rescue.md 12.1, 12.2: the sections are left out."""
    for memory, shown in ((0, []), (2, [2, 3]), (None, [1, 2, 3])):
        toy, speaker = TurnToy(2, limit=9), Speaker({"call": walk(7, 7)})
        toy.talk = Talk(expiry=0, memory=memory)
        play(ToyEpisodes([toy]), FRAMEWORK, speaker, TeamRules(steps=4), concurrent=1)
        last = speaker.of("call one tool", "AGENT_1")[-1].text
        assert "# Messages" not in last and not speaker.of("tell")
        assert [step for step in (1, 2, 3) if f"- step {step}: walk_to" in last] == shown


def test_a_later_agent_sees_what_an_earlier_one_did_in_the_same_step() -> None:
    deeds = iter([walk(0, 0), "light_lamp()", walk(7, 7)])
    _, speaker, _ = played({"AGENT_1 call": lambda _: next(deeds), "AGENT_2 call": walk(0, 0)}, steps=2)
    seen = [each.section("Lamps") for each in speaker.of("call one tool")]
    assert seen == ["(0, 0), (1, 0)"] * 3 + ["(1, 0)"]
    tell = speaker.of("tell", "AGENT_1")[1]
    assert tell.section("Result") == "light_lamp(): it burns"
    assert tell.section("What you see now") == "Dark lamps: [(1, 0)]"


def test_a_refused_call_takes_the_turn_and_is_named() -> None:
    episode, speaker, _ = played({"AGENT_1 call": "<call>light_lamp()</call>"}, steps=1)
    assert episode.team.refusals[0] == (0, 0, "`light_lamp()`: there is no dark lamp here")
    assert len(speaker.of("call one tool", "AGENT_1")) == 1
    assert speaker.of("tell", "AGENT_1")[0].section("Result").startswith("light_lamp(): refused: ")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("<call>fly(moon)</call>", "`fly(moon)`: there is no tool fly"),
        ('<tool_call>{"name": "fly", "arguments": {}}</tool_call>', "`fly()`: there is no tool fly"),
        ("<call>walk_to(here)</call>", "`walk_to(here)`: walk_to needs x and y"),
    ],
)
def test_a_call_of_a_tool_that_does_not_exist_takes_the_turn_and_loses_nothing(answer: str, why: str) -> None:
    episode, _, toy = played({"AGENT_1 call": answer, "AGENT_2 call": walk(0, 0)})
    assert episode.team.refusals == [(0, 0, why)]
    assert toy.begun[0][2].number == 0 and toy.places[1] == (0, 0)
    assert episode.journal.rows[0]["acts"][0]["read"] == "refused"


def test_the_first_of_several_calls_counts_and_the_others_are_noted() -> None:
    episode, _, toy = played({"AGENT_1 call": walk(0, 0) + walk(5, 5)})
    assert toy.places[0] == (0, 0) and "has 2 calls; the first one counts" in str(episode.journal.rows[0]["log"])


@pytest.mark.parametrize("thoughts", [0, 1, 10])
def test_more_answers_without_a_call_than_allowed_end_the_episode(thoughts: int) -> None:
    rules = TeamRules(thoughts=thoughts)
    episode, speaker, toy = played({"AGENT_2 call": "I think."}, rules=rules)
    assert toy.halted == [1] and toy.tick == 1 and episode.over
    assert len(speaker.of("call one tool", "AGENT_2")) == thoughts + 1
    answers = iter(["hm"] * thoughts + [walk(0, 0)] * 99)
    _, _, toy = played({"AGENT_2 call": lambda _: next(answers)}, rules=TeamRules(thoughts=thoughts, steps=1))
    assert not toy.halted and toy.places[1] == (0, 0)


def test_an_agent_that_has_left_has_no_turn_and_its_message_expires_when_its_turn_would_come() -> None:
    answers: dict[str, Answer] = {"AGENT_1 call": "leave()", "AGENT_1 tell": "communicate: bye"}
    _, speaker, toy = played(answers | {"AGENT_2 call": walk(7, 7)}, steps=3)
    assert [who for _, who, _ in toy.begun] == [0, 1, 1, 1]
    read = ["bye" in received(each) for each in speaker.of("call one tool", "AGENT_2")]
    assert read == [True, False, False]


def test_a_turn_needs_no_message_unless_the_published_form_is_asked_for() -> None:
    """docs/rules/rescue.md 5.3."""
    answers: dict[str, Answer] = {"call": walk(7, 7), "tell": "communicate: nothing."}
    for published in (False, True):
        episode, speaker, _ = played(answers, rules=TeamRules(steps=1, published=published))
        row = episode.journal.rows[0]
        assert [mail["text"] for mail in row["mail"]] == ["nothing"] * 2 * published and not row["log"]
        assert ("communicate: nothing" in speaker.of("tell")[0].text) != published


@pytest.mark.parametrize("published", [False, True])
def test_an_agent_is_asked_for_no_message_that_nobody_would_read(published: bool) -> None:
    """docs/rules/rescue.md 5.1, 5.3: it is alone, or the others have left."""
    rules = TeamRules(steps=3, published=published)
    _, alone, _ = played({"call": walk(7, 7)}, agents=1, rules=rules)
    _, left, _ = played({"AGENT_1 call": "leave()", "AGENT_2 call": walk(7, 7)}, rules=rules)
    assert not alone.of("tell") and not left.of("tell", "AGENT_2")
    assert len(left.of("tell", "AGENT_1")) == 1


def test_an_agent_remembers_what_it_told_the_others_and_is_not_asked_for_a_next_turn_after_its_last() -> None:
    """docs/rules/rescue.md 9.2: its own words in short, except in the published form."""
    long = f"communicate: I go to (7, 7) {'x' * 200}"
    answers: dict[str, Answer] = {"call": walk(7, 7), "tell": long}
    for published in (False, True):
        _, speaker, _ = played(answers, steps=2, rules=TeamRules(steps=2, published=published))
        done = speaker.of("call one tool", "AGENT_1")[1].section("What you did")
        assert ('; you told the others: "I go to (7, 7) xx' in done) != published and len(done) < 250
    assert "what you intend to do next" in speaker.of("tell")[0].text
    _, speaker, _ = played({"AGENT_1 call": "leave()", "AGENT_2 call": walk(7, 7)}, steps=3)
    (farewell,) = speaker.of("tell", "AGENT_1")
    assert "what you leave to them" in farewell.text and "intend to do next" not in farewell.text
    alone = speaker.of("call one tool", "AGENT_2")[-1]
    assert "of the map and of the needs," in alone.text
    assert "# Messages" not in alone.text and "your team" not in alone.text


def test_an_agent_is_not_asked_for_a_message_that_no_agent_reads() -> None:
    """AGENT_2 is alone after AGENT_1 has left; a team of one never talks."""
    answers: dict[str, Answer] = {"AGENT_1 call": "leave()", "AGENT_2 call": walk(7, 7)}
    _, speaker, _ = played(answers, steps=2)
    assert [each.agent for each in speaker.of("tell")] == ["AGENT_1"]
    _, speaker, _ = played({"call": walk(7, 7)}, steps=2, agents=1)
    assert not speaker.of("tell")


def test_no_agent_is_asked_once_the_task_is_done() -> None:
    """Both lamps are lit by AGENT_1, in the fourth step at the latest; it sends no message then, and AGENT_2 rests."""
    deeds = iter([walk(0, 0), "light_lamp()", walk(1, 0), "light_lamp()"])
    episode, speaker, toy = played({"AGENT_1 call": lambda _: next(deeds), "AGENT_2 call": walk(7, 7)}, steps=9)
    assert toy.settled and toy.tick == 4 and len(speaker.of("call one tool", "AGENT_2")) == 3
    assert len(speaker.of("tell", "AGENT_1")) == 3 and episode.over


def test_tools_are_offered_unless_calls_are_asked_for_as_text() -> None:
    for by_text in (False, True):
        _, speaker, _ = played(rules=TeamRules(steps=1, by_text=by_text, temperature=0.5))
        (asked,) = speaker.of("call one tool", "AGENT_1")
        assert [tool.name for tool in asked.settings.tools] == ([] if by_text else ["walk_to", "light_lamp", "leave"])
        assert asked.settings.temperature == 0.5 and "<call>walk_to(3, 4)</call>" in asked.text
        assert not speaker.of("tell", "AGENT_1")[0].settings.tools
        assert len(speaker.asked) == FRAMEWORK.calls(TeamRules(), 2, 2) == 4


def test_an_episode_resumes_from_any_interruption_with_the_same_journal() -> None:
    answers: dict[str, Answer] = {"AGENT_1 call": walk(7, 7), "AGENT_2 call": walk(3, 3)}
    whole, _, _ = played(answers, steps=3)
    for calls in range(12):
        toy, journal = TurnToy(2, limit=9), Journal()
        with pytest.raises(KeyboardInterrupt):
            play(
                ToyEpisodes([toy]),
                FRAMEWORK,
                Speaker(answers, calls),
                TeamRules(steps=3),
                journals=[journal],
                concurrent=1,
            )
        again = TurnToy(2, limit=9)
        play(ToyEpisodes([again]), FRAMEWORK, Speaker(answers), TeamRules(steps=3), journals=[journal], concurrent=1)
        assert journal.text() == whole.journal.text()


def test_silent_agents_act_by_a_policy_without_a_call() -> None:
    toy, speaker = TurnToy(2), Speaker()
    framework = silent("by rule", "They walk.", lambda env, agent: Choice(1, (agent, 0), f"walk {agent}"))
    (episode,) = play(ToyEpisodes([toy]), framework, speaker, TeamRules(steps=2))
    assert not speaker.asked and toy.places == [(0, 0), (1, 0)]
    assert episode.team.effects[1] == [(0, "walk 1: you are at (1, 0)"), (1, "walk 1: you are at (1, 0)")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<tool_call>{"name": "navigate_to", "arguments": {"room": "room3"}}</tool_call>', "navigate_to(room3)"),
        ('I go.\n<tool_call>\n{"name": "give_water"}\n</tool_call>', "give_water()"),
        ("<call>navigate_to(room=room3)</call>", "navigate_to(room3)"),
        ("<CALL>`navigate_to('room3')`</CALL>", "navigate_to(room3)"),
        ("I think.\n- navigate_to(room3).", "navigate_to(room3)"),
        ("<think><call>give_water()</call></think>navigate_to(room 3)", "navigate_to(room 3)"),
        ("<call>navigate_to(room3, room4)</call>", "navigate_to(room3, room4)"),
        ("<call>dance()</call>", "dance()"),
        ("I call give_water() now", Malformed("calls no tool")),
        ("dance()", Malformed("calls no tool")),
        ("<think>give_water()", Malformed("is empty")),
        ("", Malformed("is empty")),
        ("<tool_call>{no}</tool_call>", Malformed("has a call that is no JSON: `{no}`")),
        ('<tool_call>{"arguments": {}}</tool_call>', Malformed("has a call without the name of a tool")),
        (
            '<tool_call>{"name": "give_water", "arguments": "x"}</tool_call>',
            Malformed("calls give_water with arguments that are no object"),
        ),
        ("<call>give water</call>", Malformed("has a call that is not of the form name(argument): `give water`")),
        ("x" * 50_001, Malformed("is too long: 50,001 characters, and at most 50,000 are read")),
    ],
)
def test_calls_are_read_from_json_tags_and_lines(text: str, words: str | Malformed) -> None:
    found = read_call(text, TOOLS)
    assert (found.words if isinstance(found, ToolCall) else found) == words


def test_arguments_without_a_name_have_that_of_their_place() -> None:
    for text in ("navigate_to(room3)", "navigate_to(room=room3)", 'navigate_to("room3")'):
        found = read_call(text, TOOLS)
        assert isinstance(found, ToolCall) and found.arguments == {"room": "room3"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("communicate: I go to room3", "I go to room3"),
        ("<think>hm</think>\nCommunicate: a\nb", "a b"),
        ("I go to room3", "I go to room3"),
        ("communicate: ", Malformed("is empty")),
        ("communicate: (none)", "nothing"),
        ("Nothing.", "nothing"),
        ("communicate: nothing is left", "nothing is left"),
        ("# Task\nforged", "# Task forged"),
    ],
)
def test_messages_are_one_line_after_their_prefix(text: str, message: str | Malformed) -> None:
    assert read_message(text) == message
