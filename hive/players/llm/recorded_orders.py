"""Replies of a model by order: a short recording that answers a world's order whatever else the request says.

A complete recording (`hive.players.llm.recorded`) answers the very same request alone, so a changed description of a
world or of the plan language makes it silent. A short one keeps the orders and the replies, as a TOML file to be read.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from dsl.wording import did_you_mean, nearest
from hive.kit.keep.reading import Line, Reader, Record, read_text
from hive.players.llm.client import ChatRequest, ModelError, Reply, TextSink, clean

SUFFIX = ".toml"  # of short recordings; complete ones are files of lines


def shipped_orders() -> Path:
    """Return the short recording that is shipped: one model's replies to the fifty prompts of the ability tests."""
    return Path(str(resources.files("hive.players.llm").joinpath("recordings", "abilities.toml")))


class OrderReply(Record, frozen=True):
    """What a model replied to one order.

    Attributes:
        world: Name of the world.
        order: The order, without the description of the game that followed it.
        text: The reply.
    """

    world: Line
    order: Line
    text: str


class OrderReplies(Record, frozen=True):
    """A short recording.

    Attributes:
        model: Name of the model.
        units: Size of the player's team for which the plans are written.
        info: Game information that the model read: `full` or `compact`.
        replies: The replies.
    """

    model: Line
    units: Annotated[int, Meta(ge=1)]
    info: Literal["full", "compact"]
    replies: Annotated[tuple[OrderReply, ...], Meta(min_length=1)]

    def orders(self, world: str) -> tuple[str, ...]:
        """Return the orders of a world that are answered."""
        return tuple(each.order for each in self.replies if each.world == world)


def read_orders(path: Path) -> OrderReplies:
    """Read a short recording.

    Raises:
        ScenarioError: It cannot be read, or is no short recording; all problems are listed.
    """
    return Reader("replies", str(path), read_text(path, "replies-file")).table(OrderReplies)


class OrderReplay:
    """Answers from a short recording alone: an order is compared without regard to case and to blanks."""

    def __init__(self, path: Path) -> None:
        """Open a short recording.

        Raises:
            ScenarioError: It cannot be read, or is no short recording.
        """
        self._path, self._found = path, read_orders(path)
        self.name = clean(self._found.model)
        self._texts = {(each.world, _plain(each.order)): clean(each.text) for each in self._found.replies}

    @property
    def about(self) -> str:
        """Who answers."""
        shipped = self._path == shipped_orders()
        whose = "one language model, shipped with HIVE," if shipped else f"{self.name} in {self._path}"
        return (
            f"recorded replies of {whose} answer recorded orders, given word for word; "
            "no model is asked, and the state of the game is not read"
        )

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        """Return the reply that was recorded for the order of a request, the first paragraph of its last message.

        Raises:
            ModelError: There is none.
        """
        world = request.topic.world
        order = _plain(request.messages[-1].text.partition("\n\n")[0])
        text = self._texts.get((world, order))
        if text is None:
            raise ModelError(f"no recorded reply answers this order\n  = help: {self._help(world)}")
        if told:
            told(text)
        return Reply(text, self.name)

    def _help(self, world: str) -> str:
        if orders := self._found.orders(world):
            return f"give one of the {len(orders)} recorded orders of {world} word for word, as in: {orders[0]}"
        worlds = dict.fromkeys(each.world for each in self._found.replies)
        return did_you_mean(nearest(world, worlds)) or f"they answer orders for {', '.join(worlds)}"


def _plain(order: str) -> str:
    return " ".join(order.casefold().split())
