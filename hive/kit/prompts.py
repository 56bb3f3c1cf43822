"""Prompts as versioned files: `prompts/1.md` in a package, or `prompts/1/NAME.md` where a package has several.

Of several prompts, a folder holds those that changed in its version.

A title `# Units` begins a section, which is sent with its title. A title `## Behaviours` begins a part that fields of
sections are filled with, and is not sent itself. Fields are those of `str.format`. A change that a model could notice
is a new file with the next number, so that the results of a study name the words that led to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Formatter

_TITLE = re.compile(r"^(#{1,2}) (.+)\n", re.MULTILINE)
_SECTION = re.compile(r"^# (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """A prompt file as read.

    Attributes:
        name: Kind of world and version, such as `battle/1`.
        sections: Text of each section and part by its title, in the order of the file, without blank lines round it.
    """

    name: str
    sections: Mapping[str, str]

    def sent(self) -> list[str]:
        """Return the titles of sections, in order; parts are left out."""
        return [title for title, text in self.sections.items() if text.partition("\n")[0] == f"# {title}"]

    def fields(self, title: str) -> set[str]:
        """Return the names of the fields of a section or part.

        Raises:
            ValueError: A brace is neither doubled nor part of a field.
        """
        return {name for _, name, _, _ in Formatter().parse(self.sections[title]) if name is not None}

    def fill(self, title: str, **values: object) -> str:
        """Return a section or part with its fields filled.

        Args:
            title: Its title.
            **values: A value for each of its fields, and no others.

        Raises:
            ValueError: A value is missing, or has no field.
        """
        text = self.sections[title]
        fields = self.fields(title)
        if fields != values.keys():
            wrong = ", ".join(sorted(fields ^ values.keys()))
            raise ValueError(f"prompt {self.name}, `{title}`: fields and values differ in {wrong}")
        return text.format(**values)

    def fill_from(self, title: str, values: Mapping[str, object]) -> str:
        """Return a section or part with those of some values that it has fields for.

        Raises:
            KeyError: A field has no value.
        """
        return self.fill(title, **{name: values[name] for name in self.fields(title)})

    def table(self, title: str) -> dict[str, str]:
        """Return a part of lines `key: text` by key."""
        rows = (line.partition(":") for line in self.sections[title].splitlines())
        return {key: text.strip() for key, _, text in rows}


@cache
def read_prompt(package: str, version: int | str) -> Prompt:
    """Return a version of a prompt of a package.

    Args:
        package: Such as `hive.worlds.battle`.
        version: 1 or more; where the package has several prompts, version and name, such as `1/translate`.

    Raises:
        FileNotFoundError: There is no such version.
        ValueError: The file does not begin with a title, or a title stands in it twice.
    """
    text = resources.files(package).joinpath("prompts", f"{version}.md").read_text(encoding="utf-8")
    return parse_prompt(f"{package.rpartition('.')[2]}/{version}", text)


def parse_prompt(name: str, text: str) -> Prompt:
    """Return the prompt that a text holds.

    Raises:
        ValueError: The text does not begin with a title, or a title stands in it twice.
    """
    before, *rest = _TITLE.split(text)
    titles = rest[1::3]
    if before or len(set(titles)) < len(titles):
        raise ValueError(f"prompt {name}: it does not begin with a title, or a title stands in it twice")
    sections = {}
    for level, title, body in zip(rest[::3], titles, rest[2::3], strict=True):
        head = f"# {title}\n" if level == "#" else ""
        sections[title] = head + body.strip("\n")
    return Prompt(name, sections)


def sections_of(text: str) -> dict[str, str]:
    """Return the text of each section of a message by its title, without blank lines round it."""
    parts = _SECTION.split(text)
    return {title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def tags(**texts: str) -> str:
    """Return an answer: each text on a line, in a tag of its name."""
    return "\n".join(f"<{name}>{text}</{name}>" for name, text in texts.items())
