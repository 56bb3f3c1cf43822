"""Commanders of a study on a set of drawn battles: each writes one plan for each battle, before its first tick.

Rules: docs/rules/sets.md 3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import jax

from dsl import UserError
from dsl.wording import is_whole
from hive.engine.batch.mixed import tier_of, to_tier
from hive.engine.spawning import reset
from hive.engine.types import State
from hive.experiments.panel.measuring import PanelSearch, Trial
from hive.experiments.panel.members import PLAIN
from hive.kit.keep.digests import read_value
from hive.kit.keep.lines import seal
from hive.kit.plan_text import PlanText
from hive.players.llm.client import PLAIN as AS_PUBLISHED
from hive.players.llm.client import Client, ModelError, Settings, Topic
from hive.players.llm.dialogue import Dialogue
from hive.players.llm.session import constraint_of
from hive.players.words.reading import interpret
from hive.worlds.battle.drawn.draw import Drawn

TASK = (
    "Write one plan for the complete battle that fulfils the mission of the briefing. There will be no later order, "
    "so the plan must last until the battle is decided."
)
"""What a language model is asked in each battle."""
COSTS = "costs.json"
_reset = jax.jit(reset)


@dataclass(frozen=True)
class Written:
    """What a commander wrote for one battle.

    Attributes:
        kind: `plan`, or why there is none, as in `hive.players.llm.dialogue.Answer`; `no_reply` after a failed request.
        text: The plan; the reply where it is none.
        calls: Requests to a model.
        sent: Tokens sent, as the server counted them; None if it did not.
        received: Tokens received, likewise.
        games: Games that were played to find the plan.
        seconds: Wall time of all of this.
    """

    kind: str
    text: str
    calls: int = 0
    sent: int | None = 0
    received: int | None = 0
    games: int = 0
    seconds: float = 0.0

    def costs(self) -> dict[str, Any]:
        """Return all but the text, in plain values."""
        return {key: value for key, value in asdict(self).items() if key != "text"}


class SetCommander(Protocol):
    """Writes plans."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    def write(self, trial: Trial) -> Written:
        """Return the plan for a battle."""


@dataclass(frozen=True)
class Member:
    """A member of the panel without a search: `stand`, `attack` or `default`."""

    name: str

    def write(self, trial: Trial) -> Written:
        """Return the member's plan."""
        return Written("plan", trial.plans[self.name])


@dataclass(frozen=True)
class WordsMember:
    """The plain commander, which reads an order that says the mission in English and thinks of no strategy."""

    name: str = "words"

    def write(self, trial: Trial) -> Written:
        """Return its reading of the first order that it understands."""
        facts = trial.world.facts(first_state(trial))
        answers = [interpret(order, facts) for order in mission_orders(trial.drawn)]
        found = next((answer for answer in answers if answer.plan), answers[0])
        return Written("plan", f"{found.plan}\n") if found.plan else Written("no_plan", found.question)


@dataclass(frozen=True)
class SearchMember:
    """A search of at most so many plans, which begins with the battle's own plan and plays other seeds than a study.

    Attributes:
        most: Most plans.
    """

    most: int

    @property
    def name(self) -> str:
        """Its name with the budget, such as `search-64`."""
        return f"search-{self.most}"

    def write(self, trial: Trial) -> Written:
        """Return the best plan of the search."""
        search = PanelSearch(trial, self.most, "default")
        while not search.ended:
            search.advance()
        return Written("plan", search.text, games=search.search.games)


