"""`python -m tests.hive.grammar_figures [--texts N]`: the tables of `docs/commander/grammar.md`.

It draws texts from the grammar of every world in both forms and checks them, and it measures grammars of several
numbers of cut points: their sizes, and the processor time that llguidance takes to read them and for the mask of a
token, with a byte vocabulary.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

import dsl
from dsl.narrowing import narrow
from tests.dsl.decoding import BYTES, Decoder
from tests.dsl.grammar_reader import read_grammar
from tests.hive.test_grammars import FORMS, WORLDS, context_of

CUTS = (20, 100, 250)


def count_texts(name: str, form: str, texts: int, walks: int) -> str:
    """Return a row: texts drawn by our reader and by llguidance, different ones, and those with a finding."""
    context, rng = context_of(name), random.Random(f"figures {name} {form}")
    text = getattr(narrow(context), form)
    grammar, decoder = read_grammar(text, form), Decoder(text, form)
    drawn = [grammar.draw(rng) for _ in range(texts)]
    walked = [decoder.walk(rng) for _ in range(walks)]
    refused = sum(bool(dsl.check_plan(each, context=context).diagnostics) for each in drawn + walked)
    length = np.mean([len(each) for each in drawn])
    different = len({*drawn, *walked})
    return f"| `{name}` | {form} | {len(drawn):,} | {len(walked):,} | {different:,} | {length:,.0f} | {refused} |"


def measure(name: str, cuts: int, form: str, texts: int = 100) -> str:
    """Return a row: size in bytes, milliseconds to read it, and microseconds a mask over random texts."""
    text = getattr(narrow(context_of(name), cuts), form)
    start = time.thread_time()
    matcher = Decoder(text, form).matcher
    read = 1000 * (time.thread_time() - start)
    grammar, rng, took = read_grammar(text, form), random.Random(cuts), []
    mask = allocate_token_bitmask(1, BYTES.vocab_size)
    for _ in range(texts):
        matcher.reset()
        for byte in grammar.draw(rng).encode():
            start = time.thread_time()
            fill_next_token_bitmask(matcher, mask)
            took.append(1e6 * (time.thread_time() - start))
            assert matcher.consume_token(byte), matcher.get_error()
    middle, high, most = np.percentile(took, (50, 99, 100))
    masks = f"{len(took):,} | {middle:.0f} | {high:.0f} | {most:,.0f}"
    return f"| `{name}` | {cuts} | {form} | {len(text.encode()):,} | {read:,.0f} | {masks} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.hive.grammar_figures", description=__doc__)
    parser.add_argument(
        "--texts", type=int, default=5000, help="texts drawn from each grammar; default: 5000; 0: measure alone"
    )
    parser.add_argument("--walks", type=int, default=200, help="texts that llguidance writes; default: 200")
    args = parser.parse_args()
    print("| World | Cut points | Form | Bytes | To read it, ms | Masks | Median, µs | 99%, µs | Most, µs |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in WORLDS:
        for cuts in CUTS if (context_of(name).team_size or 0) > min(CUTS) else CUTS[:1]:  # else every id is a cut point
            for form in FORMS:
                print(measure(name, cuts, form), flush=True)
    if not args.texts:
        return
    print("\n| World | Form | Drawn | Written under masks | Different | Mean characters | Refused |")
    print("|---|---|---|---|---|---|---|")
    for name in WORLDS:
        for form in FORMS:
            print(count_texts(name, form, args.texts, args.walks), flush=True)


if __name__ == "__main__":
    main()
