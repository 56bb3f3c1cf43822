"""The page of verified results: its commands, run one after the other, print what it promises."""

from __future__ import annotations

import re
import shlex

from tests.arch.sources import ROOT
from tests.cli.conftest import Hive, hive

PAGE = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")

__all__ = ["hive"]


def test_the_commands_of_the_page_print_what_it_says(hive: Hive) -> None:
    commands = re.findall(r"^\$ hive (.+)$", PAGE, re.MULTILINE)
    assert [each.split()[0] for each in commands] == ["run", "verify"]
    for command in commands:
        ran = hive(*shlex.split(command))
        assert ran.code == 0, ran.err
    (promised,) = re.findall(r"^\d+ equal, .+$", PAGE, re.MULTILINE)
    assert ran.out.split("\n")[-2] == promised