@dataclass(frozen=True)
class FolderMember:
    """Plans of a folder: `CLASS-SEED.plan` for each battle, and what they cost in `costs.json`, if it is there.

    Attributes:
        folder: The folder; its name is the commander's.
    """

    folder: Path
    known: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Read what the plans cost.

        Raises:
            UserError: There is no such folder, or its costs are not those of plans.
        """
        if not self.folder.is_dir():
            raise UserError(
                f"there is no folder {self.folder}\n  = help: `plans:DIR` names a folder of CLASS-SEED.plan"
            )
        if (self.folder / COSTS).exists():
            self.known.update(_read_costs(self.folder / COSTS))

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def write(self, trial: Trial) -> Written:
        """Return the plan of the folder; a battle without a file has no plan.

        Raises:
            UserError: The file cannot be read.
        """
        file = self.folder / f"{stem_of(trial.name)}.plan"
        costs = self.known.get(trial.name, {"kind": "plan" if file.exists() else "no_plan"})
        try:
            text = file.read_bytes().decode("utf-8") if file.exists() else ""  # with the ends of lines as they are
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {file}: {error}") from None
        return Written(**{**costs, "text": text})


@dataclass(frozen=True)
class ModelMember:
    """A language model, which is sent the compact text of a battle and asked for a plan once.

    Attributes:
        client: Asks the model.
        settings: How replies are drawn.
        repairs: How often a plan with errors is sent back.
        grammar: Whether a server that can is given the grammar of plans for the battle.
    """

    client: Client
    settings: Settings = AS_PUBLISHED
    repairs: int = 0
    grammar: bool = False

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.client.name

    def write(self, trial: Trial) -> Written:
        """Return the plan of the model's reply."""
        world = trial.world
        words = world.describe(first_state(trial))
        dialogue = Dialogue(
            self.client,
            words.short_system,
            world.context(),
            repairs=self.repairs,
            grammar=constraint_of(world.context()) if self.grammar else None,
            settings=self.settings,
            topic=Topic(world.name, plan=world.plan),
        )
        try:
            answer = dialogue.ask(TASK, words.short_state, ())
        except ModelError as error:
            return Written("no_reply", str(error))
        replies = answer.replies

        def tokens(which: str) -> int | None:
            counts = [getattr(reply.usage, which) for reply in replies]
            return None if None in counts else sum(counts)

        return Written(
            answer.kind,
            answer.plan.text if answer.plan else replies[-1].text,
            len(replies),
            tokens("prompt"),
            tokens("reply"),
            seconds=round(sum(reply.seconds for reply in replies), 3),
        )


def first_state(trial: Trial) -> State:
    """Return the game with seed 0 before its first tick; battles of one tier share the program."""
    params, count = trial.world.params, sum(trial.world.sizes)
    state: State = _reset(to_tier(params, tier_of(params)), jax.random.key(0))
    return state.replace(**{name: getattr(state, name)[:count] for name in ("position", "health", "cooldown")})


def mission_orders(drawn: Drawn) -> list[str]:
    """Return orders that say the mission of a battle; the plain commander follows the first that it understands."""
    mission = drawn.mission
    places = [f"({x}, {y})" for x, y in mission.places]
    match mission.kind:
        case "eliminate":
            return ["send each type against the enemy that it beats", "everyone attack the nearest enemies"]
        case "hold":
            return [f"share the army out over {' and '.join(places)} and hold them", f"everyone hold {places[0]}"]
        case "survive":
            return ["everyone hold their position"]
        case _:
            return [f"everyone go to {places[0]}"]


def read_commander(text: str) -> SetCommander:
    """Return a commander that is named in one word.

    Args:
        text: `stand`, `attack`, `default`, `words`, `search:PLANS` or `plans:DIR`.

    Raises:
        UserError: It is none of these.
    """
    kind, _, rest = text.partition(":")
    if kind == "plans" and rest:
        return FolderMember(Path(rest))
    if kind == "search" and is_whole(rest) and 32 <= int(rest) <= 100_000:
        return SearchMember(int(rest))
    if text == "words":
        return WordsMember()
    if text in PLAIN:
        return Member(text)
    known = "stand, attack, default, words, search:PLANS with 32 plans or more, and plans:DIR"
    raise UserError(f"`{text}` is no commander\n  = help: commanders are {known}; models are named with --model")


def stem_of(battle: str) -> str:
    """Return the stem of the files of a battle, such as `rivers-17`."""
    return battle.removeprefix("battle/").replace("/", "-")


def files_of(written: Mapping[str, Written]) -> dict[str, str]:
    """Return the files of a folder of plans, from which `FolderMember` reads the same."""
    found = {f"{stem_of(battle)}.plan": each.text for battle, each in written.items()}
    return {**found, COSTS: seal(json.dumps({"kept": {name: each.costs() for name, each in written.items()}})) + "\n"}


def check(trial: Trial, written: Written) -> PlanText | None:
    """Return the plan of what was written, checked; None where it has errors or is none."""
    if written.kind != "plan":
        return None
    found = PlanText.read(written.text if "\n" in written.text else f"{written.text}\n", trial.world.context())
    return None if found.failure else found


def _read_costs(path: Path) -> dict[str, Any]:
    kinds: dict[str, tuple[type, ...]] = {
        "kind": (str,), "calls": (int,), "sent": (int, type(None)), "received": (int, type(None)), "games": (int,),
        "seconds": (int, float),
    }  # fmt: skip
    try:
        found = read_value(path)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    good = isinstance(found, dict) and all(
        isinstance(each, dict)
        and each.keys() == kinds.keys()
        and all(type(each[key]) in kind for key, kind in kinds.items())
        for each in found.values()
    )
    if not good:
        raise UserError(f"{path} does not say what plans cost\n  = help: `hive study --out DIR` writes such files")
    return dict(found)


def digest_texts(written: Sequence[Written]) -> list[str]:
    """Return what decides how a commander plays: what it wrote for each battle."""
    return [f"{each.kind}\n{each.text}" for each in written]
