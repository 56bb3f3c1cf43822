"""Hostile inputs of every command, drawn from a seed: command lines with wrong words, and damaged files."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from cyclopts import Argument

import scenarios
from hive.cli.command import Command
from hive.cli.entry import COMMANDS
from hive.cli.help_text import arguments_of, is_positional
from tests.cli.damage import DEEP, damage_archive, damage_bytes, damage_json, damage_text
from tests.conftest import ROOT

LONG = "n" * 300
SEAL = re.compile(r', "digest": "[0-9a-f]+"}$', re.MULTILINE)
NUMBERS = (
    "0", "-1", "1", "2", "3", "5", "007", "1.5", "1e3", "1e999", "-1e999", "nan", "inf", "-inf", "NaN", "٣", "\uff11",
    "²", "", " ", "9" * 30, "9" * 5_000, str(2**31), str(2**63), str(2**64), "0x10", "1_000", "+5", "one",
    "1,2,3", "--1",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "\n", "a\nb", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b8m", "\u202egnp.exe", "\u2028",
    "\u0085", "\udcff\udcfe", "[/red]", "{}", "%s%n", "é", "日本", "=", "==", "=5", "a=", "A=1", "A=1,2", "a=1,2,3",
    "A=x,y", "=,",
    "100=coordinate", "0=", "-", "--", "---", "-1", "@file", "nan=nan", "limit=nan", "limit=1e999", "limit=-1",
    "limit=10",
    "limit=", "types=1", "all", "none", "null", "*", "?", "~", "$HOME", LONG, "\u200b", "coordinate", "wildfire/all",
    "wildfire/x", "kitchen/boiled_egg", "household/cwah_0", "rescue/map_7/agents-1", "skirmish_5v5", "published",
)  # fmt: skip
PATHS = (
    "missing", "missing/deeper", "folder", "folder/", "empty", ".", "..", "/", "", LONG, f"folder/{LONG}",
    f"{LONG}/{LONG}",
    "x/" * 2_000, "circle", "circle/in", "circle.toml", "circle.plan", "/dev/null", "/dev/zero", "/dev/full",
    "a.plan/x",
    "/proc/self/mem", "locked", "a.plan", "a.bt", "a.toml", "a.json", "a.jsonl", "a.npz", "dangling", "\udcff.plan",
    "\x1b[2J.plan", "\u202e.toml", "a\nb.plan", "socket", "~nobody/x",
)  # fmt: skip
GOOD = {  # values that are right, by what the help calls them, so that a command goes on to its other words
    "N": "3", "S": "1", "K": "2", "T": "0.5", "G": "4", "M": "5", "D": "1", "I": "0", "U": "1", "SECONDS": "1",
    "RULE=VALUE": "limit=20", "RULE=A,B": "limit=20,30", "A=X,Y": "A=10,10", "TICK=PLAN": "5=coordinate", "N[,M]": "20",
    "NAME=VALUE": "envs=4", "NAME=V,W,...": "lr=0.1", "TICK=PROMPT": "5=advance", "HOST:PORT": "127.0.0.1:1",
}  # fmt: skip
WHERE = {  # positional arguments that are right
    "list": (), "run": ("coordinate",), "sweep": ("coordinate",), "improve": ("coordinate",),
    "train": ("skirmish_5v5",), "baselines": ("skirmish_5v5",),
    "evaluate": ("trained",), "ask": ("coordinate", "advance"),
    "kitchen": ("optimum", "boiled_egg"), "rescue": ("table", "map_7/agents-1"), "household": ("table", "own"),
    "chat": ("coordinate",), "serve": ("coordinate",), "check": ("a.plan",), "format": ("a.plan",),
    "explain": ("coordinate", "--unit", "0", "--tick", "1"), "describe": ("coordinate", "--units", "20"),
    "grammar": ("coordinate",), "replay": ("battle",), "abilities": ("plans",), "league": ("plans",), "competency": (),
    "conform": ("a.json",), "draw": ("rivers",), "panel": ("rivers",),
    "perception": ("wildfire/rescue_known_small",), "verify": ("battle",),
    "study": ("--set", "battles-v1/duels"),
    "arena": ("duel", "coordinate"), "bench": (), "scale": (), "mcp": (), "completion": ("bash",),
}  # fmt: skip
LINES = (
    "/help", "/quit", "/state", "/plan", "/play", "/play -1", "/marker A 5,5", "/marker \x1b 1,1", "/undo", "/again",
         f"/save {LONG}", "/save circle/in", "/save folder", "/save", "/keep a.plan", "/keep circle/x", "/nope",
    "/\u202e")  # fmt: skip


PLAN_READERS = (
    "check @", "format @", "format @ --write", "check @ --scenario coordinate", "run coordinate --plan @",
    "run coordinate --swap 5=@", "run wildfire/scout_fire_small --plan @", "sweep duel --plans @",
    "improve @ --scenario coordinate", "explain coordinate --plan @ --unit 0 --tick 3",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One input: the words after `hive`, what stands on standard input, and files that are written before."""

    words: tuple[str, ...]
    stdin: str = ""
    files: tuple[tuple[str, bytes], ...] = ()


