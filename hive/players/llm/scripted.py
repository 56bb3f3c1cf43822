"""Clients without a model: a list of replies, a folder of plans, and a writer of the plan of the topic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsl import UserError
from hive.kit.keep.places import because, read_text
from hive.players.llm.client import ChatRequest, Message, ModelError, Reply, TextSink, Topic, Usage

_FENCED = "BEGIN PLAN"


class Script:
    """Gives the replies of a list, one after another."""

    def __init__(self, replies: Sequence[str | Reply | ModelError], name: str = "script") -> None:
        """Keep the replies; a `ModelError` among them is raised when its turn comes."""
        self.name = name
        self.asked: list[tuple[Message, ...]] = []
        self._replies = list(replies)

    @property
    def about(self) -> str:
        """Who answers."""
        return f"a script of {len(self._replies)} replies answers, no model"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return the next reply; see `Client.complete`.

        Raises:
            ModelError: It is the turn of one, or the script is over.
        """
        if len(self.asked) >= len(self._replies):
            raise ModelError(
                f"the script is over: it has {len(self._replies)} replies\n  = help: add a reply for each call"
            )
        reply = self._replies[len(self.asked)]
        self.asked.append(tuple(request.messages))
        if isinstance(reply, ModelError):
            raise reply
        reply = Reply(reply, self.name) if isinstance(reply, str) else reply
        if told:
            told(reply.text)
        return reply


class PlanFolder:
    """Replies with plans that were written before: those of a folder, else the world's own plan.

    Files are `TASK/*.plan`, `TASK_*.plan` or `TASK.plan`, where TASK is the name of a world (without `wildfire/`) or of
    an ability; prompt n gets file n in the order of names, and begins again after the last.
    """

    name = "plan folder"

    def __init__(self, folder: Path | None = None) -> None:
        """Use a folder; None: the worlds' own plans only.

        Raises:
            UserError: It is not a folder.
        """
        if folder is not None and not folder.is_dir():
            raise UserError(
                f"there is no folder {folder}\n  = help: name a folder with plans such as coordinate/mine.plan"
            )
        self._folder = folder

    @property
    def about(self) -> str:
        """Who answers."""
        where = f"the plans of {self._folder}" if self._folder else "the shipped plans"
        return f"no model is named, so {where} answer and prompts are not read; name a model with --model"

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return the plan for the topic; see `Client.complete`.

        Raises:
            ModelError: There is none.
        """
        text = fenced(self._plan(request.topic))
        if told:
            told(text)
        return Reply(text, self.name)

    def _plan(self, topic: Topic) -> str:
        names = dict.fromkeys(name for name in (topic.task, topic.world.split("/")[-1]) if name)
        for name in names:
            ways = (f"{name}/*.plan", f"{name}_*.plan", f"{name}.plan") if self._folder else ()
            files = sorted({path for way in ways for path in Path(self._folder or "").glob(way)})
            if files:
                return _text(files[topic.number % len(files)])
        if topic.plan is None:
            where = f"the folder {self._folder} has no plan" if self._folder else "there is no shipped plan"
            raise ModelError(
                f"{where} for {topic.task or topic.world or 'this world'}\n  = help: ask a model with --model"
            )
        return topic.plan


class PlanWriter:
    """Replies with the plan of the topic, which a scripted commander wrote; tokens are counted as words."""

    name = "scripted plan writer"
    about = (
        "no model is named, so the scripted commander of the level writes the plans: "
        "prompts are not read, and tokens are counted as words"
    )

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return the plan of the topic; see `Client.complete`.

        Raises:
            ModelError: The topic has none.
        """
        if request.topic.plan is None:
            raise ModelError(
                f"there is no scripted commander for {request.topic.world or 'this world'}\n"
                "  = help: ask a model with --model NAME"
            )
        return reply_in_words(self.name, request, request.topic.plan, told)


def fenced(text: str) -> str:
    """Return a plan between its markers; a text that names no step is none, and stays as it is."""
    bare = _FENCED in text or "step" not in text.lower()
    return text if bare else f"BEGIN PLAN\n{text.strip()}\nEND PLAN\n"


def reply_in_words(name: str, request: ChatRequest, text: str, told: TextSink | None) -> Reply:
    """Return the reply of a client that is no model, and tell it; its tokens are counted as words."""
    if told:
        told(text)
    return Reply(text, name, Usage(sum(len(message.text.split()) for message in request.messages), len(text.split())))


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot read {path}: {because(error)}") from None
