"""The pages that are made whenever the site is built, and that git does not have."""

from __future__ import annotations

from docs.site.commands import make_commands
from docs.site.versions import make_versions

MADE = {"commands.md": make_commands, "versions.md": make_versions}
