"""What frameworks share whose agents choose among proposals (docs/rules/household.md 10)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hive.kit.agent_env import Choice, Proposal, ProposalAgentEnv
from hive.kit.keep.dialogue import Line, LineKind
from hive.players.llm.client import clean
from hive.players.llm.forms import Field, Offer
from hive.players.teams.mail import Mail, one_line
from hive.players.teams.perception import Asking
from hive.players.teams.roster import PastAction
from hive.players.teams.slots import NO_TEXT
from hive.players.teams.tags import Malformed, read_tags, spoken
from hive.players.teams.team import Team

ACTIONS = 10
"""Latest actions that an agent is shown."""

DIALOGUE = 3
"""Latest messages that an agent is shown."""

GREETINGS = (
    "Hi, I will tell you when I find objects of our goal or finish a part of it, and I ask for help when I need some.",
    "Good, and I will do the same.",
)
"""What the first two agents are said to have written before the first step."""

SILENCE = "nothing"
"""What an agent writes in place of a message that it does not send."""

_LETTER = re.compile(r"(?:(?i:option|action|answer)[ :]*)?\(?([A-Z]{1,2})(?:[.):]|$)")
_LETTERS = re.compile(
    r"\b(?i:option|action|answer|choice)[ :]+([A-HJ-Z]|[A-Z]{2})\b|\(([A-Z]{1,2})\)|\b(?!I,)([A-Z]{1,2})(?=[.,:;)*]|$)"
)  # inside a sentence, where `A` and `I` may be words
_NAME = re.compile(r"<([^<>]+)>")
_NUMBER = re.compile(r"\((\d+)\)")
_VERBS = ("explore", "check", "grab", "put", "transport", "wait", "send")
_COST = re.compile(r" with \d+ steps?\b")
_LOGGED = re.compile(r"step \d+, (\w+): (.*)", re.DOTALL)
_TOLD = {"reflect": (LineKind.LESSON, "knowledge"), "talk": (LineKind.TALK, "say")}


def deciding(team: Team[ProposalAgentEnv]) -> list[int]:
    """Return the agents that choose now; those that have no choice begin what they must."""
    found = []
    for agent in team.free():
        if agent in team.doing:
            continue
        forced = team.env.forced(agent)
        if forced is None:
            found.append(agent)
        else:
            team.begin(agent, forced, "forced")
    return found


def together(parts: Sequence[Asking[None]]) -> Asking[None]:
    """Run parts side by side: the calls that they wait for go out together, in their order."""
    waiting = []
    for part in parts:
        try:
            waiting.append((part, next(part)))
        except StopIteration:
            continue
    while waiting:
        answers = yield [ask for _, asks in waiting for ask in asks]
        going, place = [], 0
        for part, asks in waiting:
            mine, place = answers[place : place + len(asks)], place + len(asks)
            try:
                going.append((part, part.send(mine)))
            except StopIteration:
                continue
        waiting = going


def texts_of(team: Team[ProposalAgentEnv], agent: int) -> dict[str, str]:
    """Return what every prompt of an agent shows: progress, dialogue and history, and what it knows of the others."""
    greetings = [f"- {seat.name}: {words}" for seat, words in zip(team.env.seats, GREETINGS, strict=False)]
    said = [_addressed(team, mail).line() for mail in team.chats[agent][-DIALOGUE:]]
    first = f"- before step 1: explore {team.observations[agent].place}"
    return {
        "progress": team.observations[agent].view,
        "mates_do": "" if team.rules.published else "\n".join(_mates(team, agent)),
        "dialogue": "\n".join([*greetings, *said]) or NO_TEXT,
        "latest": "\n".join(_latest(team, agent)) or first,
        "knowledge": team.tips or NO_TEXT,
    }


def _addressed(team: Team[ProposalAgentEnv], mail: Mail) -> Mail:
    """Return a message to all as one to the only other agent, where there is only one."""
    others = [seat.name for seat in team.env.seats if seat.name != mail.sender]
    return replace(mail, to=others[0]) if len(others) == 1 else mail


def watch(team: Team[ProposalAgentEnv]) -> None:
    """Note what each agent sees the others in its room do; called when all agents have chosen."""
    for agent in team.living:
        for other in team.living:
            action = team.doing.get(other)
            if other != agent and action and team.env.meets(agent, other):
                team.seen[agent, other] = (team.step, action.words)


def _mates(team: Team[ProposalAgentEnv], agent: int) -> Iterator[str]:
    """Say what an agent knows of what the others do: of those in its room now, of the rest what it saw last.

    Actions that begin in this step are left out, since all agents choose at the same time.
    """
    for other in team.living:
        name, action = team.name(other), team.doing.get(other)
        if other == agent:
            continue
        if team.env.meets(agent, other):
            goes_on = action is not None and action.begun < team.step
            does = f"does: {action.words}" if action and goes_on else "chooses its next action now, as you do"
            yield f"- {name} is in your room and {does}"
        elif (agent, other) in team.seen:
            step, words = team.seen[agent, other]
            yield f"- {name} is not in your room. When you saw it last, in step {step}, it did: {words}"
        else:
            yield f"- {name} is not in your room. You have not seen it do anything yet."


def _latest(team: Team[ProposalAgentEnv], agent: int) -> list[str]:
    """Return an agent's latest actions, a line each, with why one was cancelled; equal ones in a row are one."""
    rows: list[PastAction] = []
    for action in team.histories[agent]:
        last = rows[-1] if rows else None
        if last and (last.words, last.place, last.ended + 1) == (action.words, action.place, action.begun):
            rows[-1] = replace(last, ended=action.ended)
        else:
            rows.append(action)
    why = team.env.cancelled(agent)
    return [
        f"- {action.line('begun in')}{f'; cancelled: {why[action.ended]}' if action.ended in why else ''}"
        for action in rows
    ][-ACTIONS:]


