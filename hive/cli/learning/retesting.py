"""`hive evaluate --held-out`: the held-out games of a training run once more, with the checkpoints that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import columns, plural
from hive.kit.keep.digests import DIGESTS
from hive.kit.keep.json_text import json_lines
from hive.kit.keep.record import games_folder
from hive.kit.keep.runfolder import MARK, Content
from hive.rl.algorithms import BEST, NEWEST

if TYPE_CHECKING:
    from hive.rl.runs import TrainedRun
    from hive.rl.training import MetricsRow


_WHICH = ("update", "seed", "settings")  # of a test: the policy, and how long it had learned


@dataclass(frozen=True)
class Retested:
    """What comes out when the held-out games of a run are played once more.

    Attributes:
        run: The run.
        policies: How each policy ended, as `config.json` of the run has it.
        kept: The results of all tests, as the run keeps them.
        tests: The same, with what comes out now of the checkpoints that it keeps.
        played: Of each test the checkpoint that played it now, `best` or `newest`; empty for the others.
        lacking: Tests that were played now, and of which the run keeps none.
        games: Number of games that were played now.
    """

    run: TrainedRun
    policies: Sequence[Mapping[str, Any]]
    kept: Sequence[MetricsRow]
    tests: Sequence[MetricsRow]
    played: Sequence[str]
    lacking: Sequence[MetricsRow]
    games: int

    def json(self) -> dict[str, Any]:
        """Return the tests that were played once more, and the policies, in plain values."""
        rows = zip(self.played, self.tests, self.kept, strict=True)
        tests = [{"checkpoint": which, **row, "as_kept": row == old} for which, row, old in rows if which]
        return {"run": str(self.run.folder), "policies": [*self.policies], "tests": tests}

    def table(self) -> str:
        """Return the tests that were played once more as a readable table."""
        from hive.rl.runs import read_lanes

        rows = [["policy", "checkpoint", "steps", "won, drawn", "won, greedy", "as kept"]]
        for test in self.json()["tests"]:
            (lane,) = read_lanes([{"seed": test["seed"], **test["settings"]}])
            shares = [f"{test[f'{way}_won']:.1%}" for way in ("drawn", "greedy")]
            same = "yes" if test["as_kept"] else "no"
            rows.append([lane.label, test["checkpoint"], f"{test['steps']:,}", *shares, same])
        games = self.run.config.get("held_out", {"games": 0})["games"]
        return f"{columns(rows, left=(0, 1))}\n{plural(games, 'held-out game')} in each test, drawn and greedy each"

    def files(self, command: str) -> dict[str, Content]:
        """Return the files of the run, with what comes out now in place of what it keeps.

        Raises:
            UserError: No game was played, so nothing comes out.
        """
        from hive.cli.learning.trained import AGAIN, who_of
        from hive.rl.runs import HELD_OUT

        if not self.games:
            raise UserError(
                f"no held-out games are kept in {self.run.folder}, so none can be played again\n"
                "  = help: train with --test-games, and put the best checkpoint back if it is missing"
            )
        found = {path.relative_to(self.run.folder).as_posix(): path for path in sorted(self.run.folder.rglob("*"))}
        files: dict[str, Content] = {
            name: path.read_bytes() for name, path in found.items() if path.is_file() and name not in (MARK, DIGESTS)
        }
        rows = [*self.tests, *self.lacking]
        files[HELD_OUT] = json_lines(rows)
        facts = {**self.run.identity, "policies": [*self.policies], "games": self.games}
        seeds = [lane.seed for lane in self.run.lanes]
        return games_folder(command, AGAIN, *who_of(self.run.identity), seeds, files, **facts)


def retest(run: TrainedRun) -> Retested:
    """Play the held-out games of a run once more with its newest and its best checkpoint.

    Raises:
        UserError: The run is damaged, or its task has changed since.
    """
    from hive.cli.learning.training import holdout_of, policies_of
    from hive.rl.holdout import WAYS, better, no_best
    from hive.rl.runs import read_held_out, read_metrics

    trainer = run.trainer
    policies = policies_of(trainer, run.folder, read_metrics(run.folder, run.updates))
    holdout, kept = holdout_of(trainer, run.identity), read_held_out(run.folder, run.updates)
    tests, played = [*kept], [""] * len(kept)
    lacking: list[MetricsRow] = []
    games = 0
    for which in (NEWEST, BEST):
        if holdout is None or not (run.folder / BEST).is_dir():
            continue
        at = run.checkpoint(which)
        rows = holdout.test(at.updates, at.params)
        games += sum(row["games"] for row in rows) * len(WAYS)
        for row in rows:
            same = [number for number, old in enumerate(kept) if all(row[name] == old[name] for name in _WHICH)]
            for number in same:
                tests[number], played[number] = row, which
            lacking += [] if same or row in lacking else [row]
        if which == BEST:
            now, _ = better(no_best(trainer), rows, at.params)
            for policy, won, score in zip(policies, now.won.tolist(), now.score.tolist(), strict=True):
                policy["best"] |= {"won": won, "score": score}
    return Retested(run, policies, kept, tests, played, lacking, games)
