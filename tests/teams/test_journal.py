"""Journals: an episode that was killed resumes at its last finished step, and gives the same journal."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from dsl import UserError
from hive.kit.keep.lines import LineChain
from hive.players.llm.client import Client, ModelError
from hive.players.llm.recorded import Recorder, Replay, ReplyRecording
from hive.players.llm.scripted import Script
from hive.players.teams.episode import call_seed
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.journal import Journal
from hive.players.teams.playing import play
from hive.players.teams.prompting import Prompts
from hive.players.teams.rules import Quirks, TeamRules
from tests.teams.speaking import Answer, Asked, Speaker
from tests.teams.toy import Toy, ToyEpisodes
from tests.tiers import tiers

TEAMS = ("camon", "coela", "embodied", "hmas2")
RULES = TeamRules(steps=4)


def _varied(asked: Asked) -> str:
    """An action that depends on the text, so that another history gives other actions."""
    number = sum(map(ord, asked.text)) % 7
    action = "SEND MESSAGE" if asked.decision.startswith("choose") and number < 2 else f"walk to {number} 1"
    return f"<reasoning>r</reasoning><action>{action}</action>"


def _disagreeing(asked: Asked) -> str:
    return f"<feedback>{'ACCEPT' if sum(map(ord, asked.text)) % 3 else 'no'}</feedback>"


VARIED: dict[str, Answer] = {
    "plan for the team": _varied, "propose your action": _varied, "choose": _varied, "act": _varied,
    "feedback": _disagreeing, "AGENT_3 perceive": "", "AGENT_2 communicate": "<AGENT_1>look</AGENT_1>",
}  # fmt: skip


def episodes(failing: int | None = None) -> ToyEpisodes:
    toys = [Toy(3, porters=1, seed=seed, limit=9) for seed in range(2)]
    toys[1].deaths = {1: [1]}
    return _Failing(toys, failing)


class _Failing(ToyEpisodes):
    """Raises before its n-th step, as a kill between the journal and the world's step would."""

    def __init__(self, envs: Sequence[Toy], failing: int | None) -> None:
        super().__init__(envs)
        self._left = failing

    def step(self, playing: Sequence[int]) -> None:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left = None if self._left is None else self._left - 1
        super().step(playing)


def lines(folder: Path) -> list[list[str]]:
    return [(folder / f"{seed}.jsonl").read_text(encoding="utf-8").splitlines() for seed in range(2)]


def run(framework: str, folder: Path, speaker: Speaker, failing: int | None = None) -> None:
    journals = [Journal(folder / f"{seed}.jsonl") for seed in range(2)]
    play(episodes(failing), FRAMEWORKS[framework], speaker, RULES, journals=journals)


@pytest.mark.parametrize("framework", tiers(TEAMS, quick=["camon", "hmas2"]))
def test_an_episode_that_is_killed_fifty_times_gives_the_journal_of_one_that_was_not(
    framework: str, tmp_path: Path
) -> None:
    """Kills fall between any two calls, before the world's step, and within the writing of a line."""
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    straight.mkdir()
    killed.mkdir()
    whole = Speaker(VARIED)
    run(framework, straight, whole)
    luck, kills = random.Random(framework), 0
    while kills < 50:
        kept = sum(map(len, lines(killed))) if kills else 0
        speaker = Speaker(VARIED, stop_after=luck.randrange(0, 40))
        failing = luck.choice([None, luck.randrange(0, 4)])
        try:
            run(framework, killed, speaker, failing)
        except KeyboardInterrupt:
            kills += 1
        else:
            _cut_last_lines(killed, luck.randrange(1, 5))
            continue
        assert sum(map(len, lines(killed))) >= kept, "a finished step was lost"
        if luck.random() < 0.4:
            _tear_last_line(killed / f"{luck.randrange(2)}.jsonl", luck)
    run(framework, killed, Speaker(VARIED))
    assert lines(killed) == lines(straight)
    again = Speaker()
    run(framework, killed, again)
    assert not again.asked, "a finished episode is not asked again"


def _cut_last_lines(folder: Path, count: int) -> None:
    """Take finished steps away, so that there is something left to kill."""
    for path in folder.iterdir():
        kept = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(kept[: max(1, len(kept) - count)]), encoding="utf-8")


def _tear_last_line(path: Path, luck: random.Random) -> None:
    """Leave a part of the last line, as a kill during its writing does."""
    data = path.read_bytes()
    last = data[:-1].rfind(b"\n") + 1
    path.write_bytes(data[: luck.randrange(last, len(data))])


