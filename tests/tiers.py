"""Which cases of a parametrised test run when: by default, on CI as well (`slow`), or in the long tests alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def tiers(cases: Iterable[Any], quick: Collection[Any] = (), slow: Collection[Any] = ()) -> list[Any]:
    """Return the cases as parameters of a test.

    Args:
        cases: All of them.
        quick: Those that always run.
        slow: Those that CI runs as well; the long tests alone run the others.
    """
    long = pytest.mark.long
    return [
        pytest.param(each, marks=() if each in quick else pytest.mark.slow if each in slow else long) for each in cases
    ]
