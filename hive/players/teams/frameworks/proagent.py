"""ProAgent: no messages; each agent infers what its teammates intend, and corrects that belief by what it sees.

The rules are docs/rules/household.md 10.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hive.kit.agent_env import IDLE, ProposalAgentEnv
from hive.players.llm.forms import Field, Form, any_answer
from hive.players.teams.frameworks.framework import Framework
from hive.players.teams.frameworks.proposing import (
    begin,
    choice_field,
    deciding,
    lettered,
    lines,
    pick,
    tag_text,
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

FAILURES = 3
"""After more refused plans than this the agent waits one step."""

BELIEFS = 12
"""Latest lines of the belief that an agent is shown."""


def step(team: Team[ProposalAgentEnv]) -> Asking[None]:
    """All agents without an action plan side by side; then every agent notes what it saw others begin."""
    yield from together([_decide(team, agent) for agent in deciding(team)])
    for agent in team.living:
        for other in team.living:
            action = team.doing.get(other)
            if other != agent and action and action.begun == team.step and team.env.meets(agent, other):
                team.lessons[agent].append(f"step {team.step}: I saw that {team.name(other)} began: {action.words}")
    watch(team)


def _decide(team: Team[ProposalAgentEnv], agent: int) -> Asking[None]:
    """Plan until a plan is possible; a refused one is explained, and the explanation is part of the next call."""
    proposals = list(team.env.proposals(agent))
    if not team.rules.published and (wait := team.env.waiting(agent)):
        proposals.append(wait)
    words = words_of(proposals, costs=False)
    belief = "\n".join(f"- {line}" for line in team.lessons[agent][-BELIEFS:]) or NO_TEXT
    texts = texts_of(team, agent) | {"belief": belief, "proposals": lettered(words)}
    form = partial(_form, words)
    ask = team.ask(agent, "plan", "proagent_plan", 0.0, form, **texts)
    for attempt in range(FAILURES + 1):
        (text,) = yield [ask]
        tags = read_tags(text, (), ("analysis", "intention", "plan"))
        answer = {} if isinstance(tags, Malformed) else tags
        chosen = pick(words, answer.get("plan", ""))
        if chosen is not None:
            if "intention" in answer:
                team.lessons[agent].append(f"step {team.step}: I expected: {answer['intention']}")
            begin(team, agent, proposals[chosen].choice, "choice")
            return
        skill = answer.get("plan", NO_TEXT)
        team.note(agent, f"its plan `{skill[:80]}` is not possible")
        if attempt < FAILURES:
            (why,) = yield [team.ask(agent, "explain", "proagent_explain", 0.0, any_answer, **texts, skill=skill)]
            reason = tag_text(why, "reason") or NO_TEXT
            ask = team.ask(agent, "plan", "proagent_replan", 0.0, form, reason=reason).after(ask, text)
    team.note(agent, f"it planned {FAILURES + 1} times what is not possible, and waits one step")
    team.begin(agent, IDLE, "idle")


def _form(words: Sequence[str]) -> Form:
    intention = Field(name="intention", words="What you expect the others to do")
    return (choice_field("plan", "What you do next", words), intention)


def _calls(rules: TeamRules, living: int, idle: int) -> int:
    return idle


FRAMEWORK = Framework(
    "proagent",
    "ProAgent",
    "Agents send nothing, infer what others intend, and check each plan before it begins.",
    False,
    step,
    _calls,
    lines,
)
