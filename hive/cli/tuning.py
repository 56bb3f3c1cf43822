"""`--sizes` and `--graphs`: how programs are cut up for the device, which changes their speed and no result."""

from __future__ import annotations

import argparse
import os

from hive.cli.arguments import Parser


def add_tuning(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--sizes",
        metavar="SIZES",
        help="sizes of blocks: cpu, gpu, or single ones as in block=4096,chunk=64; default: those of the device. "
        "Results do not depend on them",
    )
    parser.add_argument(
        "--graphs",
        action="store_true",
        help="on a GPU, let XLA run loops and branches as CUDA graphs. With JAX 0.11.2 such programs did not end",
    )


def use_tuning(args: argparse.Namespace) -> None:
    """Apply the options to this process, before JAX is used.

    Raises:
        UserError: The text names no size, or a value is not allowed.
    """
    if args.graphs:
        from hive.ground.sizes import GRAPHS

        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {GRAPHS}".strip()
    if args.sizes:
        from hive.ground.sizes import read_sizes, use_always

        read_sizes(args.sizes)
        use_always(args.sizes)
