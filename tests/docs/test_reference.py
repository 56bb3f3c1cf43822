"""The reference is what the code makes it, and leaves nothing out."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import scenarios
from docs.make.codes import PLAN, PLAN_CODES, TREE_CODES, Code
from docs.make.meanings import ATOMICS, COLUMNS, SIGNATURES, SLOTS, TREE_ORIGINS, TYPE_ORIGINS, WORDS
from docs.make.pages import pages
from docs.make.reference import make_reference
from dsl import check_plan, parse_tree
from dsl.vocabulary import FORMS, UNIT_TYPES
from hive.engine.leaves import LEAVES
from hive.worlds.battle.scenario.model import UnitType
from hive.worlds.battle.scenario.schema import DEFAULT_TYPES

ROOT = Path(__file__).resolve().parents[2]
CODES = (*TREE_CODES, *PLAN_CODES)


def test_no_generated_page_drifts() -> None:
    """What the code makes is what is shipped. `UPDATE_GOLDEN=1` rewrites the pages, as `python -m docs.make` does."""
    for path, text in pages().items():
        if os.environ.get("UPDATE_GOLDEN") == "1":
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `python -m docs.make`"


def test_every_form_of_every_atomic_is_explained() -> None:
    assert len(SIGNATURES) == len(FORMS)
    assert ATOMICS.keys() == SIGNATURES.keys()
    assert {form.name for form in FORMS} == LEAVES.keys()
    for written, form in SIGNATURES.items():
        assert (ATOMICS[written][1] is None) == (form.role == "C")


def test_every_word_of_every_argument_is_explained() -> None:
    slots = {name: set(words) for words, name in SLOTS.items()}
    assert slots.pop("UNIT") == set(UNIT_TYPES)
    assert {name: set(words) for name, words in WORDS.items()} == slots


def test_every_unit_type_and_its_attributes_are_explained() -> None:
    assert [kind.name for kind in DEFAULT_TYPES] == list(TYPE_ORIGINS)
    assert {"name", *COLUMNS} == set(UnitType.__dataclass_fields__)


def test_trees_called_published_are_shipped() -> None:
    assert TREE_ORIGINS.keys() <= set(scenarios.trees())


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_the_example_of_a_code_earns_it(code: Code) -> None:
    assert code.finding().message


def test_every_code_of_the_languages_is_in_the_table() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "dsl").glob("*.py"))
    assert {code.name for code in CODES} == set(re.findall(r'"((?:tree|plan)-[a-z-]+)"', sources))


def test_the_plan_shown_is_right_and_every_tree_parses() -> None:
    page = make_reference()
    assert check_plan(PLAN).diagnostics == ()
    assert f"```plan\n{PLAN}```" in page
    for tree in re.findall(r"```bt\n(.*?)```", page, re.DOTALL):
        parse_tree(tree)