def test_a_server_that_fails_leaves_every_finished_step() -> None:
    def failing(asked: Asked) -> str:
        if "step 3 of" in asked.text:
            raise ModelError("the server is gone")
        return "<action>wait n steps 1</action>"

    journal = Journal()
    with pytest.raises(ModelError, match="the server is gone"):
        play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Speaker({"choose": failing}), RULES, journals=[journal])
    assert [row["step"] for row in journal.rows] == [1, 2]
    mended = Speaker({"choose": "<action>wait n steps 1</action>"})
    play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], mended, RULES, journals=[journal])
    assert [row["step"] for row in journal.rows] == [1, 2, 3, 4, 5]
    assert len(mended.of("choose")) == 4


@pytest.mark.parametrize("framework", TEAMS)
def test_a_recording_of_the_model_gives_the_same_journal(framework: str, tmp_path: Path) -> None:
    path, first, second = tmp_path / "calls.jsonl", Journal(), Journal()
    recorder = Recorder(Speaker(VARIED), [], ReplyRecording(path))
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS[framework], recorder, RULES, journals=[first], concurrent=1)
    play(ToyEpisodes([Toy(3)]), FRAMEWORKS[framework], Replay(path), RULES, journals=[second], concurrent=1)
    assert first.rows == second.rows and first.head == second.head


def seeds_of(speaker: Speaker) -> list[int | None]:
    return [each.settings.seed for each in speaker.asked]


def test_each_call_has_a_seed_that_follows_from_episode_agent_and_number() -> None:
    """A server that honours `seed` plays two games of one start differently, and repeats one game."""
    first, again, other = Speaker(VARIED), Speaker(VARIED), Speaker(VARIED)
    for speaker, seed in ((first, 0), (again, 0), (other, 1)):
        toy = Toy(3)
        toy.seed = seed  # apart from the seed the two games are alike
        play(ToyEpisodes([toy]), FRAMEWORKS["hmas2"], speaker, RULES, concurrent=1)
    assert seeds_of(first) == seeds_of(again) and len(first.asked) > 20
    assert len(set(seeds_of(first))) == len(first.asked)
    assert not set(seeds_of(first)) & set(seeds_of(other))
    for asked in first.asked:
        number = [each for each in first.asked if each.agent == asked.agent].index(asked)
        agent = -1 if asked.agent == "PLANNER" else int(asked.agent[-1]) - 1
        assert asked.settings.seed == call_seed(0, agent, number)


def test_a_recording_answers_each_of_two_games_with_its_own_replies(tmp_path: Path) -> None:
    """Both games ask the very same question first; their replies are kept apart by the seeds."""
    path, count = tmp_path / "calls.jsonl", itertools.count()
    pair = {"choose": lambda asked: f"<action>walk to {next(count) % 5} 1</action>"}

    def acts(client: Client, concurrent: int) -> list[list[object]]:
        toys = [Toy(2), Toy(2)]
        toys[1].seed = 1
        episodes = play(ToyEpisodes(toys), FRAMEWORKS["coela"], client, RULES, concurrent=concurrent)
        return [[act["words"] for row in each.journal.rows for act in row.get("acts", ())] for each in episodes]

    first = acts(Recorder(Speaker(pair), [], ReplyRecording(path)), 4)
    assert first[0] != first[1]
    assert acts(Replay(path), 1) == first == acts(Replay(path), 4)


def test_settings_of_the_rules_replace_those_of_a_framework() -> None:
    speaker = Speaker(VARIED)
    rules = TeamRules(steps=1, temperature=0.25, top_p=0.5, quirks=Quirks(released_temperature=True))
    play(ToyEpisodes([Toy(2)]), FRAMEWORKS["camon"], speaker, rules)
    assert {(each.settings.temperature, each.settings.top_p) for each in speaker.asked} == {(0.25, 0.5)}
    for wrong in (0, -1, 1.5):
        with pytest.raises(UserError, match=r"top_p is .*, and must be above 0 and at most 1"):
            TeamRules(top_p=wrong)


def test_a_recording_of_another_episode_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Recorder(Speaker(), [], ReplyRecording(path)), RULES)
    with pytest.raises(ModelError, match="holds no reply"):
        play(ToyEpisodes([Toy(3)]), FRAMEWORKS["coela"], Replay(path), RULES)


