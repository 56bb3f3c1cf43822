"""Which client answers: a model at an endpoint, a recording, or a folder of plans, by the options of a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsl import UserError
from hive.players.llm.calling import Caller, Ledger
from hive.players.llm.client import Client, Say, Secret
from hive.players.llm.recorded import Recorder, Replay, ReplyRecording
from hive.players.llm.recorded_orders import SUFFIX, OrderReplay, read_orders
from hive.players.llm.scripted import PlanFolder


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """Who answers, and how it is asked.

    Attributes:
        model: Name of a model; None: no model is asked.
        base_url: Address of its endpoint, such as `http://127.0.0.1:8080/v1`; None: that of the environment.
        key: The key of the endpoint; None: that of the environment.
        plans: Folder of plans that answer in place of a model.
        replay: Recording that answers in place of a model, a complete or a short one.
        record: Recording that every exchange is appended to.
        reuse: Whether requests that `record` holds already are not made again.
        grammar: How an endpoint is given a grammar: `auto`, `llamacpp`, `vllm` or `off`.
        timeout: Seconds until a request that brings nothing is given up.
        retries: Most further attempts after a transient error.
        concurrent: Most requests at the same time.
    """

    model: str | None = None
    base_url: str | None = None
    key: Secret | None = None
    plans: Path | None = None
    replay: Path | None = None
    record: Path | None = None
    reuse: bool = False
    grammar: str = "auto"
    timeout: float = 120.0
    retries: int = 3
    concurrent: int = 4


def open_client(
    choice: ModelChoice, ledger: Ledger | None = None, say: Say | None = None, otherwise: Client | None = None
) -> Caller:
    """Return the client that a command asks.

    Args:
        choice: Who answers.
        ledger: Where exchanges are counted; None: a new one.
        say: Receives remarks for the user, such as that a server takes no grammar.
        otherwise: Who answers where `choice` names nobody; None: a folder of plans.

    Raises:
        UserError: The options contradict each other, a file or folder is missing, or a package is not installed.
    """
    client: Client
    if choice.replay and choice.plans:
        raise UserError("a recording or a folder of plans answers, not both: leave out --replay or --plans")
    if choice.replay:
        client = _replay(choice.replay, choice.model)
    elif choice.model:
        if choice.plans:
            raise UserError("a model or a folder of plans answers, not both: leave out --model or --plans")
        from hive.players.llm.endpoint import Endpoint

        client = Endpoint(
            choice.model,
            base_url=choice.base_url,
            key=choice.key,
            grammar=choice.grammar,
            timeout=choice.timeout,
            say=say,
        )
    elif choice.base_url or choice.key:
        option = "--base-url" if choice.base_url else "--api-key"
        raise UserError(f"{option} needs the name of a model\n  = help: add --model NAME")
    elif otherwise is not None and choice.plans is None:
        client = otherwise
    else:
        client = PlanFolder(choice.plans)
    ledger = Ledger() if ledger is None else ledger
    recording = ReplyRecording(choice.record) if choice.record else None
    if recording is not None:
        recording.check_writable()
    client = Recorder(client, ledger.lines, recording, choice.reuse)
    return Caller(client, retries=choice.retries, concurrent=choice.concurrent, ledger=ledger, say=say)


def models_of(replay: Path | None) -> list[str | None]:
    """Return the names of the models whose replies a recording holds; None alone where there is no recording.

    Raises:
        UserError: The file is no recording.
    """
    if replay is None or not replay.is_file():
        return [None]
    return [read_orders(replay).model] if replay.suffix == SUFFIX else [*ReplyRecording(replay).models] or [None]


def _replay(path: Path, model: str | None) -> Client:
    if path.suffix != SUFFIX:
        return Replay(path, model)
    if not path.is_file():
        raise UserError(f"there is no recording {path}\n  = help: `--replay` alone is the shipped one")
    client = OrderReplay(path)
    if model not in (None, client.name):
        raise UserError(f"{path} holds replies of {client.name}, not of {model}\n  = help: leave out --model")
    return client
