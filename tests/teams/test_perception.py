"""What a model is sent that describes what an agent sees: a text, a picture, or both; and who reads no pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dsl import UserError
from hive.kit.agent_env import Observation, PictureView
from hive.players.llm.client import ChatRequest, Image, Message, ModelError, Reply, TextSink
from hive.players.teams.frameworks import FRAMEWORKS
from hive.players.teams.perception import view_messages
from hive.players.teams.playing import play
from hive.players.teams.rules import TeamRules
from hive.players.teams.speaking import ScriptedSpeaker
from tests.teams.speaking import Speaker
from tests.teams.toy import Toy, ToyEpisodes


def drawn(grid: bool) -> PictureView:
    return PictureView(b"lined" if grid else b"bare", "The legend.", "The facts.")


class DrawnToy(Toy):
    """A toy world that draws what its first agent sees; the second one sees nothing that can be drawn."""

    def observe(self, agent: int) -> Observation:
        return replace(super().observe(agent), draw=drawn if agent == 0 else lambda grid: None)


class Looker(Speaker):
    """Keeps the requests with pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.pictured: list[ChatRequest] = []

    def complete(self, request: ChatRequest, told: TextSink | None = None) -> Reply:
        self.pictured += [request] * bool(request.images)
        return super().complete(request, told)


@pytest.mark.parametrize(
    ("perception", "text", "png"),
    [
        ("image", "The facts.\n\nThe legend.", b"bare"),
        ("grid", "The facts.\n\nThe legend.", b"lined"),
        ("both", "{view}\n\nThe legend.", b"lined"),
    ],
)
def test_perceptions_alone_have_pictures(perception: str, text: str, png: bytes) -> None:
    """docs/rules/teams.md 2: one picture in a call of perception, and in no other call."""
    client, toy = Looker(), DrawnToy(2)
    view = toy.observe(0).view
    rules = TeamRules(steps=1, perception=perception)
    (episode,) = play(ToyEpisodes([toy]), FRAMEWORKS["coela"], client, rules, concurrent=1)
    (request,) = client.pictured
    assert request.messages[-1].text == text.format(view=view) and request.images[0].png == png
    assert [each.text for each in client.of("perceive", "AGENT_2")] == [toy.observe(1).view], "it is in no picture"
    (row, *_) = episode.journal.rows
    kept = next(call["digest"] for call in row["asked"] if call["purpose"] == "perceive")
    assert kept == request.key(client.name), "a journal finds the answer by the digest of the picture"
    other = replace(request, images=[Image(request.images[0].name, b"another picture")])
    assert other.key(client.name) != kept


def test_a_world_without_pictures_and_a_speaker_without_eyes_say_so() -> None:
    with pytest.raises(UserError, match="agents of this world draw no pictures"):
        view_messages(Toy().observe(0), "image")
    with pytest.raises(UserError, match="there is no perception `smell`\n  = help: it is `text`, `image`, `grid`"):
        TeamRules(perception="smell")
    with pytest.raises(UserError, match="no model is asked what agents see"):
        TeamRules(perception="image", direct_perception=True)
    blind = ScriptedSpeaker(lambda system, texts: "I see.")
    with pytest.raises(ModelError, match="reads texts and no pictures\n  = help: name a model"):
        blind.complete(ChatRequest([Message("user", "Look.")], images=[Image("view.png", b"")]))