def tell(team: Team[ProposalAgentEnv], agent: int, text: str) -> None:
    """Spend the agent's step on a message; the others read it from the next step on."""
    longest, text = team.env.longest, one_line(text)
    if len(text) > longest:
        team.note(agent, f"its message has {len(text):,} characters; the first {longest} are sent")
        text = text[:longest]
    team.send(agent, None, text)
    team.begin(agent, team.env.sending(agent, text), "sent")


def deliver(team: Team[ProposalAgentEnv]) -> None:
    """Add the messages of this step to the dialogue of every agent; called when all agents have chosen."""
    for mail in team.record.mail:
        for agent in team.living:
            team.chats[agent].append(mail)


def lettered(words: Sequence[str]) -> str:
    """Return proposals as agents read them, a line each: `A. go check <fridge> (5)`."""
    return "\n".join(f"{letter(number)}. {each}" for number, each in enumerate(words)) or NO_TEXT


def letter(number: int) -> str:
    """Return the letter of a proposal: A to Z, then AA, AB, ..."""
    return (chr(64 + number // 26) if number >= 26 else "") + chr(65 + number % 26)


def steps_of(ticks: float | None) -> str:
    """Return an estimate as it stands after a proposal."""
    steps = 0 if ticks is None else max(round(ticks), 1)
    return f" with {steps} step{'s' if steps > 1 else ''}" if steps else ""


def choice_field(name: str, words: str, shown: Sequence[str]) -> Field:
    """Return the field of a form in which a proposal is chosen, by its letter."""
    offers = [Offer(letter(number), each) for number, each in enumerate(shown)]
    return Field(name=name, words=words, offers=offers, empty=None, written=False)


def pick(words: Sequence[str], answer: str) -> int | None:
    """Find the proposal that an answer names: by its exact text, by its letter, or by verb, name and number.

    A letter counts at the beginning of the answer and, if only one proposal's letter is there, inside a sentence. Where
    verb and number fit no proposal, what the answer has of verbs, names and numbers must fit exactly one.

    Args:
        words: The proposals, without estimates.
        answer: Text of a model.

    Returns:
        Number of the proposal; None if the answer names none, or several.
    """
    said = _plain(answer)
    plain = [_plain(each).lower() for each in words]
    exact = [n for n, each in enumerate(plain) if each == said.lower()]
    inside = [n for n, each in enumerate(plain) if re.search(rf"{re.escape(each)}(?!\w)", said.lower())]
    for found in (exact, inside):
        if len(found) == 1:
            return found[0]
    letters = {letter(n): n for n in range(len(words))}
    first = {match[1] for match in [_LETTER.match(said)] if match}
    later = {match[match.lastindex or 0] for match in _LETTERS.finditer(said)}
    for marks in (first, later):
        marked = [letters[each] for each in marks if each in letters]
        if len(marked) == 1:
            return marked[0]
    named, parts = _parts(said, every=True), [_parts(each) for each in words]
    close = [n for n, each in enumerate(parts) if each and each <= named and (each != {"wait"} or each == named)]
    close = close or _fitting(words, said.lower())
    return close[0] if len(close) == 1 else None


def read_pick(team: Team[ProposalAgentEnv], agent: int, words: Sequence[str], text: str) -> int:
    """Return the proposal that an answer names; one by chance, with a line of the log, where it names none."""
    tags = read_tags(text, ("action",))
    said = spoken(text) if isinstance(tags, Malformed) else tags["action"]
    found = pick(words, said)
    if found is None:
        found = random.Random(f"{team.env.name} {team.env.seed} {team.step} {agent}").randrange(len(words))
        team.note(agent, f"its choice `{one_line(said)[:80]}` names no proposal; one is chosen by chance")
    return found


def begin(team: Team[ProposalAgentEnv], agent: int, choice: Choice, read: str) -> None:
    """Begin an action that was a proposal in this step."""
    why = team.env.check(agent, choice, team.single)
    if why is None:
        team.begin(agent, choice, read)
    else:
        team.idle(agent, f"its action `{choice.words}` cannot begin: {why}")


def words_of(proposals: Sequence[Proposal], costs: bool) -> list[str]:
    """Return the words of proposals, with their estimates or without."""
    return [each.choice.words + (steps_of(each.ticks) if costs else "") for each in proposals]


def plans(team: Team[ProposalAgentEnv], agents: Sequence[int]) -> str:
    """Return where some agents are and what they do, a line each."""
    return "\n".join(
        f"- {team.name(agent)} is in {team.observations[agent].place} and does: "
        + (team.doing[agent].words if agent in team.doing else "it chooses now")
        for agent in agents
        if agent in team.observations
    )


def message_of(text: str) -> str:
    """Return the message of an answer; `NO_TEXT` where it has none or says that there is nothing to say."""
    message = tag_text(text, "message")
    silent = message.strip("().<>*`\"' ").lower() in ("", SILENCE, "none", "no message")
    return NO_TEXT if silent else message


def tag_lines(text: str, name: str) -> list[str]:
    """Return the same with its lines kept; none of them can begin a section of a prompt."""
    inside = re.search(rf"<{name}>(.*?)</{name}>", spoken(clean(text)), re.DOTALL | re.IGNORECASE)
    whole = tag_text(text, name)
    if inside is None or one_line(inside[1]) != whole:
        return [whole] if whole else []
    lines = [one_line(line).lstrip("# ") for line in inside[1].splitlines()]
    return [line for line in lines if line]


def tag_text(text: str, name: str) -> str:
    """Return what stands in a tag of an answer, or the answer without tags, as one line."""
    tags = read_tags(text, (), (name,))
    found: Mapping[str, str] = {} if isinstance(tags, Malformed) else tags
    return found.get(name) or ("" if f"<{name}>" in text.lower() else one_line(spoken(text)))


def _plain(text: str) -> str:
    """Return an action without its estimate and without signs around it."""
    return _COST.sub("", one_line(text)).strip(" .\"'`*")


def _verbs(text: str) -> list[str]:
    return [verb for verb in _VERBS if re.search(rf"\b{verb}\b", text.lower())]


def _parts(text: str, every: bool = False) -> set[str]:
    """Verb and first number of an action, of a message its verb; with `every` all verbs and numbers of a text."""
    verbs, numbers = _verbs(text), _NUMBER.findall(text)
    if every:
        return {*verbs, *numbers}
    return {"send"} if text.startswith("send") else {*verbs[:1], *numbers[:1]}


def _fitting(words: Sequence[str], said: str) -> list[int]:
    """Return the proposals, apart from messages, that have a verb, a name and a number of an answer that has such."""
    things = {
        n: (_NAME.findall(each), _NUMBER.findall(each)) for n, each in enumerate(words) if not each.startswith("send")
    }
    names = {name for found, _ in things.values() for name in found[:1] if re.search(rf"\b{re.escape(name)}\b", said)}
    numbers, verbs = set(_NUMBER.findall(said)), set(_verbs(said))
    return [
        n
        for n, (name, number) in things.items()
        if (names or numbers)
        and (not names or names & {*name[:1]})
        and (not numbers or numbers & {*number[:1]})
        and (not verbs or verbs & {*_verbs(words[n])[:1]})
    ]


def lines(team: Team[ProposalAgentEnv], rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return what a journal says as lines of a recording: messages, utterances, lists, and what went wrong."""
    agents = [seat.name for seat in team.env.seats]
    found = []
    for row in rows:
        tick = row["step"] - 1
        for call in row.get("asked", ()):
            kind, tag = _TOLD.get(call["purpose"], (None, ""))
            tags = read_tags(call["text"], (), (tag,)) if kind is not None else Malformed("")
            if kind is not None and not isinstance(tags, Malformed) and tag in tags:
                found.append(Line(tick, agents.index(call["agent"]), kind, tags[tag]))
        for mail in row.get("mail", ()):
            found.append(Line(tick, agents.index(mail["sender"]), LineKind.SAY, mail["text"]))
        for log in row.get("log", ()):
            match = _LOGGED.fullmatch(log)
            if match and match[1] in agents:
                found.append(Line(tick, agents.index(match[1]), LineKind.PROBLEM, match[2]))
    return found
