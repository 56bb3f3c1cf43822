"""The options of every command that asks a language model, and what they choose."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from dsl import UserError
from hive.cli.command import Parameter, option
from hive.cli.options import refuse
from hive.cli.printing import tell
from hive.cli.values import SAMPLED, count, index, seconds, share, temperature_of
from hive.players.llm.calling import Caller, Ledger
from hive.players.llm.client import PLAIN, Client, Secret, Settings
from hive.players.llm.opening import ModelChoice, models_of, open_client
from hive.players.llm.recorded_orders import SUFFIX, OrderReplies, read_orders, shipped_orders

Grammar = Literal["auto", "llamacpp", "vllm", "off"]


def prompts_option(file: str) -> Parameter:
    """Return the option for prompts of the user's own, which names a file that they may hold."""
    return option(f"prompts of your own, files such as {file}, in place of the shipped ones (docs/teams.md)", "FOLDER")


def temperature_option(default: str) -> Parameter:
    """Return the option for the temperature of replies, with its default in words."""
    return option(f"0 for the likeliest reply, more for variety; default: {default}", "T", read=temperature_of)


# Options of several of the classes below.
Models = Annotated[
    tuple[str, ...],
    option("ask this model, at its own address if one is given; may be given several times", "NAME[@URL]"),
]
Temperature = Annotated[float, temperature_option(f"{PLAIN.temperature:g}")]
NoGrammar = Annotated[
    Grammar, option("how the server is given the grammar of plans; default: off, as published; auto asks the server")
]


def split_model(model: str) -> tuple[str, str | None]:
    """Return the name of a model that was given as `NAME` or `NAME@URL`, and the address if there is one."""
    name, _, url = model.partition("@http")
    return (name, f"http{url}") if name and url else (model, None)


def _recording(text: str) -> tuple[Path, ...]:
    return (Path(text),)


_REPLAYED = "let a recording answer, without a network or a key"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is served, and how it is asked."""

    title: ClassVar[str] = "the model"
    base_url: Annotated[
        str | None,
        option(
            "where the model is served, as in `http://127.0.0.1:8080/v1`; default: OPENAI_BASE_URL, else OpenAI's",
            "URL",
        ),
    ] = None
    api_key: Annotated[
        Secret | None,
        option(
            "key of the endpoint; other users of this computer may see it, so prefer OPENAI_API_KEY, the default",
            "KEY",
            read=Secret,
        ),
    ] = None
    api_key_env: Annotated[
        tuple[str, ...],
        option(
            "environment variable that holds the key, of all models or of one; may be given several times",
            "[MODEL=]NAME",
        ),
    ] = ()
    replay: Annotated[tuple[Path, ...] | None, option(_REPLAYED, "FILE", read=_recording, joined=True)] = None
    record: Annotated[Path | None, option("append every exchange to this recording", "FILE")] = None
    top_p: Annotated[
        float | None,
        option(
            "draw from the likeliest tokens that together have this probability; default: what the server does",
            "P",
            read=share,
        ),
    ] = None
    max_tokens: Annotated[int, option(f"most tokens of a reply; default: {PLAIN.max_tokens}", "N", read=count)] = (
        PLAIN.max_tokens
    )
    timeout: Annotated[
        float,
        option(
            f"give up on a request when nothing arrives for this long; default: {ModelChoice.timeout:g}",
            "SECONDS",
            read=seconds,
        ),
    ] = ModelChoice.timeout
    retries: Annotated[
        int,
        option(
            f"further attempts when a server is busy or a connection breaks; default: {ModelChoice.retries}",
            "N",
            read=index,
        ),
    ] = ModelChoice.retries
    concurrent: Annotated[
        int, option(f"most requests at the same time; default: {ModelChoice.concurrent}", "N", read=count)
    ] = ModelChoice.concurrent

    def __post_init__(self) -> None:
        """Refuse two keys, and two addresses of one model.

        Raises:
            UserError: Both are given.
        """
        if self.api_key and self.api_key_env:
            raise UserError("argument --api-key-env: not allowed with argument --api-key\n  = help: leave one out")
        names = [split_model(each)[0] for each in dict.fromkeys(self.models)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UserError(
                f"--model names `{twice[0]}` at two addresses, and results are told apart by the name\n"
                "  = help: ask them in two commands, or give one of them another name at its server"
            )

    @property
    def recording(self) -> Path | None:
        """The recording that answers, if one does; without a name the shipped one."""
        if self.replay is None:
            return None
        return self.replay[0] if self.replay else shipped_orders()

    def recorded(self) -> OrderReplies | None:
        """Return the short recording that answers, if one does.

        Raises:
            UserError: It cannot be read.
        """
        return read_orders(self.recording) if self.recording and self.recording.suffix == SUFFIX else None

    def recorded_units(self, units: int | None) -> int | None:
        """Return the size of the player's team: that of a short recording that answers, else `units`.

        Raises:
            UserError: Another size is asked for, or the recording cannot be read.
        """
        found = self.recorded()
        if found is None:
            return units
        if units not in (None, found.units):
            raise UserError(
                f"the plans of this recording are for {found.units} units of the player, not for {units}\n"
                "  = help: leave the size out; docs/commander/study.md plays these plans with other armies"
            )
        return found.units

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are named; some commands take one, others several."""
        named: str | tuple[str, ...] | None = getattr(self, "model", None)
        return (named,) if isinstance(named, str) else named or ()

    @property
    def asks_models(self) -> bool:
        """Whether a model is named, or a recording answers."""
        return bool(self.models or self.recording)

    def asked(self) -> list[str | None]:
        """Return the models that are named, each once, else those of the recording that answers.

        Raises:
            UserError: That file is no recording.
        """
        return [*dict.fromkeys(self.models)] or (models_of(self.recording) if self.recording else [])

    def choice(self, **changes: Any) -> ModelChoice:
        """Return who answers; `changes` are fields of `ModelChoice` that replace those of the options.

        A model that is named as `NAME@URL` is asked there.

        Raises:
            UserError: A variable of `--api-key-env` is not set, or is that of a model that is not asked.
        """
        names = "model base_url plans record grammar timeout retries concurrent"
        found: dict[str, Any] = {name: getattr(self, name) for name in names.split() if hasattr(self, name)}
        found |= {"replay": self.recording, **changes}
        if found["model"]:
            found["model"], own = split_model(found["model"])
            found["base_url"] = own or found["base_url"]
        return ModelChoice(**{"key": self._key(found["model"]), **found})

    def client(self) -> Caller:
        """Return the client that the command asks; its remarks are printed on standard error.

        Raises:
            UserError: See `hive.players.llm.opening.open_client`.
        """
        return open_client(self.choice(), None, tell)

    def script(self, speaker: Client, ledger: Ledger | None = None, **changes: Any) -> Caller:
        """Return the client of a script, beside which models may be asked; `changes` are as in `choice`.

        Raises:
            UserError: See `hive.players.llm.opening.open_client`.
        """
        silent = self.choice(model=None, base_url=None, key=None, replay=None, **changes)
        return open_client(silent, ledger, tell, speaker)

    def check_drawn(self, asks: bool) -> None:
        """Refuse options that say how replies are drawn, where no model is asked.

        Raises:
            UserError: One of them is given.
        """
        if not asks:
            refuse(self, ("temperature", "top_p"), "no model is asked", "name one with --model, or leave this out")

    def _key(self, model: str | None) -> Secret | None:
        """Return the key for a model: of its own variable, else of the variable of all, else that of `--api-key`."""
        named = {split_model(each)[0] for each in self.models}
        variables: dict[str, str] = {}
        for words in self.api_key_env:
            whose, _, variable = words.rpartition("=")
            if whose and whose not in named:
                raise UserError(
                    f"--api-key-env: no model `{whose}` is asked\n"
                    f"  = help: name it with --model, as in `--model {whose}`"
                )
            variables[whose] = variable
        name = variables.get(model or "") or variables.get("")
        if name is None:
            return self.api_key
        value = os.environ.get(name)
        if not value:
            raise UserError(
                f"--api-key-env: the environment variable {name} is not set\n"
                f"  = help: set it, as in `export {name}=KEY`, or name another variable"
            )
        return Secret(value)


