"""Serves a model file with llama.cpp's own server on the loopback, in a process of its own, until its input ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTEXT = 16_384  # tokens


@contextmanager
def serving_model(path: Path, context: int = CONTEXT) -> Iterator[str]:
    """Start the server with room for so many tokens; give the address of its endpoint."""
    words = [sys.executable, "-m", "tests.llm.llama_server", str(path), str(context)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(words, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        try:
            address = next((line for line in process.stdout if line.startswith("http://")), None)
            assert address, f"the server of {path} did not start"
            yield f"{address.strip()}/v1"
        finally:
            process.stdin.close()


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.port = 0  # any that is free
    params.n_ctx = int(sys.argv[2])
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.verbosity = 1  # errors
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
