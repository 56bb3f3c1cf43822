"""Sets of drawn battles: their digests find every change, and files that cannot be used get a sentence."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import scenarios
from dsl import UserError
from hive.cli import main
from hive.worlds.battle.drawn import sets
from hive.worlds.battle.drawn.armies import STRENGTH
from hive.worlds.battle.drawn.classes import CLASSES, read_name
from hive.worlds.battle.drawn.draw import draw_with_facts
from hive.worlds.battle.drawn.sets import BattleSet, SetBattle, is_set, load_set, make_set, read_set

FEW = [SetBattle("battle/rivers/17", 3), SetBattle("battle/open/2")]


def made(tmp_path: Path, change: tuple[str, str] = ("", "")) -> Path:
    """The file of a small set, with a change."""
    file = tmp_path / "few.toml"
    file.write_text(make_set("few", 'a "few" \\ battles\x7f \t😀', FEW).toml().replace(*change), encoding="utf-8")
    return file


def test_the_digest_is_that_of_all_files_as_they_are_written(tmp_path: Path) -> None:
    """Computed once more from the files of `hive draw --out` (docs/rules/sets.md 1.2)."""
    assert main(["draw", "--set", str(made(tmp_path)), "--out", str(tmp_path / "out")]) == 0
    whole = sha256()
    for each in FEW:
        stem = each.name.removeprefix("battle/").replace("/", "-")
        own = sha256()
        for file in sorted((tmp_path / "out").glob(f"{stem}[._]*")):
            own.update(f"{file.name} {file.stat().st_size}\n".encode() + file.read_bytes())
        whole.update(f"{each.name} {'-' if each.level is None else each.level} {own.hexdigest()}\n".encode())
    assert load_set(tmp_path / "few.toml").digest == whole.hexdigest()


def test_a_file_reads_back_as_the_set(tmp_path: Path) -> None:
    found = load_set(made(tmp_path))
    assert (found.names, found.levels) == (("battle/rivers/17", "battle/open/2"), (3, None))
    assert found.toml() == (tmp_path / "few.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("level = 3", "level = 4"), "the battles do not have the digest of few"),
        (("open/2", "open/3"), "the battles do not have the digest of few"),
        (("level = 3", "level = 6"), "6 is out of range"),
        (("open/2", "rivers/17"), "`battle/rivers/17` is already entry 0"),
        (("open/2", "opn/2"), "there is no class `opn` of drawn battles"),
        (("battle/open/2", "coordinate"), "`coordinate` is not a drawn battle"),
        (("version = 1", "version = 2"), "its battles are of version 2, and this version of HIVE draws version 1"),
        (('digest = "', 'digest = "x'), "expected a SHA-256"),
        (('name = "few"', 'name = "Few"'), "expected the name of a set"),
        (('name = "few"', 'name = "battles-v1/duels"'), "this is not the set battles-v1/duels"),
        (("schema = 1", "schema = 2"), "the file must begin with `schema = 1`"),
        (("summary", "sumary"), "there is no key called `sumary` here"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        load_set(made(tmp_path, change))
    assert message in str(caught.value)


def test_other_bytes_of_a_battle_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A battle whose briefing has one sign more has another digest."""
    file = made(tmp_path)
    files = sets._files
    monkeypatch.setattr(sets, "_files", lambda drawn: [(name, data + b" ") for name, data in files(drawn)])
    with pytest.raises(UserError, match="other bytes are drawn today"):
        load_set(file)


def test_of_a_private_set_only_the_digest_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file with its battles is used by its path, and no other file under its name."""
    secret = make_set("battles-v1/sealed", "private", FEW)
    published = BattleSet(secret.name, secret.summary, secret.digest, ())
    shipped = {secret.name: published.toml()}
    monkeypatch.setattr(scenarios, "sets", lambda: tuple(shipped))
    monkeypatch.setattr(scenarios, "read_set", shipped.__getitem__)
    with pytest.raises(UserError, match=r"the battles of battles-v1/sealed are private"):
        load_set(secret.name)
    file = tmp_path / "secret.toml"
    file.write_text(secret.toml(), encoding="utf-8")
    assert load_set(file) == secret
    file.write_text(make_set(secret.name, "private", FEW[:1]).toml(), encoding="utf-8")
    with pytest.raises(UserError, match=r"this is not the set battles-v1/sealed"):
        load_set(file)


def test_names_and_files_of_sets_are_told_from_worlds(tmp_path: Path) -> None:
    world = tmp_path / "world.toml"
    world.write_text(scenarios.read("duel"), encoding="utf-8")
    assert is_set("battles-v1/duels") and is_set("battles-v1/nope") and is_set(str(made(tmp_path)))
    assert not is_set("duel") and not is_set("battle/rivers/17") and not is_set(str(world)) and not is_set("no.toml")
    with pytest.raises(UserError, match="did you mean `battles-v1/duels`"):
        read_set("battles-v1/duel")


@pytest.mark.parametrize("name", [name for name in scenarios.sets() if not name.endswith("/train")])
def test_a_shipped_set_has_its_digest_and_its_name(name: str) -> None:
    """Each of its battles is drawn today as when it was measured; `docs/test_sets.py` draws those for training."""
    assert load_set(name).name == name


def test_duels_are_even_fights() -> None:
    """docs/rules/sets.md 1.4."""
    for class_name in CLASSES:
        names = [name for name in read_set("battles-v1/duels").names if f"/{class_name}/" in name]
        assert len(names) == 4
        for name in names:
            drawn = draw_with_facts(*read_name(name))
            strengths = [
                sum(STRENGTH[kind] * count for kind, count in army.counts.items())
                for army in (drawn.player, drawn.commander.army)
            ]
            assert drawn.mission.kind == "eliminate" and drawn.land.size in (80, 150)
            assert 0.75 <= strengths[1] / strengths[0] <= 1.34
