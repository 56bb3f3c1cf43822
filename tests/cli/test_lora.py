"""The LoRA recipe with a tiny language model of random weights, from pairs of texts to costs that a command takes."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from tests.arch.sources import ROOT
from tests.cli.conftest import Hive

for name in ("torch", "peft", "accelerate"):
    pytest.importorskip(name, reason="`make test-trainers` installs PyTorch and peft, and runs this")
transformers: Any = pytest.importorskip("transformers", reason="`make test-trainers` installs transformers")

import tokenizers  # noqa: E402


def tiny(folder: Path, texts: list[str]) -> None:
    """Save a Llama of one layer and a tokenizer of words."""
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    special = ["<unk>", "</s>"]
    words.train_from_iterator(texts, tokenizers.trainers.WordLevelTrainer(special_tokens=special))
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="</s>", model_max_length=256)
    fast.save_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    transformers.LlamaModel(transformers.LlamaConfig(vocab_size=len(fast), **sizes)).save_pretrained(folder)


@pytest.mark.slow
def test_pairs_become_costs_that_a_command_takes(
    hive: Hive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ("household", "utility", "--homes", 2, "--epochs", 1)
    assert hive(*small, "--out", "costs").code == 0
    rows = [json.loads(line) for line in Path("costs/pairs.jsonl").read_text("utf-8").splitlines()]
    tiny(Path("tiny"), [f"{row['observation']}\n{row['option']}" for row in rows])
    script = ROOT / "examples" / "lora_costs.py"
    monkeypatch.setattr(sys, "argv", [script.name, "costs", "tiny", "--epochs", "1"])
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        runpy.run_path(str(script), run_name="__main__")
    shown = capsys.readouterr().out
    assert "unseen generated apartments: mean absolute error" in shown and "wrote lora_ticks.py" in shown
    ran = hive(*small, "--costs", "lora_ticks:ticks", "--json")
    assert ran.code == 0, ran.err
    (unseen,) = (table for where, table in ran.json["errors"].items() if where.startswith("unseen"))
    assert f"apartments: mean absolute error {unseen['lora_ticks:ticks']['absolute']:.2f} ±" in shown
