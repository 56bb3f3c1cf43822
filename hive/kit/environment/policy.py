"""What chooses the actions of an environment's agents: learned policies and those by rules have one form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flax import struct
from jaxtyping import Array, Int, Key

from hive.kit.environment.env import Env, EnvState, LearnerView

Tree = Any
Choice = tuple[Tree, Int[Array, " n"]]


class Policy(struct.PyTreeNode):
    """Chooses the actions of a game's agents; a tree, so that policies of one form share a compiled program.

    Attributes:
        params: Arrays of the policy.
        begin: `begin(params, env)` returns its memory at the start of a game, a tree of arrays.
        choose: `choose(params, env, memory, state, view, key)` returns the memory and the actions `[n]`. A learned
            policy reads the view alone.
    """

    params: Tree
    begin: Callable[[Tree, Env], Tree] = struct.field(pytree_node=False)
    choose: Callable[[Tree, Env, Tree, EnvState, LearnerView, Key[Array, ""]], Choice] = struct.field(pytree_node=False)
