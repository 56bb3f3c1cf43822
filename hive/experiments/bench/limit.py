"""The limit in C: `limit.c`, compiled by the installed compiler and run on one of the measured worlds."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from jaxtyping import Float, Int

NO_COMPILER = "no C compiler"
_SOURCE = Path(__file__).with_name("limit.c")
_FLAGS = ("-O3", "-march=native")
_SLOW = 300.0  # seconds after which the program is stopped


@dataclass(frozen=True)
class SweepInput:
    """What the C program sweeps over; arrays `[N]`, floats in metres."""

    side: float
    sight: float
    x: Float[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    reach: Float[np.ndarray, " n"]
    threat: Float[np.ndarray, " n"]  # reach and three steps together
    team: Int[np.ndarray, " n"]


@dataclass(frozen=True)
class Swept:
    """What the program found for each unit, and how long it took."""

    nearest: Int[np.ndarray, " n"]  # foe in sight, or -1
    random: Int[np.ndarray, " n"]  # foe within reach, or -1
    threatened: Int[np.ndarray, " n"]
    push: Float[np.ndarray, "n 2"]
    median: float  # seconds on the clock
    least: float
    spent: float  # mean seconds of the processor
    pairs: int  # that were met


@contextmanager
def compiled() -> Iterator[Path | None]:
    """Compile the program into a temporary folder; None if there is no C compiler (`CC`, else cc, gcc or clang).

    Raises:
        RuntimeError: There is one, but it does not compile the program.
    """
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    compiler = next((found for name in names if (found := shutil.which(name))), None)
    if compiler is None:
        yield None
        return
    with TemporaryDirectory(prefix="hive-limit-") as folder:
        program = Path(folder) / "limit"
        _run(compiler, *_FLAGS, str(_SOURCE), "-o", str(program), "-lm")
        yield program


def sweep(program: Path, world: SweepInput, repeats: int) -> Swept:
    """Run the program on a world, on one core."""
    count = len(world.x)
    floats = (world.x, world.y, world.reach, world.threat)
    with TemporaryDirectory(prefix="hive-limit-") as folder:
        given, found = Path(folder) / "world", Path(folder) / "answers"
        head = np.int32(count).tobytes() + np.array([world.side, world.sight], np.float32).tobytes()
        body = b"".join(np.asarray(each, np.float32).tobytes() for each in floats)
        given.write_bytes(head + body + np.asarray(world.team, np.int32).tobytes())
        median, least, spent, pairs = _run(str(program), str(given), str(found), str(repeats)).split()
        nearest, random, threatened = np.fromfile(found, np.int32, 3 * count).reshape(3, count)
        push = np.fromfile(found, np.float32, offset=12 * count).reshape(2, count).T
    return Swept(
        nearest=nearest,
        random=random,
        threatened=threatened,
        push=push,
        median=float(median) / 1e3,
        least=float(least) / 1e3,
        spent=float(spent) / 1e3,
        pairs=int(pairs),
    )


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=_SLOW, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
