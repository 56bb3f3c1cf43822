"""Decoding under a grammar by llguidance, with a vocabulary of single bytes."""

from __future__ import annotations

import random

import llguidance

BYTES = llguidance.LLTokenizer("byte")
END = BYTES.eos_token


class Decoder:
    """A grammar as llguidance reads it."""

    def __init__(self, text: str, form: str) -> None:
        """Read the text.

        Args:
            text: The grammar.
            form: `gbnf`, which llguidance recognises by its signs, or `lark`.
        """
        self.matcher = llguidance.LLMatcher(BYTES, llguidance.grammar_from("grammar" if form == "gbnf" else form, text))
        assert not self.matcher.get_error() and not self.matcher.get_grammar_warnings()

    def accepts(self, text: str) -> bool:
        """Return whether a text is one of the grammar, complete and followed by the end of the reply."""
        self.matcher.reset()
        tokens = [*text.encode(), END]
        return self.matcher.validate_tokens(tokens) == len(tokens)

    def walk(self, rng: random.Random) -> str:
        """Return a text whose every byte is drawn from those that the mask leaves, until it leaves the end alone."""
        self.matcher.reset()
        drawn = bytearray()
        while True:
            mask = self.matcher.compute_logit_bias()
            token = rng.choice([token for token, bias in enumerate(mask) if bias])
            if token == END:
                return drawn.decode()
            assert self.matcher.consume_token(token), self.matcher.get_error()
            drawn.append(token)