def finished() -> Journal:
    journal = Journal()
    play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Speaker(), RULES, journals=[journal])
    return journal


def test_the_rows_have_the_score_and_the_costs_before_each_step() -> None:
    answers: dict[str, Answer] = {"act": "<action>light lamp</action>"}
    toy, journal = Toy(2), Journal()
    toy.places = [(0, 0), (1, 0)]
    play(ToyEpisodes([toy]), FRAMEWORKS["embodied"], Speaker(answers), RULES, journals=[journal])
    assert [(row["step"], row["score"], row["calls"]) for row in journal.rows] == [(1, 0.0, 0), (2, 2.0, 10)]
    assert journal.rows[0]["living"] == journal.rows[0]["idle"] == 2


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"framework": "camon"}, "framework"),
        ({"rules": TeamRules(steps=3)}, "rules"),
        ({"rules": TeamRules(steps=4, quirks=Quirks(keeps_oldest=True))}, "rules"),
        ({"toy": Toy(2, seed=1)}, "seed"),
        ({"toy": Toy(3)}, "agents"),
    ],
)
def test_a_journal_of_another_episode_is_refused(changed: dict[str, object], what: str) -> None:
    framework, rules, toy = changed.get("framework", "coela"), changed.get("rules", RULES), changed.get("toy", Toy(2))
    assert isinstance(framework, str) and isinstance(rules, TeamRules) and isinstance(toy, Toy)
    with pytest.raises(UserError, match=f"is of another episode: it differs in {what}"):
        play(ToyEpisodes([toy]), FRAMEWORKS[framework], Speaker(), rules, journals=[finished()])


def test_a_journal_of_another_model_is_refused() -> None:
    with pytest.raises(UserError, match="differs in model"):
        play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Script([], "other"), RULES, journals=[finished()])


def test_a_journal_whose_calls_are_other_ones_is_refused() -> None:
    """As after a change of the prompts."""
    journal = finished()
    journal.rows[1]["asked"][1]["digest"] = "0"
    with pytest.raises(UserError, match="does not repeat: a call of step 2 differs"):
        play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Speaker(), RULES, journals=[journal])


@pytest.mark.parametrize(("place", "what"), [(0, "the score at step 1"), (-1, "its last line")])
def test_a_journal_with_another_score_is_refused(place: int, what: str) -> None:
    journal = finished()
    journal.rows[place]["score"] = 77.0
    with pytest.raises(UserError, match=f"{what} differs"):
        play(ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Speaker(), RULES, journals=[journal])


def sealed(*steps: str) -> str:
    """A journal with these lines after its first one."""
    chain = LineChain()
    return "".join(chain.write(line) + "\n" for line in ('{"format": "hive-team-2", "seed": 3}', *steps))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}\n", "its first line has no `format` hive-team-2"),
        ("no JSON\n", "its first line has no"),
        ("\xff\n", "its first line has no"),
        ('{"format": "hive-team-1"}\n', "its first line has no"),
        (sealed() + "[]\n", "line 2: this is no step of an episode: it is no JSON object"),
        (sealed('{"step": 2}'), "line 2: .* its step is not 1"),
        (sealed('{"step": 1}'), "`score` is missing or of the wrong type"),
        (
            sealed('{"step": 1, "score": 0, "asked": [3], "mail": [], "acts": [], "log": []}'),
            "`agent` of a call is missing",
        ),
    ],
)
def test_a_file_that_is_no_journal_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=why):
        Journal(path)


def test_a_last_line_that_was_cut_off_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    path.write_text(sealed() + '{"step": 1, "sco', encoding="utf-8")
    journal = Journal(path)
    journal.open({"seed": 3})
    journal.add({"end": True, "step": 1})
    assert path.read_text(encoding="utf-8") == sealed('{"end": true, "step": 1}')


def test_a_journal_that_cannot_be_written_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot write"):
        Journal(tmp_path / "missing" / "0.jsonl").open({})


def test_prompts_of_the_user_name_the_journal(tmp_path: Path) -> None:
    (tmp_path / "translate.md").write_text(
        "## System\nYou are {name}.\n\n# Answer\nDecide: translate\n", encoding="utf-8"
    )
    with pytest.raises(UserError, match="differs in prompts"):
        play(
            ToyEpisodes([Toy(2)]), FRAMEWORKS["coela"], Speaker(), RULES,
            prompts=Prompts(tmp_path), journals=[finished()],
        )  # fmt: skip