def lay_out(folder: Path) -> None:
    """Make the files and folders that command lines name: good ones, and such as no command can use."""
    texts = {
        "a.plan": scenarios.plan("coordinate"),
        "a.bt": scenarios.tree("attack_in_close_range"),
        "a.toml": scenarios.read("coordinate"),
        "a.json": json.dumps({"format": "hive-bt-conformance/1"}),
        "a.jsonl": "{}\n",
        "a.npz": "PK",
        "\udcff.plan": "A(stand)",
        "\x1b[2J.plan": "Step \x1b[2J: \u202e",
        "\u202e.toml": "schema = 1\n[\u2028]",
        "a\nb.plan": "BEGIN PLAN\nEND PLAN",
        "plans/one.plan": scenarios.plan("coordinate"),
        "plans/\x1b[31mtwo.plan": "Step 0:\n\x9b",
        "folder/file": "",
        "trained/config.json": "{}",
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("empty", "runs"):
        (folder / name).mkdir()
    for name in ("circle", "circle.toml", "circle.plan"):
        (folder / name).symlink_to(name)
    (folder / "dangling").symlink_to("nowhere")
    (folder / "locked").touch(0o000)


def _commands() -> dict[tuple[str, ...], Command[Any]]:
    """Every command without parts, and each part of the others."""
    found: dict[tuple[str, ...], Command[Any]] = {}
    for name, command in COMMANDS.items():
        if command.parts:
            found |= {(name, part): command.parts[part] for part in command.parts}
        else:
            found[name,] = command
    return found


ALL = _commands()


def _value(argument: Argument, draw: random.Random) -> str:
    """A value for an option: right, wrong in its kind, or of another kind."""
    metavar = str(argument.parameter.metavar or "")
    choices = argument.get_choices(force=True)
    if choices and draw.random() < 0.6:
        return draw.choice(list(choices))
    if metavar in GOOD and draw.random() < 0.4:
        return GOOD[metavar]
    if any(word in metavar for word in ("FILE", "DIR", "FOLDER", "PLAN", "RUN")):
        return draw.choice(PATHS) if draw.random() < 0.8 else draw.choice(TEXTS)
    if metavar in GOOD and "=" not in metavar:
        return draw.choice(NUMBERS)
    return draw.choice(draw.choice((NUMBERS, TEXTS, TEXTS, PATHS)))


def _options(command: Command[Any], draw: random.Random) -> list[str]:
    words: list[str] = []
    known = [each for each in arguments_of(command) if not is_positional(each)]
    for argument in draw.sample(known, min(len(known), draw.randrange(4))):
        for _ in range(1 + (draw.random() < 0.2)):
            option = argument.name
            if argument.is_flag():
                words.append(option if draw.random() < 0.95 else f"{option}=1")
                continue
            value = _value(argument, draw)
            words += [f"{option}={value}"] if draw.random() < 0.4 else [option, value]
    if draw.random() < 0.05:
        words.append(draw.choice(("--nope", "--no-cach", "-x", "--help", f"--{LONG}", "--\x1b[31m", "-h")))
    return words


def command_lines(draw: random.Random) -> Iterator[Case]:
    """Yield command lines for ever, one of each command in turn."""
    while True:
        for names, command in ALL.items():
            if draw.random() < 0.02:
                yield Case((draw.choice(TEXTS), *names))
            where = list(WHERE[names[0]]) if len(names) == 1 else [names[1], *WHERE[names[0]][1:]]
            place = draw.randrange(len(where) + 1)
            match draw.randrange(6):
                case 0 if place < len(where):
                    where[place] = draw.choice(draw.choice((PATHS, TEXTS, NUMBERS)))
                case 1:
                    where.insert(place, draw.choice(draw.choice((PATHS, TEXTS))))
                case 2 if where:
                    where.pop(draw.randrange(len(where)))
            lines = draw.choices(LINES, k=draw.randrange(5)) if names[0] == "chat" else draw.choices(TEXTS, k=2)
            yield Case((names[0], *where, *_options(command, draw)), "\n".join(lines))


Damage = Callable[[bytes, random.Random], bytes]


def _damaged(name: str, data: bytes, draw: random.Random) -> bytes:
    """A damaged file, by its kind."""
    if draw.random() < 0.04:
        return DEEP.encode()
    if name.endswith(".json") and draw.random() < 0.7:
        return damage_json(data.decode(), draw).encode(errors="surrogatepass")
    if name.endswith(".jsonl") and draw.random() < 0.7:
        text = data.decode()
        lines = (SEAL.sub("}", text) if draw.random() < 0.8 else text).split("\n")
        number = draw.randrange(max(1, len(lines) - 1))
        lines[number] = damage_json(lines[number], draw) if lines[number] else "{}"
        return "\n".join(lines).encode(errors="surrogatepass")
    if name.endswith(".npz") and len(data) > 100 and draw.random() < 0.8:
        return damage_archive(data, draw)
    if name.endswith((".npz", ".pkl", ".msgpack")) or b"\0" in data:
        return damage_bytes(data, draw)
    return damage_text(data.decode(), draw)


def damaged_files(store: Path, draw: random.Random) -> Iterator[Case]:
    """Yield damaged files for ever, each with a command that reads it.

    Args:
        store: A folder that `lay_out` has filled, with what runs have kept in folders of their own.
        draw: Source of the draws.
    """
    made = list(readers(store))
    while True:
        for words, name, data in made:
            yield Case(words, "", ((name, _damaged(name, data, draw)),))


Reader = tuple[tuple[str, ...], str, bytes]
"""A command, the file that it reads, and the right content of that file."""


def readers(store: Path) -> Iterator[Reader]:
    """Yield commands, the file that each reads, and its right content."""
    yield from _readers_of_plans()
    yield from _readers_of_settings()
    yield from _readers_of_answers()
    yield from _readers_of_runs(store)


def _reader(words: str, name: str, content: str) -> Reader:
    return tuple(words.replace("@", name).split()), name, content.encode()


def _data(package: str, *names: str) -> str:
    return resources.files(package).joinpath("data", *names).read_text(encoding="utf-8")


def _readers_of_plans() -> Iterator[Reader]:
    plan, tree = scenarios.plan("coordinate"), scenarios.tree("attack_in_long_range")
    for words in PLAN_READERS:
        yield _reader(words, "d.plan", plan)
    yield _reader("check @", "d.bt", tree)
    yield _reader("format @", "d.bt", tree)
    yield _reader("league plans", "plans/d.plan", plan)
    yield _reader("abilities plans", "plans/coordinate.plan", plan)


def _readers_of_settings() -> Iterator[Reader]:
    for name in scenarios.names():
        for words in ("run @", "grammar @", "sweep @", "train @"):
            yield _reader(words, "d.toml", scenarios.read(name))
    yield _reader("run kitchen/apple --set layout=@", "d.toml", _data("hive.worlds.kitchen", "kitchen.toml"))
    yield _reader("run kitchen/apple --set cookbook=@", "d.toml", _data("hive.worlds.kitchen", "cookbook.toml"))
    yield _reader("kitchen tasks --task-file @", "d.toml", _data("hive.worlds.kitchen", "tasks.toml"))
    for name in ("agents.toml", "map.toml", "victims.toml"):
        content = _data("hive.worlds.rescue", "map_7", name)
        yield _reader("rescue optimum rescue_map/agents.toml", f"rescue_map/{name}", content)
    for kind in ("episodes", "apartments"):
        folder = resources.files("hive.worlds.household").joinpath("data", kind)
        for entry in sorted(folder.iterdir(), key=lambda each: each.name)[:2]:
            yield _reader("household table @", "d.toml", entry.read_text(encoding="utf-8"))


def _readers_of_answers() -> Iterator[Reader]:
    yield _reader("conform @", "d.json", _data("hive.worlds.kitchen", "scripts.json"))
    run = {"level": "rescue_known_small", "method": "mine", "scores": [1, 2, 3]}
    yield _reader("competency @", "d.json", json.dumps(run))
    yield _reader("competency @", "d.jsonl", json.dumps(run) + "\n")
    yield _reader("run household/cwah_0 --set tips=@", "d.txt", "one two three")
    yield _reader("run household/cwah_0 --set utility=@", "d.npz", "PK")
    exchanges = (ROOT / "docs" / "commander" / "session.jsonl").read_text(encoding="utf-8")
    for words in ("ask coordinate x --replay @", "chat coordinate --replay @", "ask coordinate x --record @",
                  "run wildfire/cut_trees_sparse_small --player team --replay @", "run kitchen/apple --replay @",
                  "run household/cwah_0 --replay @", "run rescue/map_7/agents-1 --replay @"):  # fmt: skip
        yield _reader(words, "d.jsonl", exchanges)


def _readers_of_runs(store: Path) -> Iterator[Reader]:
    for name in ("battle", "kitchen", "rescue", "household", "wildfire"):
        for path in sorted((store / name).rglob("*")):
            if path.suffix in (".npz", ".json", ".toml", ".jsonl") and path.is_file():
                inside = str(path.relative_to(store))
                yield ("replay", str(Path(inside).parent), "--page", "d.html"), inside, path.read_bytes()
                if path.name == "result.json":
                    yield ("rescue", "table", "map_7/agents-1", "--beside", name), inside, path.read_bytes()
                    yield ("kitchen", "plot", name), inside, path.read_bytes()
    if (store / "dialogue.json").exists():
        yield _reader("chat --resume @", "d.json", (store / "dialogue.json").read_text(encoding="utf-8"))
    if (store / "session.jsonl").exists():
        yield _reader("serve --session @", "d.jsonl", (store / "session.jsonl").read_text(encoding="utf-8"))
    for path in sorted((store / "trained").rglob("*")):
        if path.is_file():
            yield ("evaluate", "trained", "--episodes", "1"), str(path.relative_to(store)), path.read_bytes()


def restore(folder: Path, store: Path) -> None:
    """Put a folder back to what `store` holds, after a command has worked in it."""
    shutil.rmtree(folder)
    shutil.copytree(store, folder, symlinks=True)
