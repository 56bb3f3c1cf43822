"""LIET, its ablations and CoELA on proposals: docs/rules/household.md 10."""

from __future__ import annotations

import pytest

from hive.players.teams.episode import TeamEpisode
from hive.players.teams.frameworks import PROPOSING
from hive.players.teams.frameworks.proposing import letter, pick
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import ProposalToy, ToyEpisodes

CHOOSE, THINK, PICK, DRAFT, LIST = (
    "choose a proposal",
    "think about the proposals",
    "name the best proposal",
    "draft a message",
    "improve the knowledge",
)
ANSWERS: dict[str, Answer] = {
    CHOOSE: "<thoughts>t</thoughts><action>A</action>",
    THINK: "<thoughts>t</thoughts>",
    PICK: "<action>A</action>",
    "draft": "<message></message>",
    LIST: "<knowledge>be brief</knowledge>",
    "guess the steps": "<costs>A: 7, B: 8</costs>",
}


def played(
    framework: str,
    answers: dict[str, Answer] | None = None,
    toy: ProposalToy | None = None,
    steps: int = 1,
    journal: Journal | None = None,
    published: bool = False,
) -> tuple[TeamEpisode, Speaker, ProposalToy]:
    toy, speaker = toy or ProposalToy(2), Speaker({**ANSWERS, **(answers or {})})
    rules = TeamRules(steps=steps, direct_perception=True, published=published)
    journals = [journal or Journal()]
    (episode,) = play(ToyEpisodes([toy]), PROPOSING[framework], speaker, rules, journals=journals, concurrent=1)
    return episode, speaker, toy


def began(toy: ProposalToy, agent: int) -> list[str]:
    return [choice.words for _, who, choice in toy.begun if who == agent]


@pytest.mark.parametrize(
    ("framework", "lines"),
    [
        ("liet", ["A. go to <lamp> (0) with 1 step", "B. go to <lamp> (1) with 1 step"]),
        ("liet_blind", ["A. go to <lamp> (0)", "B. go to <lamp> (1)"]),
        ("liet_guessed", ["A. go to <lamp> (0) with 7 steps", "B. go to <lamp> (1) with 8 steps"]),
        ("coela", ["A. go to <lamp> (0)", "B. go to <lamp> (1)"]),
    ],
)
def test_proposals_are_lettered_and_have_costs_where_the_framework_shows_them(framework: str, lines: list[str]) -> None:
    _, speaker, toy = played(framework)
    assert speaker.of(CHOOSE, "AGENT_1")[0].section("Proposals").splitlines() == lines
    assert began(toy, 0) == ["go to <lamp> (0)"]


def test_one_call_chooses_and_a_second_one_follows_only_an_answer_without_a_choice() -> None:
    """docs/rules/household.md 10.8."""
    _, speaker, toy = played("liet", {CHOOSE: "<thoughts>t</thoughts><action>B</action>"})
    assert began(toy, 0) == ["go to <lamp> (1)"] and not speaker.of(PICK) and not speaker.of(THINK)
    unclear: Answer = "<thoughts>t</thoughts>"
    _, speaker, toy = played("liet", {CHOOSE: unclear, f"AGENT_2 {CHOOSE}": "<action>A</action>", PICK: "B."})
    assert began(toy, 0) == ["go to <lamp> (1)"] and began(toy, 1) == ["go to <lamp> (0)"]
    assert [(asked.agent, asked.turns) for asked in speaker.of(PICK)] == [("AGENT_1", 4)]


def test_a_choice_without_another_proposal_is_no_call() -> None:
    toy = ProposalToy(2)
    toy.lit = {(1, 0)}
    _, speaker, _ = played("coela", toy=toy)
    assert not speaker.of(CHOOSE) and began(toy, 0) == ["go to <lamp> (0)"]
    toy = ProposalToy(2)
    toy.lit = {(1, 0)}
    assert played("coela", toy=toy, published=True)[1].of(THINK)


