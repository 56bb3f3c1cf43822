"""A kitchen as one thing: cookbook, layout, switches and the arrays made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hive.worlds.kitchen.assembly import make_params
from hive.worlds.kitchen.cookbook import Cookbook, cookbook
from hive.worlds.kitchen.layout import Layout, layout
from hive.worlds.kitchen.state import Params
from hive.worlds.kitchen.switches import Switches


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Everything that holds for all games of a kitchen."""

    book: Cookbook
    layout: Layout
    switches: Switches

    @cached_property
    def arrays(self) -> Params:
        """The rules on the device."""
        return make_params(self.book, self.layout, freeze=self.switches.freeze)


def load_setting(
    *, cookbook_file: Path | None = None, layout_file: Path | None = None, switches: Switches | None = None
) -> Setting:
    """Load a kitchen.

    Args:
        cookbook_file: Cookbook; the shipped one when None.
        layout_file: Layout; the shipped one when None.
        switches: Published behaviour; the defaults when None.

    Raises:
        ScenarioError: A file cannot be used.
    """
    book = cookbook(cookbook_file)
    return Setting(book=book, layout=layout(book, layout_file), switches=switches or Switches())
