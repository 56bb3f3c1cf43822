"""RoCo: whenever an agent is free the team talks in turns until one agent states a joint plan that passes a check.

The rules are docs/rules/household.md 10.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hive.kit.agent_env import IDLE, Choice, Piece, Proposal, ProposalAgentEnv, Said
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.frameworks.proposing import (
    begin,
    deciding,
    deliver,
    lettered,
    lines,
    pick,
    tell,
    texts_of,
    watch,
    words_of,
)
from hive.players.teams.mail import one_line
from hive.players.teams.perception import Asking
from hive.players.teams.rules import TeamRules
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team

CALLS = 10
"""Most calls of a dialogue; the last one has to end it."""

REPLANS = 5
"""How often a dialogue is repeated after a joint plan that does not pass."""

ROUNDS = 3
"""Latest rounds that an agent is shown."""

_WAIT = "wait"


def step(paid: bool, team: Team[ProposalAgentEnv]) -> Asking[None]:
    """Agents go on with what they owe; when one of them has nothing planned, the team talks about what is next.

    Args:
        paid: Whether each utterance costs its speaker one step, which it spends before its next action.
        team: The team.
    """
    free = [agent for agent in deciding(team) if not _go_on(team, agent)]
    if free:
        yield from _round(paid, team, free)
        for agent in free:
            if not _go_on(team, agent):
                team.idle(agent, "it has no action in the joint plan")
    deliver(team)
    watch(team)


def _round(paid: bool, team: Team[ProposalAgentEnv], free: Sequence[int]) -> Asking[None]:
    """Talk until a joint plan passes, and queue what each agent does by it."""
    proposals = {agent: list(team.env.proposals(agent)) for agent in free}
    feedback, refused = NO_TEXT, list[str]()
    plan: dict[int, Choice] = {}
    chat: list[str] = []
    for replan in range(REPLANS + 1):
        chat, answer = yield from _talk(team, free, proposals, feedback, refused, replan > 0)
        plan, wrong = _check(team, free, proposals, answer)
        if not wrong:
            break
        feedback = " ".join(wrong)
        team.note(free[0], f"the joint plan does not pass: {feedback}")
        refused.append("; ".join(f"{name}: {words}" for name, words in answer.items()) or "no joint plan")
    done = "; ".join(f"{team.name(agent)}: {choice.words}" for agent, choice in plan.items()) or "nothing"
    team.past.append((team.step, f"{' '.join(chat)} Then began: {done}"))
    for agent in team.living:
        head = f"{team.name(agent)} said: "
        said = [line.removeprefix(head) for line in chat if line.startswith(head)] if paid else []
        if said:  # one message with all of it, and a step for each further utterance
            team.queues[agent].append(Piece(" ".join(said), None, True, None))
            team.queues[agent] += [Piece(IDLE.words, IDLE, False, None)] * (len(said) - 1)
        if agent in plan:
            team.queues[agent].append(Piece(plan[agent].words, plan[agent], False, None))


def _talk(
    team: Team[ProposalAgentEnv],
    free: Sequence[int],
    proposals: Mapping[int, list[Proposal]],
    feedback: str,
    refused: Sequence[str],
    again: bool,
) -> Asking[tuple[list[str], dict[str, str]]]:
    """Let the agents speak in turn; return what was said, and the joint plan by name."""
    chat: list[str] = []
    answer: dict[str, str] = {}
    names = [team.name(agent) for agent in free]
    for call in range(CALLS):
        agent = team.living[call % len(team.living)]
        last, early = call == CALLS - 1, not again and call + 1 < len(team.living)
        own = words_of(proposals[agent], costs=False) if agent in proposals else []
        texts = texts_of(team, agent) | {
            "proposals": lettered(own),
            "rounds": "\n".join(f"- step {number}: {line}" for number, line in team.past[-ROUNDS:]) or NO_TEXT,
            "refused": "\n".join(f"- {line}" for line in refused) or NO_TEXT,
            "feedback": feedback,
            "chat": "\n".join(f"- {line}" for line in chat) or NO_TEXT,
            "doing": team.doing[agent].words if agent in team.doing else "nothing; you choose now",
            "free_names": ", ".join(names),
            "turn": "This is the last call: write EXECUTE." if last else "Write PROCEED or EXECUTE.",
        }
        decisions = ["PROCEED"] * (not last) + ["EXECUTE"] * (not early)
        form = partial(_form, names, {team.name(agent): own}, decisions)
        (text,) = yield [team.ask(agent, "talk", "roco_talk", 0.0, form, **texts)]
        tags = read_tags(text, ("say", "decision"), ("own", *names))
        if isinstance(tags, Malformed):
            team.note(agent, f"its utterance {tags.why}")
            continue
        chat.append(f"{team.name(agent)} said: {one_line(tags['say'])}")
        team.said.append(Said(team.env.tick, agent, call == 0, "", tags["say"], tags.get("own", "")))
        if "EXECUTE" in tags["decision"].upper() and not early:
            answer = {name: tags[name] for name in names if name in tags}
            break
    return chat, answer


def _form(names: Sequence[str], own: Mapping[str, Sequence[str]], decisions: Sequence[str]) -> Form:
    """Return the form of an utterance.

    Args:
        names: Agents that choose now.
        own: The proposals of the agent that speaks, by its name.
        decisions: `PROCEED`, `EXECUTE` or both; the first one stands for an empty field.
    """
    offers = [Offer(word, does="write") for word in decisions]
    return (
        Field(name="say", words="What you say", empty="(nothing)"),
        *(
            Field(
                name=name,
                words=f"The action of {name} in the joint plan",
                offers=[Offer(words, does="write") for words in own.get(name, ())],
            )
            for name in names
        ),
        Field(name="decision", words="What comes next", offers=offers, empty=decisions[0], written=False),
    )


def _check(
    team: Team[ProposalAgentEnv],
    free: Sequence[int],
    proposals: Mapping[int, list[Proposal]],
    answer: Mapping[str, str],
) -> tuple[dict[int, Choice], list[str]]:
    """Return the actions of a joint plan that can begin, and what is wrong with the others."""
    plan: dict[int, Choice] = {}
    wrong = []
    for agent in free:
        name, words = team.name(agent), words_of(proposals[agent], costs=False)
        said = answer.get(name)
        if said is None:
            wrong.append(f"The joint plan has no action for {name}.")
        elif one_line(said).lower().strip(" .") in (_WAIT, IDLE.words):
            plan[agent] = IDLE
        elif (chosen := pick(words, said)) is None:
            wrong.append(f"{name} cannot do `{said[:80]}` now: it is none of its actions.")
        else:
            plan[agent] = proposals[agent][chosen].choice
    taken: dict[str, str] = {}
    for agent, choice in plan.items():
        other = taken.setdefault(choice.words, team.name(agent))
        if other != team.name(agent) and "grab" in choice.words:
            wrong.append(f"{other} and {team.name(agent)} cannot both do `{choice.words}`.")
    waits = all(choice == IDLE for choice in plan.values())
    if not wrong and waits and len(plan) == len(team.living) and any(proposals.values()):
        wrong.append("Not every agent may wait.")
    return plan, wrong


def _go_on(team: Team[ProposalAgentEnv], agent: int) -> bool:
    """Begin what an agent has planned or owes; return whether there was something that can begin."""
    while team.queues[agent]:
        piece = team.queues[agent].pop(0)
        if piece.choice is None:
            sending = team.env.sending(agent, piece.words)
            if team.env.check(agent, sending, team.single) is None:
                tell(team, agent, piece.words)
            else:  # right after a message there is no other one, and talking costs its step all the same
                team.begin(agent, IDLE, "plan")
            return True
        if team.env.check(agent, piece.choice, team.single) is None:
            begin(team, agent, piece.choice, "plan")
            return True
        team.note(agent, f"its planned action `{piece.words}` is no longer possible")
    return False


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return living if idle else 0


FRAMEWORK = Framework(
    "roco",
    "RoCo",
    "The team talks in turns, without cost, until a joint plan passes.",
    False,
    partial(step, False),
    _calls,
    lines,
)
PAID = Framework(
    "roco_paid",
    "RoCo, paid",
    "RoCo whose utterances cost their speaker a step each.",
    False,
    partial(step, True),
    _calls,
    lines,
)
