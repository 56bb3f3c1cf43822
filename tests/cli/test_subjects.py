"""What a command may be about: its help shows an option for a kind of world if, and only if, that kind takes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NoReturn

import pytest

from dsl import UserError
from hive.cli import entry
from hive.cli.command import Command, Table
from hive.cli.games import playing, team_playing
from hive.cli.help_text import arguments_of, help_of, is_positional, may_be_bare
from hive.cli.reading import read
from hive.kit.planned_world import Request
from hive.kit.team_world import PicturedWorld, TeamRequest
from hive.worlds import kinds
from tests.cli.conftest import Hive

NAMES = {
    "battle": "coordinate",
    "set of battles": "battles-v1/duels",
    "wildfire level": "wildfire/scout_fire_small",
    "household": "household/cwah_0",
    "rescue": "rescue/map_7/agents-1",
    "kitchen order": "kitchen/boiled_egg",
    "task for learners": "skirmish_27v30",
}
MODEL = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
WAYS = (
    (),
    MODEL,
    ("--plan", "x"),
    ("--player", "team"),
    ("--player", "plans"),
    ("--player", "plans", *MODEL),
    ("--player", "random"),
)
VALUES = {  # of options for which 7 is none
    "--api-key-env": "HOME",
    "--commander": "nothing",
    "--coordinator": "host:1",
    "--enemy-swap": "7=coordinate",
    "--marker": "A=9,9",
    "--order": "7=hold",
    "--quirks": "all",
    "--rules": "published",
    "--set": "limit=7",
    "--swap": "7=coordinate",
    "--temperature": "0.5",
    "--top-p": "0.5",
    "--vary": "limit=7,8",
    "--written-for": "7,7",
    "--sizes": "cpu",
}


def commands(table: Table = entry.COMMANDS, path: str = "hive") -> Iterator[tuple[str, Command[Any]]]:
    """Every command that has subjects, and the words that name it."""
    for name, command in table.items():
        if command.parts:
            yield from commands(command.parts, f"{path} {name}")
        elif command.subjects:
            yield f"{path} {name}", command


class PlayedError(Exception):
    """Every check was passed."""


def words_of(option: Any) -> list[str]:
    """An option with a value that is not its default."""
    if option.is_flag():
        return [option.name]
    usual = option.field_info.default
    choices = [each for each in option.get_choices(force=True) or () if each != usual]
    if option.name == "--map-picture":
        return ["--map-picture", "grid"]
    return [option.name, choices[-1] if choices else VALUES.get(option.name, "7")]


def asked(path: str, command: Command[Any], name: str) -> list[str]:
    """The words of a command about a world."""
    places = [
        name if each.field_info.name == "scenario" else "x" for each in arguments_of(command) if is_positional(each)
    ]
    scenario = next(each for each in arguments_of(command) if each.field_info.name == "scenario")
    return places if is_positional(scenario) else [*places, scenario.name, name]


def shown(path: str, command: Command[Any], name: str) -> set[str]:
    """The options in the help about a world."""
    return {
        word
        for line in help_of(path, command, asked(path, command, name)).splitlines()
        if line.startswith("  --")
        for word in line.split()[:1]
    }


@cache
def shown_of_run() -> dict[str, set[str]]:
    """The options in the help of `hive run` about a world of each kind."""
    return {each: shown("hive run", entry.COMMANDS["run"], name) for each, name in NAMES.items()}


@pytest.mark.parametrize(
    ("path", "command"),
    [
        pytest.param(path, command, id=path, marks=[pytest.mark.long] * (path in ("hive run", "hive serve")))
        for path, command in commands()
    ],  # these two have most options; what decides is the same for all
)
def test_an_option_is_shown_for_a_kind_of_world_if_it_is_not_refused(path: str, command: Command[Any]) -> None:
    """For every option of every command, with every subject that is shipped."""
    assert command.subjects
    every = command.subjects.every()
    foreign = {field for subject in every for field in subject.refused}
    for subject in every:
        if subject.noun not in NAMES:  # a world that another test has registered
            continue
        name = NAMES[subject.noun]
        known, words = shown(path, command, name), asked(path, command, name)
        for option in arguments_of(command):
            if is_positional(option) or option.field_info.name == "scenario":
                continue
            if may_be_bare(option) or option.field_info.name not in foreign:
                assert option.name in known
                continue
            try:
                read(path, command, [*words, *words_of(option)], entry.COMMANDS)
                refused = ""
            except UserError as error:
                refused = str(error)
            refuses = f"`{option.name}` cannot be used here: {name} is a {subject.noun}" in refused
            assert refuses != (option.name in known), (path, name, option.name, refused)


def test_the_plain_help_has_every_option_once_and_says_how_to_see_fewer() -> None:
    for path, command in commands():
        text = help_of(path, command)
        for option in arguments_of(command):
            rows = [line for line in text.splitlines() if line.startswith(f"  {option.name}")]
            assert is_positional(option) or sum(row.split()[0] == option.name for row in rows) == 1, option.name
        assert "--help` shows the options for one world" in text.splitlines()[-1]


@pytest.mark.parametrize("noun", ["battle", "wildfire level", "household", "rescue", "kitchen order"])
def test_what_the_help_of_a_run_shows_some_player_takes(hive: Hive, monkeypatch: pytest.MonkeyPatch, noun: str) -> None:
    """Beyond the check by kinds: with every option that is shown, some player of that world comes to play."""

    def plays(*args: Any, **named: Any) -> NoReturn:
        raise PlayedError

    monkeypatch.setattr(playing, "watching", plays)
    monkeypatch.setattr(team_playing, "watching", plays)
    monkeypatch.setattr(team_playing, "play_and_keep", plays)
    command = entry.COMMANDS["run"]
    known = shown_of_run()
    agents = set.intersection(*(known[each] for each in ("wildfire level", "household", "rescue", "kitchen order")))
    common = set.intersection(*known.values()) if noun == "rescue" else agents  # one of them is enough for these
    for option in arguments_of(command):
        if option.name not in known[noun] - common:
            continue
        words = words_of(option)
        refusal = re.compile(rf"{option.name}\b.*(cannot be used here|(is|are) for teams)")
        why = []
        for way in (each for each in WAYS if each[:1] != words[:1]):
            try:
                why.append(hive("run", NAMES[noun], *words, *way).err)
            except PlayedError:
                break
            if not refusal.search(why[-1]):  # it is its value that is wrong
                break
        else:
            raise AssertionError(f"{option.name} of a {noun}: {why}")


def test_kinds_say_of_their_agents_what_their_worlds_do() -> None:
    for kind in kinds().values():
        name = next(iter(kind.names()))
        if not kind.acting:
            with pytest.raises(UserError, match="no teams"):
                kind.team_world(TeamRequest(worlds=[name]))
            continue
        world = kind.team_world(TeamRequest(worlds=[name]))
        assert (world.acting, isinstance(world, PicturedWorld)) == (kind.acting, kind.pictured)


def test_kinds_refuse_the_attributes_that_they_call_foreign_and_no_others() -> None:
    values = {"units": 7, "lenient": True, "fire_rules": "published", "every": 7, "commander": "nothing", "method": "m"}
    values |= {"rules_text": True, "printed_speeds": True, "map_picture": "grid", "prompt_version": 1}
    values |= {"markers": (("A", (9, 9)),), "written_for": (7, 7)}
    for kind in kinds().values():
        for field, value in values.items() if kind.planned else ():
            try:
                kind.load(Request(scenario=next(iter(kind.names())), **{field: value}))
                refused = ""
            except UserError as error:
                refused = str(error)
            assert ("cannot be used here" in refused) == (field in kind.foreign), (kind.noun, field, refused)


def test_the_help_for_a_world_has_its_examples_and_notes_only(hive: Hive) -> None:
    text = hive("run", "kitchen/boiled_egg", "--help").out
    assert hive("help", "run", "kitchen/boiled_egg").out == hive("run", "--seeds", 3, "kitchen/boiled_egg", "-h").out
    assert "This is the help for kitchen orders, as kitchen/boiled_egg is one" in text
    assert "hive run kitchen/boiled_egg " in text and "hive run coordinate" not in text and "order_probability" in text
    assert "--swap" not in text and "--thoughts" not in text and "--replies" in text
    assert "--marker" not in hive("check", "x.plan", "--scenario", "wildfire/scout_fire_small", "--help").out
    assert hive("run", "kitschen/boiled_egg", "--help").code == 2
