"""Options that several commands share: frozen dataclasses from which the settings of a command inherit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

from dsl import UserError
from dsl.wording import listing
from hive.cli import names
from hive.cli.cache import cache_on_disk, no_cache_on_disk
from hive.cli.command import CommandLine, Complete, Parameter, argument, option
from hive.cli.printing import print_json, tell
from hive.cli.values import count, marker, rule, seed, seeds, sizes, world_name
from hive.kit.keep.finishing import check_results, finish_run, is_finished
from hive.kit.keep.runfolder import Content, check_writable, free_folder, write_run
from hive.kit.planned_world import MAP_PICTURES, Request, flag_of

PromptVersion = Annotated[
    int | None, option("the version of the prompt; those from 2 on know plans in words; default: 1", "N", read=count)
]
"""The option `--prompt-version` of several of the classes below."""


def given(settings: Any, names: Iterable[str]) -> list[str]:
    """Return the options of some fields of settings whose values are not their defaults."""
    defaults = {each.name: each.default for each in fields(settings)}
    return [flag_of(name) for name in names if getattr(settings, name) != defaults[name]]


def refuse(settings: Any, names: Iterable[str], why: str, advice: str) -> None:
    """Refuse options of some fields of settings.

    Raises:
        UserError: One is given.
    """
    if wrong := given(settings, names):
        raise UserError(f"{listing(wrong, 'and')} cannot be used here: {why}\n  = help: {advice}")


def scenario_argument(complete: Complete = names.WORLD, more: str = "") -> Parameter:
    """Return the argument SCENARIO, with the words that a shell offers and what its text says besides."""
    about = f"a name from `hive list`, or a path to a .toml file{more}"
    return argument(about, "SCENARIO", read=world_name, complete=complete)


@dataclass(frozen=True, kw_only=True)
class World:
    """SCENARIO, what is played."""

    title: ClassVar[str] = "what is played"
    scenario: Annotated[str, scenario_argument()] = field(kw_only=False)

    def request(self) -> Request:
        """Return what the command line asks for; options that the command does not have are left at their defaults."""
        known = {each.name for each in fields(Request)}
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name in known}
        keep = bool(getattr(self, "out", None) or getattr(self, "movie", False))
        return Request(**given, keep=keep)


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """`--set`, rules of the scenario that are changed."""

    title: ClassVar[str] = "what is played"
    numbers: Annotated[
        tuple[tuple[str, float], ...],
        option(
            "change a rule of the scenario, as in `limit=300`; may be given several times",
            "RULE=VALUE",
            name="--set",
            read=rule,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class WrittenFor:
    """`--written-for`, the teams for which plans were written."""

    title: ClassVar[str] = "what is played"
    written_for: Annotated[
        tuple[int, int] | None,
        option(
            "team sizes of the player and the enemy that plans were written for; default: those of the scenario",
            "N[,M]",
            read=sizes,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Units:
    """`--units`, the size of the army."""

    title: ClassVar[str] = "what is played"
    units: Annotated[
        int | None,
        option("size of the player's team; the enemy's team is scaled by the same ratio", "N", read=count),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Lenient:
    """`--lenient`: how strictly a plan is read."""

    title: ClassVar[str] = "what is played"
    lenient: Annotated[bool, option("allow a unit in two groups of a step; it belongs to the later one")] = False


@dataclass(frozen=True, kw_only=True)
class Changes(Units, Lenient, Numbers, WrittenFor):
    """Options that change what is played: its size and rules, and how strictly plans are read."""


@dataclass(frozen=True, kw_only=True)
class Seeds:
    """`--seed` and `--seeds`: which games are played."""

    title: ClassVar[str] = "what is played"
    seed: Annotated[
        int | None,
        option("play one game, with this seed; default: 0, or a level's first published", "S", read=seed),
    ] = None
    seeds: Annotated[
        int | str | None,
        option(
            "play K games, with the seeds 0 to K - 1; for a level also `published`, its published seeds",
            "K",
            read=seeds,
        ),
    ] = None

    def check_seeds(self) -> None:
        """Refuse both options together.

        Raises:
            UserError: Both are given.
        """
        if self.seed is not None and self.seeds is not None:
            raise UserError("argument --seeds: not allowed with argument --seed\n  = help: leave one out")


@dataclass(frozen=True, kw_only=True)
class PlanOf:
    """`--plan`, the player's plan."""

    title: ClassVar[str] = "what is played"
    plan: Annotated[
        str | None,
        option(
            "the player's plan: a name from `hive list` or a file; default: the scenario's, or a level's commander",
            "NAME|FILE",
            complete=names.PLAN,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Markers:
    """`--marker`, lettered places on the map."""

    title: ClassVar[str] = "what is played"
    markers: Annotated[
        tuple[tuple[str, tuple[int, int]], ...],
        option(
            "put a lettered marker on the map, in metres, as in `A=193,85`; may be given several times",
            "A=X,Y",
            name="--marker",
            read=marker,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class Fires:
    """`--rules`, the rules of a level's fire."""

    title: ClassVar[str] = "what is played"
    fire_rules: Annotated[
        str | None,
        option("the rules of the fire, `default` or `published`; default: default", "NAME", name="--rules"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How a battle is described to a commander."""

    title: ClassVar[str] = "the text"
    printed_speeds: Annotated[bool, option("give speeds as the published prompt prints them, twice the true ones")] = (
        False
    )
    map_picture: Annotated[
        str | None,
        option(
            "replace the map in words by what a picture of it shows; raw, grid or scaffold",
            "FORM",
            choices=MAP_PICTURES,
        ),
    ] = None
    prompt_version: PromptVersion = None


@dataclass(frozen=True, kw_only=True)
class Folder:
    """`--out` and `--overwrite`, the folder that a command writes."""

    title: ClassVar[str] = "the folder of results"
    out: Annotated[Path | None, option("save results in this folder", "DIR")] = None
    overwrite: Annotated[bool, option("replace that folder if it exists")] = False
    line: CommandLine = ""

    def check_folder(self, out: Path | None) -> None:
        """Check before long work that a folder of results can be written; None: nothing is saved.

        Raises:
            UserError: It cannot.
        """
        if out:
            check_writable(out, self.overwrite)

    def usable_folder(self, name: str) -> Path:
        """Return the folder of results, without `--out` a new one in runs/ of this name, after `check_folder`.

        Raises:
            UserError: It cannot be written.
        """
        out = self.out or free_folder(name, self.overwrite, is_finished)
        self.check_folder(out)
        return out

    def save_folder(self, out: Path, files: Mapping[str, Content], more: str = "", finish: bool = False) -> None:
        """Write a folder of results atomically, and tell the user its files.

        Args:
            out: The folder.
            files: As in `hive.kit.keep.runfolder.write_run`.
            more: What is told after the names of files, of those in subfolders.
            finish: Whether the command saved its progress, which is removed then.

        Raises:
            UserError: The folder cannot be written; the progress stays.
        """
        (finish_run if finish else write_run)(out, files, self.overwrite)
        tell(f"wrote {out}: {', '.join(name for name in files if '/' not in name)}{more}")


@dataclass(frozen=True, kw_only=True)
class ResumedFolder(Folder):
    """The folder of a command that goes on where it was interrupted."""

    restart: Annotated[bool, option("start again instead of resuming an interrupted run")] = False

    def check_folder(self, out: Path | None) -> None:
        """Check as `Folder` does, but for a folder that is complete and whose progress is only to be removed."""
        if out:
            check_results(out, self.overwrite, self.restart)


@dataclass(frozen=True, kw_only=True)
class Json:
    """`--json`."""

    json: Annotated[bool, option("print one JSON object on standard output")] = False

    def output_run(self, found: Mapping[str, Any], text: str, say: Callable[[str], None] = print) -> None:
        """Print a run: with `--json` also the versions of what played it, so that the object stands alone.

        Args:
            found: The run in plain values, with the names of its `worlds` and their versions.
            text: The same as a text.
            say: Prints the text.
        """
        if self.json:
            from hive.kit.keep.runfolder import versions

            found = {**found, "versions": versions()}
        self.output(found, text, say)

    def output(self, found: Any, text: str, say: Callable[[str], None] = print) -> None:
        """Print what was found: with `--json` as one object, else the text, by `say`."""
        if self.json:
            print_json(found)
        else:
            say(text)


@dataclass(frozen=True, kw_only=True)
class JsonOnly(Json):
    """`--json` of a command that prints more than results: all of that goes to standard error then."""

    json: Annotated[bool, option("print one JSON object on standard output, and everything else on standard error")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class Cache:
    """`--no-cache`: whether the next command may start sooner."""

    no_cache: Annotated[bool, option("do not cache compiled programs on disk")] = False

    def use_cache(self) -> None:
        """Tell JAX where to cache compiled programs, see `hive.cli.cache`."""
        if self.no_cache:
            no_cache_on_disk()
        else:
            cache_on_disk()


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """`--sizes` and `--graphs`: how programs are cut up for the device, which changes their speed and no result."""

    title: ClassVar[str] = "the device"
    sizes: Annotated[
        str | None,
        option(
            "sizes of blocks: cpu, gpu, or single ones as in block=4096,chunk=64; default: those of the device. "
            "Results do not depend on them",
            "SIZES",
        ),
    ] = None
    graphs: Annotated[
        bool,
        option("on a GPU, let XLA run loops and branches as CUDA graphs. With JAX 0.11.2 such programs did not end"),
    ] = False

    def use_tuning(self) -> None:
        """Apply the options to this process, before JAX is used.

        Raises:
            UserError: The text names no size, or a value is not allowed.
        """
        if self.graphs:
            from hive.ground.sizes import GRAPHS

            os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {GRAPHS}".strip()
        if self.sizes:
            from hive.ground.sizes import read_sizes, use_always

            read_sizes(self.sizes)
            use_always(self.sizes)