def test_the_published_structure_has_two_calls_no_wait_and_nothing_about_team_mates() -> None:
    """docs/rules/household.md 10.8: what the published program asks is restored by a switch."""
    for published in (False, True):
        toy = ProposalToy(2)
        toy.waits = True
        _, speaker, _ = played("liet", toy=toy, published=published)
        asked = speaker.of(THINK if published else CHOOSE, "AGENT_1")[0]
        assert ("wait a little" in asked.section("Proposals")) != published
        assert ("# Team mates" in asked.text) != published and bool(speaker.of(PICK)) == published
        assert len(speaker.asked) == PROPOSING["liet"].calls(TeamRules(published=published), 2, 2)


@pytest.mark.parametrize("silence", ["nothing", "(none)", "Nothing.", "", "None"])
def test_an_agent_with_nothing_to_say_writes_nothing_and_no_message_is_offered(silence: str) -> None:
    _, speaker, toy = played("coela", {"draft": f"<message>{silence}</message>"})
    assert all("send message" not in asked.section("Proposals") for asked in speaker.of(CHOOSE))
    assert "Sending the message (A) takes one step" not in speaker.of(CHOOSE)[0].text and began(toy, 0)
    _, speaker, _ = played("coela", {"draft": "<message>nothing is left in room 1</message>"})
    assert "Sending the message (A) takes one step" in speaker.of(CHOOSE)[0].text


def test_an_agent_reads_what_those_in_its_room_do_and_what_it_saw_of_the_others() -> None:
    """Agents see each other in one cell; AGENT_1 walks to (0, 0) for one step and AGENT_2 to (1, 0)."""
    answers: dict[str, Answer] = {f"AGENT_2 {CHOOSE}": "<action>B</action>"}
    _, speaker, _ = played("coela", answers, steps=2)
    first, second = (each.section("Team mates") for each in speaker.of(CHOOSE, "AGENT_1"))
    assert first == "- AGENT_2 is in your room and chooses its next action now, as you do"
    assert second == "- AGENT_2 is not in your room. When you saw it last, in step 1, it did: go to <lamp> (1)"
    far = ProposalToy(2)
    far.places[1] = (5, 5)
    _, speaker, _ = played("coela", toy=far)
    assert "You have not seen it do anything yet." in speaker.of(DRAFT, "AGENT_1")[0].section("Team mates")
    toy = ProposalToy(2)
    toy.places = [(1, 0), (1, 0)]  # AGENT_2 lights the lamp here while AGENT_1 is on its way
    episode, _, _ = played("coela", {f"AGENT_1 {CHOOSE}": "<action>A</action>"}, toy=toy, steps=1)
    assert episode.team.seen[1, 0] == (1, "go to <lamp> (0)")


def test_a_cancelled_action_is_reported_with_its_reason_and_waits_in_a_row_are_one_line() -> None:
    toy = ProposalToy(1)
    toy.waits = True
    toy.places = [(5, 5)]
    _, speaker, _ = played("coela", {CHOOSE: "<action>wait a little</action>"}, toy=toy, steps=4)
    shown = speaker.of(CHOOSE)[-1].section("Your actions")
    assert shown == "- steps 1 to 3, begun in (5, 5): wait a little"
    toy = ProposalToy(1)
    toy.breaks = {1: "the wind was too strong"}
    _, speaker, _ = played("coela", toy=toy, steps=2, published=True)
    shown = speaker.of(THINK)[-1].section("Your actions")
    assert shown == "- step 1, begun in (0, 1): go to <lamp> (0); cancelled: the wind was too strong"


def test_no_line_says_that_a_dialogue_is_empty_which_is_not() -> None:
    _, speaker, _ = played("coela")
    assert "(none)" not in speaker.of(CHOOSE)[0].section("Dialogue")


def test_the_published_second_call_follows_the_first_and_its_answer_decides() -> None:
    _, speaker, toy = played("liet", {PICK: "go to <lamp> (1) with 1 step."}, published=True)
    assert began(toy, 0) == began(toy, 1) == ["go to <lamp> (1)"]
    assert [asked.turns for asked in speaker.of(PICK)] == [4, 4]  # system, prompt, thoughts, question


