"""A client for every endpoint that speaks the protocol of OpenAI's chat completions, through the `openai` package."""

from __future__ import annotations

from collections.abc import Sequence

from hive.llm.client import (
    NO_TOPIC,
    PLAIN,
    Constraint,
    Image,
    Message,
    ModelError,
    Reply,
    Say,
    Secret,
    Settings,
    Told,
    Topic,
)


class Endpoint:
    """Asks a model at an endpoint."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: Secret | None = None,
        grammar: str = "auto",
        timeout: float = 120.0,
        say: Say | None = None,
    ) -> None:
        """Name the model and its endpoint."""
        self.name = model

    @property
    def about(self) -> str:
        """Who answers."""
        return f"{self.name} answers"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        grammar: Constraint | None = None,
        images: Sequence[Image] = (),
        settings: Settings = PLAIN,
        topic: Topic = NO_TOPIC,
        told: Told | None = None,
    ) -> Reply:
        """Ask; see `Client.complete`."""
        raise ModelError("endpoints are not implemented yet")
