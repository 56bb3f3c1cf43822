"""Many devices and many processes give the games of one, and devices do not communicate while a loop runs."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import hive
from dsl import UserError
from hive.engine.batch import devices
from hive.engine.reading import read_plan
from tests.conftest import ROOT
from tests.hive.skirmish import LARGE_PLAN, SMALL_PLAN, skirmish

SEEDS = [3, 8, 4]
RULES = {"movement_randomness": [5, 0]}

# Twelve games on as many devices as there are; what came of them, and what the compiled loop calls.
PLAY = """
import json, sys
from pathlib import Path
import jax, jax.numpy as jnp, numpy as np
import hive
from hive.engine.batch import lanes
from hive.engine.reading import read_plan
from hive.engine.batch.devices import connect
from hive.engine.batch.job import Job
from tests.hive.skirmish import LARGE_PLAN, SMALL_PLAN, skirmish

if len(sys.argv) > 2:
    connect(sys.argv[2], 2, int(sys.argv[3]))
world = skirmish(Path(sys.argv[1]))
plans = [read_plan(SMALL_PLAN, world), read_plan(LARGE_PLAN, world)]
rules = {"movement_randomness": [5, 0]}
found = hive.sweep(world, plans[:1], [3, 8, 4], rules=rules)  # six games, which four devices cannot share evenly
watched = hive.play(world, plans[1], [3, 8, 4])
job = Job(world, plans[:1], [""], np.array([3, 8, 4], np.uint32), world.rule_rows(rules))
params, orders, own, _ = job._deal(0)
games = lanes.start(job._mesh, params, orders, own)
loop = lanes.go_on.lower(job._mesh, params, orders, own, games, jnp.int32(9)).compile().as_text()
(Path(sys.argv[1]) / "found.json").write_text(json.dumps({
    "devices": len(jax.devices()),
    "lanes": own.seed.shape[0],
    "spread": len({shard.device.id for shard in own.seed.global_shards}),
    "games": [cell.games() for cell in found.results] + [watched.games()],
    "alive": [np.asarray(each.alive).sum((1, 2)).tolist() for each in watched.metrics],
    "loop": loop,
}))
"""
COLLECTIVE = re.compile(r"\b(all-reduce|all-gather|all-to-all|reduce-scatter|collective-\w+|send|recv)(-start)?\(")


def start_playing(folder: Path, count: int, *words: str) -> subprocess.Popen[bytes]:
    """Begin the games in a process that sees so many host devices."""
    folder.mkdir()
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}".strip()
    with (folder / "log").open("w") as log:  # no pipe, which one process would fill while another is read
        return subprocess.Popen(
            [sys.executable, "-c", PLAY, str(folder), *words],
            env=os.environ | {"PYTHONPATH": str(ROOT), "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )


def played(process: subprocess.Popen[bytes], folder: Path) -> Any:
    """Wait for it and return what it found."""
    try:
        code = process.wait(timeout=200)
    finally:
        process.kill()
        process.wait()
    assert code == 0, (folder / "log").read_text()
    return json.loads((folder / "found.json").read_text())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same games on one device of this process."""
    world = skirmish(tmp_path_factory.mktemp("skirmish"))
    plans, one = [read_plan(text, world) for text in (SMALL_PLAN, LARGE_PLAN)], jax.devices()[:1]
    found = hive.sweep(world, plans[:1], SEEDS, rules=RULES, devices=one)
    watched = hive.play(world, plans[1], SEEDS, devices=one)
    return {
        "games": [cell.games() for cell in found.results] + [watched.games()],
        "alive": [np.asarray(each.alive).sum((1, 2)).tolist() for each in watched.metrics],
    }