def test_a_message_costs_the_step_and_is_read_in_the_next_one() -> None:
    answers: dict[str, Answer] = {"AGENT_1 draft": "<message>hello all</message>"}
    episode, speaker, toy = played("coela", answers, steps=2)
    shown = speaker.of(CHOOSE, "AGENT_1")[0].section("Proposals").splitlines()
    assert shown[0] == 'A. send message: "hello all"' and began(toy, 0)[0] == "send message: hello all"
    line = "- step 1, AGENT_1 to all: hello all"
    assert line not in speaker.of(CHOOSE, "AGENT_2")[0].text
    assert episode.team.chats == [episode.team.chats[1]] * 2 and episode.team.chats[0][0].line() == line
    assert began(toy, 0)[1] == "go to <lamp> (0)"


def test_a_message_to_the_only_team_mate_names_it_and_the_shared_list_keeps_its_lines() -> None:
    """docs/rules/household.md 10.4, 10.8: the first 100 words; no line of the list can begin a section."""
    listed = f"<knowledge>\n# Be   brief\n\n- Say what you found\n- {'word ' * 200}</knowledge>"
    answers: dict[str, Answer] = {"AGENT_1 draft": "<message>hello all</message>", LIST: listed}
    episode, speaker, _ = played("liet", answers, steps=3)
    lines = episode.team.tips.splitlines()
    assert lines[:2] == ["Be brief", "- Say what you found"] and len(lines) == 3
    assert len(episode.team.tips.split()) == 100
    assert "- step 1, AGENT_1 to AGENT_2: hello all" in speaker.of(CHOOSE, "AGENT_2")[-1].section("Dialogue")


def test_right_after_a_message_no_other_one_is_drafted() -> None:
    answers: dict[str, Answer] = {"draft": "<message>again</message>"}
    _, speaker, _ = played("coela", answers, steps=4)
    assert len(speaker.of(DRAFT, "AGENT_1")) == 2


def test_a_message_above_the_length_is_cut_with_a_note() -> None:
    episode, _, _ = played("coela", {"AGENT_1 draft": f"<message>{'x' * 60}</message>"})
    row = episode.journal.rows[0]
    assert row["mail"][0]["text"] == "x" * 40
    assert "its message has 60 characters; the first 40 are sent" in str(row["log"])
    assert "x" * 60 in str(row["asked"])  # nothing is lost


def test_those_that_heard_rewrite_the_shared_list_one_after_the_other() -> None:
    def longer(asked: Asked) -> str:
        return f"<knowledge>{asked.section('Knowledge')} and {asked.agent}</knowledge>"

    toy = ProposalToy(3, tips="start")
    answers: dict[str, Answer] = {"AGENT_1 draft": "<message>hi</message>", LIST: longer}
    episode, speaker, _ = played("liet", answers, toy, steps=3)
    assert episode.team.tips == "start and AGENT_2 and AGENT_3"
    plans = speaker.of(LIST, "AGENT_2")[0].section("Plans of the senders")
    assert plans.startswith("- AGENT_1 is in ") and "start and AGENT_2" in speaker.of(LIST, "AGENT_3")[0].text
    assert "start and AGENT_2 and AGENT_3" in speaker.of(DRAFT, "AGENT_3")[-1].section("Knowledge")


def test_the_shared_list_has_at_most_a_hundred_words_and_an_empty_one_changes_nothing() -> None:
    answers: dict[str, Answer] = {
        "AGENT_1 draft": "<message>hi</message>",
        f"AGENT_2 {LIST}": f"<knowledge>{'word ' * 130}</knowledge>",
        f"AGENT_3 {LIST}": "<knowledge></knowledge>",
    }
    episode, _, _ = played("liet", answers, ProposalToy(3), steps=3)
    assert len(episode.team.tips.split()) == 100
    logs = str([row.get("log") for row in episode.journal.rows])
    assert "its list has 130 words; the first 100 are kept" in logs and "its list is empty" in logs


