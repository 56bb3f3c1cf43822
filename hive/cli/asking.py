"""The options of every command that asks a language model, and what they choose."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
from typing import Any

from dsl import UserError
from hive.cli.arguments import Parser
from hive.cli.values import BadValueError, count, index, real, seconds
from hive.players.llm.client import GRAMMARS, PLAIN, Secret, Settings
from hive.players.llm.opening import ModelChoice

WARMEST = 2.0  # the highest temperature that the protocol allows
SAMPLED = 0.8  # the temperature of several samples, where none is given


def add_model_options(
    parser: Parser,
    study: bool = False,
    samples: bool = False,
    default: str = "plans that were written before",
    temperatures: bool = False,
    ruled: str | None = None,
) -> None:
    """Add the options that choose who answers, and how it is asked.

    Args:
        parser: Receives the options.
        study: Whether the command asks several models, by default without a grammar; it adds `--plans` itself.
        samples: Whether the command has `--samples`, for more than one of which replies vary by default.
        default: Who answers where no model is named.
        temperatures: Whether the command plays with several temperatures, by default with the likeliest replies.
        ruled: The temperature that the rules of the command set, in words, where they do; `args.temperature` is None
            unless another one is given.
    """
    models = parser.add_argument_group("the model")
    models.add_argument(
        "--model",
        action="append" if study else "store",
        metavar="NAME",
        help="ask this model" + ("; may be given several times" if study else f"; default: {default}"),
    )
    models.add_argument(
        "--base-url",
        metavar="URL",
        help="where the model is served, as in `http://127.0.0.1:8080/v1`; default: OPENAI_BASE_URL, else OpenAI's",
    )
    keys = models.add_mutually_exclusive_group()
    keys.add_argument(
        "--api-key",
        type=Secret,
        metavar="KEY",
        help="key of the endpoint; other users of this computer may see it, so prefer OPENAI_API_KEY, the default",
    )
    keys.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    if not study:
        models.add_argument(
            "--plans", type=Path, metavar="DIR", help="let the plans of this folder answer, not a model"
        )
    models.add_argument(
        "--replay", type=Path, metavar="FILE", help="let a recording answer, without a network or a key"
    )
    models.add_argument("--record", type=Path, metavar="FILE", help="append every exchange to this recording")
    models.add_argument(
        "--temperature",
        type=temperature_of,
        action="append" if temperatures else "store",
        default=None if samples or temperatures or ruled else PLAIN.temperature,
        metavar="T",
        help=f"0 for the likeliest reply, more for variety; default: {ruled or f'{PLAIN.temperature:g}'}"
        + (f", or {SAMPLED:g} with --samples" if samples else "")
        + ("; may be given several times" if temperatures else ""),
    )
    models.add_argument(
        "--top-p",
        type=share,
        metavar="P",
        help="draw from the likeliest tokens that together have this probability; default: what the server does",
    )
    models.add_argument(
        "--max-tokens",
        type=count,
        default=PLAIN.max_tokens,
        metavar="N",
        help=f"most tokens of a reply; default: {PLAIN.max_tokens}",
    )
    models.add_argument(
        "--timeout",
        type=seconds,
        default=ModelChoice.timeout,
        metavar="SECONDS",
        help=f"give a request up when nothing arrives for so long; default: {ModelChoice.timeout:g}",
    )
    models.add_argument(
        "--retries",
        type=index,
        default=ModelChoice.retries,
        metavar="N",
        help=f"further attempts when a server is busy or a connection breaks; default: {ModelChoice.retries}",
    )
    models.add_argument(
        "--concurrent",
        type=count,
        default=ModelChoice.concurrent,
        metavar="N",
        help=f"most requests at the same time; default: {ModelChoice.concurrent}",
    )
    models.add_argument(
        "--grammar",
        choices=GRAMMARS,
        default="off" if study else ModelChoice.grammar,
        help="how the server is given the grammar of plans; "
        + ("default: off, as published; auto asks the server" if study else "default: auto, which asks the server"),
    )


def choice_of(args: argparse.Namespace, **changes: Any) -> ModelChoice:
    """Return who answers, by the options of a command and by fields of `ModelChoice` that replace them.

    Raises:
        UserError: The variable of `--api-key-env` is not set.
    """
    key: Secret | None = args.api_key
    if args.api_key_env:
        value = os.environ.get(args.api_key_env)
        if not value:
            raise UserError(
                f"--api-key-env: the environment variable {args.api_key_env} is not set\n"
                f"  = help: set it, as in `export {args.api_key_env}=KEY`, or name another variable"
            )
        key = Secret(value)
    names = "model base_url plans replay record grammar timeout retries concurrent"
    found = {name: getattr(args, name) for name in names.split() if name not in changes}
    return ModelChoice(**{"key": key, **found, **changes})


def settings_of(args: argparse.Namespace) -> Settings:
    """Return how replies are drawn, by the options of a command."""
    temperature = args.temperature
    if temperature is None:  # of a command with `--samples`, or with temperatures of its own
        temperature = SAMPLED if getattr(args, "samples", 1) > 1 else PLAIN.temperature
    return Settings(temperature=temperature, max_tokens=args.max_tokens, top_p=args.top_p)


def share(text: str) -> float:
    """Read a probability above 0.

    Raises:
        BadValueError: It is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise BadValueError(f"`{text}` is no probability, allowed is a number above 0 and up to 1")
    return value


def temperature_of(text: str) -> float:
    """Read a temperature.

    Raises:
        BadValueError: It is none.
    """
    try:
        value = real(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= WARMEST:
        raise BadValueError(f"`{text}` is no temperature, allowed is a number from 0 to {WARMEST:g}")
    return value
