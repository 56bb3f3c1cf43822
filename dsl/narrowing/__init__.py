"""The plan language narrowed to one scenario: a grammar whose every text is a plan without an error.

A server that decodes under a grammar lets a model write such texts alone. `narrow` returns the grammar in the two forms
that servers read.
"""

from dsl.narrowing.cuts import MOST_CUTS
from dsl.narrowing.narrowed import MOST_STEPS, Narrowed, narrow

__all__ = ["MOST_CUTS", "MOST_STEPS", "Narrowed", "narrow"]
