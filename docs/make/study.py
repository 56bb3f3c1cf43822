"""`python -m docs.make.study`: play the scripted study of `docs/commander/study.md` and draw its pictures."""

from __future__ import annotations

import random
import re
from pathlib import Path

from hive.experiments.plots.abilities import save_outcomes, save_scores
from hive.experiments.plots.study_tables import study_tables
from hive.experiments.study.asking import Procedure, PromptResult, StudyCondition, ask_all, without_hints
from hive.experiments.study.playing import Study, by_arena, play_all
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink
from hive.worlds.battle.abilities import ABILITIES
from hive.worlds.battle.study_prompts import study_prompts
from hive.worlds.battle.world import load

FOLDER = Path(__file__).resolve().parents[1] / "commander"
UNITS = 60
ANSWERS = ("plan", "all stand", "misspelt", "question", "cut off", "failure")
SCRIPTS = {"script A": (6, 1, 1, 1, 1, 0), "script B": (3, 2, 2, 1, 1, 1)}  # weights of the answers


class Script:
    """Answers with the shipped plan, or with what may go wrong, drawn by the prompt."""

    about = "a script answers, no model"

    def __init__(self, name: str) -> None:
        """Choose a script by its name."""
        self.name = name

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return an answer; see `hive.players.llm.client.Client.complete`."""
        topic = request.topic
        draw = random.Random(f"{self.name} {topic.task} {topic.number}")
        (answer,) = draw.choices(ANSWERS, SCRIPTS[self.name])
        text = f"This plan should work.\n\n{topic.plan}"
        if answer == "failure":
            raise ModelError("the script plays a server that is gone")
        if answer == "question":
            text = "Which of your units do you want to spare?"
        elif answer == "cut off":
            return Reply(text[: len(text) // 2], self.name, finish="length")
        elif answer == "misspelt":
            text = text.replace("- behavior: ", "- behavior: stealthy_")
        elif answer == "all stand":
            text = re.sub("(- behavior: ).*", r"\1stand", text)
        return Reply(text, self.name)


def main() -> None:
    """Ask, play, draw, and print the tables."""
    conditions = []
    for ability in ABILITIES:
        world = without_hints(load(ability.scenario, units=UNITS), ability)
        conditions.append(StudyCondition(ability, world, ability.name, tuple(study_prompts(ability.name))))
    procedure = Procedure()
    asked: list[PromptResult] = []
    for name in SCRIPTS:
        asked += ask_all(Script(name), conditions, procedure, lambda _: None)
    tried = [each for group in by_arena(asked).values() for each in play_all(group, [0], procedure, lambda _: None)]
    study = Study(tuple(conditions), tuple(tried), 1, {})
    print("\n\n".join(study_tables(study)))
    save_outcomes(study.scores(), FOLDER / "study_outcomes.png")
    save_scores(study.scores(), FOLDER / "study_scores.png")


if __name__ == "__main__":
    main()
