"""The scripted team of households reads prompts alone; its bandit finds the style with the fewest steps."""

from __future__ import annotations

import numpy as np
import pytest

from hive.worlds.household.speaker import answer
from hive.worlds.household.speaker.choosing import choose
from hive.worlds.household.speaker.scene import read_scene
from hive.worlds.household.speaker.styles import STYLES, Bandit
from hive.worlds.household.speaker.talking import BRIEF, CHECKS, CLAIMS, FINDS, TIPS, draft, tips_of

SYSTEM = "You are Bob, a helper in a team of language agents."
PROGRESS = (
    "On the <coffeetable> (26): nothing yet. I hold <juice> (102). I am in the <kitchen> (2). Here I found "
    "<apple> (101) in <fridge> (19) and <pudding> (103) on <kitchentable> (25) and I have not checked <stove> (21) and "
    "<microwave> (22). I have not seen Alice yet. In the <bedroom> (3) I found <cupcake> (104) in <cabinet> (23). The "
    "<bathroom> (4) is unexplored."
)
COSTS = (
    "A. go explore <bathroom> (4) with 9 steps\nB. go check <stove> (21) with 2 steps\n"
    "C. go grab <apple> (101) with 3 steps"
)


def prompt(decision: str, dialogue: str = "(none)", offers: str = COSTS, knowledge: str = "(none)") -> str:
    return (
        f"# Task\nfind\nThis is step 9 of at most 250.\n\n# Progress\n{PROGRESS}\n\n"
        f"# Dialogue\n- Alice: Hi\n{dialogue}\n\n"
        f"# Your actions\n- step 3 at <kitchen> (2): go check <fridge> (19)\n"
        f"- step 8 at <kitchen> (2): go grab <juice> (102)\n\n"
        f"# Knowledge\n{knowledge}\n\n# Proposals\n{offers}\n\n# Answer\nDecide: {decision}\n"
    )


def picked(dialogue: str = "(none)", offers: str = COSTS) -> str:
    asked = prompt("think about the proposals", dialogue, offers)
    thought = answer(SYSTEM, [asked])
    assert thought.startswith("<thoughts>")
    found = answer(SYSTEM, [asked, thought, "# Answer\nDecide: name the best proposal\n"])
    return found.removeprefix("<action>").removesuffix("</action>")


def test_with_steps_it_takes_the_fewest_and_without_what_is_near() -> None:
    assert picked() == "go check <stove> (21)"
    blind = "\n".join(line.partition(" with ")[0] for line in COSTS.splitlines())
    assert picked(offers=blind) == "go grab <apple> (101)"


def test_it_leaves_to_others_what_they_said_they_would_do_while_that_is_fresh() -> None:
    claim = "- step {step}, Alice to all: I will go check <stove> (21)."
    assert picked(claim.format(step=5)) == "go grab <apple> (101)"
    assert picked("- step -9, Alice to all: I will go check <stove> (21).") == "go check <stove> (21)"
    assert picked(claim.format(step=5).replace("Alice", "Bob")) == "go check <stove> (21)"


def test_its_messages_follow_the_tips_and_name_no_old_news() -> None:
    scene = read_scene(SYSTEM, prompt("draft a message"))
    assert draft(scene, (FINDS,)) == "I found <pudding> (103) on <kitchentable> (25)."  # it takes the apple itself
    assert draft(scene, (CHECKS,)) == "I checked <fridge> (19)."
    assert draft(scene, (FINDS, CLAIMS)).endswith("I will go grab <apple> (101).")
    assert draft(scene, (FINDS, BRIEF)) == "" == draft(scene, ())
    told = read_scene(SYSTEM, prompt("draft a message", "- step 8, Alice to all: I found <pudding> (103)."))
    assert "pudding" not in draft(told, TIPS)


def test_a_message_is_sent_if_it_has_news_and_promises_what_is_done_next() -> None:
    for message, sends in (
        ("I found <pudding> (103).", True),
        ("I am in <kitchen> (2).", False),
        ("I found <pudding> (103). I will go check <stove> (21).", True),
        ("I found <pudding> (103). I will go grab <apple> (101).", False),
    ):
        offers = f"A. send message: {message} with 1 steps\n" + COSTS.replace("C.", "D.").replace("B.", "C.").replace(
            "A.", "B."
        )
        chosen = choose(read_scene(SYSTEM, prompt("think about the proposals", offers=offers)))
        assert chosen and (chosen.verb == "send") == sends, message


def test_its_reflector_adds_one_tip_at_a_time_until_it_has_all() -> None:
    known = "(none)"
    for count in range(1, len(TIPS) + 2):
        said = answer(SYSTEM, [prompt("improve the knowledge", knowledge=known)])
        known = said.removeprefix("<knowledge>").removesuffix("</knowledge>")
        assert sum(tip in known for tip in TIPS) == min(count, len(TIPS))
    assert tips_of(known) == TIPS and tips_of(STYLES["silent"]) == () and tips_of("be nice") == (FINDS,)


def test_an_unknown_prompt_gets_no_tags() -> None:
    assert "<" not in answer(SYSTEM, [prompt("sing a song")])


@pytest.mark.parametrize("best", ["silent", "finds, checks"])
def test_the_bandit_plays_the_best_style_most(best: str) -> None:
    rng, bandit = np.random.default_rng(0), Bandit(scale=10.0)
    for _ in range(300):
        style = bandit.choose()
        bandit.learn(style, [float(rng.normal(30.0 if style == best else 50.0, 5.0))])
    assert bandit.best == best and all(bandit.steps.values())
    assert len(bandit.steps[best]) > 150
