"""Rewards inside TRL: its GRPO trainer makes steps with a tiny random model, and our texts as its completions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hive.players.llm.rewards import REWARD_FLOOR, Rewards
from tests.hive.skirmish import skirmish
from tests.llm.test_rewards import BROKEN, FEW, GOOD, QUESTION

trl: Any = pytest.importorskip("trl", reason="`make test-trainers` installs TRL and runs this")

import datasets  # noqa: E402
import tokenizers  # noqa: E402
import transformers  # noqa: E402

TEXTS = [GOOD, BROKEN, QUESTION, FEW]
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}<|assistant|>"
PROMPTS = [[{"role": "system", "content": "you command"}, {"role": "user", "content": "attack"}]] * 2


def tokenizer() -> Any:
    """One token for each byte."""
    special = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*letters, *special])}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token=special[0], pad_token=special[1])
    fast.add_special_tokens({"additional_special_tokens": special[2:]})
    fast.chat_template = TEMPLATE
    return fast


def model(size: int) -> Any:
    """Random weights."""
    config = transformers.LlamaConfig(
        vocab_size=size,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=4096,
    )
    return transformers.LlamaForCausalLM(config)


def trainer_of(rewards: list[Rewards], folder: Path, names: list[str], **more: Any) -> Any:
    words = tokenizer()
    data = datasets.Dataset.from_dict({"prompt": PROMPTS[: len(names)], "scenario": names})
    settings = trl.GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        max_steps=2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        bf16=False,
    )
    return trl.GRPOTrainer(
        model=model(len(words)),
        reward_funcs=list(rewards),
        args=settings,
        train_dataset=data,
        processing_class=words,
        **more,
    )


def speaking(prompts: list[Any], trainer: Any) -> dict[str, Any]:
    """Our texts in place of what the model would write; see TRL's `rollout_func`."""
    words = trainer.processing_class
    texts = [TEXTS[at % len(TEXTS)] for at in range(len(prompts))]
    ids = [words(text, add_special_tokens=False)["input_ids"] for text in texts]
    asked = words.apply_chat_template(prompts, add_generation_prompt=True, tokenize=True, return_dict=True)
    return {
        "prompt_ids": asked["input_ids"],
        "completion_ids": ids,
        "logprobs": [[[0.0] for _ in each] for each in ids],
        "logprob_token_ids": [[[token] for token in each] for each in ids],
    }


def test_the_trainer_learns_from_our_rewards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps: the logged rewards are ours, and their spread moves the weights."""
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    rewards = Rewards(skirmish(tmp_path), [3, 4])
    expected = [score.value for score in rewards.score(TEXTS)]
    trainer = trainer_of([rewards], tmp_path / "out", ["skirmish"], rollout_func=speaking)
    before = [weights.detach().clone() for weights in trainer.model.parameters()]
    trainer.train()
    [first, *_] = trainer.state.log_history
    assert first["rewards/hive_skirmish/mean"] == pytest.approx(sum(expected) / 4, abs=1e-6)
    assert first["hive_skirmish/valid"] == 0.5 and first["reward_std"] > 0
    assert any((old != new).any() for old, new in zip(before, trainer.model.parameters(), strict=True))


def test_the_trainer_calls_each_scenarios_function_with_its_own_texts(tmp_path: Path) -> None:
    """A model's own words have the floor; the function of another scenario leaves them out."""
    rewards, other = Rewards(skirmish(tmp_path), [3, 4]), Rewards("coordinate", [3])
    trainer = trainer_of([rewards, other], tmp_path / "out", ["skirmish"])
    trainer.train()
    [first, *_] = trainer.state.log_history
    assert first["rewards/hive_skirmish/mean"] == REWARD_FLOOR
    assert first["rewards/hive_coordinate/mean"] is None, "no text was its own"
