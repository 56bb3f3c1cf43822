"""Names with versions, as in `coordinate-v1`: how records, tables and lists name worlds and tasks."""

from __future__ import annotations

import re

_VERSIONED = re.compile(r"(?P<name>.+)-v(?P<version>[1-9][0-9]{0,5})")


def versioned(name: str, version: int) -> str:
    """Return a name with a version, from 1 to 999,999."""
    return f"{name}-v{version}"


def split_version(name: str) -> tuple[str, int | None]:
    """Return the part before `-v1` and the version; None where a name does not end so, which then stands as it is."""
    found = _VERSIONED.fullmatch(name)
    return (found["name"], int(found["version"])) if found else (name, None)
