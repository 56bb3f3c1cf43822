"""A kitchen's page in a browser: its scene, with the conversation next to it."""

from __future__ import annotations

from typing import Any

from hive.kit.view.pages import ScenePage, SceneWords
from hive.worlds.kitchen.recording import KitchenRecording
from hive.worlds.kitchen.view import palette as kitchen_palette
from hive.worlds.kitchen.view.scene import KitchenScene, in_hand, last_action, order_words, served


def kitchen_page(recording: KitchenRecording) -> ScenePage:
    """Return what the page of a recording shows."""
    words = SceneWords(
        beat="timestep",
        scene="Kitchen",
        limit=f"limit: timestep {recording.limit:,}",
        doing="What the cooks do",
        talk="Conversation",
        silence="The cooks say nothing in this run.",
        verbs=("says", "plans", "thinks", "is refused"),
        agents=tuple(cook.name for cook in recording.layout.cooks),
        tints=kitchen_palette.COOKS,
        legend=kitchen_palette.LEGEND,
        symbol=20,
        reach=0.45,
        pace=2,
        order="Order",
        order_symbol=30,
    )
    return ScenePage(KitchenScene(recording), words, lambda t: _panels(recording, t))


def _panels(recording: KitchenRecording, t: int) -> list[Any]:
    """Return what stands next to the map: the action and the hand of each cook, and the order."""
    cooks = [
        ("", last_action(recording, t, cook), [f"item {code}"] if code else [], in_hand(recording, t, cook))
        for cook, code in enumerate(recording.held[t].tolist())
    ]
    return [*cooks, [(f"item {served(recording)}", "Order: ", order_words(recording))]]
