"""A speaker by rules as a client, for episodes without a model."""

from __future__ import annotations

from hive.kit.agent_env import Speaker
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink
from hive.players.llm.scripted import PlanWriter, reply_in_words

NAME = "scripted speaker"
"""Name of the speaker of any kind of world, unless a caller gives another one."""

IN_WORDS = (NAME, PlanWriter.name)
"""Names of clients whose tokens are words, also where a recording of them is replayed."""

NO_PICTURES = (
    "a scripted speaker reads texts and no pictures\n"
    "  = help: name a model that reads pictures with --model, or leave out --perception"
)


class ScriptedSpeaker:
    """Answers by a world's `Speaker`, which reads nothing but the messages; tokens are counted as words.

    Attributes:
        name: For results and journals.
        about: Who answers, in words.
    """

    about = "no model is named, so a scripted speaker answers the prompts by rules; its tokens are counted as words"

    def __init__(self, speaker: Speaker, name: str = NAME) -> None:
        """Answer with a speaker."""
        self._speaker, self.name = speaker, name

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Answer; see `Client.complete`.

        Raises:
            ModelError: The request has a picture.
        """
        if request.images:
            raise ModelError(NO_PICTURES)
        system, *texts = (message.text for message in request.messages)
        return reply_in_words(self.name, request, self._speaker(system, texts), told)
