"""Costs of households from a language model with LoRA and a value head (LIET, 3.2 and table 5), for `--costs`.

First `pip install torch transformers peft accelerate`, and `hive household utility --out runs/costs` for the pairs.
"""

import argparse
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import peft
import torch
import transformers

from hive.worlds.household.utility.errors import Error, gain
from hive.worlds.household.utility.regression import load

SAVED = ""  # the module that is written is this file with the folder of its weights here


def model_of(name: str, saved: str = "") -> tuple[Any, Any]:
    """Return a tokenizer, and a model with LoRA and a value head at its last word: new, or that of a folder."""
    words = transformers.AutoTokenizer.from_pretrained(name, truncation_side="left")  # the option comes last
    words.pad_token = words.pad_token or words.eos_token
    kind = transformers.AutoModelForSequenceClassification
    model = kind.from_pretrained(name, num_labels=1, pad_token_id=words.pad_token_id)
    head = torch.nn.Linear(model.config.hidden_size, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
    model.score = torch.nn.Sequential(*head)
    lora = {"r": 8, "lora_alpha": 32, "lora_dropout": 0.1, "target_modules": ["q_proj", "v_proj"]}
    new = peft.LoraConfig(task_type="SEQ_CLS", modules_to_save=["score"], **lora)
    return words, peft.PeftModel.from_pretrained(model, saved) if saved else peft.get_peft_model(model, new)


@cache
def reader(saved: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return tokenizer, model and facts of a folder that `main` wrote."""
    facts = json.loads(Path(saved, "facts.json").read_text(encoding="utf-8"))
    words, model = model_of(facts["model"], saved)
    return words, model.eval(), facts


def ticks(observations: list[str], options: list[str], saved: str = SAVED) -> list[float]:
    """Return the ticks of options from texts, as `--costs` asks for them."""
    words, model, facts = reader(saved)
    texts, found = ["\n".join(pair) for pair in zip(observations, options, strict=True)], []
    for row in range(0, len(texts), 64):
        read = words(texts[row : row + 64], return_tensors="pt", padding=True, truncation=True).to(model.device)
        with torch.no_grad():
            found += (facts["mean"] + facts["deviation"] * model(**read).logits[:, 0]).tolist()
    return found


def main() -> None:
    """Learn from the pairs of 80% of the options, tell the errors on the other sets, and write a module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what `hive household utility --out` wrote")
    parser.add_argument("model", help="name or folder of a language model; the paper has LLaMA 3.2-1B")
    parser.add_argument("--epochs", type=float, default=20)
    parser.add_argument("--rate", type=float, default=3e-4, help="learning rate; that of the paper is not known")
    parser.add_argument("--out", type=Path, default="lora_ticks", help="folder of the weights, and name of the module")
    args = parser.parse_args()
    rows = [json.loads(line) for line in (args.folder / "pairs.jsonl").read_text("utf-8").splitlines()]
    sets: dict[str, dict[str, list[Any]]] = {}
    for row in rows:
        for key, value in row.items():
            sets.setdefault(row["set"], {}).setdefault(key, []).append(value)
    learned = sets.pop("learned")
    facts = {"model": args.model, "mean": np.mean(learned["ticks"]), "deviation": np.std(learned["ticks"])}
    torch.manual_seed(0)
    words, model = model_of(args.model)
    texts = ["\n".join(pair) for pair in zip(learned["observation"], learned["option"], strict=True)]
    labels = [(each - facts["mean"]) / facts["deviation"] for each in learned["ticks"]]
    data = [{**words(text, truncation=True), "labels": label} for text, label in zip(texts, labels, strict=True)]
    given = {"num_train_epochs": args.epochs, "learning_rate": args.rate, "report_to": "none", "disable_tqdm": True}
    given |= {"per_device_train_batch_size": 64, "weight_decay": 0.1, "save_strategy": "no"}
    how = transformers.TrainingArguments(str(args.out), **given)
    collate = transformers.DataCollatorWithPadding(words)
    transformers.Trainer(model, how, train_dataset=data, data_collator=collate).train()
    model.save_pretrained(args.out)
    (args.out / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    digest = hashlib.sha256((args.out / "adapter_model.safetensors").read_bytes()).hexdigest()
    source = Path(__file__).read_text(encoding="utf-8")
    Path(f"{args.out}.py").write_text(source.replace('SAVED = ""', f"SAVED = {str(args.out)!r}  # weights {digest}", 1))
    for name, some in sets.items():
        found = ticks(some["observation"], some["option"], str(args.out))
        ours = load(args.folder / "utility.npz").ticks(some["observation"], some["option"])
        one, other = (Error(np.asarray(each) - some["ticks"], np.array(some["home"])) for each in (found, ours))
        lora, regression, less = one.mean, other.mean, gain(other, one)
        print(f"{name}: mean absolute error {lora.value:.2f} ± {lora.margin:.2f} ticks with LoRA, ", end="")
        print(f"{regression.value:.2f} ± {regression.margin:.2f} of ours, {less.value:.2f} ± {less.margin:.2f} less")
    print(f"wrote {args.out}.py: --costs {args.out.name}:ticks")


if __name__ == "__main__":
    main()
