"""Functions of a user's own, such as `--set costs=mine:ticks`; none is imported while a stranger's words are run."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.kit.keep.digests import file_digest

_ALLOWED = ContextVar("own code may be imported", default=True)


@contextmanager
def no_own_code() -> Iterator[None]:
    """Refuse to import code of a user's own inside of this block, whose words a stranger may have written."""
    token = _ALLOWED.set(False)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def own_function(name: str, what: str) -> Any:
    """Return the function that `module:function` names; modules of the working directory are found, too.

    Args:
        name: The module and its function.
        what: What it is for, in messages.

    Raises:
        UserError: The name has another form, the module does not import, it has no such function, or no code may be
            imported now.
    """
    module, _, function = name.partition(":")
    if not (module and function):
        raise UserError(f"`{name[:80]}` names no function\n  = help: write module:function, as in `mine:ticks`")
    if not _ALLOWED.get():
        raise UserError(
            f"the {what} are those of a function, `{name[:80]}`, whose code is not in the folder\n"
            "  = help: code that a result names is never imported; run the command yourself if you trust it"
        )
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(import_module(module), function, None)
    except Exception as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise UserError(
            f"the module `{module}` of the {what} does not import: {why}\n"
            "  = help: it is looked for in the working directory and among installed modules"
        ) from None
    if not callable(found):
        raise UserError(f"the module `{module}` has no function `{function}`")
    return found


def source_digest(function: Any) -> str:
    """Return the SHA-256 of the file that holds a function; empty where it has none, such as a built-in one."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(function))
        return file_digest(Path(file)) if file else ""
    except (TypeError, OSError):
        return ""
