"""Counts the tokens of descriptions by a server's usage: `python -m tests.llm.token_figures` prints a table.

The server is llama.cpp with random weights. Its vocabulary is byte-pair encoding trained on this project's own pages
and prompts (package `tokenizers`), so its counts are of the size that a real tokeniser gives, and no more than that.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hive.engine.instant import state_at_start
from hive.kit.planned_world import Request
from hive.players.llm.client import ChatRequest, Message, Settings
from hive.players.llm.endpoint import Endpoint
from hive.worlds import kind_of
from tests.llm.llama_server import serving_model
from tests.llm.tiny_model import write_model

SIZES = (200, 1_000, 4_000, 20_000)  # units in all
WORDS = 4_000  # of the vocabulary
ROOT = Path(__file__).resolve().parents[2]


def train() -> tuple[list[str], list[str]]:
    """Return tokens and merges of a vocabulary trained on the pages and prompts of this project."""
    try:
        from tokenizers import ByteLevelBPETokenizer
    except ImportError:
        raise SystemExit("error: this needs the package `tokenizers`\n  = help: pip install tokenizers") from None
    tokenizer = ByteLevelBPETokenizer()
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("hive/**/prompts/*.md"), *ROOT.glob("scenarios/**/*.plan")]
    tokenizer.train([str(path) for path in files], vocab_size=WORDS, show_progress=False)
    with tempfile.TemporaryDirectory() as folder:
        _, merges = tokenizer.save_model(folder)
        lines = Path(merges).read_text(encoding="utf-8").splitlines()[1:]
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__), lines


def main() -> None:
    """Print a table: units, characters and tokens of both forms."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "tiny.gguf"
        write_model(model, pairs=train(), layers=1)  # the time grows with the square of the tokens
        with serving_model(model, context=1 << 18) as url:
            client = Endpoint("tiny", base_url=url, timeout=3600)
            print("| units in all | characters, full | tokens, full | characters, compact | tokens, compact |")
            print("|---|---|---|---|---|")
            for units in SIZES:
                world, seed = kind_of("coordinate").load(Request(scenario="coordinate", units=units // 2))
                words = world.describe(state_at_start(world, seed))  # type: ignore[arg-type]
                cells = [f"{units:,}"]
                for text in (words.full, words.compact):
                    reply = client.complete(ChatRequest([Message("user", text)], settings=Settings(max_tokens=1)))
                    cells += [f"{len(text):,}", f"{reply.usage.prompt or 0:,}"]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