@dataclass(frozen=True, kw_only=True)
class ShippedReplies(Endpoint):
    """The model of a command that may replay the recording of the ability tests, which HIVE ships."""

    replay: Annotated[
        tuple[Path, ...] | None,
        option(
            f"{_REPLAYED}; without FILE: the shipped one, of the ability tests",
            "FILE",
            read=_recording,
            joined=True,
            bare=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OneModel:
    """The model of a command that asks one, beside its `Endpoint`."""

    title: ClassVar[str] = "the model"
    model: Annotated[str | None, option("ask this model; default: none", "NAME[@URL]")] = None
    temperature: Annotated[float | None, temperature_option(f"{PLAIN.temperature:g}")] = PLAIN.temperature


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How the plans of a commander come about."""

    title: ClassVar[str] = "the model"
    plans: Annotated[Path | None, option("let the plans of this folder answer, not a model", "DIR")] = None
    grammar: Annotated[
        Grammar,
        option("how the server is given the grammar of plans; default: auto, which asks the server"),
    ] = "auto"


@dataclass(frozen=True, kw_only=True)
class OneWriter(OneModel, Writing, ShippedReplies):
    """The model of a command that asks one for plans."""

    def drawn(self, samples: int = 1) -> Settings:
        """Return how replies are drawn; those of several samples vary where no temperature is given."""
        temperature = (
            self.temperature if self.temperature is not None else SAMPLED if samples > 1 else PLAIN.temperature
        )
        return Settings(temperature=temperature, max_tokens=self.max_tokens, top_p=self.top_p)


@dataclass(frozen=True, kw_only=True)
class SeveralModels:
    """The models of a command that compares several, with several temperatures, beside their `Endpoint`."""

    title: ClassVar[str] = "the model"
    model: Models = ()
    temperature: Annotated[
        tuple[float, ...], temperature_option(f"{PLAIN.temperature:g}; may be given several times")
    ] = ()


@dataclass(frozen=True, kw_only=True)
class StudyModels(ShippedReplies):
    """The models of a study, which asks all of them at one temperature, by default without a grammar."""

    model: Models = ()
    temperature: Temperature = PLAIN.temperature
    grammar: NoGrammar = "off"

    def drawn(self) -> Settings:
        """Return how replies are drawn."""
        return Settings(temperature=self.temperature, max_tokens=self.max_tokens, top_p=self.top_p)
