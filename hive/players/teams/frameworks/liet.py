"""LIET, its ablations, and CoELA in households: agents draft messages and choose among proposals.

The rules are docs/rules/household.md 10; `coela` is the same idea with actions as sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hive.kit.agent_env import MOST_LIST_WORDS, Proposal, ProposalAgentEnv
from hive.players.llm.forms import Field, Form, any_answer
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.frameworks.proposing import (
    SILENCE,
    begin,
    choice_field,
    deciding,
    deliver,
    letter,
    lettered,
    lines,
    message_of,
    pick,
    plans,
    read_pick,
    steps_of,
    tag_lines,
    tag_text,
    tell,
    texts_of,
    together,
    watch,
    words_of,
)
from hive.players.teams.perception import Asking
from hive.players.teams.rules import TeamRules
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team

TEMPERATURE = 0.7

SENT = "send message"
"""Beginning of the words of an action that sends a message."""

_PRICE = """
Sending the message (A) takes one step in which you do nothing else. An agent whose action goes on reads it only when
that action has ended, any other one in the next step. Choose it only if it saves the team more than your step."""

_COST = re.compile(r"\b([A-Z]{1,2})\b\W{1,3}(\d{1,4})")


@dataclass(frozen=True)
class LietVariant:
    """What a framework of this family has.

    Attributes:
        costs: Where the steps next to a proposal come from: `utility`, `guessed` by a call before each choice, or none.
        drafts: Who writes a message: a call with the shared list (`listed`), a call without it (`plain`), or a fixed
            form without a call (`form`).
        reflects: Whether agents that heard a message rewrite the shared list.
    """

    costs: str
    drafts: str
    reflects: bool


def step(manner: LietVariant, team: Team[ProposalAgentEnv]) -> Asking[None]:
    """Agents that heard something reflect, one after the other; then all agents without an action choose."""
    if team.step == 1:
        team.tips = team.env.tips
    agents = deciding(team)
    if manner.reflects:
        for agent in agents:
            yield from _reflect(team, agent)
    yield from together([_decide(manner, team, agent) for agent in agents])
    deliver(team)
    watch(team)


def _decide(manner: LietVariant, team: Team[ProposalAgentEnv], agent: int) -> Asking[None]:
    """Draft a message, think about all proposals, and begin one of them or send the message."""
    message = yield from _draft(manner, team, agent)
    proposals = list(team.env.proposals(agent))
    if manner.costs == "guessed":
        proposals = yield from _guess(team, agent, proposals)
    if not team.rules.published and (wait := team.env.waiting(agent)):
        proposals.append(wait)
    send = [] if message == NO_TEXT else [f'{SENT}: "{message}"']
    plain = [*send, *words_of(proposals, costs=False)]
    cost = [words + steps_of(1) for words in send] if manner.costs else send
    shown = [*cost, *words_of(proposals, costs=bool(manner.costs))]
    chosen = yield from _choose(team, agent, shown, plain)
    if chosen < len(send):
        tell(team, agent, message)
    else:
        begin(team, agent, proposals[chosen - len(send)].choice, "choice")


def _draft(manner: LietVariant, team: Team[ProposalAgentEnv], agent: int) -> Asking[str]:
    """Return a message that an agent may send, or `NO_TEXT`; there is none right after a message."""
    if len(team.living) < 2 or _just_sent(team, agent):
        return NO_TEXT
    if manner.drafts == "form":
        return team.env.report(agent) or NO_TEXT
    name = "liet_message" if manner.drafts == "listed" else "house_message"
    (text,) = yield [team.ask(agent, "message", name, TEMPERATURE, _message_form, **texts_of(team, agent))]
    return message_of(text)


def _guess(team: Team[ProposalAgentEnv], agent: int, proposals: Sequence[Proposal]) -> Asking[list[Proposal]]:
    """Let an agent guess the steps of its proposals; those that it leaves out have no number."""
    texts = texts_of(team, agent) | {"proposals": lettered(words_of(proposals, costs=False))}
    (text,) = yield [team.ask(agent, "guess", "liet_guess", TEMPERATURE, any_answer, **texts)]
    found = {name: int(steps) for name, steps in _COST.findall(tag_text(text, "costs"))}
    missing = [each.choice.words for n, each in enumerate(proposals) if letter(n) not in found]
    if missing:
        team.note(agent, f"it guesses no steps for {'; '.join(missing)}")
    return [Proposal(each.choice, found.get(letter(number))) for number, each in enumerate(proposals)]


def _choose(team: Team[ProposalAgentEnv], agent: int, shown: Sequence[str], plain: Sequence[str]) -> Asking[int]:
    """Return the proposal that an agent chooses; without a call where there is no other one.

    It reasons and names the proposal in one call, and in a second one if the first names none; the published program
    always asks twice.
    """
    texts = texts_of(team, agent) | {"proposals": lettered(shown), "price": _PRICE if plain[0].startswith(SENT) else ""}
    name = "house_plan" if team.rules.published else "house_choose"
    if len(plain) == 1 and not team.rules.published:
        return 0
    ask = team.ask(agent, "plan", name, TEMPERATURE, partial(_choice_form, shown), **texts)
    (text,) = yield [ask]
    if not team.rules.published:
        tags = read_tags(text, ("action",))
        chosen = None if isinstance(tags, Malformed) else pick(plain, tags["action"])
        if chosen is not None:
            return chosen
    (text,) = yield [team.ask(agent, "pick", "house_pick", TEMPERATURE, ask.form).after(ask, text)]
    return read_pick(team, agent, plain, text)


def _reflect(team: Team[ProposalAgentEnv], agent: int) -> Asking[None]:
    """Let an agent that heard messages rewrite the shared list, for all."""
    mine, fresh = team.name(agent), team.chats[agent][team.heard[agent] :]
    team.heard[agent] = len(team.chats[agent])
    senders = [each for each in team.living if team.name(each) != mine and team.name(each) in {m.sender for m in fresh}]
    if not senders:
        return
    texts = texts_of(team, agent) | {"plans": plans(team, senders), "most_words": str(MOST_LIST_WORDS)}
    (text,) = yield [team.ask(agent, "reflect", "liet_reflect", TEMPERATURE, partial(_list_form, team.tips), **texts)]
    lines = tag_lines(text, "knowledge")
    words = " ".join(lines).split()
    if not words:
        team.note(agent, "its list is empty; the old one is kept")
        return
    if len(words) > MOST_LIST_WORDS:
        team.note(agent, f"its list has {len(words)} words; the first {MOST_LIST_WORDS} are kept")
    team.tips = _first_words(lines, MOST_LIST_WORDS)


def _message_form() -> Form:
    words = "A message that you may send; you choose afterwards whether it is worth a step. Empty: none"
    return (Field(name="message", words=words, empty=SILENCE),)


def _choice_form(shown: Sequence[str]) -> Form:
    return (choice_field("action", "What you do next", shown),)


def _list_form(tips: str) -> Form:
    words = "The list of advice on messages that your team shares, written again; empty: it stays"
    return (Field(name="knowledge", words=words, empty=tips),)


def _first_words(lines: Sequence[str], most: int) -> str:
    """Return lines as far as they have so many words together."""
    kept = list[str]()
    for line in lines:
        words = line.split()[: most - sum(len(each.split()) for each in kept)]
        kept += [" ".join(words)] if words else []
    return "\n".join(kept)


def _just_sent(team: Team[ProposalAgentEnv], agent: int) -> bool:
    return bool(team.histories[agent]) and team.histories[agent][-1].words.startswith(SENT)


def _calls(manner: LietVariant, rules: TeamRules, living: int, idle: int) -> int:
    drafts = idle if manner.drafts != "form" and living > 1 else 0
    return drafts + ((manner.costs == "guessed") + 1 + rules.published) * idle


def _framework(name: str, title: str, about: str, manner: LietVariant) -> Framework[ProposalAgentEnv]:
    return Framework(name, title, about, False, partial(step, manner), partial(_calls, manner), lines)


LIET = _framework(
    "liet",
    "LIET",
    "Agents see learned costs of their proposals, and a shared list about messages evolves.",
    LietVariant("utility", "listed", True),
)
BLIND = _framework(
    "liet_blind", "LIET without utility", "LIET whose proposals have no costs.", LietVariant("", "listed", True)
)
GUESSED = _framework(
    "liet_guessed",
    "LIET, costs guessed",
    "LIET whose agents guess the costs of their proposals in a call.",
    LietVariant("guessed", "listed", True),
)
FIXED = _framework(
    "liet_fixed",
    "LIET without evolving",
    "LIET without a shared list; messages are drafted by a prompt that never changes.",
    LietVariant("utility", "plain", False),
)
REPORT = _framework(
    "liet_report",
    "LIET, reports",
    "LIET without a shared list; messages are reports of a fixed form, made without a call.",
    LietVariant("utility", "form", False),
)
KEPT = _framework(
    "liet_kept",
    "LIET, list kept",
    "LIET whose shared list stays as it is at the start.",
    LietVariant("utility", "listed", False),
)
COELA = _framework(
    "coela_house",
    "CoELA",
    "Agents draft messages and choose among proposals without costs.",
    LietVariant("", "plain", False),
)
