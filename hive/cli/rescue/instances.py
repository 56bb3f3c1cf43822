"""The rescues that a command line names, for all actions of `hive rescue`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from dsl import UserError
from hive.cli import names
from hive.cli.command import argument, option
from hive.cli.options import Cache, JsonOnly
from hive.cli.values import count
from hive.worlds.rescue.codes import URGENT

if TYPE_CHECKING:
    from hive.worlds.rescue.instance import Instance


@dataclass(frozen=True, kw_only=True)
class Instances(JsonOnly, Cache):
    """INSTANCE, the rescues."""

    instances: Annotated[
        tuple[str, ...],
        argument(
            "a map and a team such as map_7/agents-1, the path of a team's file, or all",
            "INSTANCE",
            complete=names.RESCUE,
        ),
    ] = field(kw_only=False, default=())

    def load(self, action: str = "") -> list[Instance]:
        """Return the instances, ready to compile programs for them.

        Args:
            action: The action that needs one; empty: none is needed.

        Raises:
            UserError: There is no such rescue, or none is named where one is needed.
        """
        from hive.worlds.rescue.shipped import load_instances

        self.use_cache()
        found = load_instances(self.instances)
        if action and not found:
            raise UserError(
                f"name a rescue\n  = help: hive rescue {action} map_7/agents-1; `all` means all that are shipped"
            )
        return found


@dataclass(frozen=True, kw_only=True)
class Weights:
    """`--urgent-weight`, of weighted steps."""

    urgent_weight: Annotated[
        int,
        option(
            f"weight of an urgent victim in weighted steps, where others weigh 1; default: {URGENT}", "N", read=count
        ),
    ] = URGENT
