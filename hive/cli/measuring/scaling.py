"""`hive scale`: how the time of a tick grows with units, and throughput with the batch."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dsl import UserError
from dsl.wording import plural
from hive.cli.command import Command, option
from hive.cli.measuring.cases import CaseLine, Work, failed, measure
from hive.cli.options import JsonOnly, ResumedFolder, Tuning
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.values import BadValueError, count, read_text
from hive.experiments.bench.rows import LEAST_UNITS, SMALL, Case
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import json_lines
from hive.kit.keep.lines import split_lines

if TYPE_CHECKING:
    from hive.experiments.bench.growth import Growth
    from hive.kit.keep.runfolder import Content

_SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
_BATCHES = (1, 4, 16, 64, 256, 1_024, 4_096, 16_384)
_MOST_SWEPT = 128_000  # units up to which the sweep alone and plain C are measured
_MOST_BATCHED = 1 << 18  # units of all worlds of a batch, unless the user asks for more
_QUICK_SIZES, _QUICK_BATCHES = (200, 1_000, 4_000, 16_000), (1, 16, 64)
_MOST_DENSE = 4_000  # units up to which all pairs are compared: the largest game of the paper
_MOST_BATCH = 65_536


@dataclass(frozen=True, kw_only=True)
class Scale(ResumedFolder, JsonOnly, Tuning):
    """Settings of `hive scale`."""

    units: Annotated[
        tuple[int, ...], option("numbers of units, both sides together", "N", read=_units, several=True)
    ] = ()
    batch: Annotated[
        tuple[int, ...], option("numbers of small worlds in one batch", "B", read=_batch, several=True)
    ] = ()
    quick: Annotated[bool, option("measure fewer and smaller cases: about three minutes on two cores")] = False
    beside: Annotated[
        str | None,
        option(
            "also draw what another machine measured: its scale.jsonl, or results.jsonl of scripts/gpu_session.sh",
            "FILE",
        ),
    ] = None
    out: Annotated[Path, option("save results and plots in this folder; an interrupted run resumes", "DIR")] = field()


def _run(settings: Scale) -> int:
    from hive.cli.progress_folder import Parts
    from hive.experiments.plots.scale import save_growth, save_throughput
    from hive.kit.keep.config import config_file
    from hive.kit.keep.digests import read_value, write_value

    settings.check_folder(settings.out)
    settings.use_tuning()
    others = _read_lines(settings.beside) if settings.beside else []
    sizes = sorted(set(settings.units or (_QUICK_SIZES if settings.quick else _SIZES)))
    batches = sorted(set(settings.batch or (_QUICK_BATCHES if settings.quick else _BATCHES)))
    small = SMALL[1:2] if settings.quick else SMALL
    work: list[tuple[str, Case]] = [("tick", {"units": units, "parts": False, "scenes": 1}) for units in sizes]
    work += [("sweep", {"units": units, "layout": "scattered"}) for units in sizes if units <= _MOST_SWEPT]
    work += [("dense", {"units": units, "layout": "scattered"}) for units in sizes if units <= _MOST_DENSE]
    for units in small:
        some = [batch for batch in batches if settings.batch or batch * units <= _MOST_BATCHED]
        work.append(("batch", {"units": units, "batches": some}))
    progress = _begin(settings, work)
    cases: Parts[list[CaseLine]] = Parts(progress, "case-{}.json", read_value, write_value)
    if cases.found:
        tell(f"resuming after {len(cases.found)} of {plural(len(work), 'case')} from {progress}")
    with watching() as watch:
        try:
            lines = measure(work, watch, settings.json, None, settings.sizes, tuple(cases.found), cases.add)
        except (UserError, KeyboardInterrupt):
            tell(f"what was measured so far is kept in {progress}; the same command resumes from there")
            raise
    growth = _fitted(lines)
    settings.output({"growth": _plain(growth), "lines": lines}, f"\n{_in_words(growth)}")
    files: dict[str, Content] = {
        **config_file(
            settings.line, [], units=sizes, batch=batches, growth=_plain(growth), measured_with=lines[0].get("versions")
        ),
        "scale.jsonl": json_lines(lines),
        "scale.csv": csv_text({name: each for name, each in line.items() if name != "versions"} for line in lines),
        "growth.png": lambda path: save_growth(lines, growth, path, others),
        "throughput.png": lambda path: save_throughput(lines, path, others),
    }
    settings.save_folder(settings.out, files, finish=True)
    return failed(lines)


def _begin(settings: Scale, work: Work) -> Path:
    """Find the progress folder of an earlier run of the same cases on this machine, or begin one.

    Each case runs in a process of its own, so this process does not start the device.

    Raises:
        UserError: The folder is no progress folder, belongs to other work, or cannot be read or written.
    """
    from hive.cli.progress_folder import open_progress

    identity = {
        "cases": [[row, dict(case)] for row, case in work],
        "sizes": settings.sizes,
        "machine": [platform.node(), platform.platform(), os.environ.get("JAX_PLATFORMS", "")],
    }
    return open_progress(settings.out, identity, "measurement", settings.restart, device=False)[0]


def _fitted(lines: Sequence[CaseLine]) -> Growth | None:
    """Growth of the tick in the lines so far."""
    from hive.experiments.bench.growth import fit

    ticks = [line for line in lines if line["row"] == "tick" and "error" not in line]
    return fit([line["units"] for line in ticks], [line["tick_ms"] for line in ticks])


def _read_lines(path: str) -> list[CaseLine]:
    """Read the ticks and batches of a file that another run saved, measured with the sizes of its device.

    Raises:
        UserError: The file cannot be read, or a line is not one of `hive bench` or `hive scale`.
    """
    lines: list[CaseLine] = []
    needed = {"tick": ("units", "tick_ms"), "batch": ("units", "batch", "ground", "env_steps_per_s")}
    for number, text in enumerate(split_lines(read_text(path)[0]), 1):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or "row" not in found:
            raise UserError(f"{path}:{number} is no line of results\n  = help: give a scale.jsonl or results.jsonl")
        if found["row"] in needed and "error" not in found and found.get("sizes", "gpu") == "gpu":
            if any(not isinstance(found.get(key), int | float | str) for key in needed[found["row"]]):
                raise UserError(f"{path}:{number} lacks {', '.join(needed[found['row']])}\n  = help: measure it again")
            lines.append(found)
    if not lines:
        raise UserError(f"{path} has no line of row `tick` or `batch`\n  = help: give a scale.jsonl or results.jsonl")
    return lines


def _plain(growth: Growth | None) -> dict[str, Any] | None:
    if growth is None:
        return None
    return {"exponent": round(growth.exponent, 4), "from": growth.low, "to": growth.high}


def _in_words(growth: Growth | None) -> str:
    if growth is None:
        return "growth: not fitted, because that takes two sizes between 1,000 and 64,000 units"
    where = f"from {growth.low:,} to {growth.high:,} units at equal density"
    return f"growth: the time of a tick is proportional to units ^ {growth.exponent:.3f}, {where}"


def _units(text: str) -> int:
    units = count(text)
    if units < LEAST_UNITS:
        raise BadValueError(f"{units} is out of range, a measured world has at least {LEAST_UNITS} units")
    return units


def _batch(text: str) -> int:
    batch = count(text)
    if batch > _MOST_BATCH:
        raise BadValueError(f"{batch} is out of range, allowed is a whole number from 1 to {_MOST_BATCH}")
    return batch


COMMAND = Command(
    settings=Scale,
    run=_run,
    about="""\
Time the tick from 1,000 to 1,000,000 units at equal density (as far as maps go), and batches of 1 to 16,384
small worlds. Print the exponent of growth between 1,000 and 64,000 units, and draw both curves together
with a tick that compares all pairs, plain C, and published figures from another machine of the same size.""",
    examples=(
        "hive scale --out runs/scale                           every size; use --quick on two cores",
        "hive scale --quick --out runs/scale                   a few sizes",
        "hive scale --units 1000 8000 --batch 1 64 --out here  your own",
    ),
    notes="""\
Each measured case is saved in DIR.progress, and the same command resumes from there. At the end that
folder is removed and DIR is written atomically: config.json, scale.jsonl, growth.png, throughput.png.""",
)
