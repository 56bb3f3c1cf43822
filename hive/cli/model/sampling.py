"""`hive ask --samples`: several replies to the first prompt, of which the best plan is followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from dsl.wording import plural
from hive.cli.command import option
from hive.cli.model_options import OneWriter, temperature_option
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.cli.values import SAMPLED, count
from hive.players.llm.client import PLAIN, Image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hive.kit.keep.runfolder import Content
    from hive.players.llm.sampling import Sample
    from hive.players.llm.session import Session

TRIALS = 4  # games of each sample


@dataclass(frozen=True, kw_only=True)
class SeveralSamples(OneWriter):
    """`--samples` and `--trials`: several replies to the first prompt, which vary by default."""

    title: ClassVar[str] = "several samples"
    samples: Annotated[
        int,
        option("ask for N plans, play all that have no errors, and follow the best; default: 1", "N", read=count),
    ] = 1
    trials: Annotated[
        int,
        option(f"games that decide which sample is best, on seeds of their own; default: {TRIALS}", "K", read=count),
    ] = TRIALS
    temperature: Annotated[
        float | None, temperature_option(f"{PLAIN.temperature:g}, or {SAMPLED:g} with --samples")
    ] = None


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

    def ask(
        self,
        settings: SeveralSamples,
        session: Session,
        prompt: str,
        images: Sequence[Image],
        shown: Sequence[int],
        quiet: bool,
    ) -> str:
        """Ask for all samples, play the good ones, print the table, and follow the best.

        Args:
            settings: How many there are, and how they are drawn and compared.
            session: The game and its dialogue.
            prompt: What is wanted.
            images: Sent with it.
            shown: Seeds of the games that are shown, which are not used to compare samples.
            quiet: Whether the table goes to standard error.

        Returns:
            What the followed sample is; `plan` unless there is no plan to play.

        Raises:
            ModelError: No request succeeded.
        """
        from hive.players.llm.sampling import ask_samples, best_of, follow, fresh_seeds, play_samples, table

        if settings.temperature == 0:
            tell("at temperature 0 the replies of a model are probably all alike; leave --temperature out for variety")
        seeds = fresh_seeds(settings.trials, shown)
        with watching(quiet=quiet) as watch:
            name = session.dialogue.client.name
            watch.stage(f"asking {name} {settings.samples} times", settings.samples, "reply")
            heard: list[Sample] = []

            def hear(sample: Sample) -> None:
                heard.append(sample)
                watch.update(len(heard), f"{sum(each.kind == 'plan' for each in heard)} with a plan to play")

            self.samples = ask_samples(session, prompt, settings.samples, settings.concurrent, hear, images)
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
        from hive.kit.keep.csv_text import csv_text
        from hive.kit.keep.json_text import pretty
        from hive.players.llm.saving import messages_text

        if not self.samples:
            return {}
        return {
            "samples.json": pretty(self.json()),
            "samples.csv": csv_text(sample.json() for sample in self.samples),
            **{f"samples/{each.number:02}.md": messages_text(each.dialogue.messages) for each in self.samples},
        }
