"""Action sentences become actions: by a call that translates, or by their exact form (docs/rules/teams.md 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hive.kit.agent_env import AgentEnv, Choice, Option
from hive.players.llm.forms import Field, Form, Offer
from hive.players.teams.perception import Asking
from hive.players.teams.tags import Malformed, read_tags
from hive.players.teams.team import Team

_NUMBER = re.compile(r"([+-]?[0-9]{1,9})(\.0+)?")
_SHOWN = 80  # characters of a sentence in the log


def execute(team: Team[AgentEnv], sentences: Mapping[int, str], temperature: float = 0.0) -> Asking[None]:
    """Give agents the actions that sentences describe.

    An agent whose sentence cannot be executed does nothing in this step, or goes on with the action that it has.

    Args:
        team: The team.
        sentences: A sentence for each agent that is to begin an action.
        temperature: Of the calls that translate.
    """
    if team.rules.direct_execution:
        choices = {agent: read_line(_options(team, agent), sentence) for agent, sentence in sentences.items()}
    elif sentences:
        texts = yield [
            team.ask(agent, "translate", "translate", temperature, sentence=sentence)
            for agent, sentence in sentences.items()
        ]
        choices = {
            agent: read_translation(_options(team, agent), sentence, text)
            for (agent, sentence), text in zip(sentences.items(), texts, strict=True)
        }
    else:
        return
    for agent, choice in choices.items():
        if isinstance(choice, Choice):
            why = team.env.check(agent, choice, team.single)
            if why is None:
                team.begin(agent, choice, "line" if team.rules.direct_execution else "call")
                if choice.number == 0 and read_line(_options(team, agent), sentences[agent]) != choice:
                    team.note(agent, f"its action `{sentences[agent][:_SHOWN]}` was translated to doing nothing")
                continue
            choice = Malformed(why)
        team.idle(agent, f"its action `{sentences[agent][:_SHOWN]}` cannot be executed: {choice.why}")


def action_field(team: Team[AgentEnv], agent: int, name: str = "action", words: str = "Your action") -> Field:
    """Return the field of a form in which an agent's action is written: lines with numbers are edited before.

    Actions without numbers that cannot begin now are left out.
    """
    offers = []
    for option in _options(team, agent):
        if option.values:
            offers.append(Offer(option.example, does="write"))
        elif team.env.check(agent, Choice(option.number, (), option.example), team.single) is None:
            offers.append(Offer(option.example))
    return Field(name=name, words=words, offers=offers, empty=None)


def action_form(team: Team[AgentEnv], agent: int) -> Form:
    """Return the form of a call that asks for an agent's own action alone."""
    return (action_field(team, agent),)


def read_line(options: Sequence[Option], sentence: str) -> Choice | Malformed:
    """Read an action line: the example of an option with other numbers, in any case, with or without brackets.

    Args:
        options: The actions of the agent's type.
        sentence: Such as `move to location (12, 7)`.
    """
    line = _plain(sentence)
    for option in options:
        match = re.fullmatch(_form(option), line)
        if match:
            return Choice(option.number, tuple(int(value) for value in match.groups()), sentence)
    return Malformed("it is no line of the list of actions")


def read_translation(options: Sequence[Option], sentence: str, text: str) -> Choice | Malformed:
    """Read the answer of a call that translates.

    Args:
        options: The actions of the agent's type.
        sentence: What was translated.
        text: An answer with the tags `type`, `param_1`, `param_2` and `description`.
    """
    tags = read_tags(text, ("type",), ("param_1", "param_2", "description"))
    if isinstance(tags, Malformed):
        return Malformed(f"the translation {tags.why}")
    number = _number(tags["type"])
    option = next((each for each in options if each.number == number), None)
    if option is None:
        return Malformed(f"there is no action type {tags['type'][:_SHOWN]}")
    values = []
    for place, meaning in enumerate(option.values, 1):
        value = _number(tags.get(f"param_{place}", ""))
        if value is None:
            return Malformed(f"the translation has no whole number for {meaning} in <param_{place}>")
        values.append(value)
    return Choice(option.number, tuple(values), sentence)


def _options(team: Team[AgentEnv], agent: int) -> Sequence[Option]:
    return team.env.options(team.kind(agent), team.single)


def _plain(text: str) -> str:
    """Return a line in lower case without brackets, commas and a full stop at its end."""
    return " ".join(re.sub(r"[(),]", " ", text.lower()).split()).removesuffix(".").rstrip()


def _form(option: Option) -> str:
    """Return the pattern of an option's lines: its example, where any whole number may stand for each number."""
    words = re.split(r"-?[0-9]+", _plain(option.example))
    if len(words) != len(option.values) + 1:
        raise ValueError(f"the example `{option.example}` does not have {len(option.values)} numbers")
    return r"([+-]?[0-9]{1,9})".join(map(re.escape, words))


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text.strip())
    return int(match[1]) if match else None
