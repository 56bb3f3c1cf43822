"""Environments around another one: what they do not change is that of the environment inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxtyping import Array, Int, Key

from hive.kit.environment.env import EntityBlock, Env, OwnState


class AroundEnv(Env[OwnState], kw_only=True):
    """An environment around another one; a subclass has a field for it, and says what is different."""

    @property
    def inside(self) -> Env[Any]:
        """The environment whose properties these are."""
        raise NotImplementedError

    @property
    def num_agents(self) -> int:
        """Number of agents."""
        return self.inside.num_agents

    @property
    def num_actions(self) -> int:
        """Number of actions of an agent."""
        return self.inside.num_actions

    @property
    def action_names(self) -> tuple[str, ...]:
        """Each action in words."""
        return self.inside.action_names

    @property
    def action_table(self) -> tuple[tuple[str, str], ...]:
        """Number or numbers of each action, and what it does."""
        return self.inside.action_table

    @property
    def observation_size(self) -> int:
        """Length of an observation."""
        return self.inside.observation_size

    @property
    def observation_form(self) -> Mapping[str, str]:
        """What an observation says where its meaning has changed."""
        return self.inside.observation_form

    @property
    def entity_blocks(self) -> tuple[EntityBlock, ...]:
        """Where an observation lists entities."""
        return self.inside.entity_blocks

    @property
    def max_steps(self) -> int:
        """Steps after which a game surely has ended."""
        return self.inside.max_steps

    @property
    def every(self) -> int:
        """Ticks of a step."""
        return self.inside.every

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the worlds of which the key of a game draws one."""
        return self.inside.variants

    def variant(self, key: Key[Array, ""]) -> Int[Array, ""]:
        """Return the number of the world that the game with this key is played in."""
        return self.inside.variant(key)

    @property
    def recordable(self) -> bool:
        """Whether games can be recorded."""
        return self.inside.recordable
