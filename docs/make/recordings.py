"""`docs/recordings.md`: the fields of the recordings of all kinds of worlds, from their tables."""

from __future__ import annotations

import inspect
import re

from docs.make.reference import table
from docs.make.tutorial import PAGE as TUTORIAL
from hive.kit.keep.recording import Recording, fields_of
from hive.worlds import drawings_of, formats

PAGE = TUTORIAL.with_name("recordings.md")

_HEAD = """\
# Recordings

This page is generated from the recordings by `python -m docs.make`. A kept game is a file `recording.npz`: arrays of
numbers, and an array `words` with the rest as JSON in UTF-8. `numpy.load` opens it; HIVE reads it without running code
from it and checks every size before it allocates memory. `hive replay FOLDER` plays it back.

An array is stored with the axes below. `T` are frames; `A*3` are two joined axes; `u1 u2 u4` is the smallest of these
types that holds the values. Where a field may be -1 for none, the file holds the value plus one.
"""
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def make_recordings() -> str:
    """Return the text of the page."""
    return "\n".join([_HEAD, *(_section(drawings_of(each).recording) for each in formats())])


def _section(recording: type[Recording]) -> str:
    about = inspect.getdoc(recording) or ""
    meanings = {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(about.split("Attributes:")[1])}
    rows = []
    for name, how in fields_of(recording).items():
        kept = [f"`{key}`: `{types}` [{axes}]" for key, (types, axes) in how.layout(name).items()]
        kept += [f"word `{key}`" for key in how.form(name)]
        rows.append((f"`{name}`", "; ".join(kept), meanings[name].replace("|", "\\|")))
    noun = recording.noun[:1].upper() + recording.noun[1:]
    return f"## {noun}, `{recording.format}`\n\n{table(('Field', 'In the file', 'Meaning'), rows)}\n"
