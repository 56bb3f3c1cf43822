"""What a cook is shown of the kitchen, as facts and as text (docs/rules/kitchen.md 10.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive.kit.prompts import Prompt, read_prompt

VERSION = 2  # of the words that agents read
EMPTY = "empty"
NOTHING = "nothing"
IN_A_DISH = " in a dish"

_HOLDS, _WORKS, _READY = "holds ", "works on ", " is ready"
_LEFT = re.compile(r"works on (\S+), ready in (\d+) timesteps?")
_SPACE = re.compile(r"(\w+) uses: (.+)")
_TIMES = re.compile(r"Timesteps for (\w+) to act at: (.+)")
_HAND = re.compile(r"(\w+) holds: (.+)")
_OPERATION = re.compile(r"(\w+) \((\w+), (\d+) timesteps?\)")


def words() -> Prompt:
    """Return the words that agents read."""
    return read_prompt("hive.worlds.kitchen.agents", VERSION)


@dataclass(frozen=True)
class UtensilView:
    """A utensil.

    Attributes:
        name: Such as `pot0`.
        contents: Items put in and not started.
        remark: What these items are good for.
        product: What it makes or has made; empty if it was not started.
        left: Timesteps until the product is ready.
    """

    name: str
    contents: tuple[str, ...] = ()
    remark: str = ""
    product: str = ""
    left: int = 0

    def line(self) -> str:
        """The utensil as agents read it."""
        if self.product:
            left = f", ready in {self.left} timestep{'s' * (self.left != 1)}"
            state = f"{_WORKS}{self.product}{left}" if self.left else self.product + _READY
        else:
            state = f"{_HOLDS}{', '.join(self.contents)}; {self.remark}" if self.contents else EMPTY
        return f"- {self.name}: {state}"


@dataclass(frozen=True)
class View:
    """What both cooks see alike, apart from counters that only one of them reaches.

    Attributes:
        order: What is to be delivered.
        timestep: From 0.
        spaces: For each cook its name and what it uses, such as `pot0 (cook, 3 timesteps)`.
        hands: Name of each cook and what it holds; empty for nothing. Food in a dish ends with `IN_A_DISH`.
        times: Name of each cook and the timesteps in which it acts at each place, from where it is.
        tools: All utensils.
        shared: Item on each counter that both cooks reach; empty for none.
        own: Items on counters that the cook alone reaches.
        notices: What went wrong in the timestep before.
    """

    order: str
    timestep: int
    spaces: tuple[tuple[str, tuple[str, ...]], ...]
    hands: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    tools: tuple[UtensilView, ...]
    shared: tuple[str, ...]
    own: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def operations(self, name: str) -> dict[str, tuple[str, int]]:
        """Return operation and working time of each utensil that a cook uses."""
        return {
            found[1]: (found[2], int(found[3]))
            for cook, space in self.spaces
            if cook == name
            for found in map(_OPERATION.fullmatch, space)
            if found
        }


def view_text(view: View) -> str:
    """Return what a cook reads."""
    return (
        words()
        .fill(
            "View",
            order=view.order,
            timestep=view.timestep,
            spaces="\n".join(f"{name} uses: {', '.join(space)}" for name, space in view.spaces),
            hands="\n".join(f"{name} holds: {item or NOTHING}" for name, item in view.hands),
            times="\n".join(f"Timesteps for {name} to act at: {times}" for name, times in view.times),
            utensils="\n".join(tool.line() for tool in view.tools),
            shared=", ".join(item or EMPTY for item in view.shared),
            own=f"Your own counters hold: {', '.join(view.own)}\n" if view.own else "",
            notices="\n".join(f"Notice: {each}" for each in view.notices),
        )
        .strip()
    )


def read_view(text: str) -> View:
    """Return the facts in a text of `view_text`.

    Raises:
        ValueError: It is another text.
    """
    lines = text.splitlines()
    named = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith("- "))
    if not {"Order", "Timestep", "Shared counters"} <= named.keys():
        raise ValueError("this is no view of a kitchen")
    return View(
        order=named["Order"],
        timestep=int(named["Timestep"]),
        spaces=tuple((found[1], tuple(_split(found[2]))) for found in map(_SPACE.fullmatch, lines) if found),
        hands=tuple((f[1], "" if f[2] == NOTHING else f[2]) for f in map(_HAND.fullmatch, lines) if f),
        times=tuple((found[1], found[2]) for found in map(_TIMES.fullmatch, lines) if found),
        tools=tuple(_tool(line) for line in lines if line.startswith("- ")),
        shared=tuple("" if item == EMPTY else item for item in named["Shared counters"].split(", ")),
        own=tuple(filter(None, named.get("Your own counters hold", "").split(", "))),
        notices=tuple(line.removeprefix("Notice: ") for line in lines if line.startswith("Notice: ")),
    )


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    return re.split(r", (?![^(]*\))", text)


def _tool(line: str) -> UtensilView:
    name, state = line.removeprefix("- ").split(": ", 1)
    if working := _LEFT.fullmatch(state):
        return UtensilView(name, product=working[1], left=int(working[2]))
    if state.startswith(_HOLDS):
        contents, remark = state.removeprefix(_HOLDS).split("; ", 1)
        return UtensilView(name, tuple(contents.split(", ")), remark)
    return UtensilView(name) if state == EMPTY else UtensilView(name, product=state.removesuffix(_READY))