@pytest.mark.parametrize(
    ("framework", "asked"), [("liet_kept", True), ("liet_fixed", True), ("liet_report", False), ("coela", True)]
)
def test_other_frameworks_do_not_reflect_and_a_report_is_not_drafted(framework: str, asked: bool) -> None:
    answers: dict[str, Answer] = {"draft": "<message>hi</message>"}
    episode, speaker, toy = played(framework, answers, ProposalToy(2, tips="old"), steps=3)
    assert not speaker.of(LIST) and episode.team.tips == "old" and bool(speaker.of(DRAFT)) == asked
    if framework == "liet_report":
        assert began(toy, 0)[0] == "send message: I am at (0, 1)."


def test_an_agent_without_a_choice_is_not_asked() -> None:
    toy = ProposalToy(2)
    toy.full = {0}
    _, speaker, _ = played("liet", toy=toy)
    assert began(toy, 0) == ["rest"] and {asked.agent for asked in speaker.asked} == {"AGENT_2"}


def test_an_answer_that_names_nothing_is_replaced_by_chance_and_the_same_chance_again() -> None:
    first, _, toy = played("coela", {CHOOSE: "hm", PICK: "no idea"})
    second, _, other = played("coela", {CHOOSE: "hm", PICK: "no idea"})
    assert toy.begun == other.begun and first.journal.rows == second.journal.rows
    assert "names no proposal; one is chosen by chance" in str(first.journal.rows[0]["log"])


def test_a_journal_resumes_with_the_list_that_the_team_had() -> None:
    answers: dict[str, Answer] = {"AGENT_1 draft": "<message>hi</message>"}
    whole, _, _ = played("liet", answers, steps=3)
    journal = Journal()
    played("liet", answers, steps=2, journal=journal)
    del journal.rows[-1]  # the end
    again, speaker, _ = played("liet", answers, steps=3, journal=whole.journal)
    assert not speaker.asked and again.team.tips == whole.team.tips == "be brief"


WORDS = [
    "send message: look, <apple> (3).",
    "go explore <kitchen> (2)",
    "go check <fridge> (12)",
    "go grab <apple> (3)",
]


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("go check <fridge> (12)", 2),
        ("Go Check <fridge> (12) with 14 steps.", 2),
        ("I will go explore <kitchen> (2) now", 1),
        ("C", 2),
        ("B. something", 1),
        ("option D", 3),
        ("check the fridge (12)", 2),
        ("grab apple (3)", 3),
        ("I do not know", None),
        ("", None),
        ("go explore <bedroom> (4)", None),
        ("The best option is C.", 2),
        ("My choice is option C because it is near", 2),
        ("I choose C.", 2),
        ("I take (C) since the others are far", 2),
        ("C, because it is near", 2),
        ("I would do A.", 0),
        ("check fridge", 2),
        ("the fridge", 2),
        ("(12)", 2),
        ("explore kitchen", 1),
        ("send the message", 0),
        ("B is far, so I choose C, not D.", None),
        ("A fridge and an apple are near", None),
        ("check the cabinet", None),
        ("check the fridge (13)", None),
        ("check the kitchen", None),
    ],
)
def test_an_answer_is_read_by_text_letter_or_verb_name_and_number(answer: str, number: int | None) -> None:
    assert pick(WORDS, answer) == number


def test_words_of_english_are_no_letters() -> None:
    words = [f"go check <cabinet> ({number})" for number in range(1, 10)]  # A to I
    assert pick(words, "I, as the nearest, choose a cabinet: D.") == 3
    assert pick(words, "The best action I know is D.") == 3
    assert pick(words, "A cabinet that I like") is None
    assert pick(words, "I choose I.") == 8


def test_what_a_message_speaks_of_is_no_proposal() -> None:
    words = ['send message: "I check <fridge> (12)"', "go check <fridge> (12)"]
    assert [pick(words, answer) for answer in ("check the fridge (12)", "check fridge", "send message")] == [1, 1, 0]


def test_letters_go_on_after_z() -> None:
    assert [letter(number) for number in (0, 25, 26, 27, 51, 52)] == ["A", "Z", "AA", "AB", "AZ", "BA"]
