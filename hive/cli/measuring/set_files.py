"""What `hive study` keeps: replies and commanded games while it runs, and its folder at the end."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hive.cli.commanders import GamesProgress, exchanges_file, identity_of
from hive.cli.keeping import words_of
from hive.cli.measuring.set_settings import StudySet
from hive.cli.progress_folder import open_progress
from hive.experiments.plots.sets import save_scores
from hive.experiments.sets.scoring import SetStudy
from hive.kit.keep.csv_text import csv_text
from hive.kit.keep.json_text import pretty
from hive.kit.keep.record import digest_of, games_folder
from hive.kit.keep.runfolder import Content, folder_name

if TYPE_CHECKING:
    from hive.experiments.commanders.playing import Terms
    from hive.experiments.panel.measuring import Trial
    from hive.experiments.sets.policies import TrainedPolicy
    from hive.worlds.battle.drawn.sets import BattleSet

_SET_FILE = "set.toml"


def begin(
    settings: StudySet, out: Path, found: BattleSet, terms: Terms | None, commanders: Sequence[str]
) -> GamesProgress:
    """Find the progress folder of an earlier run of the same study, or begin one.

    Raises:
        UserError: The folder is no progress folder, belongs to another study, or cannot be read or written.
    """
    identity = {
        "set": found.digest,
        "commanders": list(commanders),
        "models": [*settings.models, settings.base_url],
        **identity_of(settings, terms),
    }
    return GamesProgress(*open_progress(out, identity, "study", settings.restart))


def finish(
    settings: StudySet,
    study: SetStudy,
    trials: Sequence[Trial],
    plans: Mapping[str, Mapping[str, str]],
    policies: Sequence[TrainedPolicy],
    record: Path | None,
) -> None:
    """Write the folder of a study atomically, from which `hive verify` plays all games again, and drop its progress.

    Args:
        settings: Of the command.
        study: The games.
        trials: The battles.
        plans: The files of each commander's folder of plans.
        policies: Those that played.
        record: Where the replies of models are kept.

    Raises:
        UserError: It cannot be written; the progress stays.
    """
    assert settings.out is not None, "only a study with a folder is kept"
    folders = {name: f"plans/{folder_name(name)}" for name in plans}
    by = [f"plans:{folder}" for folder in folders.values()]
    by += [each.called(os.path.relpath(each.run.folder, settings.out)) for each in policies]
    terms = ("command", "every", "at", "calls", "tokens") if settings.command else ()
    again = words_of("study", settings, ("seeds", *terms), set=_SET_FILE, by=by)
    files: dict[str, Content] = {
        "study.json": pretty(study.json()),
        "games.csv": csv_text(study.games()),
        "table.md": "\n\n".join(f"```\n{table}\n```" for table in study.tables()) + "\n",
        "scores.png": lambda path: save_scores(study, path),
        _SET_FILE: study.found.toml(),
        **{f"{folders[name]}/{file}": text for name, own in plans.items() for file, text in own.items()},
        **exchanges_file(record),
    }
    kept = games_folder(
        settings.line,
        again,
        {trial.world.id: trial.digest for trial in trials},
        [
            *({"name": name, "plays": "plans", "identity": _identity(own)} for name, own in plans.items()),
            *({"name": each.name, "plays": "policy", "identity": each.identity} for each in policies),
        ],
        range(settings.seeds),
        files,
        arguments={"by": [*settings.by], "model": [*settings.model], "set": settings.set},
    )
    settings.save_folder(settings.out, kept, ", and the plans" if plans else "", finish=True)


def _identity(files: Mapping[str, str]) -> str:
    """Return the digest of what decides how a commander plays: its plans, in the order of their files."""
    return digest_of({name: text for name, text in files.items() if name.endswith(".plan")})