@pytest.fixture
def free_address() -> str:
    """An address of this machine at which no process listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.long
def test_four_devices_give_the_games_of_one(alone: dict[str, Any], tmp_path: Path) -> None:
    """Filled up with games that are over before they begin; and no device waits for another within the loop."""
    found = played(start_playing(tmp_path / "four", 4), tmp_path / "four")
    assert (found["devices"], found["spread"], found["lanes"]) == (4, 4, 8)
    assert {name: found[name] for name in alone} == alone
    assert "while" in found["loop"] and not COLLECTIVE.search(found["loop"])


@pytest.mark.long
def test_two_processes_give_the_games_of_one(alone: dict[str, Any], tmp_path: Path, free_address: str) -> None:
    """Joined by `jax.distributed` over the loopback; each has all results."""
    folders = [tmp_path / str(number) for number in range(2)]
    both = [start_playing(folder, 1, free_address, folder.name) for folder in folders]
    try:
        for process, folder in zip(both, folders, strict=True):
            found = played(process, folder)
            assert (found["devices"], found["spread"], found["lanes"]) == (2, 2, 6)
            assert {name: found[name] for name in alone} == alone
            assert not COLLECTIVE.search(found["loop"])
    finally:
        for process in both:
            process.kill()
            process.wait()


def test_the_pattern_of_collectives_finds_one() -> None:
    """So that its silence says something."""
    assert COLLECTIVE.search("%a = f32[4] all-reduce(%b), channel_id=1") and not COLLECTIVE.search("while(%all)")


def test_more_devices_than_there_are_is_the_users_error() -> None:
    with pytest.raises(UserError, match="there are only"):
        devices.first_devices(len(jax.devices()) + 1)
    assert devices.first_devices(None) == jax.devices() and len(devices.first_devices(1)) == 1


def test_host_devices_share_a_memory() -> None:
    assert devices.memories(devices.mesh_of(jax.devices("cpu"))) == 1


@pytest.mark.parametrize("given", [("localhost:1", 2, None), (None, 2, 0), (None, None, 1)])
def test_half_an_address_of_several_hosts_is_the_users_error(given: tuple[str | None, int | None, int | None]) -> None:
    with pytest.raises(UserError, match="go together"):
        devices.connect(*given)
    assert not jax.distributed.is_initialized()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("x:y", 2, 0), "`x:y` is not of the form HOST:PORT"),
        (("localhost", 2, 1), "`localhost` is not of the form HOST:PORT"),
        (("::1:1234", 2, 1), "`::1:1234` is not of the form HOST:PORT"),
        (("127.0.0.1:99999", 2, 1), "port 99999 is out of range"),
        (("127.0.0.1:0", 2, 0), "port 0 is out of range"),
        (("no-such-host.invalid:1234", 2, 1), "the host no-such-host.invalid is not known"),
        (("127.0.0.1:1234", 2, 2), "are numbered 0 to 1"),
    ],
)
def test_an_address_that_would_crash_or_hang_is_refused_before_jax_sees_it(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, int, int], message: str
) -> None:
    monkeypatch.setattr(jax.distributed, "initialize", lambda *args, **kwargs: pytest.fail("JAX was asked"))
    with pytest.raises(UserError, match=re.escape(message)):
        devices.connect(*given)


def test_the_first_process_needs_a_free_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax.distributed, "initialize", lambda *args, **kwargs: pytest.fail("JAX was asked"))
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"cannot listen on port {port}"):
            devices.connect(f"127.0.0.1:{port}", 2, 0)


@pytest.mark.parametrize(
    ("number", "message"), [(0, "not all of the 2 processes joined within 0 s"), (1, "did not answer within 0 s")]
)
def test_waiting_for_other_processes_ends(
    monkeypatch: pytest.MonkeyPatch, free_address: str, number: int, message: str
) -> None:
    """JAX waits in a thread, because its client aborts the process when its own timeout runs out."""
    over = threading.Event()
    monkeypatch.setattr(jax.distributed, "initialize", lambda *args, **kwargs: over.wait())
    try:
        with pytest.raises(UserError, match=message):
            devices.connect(free_address, 2, number, timeout=0)
    finally:
        over.set()


def test_what_jax_refuses_is_one_message(monkeypatch: pytest.MonkeyPatch, free_address: str) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise RuntimeError("UNKNOWN: no server\nat line 7")

    monkeypatch.setattr(jax.distributed, "initialize", refuse)
    with pytest.raises(UserError) as caught:
        devices.connect(free_address, 2, 1)
    assert str(caught.value) == (
        "cannot join the other processes: UNKNOWN: no server\n"
        "  = help: start every process once, with the same --coordinator and --processes"
    )


@pytest.mark.long
def test_a_command_whose_other_processes_never_start_ends_with_a_message(free_address: str) -> None:
    """With JAX itself, the first and the second of two processes: exit code 2, no abort of its client."""
    host = free_address.split(":")[0]
    alone = {"0": (free_address, "not all of the 2 processes joined"), "1": (f"{host}:1", "did not answer")}
    started = [
        subprocess.Popen(
            [
                *(sys.executable, "-c", "import sys; from hive.cli import main; sys.exit(main())", "sweep"),
                *("coordinate", "--coordinator", address, "--processes", "2", "--process", number),
                *("--coordinator-timeout", "1"),
            ],
            env=os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number, (address, _) in alone.items()
    ]
    try:
        for process, (_, message) in zip(started, alone.values(), strict=True):
            out, err = process.communicate(timeout=100)
            assert (process.returncode, out) == (2, "") and message in err, err
    finally:
        for process in started:
            process.kill()


def test_one_process_makes_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor in a batch script under Slurm, whose step has one task however many the job has."""
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "1")
    devices.connect(None, None, None)
    assert not jax.distributed.is_initialized()
    assert devices.agree(3) == 3
