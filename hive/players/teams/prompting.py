"""The prompts of a team: those that are shipped, or a folder of the user's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Formatter

from dsl import UserError
from dsl.wording import did_you_mean, is_whole, listing, nearest
from hive.kit.keep.places import user_text
from hive.kit.prompts import Prompt, parse_prompt, read_prompt
from hive.players.llm.client import Message

_SYSTEM = "System"
_MOST_BYTES = 2**20
_BRACES = "write {{ and }} for braces that are text"


def versions() -> dict[str, int]:
    """Return the version of each shipped prompt by its name.

    The folder `prompts/N` holds the prompts that changed in version N; of several files of one name the newest counts.
    """
    found: dict[str, int] = {}
    folders = (
        path for path in resources.files("hive.players.teams").joinpath("prompts").iterdir() if is_whole(path.name)
    )
    for folder in sorted(folders, key=lambda path: int(path.name)):
        found |= {
            path.name.removesuffix(".md"): int(folder.name) for path in folder.iterdir() if path.name[-3:] == ".md"
        }
    return found


class Prompts:
    """All prompts by name; a file of the user's folder replaces the shipped prompt of its name.

    Attributes:
        source: Which they are, for result files: the newest version of the shipped ones; names and a digest of one's
            own.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Read all prompts.

        Args:
            folder: Holds files such as `camon_plan.md`; None: the shipped prompts.

        Raises:
            UserError: The folder is missing, or a file of it is no prompt, or has an unknown section or slot.
        """
        shipped = versions()
        self._prompts = {
            name: read_prompt("hive.players.teams", f"{version}/{name}") for name, version in shipped.items()
        }
        self.source = f"shipped, version {max(shipped.values())}"
        if folder is not None:
            own = {path.stem: self._read(path) for path in _files(folder)}
            self.source = f"own {', '.join(own)}, sha256 {_digest(own)}"
            self._prompts |= own

    def write(self, name: str, values: Mapping[str, str]) -> list[Message]:
        """Return the messages of a prompt; a section whose slots leave nothing under its title is left out.

        Args:
            name: Such as `camon_plan`.
            values: A text for each of its slots, at least.
        """
        prompt = self._prompts[name]
        texts = {title: prompt.sections[title].format_map(values) for title in prompt.sections}
        sent = [texts[title] for title in prompt.sent() if texts[title].strip() != f"# {title}"]
        user = Message("user", "\n\n".join(sent))
        return [Message("system", texts[_SYSTEM]), user] if _SYSTEM in texts else [user]

    def slots(self, name: str) -> set[str]:
        """Return the names of the slots of a prompt."""
        prompt = self._prompts[name]
        return {slot for title in prompt.sections for slot in prompt.fields(title)}

    def _read(self, path: Path) -> Prompt:
        """Read one file of the user's.

        Raises:
            UserError: It cannot be read, or does not fit.
        """
        if path.stem not in self._prompts:
            hint = did_you_mean(nearest(path.stem, self._prompts)) or f"prompts are {listing(self._prompts, 'and')}"
            raise UserError(f"{path}: there is no prompt of this name\n  = help: {hint}")
        shipped, known = self._prompts[path.stem], self.slots(path.stem)
        try:
            prompt = parse_prompt(path.stem, _text(path))
        except ValueError as error:
            raise UserError(f"{path}: {error}") from None
        if (_SYSTEM in prompt.sections) != (_SYSTEM in shipped.sections) or "Answer" not in prompt.sections:
            wanted = "`## System` and `# Answer`" if _SYSTEM in shipped.sections else "`# Answer`, and no `## System`"
            raise UserError(f"{path}: this prompt needs {wanted}")
        for title, text in prompt.sections.items():
            for slot in _slots(path, title, text):
                if slot not in known:
                    near = nearest(slot, sorted(known))
                    others = f"slots of this prompt are {listing(sorted(known), 'and')}; {_BRACES}"
                    hint = did_you_mean(f"{{{near}}}" if near else None) or others
                    raise UserError(f"{path}, `{title}`: unknown slot `{{{slot}}}`\n  = help: {hint}")
        return prompt


def _digest(prompts: Mapping[str, Prompt]) -> str:
    content = {name: dict(prompt.sections) for name, prompt in prompts.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}\n  = help: name a folder with prompts such as camon_plan.md")
    files = sorted(folder.glob("*.md"))
    if not files:
        raise UserError(f"the folder {folder} holds no prompts\n  = help: a prompt is a file such as camon_plan.md")
    return files


def _text(path: Path) -> str:
    if path.is_file() and path.stat().st_size > _MOST_BYTES:
        raise UserError(f"{path} is larger than a prompt may be, {_MOST_BYTES:,} bytes")
    return user_text(path)


def _slots(path: Path, title: str, text: str) -> list[str]:
    """Return the slots of a section of the user's.

    Raises:
        UserError: A brace is alone, or a slot has a format.
    """
    try:
        fields = [(slot, form, change) for _, slot, form, change in Formatter().parse(text) if slot is not None]
    except ValueError as error:
        raise UserError(f"{path}, `{title}`: {str(error).lower()}\n  = help: {_BRACES}") from None
    for slot, form, change in fields:
        if form or change:
            raise UserError(
                f"{path}, `{title}`: the slot {{{slot}}} has a format, and slots are filled with text only\n"
                f"  = help: write {{{slot}}}"
            )
    return [slot for slot, _, _ in fields]
