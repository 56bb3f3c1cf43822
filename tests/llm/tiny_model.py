"""Writes a model file for llama.cpp with tiny random weights and a vocabulary of bytes: it says noise, but it runs."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
CONTEXT = 1 << 20  # tokens; the server takes as much of it as it is told
UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "


def write_model(
    path: Path, seed: int = 0, pairs: tuple[list[str], list[str]] | None = None, layers: int = LAYERS
) -> None:
    """Write a model of the `llama` architecture.

    Args:
        path: The file, `*.gguf`.
        seed: Seed of the weights.
        pairs: Tokens and merges of a byte-pair encoding; None: a token for each byte.
        layers: Number of layers.
    """
    random = np.random.default_rng(seed)
    tokens = [*SPECIAL, *(pairs[0] if pairs else (f"<0x{byte:02X}>" for byte in range(256)))]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny random weights")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2" if pairs else "llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    special = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kind = gguf.TokenType.NORMAL if pairs else gguf.TokenType.BYTE
    writer.add_token_types([*special, *[kind] * (len(tokens) - len(special))])
    if pairs:
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_merges(pairs[1])
    writer.add_unk_token_id(UNKNOWN)
    writer.add_bos_token_id(BEGIN)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(CHAT)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.5 / shape[-1] ** 0.5, shape).astype(np.float32))

    def add_norm(name: str) -> None:
        writer.add_tensor(name, np.ones(WIDTH, np.float32))

    add("token_embd.weight", len(tokens), WIDTH)
    for layer in range(layers):
        add_norm(f"blk.{layer}.attn_norm.weight")
        for part in ("q", "k", "v", "output"):
            add(f"blk.{layer}.attn_{part}.weight", WIDTH, WIDTH)
        add_norm(f"blk.{layer}.ffn_norm.weight")
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    add_norm("output_norm.weight")
    add("output.weight", len(tokens), WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
