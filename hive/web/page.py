"""The page of a running game: its HTML, and the scripts and styles that it loads from the server."""

from __future__ import annotations

from importlib import resources

from hive.kit.view.pages import MAP, SCRIPTS, STYLE, fill, read_part

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content security policy of the page: everything comes from its own server, and nothing stands in the page itself."""

_PLANNED = ("frames", "link", "live_game", "live_{kind}", "live_screen", "markers", "chat", "editor", "start")
_OWN = {"battle": _PLANNED, "fire": _PLANNED, "team": ("link", "team")}
_DRAWN = {"team": "scene"}  # what draws the map and the panel, where it is not of the kind's own name
_KINDS = {".js": "text/javascript", ".css": "text/css"}


def make_index(kind: str) -> str:
    """Return the HTML text of the page of a kind of game: `battle`, `fire`, or `team` for any world with agents."""
    names = list(_files(kind))
    parts = {
        "styles": "\n".join(f'<link rel="stylesheet" href="/page/{name}">' for name in names if name.endswith(".css")),
        "scripts": "\n".join(f'<script src="/page/{name}" defer></script>' for name in names if name.endswith(".js")),
        "map": read_part(MAP),
        "panel": read_part(f"shared_page/{_DRAWN.get(kind, kind)}_panel.html"),
    }
    return fill(_own("team.html" if kind == "team" else "index.html"), parts)


def read_file(name: str) -> tuple[str, str] | None:
    """Return text and media type of a script or style of the page, or None if it has no file of that name."""
    path = {**_files("battle"), **_files("fire"), **_files("team")}.get(name)
    if path is None:
        return None
    text = _own(name) if path == name else read_part(path)
    return text, _KINDS[name[name.rindex(".") :]]


def _files(kind: str) -> dict[str, str]:
    """Return the files that the page loads, in order: their names, and where they are if not here."""
    shared = {path.rpartition("/")[2]: path for path in (STYLE, *SCRIPTS[_DRAWN.get(kind, kind)])}
    own = ("live.css", *(f"{name.format(kind=kind)}.js" for name in _OWN[kind]))
    return shared | {name: name for name in own}


def _own(name: str) -> str:
    return (resources.files("hive.web") / "page" / name).read_text(encoding="utf-8")
