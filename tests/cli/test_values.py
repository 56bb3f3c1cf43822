"""Numbers on a command line are ASCII digits, and an option that is given has a value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsl import UserError
from hive.cli import values
from hive.cli.learning.settings import of_steps
from hive.cli.values import BadValueError, temperature_of
from tests.cli.conftest import Hive

FOREIGN = ("\uff11\uff12", "\u0663", "\u06f5", "3\xb2", "1_0", "\u2167", "\uff11.\uff15", "\u22123")


@pytest.mark.parametrize("read", [values.seed, values.games, values.count, values.index, values.sizes, temperature_of])
@pytest.mark.parametrize("text", FOREIGN)
def test_digits_of_other_scripts_are_no_numbers(read: Callable[[str], object], text: str) -> None:
    """`int` and `float` of Python read them, and `_` between digits; a mistyped number is refused instead."""
    with pytest.raises(BadValueError):
        read(text)


@pytest.mark.parametrize("text", FOREIGN)
def test_numbers_inside_other_values_are_ascii_too(text: str) -> None:
    cases: list[tuple[Callable[[str], object], str]] = [
        (values.rule, f"limit={text}"),
        (values.marker, f"A={text},4"),
        (values.swap, f"{text}=my.plan"),
        (values.sizes, f"100,{text}"),
    ]
    for read, whole in cases:
        with pytest.raises(BadValueError):
            read(whole)


def test_numbers_in_ascii_are_read() -> None:
    assert (values.seed("0"), values.count("12"), values.sizes("100,50")) == (0, 12, (100, 50))
    assert (values.rule("limit=300"), values.rule("a=-1.5"), values.rule("a=3e2")) == (
        ("limit", 300), ("a", -1.5), ("a", 300),
    )  # fmt: skip
    assert values.marker("A=(193, 85)") == ("A", (193, 85)) and of_steps("3_000,000") == of_steps("3e6") == 3_000_000
    with pytest.raises(BadValueError, match="-5 is out of range"):
        values.seed("-5")
    with pytest.raises(BadValueError, match="is not a whole number"):
        values.seed("9" * 5_000)


@pytest.mark.parametrize(
    "words",
    [
        ("describe", "coordinate", "--rules="),
        ("describe", "coordinate", "--rules", " "),
        ("run", "coordinate", "--plan", ""),
        ("run", "coordinate", "--out", ""),
        ("ask", "coordinate", "hold", "--model", ""),
        ("sweep", "coordinate", "--plans", ""),
    ],
)
def test_an_option_with_an_empty_value_is_refused(hive: Hive, words: tuple[str, ...]) -> None:
    """It would otherwise be taken for an option that was not given, and something else would be played."""
    option = next(word for word in words if word.startswith("--")).rstrip("=")
    ran = hive(*words)
    assert (ran.code, ran.out) == (2, "") and f"argument {option}: its value is empty" in ran.err


def test_a_folder_or_a_misspelt_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    """The rule: a message about a file that cannot be read says which file may be meant."""
    (tmp_path / "my.plan").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match=r"it is a folder\n  = help: name a file in it"):
        values.read_text(str(tmp_path))
    with pytest.raises(UserError, match=r"no such file or directory\n  = help: did you mean `.*my.plan`"):
        values.read_text(str(tmp_path / "mi.plan"))
