"""Episodes by name: shipped ones, generated ones by their seed, and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from dsl import UserError
from dsl.wording import did_you_mean, is_whole, nearest
from hive.kit.keep.reading import read_text
from hive.worlds.household import generator, houses
from hive.worlds.household.episode import HouseholdEpisode, episode, episodes, read_episode, transports

PREFIX = "household/"
"""First part of the names of households among other worlds."""

_MADE: dict[str, Callable[[int], HouseholdEpisode]] = {
    generator.GENERATED_PREFIX: generator.generate,
    houses.TRANSPORT_PREFIX: houses.generate_transport,
}


GROUPS = {
    "cwah": lambda: sorted(episodes(), key=lambda name: int(name.rpartition("_")[2])),
    "tdw": lambda: list(transports()),
}
"""Words that stand for several shipped episodes: housework, and transport."""


def expanded(words: Iterable[str]) -> list[str]:
    """Return names of episodes, each once; a word of `GROUPS` stands for several."""
    found = [name for word in words for name in GROUPS.get(word.removeprefix(PREFIX), lambda word=word: [word])()]
    return list(dict.fromkeys(found))


def find_episode(name: str) -> HouseholdEpisode:
    """Return an episode.

    Args:
        name: A shipped name such as `cwah_0` or `tdw_2_0_rare_food`; `generated_N` for the housework or `transport_N`
            for the transport that is drawn from seed N; or the path of a `.toml` file. `PREFIX` may precede names.

    Raises:
        UserError: There is no such episode, or its file cannot be used.
    """
    if name.endswith(".toml"):
        path = Path(name)
        return replace(read_episode(read_text(path, "household-file"), str(path), path.parent), name=path.stem)
    short = name.removeprefix(PREFIX)
    for prefix, make in _MADE.items():
        seed = short.removeprefix(prefix)
        if short != seed and is_whole(seed) and len(seed) < 19:
            return make(int(seed))
    shipped = (*episodes(), *transports())
    if short not in shipped:
        help = (
            did_you_mean(nearest(short, shipped))
            or "`hive list households` names them; generated_N and transport_N have seed N"
        )
        raise UserError(f"there is no household `{short[:80]}`\n  = help: {help}")
    return episode(short)
