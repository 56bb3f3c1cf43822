"""A scenario's own trees: paths under `behaviours`, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dsl
import scenarios
from dsl.vocabulary import BATTLE_FORMS, CREW_TYPES
from hive.kit.keep.places import read_text, reason
from hive.kit.keep.reading import Problems, hint
from hive.worlds.battle.scenario.model import Side

_OF_BATTLES = {form.name for form in BATTLE_FORMS}


def resolve_trees(side: Side, place: str, folder: Path | None, trees: dict[str, str], problems: Problems) -> Side:
    """Return the side with names instead of paths under `behaviours`; a tree has the name of its file.

    Args:
        side: The side as it was read.
        place: Key path of the side.
        folder: Folder that paths are relative to; None: they must be absolute.
        trees: Texts by name, to which those of the side are added.
        problems: Receives the problems of the trees.
    """
    names = []
    for number, entry in enumerate(side.behaviours):
        names.append(entry)
        if entry in scenarios.trees():
            continue
        at, name = f"{place}.behaviours[{number}]", Path(entry).stem
        if not entry.endswith(".bt"):
            known = scenarios.trees()
            problems.add("unknown-name", f"there is no behaviour called `{entry}`", at, hint(entry, known))
            continue
        text = _read(entry, at, folder, problems)
        if text is None:
            continue
        usable = name.isidentifier() and name.strip("_") == name  # plans overlook `_` at the ends, as Markdown has it
        if not usable or name in scenarios.trees() or trees.get(name, text) != text:
            why = "is taken by another tree" if usable else "is not a name that a plan can use"
            problems.add("tree", f"the behaviour would be called `{name}`, and that {why}", at, "rename the file")
            continue
        names[-1], trees[name] = name, text
    return replace(side, behaviours=tuple(dict.fromkeys(names)))


def _read(entry: str, at: str, folder: Path | None, problems: Problems) -> str | None:
    """Return the text of a tree that battles can run, or None after a problem was noted."""
    path = (folder or Path("/")) / entry
    if not (folder or Path(entry).is_absolute()) or not path.is_file():
        problems.add("tree", f"there is no file `{entry}`", at, "paths are relative to the folder of the scenario file")
        return None
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        problems.add("tree", f"the file `{entry}` cannot be read: {reason(error)}", at)
        return None
    found = dsl.check_tree(text, entry)
    wrong = next((each for each in found.diagnostics if each.severity == "error"), None)
    if wrong is not None:
        line = f"{wrong.span.line}:{wrong.span.column}: {wrong.message}"
        problems.add("tree", f"the tree `{entry}` is wrong, at {line}", at, f"`hive check {entry}` shows all problems")
        return None
    for leaf in _leaves(found.root):
        if leaf.name not in _OF_BATTLES or set(leaf.args) & set(CREW_TYPES):
            problems.add("tree", f"`{dsl.format_tree(leaf)}` is a leaf of crews, and this is a battle", at)
            return None
    return text


def _leaves(node: object) -> Iterator[dsl.Leaf]:
    if isinstance(node, dsl.Leaf):
        yield node
    for child in getattr(node, "children", ()):
        yield from _leaves(child)
