"""`hive ask --samples`: several replies to the first prompt, of which the best plan is followed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dsl.wording import plural
from hive.cli.arguments import Parser
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.values import count
from hive.players.llm.client import Image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hive.kit.keep.runfolder import Content
    from hive.players.llm.sampling import Sample
    from hive.players.llm.session import Session

TRIALS = 4  # games of each sample


def add_sampling(parser: Parser) -> None:
    """Add the options of several samples."""
    some = parser.add_argument_group("several samples")
    some.add_argument(
        "--samples",
        type=count,
        default=1,
        metavar="N",
        help="ask for N plans, play all that have no errors, and follow the best; default: 1",
    )
    some.add_argument(
        "--trials",
        type=count,
        default=TRIALS,
        metavar="K",
        help=f"games that decide which sample is best, on seeds of their own; default: {TRIALS}",
    )


class Samples:
    """The samples of a command, as far as they are known.

    Attributes:
        samples: Every sample, by number.
        best: The sample whose plan is followed; None before that, or without one.
        seeds: Seeds of the games that were compared.
    """

    def __init__(self) -> None:
        """There are none yet."""
        self.samples: Sequence[Sample] = ()
        self.best: Sample | None = None
        self.seeds: list[int] = []

    def ask(self, args: argparse.Namespace, session: Session, prompt: str, images: Sequence[Image]) -> str:
        """Ask for all samples, play the good ones, print the table, and follow the best.

        Returns:
            What the followed sample is; `plan` unless there is no plan to play.

        Raises:
            ModelError: No request succeeded.
        """
        from hive.players.llm.sampling import ask_samples, best_of, follow, fresh_seeds, play_samples, table

        if args.temperature == 0:
            tell("at temperature 0 the replies of a model are probably all alike; leave --temperature out for variety")
        shown = range(args.seeds) if args.seeds else [session.seed]
        seeds = fresh_seeds(args.trials, shown)
        with watching(quiet=args.json) as watch:
            name = session.dialogue.client.name
            watch.stage(f"asking {name} {args.samples} times", args.samples, "reply")
            heard: list[Sample] = []

            def hear(sample: Sample) -> None:
                heard.append(sample)
                watch.update(len(heard), f"{sum(each.kind == 'plan' for each in heard)} with a plan to play")

            self.samples = ask_samples(session, prompt, args.samples, args.concurrent, hear, images)
            good = sum(sample.kind == "plan" for sample in self.samples)
            if good:
                name = f"playing {plural(good, 'plan')} on {plural(len(seeds), 'seed')} to find the best"
                watch.stage(name, session.world.limit, "tick")
                self.samples = play_samples(
                    session,
                    self.samples,
                    seeds,
                    lambda tick, ends: watch.update(tick, f"{ends.count('running')} to go"),
                )
                self.seeds = seeds
            self.best = best_of(self.samples)
            watch.say(f"\n{table(self.samples, self.best)}\n")
        chosen = self.best or next(sample for sample in self.samples if sample.answer)
        session.dialogue = chosen.dialogue
        if self.best:
            follow(session, self.best)
            trials = f"{plural(good, 'plan')} on {plural(len(seeds), 'seed')}"
            tell(f"sample {chosen.number} is followed: the best of {trials}")
        else:
            tell(f"none of the samples has a plan without errors; sample {chosen.number} is kept as the dialogue")
        return chosen.kind

    def json(self) -> dict[str, Any]:
        """Return everything in plain values; empty where there are no samples."""
        if not self.samples:
            return {}
        return {
            "samples": [sample.json() for sample in self.samples],
            "trials": self.seeds,
            "best": self.best.number if self.best else None,
        }

    def files(self) -> dict[str, Content]:
        """Return the files of a run folder: the table, and each dialogue without its constant text."""
        from hive.cli.printing import pretty
        from hive.kit.keep.csv_text import csv_text
        from hive.players.llm.saving import messages_text

        if not self.samples:
            return {}
        return {
            "samples.json": pretty(self.json()),
            "samples.csv": csv_text(sample.json() for sample in self.samples),
            **{f"samples/{each.number:02}.md": messages_text(each.dialogue.messages) for each in self.samples},
        }
